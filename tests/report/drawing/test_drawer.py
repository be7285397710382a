"""The program that draws is started once, answers in order, and ends with its owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest

from virtometer.errors import VirtometerError
from virtometer.report.drawing.drawer import PROGRAM, Drawer

OWNER = """
import sys, time
from virtometer.report.drawing.drawer import DRAWER
DRAWER.svg({"data": {"values": []}, "mark": "point"})
print("vl_convert" in sys.modules, flush=True)
time.sleep(600)
"""


def plot(title: str) -> dict[str, object]:
    return {"title": title, "data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a"}}}


def draws(pid: int) -> bool:
    try:
        return str(PROGRAM).encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def programs(owner: int | None = None) -> set[int]:
    """Processes that draw for `owner`, for this process otherwise: beside it other processes of tests have theirs."""
    pid = owner or os.getpid()
    return {child for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()) if draws(child)}


@pytest.fixture
def drawer() -> Iterator[Drawer]:
    one = Drawer()
    yield one
    one.close()


def test_plots_are_drawn_in_order_and_what_is_none_is_refused(drawer: Drawer) -> None:
    for title in ("first", "größer ☃"):
        svg = drawer.svg(plot(title))
        assert ET.fromstring(svg).tag.endswith("svg")
        assert title in svg
    with pytest.raises(ValueError, match=r"\w"):
        drawer.svg({"mark": 5})
    assert "after" in drawer.svg(plot("after"))
    scripts = drawer.scripts()
    assert len(scripts) > 500_000
    assert "vegaEmbed" in scripts


def test_one_program_draws_until_it_is_closed(drawer: Drawer) -> None:
    before = programs()
    drawer.svg(plot("a"))
    (pid,) = programs() - before
    drawer.svg(plot("b"))
    assert programs() - before == {pid}
    drawer.close()
    drawer.close()
    assert programs() - before == set()


def test_a_program_that_somebody_killed_is_started_again_without_a_word(drawer: Drawer) -> None:
    before = programs()
    drawer.svg(plot("a"))
    (pid,) = programs() - before
    os.kill(pid, signal.SIGSTOP)  # it does not end before the plot is asked for
    subprocess.Popen([sys.executable, "-S", "-c", f"import os, time; time.sleep(0.2); os.kill({pid}, 9)"])
    assert "b" in drawer.svg(plot("b"))
    assert pid not in programs()


def test_a_program_that_ends_twice_is_one_sentence_with_what_it_said(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import sys\nsys.exit('no engine here')")
    drawer = Drawer(broken)
    with pytest.raises(VirtometerError) as caught:
        drawer.svg(plot("a"))
    assert "status 1: no engine here" in caught.value.sentence
    broken.unlink()
    broken.symlink_to(PROGRAM)
    assert "after" in drawer.svg(plot("after"))
    drawer.close()


def test_an_interruption_leaves_no_half_of_an_answer(drawer: Drawer) -> None:
    before = programs()
    drawer.svg(plot("a"))
    (pid,) = programs() - before
    os.kill(pid, signal.SIGSTOP)
    subprocess.Popen([sys.executable, "-S", "-c", f"import os, time; time.sleep(0.2); os.kill({os.getpid()}, 2)"])
    with pytest.raises(KeyboardInterrupt):
        drawer.svg(plot("b"))
    assert pid not in programs()
    assert "c" in drawer.svg(plot("c"))


def test_it_ends_with_its_owner_which_does_not_load_the_engine() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    assert owner.stdout.readline() == "False\n"
    (pid,) = programs(owner.pid)
    owner.kill()
    owner.communicate()
    deadline = time.monotonic() + 30
    while draws(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not draws(pid)
