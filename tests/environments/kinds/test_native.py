from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import MissingProgram
from virtometer.link.channel import Channel
from virtometer.link.session import Session


def script(directory: Path, text: str) -> Path:
    """A shell instead of the agent: what it prints goes to the laboratory."""
    path = directory / "agent"
    path.write_text(f"#!/bin/sh\nexec <&3 >&3\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_disk_is_the_file_itself_and_the_network_the_hosts_loopback(
    lab: LabContext, new_id: Callable[[], str], tmp_path: Path
) -> None:
    file = tmp_path / "disk.img"
    file.touch()
    guest = Native(dataclasses.replace(lab, disk_file=file)).start(NativeSettings(), new_id())
    assert guest.disk is not None
    assert guest.disk.path == str(file)
    assert guest.disk.conditions == {"host_cache": "no", "disk_path": "file"}
    assert guest.network is not None
    assert (guest.network.kind, guest.network.namespace) == ("loopback", None)
    assert guest.network.guest_interface == ""
    guest.stop()


def test_without_a_disk_file_there_is_no_disk(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest = Native(lab).start(NativeSettings(), new_id())
    assert guest.disk is None
    guest.stop()


def test_each_start_has_environment_variables_of_a_size_of_its_own(lab: LabContext, new_id: Callable[[], str]) -> None:
    """T. Mytkowicz et al., ASPLOS 2009: their size moves the stack, and with it what a program costs."""
    sizes = []
    for _ in range(4):
        guest = Native(lab).start(NativeSettings(), new_id())
        assert isinstance(guest, ProcessGuest) and guest.process is not None
        size = guest.effective["environment_padding_bytes"]
        variables = Path(f"/proc/{guest.process.pid}/environ").read_bytes().split(b"\0")
        assert b"VIRTOMETER_PADDING=" + b"x" * size in variables
        sizes.append(size)
        guest.stop()
    assert len(set(sizes)) > 1
    assert all(0 <= size < 4096 for size in sizes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo I am a shell", "not a message"),
        ("exec sleep 600", "did not say hello"),
        ("echo this went wrong >&2; exit 1", "this went wrong"),
        ('echo \'{"magic":"virtometer","protocol":9,"role":"agent","version":"7","capabilities":[]}\'', "protocol 9"),
        ("exec yes", "not a message"),
        ("exec cat /dev/zero", "line of more than"),
    ],
)
def test_the_check_says_in_one_sentence_what_is_wrong_with_an_agent(
    lab: LabContext, tmp_path: Path, text: str, told: str
) -> None:
    check = Native(dataclasses.replace(lab, agent=script(tmp_path, text))).check()
    assert not check.works
    assert told in check.reason
    assert "\n" not in check.reason


def test_an_agent_that_is_not_there_is_one_sentence(lab: LabContext, tmp_path: Path) -> None:
    native = Native(dataclasses.replace(lab, agent=tmp_path / "missing"))
    assert "is not installed" in native.check().reason
    with pytest.raises(MissingProgram):
        native.start(NativeSettings(), "missing-agent")


def test_an_agent_that_cannot_run_here_is_one_sentence(lab: LabContext, tmp_path: Path) -> None:
    foreign = tmp_path / "agent"
    foreign.write_bytes(b"\x7fELF of some other machine")
    foreign.chmod(0o755)
    check = Native(dataclasses.replace(lab, agent=foreign)).check()
    assert not check.works
    assert "Exec format error" in check.reason


def test_the_agent_ends_when_its_input_ends(lab: LabContext, new_id: Callable[[], str]) -> None:
    guest = Native(lab).start(NativeSettings(), new_id())
    Session(Channel(guest.stream), "native").greet(5)
    os.close(guest.stream.write_fd)
    guest.stream.write_fd = guest.stream.read_fd
    wait_until(lambda: not guest.alive())
    guest.stop()
