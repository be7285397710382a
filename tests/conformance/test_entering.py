"""Entering a guest from the host runs a program inside of it, and leaves nothing."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conformance import traces
from virtometer.environments.base import Environment
from virtometer.environments.entry import NoEntry
from virtometer.model import GuestKey, Limits, PlanEnvironment
from virtometer.runner.guests.entering import timed
from virtometer.runner.guests.running import RunningGuest


@pytest.fixture
def entered(environment: Environment, kind: str) -> RunningGuest:
    """A guest that sees the host's files under a layer of its own."""
    settings = environment.settings_type
    given = {"root": "host"} if "root" in settings.model_fields else {}
    try:
        made = settings.model_validate(given)
    except ValidationError:  # whose daemon does not see what is mounted for a guest
        given, made = {}, settings()
    environment.prepare(made)
    place = PlanEnvironment(name=kind, kind=kind, settings=given)
    return RunningGuest.start(environment, place, made, f"enter-{os.getpid()}", Limits())


def test_a_program_runs_inside_and_nothing_is_left(environment: Environment, entered: RunningGuest) -> None:
    settings = environment.settings_type.model_validate(entered.record.requested)
    try:
        entry = environment.entry(entered.guest, settings)
        if isinstance(entry, NoEntry):
            assert entry.reason and "\n" not in entry.reason
            return
        assert 0 < timed(environment.lab, entry, f"enter {GuestKey(entered.name).name}") < 10
        if entry.words:  # natively there is no inside
            marker = Path("/var/tmp") / f"virtometer-{uuid.uuid4().hex}"
            for script in (f"echo inside > {marker}", f"test -s {marker}"):
                words = [*entry.words, "/bin/sh", "-c", script]
                environment.lab.programs.run(words, purpose="run a shell inside")
            assert not marker.exists(), "the guest has a layer of its own"
            assert not traces.after_a_kill(marker.name), "no program is left in the guest"
    finally:
        entered.stop()
    assert not traces.after_a_kill(f"enter-{os.getpid()}")
