"""Notes of a table say why comparisons have no verdict, and what is empty."""

import json
from dataclasses import replace
from pathlib import PurePath

from tests.imports.files import captured, written
from tests.sentences import Said
from virtometer.imports.notes import left_out, notes, summary
from virtometer.imports.reading import Imported
from virtometer.imports.table import Block, rows
from virtometer.imports.value import LeftOut


def of(*files: Imported, block: Block = Block.REPETITION) -> list[str]:
    return [*notes(rows(files, block), block)]


def both(name: str) -> list[str]:
    return of(captured(name, "native"), captured(name, "gvisor"))


def test_enough_starts_need_no_note() -> None:
    assert both("hyperfine-1.15.json") == []


def test_each_reason_has_its_sentence(said: Said) -> None:
    found = [
        both("hyperfine-1.15-parameters.json"),
        both("wrk-4.1.0.txt"),
        both("perf-6.1-stat-r.json"),
        both("pytest-benchmark-5.3.1.json"),
        of(captured("wrk-4.1.0.txt", "a"), captured("iperf3-3.12-tcp.json", "b")),
        of(*[captured("wrk-4.1.0.txt", "a"), captured("wrk-4.1.0.txt", "b")] * 3, block=Block.FILE),
        of(*[captured("hyperfine-1.15.json", "a"), captured("hyperfine-1.15.json", "b")] * 3, block=Block.FILE),
    ]
    assert [len(one) for one in found] == [1, 1, 2, 1, 1, 1, 1]
    for sentences in found:
        for one in sentences:
            said(one)


def test_six_files_of_each_environment_are_enough() -> None:
    files = [captured("wrk-4.1.0.txt", name) for name in ("a", "b")] * 6
    assert of(*files, block=Block.FILE) == []


def test_empty_values_are_counted() -> None:
    text = json.dumps({"results": [{"command": "a", "mean": 1, "times": [0, 1, 1], "exit_codes": [0, 0, 1]}]})
    [note] = of(written(text))
    assert note.startswith("2 values")


def test_results_that_are_left_out_are_named_by_reason(said: Said) -> None:
    file = captured("wrk-4.1.0.txt")
    left = [LeftOut("a", "it is a series"), LeftOut("b\n", "it is a series"), LeftOut("c", "it is a picture")]
    first, second = left_out([file, replace(file, path=PurePath("x"), left_out=left)])
    said(first)
    said(second)


def test_the_summary() -> None:
    table = rows([captured("hyperfine-1.15.json")], Block.REPETITION)
    assert summary(table) == "16 values of 2 metrics in 1 environment (hyperfine)"
