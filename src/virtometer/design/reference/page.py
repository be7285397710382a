"""The reference of plans as a page in Markdown, docs/PLANS.md. PURE.

A test compares the page with what `page` makes, so that it is never older than the models.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from virtometer.design.reference.tables import FieldText, Section

_WIDTH = 120  # of lines of prose
_HEADINGS = {"plan": "The plan", "environment": "Environments", "workload": "Workloads"}
_ABOUT = """\
# Reference of plans

`virtometer plan reference --markdown > docs/PLANS.md` makes this page from the models that check plans. Change the
models, not the page. `virtometer plan reference NAME` prints one part of it.

A plan is a YAML file; [plans/](../plans/) has examples. `settings` of an environment depend on its kind, `op` and
`parameters` of a workload on the workload.

- A size is a number of bytes, or such as `64M`. A share is a number such as `0.05`, or such as `5%`.
- A default of `-` means nothing: the meaning says what holds then.
- Where several defaults stand, the first is that of most operations; others have theirs in brackets.
"""


def page(sections: Iterable[Section]) -> str:
    """The page, with the end of its last line."""
    parts = [_ABOUT]
    group = ""
    for section in sections:
        if section.group != group:
            group = section.group
            parts.append(f"## {_HEADINGS[group]}\n")
        parts.append(f"### {section.name}\n")
        title = f" ({section.title})" if section.title != section.name else ""
        prose = [f"{_sentence(section.meaning)[:-1]}{title}.", *section.facts]
        parts.append("\n".join(_wrapped(one) for one in prose) + "\n")
        parts += _tables(section)
    return "\n".join(parts)


def _tables(section: Section) -> Iterable[str]:
    if section.operations:
        rows = [(_code(name), one.work, one.unit, one.better) for name, one in section.operations.items()]
        yield _table(("operation", "work", "unit", "better"), rows)
    if not section.entries:
        yield f"There are no {section.noun}s.\n"
        return
    operations = bool(section.operations)
    head = [section.noun, "type", "allowed", "default", "meaning"] + ["operations"] * operations
    yield _table(
        head,
        [
            (_code(one.name), one.type, _allowed(one), _default(one), one.meaning, *([one.ops] * operations))
            for one in section.entries
        ],
    )


def _allowed(entry: FieldText) -> str:
    """What a field may be; the words of a choice in code type."""
    if not entry.type.startswith("choice"):
        return entry.allowed
    choices, *rest = entry.allowed.split("; ")
    return "; ".join([", ".join(map(_code, choices.split(", "))), *rest])


def _default(entry: FieldText) -> str:
    return f"{entry.default}, but {', '.join(entry.other_defaults)}" if entry.other_defaults else entry.default


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _wrapped(sentence: str) -> str:
    return textwrap.fill(sentence, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _code(name: str) -> str:
    return f"`{name}`"
