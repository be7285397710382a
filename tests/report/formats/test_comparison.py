"""Two campaigns side by side, as text and as Markdown."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from tests.analysis.simulated_campaigns import Place, Work, simulate
from tests.sentences import Said
from virtometer.analysis.compared.campaigns import compare_campaigns
from virtometer.analysis.compared.comparison import Comparison
from virtometer.report.formats.comparison import ComparisonTable, headline, markdown, rows

WORKS = [Work("fork", "os", "fork", "s", 1e-4), Work("read|all", "disk", "random-read", "IO/s", 1e4)]


def compared(fork: float = 0.4, conditions: str = "no") -> Comparison:
    one, other = (
        simulate(
            [
                Place("native"),
                Place("box", "runc", efficiency={"fork": efficiency}, conditions={"read|all": {"host_cache": cache}}),
            ],
            WORKS,
        )
        for efficiency, cache in ((0.8, "no"), (fork, conditions))
    )
    return compare_campaigns(one, other, 0.05)


def shown(of: Comparison, width: int = 120) -> str:
    out = io.StringIO()
    Console(file=out, width=width, no_color=True).print(
        ComparisonTable(replace(of, differing=("runc: 1.0 in A, 1.1 in B",)))
    )
    return out.getvalue()


def test_a_row_has_both_sides_the_ratio_and_the_verdict(said: Said) -> None:
    found = [cells for _, cells in rows(compared())]
    assert [cells[:2] + cells[5:] for cells in found] == [
        ("fork", "box", "slower", "worse (p < 0.0001)"),
        ("read|all", "box", "equivalent", "not worse (p < 0.0001)"),
    ]
    assert [cell.split()[0] for cell in found[0][2:5]] == ["0.80", "0.40", "0.50"]
    worse, same = headline(compared()), headline(compared(0.8))
    assert " 1 of 2 comparisons; not worse: 1 of 2; open: 0." in worse
    assert " 0 of 2 comparisons; not worse: 2 of 2; open: 0." in same
    said(worse)
    said(same)


def ends(text: str) -> list[str]:
    """The first lines of the rows of the table."""
    return [line.rstrip() for line in text.splitlines() if line.startswith(("fork", "read|all"))]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_says_in_words_what_it_says(width: int) -> None:
    text = shown(compared(conditions="yes"), width)
    flat = " ".join(text.split())
    assert "slower" in flat and "equivalent" in flat and "*¹" in flat, "a word is never folded"
    assert "worse?" in flat and "…" not in flat
    assert [line.split()[-1] for line in ends(text)] == ["worse", "worse"] and "not worse" in text
    assert "runc: 1.0 in A, 1.1 in B" in flat
    assert "* different conditions, see the note" in flat
    assert max(len(line) for line in text.splitlines()) <= width


def test_markdown_is_a_table_whose_cells_cannot_break_it(said: Said) -> None:
    text = markdown(replace(compared(conditions="yes"), differing=("host: kernel was '6.1' and is '<b>'",)))
    lines = text.splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert table[0] == "| workload | environment | A | B | B / A | verdict | worse? |"
    assert len(table) == 4
    assert "read\\|all" in table[3]
    assert table[3].count(" | ") == 6
    assert "equivalent\\* [1] [2]" in table[3]
    [note] = [line for line in lines if line.startswith("- [2] ")]
    said(note)
    assert "- host: kernel was '6.1' and is '&lt;b&gt;'" in lines
