from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conversation import ANSWER_S, Talk
from tests.waiting import wait_until
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.parts.oci_environment import OciSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import LinkError
from virtometer.processes import stat_of

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="runc with a network of its own needs root")


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Callable[..., tuple[ProcessGuest, Talk]]:
    """Start a container whose agent has said hello."""

    def begin(**settings: Any) -> tuple[ProcessGuest, Talk]:
        guest = Runc(lab).start(OciSettings(**settings), new_id())
        assert isinstance(guest, ProcessGuest)
        talk = Talk(guest)
        talk.greet()
        return guest, talk

    return begin


@needs_root
def test_the_container_holds_nothing_but_the_agent(start: Callable[..., tuple[ProcessGuest, Talk]]) -> None:
    guest, talk = start()
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert facts["pid"] == 1
    assert facts["hostname"] == "virtometer"
    assert sorted(facts["interfaces"]) == ["eth0", "lo"]
    [agent] = [pid for pid in guest.account.processes() if Path(f"/proc/{pid}/comm").read_text() == "virtometer-agen\n"]
    names = {path.name for path in Path(f"/proc/{agent}/root").iterdir()}
    assert names == {"virtometer-agent", "proc", "sys", "dev", "tmp", "data", "etc", "run", "usr"}
    guest.stop()


@needs_root
def test_a_limit_on_processor_time_takes_effect_and_is_read_back(
    start: Callable[..., tuple[ProcessGuest, Talk]],
) -> None:
    guest, talk = start(cpus=0.25, cpuset=[0])
    assert guest.effective["cpus"] == 0.25
    assert guest.effective["cpuset"] == "0"
    assert talk.session.request("facts", {}, ANSWER_S)["cpus_allowed"] == 1
    talk.prepare("memory", "read", {"size": 1 << 20}, seconds=1.0)
    begin_ns, begin = guest.cpu_ns(), time.monotonic()
    talk.begin()
    talk.finish()
    share = (guest.cpu_ns() - begin_ns) * 1e-9 / (time.monotonic() - begin)
    guest.stop()
    assert share < 0.4


@needs_root
def test_a_limit_on_memory_takes_effect_and_is_read_back(start: Callable[..., tuple[ProcessGuest, Talk]]) -> None:
    guest, talk = start(memory="64M")
    assert guest.effective["memory"] == 64 << 20
    with pytest.raises((LinkError, AssertionError)):  # the kernel kills it, or the agent says out-of-memory
        talk.prepare("memory", "read", {"size": 1 << 30})
    guest.stop()
    assert not guest.alive()


@needs_root
def test_a_processor_that_does_not_exist_ends_the_start_with_runcs_own_words(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    guest = Runc(lab).start(OciSettings(cpuset=(4000,)), new_id())
    with pytest.raises(LinkError):
        Talk(guest).greet()
    guest.stop()
    assert "cpuset" in guest.stderr_tail()


@needs_root
def test_the_death_of_the_agent_inside_ends_the_container(start: Callable[..., tuple[ProcessGuest, Talk]]) -> None:
    guest, _ = start()
    [agent] = [pid for pid in guest.account.processes() if Path(f"/proc/{pid}/comm").read_text() == "virtometer-agen\n"]
    os.kill(agent, signal.SIGKILL)
    wait_until(lambda: not guest.alive(), ANSWER_S)
    guest.stop()


@needs_root
def test_the_death_of_runc_itself_leaves_no_container(start: Callable[..., tuple[ProcessGuest, Talk]]) -> None:
    guest, _ = start()
    inside = guest.account.processes()
    os.kill(min(inside), signal.SIGKILL)
    guest.stop()
    for pid in inside:
        one = stat_of(pid)
        assert one is None or one.state in "ZX"
