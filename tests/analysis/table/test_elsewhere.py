"""Numbers from elsewhere are compared as those of campaigns are."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from tests.analysis.simulated_campaigns import Place, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.analysis.table.elsewhere import compare
from virtometer.analysis.table.long_table import LongTable, read
from virtometer.errors import UsageError
from virtometer.model import Campaign, Finding, Verdict

HEADER = "block,treatment,metric,unit,better,value,replicate"


def exported(campaign: Campaign) -> LongTable:
    """A campaign's values as a long table."""
    rows = [HEADER]
    for record in campaign.trials:
        for run in record.scored:
            place = run.placement
            rows.append(
                f"{record.trial.block},{place.environment},{place.workload},{run.unit},{run.better},"
                f"{run.scored.value!r},"
            )
    return read("\n".join(rows).encode(), "t.csv")


def by_subject(findings: tuple[Finding, ...]) -> dict[str, Finding]:
    return {finding.subject: finding for finding in findings}


@pytest.mark.parametrize("seed", range(5))
def test_the_values_of_a_campaign_give_its_findings(seed: int) -> None:
    places = [Place("native"), Place("half", efficiency={"": 0.5}), Place("same"), Place("near", efficiency={"": 0.97})]
    campaign = simulate(places, noise=gaussian(0.03), seed=seed, samples=1)
    ours = by_subject(analyse(campaign).findings)
    theirs = by_subject(compare(exported(campaign), "native", campaign.plan.margin))
    assert theirs.keys() == ours.keys()
    for name, finding in theirs.items():
        own = ours[name]
        assert finding.verdict == own.verdict and replace(finding.value, metric=own.value.metric) == own.value
        assert (finding.p_value, finding.p_adjusted) == (own.p_value, own.p_adjusted)
        assert finding.ratio == own.ratio
        assert (finding.detectable, finding.blocks_needed) == (own.detectable, own.blocks_needed)


def test_lower_is_better_turns_the_ratio() -> None:
    rows = [HEADER]
    for block in range(8):
        rows += [f"{block},a,latency,s,lower,{1 + block / 100},", f"{block},b,latency,s,lower,{(1 + block / 100) / 2},"]
    found = by_subject(compare(read("\n".join(rows).encode(), "t.csv"), "a", 0.05))
    assert found["b"].verdict is Verdict.FASTER
    assert found["b"].ratio.estimate is not None and found["b"].ratio.estimate.value == pytest.approx(2)
    assert found["a"].verdict is Verdict.BASELINE


def test_replicates_count_as_one_value_of_their_block() -> None:
    luck = random.Random(4)
    rows = [HEADER]
    for block in range(8):
        for treatment in "ab":
            rows += [f"{block},{treatment},m,1/s,higher,{math.exp(luck.gauss(0, 0.1))},{number}" for number in range(5)]
    finding = by_subject(compare(read("\n".join(rows).encode(), "t.csv"), "a", 0.05))["b"]
    assert finding.ratio.estimate is not None and finding.ratio.estimate.n == 8


def test_blocks_with_one_side_and_rows_without_a_value_are_noted() -> None:
    rows = [HEADER, *(f"{block},a,m,1/s,higher,1," for block in range(8))]
    rows += [f"{block},b,m,1/s,higher,{1 if block else ''}," for block in range(7)]
    finding = by_subject(compare(read("\n".join(rows).encode(), "t.csv"), "a", 0.05))["b"]
    assert finding.ratio.estimate is not None and finding.ratio.estimate.n == 6
    assert finding.notes == ("1 row without a value", "2 blocks of 8 with one side only: not used")


def test_the_blocks_of_the_other_side_are_not_gone_through_for_each_treatment() -> None:
    class Number(int):
        asked = 0

        def __hash__(self) -> int:
            Number.asked += 1
            return super().__hash__()

    rows = [HEADER, *(f"{block},a,m,1/s,higher,1," for block in range(300))]
    rows += [f"{block},b{block},m,1/s,higher,1," for block in range(300)]
    table = read("\n".join(rows).encode(), "t.csv")
    table.blocks = {name: Number(number) for name, number in table.blocks.items()}
    found = by_subject(compare(table, "a", 0.05))
    assert Number.asked < 20 * len(rows)
    assert found["b7"].notes[0] == "299 blocks of 300 with one side only: not used"


def test_too_few_blocks_are_undecided_and_nothing_is_no_zero() -> None:
    table = read("\n".join([HEADER, "1,a,m,1/s,higher,1,", "2,b,m,1/s,higher,1,"]).encode(), "t.csv")
    finding = by_subject(compare(table, "a", 0.05))["b"]
    assert finding.verdict is Verdict.UNDECIDED and finding.ratio.estimate is None
    assert "0 complete blocks" in " ".join(finding.notes)


def test_a_treatment_that_is_not_there_is_refused() -> None:
    table = read("\n".join([HEADER, "1,a,m,1/s,higher,1,"]).encode(), "t.csv")
    with pytest.raises(UsageError, match="there is no treatment z; there are a"):
        compare(table, "z", 0.05)
    with pytest.raises(UsageError, match="a is the only treatment"):
        compare(table, "a", 0.05)
