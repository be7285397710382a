"""Which check finds a mutant: the agent's own one at run time, the tests that its list names, or another test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from mutants.listing import Mutant
from mutants.workspace import DoesNotCompile, Failed, Workspace, WorkspaceError


class Outcome(Enum):
    """What became of a mutant. All but KILLED are faults."""

    KILLED = "killed"
    ELSEWHERE = "killed, but not by the listed check"
    SURVIVED = "SURVIVED"
    NOT_BUILT = "does not compile"
    NOT_UNDERSTOOD = "error in the list"


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant, the check that found it, and what that check said."""

    mutant: Mutant
    outcome: Outcome
    check: str = ""
    said: str = ""


def unsound(workspace: Workspace, mutants: Iterable[Mutant]) -> Failed | None:
    """The first check of these mutants that fails with the sound sources, or None.

    What fails is tried a second time, because a busy machine can fail a test that is right. Raises DoesNotCompile where
    the sources themselves do not compile, WorkspaceError where a check does not exist.
    """
    listed = list(mutants)
    workspace.build_agent()
    for run in dict.fromkeys(mutant.run for mutant in listed if mutant.run):
        failed = workspace.run(run) and workspace.run(run)
        if failed:
            return Failed(f"{failed.check} {'; '.join(run)}", failed.said)
    binaries: dict[str, dict[str, None]] = {}
    for test in (test for mutant in listed for test in (*mutant.kernel_tests, *mutant.tests)):
        binaries.setdefault(test.partition(" ")[0], {})[test] = None
    for tests in binaries.values():
        failed = workspace.test(list(tests)) and workspace.test(list(tests))
        if failed:
            return failed
    return None


def try_mutant(workspace: Workspace, mutant: Mutant) -> Verdict:
    """Make a mutant, build it, and look for the first check that finds it."""
    with workspace.mutated(mutant):
        try:
            if mutant.run:
                workspace.build_agent()
            failed = workspace.run(mutant.run) if mutant.run else None
            if failed:
                return Verdict(mutant, Outcome.KILLED, failed.check, failed.said)
            failed = workspace.test(mutant.tests) if mutant.tests else None
            if failed:
                # A run-time check that the list names must find the mutant itself.
                outcome = Outcome.ELSEWHERE if mutant.run else Outcome.KILLED
                return Verdict(mutant, outcome, failed.check, failed.said)
            failed = workspace.test(mutant.kernel_tests)
            if failed:
                return Verdict(mutant, Outcome.ELSEWHERE, failed.check, failed.said)
        except DoesNotCompile as error:
            return Verdict(mutant, Outcome.NOT_BUILT, said=str(error))
        except WorkspaceError as error:
            return Verdict(mutant, Outcome.NOT_UNDERSTOOD, said=str(error))
    return Verdict(mutant, Outcome.SURVIVED, said=mutant.wrong)
