"""When stops count as found, and real stops."""

from dataclasses import replace

import pytest

from bench import stalls
from tests.analysis.simulated_campaigns import Place, Work, finding_of, simulate
from virtometer.model import Estimate

FINDING = finding_of(simulate([Place("native"), Place("stops")], [Work("linpack")]), "stops", "linpack")
NAMED = ("stops cost 9.1% in all: the typical ratio of a round is 1",)


@pytest.mark.parametrize(
    ("total", "notes", "met"),
    [
        (Estimate(0.91, 0.88, 0.94, 8), NAMED, True),
        (Estimate(0.91, 0.88, 0.94, 8), ("another note",), False),
        (Estimate(0.99, 0.97, 1.01, 8), NAMED, False),
        (Estimate(0.91, None, None, 2), NAMED, False),
        (None, NAMED, False),
    ],
)
def test_stops_are_in_the_total_and_named(total: Estimate | None, notes: tuple[str, ...], met: bool) -> None:
    text, found = stalls.line(replace(FINDING, ratio=total, notes=notes), 0.9)
    assert found is met
    assert text.startswith("linpack: total ") and text.endswith("met" if met else "MISSED")


@pytest.mark.slow
def test_real_stops_cost_work(capsys: pytest.CaptureFixture[str]) -> None:
    stalls.main(["--stop", "0.15", "--every", "0.3", "--blocks", "6", "--seconds", "0.6"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    totals = [float(line.partition("total ")[2].split()[0]) for line in lines]
    assert all(total < 0.85 for total in totals)
