"""Commands beside the first one, on the page and in the machine interface."""

from __future__ import annotations

from tests.analysis.simulated_campaigns import Place, Work, gaussian, simulate
from virtometer.analysis import analyse
from virtometer.report.findings.commands import section
from virtometer.report.machine.document import document
from virtometer.report.parts.table import TextTable

PLACES = [Place("native"), Place("box", "runc", {"": 0.5})]
SHORT, LONG = Work("short", "command", "time", "s", 0.02), Work("long", "command", "time", "s", 0.06)


def tables(*works: Work) -> dict[str, TextTable]:
    made = section(analyse(simulate(PLACES, works, noise=gaussian(0.01))))
    return {} if made is None else {one.columns[0] + str(len(one.columns)): one for one in made.tables}


def test_further_commands_are_rows_and_environments_are_columns() -> None:
    table = tables(SHORT, LONG)["command3"]
    assert table.columns == ("command", "native", "box")
    ((name, *cells),) = table.rows
    assert name == "long" and "short" in table.caption
    assert all(cell.startswith(("2.9", "3.0")) and "±" in cell for cell in cells)


def test_other_work_has_no_such_section() -> None:
    assert section(analyse(simulate(PLACES, [Work()]))) is None
    assert section(analyse(simulate(PLACES, [SHORT, Work()]))) is None, "no run of it has a measure"


def test_the_machine_interface_has_the_same_ratios() -> None:
    analysis = analyse(simulate(PLACES, [SHORT, LONG], noise=gaussian(0.01)))
    rows = document(analysis)["between_commands"]
    assert [(one["workload"], one["subject"], one["against"]) for one in rows] == [
        ("long", "native", "short"),
        ("long", "box", "short"),
    ]
    for row, of in zip(rows, analysis.commands.values(), strict=True):
        assert (row["ratio"], row["low"], row["high"], row["n"], row["level"]) == (
            of.estimate.value, of.estimate.low, of.estimate.high, of.estimate.n, of.estimate.level,
        )  # fmt: skip
    assert document(analyse(simulate(PLACES, [SHORT])))["between_commands"] == []
