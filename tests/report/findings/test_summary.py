"""What a campaign found, in sentences that stay short however many workloads there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.analysis.simulated_campaigns import Place, Work, gaussian, outliers, simulate
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.model import Failure, FailureKind, Finding, Stage, Verdict
from virtometer.report.findings.summary import equivalence_error, headline, sentences, stage_sentence, undecided
from virtometer.report.parts import words


def told(count: int, efficiency: float, noise: float) -> str:
    works = [Work(f"w{number}") for number in range(count)]
    places = [Place("native"), Place("runc", "runc", {"": efficiency})]
    ((name, text),) = sentences(analyse(simulate(places, works, seed=2, noise=outliers(noise))).findings)
    assert name == "runc"
    return text


def test_a_few_are_all_named() -> None:
    assert told(3, 0.5, 0.001).count("w") == 3 + "slower".count("w")


def test_of_many_the_worst_are_named_and_the_others_counted() -> None:
    text = told(20, 0.5, 0.001)
    assert text.startswith("slower at w") and text.count("(0.5") + text.count("(0.4") == 6
    assert " and 14 more" in text


def test_many_undecided_ones_are_counted() -> None:
    text = told(20, 0.9, 0.3)
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


def decisions(needed: Sequence[int | None]) -> str:
    """What is said of such findings after the difference that they could have shown."""
    text = undecided(open_findings(*needed))
    return text.partition(" %. ")[2]


def test_the_typical_and_the_worst_comparison_are_reported(said: Said) -> None:
    text = decisions([603, 12, 10, 14, 3])
    assert " 12 more blocks (12 min)" in text and " 603 more blocks (10 h" in text
    said(text)


def test_one_comparison_has_neither_a_typical_nor_a_worst_one(said: Said) -> None:
    one, never = decisions([12]), decisions([None])
    assert one.startswith("A decision") and never.startswith("It cannot be decided")
    said(one)
    said(never)


def test_comparisons_that_all_take_the_same_are_reported_once(said: Said) -> None:
    text = decisions([12, 12, 12])
    assert text.startswith("Each decision") and text.count("12 more blocks") == 1
    said(text)


def test_what_no_plan_can_decide_is_counted(said: Said) -> None:
    text = decisions([5, None, 7, None])
    assert " 5 more blocks (5 min)" in text and " 7 more blocks" in text and " 2 of 4 cannot " in text
    said(text)


def test_the_headline_counts_what_is_qualified(said: Said) -> None:
    findings = analyse(simulate([Place("native"), Place("a"), Place("b"), Place("c")])).findings
    (native, a, b, c) = findings
    stalls, busy = "between stalls; total 0.88 [0.80, 0.97]", "the host was busy"
    found = (native, replace(a, qualified=stalls), b, replace(c, verdict=Verdict.UNDECIDED, qualified=busy))
    assert headline(findings) == "3 comparisons with native: 3 equivalent."
    assert "2 equivalent (1 between stalls)" in headline(found) and "(1: the host was busy)" in headline(found)
    said(headline(found))


def equal(adjusted: list[float]) -> list[Finding]:
    """Equivalent findings with these adjusted p of the tests of equivalence, and as many undecided ones."""
    base = open_findings(12)[0]
    same = [replace(base, verdict=Verdict.EQUIVALENT, p_equivalent_adjusted=p, p_value=0.5) for p in adjusted]
    return [*same, *(replace(base, p_value=0.5) for _ in adjusted)]


def test_the_count_of_equivalents_says_how_often_they_are_wrong(said: Said) -> None:
    """All comparisons that were tested count: at the margin each has the chance, and all found ones would be wrong."""
    for adjusted, each, joint in (
        ([0.2] * 15, "of the 30 comparisons", "at most 1.5 on average."),
        ([0.01, 0.02, 0.2], "of the 6 comparisons", "For 2 of the 3 "),
        ([0.01, 0.02], "of the 4 comparisons", "For all 2 "),
    ):
        error = equivalence_error(equal(adjusted))
        assert each in error and joint in error
        said(error)
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


def test_a_comparison_that_gets_the_rest_of_a_budget_is_told_as_such(said: Said) -> None:
    blocks, beyond = {("a", "x"): 40, ("b", "x"): 7}, {("b", "x"): 90.0, ("c", "x"): None}
    stage = Stage("", 0, 0, blocks, beyond, "a budget of 280 s")
    said(stage_sentence(stage))
    assert "1 of which" in stage_sentence(stage)
    assert "of which" not in stage_sentence(replace(stage, beyond={("c", "x"): None}))


def test_a_comparison_without_a_ratio_says_why() -> None:
    failure = Failure(FailureKind.AGENT, "out-of-memory")
    works = [Work(name) for name in "abcd"]
    for failing, expected in (
        ("a", "equivalent at b, c and d; undecided at a (8 of 8 trials failed)."),
        ("abcd", "undecided in everything (8 of 8 trials failed)."),
    ):
        campaign = simulate([Place("native"), Place("small", fails=dict.fromkeys(failing, failure))], works)
        assert sentences(analyse(campaign).findings) == [("small", expected)]
