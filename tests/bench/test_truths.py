"""What is counted of slowdowns with a known size, and one real campaign."""

import sys
from pathlib import Path

import pytest

from bench import truths
from bench.campaigns import Measured, add_rows, extra_kinds, plan_of, read_rows
from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.model import Mark, MarkKind

ROOT = Path(__file__).parents[2]


def row(campaign: int, extra: float, verdict: str, *, holds: bool, budget: float = 120) -> dict[str, str]:
    return {
        "campaign": str(campaign), "budget_s": str(budget), "wall_s": str(100 + campaign), "workload": "linpack",
        "extra": str(extra), "verdict": verdict, "holds": str(int(holds)),
    }  # fmt: skip


def test_the_summary_counts_what_was_found_and_what_intervals_hold() -> None:
    rows = [
        row(1, 0, "equivalent", holds=True),
        row(2, 0, "slower", holds=False),
        row(1, 0.05, "slower", holds=True),
        row(2, 0.05, "undecided", holds=True),
        row(3, 0.05, "faster", holds=False),
        row(4, 0.02, "slower", holds=True, budget=300),
    ]
    lines = truths.summary(rows)
    assert lines[0] == "budget 120 s: 3 campaigns, the longest took 103 s"
    half = "1 of 2 (50%, 9% to 91%)"
    assert lines[1] == f"  +0 %: false claims {half}, in {half} campaigns; the truth is in {half}"
    found = "found 1 of 3 (33%, 6% to 79%), 1 called faster; the truth is in 2 of 3 (67%, 21% to 94%)"
    assert lines[3:5] == [f"  +5 %: {found}", f"    +5 %, linpack: {found}"]
    assert lines[5] == "  all intervals: the truth is in 3 of 5 (60%, 23% to 88%)"
    assert lines[6] == "budget 300 s: 1 campaigns, the longest took 104 s"
    assert lines[7].startswith("  +2 %: found 1 of 1 ")


def biased(campaign: int, extra: str, ratio: float, workload: str = "system call") -> dict[str, str]:
    truth = 1 / (1 + truths.added(extra))
    return row(campaign, 0, "", holds=True) | {
        "workload": workload, "extra": extra, "truth": f"{truth:.6f}", "ratio": f"{ratio * truth:.6f}"
    }  # fmt: skip


def test_the_bias_is_reported_alone_and_by_the_placebo_of_the_same_campaign() -> None:
    """Slowdowns lie 0.1 % below the truth, as the placebo does: it is the patch. Campaigns differ by up to 0.2 %."""
    rows = []
    for campaign, drift in enumerate((1.0, 1.002, 0.998, 1.001), 1):
        rows += [biased(campaign, "placebo", 0.999 * drift), biased(campaign, "0.02", 0.999 * drift)]
        rows += [biased(campaign, "0.0", drift), biased(campaign, "0.02", 1.0, "linpack")]
    lines = truths.biases(rows)
    assert [line.partition(":")[0] for line in lines] == [
        "bias of placebo, system call",
        "bias of +0 %, system call",
        "bias of +2 %, system call",
        "bias of +2 %, linpack",
    ]
    assert lines[0] == "bias of placebo, system call: -0.075 % ±0.272 % (4)"
    assert lines[1].endswith("; by placebo: +0.100 % ±0.000 % (4)")
    assert lines[2].endswith("; by placebo: +0.000 % ±0.000 % (4)")
    assert "by" not in lines[3].partition("bias")[2], "no placebo beside it"


def test_in_files_without_a_placebo_the_agent_that_adds_nothing_stands_for_it() -> None:
    rows = [biased(1, "0.0", 1.001), biased(1, "0.05", 1.001), biased(2, "0.05", 0.99)]
    (own, other) = truths.biases(rows)
    assert own == "bias of +0 %, system call: +0.100 % (1)"
    assert other.endswith("; by +0 %: +0.000 % (1)")


def test_the_placebo_has_a_row_of_its_own_and_its_claims_are_false_ones(tmp_path: Path) -> None:
    places = [Place("native"), Place("+2 %", efficiency={"": 1 / 1.02}), Place("placebo")]
    campaign = simulate(places, [Work("linpack")], blocks=8, budget_s=120, margin=0.01)
    rows = truths.rows_of(Measured(campaign, 60.0), 1, [0.02])
    assert [(one["extra"], one["truth"]) for one in rows] == [(0.02, 1 / 1.02), ("placebo", 1.0)]
    add_rows(tmp_path / "rows.csv", rows)
    lines = truths.summary(read_rows(tmp_path / "rows.csv"))
    assert lines[1].startswith("  placebo: false claims 0 of 1")
    assert any(line.startswith("  bias of +2 %, linpack: ") and "; by placebo: " in line for line in lines)


@pytest.mark.parametrize("placebo", [True, False])
def test_the_plan_has_the_placebo_unless_it_is_left_out(placebo: bool) -> None:
    with extra_kinds(truths.Slower):
        plan = plan_of(truths.plan_text([0.02], 60, 0.01, placebo=placebo))
    settings = {one.name: one.settings for one in plan.environments}
    assert settings["+2 %"] == {"extra": 0.02}
    assert settings.get("placebo") == ({"extra": 0.02, "placebo": True} if placebo else None)


def test_a_row_has_truth_and_interval(tmp_path: Path) -> None:
    def noise(_block: int, _time: float, rng: object) -> float:
        return float(rng.normal(0, 0.003))  # type: ignore[attr-defined]

    places = [Place("native"), Place("+0 %"), Place("+5 %", efficiency={"": 1 / 1.05}), Place("+10 %")]
    foreign, steal = Mark(MarkKind.FOREIGN, "others worked"), Mark(MarkKind.STEAL, "a hypervisor took time")
    marks = {3: (foreign, steal), 4: (foreign,)}
    campaign = simulate(places, [Work("linpack")], blocks=12, noise=noise, budget_s=120, margin=0.01, marks=marks)
    rows = truths.rows_of(Measured(campaign, 61.26), 7, [0, 0.05, 0.1])
    assert [one["extra"] for one in rows] == [0, 0.05, 0.1]
    assert rows[1]["truth"] == 1 / 1.05 and rows[1]["verdict"] == "slower" and rows[1]["holds"] == 1
    assert rows[2]["verdict"] != "slower" and rows[2]["holds"] == 0
    assert {one["wall_s"] for one in rows} == {61.3}
    assert {one["marked"] for one in rows} == {"48 trials, 2 foreign, 1 steal"}
    add_rows(tmp_path / "rows.csv", rows)
    assert "false claims 0 of 1" in truths.summary(read_rows(tmp_path / "rows.csv"))[1]


def test_its_plan_follows_the_products_rule_of_stopping() -> None:
    with extra_kinds(truths.Slower):
        plan = plan_of(truths.plan_text([0, 0.025], 60, 0.01))
    assert plan.stops_by_rule and plan.control and plan.budget_s == 60 and plan.margin == 0.01
    assert [one.name for one in plan.environments] == ["native", "+0 %", "+2.5 %", "placebo"]
    assert {one.scheduling for one in plan.workloads} == {"interleaved"}


@pytest.mark.slow
def test_a_real_campaign_finds_twice_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rows.csv"
    monkeypatch.setenv("VIRTOMETER_AGENT", "")
    options = ["--campaigns", "1", "--budget", "10", "--extra", "0,1", "--seconds", "0.1", "--file", str(file)]
    monkeypatch.setattr(sys, "argv", ["truths", *options])
    assert truths.main() == 0
    rows = {(one["workload"], one["extra"]): one for one in read_rows(file)}
    assert len(rows) == 15
    assert float(rows["system call", "placebo"]["ratio"]) > 0.8, "as fast as the agent that is not patched so"
    assert all(float(rows[name, "1.0"]["ratio"]) < 0.8 for name in ("linpack", "system call"))
    said = capsys.readouterr().out
    assert "+100 %: found" in said
    assert "bias of +100 %, system call: " in said


def test_the_methodology_says_what_the_record_holds() -> None:
    rows = read_rows(ROOT / "bench" / "records" / "truths.csv")
    campaigns = {one["campaign"] for one in rows}
    told = (ROOT / "bench" / "records" / "truths.md").read_text().splitlines()
    [said] = [line for line in told if line.startswith("| ") and "bench/records/truths.csv" in line]
    assert said.startswith(f"| `truths`, {len(campaigns)} campaigns of ")
    same = [one for one in rows if truths.added(one["extra"]) == 0]
    claimed = {one["campaign"] for one in same if one["verdict"] in ("slower", "faster")}
    assert f"a claim of the same agent in {len(claimed)} of {len(campaigns)} campaigns" in said
    for extra in ("0.02", "0.05"):
        found = [one["verdict"] == "slower" for one in rows if one["extra"] == extra]
        assert f"+{float(extra) * 100:g} %: {sum(found)} of {len(found)}" in said
    page = " ".join((ROOT / "README.md").read_text().split())
    assert f"different from itself in {len(claimed)} of {len(campaigns)} campaigns" in page
    assert f"{sum(found)} of {len(found)} comparisons" in page
    for part in (rows, same):
        assert f"{sum(one['holds'] == '1' for one in part)} of {len(part)} intervals" in said
