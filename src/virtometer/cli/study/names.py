"""Which study and which items a user names. A wrong name is an error with the names that are near."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from virtometer.errors import UsageError
from virtometer.studies.data import items, studies
from virtometer.studies.printed import parts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from virtometer.studies.agreement import ClaimRow
    from virtometer.studies.data import Item, Study

_NEAR = 3


def study_named(name: str) -> Study:
    """The study with this key. Raises UsageError for an unknown one."""
    known = studies()
    key = named_in(name, known)
    if key is None:
        raise UsageError(
            f"there is no study '{_short(name)}'{_hint(name, known)}", advice=f"studies: {', '.join(known)}"
        )
    return known[key]


def items_named(study: Study, name: str) -> tuple[Item, ...]:
    """The item of a study with this name, or the parts of it. Raises UsageError for an unknown name.

    Capital letters do not matter, and hyphens may stand for blanks and signs: appendix-ram-average.
    """
    known = items(study.study)
    wholes = {item.whole: None for item in known.values()}
    key = named_in(name, {**wholes, **known})
    if key is None:
        raise UsageError(
            f"{study.study} has no item '{_short(name)}'{_hint(name, known)}",
            advice=f"its items: virtometer study list {study.study}",
        )
    return parts(study.study, key)


def claims_named(study: Study, rows: Sequence[ClaimRow], name: str) -> tuple[ClaimRow, ...]:
    """The claim with this id, such as c030, among the claims of a study. Raises UsageError for an unknown one."""
    known = {row.claim_id: row for row in rows}
    key = named_in(name.rpartition("/")[2], known)
    if key is None:
        raise UsageError(
            f"{study.study} has no claim '{_short(name)}'{_hint(name, known)}",
            advice=f"its claims: virtometer study claims {study.study}",
        )
    return (known[key],)


def experiments_named(study: Study, known: Mapping[str, object], names: Sequence[str]) -> list[str]:
    """The experiments with these names, each once, in the order of `known`; all without a name.

    Raises UsageError for an unknown one.
    """
    chosen = set()
    for name in names:
        key = named_in(name, known)
        if key is None:
            raise UsageError(
                f"{study.study} has no experiment '{_short(name)}'{_hint(name, known)}",
                advice=f"its experiments: {', '.join(known)}",
            )
        chosen.add(key)
    return [one for one in known if one in chosen or not names]


def named_in(name: str, known: Iterable[str]) -> str | None:
    """Which of the known names is meant, capital letters and signs apart; None for an unknown one."""
    return {_simple(one): one for one in known}.get(_simple(name))


def _simple(name: str) -> str:
    return re.sub(r"[^\w.+]+", "-", name.casefold()).strip("-")


def _hint(name: str, known: Mapping[str, object]) -> str:
    """The names that were probably meant: those that hold the given one, else those that are similar."""
    from virtometer.design.plan.validation_messages import similar

    wanted = _simple(name)
    holding = [one for one in known if wanted and wanted in _simple(one)][:_NEAR]
    near = " or ".join(f"'{one}'" for one in holding or similar(name, known, _NEAR))
    return f"; did you mean {near}?" if near else ""


def _short(name: str) -> str:
    from virtometer.design.plan.validation_messages import short

    return short(name)
