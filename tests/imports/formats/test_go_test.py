"""go test -bench of Go 1.26: lines of several counts."""

import pytest

from tests.imports.files import captured, numbers, written


def test_lines_of_one_benchmark_are_repetitions() -> None:
    found = numbers(captured("go-1.26-bench.txt"))
    assert found["BenchmarkSum", "time", "s", "lower"] == [pytest.approx(one * 1e-9) for one in (2964, 2849, 7002)]
    assert found["BenchmarkCopy", "throughput", "B/s", "higher"][0] == pytest.approx(8446.11e6)
    assert {name for name, *_ in found} == {"BenchmarkSum", "BenchmarkCopy", "BenchmarkMake/size=64"}


def test_a_size_at_the_end_of_a_name_is_no_number_of_processors() -> None:
    found = numbers(written("BenchmarkA/size-8 \t 10 \t 5 ns/op\nBenchmarkA/size-16 \t 10 \t 7 ns/op\n"))
    assert {name for name, *_ in found} == {"BenchmarkA/size-8", "BenchmarkA/size-16"}


def test_units_of_the_user_need_a_direction() -> None:
    line = "BenchmarkA 10 5 ns/op 16 B/op 2 allocs/op 7 req/s 8 hits"
    assert {key[1:] for key in numbers(written(line))} == {
        ("time", "s", "lower"),
        ("memory allocated", "B", "lower"),
        ("allocations", "1", "lower"),
        ("req/s", "req/s", "higher"),
    }
    assert ("BenchmarkA", "hits", "hits", "higher") in numbers(written(f"Unit hits better=higher\n{line}\n"))


def test_packages_are_told_apart() -> None:
    text = "pkg: x\nBenchmarkA 10 5 ns/op\npkg: y\nBenchmarkA 10 6 ns/op\n"
    assert {name for name, *_ in numbers(written(text))} == {"x BenchmarkA", "y BenchmarkA"}
