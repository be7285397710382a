"""Reports from a campaign: `render` makes HTML, JSON or CSV text, `terminal.table` what is printed.

Nothing here measures, reads a clock or writes a file: the same campaign always gives the same report.
"""

from __future__ import annotations

from virtometer.analysis import findings as conclude
from virtometer.errors import UsageError
from virtometer.model import Campaign
from virtometer.report import machine, tables

FORMATS = {
    "html": "one page that needs nothing else, for a browser",
    "json": "the machine interface: everything but the raw samples",
    "csv": "one row for every result of every trial",
    "findings-csv": "one row for every comparison",
    "samples-csv": "one row for every raw sample",
    "probes-csv": "one row for every comparison of a guest's clock with the host's",
}


def render(campaign: Campaign, format: str) -> str:
    """Make the report in one of FORMATS. Raises UsageError for any other.

    For raw values, timed by the guests' own clocks, give what `analysis.by_guest_clocks` makes of the campaign.
    """
    if format == "html":
        from virtometer.report.html import page  # plots take a second to load: the other formats need not wait

        return page(campaign, conclude(campaign))
    if format == "json":
        return machine.text(campaign, conclude(campaign))
    if format == "csv":
        return tables.results_csv(campaign)
    if format == "findings-csv":
        return tables.findings_csv(campaign, conclude(campaign))
    if format == "samples-csv":
        return tables.samples_csv(campaign)
    if format == "probes-csv":
        return tables.probes_csv(campaign)
    raise UsageError(f"there is no report format {format}", advice=f"the formats are {', '.join(FORMATS)}")
