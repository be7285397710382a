"""`virtometer resume`: go on with a campaign that was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def resume(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The campaign's results directory.")],
) -> None:
    """Go on with a campaign after any interruption. Finished trials are neither repeated nor lost."""
    from virtometer.cli import campaign
    from virtometer.runner.campaign import resume as go_on

    campaign.execute(directory, lambda progress: go_on(directory, progress))
