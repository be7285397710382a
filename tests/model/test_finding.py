"""What a finding says of itself."""

from __future__ import annotations

from virtometer.model import Estimate, Finding, Verdict


def finding(*unlike: str) -> Finding:
    return Finding(
        workload="w", op="triad", metric="bandwidth", unit="B/s", better="higher", subject="box", against="native",
        ratio=None, verdict=Verdict.UNDECIDED, p_value=None, p_adjusted=None, host_cpu_ratio=None, value=None,
        detectable=None, blocks_needed=None, seconds_needed=None, unlike=unlike,
    )  # fmt: skip


def test_like_with_like_is_where_no_condition_differs() -> None:
    assert finding().like_with_like
    assert not finding("io").like_with_like
    assert not finding("io", "threads").like_with_like


def test_findings_without_notes_and_levels_share_none() -> None:
    one, two = finding(), finding()
    assert (one.notes, dict(one.levels)) == ((), {})
    assert one.levels is not two.levels


def test_an_interval_is_one_of_95_percent_where_nothing_else_is_said() -> None:
    assert Estimate(1.0, 0.9, 1.1, 8).level == 0.95


def test_verdicts_are_their_words() -> None:
    assert [str(one) for one in Verdict] == [
        "slower", "faster", "equivalent", "undecided", "baseline", "not available here"
    ]  # fmt: skip
