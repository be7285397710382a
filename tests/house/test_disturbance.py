"""A failed test is run again only where programs had no processor meanwhile, and only where guests run.

The last time it has the processors alone.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests import disturbance
from tests.house.tracked import ROOT

pytest_plugins = ["pytester"]

# It fails the first time.
FLAKY = "import itertools\ntries = itertools.count()\ndef test_one():\n    assert next(tries) >= 1\n"

# It fails where another process of tests may run one, and notes how often it was tried.
SHY = """
import fcntl, os
from pathlib import Path
def test_one():
    with Path("tries").open("a") as tries:
        tries.write("x")
    tests = os.open(Path(__file__).parents[1], os.O_RDONLY)
    try:
        fcntl.flock(tests, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    finally:
        os.close(tests)
    raise AssertionError("not alone")
"""

# It says what it noticed between two lines from outside.
WATCHED = """
import sys
from tests.disturbance import Watch
from tests.waiting import wait_until
watch = Watch()
watch.start()
watch.begin()
print("ready", flush=True)
sys.stdin.readline()
print(wait_until(watch.disturbance), flush=True)
"""


@pytest.mark.parametrize(
    ("folder", "seen", "outcomes"),
    [
        ("runner", "stopped", {"passed": 1, "rerun": 1, "warnings": 1}),
        ("runner", "", {"failed": 1}),
        ("analysis", "stopped", {"failed": 1}),
    ],
)
def test_a_test_is_run_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, folder: str, seen: str, outcomes: dict[str, int]
) -> None:
    monkeypatch.setattr(disturbance.Watch, "disturbance", lambda watch: seen)
    path = pytester.path / "tests" / folder / "test_flaky.py"
    path.parent.mkdir(parents=True)
    path.write_text(FLAKY)
    result = pytester.runpytest_inprocess("-p", "tests.disturbance", "-p", "no:xdist", str(path))
    assert result.parseoutcomes() == outcomes


def test_the_last_time_a_test_has_the_processors_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disturbance.Watch, "disturbance", lambda watch: "stopped")
    path = pytester.path / "tests" / "runner" / "test_shy.py"
    path.parent.mkdir(parents=True)
    path.write_text(SHY)
    result = pytester.runpytest_inprocess("-p", "tests.disturbance", "-p", "no:xdist", str(path))
    assert result.parseoutcomes() == {"passed": 1, "rerun": 2, "warnings": 2}
    assert (pytester.path / "tries").read_text() == "xxx"


def test_who_takes_the_processors_waits_for_those_that_share_them(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    one, two, three = (disturbance.Processors(tmp_path / "tests") for _ in range(3))
    try:
        one.share()
        two.share()
        assert not two.take(longest_s=0.2), "the first one runs a test"
        with ThreadPoolExecutor() as pool:
            taken = pool.submit(two.take)
            begun = pool.submit(three.share)
            time.sleep(0.2)
            assert not taken.done() and not begun.done(), "no other test begins meanwhile"
            one.leave()
            assert taken.result(timeout=10)
            assert not begun.done()
            two.leave()
            begun.result(timeout=10)
    finally:
        for each in (one, two, three):
            each.close()


def test_a_stop_is_seen() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WATCHED], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGSTOP)
        time.sleep(0.5)  # the stop that is to be seen
        child.send_signal(signal.SIGCONT)
        text, _ = child.communicate("\n")
    assert text.startswith("a thread was woken 0.")
