"""Where plans lie, and reading one. The built-in plans are files in plans/, which an installed package brings along."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from virtometer.design.parse import ALL, PlanRead
from virtometer.design.plan.document import MAX_BYTES
from virtometer.design.plan.resolved import ResolvedPlan
from virtometer.design.plan.selection import Selection
from virtometer.errors import PlanError, PlanNotHere
from virtometer.installation import carried
from virtometer.model import Plan
from virtometer.visible import visible

DEFAULT = "default.yaml"
QUICK = "quick.yaml"
NOISE = "noise.yaml"
TIME = "time.yaml"

_USUAL_CACHE = 32 << 20
"""Bytes that stand for the last-level cache in the built-in plans where the host reports none."""


def built_in(name: str) -> Path:
    """Path of a built-in plan: inside an installed package, or in the repository that the package is used from."""
    path = built_in_folder() / name
    if path.is_file():
        return path
    raise PlanError(name, 0, "this built-in plan is missing from the installation")


def built_in_folder() -> Path:
    """The folder of all built-in plans, which need not exist."""
    return carried("plans")


def selection(only: Sequence[str] | None, environments: Sequence[str] | None) -> Selection:
    """The selection of --only and --in."""
    return Selection(tuple(only or ()), tuple(environments or ()))


def load(
    path: Path, selected: Selection = ALL, instead: Mapping[str, Any] | None = None, *, short: bool = False
) -> tuple[ResolvedPlan, str]:
    """Read and check a plan, with the fields `instead` of its own; returns the `selected` part, and the plan's text.

    short: in its short form.

    Raises PlanError with file and line, and UsageError for a name that the plan does not have.
    """
    found, text = _read(path, selected, instead, short=short)
    return found.resolved, text


def load_for_here(
    path: Path, results: Path, selected: Selection = ALL, *, short: bool = False
) -> tuple[ResolvedPlan, str, list[str]]:
    """`load` a plan and check that this host can execute that part of it with its results below `results`.

    The last part of the answer are sentences about what will be skipped. Raises PlanError for what is wrong everywhere,
    PlanNotHere for what is impossible on this host, both with file and line.
    """
    found, text = _read(path, selected, short=short)
    return found.resolved, text, _skipped_here(found, visible(str(path)), results)


def load_text_for_here(text: str, name: str, results: Path) -> tuple[ResolvedPlan, list[str]]:
    """`load_for_here` of the text of a plan that no file has. name: what messages call it."""
    from virtometer.runner.campaign.here import read_here

    found = read_here(text.encode(), name, ALL, None, None)
    return found.resolved, _skipped_here(found, name, results)


def _skipped_here(found: PlanRead, shown: str, results: Path) -> list[str]:
    """Sentences about what will be skipped. Raises PlanNotHere for what is impossible on this host."""
    from virtometer.design.feasible import refused
    from virtometer.runner.campaign.here import not_here

    refusals: list[tuple[int, str]] = []
    skipped = list(found.skipped)
    for one in not_here(found.resolved, results):
        (refusals if refused(one, found.resolved.plan) else skipped).append(
            (found.document.line(one.path), one.sentence)
        )
    if refusals:
        lines = [f"{shown}:{line}: {words}" if line else f"{shown}: {words}" for line, words in sorted(set(refusals))]
        raise PlanNotHere(
            "\n".join(lines),
            advice="the plan is right, but this host cannot execute it: change it, or run it elsewhere",
        )
    return [f"{shown}:{line}: will fail: {words}" for line, words in sorted(set(skipped))]


def _read(
    path: Path, selected: Selection, instead: Mapping[str, Any] | None = None, *, short: bool = False
) -> tuple[PlanRead, str]:
    from virtometer.runner.campaign.here import read_here

    shown = str(path)
    path = _of_the_installation(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError as cause:
        raise PlanError(shown, 0, "there is no such file") from cause
    except IsADirectoryError as cause:
        raise PlanError(shown, 0, "this is a directory, not a plan") from cause
    except OSError as cause:
        raise PlanError(shown, 0, f"the plan cannot be read: {cause.strerror}") from cause
    usual_cache = _USUAL_CACHE if path.parent == built_in(QUICK).parent else None
    return read_here(raw, shown, selected, instead, usual_cache, short=short), raw.decode("utf-8-sig")


def _of_the_installation(path: Path) -> Path:
    """The built-in plan that a path such as plans/together.yaml names, where the current directory has no such file."""
    if path.parts[:1] != ("plans",) or ".." in path.parts or os.path.lexists(path):
        return path
    inside = built_in_folder().joinpath(*path.parts[1:])
    return inside if inside.is_file() else path


def seed_of(plan: Plan, given: int | None) -> int:
    """The seed: from the command line, else from the plan, else a fresh one, which the ledger records."""
    if given is not None:
        return given
    return secrets.randbits(32) if plan.seed is None else plan.seed
