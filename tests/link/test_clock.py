import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from virtometer.errors import LinkError
from virtometer.link.clock import fit
from virtometer.model import ClockProbe


def probe(host_ns, there_ns, held_ns, back_ns, rate, offset_ns):
    """A ping sent at host_ns; the guest's clock shows (host - offset) / rate."""
    arrive, leave = host_ns + there_ns, host_ns + there_ns + held_ns
    return ClockProbe(host_ns, round((arrive - offset_ns) / rate), round((leave - offset_ns) / rate), leave + back_ns)


delays = st.integers(1_000, 3_000_000)


@settings(max_examples=300)
@given(
    rate=st.floats(0.5, 2.0),
    offset=st.integers(-(10**12), 10**12),
    window_ms=st.integers(100, 60_000),
    before=st.lists(st.tuples(delays, st.integers(0, 20_000), delays), min_size=1, max_size=8),
    after=st.lists(st.tuples(delays, st.integers(0, 20_000), delays), min_size=1, max_size=8),
)
def test_true_offset_and_rate_lie_within_the_bounds(rate, offset, window_ms, before, after):
    begin = 10**13
    end = begin + window_ms * 10**6
    bursts = [
        [probe(start + i * 10**7, *d, rate, offset) for i, d in enumerate(burst)]
        for start, burst in ((begin, before), (end + 10**8, after))
    ]
    found = fit(*bursts)
    # The guest's hold time runs at the guest's rate inside an interval measured in host time.
    slack = 20_000 * abs(1 / rate - 1) + 2
    assert abs(found.to_host_ns(found.reference_guest_ns) - (found.reference_guest_ns * rate + offset)) <= (
        found.bound_ns + slack + abs(rate - 1) * 20_000
    )
    span = bursts[1][0].received_guest_ns - found.reference_guest_ns
    assert abs(found.rate - rate) <= found.rate_bound + (4 * slack + 8) / span * max(1.0, rate)


def test_the_same_clock_has_rate_one_and_no_offset():
    before = [probe(10**9 + i, 500, 100, 500, 1.0, 0) for i in range(8)]
    after = [probe(2 * 10**9 + i, 500, 100, 500, 1.0, 0) for i in range(8)]
    found = fit(before, after)
    assert found.rate == pytest.approx(1.0, abs=1e-12)
    assert found.to_host_ns(10**9) == pytest.approx(10**9, abs=2)
    assert found.probes == 16


def test_the_shortest_round_trip_wins():
    slow = probe(10**9, 5_000_000, 0, 10, 1.0, 0)
    fast = probe(10**9 + 10**7, 100, 0, 100, 1.0, 0)
    after = [probe(2 * 10**9, 100, 0, 100, 1.0, 0)]
    assert fit([slow, fast], after).bound_ns == 100


def test_what_cannot_be_compared_is_refused():
    one = probe(10**9, 1, 1, 1, 1.0, 0)
    with pytest.raises(LinkError, match="without a probe"):
        fit([], [one])
    with pytest.raises(LinkError, match="did not advance"):
        fit([one], [one])
