"""No verdict where other programs disturbed most trials or slices of either side."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import pytest

from tests.analysis.simulated_campaigns import Place, changed, gaussian, in_rounds, simulate, trials_of, with_runs
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import by_treatment
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.analysis.compared.environments import compare_environments
from virtometer.analysis.notes import busy
from virtometer.analysis.statistics.spread import Spread, spread
from virtometer.model import Campaign, Excluded, Failure, FailureKind, Mark, MarkKind, Run, Verdict
from virtometer.report.parts import words

FOREIGN = Mark(MarkKind.FOREIGN, "other programs used 1.50 processors (the plan allows 0.25)")
PLACES = [Place("native"), Place("faster", efficiency={"": 1.5}), Place("box")]


def campaign(marks: int = 0, where: str = "native", kind: MarkKind = MarkKind.FOREIGN, **plan: object) -> Campaign:
    """Eight blocks, so many trials of one environment with a mark."""
    quiet = simulate(PLACES, noise=gaussian(0.002), **plan)  # type: ignore[arg-type]
    which = trials_of(quiet, where)[:marks]
    mark = Mark(kind, FOREIGN.text)
    return simulate(PLACES, noise=gaussian(0.002), marks=dict.fromkeys(which, (mark,)), **plan)  # type: ignore[arg-type]


def with_slices(campaign: Campaign, environment: str, lost: int) -> Campaign:
    """The campaign in ten slices a trial, of which so many of one environment are disturbed."""

    def in_slices(run: Run) -> Run:
        made = in_rounds(run, [run.scored.value] * 10)
        if run.placement.environment != environment:
            return made
        samples = tuple(
            replace(one, excluded=Excluded.DISTURBED, mark="others had it") if (one.slice or 0) < lost else one
            for one in made.samples
        )
        return changed(made, samples=samples)

    return with_runs(campaign, in_slices)


def verdicts(of: Campaign) -> dict[str, str]:
    return {one.subject: words.verdict(one) for one in analyse(of).findings[1:]}


QUIET = {"faster": "faster", "box": "equivalent"}
BUSY = dict.fromkeys(QUIET, "undecided: the host was busy")


@pytest.mark.parametrize(
    ("marks", "where", "expected"),
    [
        (0, "native", QUIET),
        (4, "native", QUIET),
        (5, "native", BUSY),
        (5, "faster", QUIET | {"faster": "undecided: the host was busy"}),
    ],
)
def test_more_than_half_of_the_trials_of_either_side(marks: int, where: str, expected: dict[str, str]) -> None:
    assert verdicts(campaign(marks, where)) == expected


@pytest.mark.parametrize("kind", list(MarkKind))
def test_marks_count_that_are_of_other_programs(kind: MarkKind) -> None:
    others = {"foreign", "run-delay", "steal", "swap"}
    assert verdicts(campaign(8, "box", kind))["box"] == (BUSY if kind.value in others else QUIET)["box"]


@pytest.mark.parametrize(("lost", "where", "expected"), [(5, "native", QUIET), (6, "native", BUSY), (6, "none", QUIET)])
def test_more_than_half_of_the_slices_of_either_side(lost: int, where: str, expected: dict[str, str]) -> None:
    of = with_slices(campaign(), where, lost)
    assert verdicts(of) == expected
    if expected == BUSY:
        (_, finding, _) = analyse(of).findings
        assert any("disturbed 48 of 80 slices of native" in note for note in finding.notes)


def test_slices_beside_long_windows_that_are_compared_do_not_count() -> None:
    def windows(run: Run) -> Run:
        made = in_rounds(run, [run.scored.value] * 4, [[run.scored.value] * 4])
        aside = {True: Excluded.DISTURBED, False: Excluded.SLICE}
        samples = tuple(
            replace(one, excluded=aside[one.slice < 3] if one.slice >= 0 else None, mark="")  # type: ignore[operator]
            for one in made.samples
        )
        return changed(made, samples=samples)

    of = with_runs(campaign(), windows)
    found = busy.disturbed(by_treatment(of)["memory triad 64 MB", "native"].results)
    assert (found.slices, found.of_slices, found.trials, found.of_trials) == (0, 0, 0, 8)


def test_the_reason_has_counts_and_what_to_do_and_no_claim_is_left() -> None:
    (_, finding, _) = analyse(campaign(5)).findings
    (note,) = (note for note in finding.notes if note.startswith("the host was busy"))
    assert "disturbed 5 of 8 trials of native" in note
    assert "end the other programs, choose a quieter time" in note and "max_disturbed_share: 1" in note
    assert "more than 50% of the trials or slices" in " ".join(finding.shown_notes)
    assert (finding.verdict, finding.qualified) == (Verdict.UNDECIDED, "the host was busy")
    assert finding.worst_block is not None and finding.worst_block.verdict_without is Verdict.UNDECIDED
    assert finding.ratio.n and finding.blocks_needed is None


def test_the_plan_may_allow_more() -> None:
    assert verdicts(campaign(8, rules={"max_disturbed_share": 1})) == QUIET
    assert verdicts(campaign(1, rules={"max_disturbed_share": 0})) == BUSY


def test_comparisons_of_campaigns_and_of_environments_carry_the_marks() -> None:
    disturbed = campaign(5)
    for a, b, side in ((campaign(), disturbed, "B"), (disturbed, campaign(), "A")):
        for one in compare_campaigns(a, b, 0.05).findings:
            assert words.verdict(one) == "undecided: the host was busy"
            assert any(f"5 of 8 trials of native in {side}" in note for note in one.notes)
    assert {words.verdict(one) for one in compare_campaigns(campaign(), campaign(), 0.05).findings} == {"equivalent"}
    assert [words.verdict(one) for one in compare_environments(disturbed, "native", "box", 0.05).findings] == [
        "undecided: the host was busy"
    ]
    assert [words.verdict(one) for one in compare_environments(disturbed, "faster", "box", 0.05).findings] == ["slower"]


def far(slower: float, noise: float = 0.02) -> Campaign:
    """Eight blocks on a host that is busy in all of them: one environment is so many times slower."""
    places = [Place("native"), Place("slow", efficiency={"": 1 / slower})]
    marks = dict.fromkeys(range(24), (FOREIGN,))
    return simulate(places, noise=gaussian(noise), marks=marks, control=True)


@pytest.mark.parametrize(("slower", "verdict"), [(9.0, "slower"), (2.5, "undecided: the host was busy")])
def test_a_difference_far_beyond_what_others_can_have_done_is_judged_with_a_warning(
    slower: float, verdict: str
) -> None:
    (_, finding) = analyse(far(slower)).findings
    assert words.verdict(finding) == verdict
    assert [note for note in finding.notes if note.startswith("the host was busy")]
    assert [note for note in finding.shown_notes if note.startswith("the host was busy")]


def test_nothing_is_far_without_a_control_or_enough_blocks_or_where_one_block_is_near() -> None:
    near = Spread(0.0, 0.01, 8)
    logs = [-2.2, -2.21, -2.19, -2.2, -2.22, -2.2, -2.18, -2.2]
    assert busy.is_far(logs, near)
    assert busy.is_far([-one for one in logs], near)
    assert not busy.is_far(logs, None)
    assert not busy.is_far(logs, Spread(0.0, 0.01, 5))
    assert not busy.is_far(logs[:5], near)
    assert not busy.is_far([*logs[:7], -1.0], near)
    assert not busy.is_far(logs, Spread(0.0, 0.7, 8))


@pytest.mark.parametrize("seed", range(40))
def test_no_host_that_is_busy_makes_two_that_are_the_same_far(seed: int) -> None:
    """As if others took up to three quarters of the processor from either side of each block, by chance."""
    random = Random(seed)
    logs = [math.log(random.uniform(0.25, 1) / random.uniform(0.25, 1)) for _ in range(16)]
    assert not busy.is_far(logs[:8], spread(logs[8:]))


def test_failed_trials_are_named_before_the_busy_host() -> None:
    quiet = simulate(PLACES, noise=gaussian(0.002))
    failed = dict.fromkeys(trials_of(quiet, "box"), Failure(FailureKind.AGENT, "it ended by signal 11"))
    marks = dict.fromkeys(range(24), (FOREIGN,))
    of = simulate(PLACES, noise=gaussian(0.002), marks=marks, fail=failed)
    count = sum(record.failure is not None for record in of.trials if record.trial.measured[0].environment == "box")
    assert count > 1
    assert verdicts(of)["box"] == f"undecided: {count} of 8 trials failed"
