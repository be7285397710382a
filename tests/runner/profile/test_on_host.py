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

EXCHANGES = """
import os, socket
listening = socket.create_server(("127.0.0.1", 0))
if os.fork() == 0:
    there = listening.accept()[0].detach()
    for _ in range(500): os.write(there, os.read(there, 100))
    os._exit(0)
here = socket.create_connection(listening.getsockname()).detach()
for _ in range(500): os.write(here, b"x" * 10); os.read(here, 100)
os.wait()
"""
UNIX = """
import os, socket
here, there = socket.socketpair()
for _ in range(500): here.send(b"x" * 10); os.read(there.fileno(), 100)
"""
FILES = """
import os, socket
listening = socket.create_server(("127.0.0.1", 0))
here, there = socket.create_connection(listening.getsockname()), listening.accept()[0]
file, pipe = os.open("/bin/sh", os.O_RDONLY), os.pipe()
for _ in range(100):
    os.sendfile(here.fileno(), file, 0, 1000)
    os.splice(there.fileno(), pipe[1], 1000)
    os.splice(pipe[0], here.fileno(), 1000)
    os.read(there.fileno(), 1000)
"""
MESSAGES = """
import ctypes, socket
libc, here, there = ctypes.CDLL(None), *[socket.socket(type=socket.SOCK_DGRAM) for _ in range(2)]
there.bind(("127.0.0.1", 0)); here.connect(there.getsockname())
data = ctypes.create_string_buffer(300)
vector = (ctypes.c_size_t * 2)(ctypes.addressof(data), 300)
messages = (ctypes.c_size_t * 16)(0, 0, ctypes.addressof(vector), 1, 0, 0, 0, 0, 0, 0, ctypes.addressof(vector), 1)
for _ in range(50):
    assert libc.sendmmsg(here.fileno(), messages, 2, 0) == libc.recvmmsg(there.fileno(), messages, 2, 0, None) == 2
"""


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


@pytest.mark.parametrize(
    ("program", "network", "pipes", "each_way"),
    [(EXCHANGES, 2_000, 0, 10_000), (UNIX, 0, 1_000, 5_000), (FILES, 400, 0, 200_000), (MESSAGES, 100, 0, 30_000)],
    ids=["exchanges", "unix", "files", "messages"],
)
def test_reads_and_writes_of_sockets_cost_what_their_family_does(
    tmp_path: Path, program: str, network: int, pipes: int, each_way: int
) -> None:
    found = known([sys.executable, "-I", "-S", "-c", program], place(tmp_path))
    assert (found.classes.get("network", 0), found.classes.get("pipes", 0)) == (network, pipes)
    assert (found.sent, found.received) == (each_way, each_way)


def test_many_connections_do_not_make_counting_slower(tmp_path: Path) -> None:
    """As strace -yy does, which lists all sockets of the host for each."""
    connect = "import socket\nlistening = socket.create_server(('127.0.0.1', 0))\nfor _ in range(2000):\n"
    connect += " here = socket.create_connection(listening.getsockname()); listening.accept()[0].close(); here.close()"
    found = known([sys.executable, "-I", "-S", "-c", connect], place(tmp_path))
    assert found.counted_s / found.wall_s < 50


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
