"""The table is well formed: names, commands, packages."""

import os
import re
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.anchors.__main__ import WIDTHS, chosen, forecast_s, not_found
from bench.anchors.alike import differences, needs_loader
from bench.anchors.program import Place
from bench.anchors.rows import ROWS, Row
from tests.house.tracked import ROOT
from tests.sentences import Said

PLACE = Place(Path("/agent"), Path("/python"), 0, 1, 1.0, Path("/a folder/file"), 2**30, Path("/a folder/cached"))
ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def test_every_row_has_a_name_of_its_own() -> None:
    assert [name for name, count in Counter(row.name for row in ROWS).items() if count > 1] == []
    assert all(re.fullmatch(r"[a-z]+\.[A-Za-z0-9_-]+", row.name) for row in ROWS)


@ROW
def test_its_commands_can_be_written_down(row: Row) -> None:
    for program in (row.agent, row.anchor):
        words = [*PLACE.argv(program, 7, 4711), *PLACE.server_argv(program, 4711)]
        assert not [word for word in words if "{" in word]
        assert ("{count}" in program.arguments) == (program.count > 0)
        assert ("{port}" in program.arguments) == bool(program.server)


@ROW
def test_its_agent_measures_what_the_row_says(row: Row) -> None:
    words = PLACE.argv(row.agent, 0, 1)
    assert words[:2] == ["/agent", "measure"]
    assert row.agent.cpus == "" and "--cpus" in words and "--json" in words
    assert row.unit in {"B/s", "FLOP/s", "IO/s", "1/s", "s"}


@ROW
def test_its_package_is_one_that_setup_installs(row: Row) -> None:
    table = (ROOT / "setup" / "anchors.txt").read_text().splitlines()
    known = {line.split()[0] for line in table if line and not line.startswith("#")}
    packages = set(row.anchor.package.split(" and ")) - {"", "coreutils"}
    assert packages <= known


def test_rows_are_chosen_by_the_beginning_of_their_names() -> None:
    assert chosen([]) == list(ROWS)
    assert {row.name.partition(".")[0] for row in chosen(["linpack,os.pipe", "net"])} == {"linpack", "os", "net"}
    assert [row.name for row in chosen(["linpack.left-looking-500"])] == ["linpack.left-looking-500"]
    with pytest.raises(ValueError, match="no row's name begins with 'none'"):
        chosen(["linpack none"])


@ROW
def test_its_pages_are_the_same_on_both_sides_but_for_the_best_mode(row: Row) -> None:
    assert (row.pages_of("agent") == row.pages_of("anchor")) is (row.pages != "best")
    assert (row.pages == "best") is ("best" in row.name)
    asked = re.search(r"--pages (\w+)", row.agent.arguments)
    assert asked is None or asked[1] == row.pages


def test_the_forecast_counts_all_runs_and_whole_seconds() -> None:
    (row,) = chosen(["linpack.left-looking-500"])
    assert forecast_s([row], 2, lambda row: 10.0) == pytest.approx(2 * (30.0 + 2 * 0.1 + 0.5))
    assert forecast_s([row], None, lambda row: 10.0) == pytest.approx(21 * 30.7)
    (whole,) = chosen(["net.stream-iperf3"])
    assert forecast_s([whole], 1, lambda row: 0.1) == pytest.approx(2 * 0.2 + 1.1)
    both = forecast_s([row, whole], 1, lambda row: 0.1 if row.group == "net" else 10.0)
    assert both == pytest.approx(30.7 + 2 * 0.2 + 1.1)


def test_tools_that_are_not_found_are_named_once_and_packages_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not_found(chosen(["memory", "net.stream"])) == ["bw_mem", "multichase", "netperf", "ramspeed", "stream"]


def test_every_tool_that_a_user_builds_is_in_the_methodology() -> None:
    told = (ROOT / "docs" / "kernels" / "other-tools.md").read_text()
    built = {row.anchor.file for row in ROWS if not row.anchor.package} - {"{agent}", "{python}"}
    assert [file for file in sorted(built) if f"`{file}`" not in told] == []


def test_every_name_fits_into_its_column() -> None:
    assert WIDTHS[0] >= max(len(row.name) for row in ROWS)


@ROW
def test_it_has_pairs_enough_for_its_interval(row: Row) -> None:
    assert row.noise.pairs >= 21


def test_what_has_to_be_as_fast_as_its_anchor_is_there() -> None:
    demands = {row.name: (row.demand, row.noise.pairs) for row in ROWS}
    blocked = [
        f"linpack.blocked-{order}-{threads}{library}"
        for order in (2000, 4000)
        for threads in ("", "two-threads-")
        for library in ("openblas", "wheel")
    ]
    for name in (*blocked, "os.select-lmbench", "disk.sequential-read-1M-psync-1", "memory.triad-two-threads-likwid"):
        assert demands[name] == (1.0, 21)


@pytest.mark.parametrize("row", [row for row in ROWS if row.anchor.file == "likwid-bench"], ids=lambda row: row.name)
def test_each_thread_of_likwid_has_the_bytes_of_the_agent_s(row: Row) -> None:
    arrays = {"read": 1, "read-write": 1, "copy": 2, "triad": 3}
    (op,) = re.findall(r"--op ([a-z-]+)", row.agent.arguments)
    (size,) = re.findall(r"--size (\d+)", row.agent.arguments)
    threads = int((re.findall(r"--threads (\d+)", row.agent.arguments) or ["1"])[0])
    total, kilo, members = re.findall(r"-w N:(\d+)(kB):(\d+)", row.anchor.arguments)[0]
    assert (int(members), kilo) == (threads, "kB")
    assert 1000 * int(total) == arrays[op] * int(size)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("os.page-fault-lmbench", "unmapping"),
        ("memory.copy-best-likwid", "chooses its pages"),
        ("linpack.left-looking-500", "by blocks"),
        ("memory.triad-small-likwid", ""),
        ("linpack.blocked-2000-openblas", ""),
    ],
)
def test_what_a_row_does_not_compare_alike_is_said(row: str, words: str) -> None:
    (found,) = (each for each in ROWS if each.name == row)
    assert (words in differences(found)) if words else differences(found) == ""


PROGRAM = "#include <unistd.h>\nint main(void) { return 0; }\n"


@pytest.mark.parametrize("op", ["fork", "exec", "shell"])
def test_a_program_that_needs_a_loader_is_not_compared_with_a_static_one_in_silence(
    said: Said, op: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    (row,) = (each for each in ROWS if each.name == f"os.{op}-lmbench")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for flag, alike in (("-static", True), ("-pie", False)):
        argv = ["cc", flag, "-o", str(tmp_path / "lat_proc"), str(tmp_path / "program.c")]
        subprocess.run(argv, check=True, capture_output=True)
        alone = replace(row, static=("lat_proc",))
        told = differences(alone)
        assert (told == "") is alike
        assert alike or "lat_proc dynamically" in told
        said(told)
    assert row.static == (("lat_proc",) if op == "fork" else ("lat_proc", "/tmp/hello"))


def test_a_script_needs_no_loader_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/bin/sh\n")
    assert not needs_loader(tmp_path / "script")
    assert needs_loader(Path("/bin/sh"))
