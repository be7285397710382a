"""How long workloads work in a trial, as far as it is known before anything ran."""

import pytest

from tests.runner.fixtures import Document
from virtometer.model import Plan
from virtometer.runner.campaign.windows import may_end_early, windows


@pytest.mark.parametrize(("workload", "op", "parameters", "seconds", "window"), [
    ("linpack", "classic", {"size": 500}, 0.4, 0.4),
    ("linpack", "classic", {"size": 8000}, 5, None),
    ("linpack", "classic", {"size": 8000, "convention": "published"}, 1800, 1800),
    ("memory", "triad", {"size": "64M"}, 0.4, 0.4),
    ("memory", "triad", {"size": "8G"}, 5, 5),
    ("pde", "jacobi", {"interlines": 100}, 1, 1),
    ("pde", "jacobi", {"interlines": 100, "iterations": 8000}, 30, None),
    ("pde", "jacobi", {"interlines": 100, "precision": 4}, 30, None),
    ("pde", "jacobi", {"interlines": 10000}, 5, None),
    ("disk", "random-read", {}, 1, 1),
    ("disk", "char-write", {"span": "64M"}, 0.5, None),
    ("disk", "create-random", {"files": 1024}, 0.5, None),
    ("fio", "random-read", {"seconds": 7}, 1, 7),
    ("ab", "get", {}, 1, None),
    ("net", "stream", {}, 1, 1),
    ("os", "fork", {}, 1, 1),
    ("clock", "watch", {}, 1, 1),
])  # fmt: skip
def test_which_work_ends_with_its_window(
    workload: str, op: str, parameters: Document, seconds: float, window: float | None
) -> None:
    plan = Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "environments": [{"name": "native", "kind": "native"}],
            "workloads": [{"name": "w", "workload": workload, "op": op, "parameters": parameters, "seconds": seconds}],
        }
    )
    assert windows(plan) == {"w": window}
    assert not may_end_early(plan)


def test_runs_may_end_before_the_window() -> None:
    plan = Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "environments": [{"name": "native", "kind": "native"}],
            "workloads": [{"name": "w", "workload": "linpack", "op": "classic", "parameters": {"runs": 10}}],
        }
    )
    assert may_end_early(plan)


def test_each_workload_has_its_own_window_or_that_of_the_plan() -> None:
    plan = Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "seconds": 2.5,
            "environments": [{"name": "native", "kind": "native"}],
            "workloads": [
                {"name": "plan's", "workload": "os", "op": "fork"},
                {"name": "own", "workload": "os", "op": "fork", "seconds": 0.5},
                {"name": "unknown", "workload": "ab", "op": "get"},
            ],
        }
    )
    assert windows(plan) == {"plan's": 2.5, "own": 0.5, "unknown": None}
    assert not may_end_early(plan)
