"""What the user's commands printed, for people: of their first run natively, and elsewhere where it is another text."""

from __future__ import annotations

from collections.abc import Iterator

from virtometer.model import Campaign, Run
from virtometer.visible import visible


def shown(command: str, environment: str, printed: str) -> str:
    """What a command printed in an environment, below a line that says so, without the end of its last line."""
    text = visible(printed, keep="\n\t").removesuffix("\n")
    return f"--- {visible(command)} ({visible(environment)}) printed:\n{text or '(nothing)'}"


def differing(campaign: Campaign) -> Iterator[str]:
    """What the first run of each environment printed, where that of the baseline printed something else.

    Only of runs whose output was kept.
    """
    first: dict[tuple[str, str], Run] = {}
    for record in campaign.trials:
        for run in record.runs:
            if run.report is not None and run.report.output is not None:
                first.setdefault((run.placement.workload, run.placement.environment), run)
    for (workload, environment), run in first.items():
        usual = first.get((workload, campaign.plan.baseline))
        printed = run.reported.output or ""
        if usual is None or printed != usual.reported.output:
            yield shown(workload, environment, printed)
