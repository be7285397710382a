"""Campaigns in which groups of guests work, with real guests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runner.fixtures import Document, MakePlan, Watcher, resolved
from virtometer.model import Campaign, TrialRecord
from virtometer.runner.campaign import execute as campaigns
from virtometer.store.ledger import Ledger

needs_runc = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("runc") is None, reason="runc needs root")
needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

WORKLOADS: list[Document] = [
    {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 50}},
    {"name": "disk", "workload": "disk", "op": "random-read"},
    {"name": "net", "workload": "net", "op": "stream"},
]

Measure = Callable[..., Campaign]


@pytest.fixture
def measure(tmp_path: Path, watcher: Watcher, make_plan: MakePlan) -> Measure:
    """One block of scenarios, read from the ledger."""

    def run(kinds: list[str], *scenarios: Document, **more: Any) -> Campaign:
        settings = more.pop("settings", {})
        environments: list[Document] = [{"name": kind, "kind": kind, "settings": settings} for kind in kinds]
        workloads = more.pop("workloads", WORKLOADS)
        limits = {"clock_error": 0.05, "start_s": 30, "prepare_s": 30, "run_extra_s": 30, "answer_s": 10}
        plan = make_plan(
            environments, workloads, scenarios=scenarios, seconds=0.3, limits=limits, **{"fresh": "block", **more}
        )
        campaigns.begin(resolved(plan), "text", tmp_path / "c", 7, watcher, beside=True)
        with Ledger.open(tmp_path / "c") as ledger:
            return ledger.read()

    return run


def done(campaign: Campaign) -> list[TrialRecord]:
    assert [(record.status, record.reason) for record in campaign.trials] == [("done", "")] * len(campaign.planned)
    for record in campaign.trials:
        window = {(run.scored.window_start_host_ns, run.scored.window_end_host_ns) for run in record.scored}
        assert len(window) == 1, "all are scored over the same stretch"
        assert record.host is not None and len(record.host.processors) >= 1
        assert not [mark for mark in record.marks if mark.kind in ("load", "account")]
    return list(campaign.trials)


def test_native_guests_together_share_a_start_of_the_group(measure: Measure) -> None:
    together = {"name": "growing", "type": "together", "workloads": ["cpu"], "guests": [1, 2, 4]}
    campaign = measure(["native"], together)
    records = done(campaign)
    assert sorted(len(record.scored) for record in records) == [1, 2, 4]
    assert len(campaign.guests) == 4, "guests of a group are started once"
    for record in records:
        assert (record.start_skew_ns > 0) is (len(record.scored) > 1)
        assert len({run.guest_id for run in record.runs}) == len(record.runs)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor")
@pytest.mark.parametrize("scheduling", ["continuous", "interleaved"])
def test_neither_order_nor_processor_is_that_of_the_numbers(measure: Measure, scheduling: str) -> None:
    workload = {**WORKLOADS[0], "scheduling": scheduling}
    together = {"name": "two", "type": "together", "workloads": ["cpu"], "guests": [2]}
    campaign = measure(["native"], together, workloads=[workload], blocks=4, settings={"processors": "apart"})
    records = done(campaign)
    orders = {tuple(one.guest for one in record.trial.placements) for record in records}
    assert orders == {(1, 2), (2, 1)}, "with this seed both orders occur"
    starts = {guest.guest_id: guest.started_at for guest in campaign.guests}
    for record in records:
        begun = [starts[run.guest_id] for run in record.runs]
        assert begun == sorted(begun), "guests are started in the order of the placements"
    first = [
        next(run.conditions["guest_processors"] for run in record.runs if run.placement.guest == 1)
        for record in sorted(records, key=lambda one: one.trial.block)
    ]
    assert first[0] != first[1] and first == first[:2] * 2, "a guest has the next processor in the next block"


@needs_runc
def test_windows_begin_at_the_moment_that_is_agreed(measure: Measure) -> None:
    together = [
        {"name": kind, "type": "together", "environment": kind, "workloads": ["cpu", "disk"], "guests": [3]}
        for kind in ("native", "runc")
    ]
    for record in done(measure(["native", "runc"], *together)):
        assert len(record.scored) == 3
        begins = [run.scored.clock.to_host_ns(run.samples[0].start_ns) for run in record.scored]
        assert record.start_skew_ns == pytest.approx(max(begins) - min(begins), abs=2)
        for run, begin in zip(record.scored, begins, strict=True):
            sent = [trip for trip in run.probes if trip.kind == "before"][-1].received_host_ns
            bound = run.scored.clock.bound_at_ns(run.samples[0].start_ns)
            assert begin > sent + 20_000_000 - 2 * bound, "the moment is ahead of the messages that say it"
            # Whether it is over is asked once the last iteration is checked. Whoever had waited in it would lack 20 ms.
            assert run.samples[-1].end_ns - run.samples[0].start_ns >= 0.29e9, "the window begins there"
        assert record.start_skew_ns < 100_000_000, "whatever else this host does"


@needs_runc
def test_a_load_is_there_while_the_other_guest_is_measured(measure: Measure) -> None:
    load = {"workload": "cpu", "guests": 2}
    loaded = {"name": "loaded", "type": "loaded", "environment": "runc", "workloads": ["disk"], "load": load}
    records = done(measure(["native", "runc"], loaded))
    assert sorted(len(record.runs) for record in records) == [1, 3]
    (with_load,) = (record for record in records if len(record.runs) == 3)
    assert [run.placement.role for run in with_load.runs] == ["measured", "load", "load"]
    assert all(run.scored.value > 0 and (run.scored.guest_cpu_s or 0) > 0 for run in with_load.runs)


@needs_runc
@pytest.mark.parametrize("disk_files", ["own", "shared"])
def test_guests_have_disk_files_of_their_own(measure: Measure, disk_files: str) -> None:
    mixed = {"name": "m", "type": "mixed", "environment": "runc", "workloads": ["disk", "net"], "guests": [2]}
    campaign = measure(["native", "runc"], mixed, disk_files=disk_files)
    records = done(campaign)
    assert sorted(len(record.runs) for record in records) == [1, 1, 4]
    fills = [line for line in campaign.commands if "fill" in line.argv]
    assert len(fills) == (2 if disk_files == "own" else 1)


@needs_runc
def test_copies_are_agents_of_one_guest(measure: Measure) -> None:
    copies = [
        {"name": kind, "type": "instances", "environment": kind, "workloads": ["cpu"], "count": [1, 3]}
        for kind in ("native", "runc")
    ]
    campaign = measure(["native", "runc"], *copies)
    records = done(campaign)
    assert len(campaign.guests) == 2
    for record in records:
        assert len({run.guest_id for run in record.runs}) == 1
        assert sorted(run.placement.instance for run in record.runs) == list(range(1, len(record.runs) + 1))
        assert len({run.scored.guest_cpu_s for run in record.runs}) == 1, "that of the whole guest"


@needs_runc
@needs_bwrap
def test_a_matrix_measures_between_every_two(measure: Measure) -> None:
    matrix = {"name": "m", "type": "matrix", "members": ["native", "runc", "bubblewrap"], "workloads": ["net"]}
    records = done(measure(["native", "runc", "bubblewrap"], matrix))
    assert len(records) == 12
    for record in records:
        source, *service = record.runs
        assert source.scored.value > 1e6
        assert source.conditions["network_path"] == "veth"
        assert len(service) == (source.placement.uses != ())
        if service:
            (serving,) = service
            assert source.parameters["peer"] == serving.conditions["address"]
            assert serving.score is None and serving.account is not None
            same = serving.guest_id == source.guest_id
            assert (serving.guest_cpu_s or 0) > 0 and (serving.guest_cpu_s == source.guest_cpu_s) is same
            use = serving.guest_use
            assert use is not None and use.traffic is not None
            assert same or use.traffic.received_bytes > 10 * use.traffic.sent_bytes, "it receives"


@needs_bwrap
def test_a_pair_goes_both_ways(measure: Measure) -> None:
    pair = {"name": "p", "type": "pair", "environment": "bubblewrap", "workloads": ["net"]}
    records = done(measure(["native", "bubblewrap"], pair))
    ways = {tuple(run.placement.guest for run in record.runs) for record in records}
    assert ways == {(1, 2), (2, 1), (1,)}


def test_every_trial_may_have_guests_of_its_own(measure: Measure) -> None:
    together = {"name": "growing", "type": "together", "workloads": ["cpu"], "guests": [1, 2]}
    campaign = measure(["native"], together, fresh="trial")
    assert len(done(campaign)) == 2
    assert len(campaign.guests) == 3


@needs_runc
def test_the_cpu_time_of_each_guest_is_divided_and_its_traffic_counted(measure: Measure) -> None:
    together = {"name": "two", "type": "together", "workloads": ["net"], "guests": [2]}
    for record in done(measure(["native", "runc"], {**together, "environment": "runc"})):
        assert record.host is not None and record.host.network is not None and record.host.loopback is not None
        for run in record.scored:
            use = run.scored.guest_use
            assert use is not None and use.unknown == ""
            assert use.code == pytest.approx(run.scored.guest_cpu_s, abs=0.01)
            assert (use.vmm, use.kernel) == (0, 0)
            assert use.user is not None and use.system is not None and use.system > use.user, "it sends"
            assert use.traffic is not None
            # The stretch has all samples that are used, and parts of those that go beyond its ends.
            everything = sum(sample.work for sample in run.samples)
            assert 0.8 * run.scored.work <= use.traffic.sent_bytes <= 1.2 * everything
            assert use.traffic.sent_bytes > 10 * use.traffic.received_bytes


def test_a_guest_on_the_loopback_has_no_traffic_of_its_own(measure: Measure) -> None:
    together = {"name": "two", "type": "together", "environment": "native", "workloads": ["net"], "guests": [2]}
    for record in done(measure(["native"], together)):
        assert record.host is not None and record.host.loopback is not None
        assert record.host.loopback.sent_bytes > 1_000_000
        assert [run.scored.guest_use and run.scored.guest_use.traffic for run in record.scored] == [None, None]


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_tools_count_with_their_whole_runs(measure: Measure) -> None:
    tool: Document = {"name": "fio", "workload": "fio", "op": "random-read", "parameters": {"seconds": 1}}
    together = {"name": "growing", "type": "together", "workloads": ["fio"], "guests": [1, 2]}
    records = done(measure(["native"], together, workloads=[tool]))
    assert sorted(len(record.scored) for record in records) == [1, 2]
    for record in records:
        assert all(len(run.samples) == 1 and run.samples[0].used and run.scored.value > 0 for run in record.scored)


@pytest.mark.parametrize("scheduling", ["continuous", "interleaved"])
def test_a_guest_that_another_one_kept_from_starting_cleans_up(
    measure: Measure, tmp_path: Path, scheduling: str
) -> None:
    """Only the first guest can make the directory: the command fails in the second one, before both would start."""
    words = tmp_path / "words"
    parameters = {
        "command": f"test -e {words}.made-by-$PPID || mkdir {words}.made && touch {words}.made-by-$PPID",
        "shell": True,
        "setup": f"echo begin >> {words}",
        "cleanup": f"sleep 2.5; echo end >> {words}",  # it is waited for, and not killed
    }
    work = {"name": "it", "workload": "command", "op": "time", "parameters": parameters, "scheduling": scheduling}
    together = {"name": "two", "type": "together", "workloads": ["it"], "guests": [2]}
    campaign = measure(["native"], together, workloads=[work])
    assert {record.status for record in campaign.trials if len(record.trial.placements) == 2} == {"failed"}
    said = words.read_text().split()
    assert said.count("begin") == said.count("end") >= 2
