"""The profile of a campaign's commands in its results directory: the counts, and the campaign of operations.

    DIR/profile.json    what each command did natively
    DIR/profile/        results directory of the campaign that measured what operations cost

Both are there and the campaign of operations is complete, or there is no profile.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from virtometer.analysis.profile.predict import Profiled

COUNTS = "profile.json"
OPERATIONS = "profile"


def profiled_in(directory: Path) -> Profiled | None:
    """What a results directory has; None where its commands were not profiled, or not to the end.

    Where the campaign of operations was cut, a sentence on standard error says what finishes it. Raises StorageError
    for counts that are none, and LedgerError as every campaign does.
    """
    file, folder = directory / COUNTS, directory / OPERATIONS
    if not file.is_file() or not (folder / "ledger.sqlite").is_file():
        return None
    from virtometer.analysis import analyse
    from virtometer.analysis.profile.counts import Counts
    from virtometer.analysis.profile.predict import Profiled
    from virtometer.errors import StorageError
    from virtometer.store.files import resume_command
    from virtometer.store.ledger import Ledger

    try:
        text = file.read_text()
    except (OSError, UnicodeDecodeError) as cause:
        raise StorageError(f"{file} cannot be read: {cause}") from cause
    counts = Counts.read_all(text, str(file))
    with Ledger.open(folder) as ledger:
        operations = analyse(ledger.read())
    if operations.counts.missing or not operations.counts.planned:
        sentence = "the profile is not shown, because the campaign of its operations is not complete"
        typer.echo(f"virtometer: {sentence}; {resume_command(folder)} finishes it", err=True)
        return None
    return Profiled(counts, operations.findings)
