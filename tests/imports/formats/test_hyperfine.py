"""hyperfine: real files of both schemas, failed runs, and files without single times."""

import json

import pytest

from tests.imports.files import captured, numbers, written
from virtometer.errors import UsageError
from virtometer.imports.value import Origin


def test_each_run_is_a_start() -> None:
    file = captured("hyperfine-1.15.json")
    found = numbers(file)
    assert file.format.name == "hyperfine"
    assert found["sleep 0.02", "time", "s", "lower"][:2] == [0.022176694, 0.022056108]
    assert {name: len(of) for (name, *_), of in found.items()} == {"sleep 0.02": 8, "true": 8}
    assert [one.start for one in file.values] == [*range(1, 9)] * 2
    assert {one.origin for one in file.values} == {Origin.START}


def test_commands_with_parameters_are_benchmarks_of_their_own() -> None:
    found = numbers(captured("hyperfine-1.15-parameters.json"))
    assert {name for name, *_ in found} == {"sleep 0.01", "sleep 0.02"}
    results = [{"command": "a", "mean": 1.0, "times": [1.0], "parameters": {"n": level}} for level in ("1", "2")]
    assert {name for name, *_ in numbers(written(json.dumps({"results": results})))} == {"a (n=1)", "a (n=2)"}


def test_a_failed_run_keeps_its_number_and_has_no_value() -> None:
    result = {"command": "a", "mean": 1, "times": [1.0, 2.0, 3.0], "exit_codes": [0, 1, None]}
    file = written(json.dumps({"results": [result]}))
    assert [(one.start, one.value) for one in file.values] == [(1, 1.0), (2, None), (3, None)]


def test_each_run_of_schema_2_has_all_that_it_measured() -> None:
    file = captured("hyperfine-2.0.json")
    found = numbers(file)
    assert file.format.name == "hyperfine"
    assert len(found["sleep 0.02", "time", "s", "lower"]) == len(found["true", "time", "s", "lower"]) == 8
    known = {key: [one for one in of if one is not None] for key, of in found.items()}
    assert {key: len(of) for key, of in known.items()} == dict.fromkeys(found, 8)
    assert all(0.02 < one < 0.5 for one in known["sleep 0.02", "time", "s", "lower"])
    user, system, cpu = (known["true", f"{of} time", "s", "lower"] for of in ("user", "system", "CPU"))
    assert [one + other for one, other in zip(user, system, strict=True)] == pytest.approx(cpu)
    assert min(known["true", "peak of memory", "B", "lower"]) > 1 << 20
    assert {one.origin for one in file.values} == {Origin.START}
    assert {one.start for one in file.values} == set(range(1, 9))


def test_names_and_failures_of_schema_2() -> None:
    assert {name for name, *_ in numbers(captured("hyperfine-2.0-parameters.json"))} == {"wait 0.01", "wait 0.02"}
    of_runs = numbers(captured("hyperfine-2.0-failed.json"))
    lost = {name: of.count(None) for (name, metric, *_), of in of_runs.items() if metric == "time"}
    assert lost == {"true": 0, "false": 2, "sh -c 'kill -9 $$'": 2}
    runs = {"measurements": [{"time_wall_clock": {"value": 1.0, "unit": "second"}, "exit_code": 0}]}
    results = [{"command": "a", "parameters": {"n": {"value": level}}, **runs} for level in ("1", "2")]
    assert {name for name, *_ in numbers(written(json.dumps({"results": results})))} == {"a (n=1)", "a (n=2)"}


@pytest.mark.parametrize(
    ("run", "place"),
    [
        ({"time_wall_clock": {"value": 1, "unit": "second"}}, r"exit_code is missing"),
        ({"time_wall_clock": {"value": 1, "unit": "hour"}, "exit_code": 0}, r"time_wall_clock\.unit is not second"),
        ({"time_wall_clock": {"value": "x", "unit": "second"}, "exit_code": 0}, r"value is not a number"),
        (7, r"exit_code is missing"),
    ],
)
def test_what_is_wrong_in_schema_2_is_named(run: object, place: str) -> None:
    with pytest.raises(UsageError, match=place):
        written(json.dumps({"schema_version": 2, "results": [{"command": "a", "measurements": [run]}]}))


def test_memory_of_schema_1() -> None:
    found = numbers(captured("hyperfine-1.20.json"))
    assert found["ls /", "peak of memory", "B", "lower"] == [3 << 20] * 6
    assert found["ls /", "time", "s", "lower"][0] == 0.002518532
    result = {"command": "a", "mean": 1, "times": [1.0, 2.0], "memory_usage_byte": [4096, 8192]}
    assert numbers(written(json.dumps({"results": [result]})))["a", "peak of memory", "B", "lower"] == [4096, 8192]


def test_a_mean_alone_is_a_summary() -> None:
    [value] = written('{"results": [{"command": "a", "mean": 0.5, "stddev": 0.1}]}').values
    assert (value.value, value.origin) == (0.5, Origin.SUMMARY)


def test_a_time_that_is_no_number_is_named() -> None:
    with pytest.raises(UsageError, match=r"results\[0\]\.times\[1\] is not a number"):
        written('{"results": [{"command": "a", "mean": 0.5, "times": [1, "x"]}]}')
