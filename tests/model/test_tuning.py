"""Steps of tuning: what a plan may ask for, and where."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.model import HostTuningEvent, TuningState, TuningStep, not_undone, on_host, setting_path


@pytest.mark.parametrize(
    "given",
    [
        {"offloads": {"tx": False}, "queue_length": 0, "sysctl": {"net.ipv4.tcp_rmem": "4096 87380 16777216"}},
        {"where": "port", "run": "ethtool -K {interface} tx off"},
        {"where": "host", "run": "sh -c 'echo never > /sys/kernel/mm/transparent_hugepage/enabled'", "undo": "true"},
        {"where": "host", "sysfs": {"/sys/kernel/mm/transparent_hugepage/enabled": "never"}},
        {"where": "host", "sysfs": {"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor": "performance"}},
        {"where": "host", "sysctl": {"vm.dirty_ratio": 5, "net/ipv4/conf/eth0.1/rp_filter": 0}},
    ],
)
def test_what_a_step_may_be(given: dict[str, Any]) -> None:
    assert TuningStep.model_validate(given).where == given.get("where", "guest")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "needs one of sysctl"),
        ({"where": "host", "queue_length": 1}, "those of a guest or its port"),
        ({"where": "host", "offloads": {"tx": True}}, "those of a guest or its port"),
        ({"where": "port", "sysctl": {"net.core.x": 1}}, "a port has no sysctl"),
        ({"where": "host", "run": "true"}, "needs undo"),
        ({"run": "true", "undo": "true"}, "undo belongs to run on the host"),
        ({"run": "echo 'a"}, "quotes"),
        ({"run": "   "}, "1 to 60 words"),
        ({"sysctl": {"net ipv4": 1}}, "as sysctl takes it"),
        ({"sysctl": {"net..ipv4": 1}}, "as sysctl takes it"),
        ({"sysctl": {"net.ipv4.x": "1\n2"}}, "pattern"),
        ({"offloads": {"tcp": False}}, "'rx'"),
        ({"sysfs": {"/sys/kernel/mm/ksm/run": 1}}, "sysfs is that of the host"),
        ({"where": "port", "sysfs": {"/sys/kernel/mm/ksm/run": 1}}, "sysfs is that of the host"),
        ({"where": "host", "sysfs": {"/proc/sys/vm/swappiness": 1}}, "has a path as it stands: /sys/"),
        ({"where": "host", "sysfs": {"/sys/../etc/passwd": 1}}, "has a path as it stands: /sys/"),
        ({"where": "host", "sysfs": {"/sys/devices/**/online": 1}}, "has a path as it stands: /sys/"),
        ({"where": "host", "sysfs": {"/sys/kernel/mm/ksm/run": "1\n2"}}, "pattern"),
        ({"where": "host", "sysctl": {"vm.drop_caches": 3}}, "done once, and no setting"),
        ({"where": "host", "sysctl": {"vm/drop_caches": 3}}, "done once, and no setting"),
        ({"where": "host", "sysctl": {"kernel.modules_disabled": 1}}, "cannot be put back before it boots again"),
        ({"where": "host", "sysctl": {"net.ipv6.conf.all.disable_ipv6": 1}}, "cannot be put back"),
        ({"queue_length": -1}, "greater than or equal to 0"),
        ({"where": "here", "run": "true"}, "'guest'"),
    ],
)
def test_what_it_may_not_be(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TuningStep.model_validate(given)


def test_names_of_settings_are_read_as_sysctl_reads_them() -> None:
    assert setting_path("net.ipv4.tcp_sack") == "net/ipv4/tcp_sack"
    assert setting_path("net/ipv4/conf/eth0.1/rp_filter") == "net/ipv4/conf/eth0.1/rp_filter"
    assert setting_path("net.ipv4.conf.eth0/1.rp_filter") == "net/ipv4/conf/eth0.1/rp_filter"


def test_steps_on_the_host_are_those_of_the_host() -> None:
    guest, host = TuningStep(run="true"), TuningStep(where="host", sysctl={"vm.dirty_ratio": 5})
    assert on_host([guest, host]) == (host,)


def test_what_was_not_undone_is_the_last_event_of_each_tuning() -> None:
    def event(tuning: str, state: TuningState) -> HostTuningEvent:
        return HostTuningEvent("2026-01-02T03:04:05.000+00:00", tuning, state, "sysctl vm.swappiness=11")

    undone = [event("a", TuningState.IN_FORCE), event("a", TuningState.UNDONE)]
    left = [event("b", TuningState.IN_FORCE), event("b", TuningState.LEFT)]
    running = event("c", TuningState.IN_FORCE)
    assert not_undone([*undone, *left, running]) == (left[1], running)
    assert not_undone([*left, event("b", TuningState.UNDONE)]) == ()
