import json
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import Field

from virtometer.environments.base import Capabilities, Check, Environment, Settings
from virtometer.environments.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS
from virtometer.model import Plan


class Scripted(Environment):
    """An environment whose agent is a script beside this file, called with one word that its settings give."""

    script: ClassVar[str]

    def capabilities(self):
        return Capabilities(
            disk=False, network=False, several_guests=True, cpu_limit=False, memory_limit=False,
            settings=tuple(self.settings_type.model_fields),
            disk_reason=f"a {self.kind} has no disk", network_reason=f"a {self.kind} has no network",
        )  # fmt: skip

    def check(self):
        return Check(True, "it always runs")

    def prepare(self, settings):
        pass

    def start(self, settings, guest_id):
        with ProcessGuest.starting(self.lab, guest_id) as guest:
            guest.refused_programs = {}  # such an agent runs no program, it only says so
            script = Path(__file__).with_name(self.script)
            guest.launch([sys.executable, script, settings.word()], purpose=self.kind)
        return guest


class RogueSettings(Settings):
    behaviour: str = "good"

    def word(self):
        return self.behaviour


class Rogue(Scripted):
    """An agent that breaks the rules."""

    kind = "rogue"
    title = "rogue"
    settings_type = RogueSettings
    script = "rogue.py"


class TimepieceSettings(Settings):
    clock: dict[str, float | bool | str] = Field(default_factory=dict)

    def word(self):
        return json.dumps(self.clock)


class Timepiece(Scripted):
    """An agent whose clock lies."""

    kind = "timepiece"
    title = "timepiece"
    settings_type = TimepieceSettings
    script = "timepiece.py"


@pytest.fixture
def rogue_kind(monkeypatch):
    monkeypatch.setitem(KINDS, "rogue", Rogue)


@pytest.fixture
def timepiece_kind(monkeypatch):
    monkeypatch.setitem(KINDS, "timepiece", Timepiece)


class Watcher:
    """A progress display that remembers."""

    def __init__(self):
        self.sentences = []
        self.records = []
        self.starting = []
        self.stages = []

    def swept(self, sentences):
        self.sentences += sentences

    def stage(self, text):
        self.stages.append(text)

    def begun(self, directory, plan, planned, finished):
        self.directory, self.planned, self.finished = directory, planned, finished

    def guest_starting(self, environment):
        self.starting.append(environment)

    def trial_started(self, trial):
        pass

    def trial_finished(self, record, done, total, left, estimates):
        self.records.append(record)
        self.last = (done, total, left, estimates)

    def message(self, text):
        self.sentences.append(text)


@pytest.fixture
def watcher():
    return Watcher()


@pytest.fixture
def make_plan():
    def make(environments, workloads=None, **more):
        return Plan.model_validate(
            {
                "virtometer": 1,
                "name": "test",
                "blocks": 1,
                "seconds": 0.05,
                "baseline": environments[0]["name"],
                "environments": environments,
                "workloads": workloads
                or [{"name": "linpack", "workload": "linpack", "op": "classic", "parameters": {"size": 50}}],
                "limits": {"start_s": 2, "prepare_s": 2, "run_extra_s": 2, "answer_s": 2},
                "disk_span": 1 << 20,
                **more,
            }
        )

    return make
