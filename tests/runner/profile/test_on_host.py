"""Commands counted by the real strace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.errors import CommandFailed, MissingProgram
from virtometer.programs import Programs
from virtometer.runner.profile.on_host import OnHost, count, counted

CALLS = "import os\nfor _ in range(3000): os.getppid()"
LOOKS = "import os\nfor _ in range(700): os.stat('/')"
THREADS = "import threading\nfor _ in range(20): t = threading.Thread(target=print); t.start(); t.join()"


def place(folder: Path) -> OnHost:
    return OnHost({"PATH": os.environ["PATH"]}, folder, None)


@pytest.mark.parametrize(
    ("program", "of", "number"),
    [(CALLS, "simple calls", 3_000), (LOOKS, "file look-ups", 700), (THREADS, "threads", 20)],
)
def test_what_a_program_does_is_counted(tmp_path: Path, program: str, of: str, number: int) -> None:
    found = count([sys.executable, "-I", "-S", "-c", program], place(tmp_path), Programs())
    assert number <= found.classes[of] < number + 400
    assert found.system_calls == sum(found.classes.values())
    assert found.counted_s > found.wall_s > 0
    assert found.classes["starts of programs"] == 1
    assert 0 < found.start_faults < found.minor_faults


def test_descendants_and_standard_input_are_counted(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"x" * 200_000)
    given = OnHost({"PATH": os.environ["PATH"]}, tmp_path, tmp_path / "input")
    (found,) = counted({"a": ["sh", "-c", "cat | wc -c; true"]}, given, beside=True, tell=print).values()
    assert found.classes["starts of programs"] == 3
    assert found.classes["pipes"] > 2
    assert found.waits > 0


def test_what_a_command_leaves_behind_is_ended(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed):
        line = f"(setsid sleep 54321 & echo $! > {tmp_path}/pid); exec sleep 100"
        count(["sh", "-c", line], place(tmp_path), Programs(), limit_s=2.0)
    left = Path("/proc") / (tmp_path / "pid").read_text().strip()
    wait_until(lambda: not left.exists())


def test_without_strace_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Programs, "find", lambda *_: (_ for _ in ()).throw(MissingProgram("none", advice="strace")))
    with pytest.raises(MissingProgram):
        counted({"a": ["true"]}, place(tmp_path), beside=True, tell=print)
