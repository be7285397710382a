"""Where plans lie, and reading one. The built-in plans are files in plans/, which an installed package brings along."""

from __future__ import annotations

import secrets
from pathlib import Path

import virtometer
from virtometer.design.document import MAX_BYTES
from virtometer.design.parse import parse_plan
from virtometer.errors import PlanError
from virtometer.model import Plan

DEFAULT = "default.yaml"
QUICK = "quick.yaml"


def built_in(name: str) -> Path:
    """Path of a built-in plan: inside an installed package, or in the repository that the package is used from."""
    package = Path(virtometer.__file__).resolve().parent
    for directory in (package / "plans", package.parents[1] / "plans"):
        if (directory / name).is_file():
            return directory / name
    raise PlanError(name, 0, "this built-in plan is missing from the installation")


def load(path: Path) -> tuple[Plan, str]:
    """Read and check a plan; also returns its text. Raises PlanError with file and line."""
    from virtometer.runner.catalogue import catalogue

    shown = str(path)
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError as cause:
        raise PlanError(shown, 0, "there is no such file") from cause
    except IsADirectoryError as cause:
        raise PlanError(shown, 0, "this is a directory, not a plan") from cause
    except OSError as cause:
        raise PlanError(shown, 0, f"the plan cannot be read: {cause.strerror}") from cause
    plan = parse_plan(raw, shown, catalogue())
    return plan, raw.decode("utf-8-sig")


def seed_of(plan: Plan, given: int | None) -> int:
    """The seed: from the command line, else from the plan, else a fresh one, which the ledger records."""
    if given is not None:
        return given
    return secrets.randbits(32) if plan.seed is None else plan.seed
