"""Which operations are measured both ways, and what is said of the difference."""

import pytest

from bench import both_ways
from bench.campaigns import plan_of
from tests.analysis.simulated_campaigns import Place, Work, simulate
from virtometer.agent_table import operations
from virtometer.model import Estimate


def test_all_operations_are_asked_and_those_that_take_turns_stand_twice() -> None:
    names = both_ways.taking_turns(["runc"], 0.25)
    assert {("linpack", op) for op in operations("linpack")} <= set(names)
    assert {("memory", op) for op in operations("memory")} <= set(names)
    assert {("os", op) for op in operations("os")} <= set(names)
    assert ("disk", "random-write") in names and ("net", "request-response") in names
    assert ("net", "stream") not in names and ("disk", "create-random") not in names
    plan = plan_of(both_ways.plan_text(["runc"], names[:2], 6, 0.25, "both"))
    assert [(one.name, one.scheduling) for one in plan.workloads] == [
        ("linpack classic", "interleaved"),
        ("linpack classic, long window", "continuous"),
        ("linpack left-looking", "interleaved"),
        ("linpack left-looking, long window", "continuous"),
    ]


def test_the_difference_is_of_the_same_guests_and_blocks() -> None:
    def noise(_block: int, _time: float, rng: object) -> float:
        return float(rng.normal(0, 0.002))  # type: ignore[attr-defined]

    efficiency = {"os fork": 0.5, "os fork, long window": 0.4, "os pipe": 0.8, "os pipe, long window": 0.8}
    works = [Work(name, "os", "fork", "s", 1e-4) for name in efficiency]
    campaign = simulate([Place("native"), Place("runc", efficiency=efficiency)], works, blocks=10, noise=noise)
    rows = {row[0]: row for row in both_ways.compared(campaign)}
    assert list(rows) == ["os fork", "os pipe"]
    _, environment, short, long, apart = rows["os fork"]
    assert environment == "runc" and apart.n == 10
    assert short.value == pytest.approx(0.5, rel=0.01) and long.value == pytest.approx(0.4, rel=0.01)
    assert apart.value == pytest.approx(1.25, rel=0.01)
    lines = both_ways.table_of(campaign)
    assert lines[1].startswith("os fork ") and lines[1].endswith("differs")
    assert lines[2].startswith("os pipe ") and lines[2].endswith("within")


def test_an_interval_over_the_limit_decides_nothing() -> None:
    assert both_ways.word(Estimate(value=1.02, low=1.005, high=1.035, n=6)) == ""
    assert both_ways.word(Estimate(value=1.02, low=None, high=None, n=1)) == ""


@pytest.mark.slow
def test_a_real_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    assert both_ways.main(["bubblewrap", "--minutes", "0.1", "--seconds", "0.2", "--only", "system-call"]) == 0
    assert "os system-call              bubblewrap" in capsys.readouterr().out
