"""Networks that guests can be without, or share with the host: read back from the kernel, and from within."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

import pytest

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.crun import Crun
from virtometer.environments.kinds.gvisor import Gvisor
from virtometer.environments.kinds.native import Native
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.kinds.uml.kind import UserModeLinux


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
@pytest.mark.parametrize("network", ["none", "host"])
@pytest.mark.parametrize("kind", [Native, Bubblewrap, Runc, Crun, Gvisor, UserModeLinux])
def test_a_guest_has_a_loopback_alone_or_the_interfaces_of_the_host(
    lab: LabContext, new_id: Callable[[], str], kind: type[Environment], network: str
) -> None:
    word = "none" if network == "none" else getattr(kind.settings_type, "host_network", "")
    environment = kind(lab)
    if not word or not environment.check().works:
        pytest.skip(f"{kind.kind} cannot have it here")
    settings = kind.settings_type.model_validate({"network": word})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        expected = sorted(name for _, name in socket.if_nameindex()) if network == "host" else ["lo"]
        inside = sorted(talk.session.request("facts", {}, ANSWER_S)["interfaces"])
        assert [one for one in inside if one in expected or network == "none"] == expected
        assert guest.effective["network"] == word
        if network == "none" or word == "host":
            assert guest.effective.get("interfaces", expected) == expected
    finally:
        guest.stop()
    assert traces.of(guest.guest_id) == []
