"""`virtometer analyse`: a table and JSON from numbers of elsewhere."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import jsonschema
import pytest

from tests.cli.laboratory import line_with, passage, virtometer
from tests.house.tracked import ROOT
from tests.sentences import Said

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


def test_the_table_has_a_verdict_for_each_metric(said: Said, table: Path) -> None:
    ended = virtometer("analyse", str(table), "--against", "old kernel")
    assert ended.status == 0 and ended.err == ""
    flat = " ".join(ended.out.split())
    assert "old kernel: 1 slower and 1 equivalent." in flat
    said(passage(flat, "2 comparisons", "."))
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
    "words",
    [
        ["--against", "other"],
        ["--against", "old kernel", "--margin", "5"],
        ["--against", "old kernel", "--margin", "some"],
    ],
    ids=" ".join,
)
def test_wrong_words_are_one_sentence(said: Said, table: Path, words: list[str]) -> None:
    ended = virtometer("analyse", str(table), *words)
    assert ended.status == 2 and words[-1] in ended.err
    said(ended.err)


def test_a_file_that_is_no_table_is_one_sentence(tmp_path: Path) -> None:
    for path, sentence in ((tmp_path, "is a directory"), (tmp_path / "none.csv", "no such file")):
        ended = virtometer("analyse", str(path), "--against", "a")
        assert ended.status == 2 and f"{path} cannot be read: {sentence}" in ended.err
    (tmp_path / "wrong.csv").write_text("block,treatment,metric,unit,better,value\n1,a,m,s,lower,x\n")
    ended = virtometer("analyse", str(tmp_path / "wrong.csv"), "--against", "a")
    assert ended.status == 2 and "wrong.csv:2: the value x is not a number" in ended.err


@pytest.fixture
def factors(tmp_path: Path) -> Path:
    """virtio is faster by 20 %; the cache does nothing; both in every block."""
    rows = ["block,factor:bus,factor:cache,metric,unit,better,value"]
    for block in range(8):
        for bus in ("ide", "virtio"):
            for cache in ("none", "writeback"):
                wobble = 1 + ((3 * block + 5 * (bus == "ide") + 7 * (cache == "none")) % 11) / 2000
                rows.append(f"{block},{bus},{cache},read,B/s,higher,{1e9 * (1.2 if bus == 'virtio' else 1) * wobble}")
    path = tmp_path / "factors.csv"
    path.write_text("\n".join(rows))
    return path


def test_factors_give_effects_and_what_to_change(said: Said, factors: Path) -> None:
    ended = virtometer("analyse", str(factors))
    assert ended.status == 0 and ended.err == ""
    flat = " ".join(ended.out.split())
    assert "3 effects: 1 influence, 2 no influence." in flat
    said(passage(flat, "2 factors, ", "."))
    assert "bus=virtio instead of ide: +20 %" in flat and "Change bus from ide to virtio: read +20 %" in flat
    said(passage(flat, "cache=writeback instead", "read."))
    turned = " ".join(virtometer("analyse", str(factors), "--against", "bus=virtio, cache=none").out.split())
    assert "bus=ide instead of virtio: -17 %" in turned and "Keep the default" in turned


def test_effects_are_in_the_machine_interface(factors: Path) -> None:
    said = json.loads(virtometer("analyse", str(factors), "--json").out)
    effects = {one["term"]: one for one in said["effects"]}
    assert effects["bus"]["verdict"] == "influence" and effects["bus"]["percent"] == pytest.approx(20, abs=1)
    assert effects["bus:cache"]["verdict"] == effects["cache"]["verdict"] == "no influence"
    assert len(said["findings"]) == 4
    for kind, values in (("effect", said["effects"]), ("experiment", [said["experiment"]])):
        validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]})
        for one in values:
            validator.validate(one)


def test_aliases_of_a_table_are_said(said: Said, tmp_path: Path) -> None:
    rows = ["block,factor:a,factor:b,factor:c,metric,unit,better,value"]
    for block in range(8):
        for a, b, c in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
            wobble = ((block * 5 + a * 3 + b * 7) % 13) / 1000
            rows.append(f"{block},{a},{b},{c},time,s,lower,{1 + a + wobble}")
    path = tmp_path / "half.csv"
    path.write_text("\n".join(rows))
    said(passage(virtometer("analyse", str(path)).out, "a: cannot be told from b:c ", "sum"))
    effects = json.loads(virtometer("analyse", str(path), "--json").out)["effects"]
    assert {one["term"]: one["aliases"] for one in effects} == {"a": ["b:c"], "b": ["a:c"], "c": ["a:b"]}


@pytest.mark.parametrize(
    ("header", "row", "sentence"),
    [
        ("block,factor:,metric,unit,better,value", "1,x,m,s,lower,1", ":1: a column factor: has no name"),
        ("block,factor:a:b,metric,unit,better,value", "1,x,m,s,lower,1", ":1: the factor a:b has a colon in its name"),
        ("block,factor:a,metric,unit,better,value", "1,,m,s,lower,1", ":2: the level of a is empty"),
        ("block,factor:a,metric,unit,better,value", "1,x,m,s,lower,one", ":2: the value one is not a number"),
        ("block,factor:a,metric,unit,better,value", "1,x,m,s,lower,1", "x is the only treatment"),
    ],
)
def test_wrong_factors_are_one_sentence(tmp_path: Path, header: str, row: str, sentence: str) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(f"{header}\n{row}\n")
    ended = virtometer("analyse", str(path))
    assert ended.status == 2 and sentence in ended.err and "Traceback" not in ended.err


def test_treatments_without_factors_need_something_to_be_compared_with(said: Said, table: Path) -> None:
    ended = virtometer("analyse", str(table))
    assert ended.status == 2 and "--against TREATMENT is missing" in ended.err
    said(ended.err)


@pytest.mark.parametrize(("sign", "words"), [(";", "semicolons"), ("\t", "tabs")])
def test_another_separator_than_commas_is_named(said: Said, tmp_path: Path, sign: str, words: str) -> None:
    path = tmp_path / "table.csv"
    rows = (["block", "metric", "unit", "better", "value", "treatment"], ["1", "m", "s", "lower", "1,5", "a"])
    path.write_text("\n".join(sign.join(row) for row in rows), encoding="utf-8-sig")  # as spreadsheets save it
    refused = virtometer("analyse", path, "--against", "a")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"virtometer: {path}:1: ") and f" by {words}, " in refused.err
    said(refused.err, path=path)


@pytest.mark.parametrize("words", ["/dev/zero", "- </dev/zero"])
def test_a_file_without_end_is_refused(said: Said, words: str) -> None:
    line = f"ulimit -v 3000000; '{sys.executable}' -m virtometer analyse {words} --against a"
    ended = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"{words.split()[0]} has more than 64 MiB" in ended.stderr
    said(ended.stderr)


def test_a_file_that_is_refused_does_not_wait_for_the_analysis_to_load(tmp_path: Path) -> None:
    look = (
        "import sys; from virtometer.cli import main; status = main(); "
        "print(status, sorted({'numpy', 'scipy', 'virtometer.analysis'} & set(sys.modules)))"
    )
    for path in (Path("/dev/zero"), tmp_path / "none.csv"):
        words = [sys.executable, "-c", look, "analyse", str(path), "--against", "a"]
        assert subprocess.run(words, capture_output=True, text=True, check=False).stdout == "2 []\n"


def test_a_header_of_nul_is_one_short_line(said: Said, tmp_path: Path) -> None:
    (tmp_path / "nul.csv").write_bytes(bytes(100_000))
    refused = virtometer("analyse", tmp_path / "nul.csv", "--against", "a")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith(f"virtometer: {tmp_path}/nul.csv:1: ")
    assert refused.err.count("\n") == 1 and len(refused.err) < 400
    before, nul, _ = refused.err.partition(r"\x00")
    said(before + nul, place=tmp_path)


ODD = ("a\x1b[31mb", "a\nb", "a\0b", "a\tb", "a\u200bb", "a\u202eb", "אב")
SHOWN = (r"a\x1b[31mb", r"a\nb", r"a\x00b", r"a\tb", r"a\u200bb", r"a\u202eb", "אב")


@pytest.mark.parametrize("columns", ["60", "100", "400"])
@pytest.mark.parametrize("column", ["treatment", "factor:f"])
def test_names_with_control_characters_are_shown_whole(tmp_path: Path, column: str, columns: str) -> None:
    rows = [f"block,{column},metric,unit,better,value"]
    for block in range(6):
        rows += [
            f'{block},"{name}","metric {metric}",s,lower,{1 + place / 2 + (block * 5 + place * 3) % 7 / 1000}'
            for metric in ODD
            for place, name in enumerate(ODD)
        ]
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(rows), encoding="utf-8", newline="")
    words = ["--against", ODD[0]] if column == "treatment" else []
    ended = virtometer("analyse", path, *words, COLUMNS=columns)
    assert (ended.status, ended.err) == (0, "")
    assert all(one.isprintable() or one == "\n" for one in ended.out)
    flat = "".join(ended.out.split())
    for name in SHOWN:
        assert f"metric{name}" in flat and flat.count(name) >= 2
    assert max(map(len, ended.out.splitlines())) <= int(columns)
    found = json.loads(virtometer("analyse", path, *words, "--json").out)
    assert len({one["subject"] for one in found["findings"]}) == len(ODD)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """3,000 treatments in two blocks of random order, and one of them in four blocks more."""
    rows = ["block,treatment,metric,unit,better,value"]
    luck = random.Random(1)
    for block in range(8):
        names = range(3_000) if block < 2 else (0, 2_999)
        rows += [
            f"{block},t{name},m,s,lower,{(2 if name == 2_999 else 1) * luck.uniform(1, 1.001)}"
            for name in luck.sample(names, len(names))
        ]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(rows))
    return path


def test_of_many_treatments_the_table_has_the_differences_and_the_json_all(said: Said, many: Path) -> None:
    ended = virtometer("analyse", many, "--against", "t0")
    assert (ended.status, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert 1_000 < len(lines) < 1_050
    assert next(line.split()[0] for line in lines if "slower" in line) == "t2999"
    said(line_with("1,000 of 2,999 comparisons", ended.out))
    assert any(line.startswith("2,999 comparisons with t0: 1 slower and 2,998 undecided.") for line in lines)
    found = json.loads(virtometer("analyse", many, "--against", "t0", "--json").out)
    assert len(found["findings"]) == 3_000


def test_what_takes_a_moment_is_said(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def told(text: str) -> nullcontext[None]:
        said.append(text)
        return nullcontext()

    monkeypatch.setattr("virtometer.cli.parts.notice.notice", told)
    assert virtometer("analyse", many, "--against", "t0", "--json").status == 0
    assert said == ["reading the table ...", "analysing 3,000 treatments ...", "writing the findings ..."]


def test_more_combinations_of_levels_than_a_model_can_have_are_refused(said: Said, tmp_path: Path) -> None:
    rows = ["block,factor:a,factor:b,metric,unit,better,value"]
    rows += [f"{block},{a},{b},m,s,lower,1" for block in (0, 1) for a in range(65) for b in range(32)]
    (tmp_path / "wide.csv").write_text("\n".join(rows))
    refused = virtometer("analyse", tmp_path / "wide.csv")
    assert (refused.status, refused.out) == (2, "")
    assert "2,080 combinations" in refused.err and "2,048" in refused.err
    said(refused.err)
