"""A failed test is run again only where programs had no processor meanwhile, and only where guests run."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests import disturbance
from tests.house.tracked import ROOT

pytest_plugins = ["pytester"]

# It fails the first time.
FLAKY = "import itertools\ntries = itertools.count()\ndef test_one():\n    assert next(tries) >= 1\n"

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
