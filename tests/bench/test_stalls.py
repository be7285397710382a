"""When stops count as found, and real stops."""

from dataclasses import replace

import numpy as np
import pytest

from bench import stalls
from bench.campaigns import extra_kinds, plan_of
from bench.stalls import Stalls, Stopped, StoppedSettings
from tests.analysis.simulated_campaigns import Place, Work, finding_of, simulate
from virtometer.analysis.compared.worse import Outcome
from virtometer.model import Estimate, Verdict

FINDING = finding_of(simulate([Place("native"), Place("stops")], [Work("linpack")]), "stops", "linpack")
NAMED = ("stalls cost 9.1% in all: the typical ratio of a round is 1",)


@pytest.mark.parametrize(
    ("total", "notes", "met"),
    [
        (Estimate(0.91, 0.88, 0.94, 8), NAMED, True),
        (Estimate(0.91, 0.88, 0.94, 8), ("another note",), False),
        (Estimate(0.99, 0.97, 1.01, 8), NAMED, False),
        (Estimate(0.91, None, None, 2), NAMED, False),
        (None, NAMED, False),
    ],
)
def test_stops_are_in_the_total_and_named(total: Estimate | None, notes: tuple[str, ...], met: bool) -> None:
    text, found = stalls.line(replace(FINDING, ratio=replace(FINDING.ratio, estimate=total), notes=notes), 0.9)
    assert found is met
    assert text.startswith("linpack: total ") and text.endswith("met" if met else "MISSED")


RARE, MANY, SMALL = Stalls(0.015, 0.11), Stalls(0.1, 0.08), Stalls(0.005, 0.016)


def test_stops_have_names_and_a_truth() -> None:
    assert [one.name for one in stalls.SWEEP] == ["0.5/110", "1.5/110", "5/16", "10/80"]
    assert stalls.NONE.name == "none" and stalls.NONE.truth == 1
    # A slice of 8 ms in ten has 80 ms more: ten slices take 160 ms instead of 80.
    assert MANY.truth == pytest.approx(0.5)


def test_campaigns_of_the_sweep_have_the_shape_of_a_quick_run() -> None:
    with extra_kinds(Stopped):
        plan = plan_of(stalls.sweep_text(MANY, 9))
        busy = plan_of(stalls.sweep_text(MANY, 9, busy=True))
    assert (plan.blocks, plan.verdict, plan.slice_s, plan.fresh) == (9, "typical", 0.008, "block")
    assert {one.scheduling for one in plan.workloads} == {"interleaved"}
    stopped = StoppedSettings.model_validate(plan.environments[1].settings)
    assert stopped.stop_s == 0.08 and stopped.rate == pytest.approx(12.5)
    assert plan.rules.max_disturbed_share == 0.5 and busy.rules.max_disturbed_share == 1


@pytest.mark.parametrize(
    ("verdict", "qualified", "hit", "met", "word"),
    [
        (Verdict.EQUIVALENT, "", 3, False, "MISSED"),
        (Verdict.EQUIVALENT, "", 1, True, "too few stops"),
        (Verdict.EQUIVALENT, "between stalls; total 0.83 [0.75, 0.91]", 3, True, "met"),
        (Verdict.UNDECIDED, "", 3, True, "met"),
        (Verdict.SLOWER, "", 3, True, "met"),
    ],
)
def test_equivalent_needs_the_total_beside_it(verdict: Verdict, qualified: str, hit: int, met: bool, word: str) -> None:
    finding = replace(FINDING, verdict=verdict, qualified=qualified, verdict_by="typical")
    text, said = stalls.verdict_line(finding, RARE, (hit, 300), 0.05)
    assert said is met
    assert text.endswith(f"{verdict.value}{' ' if qualified else ''}{qualified}: {word}")


def test_stops_that_cost_less_than_the_margin_need_no_words() -> None:
    finding = replace(FINDING, verdict=Verdict.EQUIVALENT, verdict_by="typical")
    text, met = stalls.verdict_line(finding, SMALL, (2, 300), 0.05)
    assert met and text.endswith("equivalent: met")


def test_a_slice_is_hit_where_it_is_longer_by_half_a_stop() -> None:
    lengths = {1: np.array([1.0, 1.1, 11.2, 2.5]), 2: np.array([1.0, 5.9, 6.1])}
    assert stalls.hits(lengths, MANY) == (2, 7)


@pytest.mark.parametrize(
    ("outcome", "of", "met"),
    [
        (Outcome.NOT_WORSE, RARE, False),
        (Outcome.OPEN, RARE, True),
        (Outcome.WORSE, RARE, True),
        (Outcome.NOT_WORSE, SMALL, True),
    ],
)
def test_not_worse_needs_a_loss_below_a_tenth(outcome: Outcome, of: Stalls, met: bool) -> None:
    text, said = stalls.outcome_line("linpack", outcome, of)
    assert said is met
    assert text.startswith(f"linpack: {outcome.value} by compare")


@pytest.mark.slow
def test_real_stops_at_random_cost_what_they_should(capsys: pytest.CaptureFixture[str]) -> None:
    stalls.main(["--sweep", "--busy", "--only", "10/80", "--blocks", "6"])
    lines = capsys.readouterr().out.splitlines()
    before, after = ([line for line in lines if line.startswith(f"stalls, {name}, ")] for name in ("none", "10/80"))
    assert len(before) == 2 and len(after) == 4
    totals = [float(line.partition("total ")[2].split()[0]) for line in (before[0], after[0])]
    assert totals[1] < 0.8 * totals[0]
    assert not any("not worse" in line for line in after)


@pytest.mark.slow
def test_real_stops_cost_work(capsys: pytest.CaptureFixture[str]) -> None:
    stalls.main(["--stop", "0.15", "--every", "0.3", "--blocks", "6", "--seconds", "0.6"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    totals = [float(line.partition("total ")[2].split()[0]) for line in lines]
    assert all(total < 0.85 for total in totals)
