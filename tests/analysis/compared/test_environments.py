"""Two environments of one campaign, with a known truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.compared.test_campaigns import FORK, NATIVE, READ, noisy, verdicts, with_stops
from tests.analysis.grouped_campaigns import in_groups
from tests.analysis.simulated_campaigns import Place, simulate
from tests.sentences import Said
from virtometer.analysis.compared.environments import compare_environments
from virtometer.analysis.compared.worse import Outcome
from virtometer.errors import UsageError
from virtometer.model import Scenario, Verdict


def test_work_that_is_not_measured_alone_is_left_out() -> None:
    of = simulate([NATIVE, Place("box", "runc", efficiency={"": 0.8})], [FORK, READ], blocks=8)
    alone = Scenario(name="alone", type="alone", workloads=["read"])
    group = Scenario(name="group", type="together", workloads=["fork"], guests=[2])
    trials = [replace(one, trial=replace(one.trial, scenario="alone")) for one in of.trials]
    part = replace(of, plan=of.plan.model_copy(update={"scenarios": [alone, group]}), trials=tuple(trials))
    found = compare_environments(part, "native", "box", 0.05)
    assert list(verdicts(found)) == [("read", "box")]
    assert found.left_out == ("fork is not measured alone in native",)


def test_environments_of_one_campaign_are_compared_block_by_block(said: Said) -> None:
    def together(block: int, _time: float, _rng: np.random.Generator) -> float:
        return 0.5 * (block % 2)

    places = [NATIVE, Place("box", "runc", efficiency={"": 0.8}), Place("jail", "bubblewrap", efficiency={"": 0.4})]
    of = simulate(places, [FORK, READ], blocks=8, noise=together)
    found = compare_environments(of, "box", "jail", 0.05)
    assert verdicts(found) == {("fork", "jail"): Verdict.SLOWER, ("read", "jail"): Verdict.SLOWER}
    for finding in found.findings:
        assert finding.ratio.reference == "box"
        assert finding.ratio.estimate is not None and finding.ratio.estimate.value == pytest.approx(0.5)
        assert finding.ratio.estimate.n == 8
    assert verdicts(compare_environments(of, "box", "native", 0.05))["fork", "native"] is Verdict.FASTER
    with pytest.raises(UsageError, match=r"xen.*native, box, jail") as caught:
        compare_environments(of, "box", "xen", 0.05)
    said(caught.value.sentence)
    with pytest.raises(UsageError, match="box is compared with itself"):
        compare_environments(of, "box", "box", 0.05)


def test_environments_of_two_groups_are_compared_by_their_ratios_to_the_baseline_of_each() -> None:
    """The second group is three times as fast: b has 80 % of the baseline, and half of that of a."""
    places = [NATIVE, *(Place(name, "runc", efficiency={"": share}) for name, share in (("a", 0.4), ("b", 0.8)))]
    whole = simulate(places, [FORK, READ], noise=noisy(0.005), control=True)
    found = compare_environments(in_groups(whole, [("a",), ("b",)], (1.0, 3.0)), "a", "b", 0.05)
    for finding in found.findings:
        assert finding.verdict is Verdict.FASTER
        assert finding.ratio.estimate is not None and finding.ratio.estimate.value == pytest.approx(2.0, rel=0.02)
    with_baseline = compare_environments(in_groups(whole, [("a",), ("b",)], (1.0, 3.0)), "native", "b", 0.05)
    for finding in with_baseline.findings:
        assert finding.ratio.estimate is not None and finding.ratio.estimate.value == pytest.approx(0.8, rel=0.02)


def test_environments_that_share_a_group_in_some_blocks_are_compared_through_the_baseline_in_the_others() -> None:
    places = [NATIVE, *(Place(name, "runc", efficiency={"": share}) for name, share in (("a", 0.4), ("b", 0.8)))]
    whole = simulate(places, [READ], noise=noisy(0.005), control=True)
    drawn = in_groups(whole, lambda block: [("a", "b"), ()] if block % 2 else [("a",), ("b",)], (1.0, 3.0))
    (finding,) = compare_environments(drawn, "a", "b", 0.05).findings
    assert finding.ratio.estimate is not None and finding.ratio.estimate.n == 8
    assert finding.ratio.estimate.value == pytest.approx(2.0, rel=0.02)
    assert finding.ratio.estimate.low is not None and finding.ratio.estimate.low > 1.9


def test_total_ratios_decide_whatever_the_plan_chose() -> None:
    of = with_stops(0.8, (1, 2, 5))
    (finding,) = compare_environments(of, "native", "box", 0.05, verdict="typical").findings
    assert (finding.verdict, finding.verdict_by) == (Verdict.SLOWER, "typical")
    assert finding.typical is not None and finding.typical.estimate.value == pytest.approx(0.8, rel=0.01)
    found = compare_environments(of, "native", "box", 0.05)
    (finding,) = found.findings
    assert finding.verdict_by == "total" and found.outcome is Outcome.WORSE
    assert finding.decisive is not None and finding.decisive.value < 0.78


def test_what_b_has_lost_is_no_success() -> None:
    gone = Place("jail", "bubblewrap", works=False, reason="no such program")
    of = simulate([NATIVE, Place("box", "runc"), gone], [READ], blocks=8, noise=noisy(0.002), seed=2)
    assert compare_environments(of, "box", "native", 0.05).lost == ()
    with pytest.raises(UsageError, match="no workload has a value in both box and jail"):
        compare_environments(of, "box", "jail", 0.05)
