"""Names of the files by which a directory holds a campaign, and the refusal to write over them."""

from __future__ import annotations

import os
from pathlib import Path

from virtometer.errors import StorageError

LEDGER = "ledger.sqlite"
UNFINISHED = "ledger.sqlite.new"
PLAN = "plan.yaml"
LOCK = "lock"


def refuse_campaign_file(path: Path) -> None:
    """Raise StorageError where `path` is, or is a link to, one of the files by which a directory holds a campaign."""
    target = Path(os.path.realpath(path))
    own = {LOCK, PLAN, LEDGER, *(f"{LEDGER}-{end}" for end in ("wal", "shm", "journal"))}
    if target.name in own and (target.with_name(LEDGER).exists() or target.with_name(UNFINISHED).exists()):
        raise StorageError(f"{path} is a file of a campaign; it was left as it is")
