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
    assert [one.name for one in plan.environments] == ["native", "+0 %", "+2.5 %"]
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
    assert len(rows) == 10
    assert all(float(rows[name, "1.0"]["ratio"]) < 0.8 for name in ("linpack", "system call"))
    assert "+100 %: found" in capsys.readouterr().out


def test_the_methodology_says_what_the_record_holds() -> None:
    rows = read_rows(ROOT / "bench" / "records" / "truths.csv")
    campaigns = {one["campaign"] for one in rows}
    told = (ROOT / "METHODOLOGY.md").read_text().splitlines()
    [said] = [line for line in told if line.startswith("| ") and "bench/records/truths.csv" in line]
    assert said.startswith(f"| `truths`, {len(campaigns)} campaigns of ")
    same = [one for one in rows if float(one["extra"]) == 0]
    claimed = {one["campaign"] for one in same if one["verdict"] in ("slower", "faster")}
    assert f"a claim of the same agent in {len(claimed)} of {len(campaigns)} campaigns" in said
    for extra in ("0.02", "0.05"):
        found = [one["verdict"] == "slower" for one in rows if one["extra"] == extra]
        assert f"+{float(extra) * 100:g} %: {sum(found)} of {len(found)}" in said
    page = " ".join((ROOT / "README.md").read_text().split())
    assert f"different from itself in {len(claimed)} of {len(campaigns)}, " in page
    assert f"{sum(found)} of {len(found)} comparisons" in page
    for part in (rows, same):
        assert f"{sum(one['holds'] == '1' for one in part)} of {len(part)} intervals" in said
