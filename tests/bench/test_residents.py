"""The arithmetic of what silent residents cost."""

from __future__ import annotations

import math
import os
import subprocess

import pytest

from bench.residents import NOTHING, Visit, activity, before, below, presence, rows, untraced


def rounds(cost: float, *, memory: float = 0.0, drift: float = 1.0, count: int = 6) -> list[list[Visit]]:
    """A box that costs a share while it runs, and another one by being there; the host becomes faster by the factor
    from visit to visit.
    """
    found, speed = [], 1e6
    for _ in range(count):
        visits = []
        for name, share, present in ((NOTHING, 0.0, 0.0), ("box", cost, memory)):
            stopped = speed * (1 - present)
            visits.append(Visit(name, {"cpu": stopped * (1 - share)}, {"cpu": stopped}))
            speed *= drift
        found.append(visits)
    return found


@pytest.mark.parametrize("drift", [1.0, 0.97, 1.2])
def test_what_residents_do_is_found_whatever_the_host_drifts_by(drift: float) -> None:
    found = activity(rounds(0.03, memory=0.2, drift=drift))
    assert found.keys() == {("cpu", NOTHING), ("cpu", "box")}
    assert found["cpu", NOTHING] == pytest.approx([0.0] * 6, abs=1e-12)
    assert found["cpu", "box"] == pytest.approx([math.log(0.97)] * 6)


def test_that_residents_are_there_is_found_in_their_round() -> None:
    found = presence(rounds(0.0, memory=0.2))
    assert found == {("cpu", "box"): pytest.approx([math.log(0.8)] * 6)}
    both = presence(rounds(0.19, memory=0.2))
    assert both["cpu", "box"] == pytest.approx([math.log(0.8) + math.log(0.81) / 2] * 6)


def test_each_workload_has_its_own_cost() -> None:
    visit = Visit("box", {"cpu": 4.0, "disk": 5.0}, {"cpu": 4.0, "disk": 10.0})
    nothing = Visit(NOTHING, {"cpu": 4.0, "disk": 10.0}, {"cpu": 4.0, "disk": 10.0})
    found = activity([[visit, nothing]])
    assert found["cpu", "box"] == [0.0] == found["disk", NOTHING]
    assert found["disk", "box"] == [pytest.approx(math.log(0.5))]


def test_a_row_has_the_ratio_and_from_six_rounds_on_an_interval() -> None:
    _, box, nothing = rows(activity(rounds(0.03)))
    assert box.split() == ["cpu", "box", "0.9700", "0.9700", "to", "0.9700", "0.0000"]
    assert nothing.split()[:4] == ["cpu", "nothing", "(A/A)", "1.0000"]
    few = list(rows(activity(rounds(0.03, count=5))))
    assert few[1].split() == ["cpu", "box", "0.9700", "-", "0.0000"]


def test_the_processes_of_residents_are_found() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"], start_new_session=True) as shell:
        try:
            while len(mine := below(shell.pid)) < 1:
                pass
            assert mine <= below(os.getpid()) and shell.pid in below(os.getpid())
            assert untraced([shell.pid, *mine, 1 << 30]) == {shell.pid, *mine}
        finally:
            for one in (*below(shell.pid), shell.pid):
                os.kill(one, 9)


def test_a_call_does_something_before() -> None:
    said: list[str] = []
    assert before(lambda: said.append("first"), lambda *given: [*said, *given])("then") == ["first", "then"]
