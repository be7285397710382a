"""What a command finds otherwise elsewhere: named, and not a reason to be incomparable."""

from __future__ import annotations

import pytest

from tests.analysis.simulated_campaigns import Place, Work, finding_of, simulate
from virtometer.analysis import Analysis, analyse
from virtometer.analysis.notes.circumstances import NAMED, UNREPORTED

COMMAND = Work("command", "command", "time", "s", 0.02)
OTHER = Work("other", "command", "time", "s", 0.02)


def place(name: str, **conditions: str) -> Place:
    return Place(name, conditions={"command": conditions, "other": conditions})


def test_what_differs_is_named_and_what_is_equal_is_not() -> None:
    same = {"user": "0:0", "program_digest": "a"}
    native, box = place("native", seccomp="off", **same), place("box", seccomp="filter", limit_stack="1", **same)
    campaign = simulate([native, box], [COMMAND, OTHER])
    found = analyse(campaign).circumstances
    assert [one.condition for one in found] == ["seccomp", "limit_stack"]
    assert found[0].values == {"native": "off", "box": "filter"}
    assert found[1].values == {"native": UNREPORTED, "box": "1"}
    assert finding_of(campaign, "box", "command").comparable


def test_another_program_is_not_comparable() -> None:
    campaign = simulate([place("native", program_digest="a"), place("box", program_digest="b")], [COMMAND])
    assert finding_of(campaign, "box", "command").unlike == ("program_digest",)
    assert analyse(campaign).circumstances == ()


def test_two_commands_are_two_programs_everywhere() -> None:
    def both(name: str, path: str) -> Place:
        return Place(name, conditions={"command": {"program_path": "/bin/a"}, "other": {"program_path": path}})

    assert analyse(simulate([both("native", "/bin/b"), both("box", "/bin/b")], [COMMAND, OTHER])).circumstances == ()
    (found,) = analyse(simulate([both("native", "/bin/b"), both("box", "/b")], [COMMAND, OTHER])).circumstances
    assert found.values["box"] == "command: /bin/a or other: /b"


def test_other_workloads_have_none() -> None:
    simulated = simulate([Place("native", conditions={"": {}}), Place("box", conditions={"memory": {"user": "1"}})])
    assert analyse(simulated).circumstances == ()
    assert "status" not in NAMED and "answer" not in NAMED


def test_a_reading_of_the_clock_is_the_median_and_named_only_where_it_clearly_differs() -> None:
    def campaign(there: str) -> Analysis:
        return analyse(
            simulate([place("native", clock_reading="20.0 ns"), place("box", clock_reading=there)], [COMMAND, OTHER])
        )

    near, far = campaign("28.0 ns"), campaign("31900.0 ns")
    assert near.clock_readings == {"native": pytest.approx(20e-9), "box": pytest.approx(28e-9)}
    assert near.circumstances == ()
    (found,) = far.circumstances
    assert found.values == {"native": "20 ns", "box": "31.9 µs"}
    assert next(one for one in far.findings if one.subject == "box").comparable


@pytest.mark.parametrize("text", ["", "fast", "-3 ns", "nan ns", "inf ns", "0.0 ns"])
def test_what_is_no_cost_of_a_reading_is_none(text: str) -> None:
    of = analyse(simulate([place("native", clock_reading="20.0 ns"), place("box", clock_reading=text)], [COMMAND]))
    assert list(of.clock_readings) == ["native"]


def test_a_quota_is_named_where_it_held_a_guest_back() -> None:
    def campaign(here: str, there: str) -> Analysis:
        return analyse(
            simulate([place("native", held_back_by_quota=here), place("box", held_back_by_quota=there)], [COMMAND])
        )

    assert campaign("0 of 9 periods", "0 of 20 periods").circumstances == ()
    (found,) = campaign("1 of 4 periods", "no").circumstances
    assert found.values == {"native": "in 25% of periods", "box": "no quota"}
    assert all(one.comparable for one in campaign("1 of 4 periods", "9 of 10 periods").findings)
