"""A root file system with the agent and the host's programs that workloads run, nothing else, shared by containers.

It is made once per content. Containers see it read-only.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from virtometer import installation
from virtometer.environments.base import LabContext
from virtometer.environments.images.machines import sync_tree
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.owned.drafts import draft_in
from virtometer.host.programs import files_of

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
            f"the agent's binary {agent} cannot be read: {cause.strerror}", advice=installation.make("setup")
        ) from cause
    key.update(" ".join(_DIRECTORIES).encode())
    for program in lab.host_programs:
        key.update(program.digest.encode())
    digest = key.hexdigest()
    root = lab.cache / f"agent-root-{digest[:16]}"
    if root.is_dir():
        return root
    try:
        with draft_in(lab.cache, lab.journal, lab.programs) as work:
            draft = work / "root"
            _fill(draft, agent, files_of(lab.host_programs))
            sync_tree(draft)
            draft.rename(root)
    except OSError as cause:
        if not root.is_dir():  # else another laboratory was faster
            raise StorageError(f"the root file system {root} cannot be made: {cause.strerror}") from cause
    return root


def _fill(root: Path, agent: Path, files: Iterable[Path]) -> None:
    """Make the directories and copy what lies in them."""
    for name in ("", *_DIRECTORIES):
        (root / name).mkdir(mode=0o755)
    target = root / AGENT.lstrip("/")
    shutil.copyfile(agent, target)
    target.chmod(0o755)
    for file in files:
        copy = root / file.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o755)
    root.chmod(0o755)
