"""Which environments work on this host, why not, and what to do.

Kinds are checked one after the other. Side by side they would be faster, but a check has a time limit, and on two
processors the boots of several guests would exceed it: a kind that works would be reported as one that does not.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from virtometer.environments.base import Environment, Settings
from virtometer.environments.leftovers import remove_leftovers, tunings_left
from virtometer.environments.registry import KINDS
from virtometer.errors import MissingProgram, UsageError, VirtometerError
from virtometer.host.lock.host_lock import HostLock
from virtometer.model import EnvironmentStatus
from virtometer.runner.lab.context import lab_context
from virtometer.runner.lab.tool_programs import version_line
from virtometer.runner.watch import host

_VERSION = re.compile(r"\d+(?:\.\d+)+[^\s,()]*")


@dataclass(frozen=True, slots=True)
class KindCheck:
    """The check of one kind, and the program that starts its guests: its name, version and Debian package.

    `version` is empty where the program is not installed; `program` and `package` are empty where there is none.
    nature: what its guests are on every host: several_agents, own_kernel, namespaces (None: of no process of the host).
    """

    status: EnvironmentStatus
    program: str
    version: str
    package: str
    nature: Mapping[str, Any] = field(default_factory=dict)


def nature(kind: type[Environment]) -> dict[str, Any]:
    """What guests of a kind are on every host, as `KindCheck.nature` has it."""
    namespaces = None if kind.namespaces is None else list(kind.namespaces)
    return {"several_agents": kind.several_agents, "own_kernel": kind.namespaces is None, "namespaces": namespaces}


def status(environment: Environment, settings: Settings | None = None) -> EnvironmentStatus:
    """Run the check of one kind, with these settings or its default ones.

    A check that fails with an error of ours means that the kind does not work here.
    """
    kind = environment.kind
    try:
        check = environment.check() if settings is None else environment.check_with(settings)
        lacks = asdict(environment.lacks())
    except VirtometerError as cause:
        return EnvironmentStatus(kind, kind, False, cause.sentence, cause.advice, {})
    found: dict[str, Any] = {what: not reason for what, reason in lacks.items()}
    found |= {"settings": tuple(environment.settings_type.model_fields)}
    found |= {f"{what}_reason": reason for what, reason in lacks.items()} | {"found": dict(check.found)}
    return EnvironmentStatus(kind, kind, check.works, check.reason, check.advice, found)


def program_version(environment: Environment) -> str:
    """The version of the program that starts the guests of a kind; empty where there is none."""
    if not environment.program:
        return ""
    try:
        line = version_line(environment.program_file(), "--version", environment.lab.programs)
    except MissingProgram:
        return ""
    found = _VERSION.search(line)
    return found[0] if found else line


def examine(
    names: Sequence[str] | None = None,
    begins: Callable[[str, int, int], None] = lambda name, number, count: None,
    says: Callable[[str], None] = lambda sentence: None,
) -> tuple[dict[str, Any], tuple[KindCheck, ...]]:
    """Facts of the host, and the check of every kind or of those in `names`. Raises UsageError for an unknown one.

    What laboratories that were killed left behind is removed first. `begins` is called before each check with the kind,
    its number from 1, and the number of kinds; `says` with a sentence for what was removed, and where another
    laboratory measures, beside which the guests of the checks count, and where the host is left tuned.
    """
    wanted = list(KINDS) if names is None else list(names)
    for name in wanted:
        if name not in KINDS:
            raise UsageError(f"there is no environment kind {name!r}; there are {', '.join(KINDS)}")
    checks = []
    with HostLock(beside=True, tell=says) as lock, lab_context(Path(tempfile.gettempdir())) as lab:
        for sentence in remove_leftovers(lab.journal, lab.programs):
            says(f"cleaned up: {sentence}")
        if lock.holder:
            says(f"{lock.holder} measures on this host; these checks start guests beside it, and its trials are marked")
        for words in tunings_left(lab.journal).values():
            says(f"the host is left tuned, and nothing is measured on it before it is as it was: {words}")
        for number, name in enumerate(wanted, 1):
            begins(name, number, len(wanted))
            kind = KINDS[name](lab)
            version = program_version(kind)
            checks.append(KindCheck(status(kind), kind.program, version, kind.package, nature(KINDS[name])))
    return host.facts(), tuple(checks)


def prepare_all() -> list[tuple[str, VirtometerError]]:
    """Build or fetch what every kind needs, with its default settings. Returns the kinds where that went wrong."""
    failed = []
    with lab_context(Path(tempfile.gettempdir())) as lab:
        for name, kind in KINDS.items():
            try:
                kind(lab).prepare(kind.settings_type())
            except VirtometerError as cause:
                failed.append((name, cause))
    return failed
