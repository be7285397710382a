"""Guests that work at the same time: the stretch that all share, and what is wrong with them.

Source of the conservation check: no set of processes can have more processor time than the processors have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from virtometer.clock.intervals import Intervals, by_line
from virtometer.model import MAX_SLEW, ClockFit, Excluded, Mark, MarkKind, RoundTrip, Run, Sample

ENOUGH = 0.5
"""Share of its window in which all of a trial's guests have to run."""
ENOUGH_OF_WINDOWS = 1 / 3
"""The same of short windows: guests that share processors end them some iterations apart."""

LONGER = 3.0
"""By how much windows are longer where a trial is repeated because its guests hardly ran at the same time."""
_LONG_S = 60.0  # of a window that is repeated a second time
_TOOLS_ENOUGH = 0.9  # of the runs of tools
_THROUGHOUT = 0.99  # of the stretch, or of a run of one iteration, for others to have been there throughout
_ACCOUNT_ERROR = 0.02  # of a stretch: accounts are read at moments that lie beside it
_ACCOUNT_ERROR_S = 0.02  # for each processor; /proc/stat and some accounts count in ticks of 10 ms


@dataclass(frozen=True, slots=True)
class TimedRun:
    """What one placement measured, and its samples in host time.

    guest: its name. seconds: of its planned window. workload: of which a tool is one. gaps: whether the time between
    samples counts as a stall. tool_work: work reported by the tool; None where it reports none. around_s: host seconds
    around a tool's run; None: those of its samples.
    """

    run: Run
    clock: ClockFit
    intervals: Intervals
    guest: str
    seconds: float
    workload: str = ""
    gaps: bool = True
    tool_work: int | None = None
    around_s: float | None = None

    @property
    def measured(self) -> bool:
        """Whether its value counts."""
        return self.run.placement.role == "measured"


@dataclass(frozen=True, slots=True)
class SharedTime:
    """The stretch of one window in which all guests worked (host ns), and the skew of their starts of work (ns)."""

    start_ns: float
    end_ns: float
    skew_ns: int


def attempts(seconds: float) -> int:
    """Windows of a trial at most, the repeated ones included: a third one only where it is no longer than a minute."""
    return 3 if LONGER**2 * seconds <= _LONG_S else 2


def stretch(timed: Sequence[TimedRun]) -> tuple[float, float]:
    """Start and end (host ns) of the time in which all measured placements worked. The end may precede the start."""
    measured = [one.intervals for one in timed if one.measured]
    return max(float(one.start_ns[0]) for one in measured), min(float(one.end_ns[-1]) for one in measured)


def start_skew_ns(timed: Sequence[TimedRun]) -> int:
    """Time (host ns) between the first and the last begin of a window of the measured placements."""
    starts = [float(one.intervals.start_ns[0]) for one in timed if one.measured]
    return round(max(starts) - min(starts))


def overlap(timed: Sequence[TimedRun]) -> float:
    """The stretch as a share of the shortest window, or of the shortest run where work runs to completion.

    The number of a tool is of its whole run: where there are tools, it is a share of the longest run.
    """
    start, end = stretch(timed)
    measured = [one for one in timed if one.measured]
    runs_s = [float(one.intervals.end_ns[-1] - one.intervals.start_ns[0]) * 1e-9 for one in measured]
    if any(one.run.by_tool for one in measured):
        length_s = max(runs_s)
    else:
        length_s = min(min(one.seconds, run_s) for one, run_s in zip(measured, runs_s, strict=True))
    return max(end - start, 0.0) * 1e-9 / max(length_s, 1e-9)


def overlap_mark(
    share: float, *, by_tool: bool = False, of: str = "the window", enough: float = ENOUGH, repeated: bool = True
) -> Mark | None:
    """The mark of a trial whose guests ran at the same time for too small a share; None where it was enough.

    `by_tool`: some of them ran tools, whose numbers are of their whole runs. of: what the share is of.
    enough: the share from which there is none. repeated: whether this is so after the trial was repeated.
    """
    if by_tool and ENOUGH <= share < _TOOLS_ENOUGH:
        text = f"its guests ran at the same time for {share:.0%} of the tools' runs, which count whole"
        return Mark(MarkKind.OVERLAP, text)
    if share >= enough:
        return None
    each = ", each time" if repeated else ""
    return Mark(MarkKind.OVERLAP, f"its guests ran at the same time for {share:.0%} of {of}{each}")


def whole_mark(timed: Sequence[TimedRun]) -> Mark | None:
    """The mark of a trial with runs of one iteration, which count whole although the others ended before them."""
    start, end = stretch(timed)
    once = [one.intervals for one in timed if one.measured and not one.run.by_tool and len(one.intervals.start_ns) == 1]
    longest_ns = max((float(one.end_ns[0] - one.start_ns[0]) for one in once), default=0.0)
    if longest_ns <= 0 or (share := (end - start) / longest_ns) >= _THROUGHOUT:
        return None
    text = f"its guests ran at the same time for {share:.0%} of a run of one iteration, which counts whole"
    return Mark(MarkKind.OVERLAP, text)


def repeated_mark(share: float, of: str, what: str, attempt: int = 1) -> Mark:
    """The mark of a trial that is repeated, longer: its guests ran at the same time for so small a share.

    attempt: number of the window in which they did.
    """
    ran = f"its guests ran at the same time for {share:.0%} of {of}"
    return Mark(MarkKind.REPEATED, f"{ran}: {what} repeated with windows {LONGER**attempt:g} times as long")


def within_windows(
    runs: Sequence[tuple[Sequence[Sample], Intervals]],
) -> tuple[list[tuple[Sample, ...]], dict[int, SharedTime]]:
    """Of guests that work at the same time in several windows: the samples of each within the stretches that all share.

    runs: samples, each with the number of its window as `slice`, and the same in host time; only those that are used
    count. Returns the samples, with those outside excluded, and the stretch of each window that counts. A window in
    which some guest has no sample within the stretch does not count for any guest.

    A sample is within a stretch in which it begins. Long samples waited for a processor. If samples had to end there
    too, long ones would be left out more often than short ones, and the guests would seem to be faster.
    """
    used = [_by_window(samples) for samples, _ in runs]
    found: dict[int, SharedTime] = {}
    inside: list[set[int]] = [set() for _ in runs]
    for window in set.intersection(*(set(one) for one in used)):
        places = [one[window] for one in used]
        start = max(float(timed.start_ns[at[0]]) for at, (_, timed) in zip(places, runs, strict=True))
        end = min(float(timed.end_ns[at[-1]]) for at, (_, timed) in zip(places, runs, strict=True))
        within = [
            {n for n in at if start - 1 <= timed.start_ns[n] < end} for at, (_, timed) in zip(places, runs, strict=True)
        ]
        if all(within):
            begun = [
                float(timed.start_ns[next(n for n, one in enumerate(samples) if one.slice == window)])
                for samples, timed in runs
            ]
            found[window] = SharedTime(start, end, round(max(begun) - min(begun)))
            for mine, more in zip(inside, within, strict=True):
                mine |= more
    mark = "outside the stretch in which all measured placements overlap"
    cut = [
        tuple(
            replace(sample, excluded=Excluded.OUTSIDE, mark=mark) if sample.used and number not in mine else sample
            for number, sample in enumerate(samples)
        )
        for (samples, _), mine in zip(runs, inside, strict=True)
    ]
    return cut, found


def shared_s(windows: Iterable[SharedTime]) -> float:
    """Length of the stretches in which all guests worked, added up."""
    return sum(one.end_ns - one.start_ns for one in windows) * 1e-9


def shared_about_s(runs: Sequence[tuple[Sequence[Sample], Sequence[RoundTrip]]]) -> float:
    """The same while the guests still live, by the round trips until now: of each, that in the middle of its samples.

    A clock may be slewed by 500 ppm, and the result is wrong by as much of the time between the middle and a window.
    """
    if not all(samples and trips for samples, trips in runs):
        return 0.0
    timed = [(samples, by_line(samples, _about(samples, trips), ())) for samples, trips in runs]
    return shared_s(within_windows(timed)[1].values())


def _about(samples: Sequence[Sample], trips: Sequence[RoundTrip]) -> ClockFit:
    """A clock with the right rate, by the round trip that is nearest to the middle of the samples."""
    middle_ns = (samples[0].start_ns + samples[-1].end_ns) // 2
    trip = min(trips, key=lambda one: abs(one.received_guest_ns - middle_ns))
    guest_ns = (trip.received_guest_ns + trip.sent_guest_ns) // 2
    host_ns = (trip.sent_host_ns + trip.received_host_ns) // 2
    return ClockFit(guest_ns, host_ns, 1.0, trip.round_trip_ns / 2, MAX_SLEW, 1)


def _by_window(samples: Sequence[Sample]) -> dict[int, list[int]]:
    """The places of the used samples of each window."""
    found: dict[int, list[int]] = {}
    for number, sample in enumerate(samples):
        if sample.used and sample.slice is not None:
            found.setdefault(sample.slice, []).append(number)
    return found


def load_marks(timed: Sequence[TimedRun], window: tuple[float, float]) -> list[Mark]:
    """Marks of loads that did not run throughout the stretch `window` (host ns) in which others were measured."""
    found = []
    for one in timed:
        if one.measured:
            continue
        begin, end = float(one.intervals.start_ns[0]), float(one.intervals.end_ns[-1])
        share = (min(end, window[1]) - max(begin, window[0])) / (window[1] - window[0])
        if share < _THROUGHOUT:
            text = f"the load {one.run.placement.workload} in {one.guest} ran for {max(share, 0.0):.0%} of the stretch"
            found.append(Mark(MarkKind.LOAD, text))
    return found


def account_mark(runs: Sequence[Run], processors: int, seconds: float) -> Mark | None:
    """The mark of guests that got more CPU time in total than `processors` have in so many seconds; else None.

    The total is unknown where the account of one guest is missing. A service has no account here.
    """
    by_guest: dict[str, float] = {}
    for run in runs:
        if run.score is None:
            continue
        if run.score.guest_cpu_s is None:
            return None
        by_guest[run.guest_id] = max(run.score.guest_cpu_s, by_guest.get(run.guest_id, 0.0))
    total, most = sum(by_guest.values()), processors * seconds
    if total <= most * (1 + _ACCOUNT_ERROR) + processors * _ACCOUNT_ERROR_S:
        return None
    who = "guests are" if len(by_guest) > 1 else "guest is"
    text = f"the {who} said to have had {total:.3f} s of CPU time, and the host had {most:.3f} s"
    return Mark(MarkKind.ACCOUNT, text)
