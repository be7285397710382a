"""Make every listed mutant of the agent, one after the other, and say which check finds it.

    python -m mutants [--only KERNEL|NAME ...] [--list]

The sources are copied to .build/mutants; the checkout is only read. Exit status: 0 when every mutant is killed by a
check that its list names, 1 otherwise.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from mutants.listing import ListError, Mutant, chosen, read_lists, stale
from mutants.trying import Outcome, Verdict, try_mutant, unsound
from mutants.workspace import PROCESSORS, TIME_LIMIT, DoesNotCompile, Workspace, WorkspaceError

ROOT = Path(__file__).parents[1]
SAID_WIDTH = 100


def _interrupt(*_: object) -> None:
    """End as after Ctrl-C, so that the copy of the sources is removed."""
    raise KeyboardInterrupt


def _row(verdict: Verdict, width: int) -> str:
    """One line of the table; a fault has what was seen below it."""
    name = f"{verdict.mutant.full_name:{width}}"
    if verdict.outcome is Outcome.KILLED:
        said = verdict.said.removeprefix("virtometer-agent: ")
        warning = "  (avoid a mutant that hangs)" if verdict.check == TIME_LIMIT else ""
        return f"{name}  {verdict.check}{warning}: {said[:SAID_WIDTH]}"
    found = f" by {verdict.check}" if verdict.check else ""
    return f"{name}  {verdict.outcome.value}{found}: {verdict.said}"


def _summary(verdicts: list[Verdict], seconds: float) -> str:
    """How many mutants there were, and what became of them."""
    killers = Counter(
        verdict.check if verdict.check in ("run-time check", TIME_LIMIT) else "tests"
        for verdict in verdicts
        if verdict.outcome is Outcome.KILLED
    )
    faults = Counter(verdict.outcome for verdict in verdicts if verdict.outcome is not Outcome.KILLED)
    parts = [f"{count} by {killer}" for killer, count in sorted(killers.items())]
    text = f"{len(verdicts)} mutants in {seconds / 60:.1f} min. Killed: {', '.join(parts) or 'none'}."
    return text + "".join(f" {count} {outcome.value}." for outcome, count in faults.items())


def main(checkout: Path = ROOT) -> int:
    """What the module does; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", metavar="WORDS", help="kernels and mutants, by name")
    parser.add_argument("--list", action="store_true", help="name the mutants and end")
    arguments = parser.parse_args()
    try:
        listed = chosen(read_lists(checkout / "mutants"), arguments.only)
        if arguments.list:
            print("\n".join(f"{mutant.full_name}: {mutant.wrong}" for mutant in listed))
            return 0
        reasons = [reason for mutant in listed if (reason := stale(mutant, checkout))]
        if reasons:
            raise ListError("\n".join(["some mutants cannot be made; bring their texts up to date:", *reasons]))
        return _try_all(checkout, listed)
    except (ListError, WorkspaceError, DoesNotCompile) as error:
        print(f"mutants: {error}", file=sys.stderr)
    except KeyboardInterrupt:
        print("mutants: interrupted", file=sys.stderr)
    return 1


def _try_all(checkout: Path, mutants: list[Mutant]) -> int:
    """Try mutants one after the other, printing a line for each; the exit status."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:PROCESSORS])
    begin = time.monotonic()
    width = max(len(mutant.full_name) for mutant in mutants)
    verdicts: list[Verdict] = []
    with Workspace(checkout, checkout / ".build" / "mutants") as workspace:
        print(f"{len(mutants)} mutants; first their checks are run with the sound agent", flush=True)
        failed = unsound(workspace, mutants)
        if failed:
            raise WorkspaceError(f"the sound agent fails {failed.check}: {failed.said}")
        for mutant in mutants:
            verdicts.append(try_mutant(workspace, mutant))
            print(_row(verdicts[-1], width), flush=True)
    print(_summary(verdicts, time.monotonic() - begin))
    return 0 if all(verdict.outcome is Outcome.KILLED for verdict in verdicts) else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    sys.exit(main())
