"""Two campaigns with a known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.grouped_campaigns import in_groups
from tests.analysis.simulated_campaigns import Noise, Place, Work, in_rounds, simulate, with_runs
from tests.sentences import Said
from virtometer.analysis.compared.campaigns import compare_campaigns, differing
from virtometer.analysis.compared.comparison import Comparison, Where
from virtometer.analysis.compared.environments import compare_environments
from virtometer.analysis.compared.worse import Outcome
from virtometer.errors import UsageError
from virtometer.model import Campaign, Estimate, Run, Verdict, VerdictBy

NATIVE = Place("native")
FORK = Work("fork", "os", "fork", "s", 1e-4)
READ = Work("read", "disk", "random-read", "IO/s", 1e4)


def noisy(sd: float) -> Noise:
    return lambda _block, _time, rng: float(rng.normal(0, sd))


def campaign(
    fork: float, read: float, *, host: float = 1.0, sd: float = 0.005, seed: int = 1, blocks: int = 8
) -> Campaign:
    """A box with these efficiencies, on a host that is `host` times as fast as another one."""
    works = [replace(FORK, level=FORK.level / host), replace(READ, level=READ.level * host)]
    box = Place("box", "runc", efficiency={"fork": fork, "read": read})
    return simulate([NATIVE, box], works, blocks=blocks, noise=noisy(sd), seed=seed)


def verdicts(of: Comparison) -> dict[tuple[str, str], Verdict]:
    return {(finding.workload, finding.subject): finding.verdict for finding in of.findings}


def reached(of: Comparison) -> dict[tuple[str, str], tuple[Estimate | None, Estimate | None]]:
    return {
        (one.where.workload, one.where.environment): (one.before.estimate, one.after.estimate) for one in of.compared
    }


def test_efficiencies_are_compared_whatever_the_host_is() -> None:
    found = compare_campaigns(campaign(0.8, 0.9), campaign(0.6, 0.9, host=3.0, seed=2), 0.05)
    assert verdicts(found) == {("fork", "box"): Verdict.SLOWER, ("read", "box"): Verdict.EQUIVALENT}
    fork = found.findings[0]
    assert fork.ratio.estimate is not None
    assert fork.ratio.estimate.value == pytest.approx(0.75, rel=0.01)
    assert fork.ratio.estimate.n == 8
    assert [one.where for one in found.worse] == [Where("fork", "box")]
    assert [one.where for one in found.not_worse] == [Where("read", "box")]
    assert found.open == () and found.outcome is Outcome.WORSE
    before, after = reached(found)["fork", "box"]
    assert before is not None and before.value == pytest.approx(0.8, rel=0.01)
    assert after is not None and after.value == pytest.approx(0.6, rel=0.01)


def test_values_are_compared_with_the_host_and_the_baseline_has_rows() -> None:
    found = compare_campaigns(campaign(0.8, 0.9), campaign(0.8, 0.9, host=2.0, seed=2), 0.05, absolute=True)
    assert set(verdicts(found).values()) == {Verdict.FASTER}
    assert {subject for _, subject in verdicts(found)} == {"native", "box"}
    for finding in found.findings:
        assert finding.ratio.estimate is not None and finding.ratio.estimate.value == pytest.approx(2.0, rel=0.02)
    before, after = reached(found)["fork", "native"]
    assert before is not None and after is not None and before.value == pytest.approx(2 * after.value, rel=0.02)


def test_the_same_twice_is_seldom_claimed_to_differ() -> None:
    claims = 0
    for seed in range(60):
        found = compare_campaigns(
            campaign(0.8, 0.9, sd=0.05, seed=seed), campaign(0.8, 0.9, sd=0.05, seed=1000 + seed), 0.05
        )
        claims += any(one in (Verdict.SLOWER, Verdict.FASTER) for one in verdicts(found).values())
    assert claims <= 4


def test_what_is_slower_within_the_margin_is_not_worse() -> None:
    one, other = campaign(0.8, 0.9, sd=0.0002), campaign(0.8 * 0.957, 0.9, sd=0.0002, seed=2)
    beyond, within = (compare_campaigns(one, other, margin) for margin in (0.04, 0.05))
    assert verdicts(beyond)["fork", "box"] is Verdict.SLOWER
    assert [of.where.workload for of in beyond.worse] == ["fork"] and beyond.outcome is Outcome.WORSE
    assert within.worse == () and within.outcome is Outcome.NOT_WORSE


def test_what_is_on_one_side_or_not_alike_is_left_out() -> None:
    one = campaign(0.8, 0.9)
    box = Place("jail", "bubblewrap")
    other = simulate([NATIVE, box, Place("box", "runc")], [FORK, replace(READ, parameters={"size": 8192})], blocks=8)
    found = compare_campaigns(one, other, 0.05)
    assert list(verdicts(found)) == [("fork", "box")]
    assert "fork in jail is only in B" in found.left_out
    assert any(text.startswith("read is not compared: its parameters differ: {} in A") for text in found.left_out)


def test_campaigns_without_anything_in_common_are_refused(said: Said) -> None:
    other = simulate([NATIVE, Place("jail", "bubblewrap")], [FORK], blocks=8)
    with pytest.raises(UsageError) as caught:
        compare_campaigns(campaign(0.8, 0.9), other, 0.05)
    said(caught.value.sentence)


def test_other_baselines_are_refused_but_for_values() -> None:
    other = simulate([Place("bare"), Place("box", "runc")], [FORK], blocks=8)
    with pytest.raises(UsageError, match="the baselines differ: native in A, bare in B"):
        compare_campaigns(campaign(0.8, 0.9), other, 0.05)
    assert list(verdicts(compare_campaigns(campaign(0.8, 0.9), other, 0.05, absolute=True))) == [("fork", "box")]


def test_few_blocks_decide_nothing() -> None:
    found = compare_campaigns(campaign(0.8, 0.9, blocks=3), campaign(0.4, 0.9, blocks=8, seed=2), 0.05)
    assert verdicts(found)["fork", "box"] is Verdict.UNDECIDED


def test_what_else_differs_is_reported() -> None:
    one = campaign(0.8, 0.9)
    other = replace(one, versions={**one.versions, "runc": "9.9"})
    assert differing(one, other, ["kernel was 'x' and is 'y'"]) == (
        "host: kernel was 'x' and is 'y'",
        f"runc: {one.versions.get('runc', 'absent')} in A, 9.9 in B",
    )
    assert differing(one, one, []) == ()


def test_two_campaigns_in_groups_are_compared_within_their_groups() -> None:
    places = [NATIVE, *(Place(name, "runc", efficiency={"": share}) for name, share in (("a", 0.4), ("b", 0.8)))]
    one, other = (simulate(places, [READ], noise=noisy(0.005), control=True, seed=seed) for seed in (1, 2))
    found = compare_campaigns(one, in_groups(other, [("a",), ("b",)], (1.0, 3.0)), 0.05)
    assert set(verdicts(found).values()) == {Verdict.EQUIVALENT}


def with_stops(
    efficiency: float, stopped: tuple[int, ...], *, seed: int = 1, verdict: VerdictBy = "typical"
) -> Campaign:
    """A box in ten slices a block, which stalls for most of one slice in the blocks that are named."""
    box = Place("box", "runc", efficiency={"": efficiency})
    of = simulate([NATIVE, box], [READ], blocks=8, noise=noisy(0.002), seed=seed, verdict=verdict)
    blocks = {run.guest_id: record.trial.block for record in of.trials for run in record.runs}

    def rounds(run: Run) -> Run:
        value = run.scored.value
        slow = run.placement.environment == "box" and blocks[run.guest_id] in stopped
        return in_rounds(run, [value] * 9 + [value * (0.01 if slow else 1.0)])

    return with_runs(of, rounds)


def test_total_ratios_are_compared_whatever_the_plans_chose() -> None:
    before, after = with_stops(0.8, ()), with_stops(0.8, (1, 2, 5), seed=2)
    found = compare_campaigns(before, after, 0.05)
    (finding,) = found.findings
    assert (finding.verdict, finding.verdict_by) == (Verdict.UNDECIDED, "total")
    assert found.outcome is Outcome.OPEN
    assert finding.typical is not None and finding.typical.estimate.value == pytest.approx(1.0, rel=0.01)
    assert finding.ratio.estimate is not None and finding.ratio.estimate.value == pytest.approx(0.9**0.375, rel=0.02)
    assert finding.ratio.estimate.n == finding.typical.n == 8
    (finding,) = compare_campaigns(before, after, 0.05, absolute=True).findings[:1]
    assert finding.verdict_by == "total" and finding.typical is None


def test_typical_ratios_are_compared_on_demand_where_both_sides_have_them() -> None:
    before, after = with_stops(0.8, ()), with_stops(0.8, (1, 2, 5), seed=2, verdict="total")
    (finding,) = compare_campaigns(before, after, 0.05, verdict="typical").findings
    assert (finding.verdict, finding.verdict_by) == (Verdict.EQUIVALENT, "typical")
    (finding,) = compare_campaigns(campaign(0.8, 0.8), after, 0.05, verdict="typical").findings
    assert finding.verdict_by == "total", "A has none"


def test_blocks_that_a_rule_fixed_have_its_levels() -> None:
    first, second = campaign(0.8, 0.9), campaign(0.8 * 0.99, 0.9, seed=2)
    by_rule = replace(first, plan=first.plan.model_copy(update={"budget_s": 60.0}))
    plain, strict = (compare_campaigns(one, second, 0.05).findings[0] for one in (first, by_rule))
    again = compare_campaigns(second, by_rule, 0.05).findings[0]
    assert plain.ratio.estimate is not None and strict.ratio.estimate is not None and again.ratio.estimate is not None
    assert (
        plain.ratio.estimate.low is not None
        and strict.ratio.estimate.low is not None
        and again.ratio.estimate.high is not None
    )
    assert strict.ratio.estimate.low < plain.ratio.estimate.low
    assert again.ratio.estimate.high == pytest.approx(1 / strict.ratio.estimate.low)
    assert plain.p_adjusted is not None and strict.p_adjusted == pytest.approx(min(1.0, plain.p_adjusted / 0.6))
    inside, ruled = (
        compare_environments(one, "native", "box", 0.05).findings[0].ratio.estimate for one in (first, by_rule)
    )
    assert inside is not None and inside.low is not None
    assert ruled is not None and ruled.low is not None and ruled.low < inside.low


def test_no_verdict_is_finer_than_the_noise_floor_of_either_campaign() -> None:
    """One guest of A's baseline is 40 % slower in half of the blocks: nobody knows which baseline is the right one."""

    def with_control(sd: float, seed: int) -> Campaign:
        of = simulate([NATIVE, Place("box", "runc")], [READ], blocks=8, noise=noisy(0.002), seed=seed, control=True)
        rng = np.random.default_rng(seed)
        shift = {record.trial.block: float(rng.normal(0, sd)) for record in of.trials}

        def apart(run: Run, block: int) -> Run:
            at = {("native", 2): shift[block], ("native", 1): -shift[block]}
            factor = float(np.exp(at.get((run.placement.environment, run.placement.guest), 0.0)))
            return replace(run, score=replace(run.scored, value=run.scored.value * factor))

        trials = tuple(
            replace(record, runs=tuple(apart(run, record.trial.block) for run in record.runs)) for record in of.trials
        )
        return replace(of, trials=trials)

    steady, wild = with_control(0.001, 1), with_control(0.2, 2)
    assert compare_campaigns(steady, with_control(0.001, 3), 0.05).findings[0].verdict is Verdict.EQUIVALENT
    for one, other in ((wild, steady), (steady, wild)):
        finding = compare_campaigns(one, other, 0.05).findings[0]
        assert finding.verdict is Verdict.UNDECIDED
        assert any("the noise floor is" in note for note in finding.notes)


def test_a_value_that_only_a_has_is_lost() -> None:
    one = simulate([NATIVE, Place("box", "runc"), Place("jail", "bubblewrap")], [READ], blocks=8, noise=noisy(0.002))
    gone = Place("jail", "bubblewrap", works=False, reason="no such program")
    other = simulate([NATIVE, Place("box", "runc"), gone], [READ], blocks=8, noise=noisy(0.002), seed=2)
    found = compare_campaigns(one, other, 0.05)
    assert found.lost == ("read in jail has no value in B",)
    assert found.left_out == () and found.worse == found.open == ()
    assert found.outcome is Outcome.OPEN, "because a value is lost"
    back = compare_campaigns(other, one, 0.05)
    assert back.lost == () and back.left_out == ("read in jail has no value in A",)


def test_how_both_sides_were_measured_differently_is_reported() -> None:
    (finding,) = compare_campaigns(with_stops(1.0, ()), campaign(1.0, 1.0, seed=2), 0.05).findings
    assert "measured in slices of 25 ms in A, in windows of 1 s in B" in finding.notes
