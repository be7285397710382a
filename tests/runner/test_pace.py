from virtometer.model import Placement, Plan, Trial
from virtometer.runner.pace import Pace


def plan():
    return Plan.model_validate(
        {
            "virtometer": 1,
            "name": "p",
            "seconds": 1.0,
            "environments": [{"name": "native", "kind": "native"}],
            "workloads": [{"name": "w", "workload": "linpack", "op": "classic"}],
        }
    )


def trial(index, group):
    return Trial(index, 0, index, group, (Placement("native", "w"),))


def test_the_plan_is_believed_until_something_was_seen():
    pace = Pace(plan())
    guess = pace.left_s([trial(0, 0), trial(1, 0)])
    assert 2.0 < guess < 6.0
    pace.trial(trial(0, 0), 10.0)
    pace.trial(trial(1, 0), 20.0)
    pace.start("native", 3.0)
    assert pace.left_s([trial(2, 1), trial(3, 1)]) == 2 * 15.0 + 3.0
    assert pace.left_s([trial(2, 1), trial(3, 2)]) == 2 * 15.0 + 2 * 3.0
    assert pace.left_s([]) == 0.0
