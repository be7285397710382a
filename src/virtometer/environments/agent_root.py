"""A root file system that contains nothing but the agent, made once per agent and shared read-only by containers."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from virtometer.environments.base import Workbench
from virtometer.errors import EnvironmentFailed, StorageError

AGENT = "/virtometer-agent"
DATA = "/data"
_DIRECTORIES = ("proc", "sys", "dev", "tmp", "data", "etc")


def agent_root(bench: Workbench) -> Path:
    """Return the directory, building it where the cache has none for this very agent.

    Raises EnvironmentFailed without an agent, StorageError when the cache cannot take it.
    """
    try:
        with bench.agent.open("rb") as binary:
            digest = hashlib.file_digest(binary, "sha256").hexdigest()
    except OSError as cause:
        raise EnvironmentFailed(
            f"the agent's binary {bench.agent} cannot be read: {cause.strerror}", advice="make setup"
        ) from cause
    root = bench.cache / f"agent-root-{digest[:16]}"
    if root.is_dir():
        return root
    draft = bench.cache / f"agent-root-{digest[:16]}.{os.getpid()}.draft"
    try:
        draft.mkdir(parents=True)
        for name in _DIRECTORIES:
            (draft / name).mkdir(mode=0o755)
        target = draft / AGENT.lstrip("/")
        shutil.copyfile(bench.agent, target)
        target.chmod(0o755)
        draft.chmod(0o755)
        draft.rename(root)
    except OSError as cause:
        if root.is_dir():  # another laboratory was faster
            return root
        raise StorageError(f"the root file system {root} cannot be made: {cause.strerror}") from cause
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return root
