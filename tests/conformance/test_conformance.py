"""What every environment kind promises to the runner (environments/base.py)."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from tests.conformance import traces
from tests.conformance.conftest import DISK_BYTES, REGISTRY, Living, lab_context
from tests.conformance.conversation import ANSWER_S, Talk
from tests.waiting import wait_until
from virtometer.design.parse import read_plan
from virtometer.design.reference.tables import sections
from virtometer.environments.base import Check, Environment, Guest, Namespace
from virtometer.environments.leftovers import remove_leftovers
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS
from virtometer.environments.tuning.steps import refuse_tuning, tune_guest
from virtometer.errors import EnvironmentFailed, LinkClosed, PlanError
from virtometer.host.cpu.accounting import cgroup_processes
from virtometer.host.cpu.processors import tasks
from virtometer.model import Limits, TuningStep
from virtometer.runner.execution.services import Peer
from virtometer.runner.guests.processors import Share, place_guest

REPOSITORY = Path(__file__).resolve().parents[2]


def start(environment: Environment, guest_id: str) -> Guest:
    settings = environment.settings_type()
    environment.prepare(settings)
    return environment.start(settings, guest_id)


def processes(guest: Guest) -> list[int]:
    assert isinstance(guest, ProcessGuest)
    return guest.account.processes()


# --- what needs no guest --------------------------------------------------------------------------------------


def test_a_kind_is_registered_under_its_own_name(kind: str) -> None:
    assert KINDS[kind].kind == kind
    assert KINDS[kind].title
    assert re.fullmatch(r"[a-z0-9-]{1,12}", kind)


def test_the_reference_of_plans_describes_it(kind: str) -> None:
    [section] = sections(KINDS, kind)
    assert section.group == "environment"
    assert section.meaning
    assert [entry.name for entry in section.entries] == list(KINDS[kind].settings_type.model_fields)


def test_settings_that_bear_on_the_clock_are_settings(kind: str) -> None:
    settings = KINDS[kind].settings_type
    assert set(settings.clock_settings) <= settings.model_fields.keys()
    assert settings().steady_clock


def test_the_check_is_consistent_and_speaks_plainly(
    kind: str, checks: Callable[[str], Check], agent: Path, tmp_path: Path
) -> None:
    first = checks(kind)
    with lab_context(agent, tmp_path, None) as lab:
        second = KINDS[kind](lab).check()
        assert list(lab.scratch.iterdir()) == []
    assert traces.of(str(tmp_path), lab.lan.name) == []
    assert second.works == first.works
    assert first.reason.strip()
    assert "\n" not in first.reason
    assert "Traceback" not in first.reason
    assert first.works or first.advice.strip(), "a kind that does not work says what to do"
    assert all(isinstance(value, str) for value in first.found.values())


def test_an_unknown_setting_is_refused_by_name(kind: str) -> None:
    with pytest.raises(ValidationError, match="no_such_setting"):
        KINDS[kind].settings_type.model_validate({"no_such_setting": 1})
    plan = f"""
virtometer: 1
control: false
name: x
baseline: a
environments: [{{name: a, kind: {kind}, settings: {{no_such_setting: 1}}}}]
workloads: [{{name: w, workload: os, op: system-call}}]
"""
    with pytest.raises(PlanError, match="no_such_setting"):
        read_plan(plan, "plan.yaml", KINDS)


# --- a guest that lives ---------------------------------------------------------------------------------------


def test_the_agent_says_what_it_sees(living: Living) -> None:
    facts = living.talk.session.request("facts", {}, ANSWER_S)
    assert facts["os"] == "Linux"
    assert facts["cpus_online"] >= 1
    assert facts["memory_bytes"] > 16 << 20
    assert facts["pid"] >= 1


def test_the_agent_answers_pings(living: Living) -> None:
    one, two = living.talk.session.ping(ANSWER_S), living.talk.session.ping(ANSWER_S)
    assert one.sent_host_ns < one.received_host_ns < two.sent_host_ns < two.received_host_ns
    assert one.received_guest_ns <= one.sent_guest_ns <= two.received_guest_ns


@pytest.mark.parametrize("direct", [True, False])
@pytest.mark.parametrize("op", ["random-read", "random-write"])
def test_the_disk_is_there_with_its_contents(living: Living, direct: bool, op: str) -> None:
    disk = living.guest.disk
    assert disk is not None
    assert disk.conditions["host_cache"] in {"yes", "no"}
    assert disk.conditions["disk_path"]
    parameters = {"file": disk.path, "size": 4096, "span": DISK_BYTES, "direct": direct}
    done = living.talk.measure("disk", op, parameters)
    assert done.count >= 1
    assert done.conditions["io"] == "buffered" if not direct else done.conditions["io"] in {"direct", "buffered"}
    if direct and KINDS[living.kind].namespaces is not None:
        assert done.conditions["io"] == "direct"


def test_what_is_declared_of_the_hosts_cache_is_true(living: Living, disk_file: Path) -> None:
    """Looks at the descriptors that the guest's host processes hold on the file while the guest reads directly."""
    disk = living.guest.disk
    assert disk is not None
    living.talk.prepare("disk", "random-read", {"file": disk.path, "size": 4096, "span": DISK_BYTES, "direct": True})
    flags = open_flags(processes(living.guest), disk_file)
    living.talk.begin()
    living.talk.finish()
    assert flags
    assert any(one & os.O_DIRECT for one in flags) == (disk.conditions["host_cache"] == "no")


def open_flags(pids: list[int], file: Path) -> list[int]:
    """Flags of the descriptors that processes hold on a file, by its device and inode."""
    wanted, found = file.stat(), []
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            try:
                seen = descriptor.stat()
                info = Path(f"/proc/{pid}/fdinfo/{descriptor.name}").read_text()
            except OSError:
                continue
            if (seen.st_dev, seen.st_ino) == (wanted.st_dev, wanted.st_ino):
                found.append(int(dict(line.split(":", 1) for line in info.splitlines())["flags"], 8))
    return found


def test_what_a_guest_wrote_the_host_reads(living: Living, agent: Path, disk_file: Path) -> None:
    """One file is behind every disk test: filled in one environment, it passes the check of another."""
    disk = living.guest.disk
    assert disk is not None
    living.talk.measure("disk", "random-write", {"file": disk.path, "size": 65_536, "span": DISK_BYTES})
    argv = [str(agent), "measure", "disk", "--op", "sequential-read", "--file", str(disk_file), "--size", "64K"]
    subprocess.run([*argv, "--span", str(DISK_BYTES), "--seconds", "0.1", "--json"], check=True, capture_output=True)


def test_the_network_leads_to_a_peer(living: Living) -> None:
    network = living.guest.network
    assert network is not None
    peer = Peer(living.lab, f"peer-{living.kind}-{os.getpid()}"[:22], network, Limits())
    try:
        done = living.talk.measure("net", "request-response", {"peer": peer.endpoints()[0].address, "size": 1})
        assert done.value > 0
        assert done.check.passed
        # Whatever is lost, the little that fits into these buffers is soon sent again: gVisor of 2022 sends two
        # segments per timeout then, which takes it minutes for all that its own buffers hold.
        buffers = {"send-buffer": 65_536, "receive-buffer": 65_536}
        done = living.talk.measure("net", "stream", {"peer": peer.endpoints()[0].address, "size": 65_536, **buffers})
        assert done.check.kind == "bytes"
    finally:
        peer.stop()


def test_a_guest_is_tuned_or_says_why_not(living: Living) -> None:
    guest, environment = living.guest, REGISTRY[living.kind](living.lab)
    before = Path("/proc/sys/net/ipv4/tcp_sack").read_text()
    step = TuningStep(sysctl={"net.ipv4.tcp_sack": 0})
    refuse_tuning(environment, [step])
    try:
        done = tune_guest(environment, guest, living.talk.session, [step])
    except EnvironmentFailed as cause:
        # On the host's network, or with a kernel that has no such setting.
        reasons = ("would tune the host", "cannot set the kernel setting", "no kernel setting")
        assert any(reason in cause.sentence for reason in reasons)
    else:
        assert [one["after"] for one in done] == ["0"]
        tune_guest(environment, guest, living.talk.session, [TuningStep(sysctl={"net.ipv4.tcp_sack": 1})])
    assert Path("/proc/sys/net/ipv4/tcp_sack").read_text() == before
    path = guest.network
    if path is not None and path.port:
        port = TuningStep(where="port", queue_length=777)
        assert [one["after"] for one in tune_guest(environment, guest, living.talk.session, [port])] == ["777"]


def test_host_cpu_grows_with_the_work(living: Living) -> None:
    guest, talk = living.guest, living.talk
    talk.prepare("memory", "read", {"size": 1 << 20}, seconds=1.0)
    begin_ns, begin = guest.cpu_ns(), time.monotonic()
    time.sleep(0.5)
    idle_share = (guest.cpu_ns() - begin_ns) * 1e-9 / (time.monotonic() - begin)
    begin_ns, begin = guest.cpu_ns(), time.monotonic()
    talk.begin()
    done = talk.finish()
    used, wall = (guest.cpu_ns() - begin_ns) * 1e-9, time.monotonic() - begin
    said = (done.cpu.user_ns + done.cpu.system_ns) * 1e-9
    assert idle_share < 0.5 * used / wall
    assert used <= wall * (os.cpu_count() or 1) + 0.05
    if KINDS[living.kind].namespaces is not None:  # its processes are the host's, whose account is the truth
        assert 0.9 * said - 0.01 <= used <= 1.1 * said + 0.1
    else:
        assert used >= 0.15 * wall


def test_the_namespaces_that_a_kind_names_are_those_of_its_guests(living: Living) -> None:
    namespaces = KINDS[living.kind].namespaces
    if namespaces is None:
        pytest.skip(f"the agent in {living.kind} is no process of the host")
    [agent] = [pid for pid in processes(living.guest) if is_agent(pid)]
    own = {name for name in get_args(Namespace) if namespace(agent, name) != namespace("self", name)}
    assert own == set(namespaces)


def is_agent(pid: int) -> bool:
    return Path(f"/proc/{pid}/comm").read_text().strip() == "virtometer-agent"[:15]


def namespace(pid: int | str, name: str) -> str:
    """The identity of a namespace of a process, empty where this kernel has no such namespaces."""
    path = Path(f"/proc/{pid}/ns/{name}")
    return str(path.readlink()) if path.is_symlink() else ""


def test_the_effective_settings_are_reported(living: Living) -> None:
    effective = living.guest.effective
    assert effective["cpu_accounting"] in {"cgroup-v1", "cgroup-v2", "process-tree"}
    assert set(numbers(effective["processors"])) == HERE
    if os.geteuid() == 0:
        assert effective["cpu_accounting"] != "process-tree"


def affinities(guest: Guest) -> set[frozenset[int]]:
    """The processors that each thread of each process of a guest may use, as the kernel lists them."""
    found = set()
    for task in tasks(processes(guest)):
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{task}/status").read_text()
            [listed] = [line.split()[1] for line in status.splitlines() if line.startswith("Cpus_allowed_list:")]
            found.add(frozenset(numbers(listed)))
    return found


def numbers(listed: str) -> Iterator[int]:
    for part in listed.split(","):
        low, _, high = part.partition("-")
        yield from range(int(low), int(high or low) + 1)


HERE = frozenset(os.sched_getaffinity(0))


@pytest.mark.skipif(len(HERE) < 2, reason="there is one processor")
def test_a_guest_is_on_the_processors_asked_for(living: Living) -> None:
    """On all of them from its start; then on those of each run, with all that it starts while it works."""
    settings = KINDS[living.kind].settings_type()
    assert affinities(living.guest) == {HERE}
    for count in (1, None):
        placed = place_guest(living.guest, settings, Share(count, count), HERE)
        expected = HERE if count is None else frozenset([max(HERE)])
        assert placed.processors == expected
        assert placed.reason == ""
        assert affinities(living.guest) == {expected}
        living.talk.prepare("memory", "read", {"size": 1 << 20})
        assert affinities(living.guest) == {expected}
        living.talk.begin()
        living.talk.finish()
        assert affinities(living.guest) == {expected}


@pytest.mark.parametrize("asked", ["all", "one"])
def test_a_guest_keeps_its_own_processors(environment: Environment, new_id: Callable[[], str], asked: str) -> None:
    numbers = HERE if asked == "all" else {max(HERE)}
    settings = environment.settings_type.model_validate({"processors": "all" if asked == "all" else [*numbers]})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        assert affinities(guest) <= {frozenset(numbers)}, "also before its agent runs"
        talk = Talk(guest)
        talk.greet()
        assert place_guest(guest, settings, Share(1, 1), HERE).processors == numbers
        talk.measure("memory", "read", {"size": 1 << 20})
        assert affinities(guest) == {frozenset(numbers)}
    finally:
        guest.stop()


# --- ends -----------------------------------------------------------------------------------------------------


def test_two_starts_in_a_row_and_bye(environment: Environment, new_id: Callable[[], str]) -> None:
    for _ in range(2):
        guest = start(environment, new_id())
        talk = Talk(guest)
        talk.greet()
        assert guest.alive()
        talk.session.bye(ANSWER_S)
        guest.stop()
        guest.stop()
        assert not guest.alive()
        assert traces.of(guest.guest_id) == []


def test_a_start_that_is_taken_back_at_once_leaves_nothing(environment: Environment, new_id: Callable[[], str]) -> None:
    guest = start(environment, new_id())
    guest.stop()
    assert traces.of(guest.guest_id) == []


@pytest.mark.slow
@pytest.mark.timeout(1800)  # an emulated machine boots fifty times
def test_fifty_starts_and_stops_leave_nothing(environment: Environment, new_id: Callable[[], str]) -> None:
    for _ in range(50):
        guest = start(environment, new_id())
        Talk(guest).greet()
        guest.stop()
        assert traces.of(guest.guest_id) == []


def test_two_guests_at_once(environment: Environment, new_id: Callable[[], str]) -> None:
    if environment.lacks().several_guests:
        pytest.skip(f"{environment.kind} allows one guest")
    guests = [start(environment, new_id()) for _ in range(2)]
    try:
        for guest in guests:
            Talk(guest).greet()
        assert all(guest.alive() for guest in guests)
    finally:
        for guest in guests:
            guest.stop()


def test_a_hanging_guest_is_ended(environment: Environment, new_id: Callable[[], str]) -> None:
    guest = start(environment, new_id())
    Talk(guest).greet()
    for pid in processes(guest):
        os.kill(pid, signal.SIGSTOP)
    assert guest.alive()
    guest.stop()
    guest.stop()
    assert not guest.alive()
    assert traces.of(guest.guest_id) == []


def test_a_guest_that_is_killed_from_outside_is_seen_dead(environment: Environment, new_id: Callable[[], str]) -> None:
    guest = start(environment, new_id())
    talk = Talk(guest)
    talk.greet()
    before = guest.cpu_ns()
    for pid in processes(guest):
        with contextlib.suppress(ProcessLookupError):  # one may have taken others with it
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not guest.alive(), ANSWER_S)
    with pytest.raises(LinkClosed):
        talk.session.ping(ANSWER_S)
    guest.stop()
    assert guest.cpu_ns() >= before > 0
    assert traces.of(guest.guest_id) == []


@pytest.mark.parametrize("hung", [False, True], ids=["idle", "hung"])
def test_after_a_sigkill_of_the_laboratory_the_next_one_cleans_up(
    works: None, kind: str, hung: bool, agent: Path, disk_file: Path, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    guest_id = new_id()
    words = [kind, guest_id, *map(str, (agent, tmp_path, disk_file))]
    laboratory = subprocess.Popen(
        [sys.executable, "-m", "tests.conformance.laboratory", *words], stdout=subprocess.PIPE, cwd=REPOSITORY
    )
    assert laboratory.stdout is not None
    assert laboratory.stdout.readline() == b"up\n"
    (tmp_path / "next").mkdir()
    lab = lab_context(agent, tmp_path / "next", disk_file).lab
    lab.journal.directory = tmp_path / "state"
    assert remove_leftovers(lab.journal, lab.programs) == [], "its laboratory lives"
    if hung:
        for pid in of_guest(guest_id, laboratory.pid):
            os.kill(pid, signal.SIGSTOP)
    laboratory.kill()
    laboratory.communicate()
    said = remove_leftovers(lab.journal, lab.programs)
    assert any(guest_id in sentence for sentence in said)
    assert not any("could not" in sentence for sentence in said), said
    assert list((tmp_path / "state").iterdir()) == []
    assert list((tmp_path / "scratch").iterdir()) == []
    assert traces.after_a_kill(guest_id, str(tmp_path), f"virtometer-{laboratory.pid}") == []
    assert remove_leftovers(lab.journal, lab.programs) == []


def of_guest(guest_id: str, laboratory: int) -> list[int]:
    """Pids of a guest in another laboratory, by its cgroup, or, where there is none, by its parents."""
    for line in traces.of(f"virtometer-{guest_id}"):
        if line.startswith("cgroup ") and guest_id in Path(line).name:  # a daemon adds words of its own
            return cgroup_processes(Path(line.removeprefix("cgroup ")))
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(laboratory)], capture_output=True, text=True).stdout
    return [int(pid) for pid in found.split()]
