"""What a campaign found, in sentences that stay short however many workloads there are."""

from __future__ import annotations

from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, Work, gaussian, outliers, simulate
from virtometer.analysis import analyse
from virtometer.model import Finding, Verdict
from virtometer.report.findings.summary import equivalence_error, headline, sentences, undecided
from virtometer.report.parts import words


def said(count: int, efficiency: float, noise: float) -> str:
    works = [Work(f"w{number}") for number in range(count)]
    places = [Place("native"), Place("runc", "runc", {"": efficiency})]
    ((name, text),) = sentences(analyse(simulate(places, works, seed=2, noise=outliers(noise))).findings)
    assert name == "runc"
    return text


def test_a_few_are_all_named() -> None:
    assert said(3, 0.5, 0.001).count("w") == 3 + "slower".count("w")


def test_of_many_the_worst_are_named_and_the_others_counted() -> None:
    text = said(20, 0.5, 0.001)
    assert text.startswith("slower at w") and text.count("(0.5") + text.count("(0.4") == 6
    assert " and 14 more" in text


def test_many_undecided_ones_are_counted() -> None:
    text = said(20, 0.9, 0.3)
    assert "undecided" in text
    assert len(text) < 300


def open_findings(*needed: int | None) -> list[Finding]:
    """Undecided findings of 8 blocks, which take so many more to be decided, a minute each."""
    places = [Place("native"), Place("runc", "runc", {"": 0.97})]
    campaign = simulate(places, [Work(f"w{number}") for number in range(len(needed))], seed=3, noise=gaussian(0.1))
    found = [f for f in analyse(campaign).findings if f.verdict is Verdict.UNDECIDED]
    assert len(found) == len(needed)
    return [
        replace(
            finding,
            blocks_needed=None if more is None else 8 + more,
            seconds_needed=None if more is None else 60.0 * more,
            blocks_needed_low=None if more is None else 8 + more // 2,
            blocks_needed_high=None if more is None else 8 + 2 * more,
        )
        for finding, more in zip(found, needed, strict=True)
    ]


def test_the_typical_and_the_worst_comparison_are_told() -> None:
    text = undecided(open_findings(603, 12, 10, 14, 3))
    assert "The median decision takes about 12 more blocks (12 min), probably 6 to 24. " in text
    assert " The slowest takes about 603 more blocks (10 h" in text


def test_one_comparison_has_neither_a_typical_nor_a_worst_one() -> None:
    assert undecided(open_findings(12)).endswith(". A decision takes about 12 more blocks (12 min), probably 6 to 24.")
    assert undecided(open_findings(None)).endswith(". It cannot be decided with as many blocks as a plan may have.")


def test_comparisons_that_all_take_the_same_are_told_once() -> None:
    text = undecided(open_findings(12, 12, 12))
    assert text.endswith(". Each decision takes about 12 more blocks (12 min), probably 6 to 24.")


def test_what_no_plan_can_decide_is_counted() -> None:
    text = undecided(open_findings(5, None, 7, None))
    decision = "The median decision takes about 5 more blocks (5 min), probably 2 to 10. The slowest takes about 7"
    assert decision in text
    assert text.endswith(". 2 of 4 cannot be decided with as many blocks as a plan may have.")


def test_the_headline_counts_what_is_qualified() -> None:
    findings = analyse(simulate([Place("native"), Place("a"), Place("b"), Place("c")])).findings
    (native, a, b, c) = findings
    stalls, busy = "between stalls; total 0.88 [0.80, 0.97]", "the host was busy"
    found = (native, replace(a, qualified=stalls), b, replace(c, verdict=Verdict.UNDECIDED, qualified=busy))
    assert headline(findings) == "3 comparisons with native: 3 equivalent."
    assert headline(found) == (
        "3 comparisons with native: 2 equivalent (1 between stalls) and 1 undecided (1: the host was busy)."
    )


def equal(adjusted: list[float]) -> list[Finding]:
    """Equivalent findings with these adjusted p of the tests of equivalence, and as many undecided ones."""
    base = open_findings(12)[0]
    same = [replace(base, verdict=Verdict.EQUIVALENT, p_equivalent_adjusted=p, p_value=0.5) for p in adjusted]
    return [*same, *(replace(base, p_value=0.5) for _ in adjusted)]


def test_the_count_of_equivalents_says_how_often_they_are_wrong() -> None:
    """All comparisons that were tested count: at the margin each has the chance, and all found ones would be wrong."""
    assert equivalence_error(equal([0.2] * 15)) == (
        "Each of the 30 comparisons has a chance of at most 5 % of a wrong `equivalent`: at most 1.5 on average."
    )
    assert equivalence_error(equal([0.01, 0.02, 0.2])).endswith(
        "on average. For 2 of the 3 the chance that any of them is wrong is at most 5 %."
    )
    assert equivalence_error(equal([0.01, 0.02])).endswith(
        "on average. For all 2 the chance that any of them is wrong is at most 5 %."
    )
    assert equivalence_error(equal([0.01])[:1]) == "The chance of a wrong `equivalent` is at most 5 %."
    assert equivalence_error(open_findings(12)) == ""
    assert headline(equal([0.2] * 15)).endswith("15 equivalent and 15 undecided.")


def test_the_level_of_intervals_is_named_as_it_is() -> None:
    found = open_findings(12)
    assert words.interval_level(found) == "95 %"
    ratio = found[0].ratio
    assert ratio.estimate is not None
    assert (
        words.interval_level([replace(found[0], ratio=replace(ratio, estimate=replace(ratio.estimate, level=0.97)))])
        == "97 %"
    )
