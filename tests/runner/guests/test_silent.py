"""Guests stand still while a block works, and go on afterwards, whatever ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from typing import Any, cast

import pytest

from virtometer.environments.base import Guest
from virtometer.processes import stat_of
from virtometer.runner.guests import silent as silent_guests
from virtometer.runner.guests.silent import silent


class Sleeper:
    """What is asked of a guest here."""

    def __init__(self, *processes: int) -> None:
        self._processes = list(processes)

    def processes(self) -> list[int]:
        return self._processes


@pytest.fixture
def process() -> Iterator[int]:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        yield sleeper.pid
        sleeper.kill()


def state(process: int) -> str:
    """The state it comes to: on a busy host it begins, and goes on, a little later."""
    deadline = time.monotonic() + 10
    while True:
        found = stat_of(process)
        assert found is not None
        if found.state != "R" or time.monotonic() > deadline:
            return found.state
        time.sleep(0.01)


def guests(*processes: int) -> list[Guest]:
    return [cast("Guest", Sleeper(one)) for one in processes]


def test_they_stand_still_only_where_they_are_to(process: int) -> None:
    with silent(guests(process), stopped=False):
        assert state(process) == "S"
    with silent(guests(process), stopped=True):
        assert state(process) == "T"
    assert state(process) == "S"


def test_they_go_on_after_an_error_too(process: int) -> None:
    with pytest.raises(KeyboardInterrupt), silent(guests(process), stopped=True):
        raise KeyboardInterrupt
    assert state(process) == "S"


def test_one_that_may_not_be_stopped_is_told_and_the_others_go_on(
    process: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    send: Any = silent_guests.send

    def refused(of: int, sign: signal.Signals) -> None:
        if of == os.getpid():
            raise PermissionError
        send(of, sign)

    monkeypatch.setattr(silent_guests, "send", refused)
    with pytest.raises(PermissionError), silent(guests(process, os.getpid()), stopped=True):
        raise AssertionError("the block is not entered")
    assert state(process) == "S"


def test_one_that_has_ended_or_is_traced_is_left_alone(process: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    with silent(guests(ended.pid), stopped=True):
        pass
    monkeypatch.setattr(silent_guests, "is_traced", lambda one: one == process)
    with silent(guests(process), stopped=True):
        assert state(process) == "S"
