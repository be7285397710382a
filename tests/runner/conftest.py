from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import Field

from tests.runner.fixtures import Document, MakePlan, Watcher
from virtometer.environments.base import Check, Environment, Guest, Lacks, Settings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS
from virtometer.model import Plan


class ScriptedSettings(Settings):
    """Settings that become one word."""

    def word(self) -> str:
        raise NotImplementedError


class Scripted(Environment):
    """An environment whose agent is a script beside this file, called with one word that its settings give."""

    script: ClassVar[str]

    def lacks(self) -> Lacks:
        return Lacks(disk=f"a {self.kind} has no disk", network=f"a {self.kind} has no network")

    def check(self) -> Check:
        return Check(True, "it always runs")

    def prepare(self, settings: Settings) -> None:
        pass

    def start(self, settings: Settings, guest_id: str) -> Guest:
        assert isinstance(settings, ScriptedSettings)
        with ProcessGuest.starting(self.lab, guest_id, settings) as guest:
            guest.refused_programs = {}  # such an agent runs no program, it only says so
            script = Path(__file__).with_name(self.script)
            guest.launch([sys.executable, script, settings.word()], purpose=self.kind)
        return guest


class RogueSettings(ScriptedSettings):
    behaviour: str = "good"

    def word(self) -> str:
        return self.behaviour


class Rogue(Scripted):
    """An agent that breaks the rules."""

    kind = "rogue"
    title = "rogue"
    settings_type = RogueSettings
    script = "rogue.py"


class TimepieceSettings(ScriptedSettings):
    clock: dict[str, float | bool | str] = Field(default_factory=dict)

    def word(self) -> str:
        return json.dumps(self.clock)


class Timepiece(Scripted):
    """An agent whose clock lies."""

    kind = "timepiece"
    title = "timepiece"
    settings_type = TimepieceSettings
    script = "timepiece.py"


class TurnerSettings(ScriptedSettings):
    turns: dict[str, float | str] = Field(default_factory=dict)

    def word(self) -> str:
        return json.dumps(self.turns)


class Turner(Scripted):
    """An agent that works in slices, at a speed that is known."""

    kind = "turner"
    title = "turner"
    settings_type = TurnerSettings
    script = "turner.py"


@pytest.fixture
def turner_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "turner", Turner)


@pytest.fixture
def rogue_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "rogue", Rogue)


@pytest.fixture
def timepiece_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, "timepiece", Timepiece)


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
def make_plan() -> MakePlan:
    def make(environments: Sequence[Document], workloads: Sequence[Document] | None = None, **more: Any) -> Plan:
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
                "control": False,
                # Other tests may run at the same time.
                "rules": {"max_foreign_load": 4096, "max_run_delay_share": 1},
                **more,
            }
        )

    return make
