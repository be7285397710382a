"""Commands counted by the real strace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.analysis.profile.counts import Counts
from virtometer.errors import CommandFailed, MissingProgram
from virtometer.programs import Programs
from virtometer.runner.profile.on_host import OnHost, count, counted

CALLS = "import os\nfor _ in range(3000): os.getppid()"
LOOKS = "import os\nfor _ in range(700): os.stat('/')"
THREADS = "import threading\nfor _ in range(20): t = threading.Thread(target=print); t.start(); t.join()"


def known(words: list[str], where: OnHost) -> Counts:
    found = count(words, where, Programs())
    assert found is not None
    return found


def place(folder: Path) -> OnHost:
    return OnHost({"PATH": os.environ["PATH"]}, folder, None)


@pytest.mark.parametrize(
    ("program", "of", "number"),
    [(CALLS, "simple calls", 3_000), (LOOKS, "file look-ups", 700), (THREADS, "threads", 20)],
)
def test_what_a_program_does_is_counted(tmp_path: Path, program: str, of: str, number: int) -> None:
    found = known([sys.executable, "-I", "-S", "-c", program], place(tmp_path))
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
    line = f"(setsid sleep 54321 & echo $! > {tmp_path}/pid); exec sleep 100"
    assert count(["sh", "-c", line], place(tmp_path), Programs(), limit_s=2.0) is None
    left = Path("/proc") / (tmp_path / "pid").read_text().strip()
    wait_until(lambda: not left.exists())


def test_what_takes_too_long_has_no_counts_and_others_have(tmp_path: Path) -> None:
    told: list[str] = []
    commands = {"endless": ["sleep", "100"], "quick": ["true"]}
    found = counted(commands, place(tmp_path), beside=True, tell=told.append, limit_s=3.0)
    assert list(found) == ["quick"]
    assert sum("endless" in sentence and "3 s" in sentence for sentence in told) == 1


def test_standard_input_is_the_file_itself_and_output_may_be_discarded(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"x" * 300_000)
    variables = {"PATH": os.environ["PATH"]}
    read = "import os\nwhile os.read(0, 1000): pass\nos.write(1, b'x' * 9)"
    words = [sys.executable, "-I", "-S", "-c", read]
    discarded, piped = (known(words, OnHost(variables, tmp_path, tmp_path / "input", one)) for one in (True, False))
    assert 300_000 <= discarded.read_by_calls < 400_000
    assert discarded.classes["reads"] >= 300
    assert piped.classes.get("pipes", 0) == discarded.classes.get("pipes", 0) + 1
    assert discarded.classes["writes"] == piped.classes.get("writes", 0) + 1


def test_an_input_that_is_gone_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed):
        count(["cat"], OnHost({"PATH": os.environ["PATH"]}, tmp_path, tmp_path / "none"), Programs())


def test_the_program_is_that_of_the_commands_own_path(tmp_path: Path) -> None:
    """The laboratory's own PATH may have another of the same name."""
    for folder, looks in (("a", 5), ("b", 900)):
        (tmp_path / folder).mkdir()
        program = tmp_path / folder / "true"
        program.write_text(f"#!{sys.executable} -IS\nimport os\nfor _ in range({looks}): os.stat('/')\n")
        program.chmod(0o755)
    (tmp_path / "b" / "other").write_text("no program")
    found = known(["true"], OnHost({"PATH": f"a:{tmp_path}/b"}, tmp_path, None))
    assert found.classes["file look-ups"] < 500
    found = known(["true"], OnHost({"PATH": f"{tmp_path}/none:{tmp_path}/b"}, tmp_path, None))
    assert found.classes["file look-ups"] >= 900
    with pytest.raises(CommandFailed):
        count(["other"], OnHost({"PATH": f"{tmp_path}/b"}, tmp_path, None), Programs())


def test_an_account_that_fails_is_no_account_of_another_run(tmp_path: Path) -> None:
    (tmp_path / "script").write_text("#!/no/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    with pytest.raises(CommandFailed) as failed:
        count([str(tmp_path / "script")], place(tmp_path), Programs())
    assert "No such file" in failed.value.sentence


def test_without_strace_its_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Programs, "find", lambda *_: (_ for _ in ()).throw(MissingProgram("none", advice="strace")))
    with pytest.raises(MissingProgram):
        counted({"a": ["true"]}, place(tmp_path), beside=True, tell=print)
