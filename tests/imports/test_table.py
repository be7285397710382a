"""Rows of a table: blocks, replicates, names and values out of bounds."""

import csv
import io
import json

import pytest

from tests.imports.files import captured, written
from virtometer.analysis.table.elsewhere import compare
from virtometer.analysis.table.long_table import LARGEST as LARGEST_OF_TABLES
from virtometer.analysis.table.long_table import read as read_table
from virtometer.errors import UsageError
from virtometer.imports.reading import Imported
from virtometer.imports.table import LARGEST, SMALLEST, Block, csv_text, rows, usual_block


def runs(environment: str, *times: float, command: str = "a") -> Imported:
    result = {"command": command, "mean": 1, "times": times}
    return written(json.dumps({"results": [result]}), "a.json", environment)


def test_repetitions_are_blocks_where_each_environment_has_one_file() -> None:
    files = [runs("native", 1, 2), runs("gvisor", 3, 4)]
    assert usual_block(files) is Block.REPETITION
    assert [(one.block, one.treatment, one.replicate, one.value) for one in rows(files, Block.REPETITION)] == [
        ("1", "native", 1, 1.0), ("2", "native", 1, 2.0), ("1", "gvisor", 1, 3.0), ("2", "gvisor", 1, 4.0)
    ]  # fmt: skip


def test_files_are_blocks_where_an_environment_has_several() -> None:
    files = [runs("native", 1, 2), runs("native", 5), runs("gvisor", 3), runs("gvisor", 4)]
    assert usual_block(files) is Block.FILE
    assert [(one.block, one.treatment, one.replicate, one.value) for one in rows(files, Block.FILE)] == [
        ("1", "native", 1, 1.0), ("1", "native", 2, 2.0), ("1", "gvisor", 1, 3.0),
        ("2", "native", 1, 5.0), ("2", "gvisor", 1, 4.0),
    ]  # fmt: skip
    assert [one.block for one in rows(files, Block.REPETITION)] == ["1.1", "1.2", "2.1", "1.1", "2.1"]


def test_forks_are_blocks_and_iterations_replicates() -> None:
    metric = {"score": 1, "scoreUnit": "s/op", "rawData": [[1, 2], [3, 4]]}
    file = written(json.dumps([{"benchmark": "b", "mode": "avgt", "primaryMetric": metric}]))
    found = [(one.block, one.replicate, one.value) for one in rows([file], Block.REPETITION)]
    assert found == [("1", 1, 1.0), ("1", 2, 2.0), ("2", 1, 3.0), ("2", 2, 4.0)]


def test_environments_of_the_file_itself() -> None:
    entry = "<Entry><Identifier>{0}</Identifier><Value>1</Value><RawString>1:2</RawString></Entry>"
    text = (
        "<PhoronixTestSuite><Result><Title>X</Title><Scale>s</Scale><Proportion>LIB</Proportion><Data>"
        f"{entry.format('a')}{entry.format('b')}</Data></Result></PhoronixTestSuite>"
    )
    assert {one.treatment for one in rows([written(text, environment="")], Block.REPETITION)} == {"a", "b"}
    with pytest.raises(UsageError, match="several environments"):
        rows([written(text)], Block.REPETITION)
    with pytest.raises(UsageError, match="does not say of which environment"):
        rows([runs("", 1)], Block.REPETITION)


def test_bounds_are_those_of_tables_and_values_outside_are_empty() -> None:
    assert LARGEST == LARGEST_OF_TABLES == pytest.approx(1 / SMALLEST)
    found = rows([runs("a", 0, -1, 1e-31, 1e31, 1e-30)], Block.REPETITION)
    assert [one.value for one in found] == [None, None, None, None, 1e-30]


def test_one_metric_has_one_unit() -> None:
    benchmark = {"name": "a", "run_name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "s"}
    file = written(json.dumps({"context": {}, "benchmarks": [benchmark]}))
    line = "BenchmarkX 1 1 ns/op 5 hits\n"
    other = [written(f"Unit hits better={better}\n{line}") for better in ("higher", "lower")]
    assert rows([file, *other[:1]], Block.FILE)
    with pytest.raises(UsageError, match="hits, lower is better"):
        rows(other, Block.FILE)


@pytest.mark.parametrize("command", ["a\nb", 'say "x", y', "\x1b[31mred", "é;\t;", "x" * 100_000, "=1+1"])
def test_any_name_comes_back_from_the_table(command: str) -> None:
    files = [runs("native", *[1.0] * 6, command=command), runs("gvisor", *[2.0] * 6, command=command)]
    text = csv_text(rows(files, Block.REPETITION))
    table = read_table(text.encode(), "x")
    [metric] = table.metrics
    assert len(metric) <= 500 and metric.isprintable()
    assert len([*csv.reader(io.StringIO(text))]) == 13


def test_long_names_stay_apart() -> None:
    names = ["x" * 1000 + end for end in "ab"]
    files = [runs("native", 1, command=name) for name in names]
    assert len({one.metric for one in rows(files, Block.FILE)}) == 2


def test_the_comparison_of_the_table_is_that_of_the_file() -> None:
    """The ratio of the analysis is that of the single times, by hand."""
    file = captured("hyperfine-1.15.json", "native")
    slower = [2 * one.value for one in file.values if one.benchmark == "true" and one.value is not None]
    table = rows([file, runs("gvisor", *slower, command="true")], Block.REPETITION)
    findings = compare(read_table(csv_text(table).encode(), "x"), "native", 0.05)
    [found] = [one for one in findings if one.value.subject == "gvisor" and one.workload == "true: time"]
    assert found.verdict == "slower"
    assert found.ratio.estimate is not None and found.ratio.estimate.value == pytest.approx(0.5)
