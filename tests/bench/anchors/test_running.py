"""Real programs are run: pinned, with the pages asked for, with their other end, until they take as long as asked."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.anchors import parsers
from bench.anchors.program import Place, Program
from bench.anchors.running import Pages, RunFailed, Runner

CPU = min(os.sched_getaffinity(0))
PRINT_ONE = Program("echo", "1", float)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(
        Place(Path("agent"), Path(sys.executable), CPU, CPU, 0.2, tmp_path / "a file", 2**26, tmp_path / "cached")
    )


def script(runner: Runner, text: str) -> Path:
    """A Python program beside the disk's file, whose place has a blank in it."""
    path = runner.place.file
    path.write_text(text)
    return path


def test_what_it_prints_becomes_the_figure(runner: Runner) -> None:
    run = runner.run(PRINT_ONE)
    assert (run.figure, run.argv, run.output) == (1.0, ["taskset", "-c", str(CPU), "echo", "1"], "1\n")


def test_it_has_its_variables_and_what_it_says_of_itself_is_kept(runner: Runner) -> None:
    script(runner, "import os; print(os.environ['OPENBLAS_NUM_THREADS'])")
    program = Program("{python}", "{file}", float, in_use=lambda text: f"{text.strip()} threads")
    assert (runner.run(program).figure, runner.run(program).in_use) == (1, "1 threads")
    assert runner.run(replace(program, environment=(("OPENBLAS_NUM_THREADS", "2"),))).in_use == "2 threads"


def test_it_is_pinned(runner: Runner) -> None:
    script(runner, "import os; print(*os.sched_getaffinity(0))")
    assert runner.run(Program("{python}", "{file}", float)).figure == CPU


@pytest.mark.parametrize(
    ("pages", "enabled", "advised"), [("own", True, False), ("small", False, False), ("huge", True, True)]
)
def test_pages_are_as_asked(runner: Runner, pages: Pages, enabled: bool, advised: bool) -> None:
    script(runner, "import os; print(open('/proc/self/status').read(), os.environ.get('GLIBC_TUNABLES'))")
    output = runner.run(Program("{python}", "{file}", parsers.number(r"THP_enabled:\s+(\d)")), pages).output
    assert f"THP_enabled:\t{int(enabled)}" in output
    assert ("glibc.malloc.hugetlb=1" in output) is advised


ASKING = """\
import mmap
memory = mmap.mmap(-1, 2**24, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
memory.madvise(mmap.MADV_HUGEPAGE)
memory.write(bytes(2**24))
print(sum(int(line.split()[1]) for line in open("/proc/self/smaps") if line.startswith("AnonHugePages:")))
"""


def test_small_pages_are_small_also_for_a_program_that_asks_for_huge_ones(runner: Runner) -> None:
    script(runner, ASKING)
    program = Program("{python}", "{file}", float)
    assert runner.run(program, "small").figure == 0
    told = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    if not told.exists() or "[never]" in told.read_text():
        pytest.skip("this host gives no transparent huge pages")
    assert runner.run(program, "own").figure > 0


def test_a_count_is_fitted_to_the_seconds_asked_for(runner: Runner) -> None:
    script(
        runner, "import sys, time; began = time.time(); time.sleep(int(sys.argv[1]) / 1000); print(time.time() - began)"
    )
    program = Program("{python}", "{file} {count}", float, count=1, took=float)
    assert runner.run(program).figure == pytest.approx(0.2, rel=0.5)
    assert runner.counts[program] == pytest.approx(200, rel=0.5)


SERVER = """\
import socket, sys
with socket.create_server(("127.0.0.1", int(sys.argv[2]))) as server:
    while True:
        server.accept()[0].sendall(b"42")
"""
CLIENT = """\
import socket, sys
print(socket.create_connection(("127.0.0.1", int(sys.argv[2]))).recv(9).decode())
"""


def test_the_other_end_is_there_before_it_starts_and_gone_after_it(runner: Runner) -> None:
    script(runner, f"import sys\nif sys.argv[1] == 'server':\n exec({SERVER!r})\nelse:\n exec({CLIENT!r})")
    program = Program("{python}", "{file} client {port}", float, server="{python} {file} server {port}")
    for _ in range(3):
        assert runner.run(program).figure == 42
    assert not processes_with(str(runner.place.file))


def processes_with(word: str) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            found += [line] if word in line else []
    return found


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        (Program("false", "", float), "ended with status 1"),
        (Program("echo", "nothing", float), "printed what cannot be read"),
        (Program("no-such-program", "", float, cpus=""), "does not start"),
        (replace(PRINT_ONE, server="false"), "ended with status 1"),
    ],
)
def test_what_goes_wrong_is_one_sentence(runner: Runner, program: Program, sentence: str) -> None:
    with pytest.raises(RunFailed, match=sentence):
        runner.run(program)


def test_what_does_not_end_is_stopped_and_still_read_where_that_is_how_it_works(runner: Runner) -> None:
    script(runner, "import time\nprint(7, flush=True)\ntime.sleep(3600)")
    assert runner.run(Program("{python}", "{file}", float, stop=True)).figure == 7


def test_what_is_missing_is_named() -> None:
    assert PRINT_ONE.missing() is None
    assert replace(PRINT_ONE, file="no-such-tool", package="a-package").missing() == "Debian package a-package"
    assert replace(PRINT_ONE, file="no-such-tool").missing() == "no-such-tool on the PATH"
    assert replace(PRINT_ONE, needs=("no/such/lib*",)).missing() == "/no/such/lib*"
    assert replace(PRINT_ONE, needs=("sys/devices/system/cpu/cpu9999",)).missing() == "another processor"
    assert replace(PRINT_ONE, needs=("no/such/lib*",), package="a-library").missing() == "Debian package a-library"
