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


def test_udp_of_older_versions_has_the_sum_of_the_sender_which_lost_some() -> None:
    document = json.loads((CAPTURED / "iperf3-3.12-udp.json").read_text())
    metric = "iperf3 UDP", "throughput", "B/s", "higher"
    received = numbers(written(json.dumps(document)))[metric]
    del document["end"]["sum_received"], document["end"]["sum_sent"]
    assert numbers(written(json.dumps(document)))[metric] == [pytest.approx(received[0], rel=1e-3)]
    document["end"]["sum"] |= {"lost_packets": 48, "lost_percent": 100 * 48 / 191}
    found = numbers(written(json.dumps(document)))
    assert found[metric] == [pytest.approx(143 / 191 * 50050284.690678783 / 8)]
    assert found["iperf3 UDP", "jitter", "s", "lower"] == [pytest.approx(2.50418354663499e-05)]
    document["end"]["sum"]["lost_percent"] = -1
    with pytest.raises(UsageError, match="lost_percent is not between"):
        written(json.dumps(document))
    del document["end"]["sum"]["lost_percent"]
    with pytest.raises(UsageError, match="of the sender alone"):
        written(json.dumps(document))


def test_a_failed_test_is_refused() -> None:
    with pytest.raises(UsageError, match="Connection refused"):
        written('{"start": {}, "intervals": [], "end": {}, "error": "unable to connect: Connection refused"}')
    with pytest.raises(UsageError, match="interrupted"):
        written('{"start": {}, "intervals": [], "end": {}}')
