"""`virtometer import`: tables that analyse takes, and one sentence for everything else."""

from __future__ import annotations

import json
import re
import resource
from pathlib import Path

import pytest

from tests.cli.laboratory import program, virtometer
from tests.imports.files import CAPTURED
from tests.sentences import Said
from virtometer.imports.registry import FORMATS

REAL = sorted(file for file in CAPTURED.rglob("*.*") if file.is_file())


@pytest.mark.parametrize("file", REAL, ids=lambda file: file.name)
def test_the_table_of_each_real_file_goes_through_analyse(tmp_path: Path, file: Path) -> None:
    table, words = tmp_path / "table.csv", [f"native={file}", f"gvisor={file}"]
    if file.suffix == ".xml":  # names its two systems itself
        same = tmp_path / file.name
        same.write_text(re.sub(r"(?s)(<Identifier>native</Identifier>(\s*<Value>.*?)</Entry>).*?(?=</Data>)",
                               r"\1<Entry><Identifier>gvisor</Identifier>\2</Entry>", file.read_text()))  # fmt: skip
        words = [str(same)]
    done = virtometer("import", *words, "--out", table)
    assert (done.status, done.out) == (0, "") and "2 environments" in done.err
    analysed = virtometer("analyse", table, "--against", "native", "--json")
    assert (analysed.status, analysed.err) == (0, "")
    ratios = [one["ratio"] for one in json.loads(analysed.out)["findings"] if one["ratio"] is not None]
    assert ratios and set(ratios) == {1.0}


def test_a_table_on_standard_output_is_the_same(tmp_path: Path) -> None:
    words = ["import", f"native={CAPTURED / 'hyperfine-1.15.json'}"]
    assert virtometer(*words, "--out", tmp_path / "t.csv").status == 0
    assert virtometer(*words).out == virtometer(*words, "--out", "-").out == (tmp_path / "t.csv").read_text()


def test_all_formats_are_listed() -> None:
    listed = virtometer("import", "--list")
    assert [line.split()[0] for line in listed.out.splitlines()] == [one.name for one in FORMATS]


def test_the_block_can_be_chosen() -> None:
    words = [f"native={CAPTURED / 'hyperfine-1.15.json'}", f"gvisor={CAPTURED / 'hyperfine-1.15.json'}"]
    lines = virtometer("import", *words, "--block", "file").out.splitlines()[1:]
    assert {line.partition(",")[0] for line in lines} == {"1"}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--format", "word", "a={real}"],
        ["--format", "fio", "a={real}"],
        ["--block", "day", "a={real}"],
        ["{real}"],
        ["a="],
        ["a={place}/missing.json"],
        ["a={place}"],
        ["a=-", "b=-"],
        ["a={place}/empty"],
        ["a={place}/cut.json"],
        ["a={place}/foreign.txt"],
        ["a={place}/photo.jpg"],
        ["--out", "{place}/none/table.csv", "a={real}"],
    ],
    ids=" ".join,
)
def test_wrong_words_and_files_are_one_sentence(said: Said, tmp_path: Path, words: list[str]) -> None:
    real = CAPTURED / "hyperfine-1.15.json"
    (tmp_path / "empty").write_text("")
    (tmp_path / "cut.json").write_text(real.read_text()[:300])
    (tmp_path / "foreign.txt").write_text("hello\n")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" * 20)
    ended = virtometer("import", *[word.format(real=real, place=tmp_path) for word in words])
    assert ended.status in (2, 4, 7) and ended.out == "" and "Traceback" not in ended.err
    said(ended.err, real=real, place=tmp_path)


def test_a_path_with_a_sign_in_a_directory_needs_no_name(tmp_path: Path) -> None:
    (tmp_path / "a=b.json").write_bytes((CAPTURED / "hyperfine-1.15.json").read_bytes())
    ended = virtometer("import", tmp_path / "a=b.json")
    assert ended.status == 2 and "does not say" in ended.err
    assert virtometer("import", f"x={tmp_path / 'a=b.json'}").status == 0


def test_100_mb_are_refused_at_once(tmp_path: Path) -> None:
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = program("import", f"a={large}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.status == 2 and "48 MiB" in ended.err and len(ended.err.splitlines()) == 1
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5
