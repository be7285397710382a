import random

import pytest

from tests.link.round_trips import Clocks
from virtometer.link import clock, steps, uneven
from virtometer.model import ClockProbe, Sample

BEGIN = 10**13


class Counter(Clocks):
    """A clock that counts instructions: its rate changes every so often, as the work it sees does."""

    def __init__(self, luck, least, most, every_ms):
        super().__init__()
        self.times, self.guests = [BEGIN - 10**9], [10**9]
        while self.times[-1] < BEGIN + 10**10:
            length = int(every_ms * 1e6 * luck.uniform(0.5, 1.5))
            self.times.append(self.times[-1] + length)
            self.guests.append(self.guests[-1] + length * luck.uniform(least, most))

    def guest(self, host_ns):
        index = max(i for i, at in enumerate(self.times) if at <= host_ns)
        share = (host_ns - self.times[index]) / (self.times[index + 1] - self.times[index])
        return int(self.guests[index] + share * (self.guests[index + 1] - self.guests[index]))


@pytest.mark.parametrize(("least", "most", "limit"), [(0.9, 1.1, 0.04), (0.2, 4.0, 0.06)])
def test_samples_last_together_as_long_as_they_really_did(least, most, limit):
    luck = random.Random(int(most))
    for _ in range(50):
        clocks = Counter(luck, least, most, 300)
        probes = [clocks.probe(BEGIN - 10**6 + i * 10**5, 30_000, 5_000, 30_000) for i in range(8)]
        samples, at, true_ns = [], BEGIN + 100_000, 0
        while at < BEGIN + 2 * 10**9:
            length = luck.randrange(15_000_000, 25_000_000)
            samples.append(Sample(clocks.guest(at), clocks.guest(at + length), 1, ""))
            true_ns += length
            at += length + luck.randrange(200_000, 1_000_000)
        end = at
        probes += [clocks.probe(BEGIN + i * 250_000_000, 200_000, 5_000, 200_000) for i in range(1, 8)]
        probes += [clocks.probe(end + 10**6 + i * 10**5, 30_000, 5_000, 30_000) for i in range(8)]
        assert not clock.is_linear(probes)
        found = uneven.fit(probes, samples, BEGIN, (samples[-1].end_ns, end + 200_000))
        assert found is not None
        corrected = sum(found.duration_s(sample.start_ns, sample.end_ns) for sample in samples)
        assert corrected == pytest.approx(true_ns * 1e-9, rel=0.01)
        assert abs(corrected / (true_ns * 1e-9) - 1) <= found.relative_bound <= limit


class Leaper:
    """A clock that runs at `rate` between samples of 20 ms, at 1 within them; a sample begins every 25 ms."""

    def __init__(self, rate):
        self.rate = rate

    def guest(self, host_ns):
        rounds, rest = divmod(host_ns - BEGIN, 25_000_000)
        whole = 20_000_000 + 5_000_000 * self.rate
        return int(10**12 + rounds * whole + min(rest, 20_000_000) + max(rest - 20_000_000, 0) * self.rate)


@pytest.mark.parametrize("rate", [0.5, 0.9, 2.0, 50.0])
def test_a_clock_that_leaps_or_dawdles_between_samples_is_wrong_by_no_more_than_its_bound(rate):
    leaper = Leaper(rate)
    hosts = [BEGIN - 10**6 + i * 10**5 for i in range(8)]
    hosts += [BEGIN + i * 250_000_000 + 7_000_000 * (i % 3) for i in range(1, 8)]
    hosts += [BEGIN + 2 * 10**9 + 10**6 + i * 10**5 for i in range(8)]
    probes = [ClockProbe(at, leaper.guest(at + 50_000), leaper.guest(at + 55_000), at + 100_000) for at in hosts]
    samples = [
        Sample(leaper.guest(at), leaper.guest(at + 20_000_000), 1, "")
        for at in range(BEGIN + 25_000_000, BEGIN + 2 * 10**9 - 25_000_000, 25_000_000)
    ]
    found = uneven.fit(probes, samples, BEGIN, (samples[-1].end_ns, BEGIN + 2 * 10**9 - 30_000_000))
    assert found is not None
    corrected = sum(found.duration_s(sample.start_ns, sample.end_ns) for sample in samples)
    assert abs(corrected / (len(samples) * 0.02) - 1) <= found.relative_bound


def uneven_probes(stretches):
    """Probes every 250 ms of a clock that shows so many guest ms between them."""
    guest, found = 10**9, []
    for index, shown_ms in enumerate([*stretches, 0]):
        at = BEGIN + index * 250_000_000
        found.append(ClockProbe(at, guest, guest + 5_000, at + 400_000))
        guest += int(shown_ms * 1e6)
    return found


def test_a_clock_whose_rate_changes_all_the_time_does_not_step_but_may_not_go_back_or_stand_still():
    stretches = [53, 54, 91, 937, 155, 130, 218, 80]
    assert steps.between(uneven_probes(stretches)) is None
    for wrong in (0, -3_000):
        assert steps.between(uneven_probes([*stretches, wrong, 160])) is not None
    # One stretch among many equal ones is a step however long it is.
    assert steps.between(uneven_probes([250, 250, 937, 250, 250, 250])).size_ns == pytest.approx(687e6, rel=0.01)


def test_without_a_probe_among_the_samples_nothing_is_known():
    clocks = Clocks()
    probes = [clocks.probe(BEGIN + i * 10**9, 1_000, 100, 1_000) for i in range(2)]
    samples = [Sample(BEGIN + 10**6, BEGIN + 10**8, 1, "")]
    assert uneven.fit(probes, samples, BEGIN, (BEGIN + 10**8, BEGIN + 10**8)) is None
