"""What the kinds that are a runtime of OCI containers have in common."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.crun import Crun
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.parts.oci_environment import OciEnvironment

RUNTIMES = [Runc, Crun]


@pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own needs root")
@pytest.mark.parametrize("kind", RUNTIMES)
def test_another_agent_is_in_the_container(
    lab: LabContext, new_id: Callable[[], str], kind: type[OciEnvironment]
) -> None:
    environment = kind(lab)
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    guest = environment.start(environment.settings_type(), new_id())
    try:
        Talk(guest).greet()
        second = environment.add_agent(guest, environment.settings_type(), new_id())
        try:
            talk = Talk(second)
            talk.greet()
            facts = talk.session.request("facts", {}, ANSWER_S)
            assert facts["hostname"] == "virtometer"
            assert 1 < facts["pid"] < 100
            assert second.network == guest.network
        finally:
            second.stop()
    finally:
        guest.stop()
    assert traces.of(guest.guest_id) == []


@pytest.mark.parametrize("kind", RUNTIMES)
def test_what_it_leaves_is_its_container(kind: type[OciEnvironment]) -> None:
    assert kind.resources == (kind.container,)
    assert kind.container.name == kind.program
