"""What windows, and a stretch of a continuous one, say of the host and its guests."""

import os
import time
from collections.abc import Callable, Sequence

import pytest

from tests.sentences import Said
from virtometer.host.cpu.parts import CpuReading
from virtometer.model import HostUse, MarkKind, Rules
from virtometer.runner.watch import observer as watch_observer
from virtometer.runner.watch import points as host_points
from virtometer.runner.watch.counts import Key
from virtometer.runner.watch.foreign import Counters
from virtometer.runner.watch.observer import Observer
from virtometer.runner.watch.points import ObservedWindow, Point
from virtometer.runner.watch.reading_budget import pause_s

Ticks = tuple[float, float, float, float, float, float, float, float]


def observer_of(*points: tuple[int, Ticks, tuple[int | None, ...]]) -> Observer:
    observer = Observer([], continuous=True)
    read = []
    for at, cpu, guests in points:
        counts: dict[Key, float] = {("cpu", number): seconds for number, seconds in enumerate(cpu)}
        counts |= {("guest", number): ns for number, ns in enumerate(guests) if ns is not None}
        read.append(Point(at, counts))
    observer.windows.append(ObservedWindow(read[0].at_ns, read[-1].at_ns, tuple(read)))
    return observer


def cpu(user: float, idle: float) -> Ticks:
    return (user, 0.0, 0.0, idle, 0.0, 0.0, 0.0, 0.0)


def test_use_is_interpolated_to_exactly_the_window() -> None:
    observer = observer_of((0, cpu(0, 0), (0,)), (100, cpu(1, 3), (1000,)), (200, cpu(5, 3), (5000,)))
    use = observer.use(50, 150)
    assert use is not None
    assert (use.user, use.idle) == pytest.approx((0.5 + 2.0, 1.5))
    assert use.wall_s == pytest.approx(100e-9)
    assert observer.guest_cpu_s(0, 50, 150) == pytest.approx((3000 - 500) * 1e-9)
    whole = observer.use(0, 200)
    assert whole is not None and whole.user == pytest.approx(5.0)


def test_a_guest_that_could_not_be_read_has_no_value_rather_than_zero() -> None:
    observer = observer_of((0, cpu(0, 0), (0,)), (100, cpu(0, 0), (None,)), (200, cpu(0, 0), (7,)))
    assert observer.guest_cpu_s(0, 10, 150) is None


def test_reading_while_a_processor_works() -> None:
    burned = []

    def own() -> int:
        burned.append(time.process_time_ns())
        return burned[-1]

    observer = Observer([own], continuous=True)
    observer.begin()
    begin = time.monotonic_ns()
    while time.monotonic_ns() - begin < 300_000_000:
        pass
    end = time.monotonic_ns()
    observer.end()
    used = observer.guest_cpu_s(0, begin, end)
    assert used is not None
    assert 0 < used <= 0.35
    use = observer.use(begin, end)
    assert use is not None
    total = use.busy + use.idle + use.iowait + use.steal
    assert total == pytest.approx(0.3 * (os.cpu_count() or 0), rel=0.35)


def test_marks_name_what_broke_the_rules() -> None:
    second = 1_000_000_000
    stolen = observer_of((0, (0.0,) * 8, ()), (second // 4, (1.0, 0, 0, 0.5, 0, 0, 0, 0.5), ()))
    fine = observer_of((0, (0.0,) * 8, ()), (second // 4, (1.0, 0, 0, 1.0, 0, 0, 0, 0), ()))
    assert fine.marks(0, second // 4, Rules(min_free_memory_bytes=0)) == ()
    (mark,) = stolen.marks(0, second // 4, Rules(min_free_memory_bytes=0))
    assert str(mark).startswith("steal: 25.0%")
    (mark,) = fine.marks(0, second // 4, Rules(min_free_memory_bytes=2**60))
    assert mark.kind is MarkKind.MEMORY


def test_a_gap_in_observing_is_marked_and_hides_the_cost(said: Said) -> None:
    second = 1_000_000_000
    points = [(moment * second // 20, cpu(moment, 0), (moment,)) for moment in range(20)]
    late = [(at + 20 * second, counters, guests) for at, counters, guests in points]
    observer = observer_of(*points, *late)
    rules = Rules(min_free_memory_bytes=0)
    assert observer.use(0, second // 2) is not None
    assert observer.marks(0, second // 2, rules) == ()
    marks = set()
    for start, end in ((0, 21 * second), (second, 2 * second), (2 * second, 3 * second), (5 * second, 20 * second)):
        assert observer.use(start, end) is None
        assert observer.guest_cpu_s(0, start, end) is None
        (mark,) = observer.marks(start, end, rules)
        assert mark.kind is MarkKind.OBSERVATION and "19.1 s" in mark.text
        marks.add(str(mark))
    [text] = marks
    said(text)


def use_of(observer: Observer, start_ns: float, end_ns: float) -> HostUse:
    found = observer.use(start_ns, end_ns)
    assert found is not None
    return found


def _work(observer: Observer, spent: list[int], seconds: float) -> None:
    """Use processor time, as a guest does in its slice."""
    begun = time.monotonic_ns()
    while time.monotonic_ns() - begun < seconds * 1e9:
        pass
    spent[0] += round(seconds * 1e9)


def test_only_what_happened_in_slices_is_added_up() -> None:
    spent = [0]
    observer = Observer([lambda: spent[0]])
    begin = time.monotonic_ns()
    for _ in range(3):
        observer.begin()
        _work(observer, spent, 0.02)
        observer.end()
        spent[0] += 10**9  # between slices
    observer.begin(long=True)
    _work(observer, spent, 0.1)
    observer.end()
    observer.end()  # nothing has begun
    end = time.monotonic_ns()
    assert observer.guest_cpu_s(0, begin, end) == pytest.approx(0.06)
    assert 0.06 <= use_of(observer, begin, end).wall_s < 0.1
    observer.of_long_windows = True
    assert observer.guest_cpu_s(0, begin, end) == pytest.approx(0.1)
    assert use_of(observer, begin, end).wall_s >= 0.1
    assert observer.guest_cpu_s(0, end, end + 1) == 0.0


def test_a_guest_that_cannot_be_read_in_one_slice_has_no_value() -> None:
    readings: list[int | None] = [1, 2, 3, None]

    def read() -> int:
        found = readings.pop(0)
        if found is None:
            raise OSError("it is gone")
        return found

    observer = Observer([read])
    begin = time.monotonic_ns()
    observer.begin()
    observer.end()
    assert observer.guest_cpu_s(0, begin, time.monotonic_ns()) == pytest.approx(1e-9)
    observer.begin()
    observer.end()
    assert observer.guest_cpu_s(0, begin, time.monotonic_ns()) is None
    assert use_of(observer, begin, time.monotonic_ns()).wall_s > 0


def test_marks_of_slices_follow_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    observer = Observer([lambda: 0])
    steal = iter([0.0, 0.3])
    monkeypatch.setattr(host_points, "read_cpu", lambda: (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, next(steal)))
    begin = time.monotonic_ns()
    observer.begin()
    observer.end()
    (mark,) = observer.marks(begin, time.monotonic_ns(), Rules())
    assert mark.kind is MarkKind.STEAL


class Watched:
    """Readings that are given."""

    exact = True
    falls: tuple[float, float] | None = None
    governors: tuple[str, str] | None = None

    def __init__(self, *readings: Counters) -> None:
        self.readings = list(readings)

    def read(self, *, find: bool = False) -> Counters:
        return self.readings.pop(0)

    def kernel_load(self) -> float:
        return 0.0

    def throttled(self) -> int:
        return 2

    def kernel_errors(self) -> list[str]:
        return ["Out of memory: Killed process 7"]

    def fall(self, pairs: Sequence[tuple[Counters, Counters]]) -> tuple[float, float] | None:
        return self.falls

    def governor_change(self) -> tuple[str, str] | None:
        return self.governors


def in_slices(monkeypatch: pytest.MonkeyPatch, costs_ms: Sequence[int]) -> Observer:
    """Slices of 40 ms by the clock that is set here, of which others cost the guest so many ms each."""
    clock = iter(range(0, 10**10, 40_000_000))
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(clock))
    readings, at = [], 0
    for cost in costs_ms:
        readings += [
            Counters(own_busy_ns=at, delay_ns=at),
            Counters(own_busy_ns=at + cost * 10**6, delay_ns=at + 10**8),
        ]
        at += 10**9
    watch = Watched(*readings)
    observer = Observer([lambda: 0], watch)  # type: ignore[arg-type]
    for number in range(len(costs_ms)):
        observer.begin(number)
        observer.end()
    return observer


def test_slices_are_disturbed_by_more_than_what_all_have(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    costs_ms = [8, 8, 8, 30, 8, 12, 8]
    observer = in_slices(monkeypatch, costs_ms)
    found = observer.disturbed(Rules())
    assert list(found) == [3]
    assert "75%" in found[3]
    said(found[3])
    assert list(observer.disturbed(Rules(max_run_delay_share=0.05))) == [3, 5]
    whole = use_of(observer, 0, 10**12)
    assert whole.run_delay == pytest.approx(sum(costs_ms) * 1e-3)
    marks = observer.marks(0, 10**12, Rules(min_free_memory_bytes=0))
    assert [mark.kind for mark in marks] == [MarkKind.RUN_DELAY, MarkKind.THROTTLED, MarkKind.KERNEL]
    observer.set_apart(found)
    assert use_of(observer, 0, 10**12).run_delay == pytest.approx((sum(costs_ms) - 30) * 1e-3)
    assert use_of(observer, 0, 10**12).wall_s == pytest.approx(6 * 0.04)


@pytest.mark.parametrize(
    ("costs_ms", "disturbed"),
    [
        ([0, 20, 20, 20, 0, 20, 0], [1, 2, 3, 5]),  # the median slice is disturbed itself
        ([8, 8, 8, 8, 8, 8, 8], []),  # less than three times the limit of 4 ms, and all have it
        ([20, 20, 20, 20, 20, 20, 20], []),  # nothing would be left
        ([20, 20, 20, 20, 20, 20, 0], []),
        ([20, 20, 20, 20, 20, 0, 0], [0, 1, 2, 3, 4]),
        ([6, 6, 6, 6, 0, 0, 0], []),
        ([0, 0, 0, 0, 0, 0, 6], [6]),
    ],
)
def test_a_host_that_disturbs_most_slices_is_seen(
    monkeypatch: pytest.MonkeyPatch, costs_ms: list[int], disturbed: list[int]
) -> None:
    observer = in_slices(monkeypatch, costs_ms)
    found = observer.disturbed(Rules())
    assert list(found) == disturbed
    observer.set_apart(found)
    marks = observer.marks(0, 10**12, Rules(min_free_memory_bytes=0))
    most = 2 * sum(cost > 4 for cost in costs_ms) > len(costs_ms)
    assert sum(mark.kind is MarkKind.RUN_DELAY for mark in marks) == most


def test_a_window_beside_other_programs_is_marked(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0, 200_000_000, 400_000_000])
    monkeypatch.setattr(time, "monotonic_ns", lambda: next(clock))
    readings = [Counters(busy_ns=each, ours_ns=each // 4) for each in (0, 200_000_000, 400_000_000)]
    observer = Observer([], Watched(*readings), continuous=True)  # type: ignore[arg-type]
    observer.begin()
    observer.tick()
    observer.end()
    use = observer.use(100_000_000, 300_000_000)
    assert use is not None
    assert use.foreign == pytest.approx(0.15)
    assert use.run_delay is None
    rules = Rules(min_free_memory_bytes=0, max_throttling=2, max_kernel_errors=1)
    (mark,) = observer.marks(100_000_000, 300_000_000, rules)
    assert mark.kind is MarkKind.FOREIGN and "0.75" in mark.text
    said(str(mark))
    loose = rules.model_copy(update={"max_foreign_load": 0.8})
    assert observer.marks(100_000_000, 300_000_000, loose) == ()


def test_a_window_at_another_frequency_is_marked(said: Said) -> None:
    watch = Watched(Counters(), Counters())
    observer = Observer([], watch, continuous=True)  # type: ignore[arg-type]
    observer.begin()
    observer.end()
    rules = Rules(min_free_memory_bytes=0, max_throttling=2, max_kernel_errors=1, max_foreign_load=4096)
    start, end = observer.windows[0].start_ns, observer.windows[0].end_ns
    watch.falls = (3000, 2400)
    assert observer.marks(start, end, rules) == ()
    watch.falls, watch.governors = (3000, 2390), ("powersave", "")
    fallen, changed = observer.marks(start, end, rules)
    assert fallen.kind is changed.kind is MarkKind.FREQUENCY
    assert "3000 to 2390 MHz" in fallen.text and "powersave" in changed.text
    said(f"{fallen}\n{changed}")
    anything = rules.model_copy(update={"max_frequency_change": 1.0})
    assert observer.marks(start, end, anything) == ()


class Time:
    """Clocks that stand still until somebody works or waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_ns = self.used_ns = 0
        monkeypatch.setattr(time, "monotonic_ns", lambda: self.now_ns)
        monkeypatch.setattr(time, "monotonic", lambda: self.now_ns * 1e-9)
        monkeypatch.setattr(time, "thread_time_ns", lambda: self.used_ns)

    def wait(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)

    def work(self, seconds: float) -> None:
        self.wait(seconds)
        self.used_ns += round(seconds * 1e9)

    def reading(self, seconds: float) -> Callable[[], int]:
        """What reads a guest that works all the time on one processor, and takes so long."""

        def read() -> int:
            self.work(seconds)
            return self.now_ns

        return read


@pytest.mark.parametrize("cost_s", [0.0002, 0.001, 0.0021, 0.004, 0.02, 0.3])
def test_watching_takes_less_than_a_two_hundredth_of_a_processor_whatever_a_reading_costs(
    monkeypatch: pytest.MonkeyPatch, cost_s: float
) -> None:
    clock = Time(monkeypatch)
    observer = Observer([clock.reading(cost_s)], continuous=True)
    observer.begin()
    start_ns = clock.now_ns
    while clock.now_ns - start_ns < 1e9:
        clock.wait(0.01)
        if observer.due_in_s == 0:
            observer.tick()
    end_ns = clock.now_ns
    observer.end()
    points = observer.windows[0].points
    use = observer.use(start_ns, end_ns)
    assert use is not None and use.watch_share is not None, "a long pause that was planned is no gap"
    assert use.watch_share < 0.005
    assert use.watch_s == pytest.approx(cost_s * (len(points) - 2))
    assert len(points) > 3 or cost_s > 0.002
    assert observer.guest_cpu_s(0, start_ns, end_ns) == pytest.approx((end_ns - start_ns) * 1e-9)
    assert observer.marks(start_ns, end_ns, Rules(min_free_memory_bytes=0)) == ()


def test_pauses_between_readings_vary_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is measured may change its speed at a period of its own."""
    clock = Time(monkeypatch)
    observer = Observer([clock.reading(0.0)], continuous=True)
    observer.begin()
    pauses = []
    for _ in range(200):
        observer.tick()
        pauses.append(observer.due_in_s / pause_s(0.0))
        clock.wait(observer.due_in_s)
        assert observer.due_in_s == pytest.approx(0, abs=1e-6)
    assert min(pauses) >= 1 - 1e-6
    assert min(pauses) < 1.05
    assert 1.45 < max(pauses) <= 1.5


@pytest.mark.parametrize("cost_s", [0.00002, 0.0005, 0.002])
def test_windows_of_several_guests_are_left_unread_where_reading_all_costs_too_much(
    monkeypatch: pytest.MonkeyPatch, cost_s: float
) -> None:
    clock = Time(monkeypatch)
    observer = Observer(
        [clock.reading(cost_s)], several=True, parts=[lambda: CpuReading(clock.now_ns, 0.0, 0.0, 0.0, 0.0)]
    )
    observer.begin(long=True)  # what is left of its share is not spent in other windows
    clock.wait(10.0)
    observer.end()
    monkeypatch.setattr(watch_observer, "runnable", lambda: 3)
    work_s = 0.06
    was_read = []
    for number in range(100):
        before_ns = clock.used_ns
        observer.begin(number)
        was_read.append(clock.used_ns > before_ns)
        clock.wait(work_s)
        observer.count_runnable()
        observer.end()
        clock.wait(0.1)
    use = observer.use(0, clock.now_ns)
    assert use is not None and use.watch_share is not None and use.watch_s is not None
    assert use.watch_share < 0.005
    read = round(use.watch_s / (2 * cost_s))
    assert read == 100 if cost_s < 0.0001 else 100 > read > 0.003 * 100 * work_s / (2 * cost_s)
    assert use.wall_s == pytest.approx(100 * work_s + read * cost_s), "of all windows"
    assert observer.guest_cpu_s(0, 0, clock.now_ns) == pytest.approx(use.wall_s, rel=0.01), "it worked all the time"
    spent = observer.guest_use(0, 0, clock.now_ns)
    assert spent is not None and spent.code == pytest.approx(use.wall_s, rel=0.01)
    assert use.run_queue == 3
    observer.set_apart([number for number, taken in enumerate(was_read) if taken])
    if read < 100:
        assert observer.use(0, clock.now_ns) is None and observer.guest_cpu_s(0, 0, clock.now_ns) is None
        (mark,) = observer.marks(0, clock.now_ns, Rules(min_free_memory_bytes=0))
        assert mark.kind is MarkKind.OBSERVATION


def test_threads_that_want_a_processor_are_counted_in_windows_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    observer = Observer([], several=True)
    counts = iter([4, 2])
    monkeypatch.setattr(watch_observer, "runnable", lambda: next(counts))
    observer.begin()
    observer.end()
    use = observer.use(0, time.monotonic_ns())
    assert use is not None and use.processors and use.run_queue is None, "readings after all rest say nothing"
    observer = Observer([], several=True)
    observer.begin()
    observer.count_runnable()
    observer.count_runnable()
    observer.end()
    use = observer.use(0, time.monotonic_ns())
    assert use is not None and use.run_queue == 3
