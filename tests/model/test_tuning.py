"""Steps of tuning: what a plan may ask for, and where."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from virtometer.model import TuningStep, on_host


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
        ({"queue_length": -1}, "greater than or equal to 0"),
        ({"where": "here", "run": "true"}, "'guest'"),
    ],
)
def test_what_it_may_not_be(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TuningStep.model_validate(given)


def test_steps_on_the_host_are_those_of_the_host() -> None:
    guest, host = TuningStep(run="true"), TuningStep(where="host", sysctl={"vm.dirty_ratio": 5})
    assert on_host([guest, host]) == (host,)
