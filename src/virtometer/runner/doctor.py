"""Which environments work on this host, why not, and what to do."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from virtometer.environments.base import Environment, Workbench
from virtometer.environments.registry import KINDS
from virtometer.errors import UsageError, VirtometerError
from virtometer.model import EnvironmentStatus
from virtometer.runner import host
from virtometer.runner.workbench import workbench


def status(environment: Environment) -> EnvironmentStatus:
    """Run the check of one kind. A check that fails with an error of ours means that the kind does not work here."""
    kind = environment.kind
    try:
        check = environment.check()
        capabilities = asdict(environment.capabilities())
    except VirtometerError as cause:
        return EnvironmentStatus(kind, kind, False, cause.sentence, cause.advice, {})
    found: Mapping[str, Any] = {**capabilities, "found": dict(check.found)}
    return EnvironmentStatus(kind, kind, check.works, check.reason, check.advice, found)


def examine(names: Sequence[str] | None = None) -> tuple[dict[str, Any], tuple[EnvironmentStatus, ...]]:
    """Facts of the host, and the check of every kind or of those in `names`. Raises UsageError for an unknown one."""
    wanted = list(KINDS) if names is None else list(names)
    for name in wanted:
        if name not in KINDS:
            raise UsageError(f"there is no environment kind {name!r}; there are {', '.join(KINDS)}")
    with workbench(Path(tempfile.gettempdir())) as bench:
        return host.facts(), tuple(status(KINDS[name](bench)) for name in wanted)


def sweep(bench: Workbench) -> list[str]:
    """Remove what laboratories that were killed left behind; one sentence each."""
    return bench.journal.sweep(bench.programs)


def prepare_all() -> list[tuple[str, str]]:
    """Build or fetch what every kind needs, with its default settings. Returns (kind, what went wrong or empty)."""
    outcome = []
    with workbench(Path(tempfile.gettempdir())) as bench:
        for name, kind in KINDS.items():
            try:
                kind(bench).prepare(kind.settings_type())
                outcome.append((name, ""))
            except VirtometerError as cause:
                outcome.append((name, cause.sentence))
    return outcome
