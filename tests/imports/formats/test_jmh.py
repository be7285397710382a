"""JMH 1.37: forks and iterations of all modes, and what its published format has beside them."""

import json
from typing import Any

import pytest

from tests.imports.files import CAPTURED, captured, numbers, written
from virtometer.errors import UsageError
from virtometer.imports.reading import Imported
from virtometer.imports.value import Origin


def jmh(**metric: Any) -> Imported:
    result = {"jmhVersion": "1.37", "benchmark": "org.A.f", "mode": "avgt", "primaryMetric": metric}
    return written(json.dumps([result | {"params": {"n": "10"}}]))


def test_values_of_a_real_file_have_the_means_that_it_prints() -> None:
    name, file = "example.Sum.squares (count=1000)", captured("jmh-1.37.json")
    found = numbers(file)
    kinds = {
        "thrpt": ("rate", "1/s", "higher"),
        "avgt": ("time", "s", "lower"),
        "sample": ("sampled time", "s", "lower"),
        "ss": ("single shot time", "s", "lower"),
    }
    assert found.keys() == {(name, *kind) for kind in kinds.values()}
    assert {(one.start, one.origin) for one in file.values} == {(1, Origin.START), (2, Origin.START)}
    results = {one["mode"]: one["primaryMetric"] for one in json.loads((CAPTURED / "jmh-1.37.json").read_text())}
    for mode, kind in kinds.items():
        values = [one for one in found[name, *kind] if one is not None]
        assert len(values) == 6, "three iterations in each of two forks"
        scale = 1e6 if mode == "thrpt" else 1e-6
        weights = [1] * 6
        if mode == "sample":
            weights = [sum(n for _, n in one) for fork in results[mode]["rawDataHistogram"] for one in fork]
        mean = sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
        assert mean == pytest.approx(scale * results[mode]["score"], rel=1e-6)


def test_forks_are_starts_and_iterations_repeat_in_them() -> None:
    file = jmh(score=2.0, scoreUnit="us/op", rawData=[[1.0, 2.0], [3.0, "NaN"]])
    assert [(one.start, one.value) for one in file.values] == [
        (1, pytest.approx(1e-6)), (1, pytest.approx(2e-6)), (2, pytest.approx(3e-6)), (2, None)
    ]  # fmt: skip
    assert {one.origin for one in file.values} == {Origin.START}
    assert [*numbers(file)] == [("org.A.f (n=10)", "time", "s", "lower")]


def test_a_rate_is_better_when_higher() -> None:
    file = jmh(score=2.0, scoreUnit="ops/ms", rawData=[[2.0, 4.0]])
    assert numbers(file) == {("org.A.f (n=10)", "rate", "1/s", "higher"): [pytest.approx(2e3), pytest.approx(4e3)]}
    assert {one.origin for one in file.values} == {Origin.REPETITION}


def test_a_histogram_gives_its_mean_and_a_score_alone_is_a_summary() -> None:
    [value] = jmh(score=2.0, scoreUnit="ms/op", rawDataHistogram=[[[[1.0, 3], [5.0, 1]]]]).values
    assert value.value == pytest.approx(2e-3)
    [value] = jmh(score=2.0, scoreUnit="s/op").values
    assert (value.value, value.origin) == (2.0, Origin.SUMMARY)


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(UsageError, match="MB/sec"):
        jmh(score=2.0, scoreUnit="MB/sec", rawData=[[1.0]])
