"""The command line as users meet it: standard output, standard error and an exit status."""

from __future__ import annotations

import contextlib
import io
import os
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from virtometer import cli
from virtometer.model import Campaign
from virtometer.store.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("virtometer")
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1"}


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


def virtometer(*words: str | Path, **environment: str) -> Outcome:
    """Call `main` as the program does, in this process: a start of Python for every question would take minutes."""
    out, err = io.StringIO(), io.StringIO()
    with _environment(ENVIRONMENT | environment), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main([str(word) for word in words])
    return Outcome(status, out.getvalue(), err.getvalue())


def program(*words: str | Path, cwd: Path = ROOT, **environment: str) -> Outcome:
    """Run the installed program to its end."""
    result = subprocess.run(
        [PROGRAM, *map(str, words)],
        capture_output=True, text=True, check=False, cwd=cwd, timeout=200, stdin=subprocess.DEVNULL,
        env={**os.environ, **ENVIRONMENT, **environment},
    )  # fmt: skip
    return Outcome(result.returncode, result.stdout, result.stderr)


def stored(campaign: Campaign, directory: Path) -> Path:
    """The results directory of a campaign, as the laboratory would have left it."""
    empty = replace(campaign, trials=(), guests=(), commands=())
    guests = {guest.guest_id: guest for guest in campaign.guests}
    with Ledger.create(directory, empty) as ledger:
        for record in campaign.trials:
            ledger.record([record], [guests[run.guest_id] for run in record.runs], [])
    return directory


def line_with(words: str, text: str) -> str:
    """The one line of the text that has these words."""
    [line] = [one for one in text.splitlines() if words in one]
    return line


def passage(text: str, first: str, last: str) -> str:
    """From the first words to the next last ones, however the lines are broken."""
    flat = " ".join(text.split())
    assert first in flat, text
    begin = flat.index(first)
    return flat[begin : flat.index(last, begin + len(first)) + len(last)]


def drained(descriptor: int, ended: Callable[[], bool]) -> str:
    """All that is written to a pseudo-terminal until its process ends."""
    parts: list[bytes] = []
    while True:
        if select.select([descriptor], [], [], 0.2)[0]:
            try:
                parts.append(os.read(descriptor, 65536))
            except OSError:  # the other side is closed
                break
        elif ended():
            break
    os.close(descriptor)
    return b"".join(parts).decode(errors="replace")


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
