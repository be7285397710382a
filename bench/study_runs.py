"""How long did the experiments of the published studies take, what failed, and which claims do they decide?

    python -m bench.study_runs DIR...

DIR: folders of campaigns, as `virtometer study run` makes them. Printed is a table in Markdown for bench/records/
studies.md: of each campaign its date, minutes from its beginning to the end of its last trial, trials, failed ones and
new values of cells; then of each study the verdicts of its claims by the new cells.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from virtometer.analysis import Analysis
from virtometer.analysis.studies.results import StudyResults, results
from virtometer.cli.study.experiments import campaigns_in
from virtometer.cli.study.report import analysis_of
from virtometer.errors import VirtometerError
from virtometer.model import Campaign
from virtometer.studies.data import studies


def minutes(of: Campaign) -> float:
    """From the beginning of a campaign to the end of its last trial; 0 without trials."""
    begun = datetime.fromisoformat(of.created_at)
    ends = [datetime.fromisoformat(one.started_at) + timedelta(seconds=one.wall_s) for one in of.trials]
    return (max(ends) - begun).total_seconds() / 60 if ends else 0.0


def row(of: Campaign, number: int, found: StudyResults) -> str:
    """A campaign as a row of the table. number: that of the campaign among those of the results."""
    cells = sum(cell.value is not None and cell.campaign == number for one in found.sections for cell in one.all_cells)
    failed = sum(one.failure is not None for one in of.trials)
    form = "short" if of.plan.shortened else "full"
    columns = (of.plan.name, form, of.created_at[:10], f"{minutes(of):.1f}", f"{len(of.trials)}", f"{failed}")
    return f"| {' | '.join((*columns, str(cells)))} |"


def verdicts(of: StudyResults) -> str:
    """How many claims of a study the new cells decide, and how."""
    counts = Counter(str(one.new.verdict) for one in of.claims if one.new is not None)
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.study_runs", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("directories", metavar="DIR", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    try:
        analyses = [analysis_of(one) for directory in options.directories for one in campaigns_in(directory)]
    except VirtometerError as error:
        print(error.sentence, file=sys.stderr)
        return error.exit_status
    print("| experiment | form | date | minutes | trials | failed | new values |\n|---|---|---|---|---|---|---|")
    claims: list[str] = []
    for study in studies().values():
        of: list[Analysis] = [one for one in analyses if one.campaign.plan.name.startswith(f"{study.study} ")]
        if not of:
            continue
        found = results(study, of)
        print("\n".join(row(one.campaign, number, found) for number, one in enumerate(of)))
        claims.append(f"{study.study}: {verdicts(found)}")
    print("\nClaims by the new cells:\n")
    print("\n".join(f"- {one}" for one in claims))
    return 0


if __name__ == "__main__":
    sys.exit(main())
