"""Tuning as one line of a table: the same words for a step however much of it is written out."""

from __future__ import annotations

from tests.sentences import Said
from virtometer.model import TuningStep
from virtometer.report.parts.tuning_words import tuning_words


def test_steps_are_reported_with_and_without_their_defaults(said: Said) -> None:
    step = TuningStep(sysctl={"net.ipv4.tcp_sack": 0}, queue_length=32, offloads={"tx": False, "gro": True})
    told = tuning_words([step.model_dump(mode="json")])
    said(told)
    assert tuning_words([step.model_dump(mode="json", exclude_unset=True)]) == told
    command = TuningStep(where="port", run="ethtool -K {interface} tx off")
    both = [one.model_dump(mode="json") for one in (step, command)]
    assert tuning_words(both) == f"{told}; port: ethtool -K {{interface}} tx off"
    assert tuning_words([]) == "none"
    file = TuningStep(where="host", sysfs={"/sys/kernel/mm/ksm/run": 1})
    assert tuning_words([file.model_dump(mode="json")]) == "host: /sys/kernel/mm/ksm/run 1"


def test_what_was_done_is_reported_with_both_values_or_with_the_status() -> None:
    done: list[dict[str, object]] = [
        {"where": "host", "what": "sysctl vm.dirty_ratio", "before": "20", "after": "5"},
        {"where": "guest", "what": "ip link", "status": 0, "output": "a lot"},
    ]
    assert tuning_words(done) == "host: sysctl vm.dirty_ratio 20 \N{RIGHTWARDS ARROW} 5; guest: ip link (status 0)"
