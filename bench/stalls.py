"""A guest that stands still again and again: is that in its total ratio, is it named, and what do verdicts say?

    python -m bench.stalls [--stop 0.1] [--every 1] [--blocks 8] [--seconds 2]
    python -m bench.stalls --sweep [--blocks 12] [--busy] [--only 1.5/110 ...]

The guest is native. A process beside it stops the agent by SIGSTOP and lets it go on by SIGCONT. Its true total ratio
is 1 - stop / every, and its typical ratio, in slices, is 1. Printed for slices and for long windows: both ratios with
their intervals, and what the notes say of stops.

The sweep has campaigns of the shape of `run --quick`, with `verdict: typical`. Stops of so many milliseconds come at
random, in so many percent of slices, after processor time of the agent: 1.5/110 is 1.5 % and 110 ms. Printed are both
ratios, the verdict in the words of the tables, and how many slices had a stop. MISSED: an `equivalent` without the
total beside it, although these stops cost more than the margin. "too few stops": such an `equivalent` where so few came
by chance that they cost less than the margin, and on average they cost more. Each campaign is compared with one without
stops, as `virtometer compare` does. MISSED: `not worse`, although stops cost 10 % or more. On a busy host every verdict
is `undecided`; with --busy, that rule is off.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from bench.campaigns import Measured, extra_kinds, plan_of, run
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.compare.lost_time import Lengths, lengths
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.analysis.compared.worse import Outcome
from virtometer.environments.base import Guest, Settings
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import VirtometerError
from virtometer.model import Estimate, Finding, Quantity, Verdict
from virtometer.report.parts import words

SLICE_S = 0.008
LOSS = 0.1
"""Of the work, by stops: `compare` must not call this much `not worse`."""
_PLAN = """
virtometer: 1
name: stalls
environments:
  - {{name: native, kind: native}}
  - {{name: stops, kind: stopped, settings: {{stop_s: {stop}, every_s: {every}}}}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}, scheduling: {scheduling}}}
  - {{name: system call, workload: os, op: system-call, scheduling: {scheduling}}}
blocks: {blocks}
seconds: {seconds}
fresh: block
"""

_SWEEP = """
virtometer: 1
name: stalls at random
environments:
  - {{name: native, kind: native}}
  - {{name: stops, kind: stopped, settings: {{stop_s: {stop}, rate: {rate}, seed: {seed}}}}}
workloads:
  - {{name: linpack, workload: linpack, op: classic, parameters: {{size: 100}}}}
  - {{name: system call, workload: os, op: system-call}}
blocks: {blocks}
verdict: typical
seconds: 0.25
slice_s: {slice_s}
fresh: block
{rules}
"""
_NO_RULE = "rules: {max_disturbed_share: 1}"

_STOPPER = """
import os, signal, sys, time
pid, stop, every = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
at = time.monotonic()
try:
    while True:
        at += every
        time.sleep(max(at - stop - time.monotonic(), 0))
        os.kill(pid, signal.SIGSTOP)
        time.sleep(max(at - time.monotonic(), 0))
        os.kill(pid, signal.SIGCONT)
except ProcessLookupError:
    pass
"""

# The processor time of another process is a clock of its own: clock_getcpuclockid(3) makes its number in this way.
_RANDOM_STOPPER = """
import os, random, signal, sys, time
pid, stop, rate, seed = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
clock, random = ~pid << 3 | 2, random.Random(seed)
try:
    at = time.clock_gettime(clock) + random.expovariate(rate)
    while True:
        left = at - time.clock_gettime(clock)
        if left > 0:
            time.sleep(max(left, 0.0003))
            continue
        os.kill(pid, signal.SIGSTOP)
        time.sleep(stop)
        os.kill(pid, signal.SIGCONT)
        at = time.clock_gettime(clock) + random.expovariate(rate)
except OSError:
    pass
"""


@dataclass(frozen=True)
class Stalls:
    """Stops at random: in which share of slices, and for how many seconds."""

    share: float
    stop_s: float

    @property
    def name(self) -> str:
        """As on the command line."""
        if not self.share:
            return "none"
        return f"{self.share * 100:g}/{self.stop_s * 1000:g}"

    @property
    def truth(self) -> float:
        """The true total ratio."""
        return 1 / (1 + self.share * self.stop_s / SLICE_S)


SWEEP = (Stalls(0.005, 0.11), Stalls(0.015, 0.11), Stalls(0.05, 0.016), Stalls(0.1, 0.08))
NONE = Stalls(0, 0.1)


class StoppedSettings(NativeSettings):
    """Native with stops."""

    stop_s: float = Field(default=0.1, gt=0, description="seconds of each stop")
    every_s: float = Field(default=1.0, gt=0, description="seconds from one stop to the next")
    rate: float | None = Field(
        default=None, ge=0, description="instead: stops at random, so many per second of the agent's processor time"
    )
    seed: int = Field(default=1, description="of the times at random, which are others in each start")


class Stopped(Native):
    """The host itself, with an agent that is stopped again and again."""

    kind: ClassVar[str] = "stopped"
    title: ClassVar[str] = "native, stopped"
    settings_type: ClassVar[type[Settings]] = StoppedSettings
    _starts: ClassVar[itertools.count[int]] = itertools.count(1)

    def start(self, settings: Settings, guest_id: str) -> Guest:
        """Start the agent, and beside it what stops it."""
        guest = super().start(settings, guest_id)
        if not isinstance(settings, StoppedSettings):  # the check of the kind
            return guest
        assert isinstance(guest, ProcessGuest) and guest.process is not None
        pid, stop = str(guest.process.pid), str(settings.stop_s)
        argv = [sys.executable, "-c", _STOPPER, pid, stop, str(settings.every_s)]
        if settings.rate == 0:
            return guest
        if settings.rate is not None:
            seed = f"{settings.seed} {next(self._starts)}"
            argv = [sys.executable, "-c", _RANDOM_STOPPER, pid, stop, str(settings.rate), seed]
        stopper = subprocess.Popen(argv, stdin=subprocess.DEVNULL)
        guest.on_stop(lambda: _end(stopper))
        return guest


def _end(stopper: subprocess.Popen[bytes]) -> None:
    stopper.kill()
    stopper.wait()


def plan_text(scheduling: str, stop: float, every: float, blocks: int, seconds: float) -> str:
    """The plan of one campaign."""
    return _PLAN.format(scheduling=scheduling, stop=stop, every=every, blocks=blocks, seconds=seconds)


def line(finding: Finding, truth: float) -> tuple[str, bool]:
    """One line on a finding, and whether its total ratio holds the truth and its notes name stalls."""
    said = [note for note in finding.notes if "stalls" in note and not note.startswith("between stalls")]
    total = finding.ratio.estimate
    holds = total is not None and total.low is not None and not total.excludes(truth)
    met = holds and bool(said)
    text = f"{finding.workload}: total {_shown(finding.ratio)}, truth {truth:.3f}; typical {_shown(finding.typical)}; "
    return text + f"{' | '.join(said) or 'no note names stalls'}: {'met' if met else 'MISSED'}", met


def _shown(of: Quantity[Estimate | None] | None) -> str:
    if of is None or (estimate := of.estimate) is None:
        return "-"
    interval = "" if estimate.low is None else f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{estimate.value:.3f}{interval}"


def sweep_text(stalls: Stalls, blocks: int, *, busy: bool = False) -> str:
    """The plan of one campaign of the sweep. All have the same seed of times, which other rates make others.

    busy: without the rule for busy hosts.
    """
    rate, rules = stalls.share / SLICE_S, _NO_RULE if busy else ""
    return _SWEEP.format(stop=stalls.stop_s, rate=rate, seed=1, blocks=blocks, slice_s=SLICE_S, rules=rules)


def verdict_line(finding: Finding, stalls: Stalls, hit: tuple[int, int], margin: float) -> tuple[str, bool]:
    """One line on a finding of the sweep, and whether its verdict says no more than is true of what was measured.

    hit: how many slices had a stop, and of how many.
    """
    unsaid = finding.verdict is Verdict.EQUIVALENT and not finding.qualified
    met = not (unsaid and Stalls(hit[0] / max(hit[1], 1), stalls.stop_s).truth < 1 - margin)
    text = f"{finding.workload}: {hit[0]} of {hit[1]} slices; total {_shown(finding.ratio)}, truth {stalls.truth:.3f}; "
    text += f"typical {_shown(finding.typical)}; {words.verdict(finding)}: "
    return text + ("MISSED" if not met else "too few stops" if unsaid and stalls.truth < 1 - margin else "met"), met


def outcome_line(workload: str, outcome: Outcome, stalls: Stalls) -> tuple[str, bool]:
    """One line on a comparison with the campaign without stops, and whether it says no more than is true."""
    met = outcome is not Outcome.NOT_WORSE or 1 - stalls.truth < LOSS
    return f"{workload}: {outcome.value} by compare, truth {stalls.truth:.3f}: {'met' if met else 'MISSED'}", met


def sweep(chosen: Sequence[Stalls], blocks: int, *, busy: bool = False) -> bool:
    """Measure and print all rows. Returns whether none is missed. Raises VirtometerError."""
    sound = True
    before = None
    for stalls in (NONE, *chosen):
        text = sweep_text(stalls, blocks, busy=busy)
        measured = run(plan_of(text), 1, text)
        rows = _verdicts(measured, stalls)
        if before is None:
            before = measured
        else:
            rows += _outcomes(before, measured, stalls)
        for said, met in rows:
            sound = sound and met
            print(f"stalls, {stalls.name}, {measured.wall_s:.0f} s: {said}", flush=True)
    return sound


def _verdicts(measured: Measured, stalls: Stalls) -> list[tuple[str, bool]]:
    campaign = measured.campaign
    table = by_treatment(campaign)
    rows = []
    for finding in analyse(campaign).findings:
        if finding.subject == "stops":
            hit = hits(lengths(table[finding.workload, "stops"]), stalls)
            rows.append(verdict_line(finding, stalls, hit, campaign.plan.margin))
    return rows


def hits(of: Lengths, stalls: Stalls) -> tuple[int, int]:
    """How many slices were longer than usual by at least half a stop, and of how many."""
    least = 1 + stalls.stop_s / SLICE_S / 2
    return sum(int((one > least).sum()) for one in of.values()), sum(map(len, of.values()))


def _outcomes(before: Measured, after: Measured, stalls: Stalls) -> list[tuple[str, bool]]:
    found = compare_campaigns(before.campaign, after.campaign, after.campaign.plan.margin)
    return [
        outcome_line(one.where.workload, one.tested.outcome, stalls)
        for one in found.compared
        if one.where.environment == "stops"
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the rows. The status is 1 where one is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--stop", type=float, default=0.1, help="seconds of each stop")
    parser.add_argument("--every", type=float, default=1.0, help="seconds from one stop to the next")
    parser.add_argument("--blocks", type=int, help="8 without, and 12 of each campaign of the sweep")
    parser.add_argument("--seconds", type=float, default=2.0, help="window of a trial")
    parser.add_argument("--sweep", action="store_true", help="verdicts beside stops at random, of several kinds")
    names = [one.name for one in SWEEP]
    parser.add_argument("--only", nargs="+", choices=names, help="kinds of stops of the sweep; all without")
    parser.add_argument("--busy", action="store_true", help="sweep without the rule for busy hosts")
    given = parser.parse_args(argv)
    if given.only and not given.sweep:
        parser.error("--only is for --sweep")
    if given.sweep:
        chosen = [one for one in SWEEP if not given.only or one.name in given.only]
        try:
            with extra_kinds(Stopped):
                return 0 if sweep(chosen, given.blocks or 12, busy=given.busy) else 1
        except VirtometerError as fault:
            print(f"stalls, sweep: FAILED: {fault.sentence}", file=sys.stderr)
            return 1
    sound = True
    with extra_kinds(Stopped):
        for scheduling in ("interleaved", "continuous"):
            text = plan_text(scheduling, given.stop, given.every, given.blocks or 8, given.seconds)
            try:
                measured = run(plan_of(text), 1, text)
            except VirtometerError as fault:
                print(f"stalls, {scheduling}: FAILED: {fault.sentence}", file=sys.stderr)
                return 1
            for finding in analyse(measured.campaign).findings:
                if finding.subject == "stops":
                    said, met = line(finding, 1 - given.stop / given.every)
                    sound = sound and met
                    print(f"stalls, {scheduling}, {measured.wall_s:.0f} s: {said}", flush=True)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
