import pytest

from tests.runner.fixtures import Document
from virtometer.model import Failure, FailureKind, Placement, Plan, Trial, TrialRecord
from virtometer.runner.remaining_time import RemainingTime, TimeLeft
from virtometer.runner.windows import may_end_early, windows

WINDOWS = {"w": 1.0, "own": None}


def trial(index: int, group: int, workload: str = "w", environment: str = "native") -> Trial:
    return Trial(index, 0, index, group, (Placement(environment, workload),))


def record(of: Trial, wall_s: float, failure: Failure | None = None) -> TrialRecord:
    return TrialRecord(of, failure, "", wall_s, 0, None, (), ())


def test_the_plan_is_believed_until_something_was_seen() -> None:
    pace = RemainingTime(WINDOWS)
    guess = pace.left([trial(0, 0), trial(1, 0)])
    assert 2.0 < guess.seconds < 6.0
    assert guess.unknown_trials == 0
    pace.trial(record(trial(0, 0), 10.0))
    pace.trial(record(trial(1, 0), 20.0))
    pace.start("native", 3.0)
    assert pace.left([trial(2, 1), trial(3, 1)]) == TimeLeft(2 * 15.0 + 3.0)
    assert pace.left([trial(2, 1), trial(3, 2)]) == TimeLeft(2 * 15.0 + 2 * 3.0)
    assert pace.left([]) == TimeLeft(0.0)


def test_work_with_an_end_of_its_own_is_not_guessed_but_seen_once_in_each_environment() -> None:
    pace = RemainingTime(WINDOWS)
    for environment in ("native", "uml"):
        pace.start(environment, 1.0)
    rest = [trial(2, 1, "own"), trial(3, 1, "own", "uml")]
    assert pace.left(rest) == TimeLeft(2.0, 2)
    pace.trial(record(trial(0, 0, "own"), 100.0))
    assert pace.left(rest) == TimeLeft(102.0, 1)
    ended = Failure(FailureKind.GUEST, "the guest ended before its agent said hello")
    pace.trial(record(trial(1, 0, "own", "uml"), 0.1, ended))
    assert pace.left(rest) == TimeLeft(102.0, 1)
    pace.trial(record(trial(1, 0, "own", "uml"), 0.1, Failure(FailureKind.UNAVAILABLE, "no network", 0)))
    assert pace.left(rest) == TimeLeft(102.1, 0)


@pytest.mark.parametrize(("workload", "op", "parameters", "seconds", "window"), [
    ("linpack", "classic", {"size": 500}, 0.4, 0.4),
    ("linpack", "classic", {"size": 8000}, 5, None),
    ("linpack", "classic", {"size": 8000, "convention": "published"}, 1800, 1800),
    ("memory", "triad", {"size": "64M"}, 0.4, 0.4),
    ("memory", "triad", {"size": "8G"}, 5, None),
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
