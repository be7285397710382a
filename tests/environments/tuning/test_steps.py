"""Guests are tuned by their agent, or by one of root's in their namespaces, and what fails is one sentence."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.environments import booted
from tests.sentences import Said
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.gvisor import Gvisor
from virtometer.environments.kinds.native import Native
from virtometer.environments.kinds.qemu.kind import Qemu
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.tuning.steps import (
    Done,
    carried_programs,
    refuse_tuning,
    tune_guest,
    words_of,
)
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.host.programs import find_host_program
from virtometer.link.session import Session
from virtometer.model import TuningStep

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="networks of guests need root")
ALL = TuningStep(sysctl={"net.ipv4.tcp_sack": 0}, queue_length=32, offloads={"tx": False})


def test_the_interface_has_its_name_in_commands() -> None:
    assert words_of("ip link set '{interface}' alias 'a b'", "veth2") == ["ip", "link", "set", "veth2", "alias", "a b"]


def test_guests_with_a_kernel_of_their_own_carry_programs() -> None:
    steps = [TuningStep(run="ip link"), TuningStep(where="port", run="tc qdisc"), ALL]
    assert carried_programs(Qemu, steps) == ["ip"]
    assert carried_programs(Runc, steps) == []


def test_a_container_has_the_settings_of_its_network_alone(said: Said, lab: LabContext) -> None:
    step = TuningStep(sysctl={"vm.dirty_ratio": 5})
    with pytest.raises(EnvironmentFailed, match=r"vm\.dirty_ratio of a guest of runc") as caught:
        refuse_tuning(Runc(lab), [step])
    said(caught.value.sentence)
    for kind in (Qemu, Gvisor):
        refuse_tuning(kind(lab), [step])
    refuse_tuning(Runc(lab), [ALL, TuningStep(where="host", sysctl={"vm.dirty_ratio": 5})])


@contextmanager
def guest_of(environment: Environment, guest_id: str, **settings: Any) -> Iterator[tuple[ProcessGuest, Session]]:
    requested = environment.settings_type.model_validate(settings)
    environment.prepare(requested)
    guest = environment.start(requested, guest_id)
    assert isinstance(guest, ProcessGuest)
    try:
        session = booted.greet(guest)
        if guest.network is not None and guest.network.guest_interface:
            session.request("configure-network", guest.network.configuration(), booted.BOOT_S)
        yield guest, session
    finally:
        guest.stop()


def found(done: list[Done]) -> dict[str, tuple[str, str]]:
    return {one["what"]: (one["before"], one["after"]) for one in done if "before" in one}


@needs_root
@pytest.mark.parametrize(("kind", "settings"), [(Native, {"network": "bridge"}), (Runc, {})])
def test_containers_and_native_on_the_bridge(
    kind: type[Environment], settings: dict[str, Any], lab: LabContext, new_id: Callable[[], str]
) -> None:
    environment = kind(lab)
    booted.require(environment.check())
    port = TuningStep(where="port", queue_length=500, offloads={"tx": False})
    shows = TuningStep(run="ip -o link show dev {interface}")
    with guest_of(environment, new_id(), **settings) as (guest, session):
        done = tune_guest(environment, guest, session, [ALL, port, shows])
        assert guest.network is not None
        assert found(done) == {
            "sysctl net.ipv4.tcp_sack": ("1", "0"),
            "queue length of eth0": ("1000", "32"),
            "offload tx of eth0": ("on", "off"),
            f"queue length of {guest.network.port}": ("1000", "500"),
            f"offload tx of {guest.network.port}": ("on", "off"),
        }
        assert (done[-1]["status"], "qlen 32" in done[-1]["output"]) == (0, True)
        assert Path("/proc/sys/net/ipv4/tcp_sack").read_text() == "1\n"  # of the host


@needs_root
def test_what_fails_says_what_and_why(said: Said, lab: LabContext, new_id: Callable[[], str]) -> None:
    environment = Native(lab)
    with guest_of(environment, new_id(), network="bridge") as (guest, session):
        for step, words in (
            (
                TuningStep(run="ip link set dev nosuch0 up"),
                r"in the guest: 'ip link .*' ended with status 1: .*nosuch0",
            ),
            (TuningStep(sysctl={"net.no.such": 1}), "there is no kernel setting net/no/such"),
            (TuningStep(sysctl={"net.ipv4.tcp_sack": "many"}), "cannot set the kernel setting net/ipv4/tcp_sack"),
            (TuningStep(run="sysctl -w vm.dirty_ratio=5"), "status"),
        ):
            with pytest.raises(EnvironmentFailed, match=words):
                tune_guest(environment, guest, session, [step])
        with pytest.raises(EnvironmentFailed, match="at its port: 'false'") as caught:
            tune_guest(environment, guest, session, [TuningStep(where="port", run="false")])
        said(caught.value.sentence)
        with pytest.raises(MissingProgram, match="no-such-program"):
            tune_guest(environment, guest, session, [TuningStep(run="no-such-program")])


def test_a_guest_on_the_hosts_network_is_not_tuned(lab: LabContext, new_id: Callable[[], str]) -> None:
    environment = Native(lab)
    with guest_of(environment, new_id(), network="loopback") as (guest, session):
        with pytest.raises(EnvironmentFailed, match="that would tune the host"):
            tune_guest(environment, guest, session, [ALL])
        with pytest.raises(EnvironmentFailed, match="has no port"):
            tune_guest(environment, guest, session, [TuningStep(where="port", queue_length=1)])


@needs_root
def test_a_machine_is_tuned_by_its_agent_and_by_programs_that_it_carries(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    if shutil.which("ip") is None:
        pytest.skip("the program ip is not installed")
    carried = (find_host_program("ip", "iproute2", lab.programs),)
    environment = Qemu(dataclasses.replace(lab, host_programs=carried))
    booted.require(environment.check())
    machine = TuningStep(sysctl={"vm.swappiness": 10}, offloads={"tx": False, "gro": False}, queue_length=32)
    with guest_of(environment, new_id(), cpus=1, memory="256M") as (guest, session):
        done = tune_guest(environment, guest, session, [machine, TuningStep(run="ip -o link show dev {interface}")])
        assert found(done) == {
            "sysctl vm.swappiness": ("60", "10"),
            "queue length of eth0": ("1000", "32"),
            "offload tx of eth0": ("on", "off"),
            "offload gro of eth0": ("on", "off"),
        }
        assert (done[-1]["status"], "qlen 32" in done[-1]["output"]) == (0, True)
        with pytest.raises(EnvironmentFailed, match="ended with status 1"):
            tune_guest(environment, guest, session, [TuningStep(run="ip link show dev nosuch0")])
        with pytest.raises(EnvironmentFailed, match="the program tc is not on this host"):
            tune_guest(environment, guest, session, [TuningStep(run="tc qdisc")])
