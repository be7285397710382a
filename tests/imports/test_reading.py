"""Formats are recognised by content, each captured file by one format alone; other files are one sentence."""

import json
import time
import tracemalloc
from pathlib import PurePath

import pytest

from tests.imports.files import CAPTURED, captured, written
from virtometer.errors import UsageError
from virtometer.imports.content import MOST_BYTES, MOST_PARSED_BYTES, Content
from virtometer.imports.reading import named, read
from virtometer.imports.registry import FORMATS

FILES = sorted(file for file in CAPTURED.rglob("*.*") if file.is_file())


def test_names_are_distinct_and_every_format_has_its_source() -> None:
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    assert all(one.source.startswith("https://") and one.made_by for one in FORMATS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_real_file_is_of_one_format_alone(file: str) -> None:
    path = CAPTURED / file
    content = Content(path, path.read_text())
    [found] = [one for one in FORMATS if one.recognises(content)]
    assert captured(str(path.relative_to(CAPTURED))).format is found
    assert read(path.read_bytes(), path, "", named(found.name)).values


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_cut_file_is_read_or_refused_in_a_sentence(file: str) -> None:
    """Each cut text is refused by an error for users, or has values that the whole file has too."""
    path = CAPTURED / file
    text = path.read_text()
    whole = {(one.benchmark, one.metric) for one in read(text.encode(), path, "a").values}
    for share in range(1, 20):
        try:
            part = read(text[: len(text) * share // 20].encode(), path, "a")
        except UsageError as refused:
            assert str(path) in str(refused)
        else:
            assert {(one.benchmark, one.metric) for one in part.values} <= whole


@pytest.mark.parametrize("text", ["hello\n", "<html></html>", "a,b\n1,2\n", '{"a": 1}', "[]", '"x"', "[1, 2]", "{}"])
def test_a_foreign_file_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="known"):
        written(text)


def test_the_named_format_decides() -> None:
    path = CAPTURED / "hyperfine-1.15.json"
    with pytest.raises(UsageError, match="not in the format fio"):
        read(path.read_bytes(), path, "a", named("fio"))
    with pytest.raises(UsageError, match="there is no format x"):
        named("x")


@pytest.mark.parametrize("begin", ['{"results": [', "<PhoronixTestSuite>"])
def test_large_json_and_xml_are_refused_before_they_are_parsed(begin: str) -> None:
    began = time.monotonic()
    with pytest.raises(UsageError, match="8 MiB"):
        written(begin + " " * MOST_PARSED_BYTES)
    assert time.monotonic() - began < 5


VEGETA = '{"code":200, "latency":1, "timestamp":0}\n'


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        '{"results": [' + "[]," * (MOST_PARSED_BYTES // 3 - 100) + "[]]}",
        json.dumps({"results": [{"command": "a", "mean": 1, "times": [0.123456789] * 600_000}]}),
        "0 1 100 0 1700000000 5\n" * (MOST_BYTES // 24),
        VEGETA + f'{{"code":200,"latency":1,"body":"{"a" * 64}"}}\n' * (MOST_BYTES // 101),
        VEGETA + VEGETA.replace("}", ', "a": [' + "[]," * (MOST_PARSED_BYTES // 3 - 100) + "[]]}") * 5,
        "BenchmarkA 1 1 ns/op\n" * (MOST_PARSED_BYTES // 22),
        "<PhoronixTestSuite>" + "<a/>" * (MOST_PARSED_BYTES // 4 - 100) + "</PhoronixTestSuite>",
    ],
    ids=["lists", "numbers", "lines", "requests", "request", "go", "elements"],
)
def test_the_largest_files_take_500_mb_at_most(text: str) -> None:
    raw = text.encode()
    tracemalloc.start()
    try:
        read(raw, PurePath("x"), "a")
    except UsageError:
        pass
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak + len(raw) < 500e6
