"""Commands of users in environments: real processes that take turns run by run, compared by time and by answer."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from tests.sentences import Said
from virtometer.analysis import analyse
from virtometer.model import Campaign, FailureKind, MarkKind, Plan, Run, TrialRecord
from virtometer.runner.campaign import execute as campaigns
from virtometer.runner.lab.agent import agent_path

# Guests that have one program alone, the agent, which is found on the PATH in all environments.
KINDS = ("native", "bubblewrap", "runc")
PATIENT = {"start_s": 60, "prepare_s": 30, "run_extra_s": 30, "answer_s": 20, "clock_error": 0.5}


@pytest.fixture
def measured(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> Any:
    """Run a campaign of one command in turns. Skips where an environment does not work here."""

    def run(
        parameters: Mapping[str, object],
        kinds: Sequence[str] = KINDS,
        *,
        scheduling: str = "interleaved",
        limits: Mapping[str, float] = PATIENT,
    ) -> Campaign:
        environments: list[Document] = [{"name": kind, "kind": kind} for kind in kinds]
        work = {"name": "it", "workload": "command", "op": "time", "parameters": parameters, "scheduling": scheduling}
        plan = make_plan(
            environments, [work], limits={**PATIENT, **limits}, unavailable="skip", fresh="block", seconds=0.2
        )
        campaign = campaigns.begin(resolved(plan), "text", tmp_path / "campaign", 7, watcher)
        for state in campaign.environments:
            if not state.works:
                pytest.skip(f"{state.name} does not work here: {state.reason} ({state.advice})")
        return campaign

    return run


def run_of(record: TrialRecord) -> Run:
    assert (record.status, record.reason) == ("done", "")
    (run,) = record.runs
    return run


def test_runs_of_a_command_take_turns_and_are_compared(measured: Any, agent: Path) -> None:
    campaign = measured({"command": "virtometer-agent kernels --json", "env": {"PATH": f"/:{agent.parent}"}})
    runs = {run.placement.environment: run for run in map(run_of, campaign.trials)}
    assert runs.keys() == set(KINDS)
    assert {(run.conditions["status"], run.conditions["answer"]) for run in runs.values()} == {
        ("0", runs["native"].conditions["answer"])
    }
    for run in runs.values():
        assert run.unit == "s" and run.scored.value > 0
        assert all(sample.work == 1 for sample in run.samples), "a sample is a run"
        assert {"user", "system"} <= run.reported.measures.keys()
    slices = sorted(
        (run.scored.clock.to_host_ns(sample.start_ns), name, sample.slice)
        for name, run in runs.items()
        for sample in run.samples
        if sample.slice is not None and sample.slice >= 0
    )
    turns = [turn for turn, _ in itertools.groupby((number, name) for _, name, number in slices)]
    assert len(turns) == len(set(turns)), "one that has had its turn of a round waits for the others"
    rounds = [{name for number, name in turns if number == wanted} for wanted in range(5)]
    assert rounds == [set(KINDS)] * 5
    (first, second) = [one for one in analyse(campaign).findings if one.subject != "native"]
    assert first.unlike == second.unlike == ()


def test_another_answer_is_not_comparable(measured: Any, tmp_path: Path) -> None:
    script = tmp_path / "virtometer-agent"
    script.write_text("#!/bin/sh\necho 'something else'\n")
    script.chmod(0o755)
    found = {"command": "virtometer-agent --version", "env": f"PATH={tmp_path}:/:/bin"}
    campaign = measured(found, ("native", "bubblewrap"))
    assert len({run_of(record).conditions["answer"] for record in campaign.trials}) == 2
    (finding,) = [one for one in analyse(campaign).findings if one.subject != "native"]
    assert "answer" in finding.unlike


def test_a_command_that_is_missing_in_one_environment_fails_there_alone(measured: Any, said: Said) -> None:
    campaign = measured({"command": "/bin/sh -c :"}, ("native", "bubblewrap"))
    by_name = {record.trial.placements[0].environment: record for record in campaign.trials}
    run_of(by_name["native"])
    assert by_name["bubblewrap"].failure is not None
    assert by_name["bubblewrap"].failure.kind == FailureKind.UNAVAILABLE
    said(by_name["bubblewrap"].reason)


@pytest.mark.parametrize("scheduling", ["interleaved", "continuous"])
def test_a_run_may_last_as_long_as_its_own_limit(measured: Any, scheduling: str) -> None:
    short = {"prepare_s": 0.2, "run_extra_s": 0.1}
    slow = {"command": "sleep 0.5", "timeout": 60}
    (record,) = measured(slow, ("native",), scheduling=scheduling, limits=short).trials
    assert all(sample.end_ns - sample.start_ns >= 5e8 for sample in run_of(record).samples)


HOSTILE = {
    "never ends": "setsid sleep 1000.75 & trap '' TERM; while :; do :; done",
    "status": "echo last words >&2; exit 3",
    "signal": "kill -9 $$",
    "another answer": "echo $$",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_command_fails_with_a_sentence(measured: Any, said: Said, name: str) -> None:
    (record,) = measured({"command": HOSTILE[name], "shell": True, "timeout": 0.5}, ("native",)).trials
    assert record.failure is not None and record.failure.kind == FailureKind.AGENT
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(b"1000.75" in line for line in running)
    said(re.sub(r"[0-9a-f]{16}", "DIGEST", record.reason))


def in_turns(make_plan: MakePlan, commands: Mapping[str, str]) -> Plan:
    """A plan of commands that take turns with each other, natively and in bubblewrap."""
    environments: list[Document] = [{"name": kind, "kind": kind} for kind in ("native", "bubblewrap")]
    works: list[Document] = [
        {
            "name": name,
            "workload": "command",
            "op": "time",
            "parameters": {"command": one},
            "scheduling": "interleaved",
        }
        for name, one in commands.items()
    ]
    more = {"fresh": "block", "turns": "commands", "seconds": 0.2, "limits": PATIENT}
    return make_plan(environments, works, **more)


def test_commands_take_turns_with_each_other(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> None:
    lines = {"version": "virtometer-agent --version", "kernels": "virtometer-agent kernels"}
    plan = in_turns(make_plan, lines)
    for work in plan.workloads:
        work.parameters["env"] = {"PATH": f"/:{agent_path().parent}"}
    campaign = campaigns.begin(resolved(plan), "text", tmp_path / "campaign", 7, watcher)
    runs = {(run.placement.environment, run.placement.workload): run for run in map(run_of, campaign.trials)}
    assert len(runs) == 4
    slices = sorted(
        (run.scored.clock.to_host_ns(sample.start_ns), key, sample.slice)
        for key, run in runs.items()
        for sample in run.samples
    )
    turns = [turn for turn, _ in itertools.groupby((number, key) for _, key, number in slices)]
    assert len(turns) == len(set(turns)), "one that has had its turn of a round waits for all others"
    orders = [[key for number, key in turns if number == wanted] for wanted in range(5)]
    assert all(set(order) == runs.keys() for order in orders) and len(set(map(tuple, orders))) > 1
    starts = {run.guest_id for run in runs.values()}
    assert len(starts) == 2, "the commands of an environment share a guest"
    assert {environment for _, environment in analyse(campaign).commands} <= {"native", "bubblewrap"}


def test_a_command_that_ends_its_guest_takes_no_other_one_with_it(
    tmp_path: Path, watcher: Watcher, make_plan: MakePlan
) -> None:
    # Its parent is the agent.
    plan = in_turns(make_plan, {"good": "true", "bad": "sh -c 'kill -9 $PPID'", "also good": "sh -c :"})
    plan = plan.model_copy(update={"environments": plan.environments[:1]})
    other = plan.environments[0].model_copy(update={"name": "other"})
    plan = plan.model_copy(update={"environments": [plan.environments[0], other]})
    campaign = campaigns.begin(resolved(plan), "text", tmp_path / "campaign", 7, watcher)
    assert len(campaign.trials) == 6
    for record in campaign.trials:
        if record.trial.placements[0].workload == "bad":
            assert record.failure is not None and record.failure.kind is FailureKind.GUEST
        else:
            assert (record.status, record.reason) == ("done", "")
            assert MarkKind.AGAIN in {mark.kind for mark in record.marks}
