"""iperf3 3.12: TCP and UDP."""

import json

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError


def test_throughput_at_the_receiver() -> None:
    document = json.loads((CAPTURED / "iperf3-3.12-tcp.json").read_text())
    found = numbers(captured("iperf3-3.12-tcp.json"))
    received = document["end"]["sum_received"]["bits_per_second"] / 8
    assert found == {("iperf3 TCP", "throughput", "B/s", "higher"): [pytest.approx(received)]}
    document["start"]["test_start"]["reverse"] = 1
    assert {name for name, *_ in numbers(written(json.dumps(document)))} == {"iperf3 TCP reverse"}


def test_udp_has_a_jitter() -> None:
    found = numbers(captured("iperf3-3.12-udp.json"))
    assert found["iperf3 UDP", "throughput", "B/s", "higher"] == [pytest.approx(50023582.351401418 / 8)]
    assert found["iperf3 UDP", "jitter", "s", "lower"] == [pytest.approx(2.50418354663499e-05)]


def test_a_failed_test_is_refused() -> None:
    with pytest.raises(UsageError, match="Connection refused"):
        written('{"start": {}, "intervals": [], "end": {}, "error": "unable to connect: Connection refused"}')
    with pytest.raises(UsageError, match="interrupted"):
        written('{"start": {}, "intervals": [], "end": {}}')
