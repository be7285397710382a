"""What is counted of comparisons of an environment with itself."""

from pathlib import Path

from bench import aa
from bench.campaigns import Measured, add_rows, plan_of, read_rows
from tests.analysis.simulated_campaigns import Place, Work, simulate
from tests.sentences import Said


def row(campaign: int, workload: str, verdict: str, low: float = 0.98, high: float = 1.02) -> dict[str, str]:
    return {
        "campaign": str(campaign), "kind": "native", "budget_s": "60", "wall_s": "50.5", "workload": workload,
        "low": str(low), "high": str(high), "verdict": verdict,
    }  # fmt: skip


def test_a_campaign_counts_once_however_many_claims_it_makes(said: Said) -> None:
    rows = [row(number, "linpack", "equivalent") for number in range(20)]
    rows += [row(0, "triad", "slower", 0.9, 0.95), row(0, "disk", "faster", 1.02, 1.1)]
    lines, explained = aa.summary(rows)
    assert "1 of 20 " in lines[0]
    said(lines[0])
    assert lines[1] == "  20 equivalent, 1 slower, 1 faster"
    assert lines[2].startswith("  linpack: 1 is in the interval of 20 of 20 ")
    assert lines[3].startswith("  triad: 1 is in the interval of 0 of 1 ")
    assert explained


def test_more_false_claims_than_chance_explains_fail() -> None:
    rows = [row(number, "linpack", "slower" if number < 5 else "undecided") for number in range(20)]
    lines, explained = aa.summary(rows)
    assert "5 of 20" in lines[0] and not explained


def test_a_campaign_without_an_interval_is_counted() -> None:
    rows = [row(1, "linpack", "undecided") | {"low": "", "high": ""}]
    lines, explained = aa.summary(rows)
    assert lines[-1] == "  linpack: 1 is in the interval of 0 of 0" and explained


def test_rows_are_those_of_the_second_environment(tmp_path: Path) -> None:
    def noise(_block: int, _time: float, rng: object) -> float:
        return float(rng.normal(0, 0.003))  # type: ignore[attr-defined]

    campaign = simulate([Place("first"), Place("second")], [Work("linpack")], blocks=12, noise=noise, budget_s=60)
    rows = aa.rows_of(Measured(campaign, 41.27), 3, "native")
    assert [(one["campaign"], one["workload"], one["verdict"]) for one in rows] == [(3, "linpack", "equivalent")]
    add_rows(tmp_path / "rows.csv", rows)
    assert "0 of 1" in aa.summary(read_rows(tmp_path / "rows.csv"))[0][0]


def test_its_plan_follows_the_products_rule_of_stopping() -> None:
    plan = plan_of(aa.plan_text("native", 60))
    assert plan.budget_s == 60 and plan.control and len(plan.workloads) == 5
