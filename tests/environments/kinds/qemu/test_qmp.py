"""QEMU's machine protocol against a monitor that answers as it is told. test_qemu.py speaks with QEMU itself."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from virtometer.environments.kinds.qemu.qmp import Qmp
from virtometer.errors import EnvironmentFailed
from virtometer.link.channel import Channel, Stream

GREETING = {"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 1}, "package": ""}, "capabilities": []}}
DONE: dict[str, Any] = {"return": {}}

Monitor = Callable[[Sequence[object]], tuple[Qmp, list[Any]]]


@pytest.fixture
def monitor() -> Iterator[Monitor]:
    """Makes a conversation with a monitor that greets with the first answer and gives one more for each command."""
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def make(answers: Sequence[object]) -> tuple[Qmp, list[Any]]:
        ours, theirs = socket.socketpair()
        ends.append(theirs)
        heard: list[Any] = []

        def serve() -> None:
            first, *others = answers
            with theirs, theirs.makefile("rwb") as lines:
                say(lines, first)
                for answer in others:
                    heard.append(json.loads(lines.readline() or b"null"))
                    say(lines, answer)

        threads.append(threading.Thread(target=serve))
        threads[-1].start()
        number = ours.detach()
        return Qmp(Channel(Stream(number, number))), heard

    def say(lines: Any, answer: object) -> None:
        for one in answer if isinstance(answer, list) else [answer]:
            lines.write(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\r\n")
        lines.flush()

    yield make
    for end in ends:
        end.close()
    for thread in threads:
        thread.join(10)


def test_the_greeting_has_the_version_and_capabilities_are_negotiated(monitor: Monitor) -> None:
    qmp, heard = monitor([GREETING, DONE])
    qmp.greet(10)
    qmp.close()
    assert qmp.version == "7.2.1"
    assert heard == [{"execute": "qmp_capabilities", "arguments": {}}]


def test_a_command_has_its_arguments_and_events_in_between_are_passed_over(monitor: Monitor) -> None:
    event = {"event": "RESUME", "timestamp": {"seconds": 1}}
    qmp, heard = monitor([GREETING, DONE, [event, event, {"return": [{"name": "kvm"}]}]])
    qmp.greet(10)
    assert qmp.execute("qom-get", 10, path="/machine", property="x") == [{"name": "kvm"}]
    assert heard[1] == {"execute": "qom-get", "arguments": {"path": "/machine", "property": "x"}}
    qmp.close()


@pytest.mark.parametrize(
    ("error", "said"), [({"class": "GenericError", "desc": "no such device"}, "no such device"), ({}, "without a word")]
)
def test_what_qemu_refuses_is_quoted(monitor: Monitor, error: dict[str, str], said: str) -> None:
    qmp, _ = monitor([GREETING, DONE, {"error": error}])
    qmp.greet(10)
    with pytest.raises(EnvironmentFailed, match=f"QEMU refuses device_add: {said}"):
        qmp.execute("device_add", 10)
    qmp.close()


@pytest.mark.parametrize(
    ("greeting", "sentence"),
    [
        ({"QMP": {}}, "greets in a way that is not understood"),
        ({"QMP": 7}, "greets in a way that is not understood"),
        ({"QMP": {"version": {"qemu": {"major": 7}}}}, "greets in a way that is not understood"),
        ({"return": {}}, "greets in a way that is not understood"),
        (b"hello\n", "says something that is not JSON"),
        (b"\xff\n", "says something that is not JSON"),
        (b"[1]\n", "does not answer"),
    ],
)
def test_what_is_no_monitor_is_one_sentence(monitor: Monitor, greeting: object, sentence: str) -> None:
    qmp, _ = monitor([greeting])
    with pytest.raises(EnvironmentFailed, match=sentence):
        qmp.greet(10)
    qmp.close()


def test_a_monitor_that_ends_and_one_that_says_nothing_are_told_apart(monitor: Monitor) -> None:
    ended, _ = monitor([b""])
    with pytest.raises(EnvironmentFailed, match="QEMU ended at once"):
        ended.greet(10)
    ours, theirs = socket.socketpair()
    number = ours.detach()
    silent = Qmp(Channel(Stream(number, number)))
    begin = time.monotonic()
    with theirs, pytest.raises(EnvironmentFailed, match="QEMU's monitor does not answer"):
        silent.greet(0.05)
    assert time.monotonic() - begin < 5
    with pytest.raises(EnvironmentFailed, match="QEMU does not take the command quit"):
        silent.execute("quit", 1)
    for qmp in (ended, silent):
        qmp.close()
        qmp.close()
