"""The table is well formed: names, commands, packages."""

import re
from collections import Counter
from pathlib import Path

import pytest

from bench.anchors.__main__ import WIDTHS, chosen, forecast_s, not_found
from bench.anchors.program import Place
from bench.anchors.rows import ROWS, Row
from tests.house.tracked import ROOT

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
    assert [row.name for row in chosen(["linpack.classic-500"])] == ["linpack.classic-500"]
    with pytest.raises(ValueError, match="no row's name begins with 'none'"):
        chosen(["linpack none"])


@ROW
def test_its_pages_are_the_same_on_both_sides_but_for_the_best_mode(row: Row) -> None:
    assert (row.pages_of("agent") == row.pages_of("anchor")) is (row.pages != "best")
    assert (row.pages == "best") is ("best" in row.name)
    asked = re.search(r"--pages (\w+)", row.agent.arguments)
    assert asked is None or asked[1] == row.pages


def test_the_forecast_counts_all_runs_and_whole_seconds() -> None:
    (row,) = chosen(["linpack.classic-500"])
    assert forecast_s([row], 2, lambda row: 10.0) == pytest.approx(2 * (30.0 + 2 * 0.1 + 0.5))
    assert forecast_s([row], None, lambda row: 10.0) == pytest.approx(11 * 30.7)
    (whole,) = chosen(["net.stream-iperf3"])
    assert forecast_s([whole], 1, lambda row: 0.1) == pytest.approx(2 * 0.2 + 1.1)
    both = forecast_s([row, whole], 1, lambda row: 0.1 if row.group == "net" else 10.0)
    assert both == pytest.approx(30.7 + 2 * 0.2 + 1.1)


def test_tools_that_are_not_found_are_named_once_and_packages_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert not_found(chosen(["memory", "net.stream"])) == ["bw_mem", "netperf", "ramspeed", "stream"]


def test_every_tool_that_a_user_builds_is_in_the_methodology() -> None:
    told = (ROOT / "METHODOLOGY.md").read_text()
    assert [row.anchor.file for row in ROWS if not row.anchor.package and f"`{row.anchor.file}`" not in told] == [
        row.anchor.file for row in ROWS if row.anchor.file == "{agent}"
    ]


def test_every_name_fits_into_its_column() -> None:
    assert WIDTHS[0] >= max(len(row.name) for row in ROWS)
