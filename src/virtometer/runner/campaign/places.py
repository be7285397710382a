"""Where the user's own commands can run: the environments of a plan for them, and further kinds by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError
from virtometer.model import Kind

For = Callable[[type[Kind]], Mapping[str, Any] | str]
"""Settings of a kind alone, or in words why it cannot have what was asked for, without its subject."""


def places(
    known: Sequence[Mapping[str, Any]], wanted: Sequence[str], settings: Mapping[str, Any], of_kind: For = lambda _: {}
) -> tuple[list[dict[str, Any]], list[str]]:
    """Environments as a plan has them: the first of `known`, which is the baseline, and those that are wanted.

    wanted: names or kinds of `known`, or other kinds whose guests can have the host's files; all of `known` where it is
    empty. settings: for every kind that has them. of_kind: more of them. The second part of the answer are sentences
    about those of `known` that cannot have the settings. Raises UsageError for what is no such name or kind, and for a
    kind that is asked for or the baseline where `of_kind` has a reason.
    """
    chosen = list(known) if not wanted else [known[0], *(_place(known, one) for one in wanted)]
    made = list[dict[str, Any]]()
    left_out = list[str]()
    for one in {one["name"]: one for one in chosen}.values():
        more = of_kind(KINDS[one["kind"]])
        if isinstance(more, str):
            if wanted or not made:
                raise UsageError(f"{one['name']} cannot be measured: {more}")
            left_out.append(f"{one['name']} is left out: {more}")
            continue
        place = _with(one, {**settings, **more})
        try:
            KINDS[place["kind"]].settings_type.model_validate(place.get("settings", {}))
        except ValidationError as cause:
            if not wanted and made:
                reason = cause.errors()[0]["msg"].removeprefix("Value error, ")
                left_out.append(f"{place['name']} is left out: {reason}")
                continue
        made.append(place)
    return made, left_out


def _place(known: Sequence[Mapping[str, Any]], wanted: str) -> Mapping[str, Any]:
    for one in known:
        if wanted.casefold() in (one["name"].casefold(), one["kind"]):
            return one
    kind = KINDS.get(wanted)
    if kind is None:
        raise UsageError(f"there is no kind of environment {wanted}", advice=f"there are {', '.join(KINDS)}")
    if "root" not in kind.settings_type.model_fields:
        raise UsageError(f"guests of {kind.title} cannot have the host's files, which commands need")
    return {"name": kind.title, "kind": wanted, "settings": {"root": "host"}}


def _with(place: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    fields = KINDS[place["kind"]].settings_type.model_fields
    given = {**place.get("settings", {}), **{name: value for name, value in settings.items() if name in fields}}
    return {"name": place["name"], "kind": place["kind"], **({"settings": given} if given else {})}
