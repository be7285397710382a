"""The eyes of the kill test: they must see what a laboratory left, and nothing of another laboratory."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.traces import VARIABLE, Laboratories, traces

NEVER = 2_000_000_011  # no pid: the kernel gives none above 2^22


@pytest.fixture
def ended(tmp_path: Path) -> Laboratories:
    (tmp_path / "results").mkdir()
    return Laboratories([NEVER], "a-mark-of-this-test", [tmp_path / "results"])


@pytest.fixture
def process(request: pytest.FixtureRequest) -> Iterator[int]:
    argv, environment = request.param
    sleeper = "import sys, time; print(flush=True); time.sleep(60)"
    child = subprocess.Popen(
        [sys.executable, "-c", sleeper, *argv], env={**os.environ, **environment}, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    yield child.pid
    child.kill()
    child.communicate()


def test_nothing_is_seen_where_nothing_is(ended: Laboratories) -> None:
    assert traces(ended) == []


@pytest.mark.parametrize(
    "process",
    [([], {VARIABLE: "a-mark-of-this-test"}), ([f"v{NEVER}-3"], {}), ([f"/run/x/virtometer-v{NEVER}-3/agent"], {})],
    indirect=True,
)
def test_a_process_is_seen(ended: Laboratories, process: int) -> None:
    (line,) = traces(ended)
    assert line.startswith(f"process {process}: ")


@pytest.mark.parametrize(
    "process",
    [([], {VARIABLE: "another mark"}), ([f"v{NEVER}1-3"], {}), ([f"v{NEVER // 10}-3"], {}), ([f"xv{NEVER}"], {})],
    indirect=True,
)
@pytest.mark.usefixtures("process")
def test_a_process_of_another_is_not(ended: Laboratories) -> None:
    assert traces(ended) == []


def test_working_directories_and_temporary_files_are_seen(ended: Laboratories) -> None:
    (place,) = ended.places
    (place / "work-0a1b").mkdir()
    (place / "virtometer-xyz").mkdir()
    (place / "ledger.sqlite").touch()
    assert traces(ended) == [f"directory {place / 'work-0a1b'}", f"file {place / 'virtometer-xyz'}"]


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        (f"virtometer-{NEVER}", True),
        (f"virtometer-v{NEVER}-12", True),
        (f"v{NEVER}-12-p", True),
        (f"lan-{NEVER}.json", True),
        (f"check-uml-{NEVER}", True),
        (f"virtometer-{NEVER}0", False),
        (f"virtometer-v1{NEVER}-1", False),
        ("virtometer-12", False),
        (f"other-{NEVER}", False),
    ],
)
def test_names_are_known_by_the_pid(ended: Laboratories, name: str, ours: bool) -> None:
    assert ended.named(name) is ours
