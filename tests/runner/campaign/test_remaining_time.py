from virtometer.model import Failure, FailureKind, Placement, Trial, TrialRecord
from virtometer.runner.campaign.remaining_time import RemainingTime, TimeLeft

WINDOWS = {"w": 1.0, "own": None}


def trial(index: int, group: int, workload: str = "w", environment: str = "native") -> Trial:
    return Trial(index, 0, index, group, (Placement(environment, workload),))


def record(of: Trial, wall_s: float, failure: Failure | None = None) -> TrialRecord:
    return TrialRecord(of, failure, "", wall_s, 0, None, (), ())


def test_the_plan_is_used_until_something_was_seen() -> None:
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
