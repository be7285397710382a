"""Reports from an analysis: `render` makes them in each of FORMATS, `formats/terminal` what is printed.

Nothing here measures, concludes, reads a clock or writes a file but the cache: the same campaign always gives the same
report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtometer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # Commands that make no report use its parts: the analysis takes a second to load.
    from virtometer.analysis import Analysis
    from virtometer.report.formats.hyperfine import Result

FORMATS = {
    "html": "one page that needs nothing else, for a browser",
    "json": "the machine interface: everything but the raw samples",
    "csv": "one row for every result of every trial",
    "findings-csv": "one row for every comparison",
    "groups-csv": "one row for every guest of several that worked at once",
    "matrices-csv": "one row for every cell of the matrices of interference and network",
    "samples-csv": "one row for every raw sample",
    "probes-csv": "one row for every comparison of a guest's clock with the host's",
    "hyperfine-json": "all times of the user's commands, for the readers of hyperfine's exports",
    "hyperfine-json-2": "the same in the schema of hyperfine 2, in which each run has its measurements",
    "hyperfine-csv": "statistics of the times of the user's commands, as hyperfine writes them",
    "hyperfine-markdown": "the same as a table for a text",
    "junit": "JUnit XML: a test for each comparison, for continuous integration",
    "bencher": "the metric format of Bencher, for continuous benchmarking",
}


def render(analysis: Analysis, format: str) -> str:
    """Make the report in one of FORMATS. Raises UsageError for any other."""
    if format == "html":
        from virtometer.report.formats.html import page  # plots take a second to load: the other formats need not wait

        return page(analysis)
    from virtometer.report.formats import bencher, hyperfine, junit
    from virtometer.report.machine import document, tables  # nor does a table need these

    makers = {
        "json": document.text,
        "csv": tables.results_csv,
        "findings-csv": tables.findings_csv,
        "groups-csv": tables.groups_csv,
        "matrices-csv": tables.matrices_csv,
        "samples-csv": tables.samples_csv,
        "probes-csv": tables.probes_csv,
        "junit": junit.junit_xml,
        "bencher": bencher.bencher_json,
        **{f"hyperfine-{name}": _of_commands(make) for name, make in hyperfine.MAKERS.items()},
    }
    if format not in makers:
        raise UsageError(f"there is no report format {format}", advice=f"the formats are {', '.join(FORMATS)}")
    return makers[format](analysis)


def _of_commands(make: Callable[[Sequence[Result]], str]) -> Callable[[Analysis], str]:
    from virtometer.report.formats.hyperfine import results

    return lambda analysis: make(results(analysis))
