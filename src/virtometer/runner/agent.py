"""Where the agent's binary is."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from virtometer.errors import MissingProgram, UsageError

TARGETS = ("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu")


def _repository() -> Path:
    return Path(__file__).resolve().parents[3]


def agent_path(target: str | None = None) -> Path:
    """Path of the agent for a Rust target, or for this host when None.

    VIRTOMETER_AGENT wins when no target is named. Raises UsageError for an unknown target, MissingProgram when it
    is not built.
    """
    named = os.environ.get("VIRTOMETER_AGENT")
    if target is None and named:
        path = Path(named).resolve()
        if not os.access(path, os.X_OK) or not path.is_file():
            raise MissingProgram(f"VIRTOMETER_AGENT names {named}, which is not an executable file")
        return path
    if target is not None and target not in TARGETS:
        raise UsageError(f"there is no agent for the target {target}; there is one for {', '.join(TARGETS)}")
    for name in (target,) if target else TARGETS:
        path = _repository() / "target" / name / "release" / "virtometer-agent"
        if path.is_file():
            return path
    raise MissingProgram("the agent is not built", advice="run make setup")


def agent_digest(path: Path) -> str:
    """SHA-256 of the agent's binary: two campaigns measured with the same instrument only if it is equal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
