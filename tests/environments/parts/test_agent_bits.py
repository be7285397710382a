"""The agent of 32 bits as a setting."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.environments.parts.agent_bits import AgentBits
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.runner.lab.agent import agent_path

WITH_BITS = [kind for kind in KINDS.values() if issubclass(kind.settings_type, AgentBits)]


def test_the_agent_is_the_one_of_the_size(lab: LabContext, tmp_path: Path) -> None:
    both = dataclasses.replace(lab, agent_32=tmp_path / "small")
    assert AgentBits().agent(both) == lab.agent
    assert AgentBits(bits=32).agent(both) == tmp_path / "small"
    with pytest.raises(ValidationError):
        AgentBits.model_validate({"bits": 16})


def test_where_none_of_32_bits_is_built_the_preparation_says_so(lab: LabContext) -> None:
    with pytest.raises(EnvironmentFailed, match="32 bits is not built") as raised:
        Native(lab).prepare(NativeSettings(bits=32))
    assert raised.value.advice == "run make targets"


@pytest.mark.parametrize("kind", [kind for kind in WITH_BITS if not kind.machine])
def test_the_other_agent_is_really_the_one_that_runs(
    lab: LabContext, tmp_path: Path, new_id: Callable[[], str], kind: type[Environment]
) -> None:
    """A copy with another name takes the place of the one of 32 bits, which need not be built."""
    copy = Path(shutil.copy(lab.agent, tmp_path / "agent-32"))
    with copy.open("ab") as file:
        file.write(b"another one")
    environment = kind(dataclasses.replace(lab, agent_32=copy))
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    settings = environment.settings_type.model_validate({"bits": 32})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    assert isinstance(guest, ProcessGuest)
    try:
        Talk(guest).greet()
        programs = [Path(f"/proc/{pid}/exe") for pid in guest.account.processes()]
        sizes = {program.stat().st_size for program in programs}
        assert copy.stat().st_size in sizes
    finally:
        guest.stop()


@pytest.mark.parametrize("kind", WITH_BITS)
def test_the_agent_of_32_bits_measures(lab: LabContext, new_id: Callable[[], str], kind: type[Environment]) -> None:
    try:
        small = agent_path("i686-linux")
    except MissingProgram as missing:
        pytest.skip(missing.sentence)
    environment = kind(dataclasses.replace(lab, agent_32=small))
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    settings = environment.settings_type.model_validate({"bits": 32})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        assert talk.session.request("facts", {}, ANSWER_S)["bits"] == 32
        assert talk.measure("linpack", "classic", {"size": 100}).check.passed
    finally:
        guest.stop()
