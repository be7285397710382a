"""Guests that may be on the host's network, on the bridge."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.native import Native
from virtometer.environments.parts.host_network import HostNetworkSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed
from virtometer.host.network.lan import LOOPBACK
from virtometer.model import Limits
from virtometer.runner.execution.services import Peer

KINDS_OF_HOST = [Native, Bubblewrap]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a network with a bridge needs root")


def started(environment: Environment, guest_id: str, network: str) -> ProcessGuest:
    if not (check := environment.check()).works:
        pytest.skip(f"{environment.kind} does not work here: {check.reason}")
    guest = environment.start(environment.settings_type.model_validate({"network": network}), guest_id)
    assert isinstance(guest, ProcessGuest)
    return guest


def test_kinds_with_the_setting_are_those_that_may_share_the_network() -> None:
    with_setting = {kind for kind in KINDS.values() if issubclass(kind.settings_type, HostNetworkSettings)}
    assert with_setting == {kind for kind in KINDS.values() if kind.may_share_network} == set(KINDS_OF_HOST)


@needs_root
@pytest.mark.parametrize("kind", KINDS_OF_HOST)
@pytest.mark.parametrize(("network", "on_bridge"), [("bridge", False), ("auto", True)])
def test_on_the_bridge_it_has_a_veth_pair_as_containers_have(
    lab: LabContext, new_id: Callable[[], str], kind: type[Environment], network: str, on_bridge: bool
) -> None:
    environment = kind(dataclasses.replace(lab, on_bridge=on_bridge))
    guest = started(environment, new_id(), network)
    try:
        talk = Talk(guest)
        talk.greet()
        assert guest.network is not None
        assert (guest.network.kind, guest.effective["network"]) == ("veth", "bridge")
        assert sorted(talk.session.request("facts", {}, ANSWER_S)["interfaces"]) == ["eth0", "lo"]
        peer = Peer(lab, f"p-{guest.guest_id}"[:22], guest.network, Limits())
        try:
            assert talk.measure(
                "net", "request-response", {"peer": peer.endpoints()[0].address, "size": 1}
            ).check.passed
        finally:
            peer.stop()
    finally:
        guest.stop()
    assert traces.of(guest.guest_id) == []


@pytest.mark.parametrize("kind", KINDS_OF_HOST)
@pytest.mark.parametrize(("network", "on_bridge"), [("auto", False), ("loopback", True), ("loopback", False)])
def test_on_the_loopback_it_is_in_the_hosts_network(
    lab: LabContext, new_id: Callable[[], str], kind: type[Environment], network: str, on_bridge: bool
) -> None:
    environment = kind(dataclasses.replace(lab, on_bridge=on_bridge))
    guest = started(environment, new_id(), network)
    try:
        assert guest.network is not None
        assert (guest.network.kind, guest.network.namespace) == ("loopback", None)
        assert guest.network.guest_address == (LOOPBACK.host_address if on_bridge else "")
        assert guest.effective["network"] == "loopback"
    finally:
        guest.stop()


def test_without_root_auto_is_the_loopback_and_the_bridge_is_refused(
    lab: LabContext, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab.lan, "unavailable", lambda: "network namespaces with a bridge need root")
    native = Native(dataclasses.replace(lab, on_bridge=True))
    guest = started(native, new_id(), "auto")
    assert guest.effective["network"] == "loopback"
    guest.stop()
    with pytest.raises(EnvironmentFailed, match="need root"):
        native.prepare(native.settings_type.model_validate({"network": "bridge"}))


@needs_root
def test_another_agent_of_a_native_guest_is_in_the_same_network(lab: LabContext, new_id: Callable[[], str]) -> None:
    native = Native(lab)
    guest = started(native, new_id(), "bridge")
    second = native.add_agent(guest, native.settings_type.model_validate({"network": "bridge"}), new_id())
    try:
        addresses = []
        for one in (guest, second):
            talk = Talk(one)
            talk.greet()
            addresses.append(sorted(talk.session.request("facts", {}, ANSWER_S)["interfaces"]))
        assert addresses == [["eth0", "lo"]] * 2
        assert second.network == guest.network
    finally:
        second.stop()
        guest.stop()
