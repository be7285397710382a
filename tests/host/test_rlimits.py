"""Limits that this process can give to what it starts, and those that it cannot."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from virtometer.host.rlimits import beyond

CEILING = int(Path("/proc/sys/fs/nr_open").read_text())


def test_what_is_within_the_limits_can_be_had() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert beyond({"nofile": [1, hard], "core": [0, 0]}) == ""
    assert beyond({}) == ""


def test_more_files_than_the_kernel_has_for_a_process_are_refused() -> None:
    assert str(CEILING) in beyond({"nofile": [CEILING + 1, CEILING + 1]})
    assert str(CEILING) in beyond({"nofile": [None, None]})


@pytest.mark.parametrize("name", ["nofile", "core", "stack"])
def test_a_hard_limit_is_raised_exactly_where_the_kernel_lets_this_process(name: str) -> None:
    """The kernel itself is asked, in another process."""
    script = """
import resource, sys
from virtometer.host.rlimits import beyond, raise_hard_limits
number = getattr(resource, "RLIMIT_" + sys.argv[1].upper())
resource.setrlimit(number, (512, 1024))
asked = {sys.argv[1]: [600, 2048]}
reason = beyond(asked)
raise_hard_limits(asked)
soft, hard = resource.getrlimit(number)
print(soft, hard, reason)
"""
    ended = subprocess.run([sys.executable, "-c", script, name], capture_output=True, text=True, check=True)
    soft, hard, *reason = ended.stdout.split()
    assert soft == "512"
    assert hard == ("1024" if reason else "2048")
    assert not reason or "1024," in reason
