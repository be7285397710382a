"""`virtometer analyse`: a table and JSON from numbers of elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.laboratory import virtometer
from tests.house.tracked import ROOT

SCHEMA = json.loads((ROOT / "contract" / "schema" / "report.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two kernels: the new one is half as fast in forks and the same in reads."""
    rows = ["block,treatment,metric,unit,better,value"]
    for block in range(8):
        wobble = 1 + (block % 3) / 1000
        rows += [
            f"{block},old kernel,fork,s,lower,{1e-3 * wobble}",
            f"{block},new kernel,fork,s,lower,{2e-3 * wobble}",
            f"{block},old kernel,read,B/s,higher,{1e9 * wobble}",
            f"{block},new kernel,read,B/s,higher,{1e9}",
        ]
    path = tmp_path / "kernels.csv"
    path.write_text("\n".join(rows))
    return path


def test_the_table_has_a_verdict_for_each_metric(table: Path) -> None:
    ended = virtometer("analyse", str(table), "--against", "old kernel")
    assert ended.status == 0 and ended.err == ""
    flat = " ".join(ended.out.split())
    assert "2 comparisons with old kernel: 1 slower and 1 equivalent." in flat
    assert "0.5" in flat and "slower" in flat


def test_json_is_the_machine_interface(table: Path) -> None:
    ended = virtometer("analyse", str(table), "--against", "old kernel", "--json", "--margin", "0.02")
    said = json.loads(ended.out)
    assert (said["margin"], said["effects"]) == (0.02, [])
    found = {(one["metric"], one["subject"]): one for one in said["findings"]}
    fork = found["fork", "new kernel"]
    assert fork["verdict"] == "slower" and fork["ratio"] == pytest.approx(0.5) and fork["n"] == 8
    assert found["read", "new kernel"]["verdict"] == "equivalent"
    validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/finding", "$defs": SCHEMA["$defs"]})
    for one in said["findings"]:
        validator.validate(one)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--against", "other"], "there is no treatment other; there are old kernel, new kernel"),
        (["--against", "old kernel", "--margin", "5"], "--margin is 5, but must be more than 0 and less than 1"),
        (["--against", "old kernel", "--margin", "some"], "--margin is some, but must be"),
    ],
)
def test_wrong_words_are_one_sentence(table: Path, words: list[str], sentence: str) -> None:
    ended = virtometer("analyse", str(table), *words)
    assert ended.status == 2 and sentence in ended.err


def test_a_file_that_is_no_table_is_one_sentence(tmp_path: Path) -> None:
    for path, sentence in ((tmp_path, "is a directory"), (tmp_path / "none.csv", "no such file")):
        ended = virtometer("analyse", str(path), "--against", "a")
        assert ended.status == 2 and f"{path} cannot be read: {sentence}" in ended.err
    (tmp_path / "wrong.csv").write_text("block,treatment,metric,unit,better,value\n1,a,m,s,lower,x\n")
    ended = virtometer("analyse", str(tmp_path / "wrong.csv"), "--against", "a")
    assert ended.status == 2 and "wrong.csv:2: the value x is not a number" in ended.err
