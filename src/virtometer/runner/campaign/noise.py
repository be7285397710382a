"""Measures how noisy this host is, and leaves nothing: a campaign into a results directory that is removed."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from virtometer.analysis.stopping.noise import Noise, noise
from virtometer.deferred_signals import deferred_signals
from virtometer.design.plan.resolved import ResolvedPlan, resolve
from virtometer.environments.registry import KINDS
from virtometer.errors import Interrupted, StorageError
from virtometer.host.owned.directories import DIRECTORY
from virtometer.host.owned.journal import Journal, state_directory
from virtometer.runner.campaign.execute import begin
from virtometer.runner.campaign.here import not_here
from virtometer.runner.campaign.progress import Progress


def measure(resolved: ResolvedPlan, text: str, progress: Progress) -> tuple[Noise, ...]:
    """Execute a plan with the baseline and the same environment again; returns the noise of each workload.

    `text` is the plan's. Workloads that use the disk are left out where its file does not fit. Raises what `begin`
    raises; Interrupted after Ctrl-C, of which nothing is kept.
    """
    there = Path(tempfile.gettempdir()).resolve()
    try:
        with _temporary(there) as directory:
            return noise(begin(_fitting(resolved, there, progress), text, directory, secrets.randbits(32), progress))
    except (Interrupted, KeyboardInterrupt) as cause:
        raise Interrupted("stopped: nothing of the measurement of noise is kept") from cause


def _fitting(resolved: ResolvedPlan, there: Path, progress: Progress) -> ResolvedPlan:
    """The plan without the workloads that use the disk, where the disk file does not fit."""
    refused = [one.sentence for one in not_here(resolved, there) if one.path == ("disk_span",)]
    rest = [one for one in resolved.plan.workloads if one.name not in resolved.on_disk]
    if not refused or not rest:
        return resolved
    progress.message(f"the disk is left out: {refused[0]} (in {there})")
    return resolve(resolved.plan.model_copy(update={"workloads": rest}), KINDS)


@contextmanager
def _temporary(there: Path) -> Iterator[Path]:
    """A new directory for results, removed at the end; the next laboratory removes it where this one is killed."""
    journal = Journal(state_directory())
    name = f"noise-{uuid.uuid4().hex[:8]}"
    directory = there / f"virtometer-{name}"
    try:
        journal.record(name, DIRECTORY, path=str(directory))
        try:
            directory.mkdir(mode=0o700)
        except OSError as cause:
            raise StorageError(f"cannot make the directory {directory}: {cause.strerror}") from cause
        yield directory
    finally:
        with deferred_signals():
            shutil.rmtree(directory, ignore_errors=True)
            if not directory.exists():  # else the journal keeps it for the next start
                journal.forget(name)
