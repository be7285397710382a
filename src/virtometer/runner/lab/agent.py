"""Where the agent's binary is, for this host and for other targets."""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path

from virtometer import installation
from virtometer.errors import MissingProgram, UsageError

# What setup/ can build, by the name that plans and people use: Rust targets, the first that is built counts.
TARGETS: dict[str, tuple[str, ...]] = {
    "x86_64-linux": ("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"),
    "i686-linux": ("i686-unknown-linux-musl", "i686-unknown-linux-gnu"),
    "aarch64-linux": ("aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"),
    "x86_64-windows": ("x86_64-pc-windows-gnu",),
    "i686-windows": ("i686-pc-windows-gnu",),
}


def _host() -> str:
    machine = platform.machine()
    return f"{'i686' if machine in ('i386', 'i486', 'i586') else machine}-linux"


def agent_path(target: str | None = None) -> Path:
    """Path of the agent for a target, or for this host when None.

    A target is a name of TARGETS, one of its Rust targets, or an architecture alone, which means Linux on it.
    VIRTOMETER_AGENT wins when no target is named. Raises UsageError for an unknown target, MissingProgram when it is
    not built, or not in the wheel that was installed.
    """
    named = os.environ.get("VIRTOMETER_AGENT")
    if target is None and named:
        path = Path(named).resolve()
        if not os.access(path, os.X_OK) or not path.is_file():
            raise MissingProgram(f"VIRTOMETER_AGENT names {named}, which is not an executable file")
        return path
    wanted = target or _host()
    for rust_target in _rust_targets(wanted):
        path = installation.agent_folder(rust_target) / "virtometer-agent"
        for file in (path, path.with_suffix(".exe")):
            if file.is_file():
                return file
    if target is None:
        raise MissingProgram(installation.no_agent(), advice=installation.make("setup"))
    raise MissingProgram(installation.no_agent(f"for {target}"), advice=installation.make("targets"))


def _rust_targets(name: str) -> tuple[str, ...]:
    for known in (name, f"{name}-linux"):
        if known in TARGETS:
            return TARGETS[known]
    if any(name in rust_targets for rust_targets in TARGETS.values()):
        return (name,)
    raise UsageError(f"there is no agent for the target {name}; there is one for {', '.join(TARGETS)}")


def agent_digest(path: Path) -> str:
    """SHA-256 of the agent's binary: two campaigns measured with the same instrument only if it is equal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
