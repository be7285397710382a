"""The table is well formed: names, commands, packages."""

import re
from collections import Counter
from pathlib import Path

import pytest

from bench.anchors.__main__ import chosen, forecast_s
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


def test_the_forecast_counts_all_runs() -> None:
    (row,) = chosen(["linpack.classic-500"])
    assert forecast_s([row], 2, 10.0) == pytest.approx(2 * (30.0 + 2 * 0.1 + 0.5))
    assert forecast_s([row], None, 10.0) == pytest.approx(11 * 30.7)
