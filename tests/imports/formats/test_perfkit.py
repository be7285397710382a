"""PerfKitBenchmarker: samples of its own code, and others after the published format."""

import json

import pytest

from tests.imports.files import captured, numbers, written
from virtometer.errors import UsageError


def sample(metric: str, value: float, unit: str, run: str = "a1", labels: object = "|a:b|") -> str:
    more = {"test": "iperf", "run_uri": run, "labels": labels, "timestamp": 1.0, "official": False}
    return json.dumps({"metric": metric, "value": value, "unit": unit} | more)


def test_two_runs_of_fio_are_repetitions_though_their_labels_have_results() -> None:
    file = captured("perfkit-fio.json")
    found = numbers(file)
    assert found["fio", "randrw:read:bandwidth", "B/s", "higher"] == [21_812_000.0, 23_876_000.0]
    assert found["fio", "randrw:write:latency:p99", "s", "lower"] == [
        pytest.approx(41.216e-6),
        pytest.approx(35.072e-6),
    ]
    assert len(found) == 6
    assert {one.start for one in file.values} == {1, 2}


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


def names(*labels: tuple[str, object]) -> list[str]:
    """The benchmark of a sample for each pair of run and labels."""
    file = written("\n".join(sample("time", 3, "s", run, of) for run, of in labels))
    return [one.benchmark for one in file.values]


@pytest.mark.parametrize("runs", [("a1", "a1"), ("a1", "b2")], ids=["one run", "two runs"])
def test_configurations_are_no_repetitions_of_each_other(runs: tuple[str, str]) -> None:
    first, second = runs
    assert names((first, "|cloud:GCP|,|threads:4|"), (second, "|cloud:GCP|,|threads:8|")) == [
        "iperf (threads 4)",
        "iperf (threads 8)",
    ]
    assert names((first, {"url": "a:b,c", "size": 1}), (second, {"url": "a:b,d"})) == [
        "iperf (size 1, url a:b,c)",
        "iperf (url a:b,d)",
    ]


def test_labels_of_another_metric_are_not_in_the_name() -> None:
    lines = [sample("a", 1, "s", labels="|threads:4|"), sample("b", 1, "s", labels="|threads:8|")]
    assert {one.benchmark for one in written("\n".join(lines)).values} == {"iperf"}


def test_what_each_repetition_has_of_its_own_is_no_configuration() -> None:
    own = (
        "|start_time:{0}|,|timestamp:{0}|,|run_number:{0}|,|disk_uri:x{0}|,|vm_ids:{0}|,|ip:10.0.0.{0}|,|vm:pkb-{1}-0|"
    )
    runs = ["aaaaaaa1", "aaaaaaa2", "aaaaaaa3"]
    assert names(*((run, own.format(at, run)) for at, run in enumerate(runs))) == ["iperf"] * 3
    assert names((runs[0], "|vm_id:1|"), (runs[0], "|vm_id:2|")) == ["iperf (vm_id 1)", "iperf (vm_id 2)"]


def test_results_in_labels_are_no_configuration() -> None:
    measured = "|bw_mean:{0}1.5|,|p99.9:{0}|,|rate:{0}.25|,|threads:4|"
    assert names(("a1", measured.format(1)), ("b2", measured.format(2))) == ["iperf"] * 2
    assert names(("a1", "|theta:0.5|"), ("a1", "|theta:0.9|")) == ["iperf (theta 0.5)", "iperf (theta 0.9)"]
    again = [("a1", "|theta:0.5|"), ("a1", "|theta:0.9|"), ("b2", "|theta:0.5|"), ("b2", "|theta:0.9|")]
    assert names(*again) == ["iperf (theta 0.5)", "iperf (theta 0.9)"] * 2


def test_labels_of_another_kind_are_refused() -> None:
    assert names(("a1", None), ("b2", "")) == ["iperf"] * 2
    with pytest.raises(UsageError, match="labels is not a text"):
        names(("a1", 5))
