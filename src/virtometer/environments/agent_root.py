"""A root file system with the agent and the host's programs that workloads run, nothing else, shared by containers.

It is made once per content. Containers see it read-only.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from virtometer.environments.base import LabContext
from virtometer.environments.host_programs import files_of
from virtometer.environments.images import sync_tree
from virtometer.errors import EnvironmentFailed, StorageError

AGENT = "/virtometer-agent"
DATA = "/data"
_DIRECTORIES = ("proc", "sys", "dev", "tmp", "data", "etc", "run", "usr")


def agent_root(lab: LabContext, agent: Path | None = None) -> Path:
    """Return the directory, building it where the cache has none for this very agent with these very programs.

    agent: another one than the laboratory's usual one.
    Raises EnvironmentFailed without an agent, StorageError when the cache cannot take it.
    """
    agent = agent or lab.agent
    try:
        with agent.open("rb") as binary:
            key = hashlib.file_digest(binary, "sha256")
    except OSError as cause:
        raise EnvironmentFailed(
            f"the agent's binary {agent} cannot be read: {cause.strerror}", advice="make setup"
        ) from cause
    key.update(" ".join(_DIRECTORIES).encode())
    for program in lab.host_programs:
        key.update(program.digest.encode())
    digest = key.hexdigest()
    root = lab.cache / f"agent-root-{digest[:16]}"
    if root.is_dir():
        return root
    draft = lab.cache / f"agent-root-{digest[:16]}.{os.getpid()}.draft"
    try:
        draft.mkdir(parents=True)
        for name in _DIRECTORIES:
            (draft / name).mkdir(mode=0o755)
        target = draft / AGENT.lstrip("/")
        shutil.copyfile(agent, target)
        target.chmod(0o755)
        for file in files_of(lab.host_programs):
            copy = draft / file.relative_to("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            copy.chmod(0o755)
        draft.chmod(0o755)
        sync_tree(draft)
        draft.rename(root)
    except OSError as cause:
        if root.is_dir():  # another laboratory was faster
            return root
        raise StorageError(f"the root file system {root} cannot be made: {cause.strerror}") from cause
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return root
