"""`virtometer resume`: go on with a campaign that was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from virtometer.cli.run import BESIDE_HELP


def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The campaign's results directory.")],
    failed: Annotated[bool, typer.Option("--failed", help="Measure the trials again that failed.")] = False,
    more: Annotated[
        int | None,
        typer.Option("--more", min=1, max=10_000, help="Then measure up to so many blocks of what is undecided."),
    ] = None,
    beside: Annotated[bool, typer.Option("--beside", help=BESIDE_HELP)] = False,
) -> None:
    """Go on with a campaign after any interruption. Trials that are done are neither repeated nor lost."""
    from virtometer.cli.parts.notice import notice

    with notice("loading the laboratory ..."):
        from virtometer.cli import campaign
        from virtometer.runner.campaign.execute import resume as go_on

    campaign.execute(directory, lambda progress: go_on(directory, progress, failed=failed, beside=beside, more=more))
