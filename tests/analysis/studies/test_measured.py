"""Series of campaigns in the words of descriptions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.analysis.simulated_campaigns import Place, Work, changed, simulate, with_runs
from tests.analysis.studies.hand_made import ALONE, NATIVE, levels, linpack, made
from virtometer.analysis import analyse
from virtometer.analysis.studies.measured import Situation, facts_of, holds, measured_in
from virtometer.model import Placement, Plan, PlanWorkload, Trial

BOX = Place("box", "runc", {"": 0.5}, settings={"bits": 32})
WORKS = [linpack(1000, 1e9), Work("send", "net", "stream", "B/s", 1e8)]


def work(**fields: object) -> PlanWorkload:
    return PlanWorkload.model_validate({"name": "w", **fields})


def test_facts_have_defaults_numbers_and_the_order() -> None:
    facts = facts_of(work(workload="memory", op="write", parameters={"size": "32M"}, threads=2))
    assert (facts["workload"], facts["op"], facts["size"], facts["type"], facts["threads"]) == (
        "memory", "write", 32 << 20, "float", 2,
    )  # fmt: skip
    assert facts_of(work(workload="linpack", op="classic", parameters={"size": 500}))["order"] == 500
    published = {"size": 4000, "convention": "published"}
    assert facts_of(work(workload="linpack", op="classic", parameters=published))["order"] == 2000


def test_facts_of_a_tool_are_its_own_parameters() -> None:
    facts = facts_of(work(workload="ab", op="get", parameters={"concurrency": 5}))
    assert facts == {"concurrency": 5, "workload": "ab", "op": "get", "threads": 1}


def test_holds_needs_every_wanted_fact() -> None:
    assert holds({"a": 1, "b": "x"}, {"a": 1})
    assert not holds({"a": 1}, {"b": "x"})
    assert holds({}, {})


def test_guests_alone_have_their_cell_and_their_measures() -> None:
    found = measured_in(made([NATIVE, BOX], WORKS, levels([NATIVE, BOX], WORKS), swing=0.0))
    assert [(one.place.name, one.place.bits, one.facts["workload"]) for one in found] == [
        ("native", 64, "linpack"), ("box", 32, "linpack"), ("native", 64, "net"), ("box", 32, "net"),
    ]  # fmt: skip
    assert all(one.situation == Situation() and one.data is not None for one in found)
    assert found[1].values == pytest.approx(dict.fromkeys(range(8), 5e8))
    assert found[1].against(found[0]) == pytest.approx(dict.fromkeys(range(8), 1e9))
    assert found[0].of_measure("nothing") == {}


def test_processors_of_the_host_are_cost_by_value() -> None:
    (native, *_) = measured_in(analyse(simulate([Place("native")], [linpack(1000, 1e9)])))
    assert native.cpus == pytest.approx(dict.fromkeys(range(8), 1.0), rel=0.05)


def test_processors_that_the_agent_used_are_its_time_by_that_of_its_samples() -> None:
    campaign = simulate([Place("native")], [linpack(1000, 1e9)])
    run = campaign.trials[0].runs[0]
    sampled_s = sum(one.end_ns - one.start_ns for one in run.samples) * 1e-9
    busy = with_runs(campaign, lambda one: changed(one, agent_cpu_s=1.5 * sampled_s))
    assert measured_in(analyse(busy))[0].of_measure("agent-cpu") == pytest.approx(dict.fromkeys(range(8), 1.5))
    tool = with_runs(campaign, lambda one: replace(one, samples=()))
    assert measured_in(analyse(tool))[0].of_measure("agent-cpu") == {}


def test_every_combination_of_guests_has_its_situation() -> None:
    scenarios: list[dict[str, Any]] = [
        {"name": "growing", "type": "together", "environment": "box", "workloads": ["linpack 1000"], "guests": [1, 2]},
        {"name": "pair", "type": "pair", "environment": "box", "workloads": ["send"]},
        {"name": "mixed", "type": "mixed", "environment": "box", "workloads": ["send", "linpack 1000"], "guests": [2]},
        {"name": "copies", "type": "instances", "environment": "box", "workloads": ["linpack 1000"], "count": [2]},
        {
            "name": "loaded", "type": "loaded", "environment": "box", "workloads": ["send"],
            "load": {"workload": "linpack 1000", "guests": 2},
        },
        ALONE,
    ]  # fmt: skip
    found = measured_in(made([NATIVE, BOX], WORKS, levels([NATIVE, BOX], WORKS), scenarios))
    situations = {(one.facts["workload"], one.situation, one.number) for one in found if one.place.name == "box"}
    assert {
        ("linpack", Situation(), 1),
        ("linpack", Situation("together", 2), 1),
        ("linpack", Situation("together", 2), 2),
        ("net", Situation("pair", target=("box", 2)), 1),
        ("net", Situation("mixed", 2, beside=("linpack",)), 2),
        ("linpack", Situation("mixed", 2, beside=("net",)), 1),
        ("linpack", Situation("instances", 2), 2),
        ("net", Situation("loaded", 3, loads=("linpack", "linpack")), 1),
    } <= situations
    alone = [one for one in found if one.place.name == "box" and one.situation == Situation()]
    assert len(alone) == 2  # a single guest of a scenario is no second series


def test_guests_that_take_turns_are_one_guest_alone_by_their_geometric_mean() -> None:
    """Each guest of the largest number works alone too, and which one comes first is chance."""
    sending = Work("send", "net", "request-response", "1/s", 1e4, scheduling="interleaved")
    growing = {"name": "growing", "type": "together", "environment": "box", "guests": [1, 2]}

    def rate(placement: Placement, _trial: Trial) -> float:
        return 1e4 if placement.guest == 1 else 4e4

    found = measured_in(made([NATIVE, BOX], [sending], rate, [growing], swing=0.0))
    [alone] = [one for one in found if one.situation == Situation()]
    assert alone.number == 1 and alone.values == pytest.approx(dict.fromkeys(range(8), 2e4))


def test_guests_of_groups_have_measures_and_the_processors_of_the_host() -> None:
    """Each guest had half a second of CPU time in a window of one, in which the host worked for one."""
    growing = {"name": "growing", "type": "together", "environment": "box", "workloads": ["send"], "guests": [2]}
    campaign = made([NATIVE, BOX], WORKS, levels([NATIVE, BOX], WORKS), [growing, ALONE], swing=0.0).campaign
    used = {"cpu-local": {"unit": "s/s", "value": 0.25}}
    found = measured_in(analyse(with_runs(campaign, lambda run: changed(run, measures=used))))
    two = [one for one in found if one.situation == Situation("together", 2)]
    assert [one.number for one in two] == [1, 2]
    for one in two:
        assert one.of_measure("cpu-local") == pytest.approx(dict.fromkeys(range(8), 0.25))
        assert one.of_measure("host-cpu-by-work") == pytest.approx(dict.fromkeys(range(8), 0.5 / 5e7))
        assert one.cpus == pytest.approx(dict.fromkeys(range(8), 0.5))
        assert one.busy == pytest.approx(dict.fromkeys(range(8), 1.0))


def test_tuning_is_that_of_an_environment_or_of_the_whole_plan() -> None:
    tuned = Place("tuned", "runc", settings={"tuning": [{"queue_length": 1000}]})
    places = [NATIVE, BOX, tuned]
    campaign = made(places, WORKS[:1], levels(places, WORKS[:1])).campaign
    assert {one.place.name: one.place.tuned for one in measured_in(analyse(campaign))} == {
        "native": False, "box": False, "tuned": True,
    }  # fmt: skip
    plan = Plan.model_validate({**campaign.plan.model_dump(), "tuning": [{"queue_length": 1000}]})
    assert all(one.place.tuned for one in measured_in(analyse(replace(campaign, plan=plan))))
