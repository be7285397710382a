"""PerfKitBenchmarker: written after the published format."""

import json

import pytest

from tests.imports.files import numbers, written
from virtometer.errors import UsageError


def sample(metric: str, value: float, unit: str, run: str = "a1") -> str:
    more = {"test": "iperf", "run_uri": run, "labels": "|a:b|", "timestamp": 1.0, "official": False}
    return json.dumps({"metric": metric, "value": value, "unit": unit} | more)


def test_units_say_what_is_better() -> None:
    lines = [sample("Throughput", 8.0, "Mbits/sec"), sample("time", 3, "ms"), sample("x", 4, "ops/s")]
    assert numbers(written("\n".join([*lines, sample("count", 5, "things")]))) == {
        ("iperf", "Throughput", "B/s", "higher"): [1e6],
        ("iperf", "time", "s", "lower"): [0.003],
        ("iperf", "x", "1/s", "higher"): [4],
    }


def test_runs_are_numbered_and_a_cut_line_is_named() -> None:
    lines = [sample("time", 3, "s"), sample("time", 4, "s", "b2")]
    assert [one.start for one in written("\n".join(lines)).values] == [1, 2]
    with pytest.raises(UsageError, match=":2: this line is no JSON object"):
        written("\n".join(lines)[:-9])
