"""criterion.rs: samples and estimates, and the messages of cargo-criterion 1.1."""

import json
import math
import statistics

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from tests.sentences import Said
from virtometer.errors import UsageError
from virtometer.imports.value import Origin

SAMPLE = '{"sampling_mode": "Linear", "iters": [10.0, 20.0], "times": [1000.0, 3000.0]}'


def test_the_time_of_one_iteration_and_the_name_of_the_directory() -> None:
    file = written(SAMPLE, "target/criterion/sum/to/1000/new/sample.json")
    assert numbers(file) == {("sum/to/1000", "time", "s", "lower"): [pytest.approx(1e-7), pytest.approx(1.5e-7)]}
    assert {one.origin for one in file.values} == {Origin.REPETITION}


@pytest.mark.parametrize(
    "path", ["sample.json", "native/sum/new/sample.json", "criterion/new/sample.json", "criterion/sum.json"]
)
def test_a_file_whose_benchmark_is_unknown_is_refused(said: Said, path: str) -> None:
    """Two of them would be blocks of one benchmark."""
    with pytest.raises(UsageError) as refused:
        written(SAMPLE, path)
    said(str(refused.value), path=path)


def test_real_samples_agree_with_their_estimate() -> None:
    place = "criterion/sum/to/1000/new"
    times = numbers(captured(f"{place}/sample.json"))["sum/to/1000", "time", "s", "lower"]
    estimates = json.loads((CAPTURED / place / "estimates.json").read_text())
    assert len(times) == 10
    assert math.fsum(filter(None, times)) / 10 == pytest.approx(1e-9 * estimates["mean"]["point_estimate"])


def test_estimates_are_a_summary() -> None:
    one = {"point_estimate": 250.0}
    [value] = written(
        json.dumps({"mean": one, "median": one, "std_dev": one, "slope": None}), "criterion/a/new/estimates.json"
    ).values
    assert value.value == pytest.approx(2.5e-7) and value.origin is Origin.SUMMARY


def test_real_messages_agree_with_their_medians() -> None:
    name = "criterion-messages-1.1.json"
    found = numbers(captured(name))
    assert found.keys() == {(f"sum to/{count}", "time", "s", "lower") for count in (1_000, 10_000)}
    medians = {
        one["id"]: one for line in (CAPTURED / name).read_text().splitlines() if "median" in (one := json.loads(line))
    }
    for (benchmark, *_), times in found.items():
        assert len(times) == 10
        assert statistics.median(filter(None, times)) == pytest.approx(1e-9 * medians[benchmark]["median"]["estimate"])


def test_messages() -> None:
    message = {"reason": "benchmark-complete", "id": "a/b", "iteration_count": [10], "measured_values": [50.0]}
    lines = [message | {"unit": "ns"}, {"reason": "group-complete", "group_name": "a"}]
    assert numbers(written("\n".join(map(json.dumps, lines)))) == {("a/b", "time", "s", "lower"): [pytest.approx(5e-9)]}
    with pytest.raises(UsageError, match="the unit cycles is no time"):
        written(json.dumps(message | {"unit": "cycles"}))


def test_wrong_numbers_of_iterations() -> None:
    with pytest.raises(UsageError, match="has 2 values, but there are 1 numbers"):
        written(SAMPLE.replace("[10.0, 20.0]", "[10.0]"), "criterion/a/new/sample.json")
    with pytest.raises(UsageError, match=r"iters\[0\] is not above 0"):
        written(SAMPLE.replace("[10.0", "[0"), "criterion/a/new/sample.json")
