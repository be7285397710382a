"""Sentences of documents, messages and code: their length, and words that have a better one.

python -m tests.house.prose [FILE.md ...]     prints long sentences and words to avoid
"""

import ast
import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST = 25

# What to write instead. Whole words, in prose and messages; code type and names of fields are not looked at.
INSTEAD = {
    r"corridors?": "feasible region",
    r"rehears(?:es?|ed|als?)": "null iteration",
    r"belie[ds]|ClockBelied|hopeless": "unusable",
    r"believ(?:e|es|ed|able|ably)|beliefs?": "usable, trusted",
    r"hidden steps?": "undetectable step",
    r"lets? go|let go": "release",
    r"gated|of a gate": "host-timed",
    r"outside clocks?": "reference clock",
    r"put right": "corrected",
    r"workbench|workbenches": "lab",
    r"last words": "stderr tail",
    r"complaints?": "validation message",
    r"talkative": "verbose",
    r"crews?|meetings?|farewells|manners?|breathes?": "group of threads, barrier, pending closes, access kind, yield",
    r"crowds?": "group",
    r"run-ins?": "warm-up",
    r"stopwatch(?:es)?": "wall clock",
    r"sets? aside|set-aside|setting aside": "excluded",
    r"like with like": "comparable",
    r"goes on otherwise|go on otherwise|begins otherwise": "changes its speed",
    r"an end of its own|ends? of their own": "runs to completion",
    r"made for": "intended number of threads",
    r"by itself|by themselves": "alone, automatically",
    r"tool-says|tool says": "reported by the tool",
    r"together": "at the same time, in total (the name of the scenario alone is `together`)",
}
AVOIDED = re.compile(r"(?<![\w`/.-])(?:" + "|".join(INSTEAD) + r")(?![\w`/-])", re.IGNORECASE)

# A document that begins a line with one of these has no prose there.
_NO_PROSE = re.compile(r"^(?:#|\||    |<!--|!\[|\s*$)")
_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s+")
_END = re.compile(r"(?<=[.!?:])[)\"*_]*\s+(?=[\"(*_`\[]*[A-Z0-9`])")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|vs|Dr|no)\.$")


def paragraphs(document: str) -> Iterator[tuple[int, str]]:
    """The prose of a Markdown document, a paragraph or list item at a time, with the number of its first line."""
    lines: list[str] = []
    begin, fenced = 0, False
    for number, line in enumerate([*document.split("\n"), ""], start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        ends = fenced or bool(_NO_PROSE.match(line) and not (line.startswith("    ") and lines)) or not line.strip()
        if (ends or _ITEM.match(line)) and lines:
            yield begin, " ".join(lines)
            lines = []
        if ends or line.lstrip().startswith("```"):
            continue
        if not lines:
            begin = number
        lines.append(_ITEM.sub("", line).strip())


def plain(text: str) -> str:
    """A text without its marks: a link is its words, code type is one word."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "`code`", text)
    return re.sub(r"\*\*|__", "", text)


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph. A colon that is followed by a capital letter ends one."""
    found: list[str] = []
    for part in _END.split(plain(paragraph)):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += " " + part
        else:
            found.append(part)
    return [part for part in found if part.strip()]


def words(sentence: str) -> int:
    """How many words a sentence has; numbers and code type count as one each, an interval as one."""
    return len(re.findall(r"[\w`%'’.,/+×±-]*[\w`%]+", re.sub(r"\[[-−\d., %]*\]", "", sentence)))


def long_sentences(document: str) -> list[str]:
    """Line and text of each sentence of a document that is longer than LONGEST words."""
    return [
        f"line {line}: {words(sentence)} words: {sentence[:110]}"
        for line, paragraph in paragraphs(document)
        for sentence in sentences(paragraph)
        if words(sentence) > LONGEST
    ]


def avoided(document: str) -> list[str]:
    """Line and text of each word of a document, tables included, that has a better one."""
    found = []
    fenced = False
    for number, line in enumerate(document.split("\n"), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if fenced or line.startswith("    "):
            continue
        found += [f"line {number}: {word!r}: {better(word)}" for word in words_to_avoid(line)]
    return found


def words_to_avoid(text: str) -> list[str]:
    """The words of a text that have a better one, without what is in code type."""
    return [match[0] for match in AVOIDED.finditer(plain(text))]


def better(word: str) -> str:
    """What stands instead of an avoided word."""
    return next(good for bad, good in INSTEAD.items() if re.fullmatch(bad, word, re.IGNORECASE))


def comments(source: str, mark: str) -> list[tuple[int, str]]:
    """Line and text of the comments of a file of any language: `mark` begins one, such as # or //."""
    begin = re.compile(rf"(?:^|\s){re.escape(mark)}[/!]? (.*)")
    lines = enumerate(source.split("\n"), start=1)
    return [(number, match[1]) for number, line in lines if (match := begin.search(line))]


def docstrings_and_comments(source: str) -> list[tuple[int, str]]:
    """Line and text of all docstrings and comments of a Python file."""
    return [*comments(source, "#"), *((node.lineno, text) for node, text in _bare_strings(_tree(source)))]


@functools.cache
def _tree(source: str) -> ast.Module:
    return ast.parse(source)


def _bare_strings(node: ast.AST) -> Iterator[tuple[ast.Constant, str]]:
    """Docstrings, and strings that describe the name before them. They are statements, which no expression holds."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr):
            if isinstance(child.value, ast.Constant) and isinstance(child.value.value, str):
                yield child.value, child.value.value
        elif not isinstance(child, ast.expr):
            yield from _bare_strings(child)


def messages(source: str) -> list[tuple[int, str]]:
    """Line and text of each string of a Python file that people read: at least four words, and no docstring.

    What a formatted string fills in is one word.
    """
    tree = _tree(source)
    documented = {id(node) for node, _ in _bare_strings(tree)}
    nodes = list(ast.walk(tree))
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    excluded, found = inside | documented, []
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in excluded:
            text = node.value
        else:
            continue
        if len(re.findall(r"[A-Za-z]{2,}", text)) >= 4 and " " in text.strip():
            found.append((node.lineno, text))
    return found


def main(files: list[str]) -> None:
    """Print what is to be mended in documents, and their sizes."""
    for name in files:
        text = Path(name).read_text(encoding="utf-8")
        long, bad = long_sentences(text), avoided(text)
        print(
            f"{name}: {len(text.splitlines())} lines, {len(text.split())} words, {len(long)} long, {len(bad)} avoided"
        )
        for fault in [*long, *bad]:
            print(f"  {fault}")


if __name__ == "__main__":
    main(sys.argv[1:])
