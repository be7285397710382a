"""The environment of a command under the real strace."""

from __future__ import annotations

import subprocess
from pathlib import Path

from virtometer.runner.lab.strace import environment_options


def test_a_command_has_the_given_variables_and_the_mark_alone(tmp_path: Path) -> None:
    own = {"PATH": "/usr/bin:/bin", "OWN": "1", "BOTH": "2"}
    options = environment_options({"BOTH": "3", "GIVEN": "a b=c"}, own)
    ran = subprocess.run(
        ["strace", "-o", tmp_path / "calls", *options, "env"],
        env={**own, "MARK": "m"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert set(ran.stdout.splitlines()) == {"BOTH=3", "GIVEN=a b=c", "MARK=m"}
