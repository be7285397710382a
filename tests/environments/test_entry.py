"""The way into guests by nsenter."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.environments.entry import nsenter, youngest_inside
from virtometer.errors import EnvironmentFailed
from virtometer.processes import process_stats
from virtometer.programs import Programs


def test_nsenter_runs_a_program_in_the_namespaces_of_a_process() -> None:
    words = ["unshare", "--user", "--map-root-user", "--uts", "--pid", "--fork", "--kill-child", "sleep", "60"]
    with subprocess.Popen(words) as outer:
        try:
            below: list[int] = []

            def started() -> bool:
                below[:] = [one.pid for one in process_stats() if one.parent == outer.pid]
                return bool(below)

            wait_until(started, 10)
            pid = youngest_inside([outer.pid, *below])
            assert pid in below
            inside = [*nsenter(Programs(), pid, ["user", "uts", "pid"]), "readlink", "/proc/self/ns/uts"]
            done = subprocess.run(inside, capture_output=True, text=True, check=True)
            theirs, ours = (str(Path(f"/proc/{one}/ns/uts").readlink()) for one in (pid, "self"))
            assert done.stdout.strip() == theirs != ours
        finally:
            outer.kill()


def test_processes_of_the_host_alone_have_no_inside() -> None:
    with pytest.raises(EnvironmentFailed):
        youngest_inside([os.getpid(), 1 << 30])
