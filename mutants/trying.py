"""Which check finds a mutant: the agent's own one at run time, the tests that its list names, or another test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import partial

from mutants.listing import Mutant
from mutants.workspace import TIME_LIMIT, DoesNotCompile, Failed, Workspace, WorkspaceError


class Outcome(Enum):
    """What became of a mutant. All but KILLED are faults."""

    KILLED = "killed"
    ELSEWHERE = "killed, but not by the listed check"
    TEST_PASSES = "the tests listed with it pass; killed"
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


def _twice(check: Callable[[], Failed | None]) -> Failed | None:
    """A failure that comes again, because a busy machine can fail a check that is right. One that hangs is run once."""
    failed = check()
    return failed if failed is None or failed.check == TIME_LIMIT else check()


def unsound(workspace: Workspace, mutants: Iterable[Mutant]) -> Failed | None:
    """The first check of these mutants that fails with the sound sources, or None.

    Raises DoesNotCompile where the sources themselves do not compile, WorkspaceError where a check does not exist.
    """
    listed = list(mutants)
    workspace.build_agent()
    for run in dict.fromkeys(mutant.run for mutant in listed if mutant.run):
        failed = _twice(partial(workspace.run, run))
        if failed:
            return Failed(f"{failed.check} {'; '.join(run)}", failed.said)
    binaries: dict[str, dict[str, None]] = {}
    for test in (test for mutant in listed for test in (*mutant.kernel_tests, *mutant.tests)):
        binaries.setdefault(test.partition(" ")[0], {})[test] = None
    for tests in binaries.values():
        failed = _twice(partial(workspace.test, list(tests)))
        if failed:
            return failed
    return None


def try_mutant(workspace: Workspace, mutant: Mutant) -> Verdict:
    """Make a mutant, build it, and look for the check that finds it, twice in a row.

    Where the list names command lines, that is the agent's own check; the tests that it names must find it as well.
    """
    with workspace.mutated(mutant):
        try:
            if mutant.run:
                workspace.build_agent()
            at_run_time = _twice(lambda: workspace.run(mutant.run)) if mutant.run else None
            in_tests = _twice(lambda: workspace.test(mutant.tests)) if mutant.tests else None
            if mutant.run and mutant.tests and at_run_time and not in_tests:
                return Verdict(mutant, Outcome.TEST_PASSES, at_run_time.check, at_run_time.said)
            if at_run_time:
                return Verdict(mutant, Outcome.KILLED, at_run_time.check, at_run_time.said)
            if in_tests:
                # A run-time check that the list names must find the mutant itself.
                outcome = Outcome.ELSEWHERE if mutant.run else Outcome.KILLED
                return Verdict(mutant, outcome, in_tests.check, in_tests.said)
            failed = _twice(lambda: workspace.test(mutant.kernel_tests))
            if failed:
                return Verdict(mutant, Outcome.ELSEWHERE, failed.check, failed.said)
        except DoesNotCompile as error:
            return Verdict(mutant, Outcome.NOT_BUILT, said=str(error))
        except WorkspaceError as error:
            return Verdict(mutant, Outcome.NOT_UNDERSTOOD, said=str(error))
    return Verdict(mutant, Outcome.SURVIVED, said=mutant.wrong)
