import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.clock.round_trips import Channel, Clocks, Ticks
from tests.sentences import Said
from virtometer.clock import intervals, steps
from virtometer.clock.line import fit
from virtometer.model import RoundTrip, Sample

BEGIN = 10**13


def probes_of(channel: Channel, seconds: float, period_s: float = 0.25) -> list[RoundTrip]:
    before, during, after = channel.run(BEGIN, seconds, period_s)
    return [*before, *during, *after]


@settings(max_examples=200)
@example(746208, 0.5, 3.0, 5.0, 0.40001919037123473)  # while the guest holds a probe
@example(26969742, 0.5, -0.5, 1.0, 0.25019826047963534)
@given(
    seed=st.integers(0, 2**32),
    rate=st.sampled_from([0.5, 0.9, 1.0, 1.1, 2.0]),
    size_s=st.sampled_from([3.0, -3.0, 0.5, -0.5]),
    seconds=st.sampled_from([0.1, 1.0, 5.0]),
    moment=st.floats(0.05, 0.95),
)
def test_every_step_in_the_middle_of_a_run_is_found_with_its_size(
    seed: int, rate: float, size_s: float, seconds: float, moment: float
) -> None:
    luck = random.Random(seed)
    ordinary = Clocks(rate, luck.randrange(-(10**12), 10**12))
    channel = Channel(luck, ordinary, least_ns=luck.uniform(2e4, 1e6))
    channel.bursty = 0.02
    before = channel.burst(BEGIN)
    at = before[-1].received_host_ns + 50_000 + int(moment * seconds * 1e9)
    channel.clocks = Clocks(rate, ordinary.offset, jumps=[(at, int(size_s * 1e9))])
    start = before[-1].received_host_ns + 50_000
    during = [channel.probe(start + i * 250_000_000) for i in range(1, int(seconds * 4))]
    after = channel.burst(max(start + seconds * 1e9, (during or before)[-1].received_host_ns))
    found = steps.between([*before, *during, *after])
    assert found is not None
    # What the shape of two bursts alone tells of the rate decides how well the size is known without probes between.
    assert found.size_ns * 1e-9 == pytest.approx(size_s, abs=0.45 if during else 1.5)
    assert abs(found.at_host_ns - at) < (0.6 if during else seconds + 0.5) * 1e9


def test_a_thousand_ordinary_runs_have_no_step() -> None:
    luck = random.Random(5)
    for _ in range(1000):
        rate = luck.choice([0.5, 0.9, 1.0, 1.0, 1.1, 2.0, luck.uniform(0.999, 1.001)])
        channel = Channel(luck, Clocks(rate, luck.randrange(-(10**12), 10**12)))
        seconds = luck.choice([0.05, 0.3, 1.0, 5.0])
        before, during, after = channel.run(BEGIN, seconds)
        assert steps.between([*before, *during, *after]) is None
        fitted = fit(before, after, during)
        first = channel.clocks.guest(before[-1].received_host_ns + luck.randrange(1_000, 10**6))
        last = channel.clocks.guest(after[0].sent_host_ns)
        late = after[0].sent_host_ns + luck.randrange(0, 10**6)
        assert steps.of_sightings(fitted, [(first, before[-1].received_host_ns)], [(last, late)]) is None


def test_a_clock_that_is_slewed_has_no_step() -> None:
    """A time daemon bends the clock by as much as 500 ppm; readings come in whole ticks of 4 ms."""
    luck = random.Random(6)
    for _ in range(100):
        bends = [(BEGIN + i * 10**7, luck.choice([-5_000, 0, 5_000])) for i in range(600)]
        channel = Channel(luck, Clocks(1.0, 0, jumps=bends), least_ns=1e5)
        assert steps.between(probes_of(channel, 5.0)) is None
    ticks = Ticks(4_000_000)
    for _ in range(100):
        assert steps.between(probes_of(Channel(luck, ticks), 2.0)) is None


def test_a_clock_that_stood_still_and_then_made_up_for_it_is_found_though_both_ends_look_right() -> None:
    luck = random.Random(7)
    still = [(BEGIN + 10**9 + i * 10**7, -(10**7)) for i in range(100)]
    clocks = Clocks(1.0, 0, jumps=[*still, (BEGIN + 25 * 10**8, 10**9)])
    before, during, after = Channel(luck, clocks, least_ns=1e5).run(BEGIN, 4.0)
    assert fit(before, after).rate == pytest.approx(1.0, abs=1e-3)
    found = steps.between([*before, *during, *after])
    assert found is not None
    assert found.size_ns == pytest.approx(-1e9, abs=3e8)
    assert (found.at_host_ns - BEGIN) * 1e-9 == pytest.approx(1.1, abs=0.5)


@pytest.mark.parametrize("tick_ns", [10**6, 10**7])
@pytest.mark.parametrize("seconds", [1.0, 3.0])
def test_samples_by_a_clock_that_ticks_coarsely_are_not_used(tick_ns: int, seconds: float) -> None:
    luck = random.Random(13)
    ticks = Ticks(tick_ns)
    for _ in range(40):
        channel = Channel(luck, ticks, least_ns=1e5)
        channel.bursty = 0.02
        before, during, after = channel.run(BEGIN, seconds)
        found = fit(before, after, during)
        samples = short_samples(channel, luck, before[-1].received_host_ns, after[0].sent_host_ns)
        lasting = [sample for sample in samples if sample.end_ns > sample.start_ns]
        stretches = intervals.by_line(lasting, found, [*before, *during, *after])
        assert min(one.relative_bound for one in stretches) > 0.005


def test_a_step_that_was_taken_back_between_two_probes_shows_in_the_samples() -> None:
    channel = Channel(random.Random(8), Clocks(1.0, 0), least_ns=1e5)
    before, _, after = channel.run(BEGIN, 0.1)
    fitted = fit(before, after)
    start, end = before[-1].received_host_ns, after[0].sent_host_ns
    assert steps.of_sightings(fitted, [(start, start)], [(end, end)]) is None
    ahead = steps.of_sightings(fitted, [(start, start)], [(end + 3 * 10**9, end)])
    behind = steps.of_sightings(fitted, [(start - 3 * 10**9, start)], [(end, end)])
    assert ahead is not None and behind is not None
    assert ahead.size_ns == pytest.approx(3e9, rel=0.01)
    assert behind.size_ns == pytest.approx(-3e9, rel=0.01)
    # Samples that arrive late are ordinary: the channel was busy.
    assert steps.of_sightings(fitted, [(start + 10**7, start)], [(end, end + 10**10)]) is None


def test_the_sentence_says_how_much_and_when(said: Said) -> None:
    step = steps.Step(-3.0004e9, BEGIN + 1.25e9)
    error = step.error(BEGIN)
    assert error.fault.kind == "stepped"
    assert (error.fault.size_s, error.fault.at_s) == pytest.approx((-3.0004, 1.25))
    said(error.sentence)
    early = steps.Step(2.5e9, BEGIN).error(BEGIN + 1e7)
    assert (early.fault.size_s, early.fault.at_s) == pytest.approx((2.5, -0.01))
    said(early.sentence)


def short_samples(channel: Channel, luck: random.Random, start: float, end: float) -> list[Sample]:
    """Of 12.5 ms, with a fifth of the time between them: where a step lies beside them it is not in their sum."""
    found, at = [], start + luck.uniform(0, 1e6)
    while at + 12.5e6 < end:
        found.append(Sample(channel.clocks.guest(at), channel.clocks.guest(at + 12.5e6), 1, ""))
        at += 12.5e6 / 0.8 * luck.uniform(0.9, 1.1)
    return found


@pytest.mark.parametrize("period_s", [0.25, 9.0])
def test_a_step_that_is_not_reported_leaves_a_run_whose_value_is_right_or_not_used(period_s: float) -> None:
    """It hides in the round trips: in that of probes within the run, or in the bursts around one that is too short."""
    luck = random.Random(11)
    used, beyond, worst, told = 0, 0, 0.0, 0
    for _ in range(1000):
        ordinary = Clocks(luck.choice([0.5, 1.0, 2.0]), luck.randrange(10**12))
        channel = Channel(luck, ordinary, least_ns=luck.choice([3e4, 1e5, 3e5, 1e6]))
        channel.bursty = 0.02
        seconds = luck.choice([0.5, 1.0, 3.0])
        pause_ns = 0 if period_s < seconds else int(min(0.1, seconds / 8) * 1e9)
        before = channel.burst(BEGIN, pause_ns=pause_ns)
        start = before[-1].received_host_ns + 50_000
        end = start + int(seconds * 1e9)
        at = start + int(luck.uniform(0.02, 0.98) * seconds * 1e9)
        size_ns = luck.choice([1, -1]) * 10 ** luck.uniform(5.5, 8)
        channel.clocks = Clocks(ordinary.rate, ordinary.offset, jumps=[(at, int(size_ns / ordinary.rate))])
        during = [channel.probe(start + i * period_s * 1e9) for i in range(1, int(seconds / period_s))]
        last = max(end, (during or before)[-1].received_host_ns) + 50_000
        probes = [*before, *during, *channel.burst(last, pause_ns=pause_ns)]
        if steps.between(probes) is not None:
            told += 1
            continue
        found = fit(before, probes[-8:], during)
        samples = short_samples(channel, luck, start, end)
        stretches = intervals.by_line(samples, found, probes)
        right = [one for one in stretches if max(one.relative_bound, found.relative_bound) <= 0.005]
        if not right:
            continue
        used += 1
        passed = channel.clocks.guest(end) - channel.clocks.guest(start)
        beyond += abs(passed * found.rate / (end - start) - 1) > found.relative_bound
        worst = max(worst, abs(sum(one.duration_s for one in right) / len(right) / 12.5e-3 - 1))
    assert told > 300 and used > 300
    assert beyond <= used / 500, "of the run as a whole"
    assert worst < 0.01, "of the value, which the samples make"


@pytest.mark.parametrize(("ppm", "seconds"), [(100, 5.0), (500, 5.0), (20, 60.0), (500, 60.0)])
def test_a_clock_that_a_time_daemon_bends_gives_its_value(ppm: int, seconds: float) -> None:
    """From the middle of the run on it runs at another rate. No line goes through all probes, and none is needed."""
    luck = random.Random(12)
    for _ in range(10):
        each_ns = int(seconds * 2e6)
        bends = [(BEGIN + i * each_ns, each_ns * ppm // 10**6) for i in range(250, 550)]
        channel = Channel(luck, Clocks(1.0, 0, jumps=bends), least_ns=luck.choice([3e4, 1e5, 3e5]))
        before, during, after = channel.run(BEGIN, seconds, seconds / 60)
        probes = [*before, *during, *after]
        assert steps.between(probes) is None
        found = fit(before, after, during)
        samples = short_samples(channel, luck, before[-1].received_host_ns, after[0].sent_host_ns)
        stretches = intervals.by_line(samples, found, probes)
        assert max(one.relative_bound for one in stretches) < 0.005
        assert sum(one.duration_s for one in stretches) / len(stretches) == pytest.approx(12.5e-3, rel=1e-4)
