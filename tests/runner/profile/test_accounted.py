"""What the system accounts for a command."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from virtometer.runner.profile import accounted
from virtometer.runner.profile.accounted import account

ALLOCATE = "b = bytearray(64 << 20)"


def test_faults_and_times_are_those_of_the_command() -> None:
    small = account([sys.executable, "-S", "-c", "pass"], {})
    large = account([sys.executable, "-S", "-c", ALLOCATE], {})
    assert large["minor_faults"] - small["minor_faults"] > 100, "of huge pages there may be few"
    assert large["user_s"] + large["system_s"] > 0
    assert large["wall_s"] > 0


def test_what_is_written_counts_with_that_of_descendants(tmp_path: Path) -> None:
    used = account(
        ["sh", "-c", f"head -c 3000000 /dev/zero > {tmp_path}/a; sync {tmp_path}/a"], {"PATH": "/bin:/usr/bin"}
    )
    where = subprocess.run(["stat", "-f", "-c", "%T", tmp_path], capture_output=True, text=True, check=True).stdout
    assert used["written"] >= 3_000_000 or where.strip() in ("tmpfs", "overlayfs")


def test_a_program_that_cannot_start_is_a_status_and_a_sentence(tmp_path: Path) -> None:
    own = [sys.executable, "-I", "-S", accounted.__file__, str(tmp_path / "account"), "{}", "m", str(tmp_path / "none")]
    ended = subprocess.run(own, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert not (tmp_path / "account").exists()


def test_as_a_program_it_keeps_the_mark_and_the_variables_alone(tmp_path: Path) -> None:
    words = ["sh", "-c", f"env > {tmp_path}/env; exit 3"]
    own: list[str | Path] = [
        sys.executable,
        "-I",
        "-S",
        accounted.__file__,
        tmp_path / "account",
        json.dumps({"A": "1", "PATH": "/bin"}),
    ]
    subprocess.run([*own, "mark-7", *words], check=True, env={"MARKER": "mark-7", "OTHER": "x"})
    lines = set((tmp_path / "env").read_text().splitlines())
    assert {"A=1", "MARKER=mark-7"} <= lines
    assert "OTHER=x" not in lines
    assert json.loads((tmp_path / "account").read_text())["wall_s"] > 0
