"""Journals as another laboratory would have left them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from virtometer.host.owned.journal import Journal, Owner


def dead_owner() -> dict[str, object]:
    """The name of a laboratory that has ended."""
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    me = Owner.this()
    return {"pid": int(ended.stdout), "start": 1, "boot": me.boot, "pid_namespace": me.pid_namespace}


def leave(journal: Journal, guest_id: str, owner: dict[str, object], *resources: dict[str, object]) -> Path:
    """Write a guest's file as another laboratory would have left it."""
    journal.directory.mkdir(mode=0o700, exist_ok=True)
    path = journal.directory / f"{guest_id}.json"
    path.write_text(json.dumps({"virtometer": 1, "guest": guest_id, "owner": owner, "resources": resources}))
    return path
