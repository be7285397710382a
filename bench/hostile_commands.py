"""Commands that do harm, in each fast kind of environment: each must end within its limit and leave nothing.

    python -m bench.hostile_commands [--in native,runc] [--only NAME] [--limit 4]

Each row is one command, which the agent of a guest runs as `virtometer time` does. After each command the bench looks
for processes of it on the host, stops the guest, and looks again. Prints a table for bench/records/commands.md.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed, LinkError
from virtometer.host.lock.host_lock import HostLock
from virtometer.link.messages import Done, Failed, Ready
from virtometer.model import Limits, PlanEnvironment
from virtometer.runner.guests.running import RunningGuest
from virtometer.runner.lab.context import lab_context

FAST_KINDS = ("native", "runc", "bubblewrap", "gvisor", "uml")
MARK = f"31415.{os.getpid():08d}"
"""Stands in the command line of everything that rows start: a length of a sleep, another one in each bench."""
_GRACE_S = 20.0  # beyond the limits of its runs, for a host that is busy
_STARTS_S = 120.0
_SETTLE_S = 5.0  # how long a process may take to vanish after it was killed
_SLEEP = f"sleep {MARK}"
_LIMITED_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class Row:
    """One command. script: of sh, or words. ends: how its run may end. given: further parameters of the agent."""

    name: str
    script: str | Sequence[str]
    ends: frozenset[str] = frozenset({"failed"})
    given: Mapping[str, Any] = field(default_factory=dict)
    memory: bool = False

    def parameters(self, directory: Path, limit_s: float) -> dict[str, Any]:
        """What the agent is asked."""
        words = ["/bin/sh", "-c", self.script] if isinstance(self.script, str) else list(self.script)
        words = [word.replace("DIR", str(directory)) for word in words]
        variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", "MARK": MARK}
        return {
            "program": words[0], "arguments": json.dumps(words[1:]), "variables": json.dumps(variables),
            "directory": str(directory), "limit-ms": round(limit_s * 1000), **self.given,
        }  # fmt: skip


@dataclass(slots=True)
class Ending:
    """How a row ended in one kind. left: processes that were there afterwards, before and after the guest's stop."""

    how: str
    seconds: float
    sentence: str
    left: tuple[int, int] = (0, 0)


def _python(code: str) -> tuple[str, ...]:
    return ("/usr/bin/python3", "-c", code, MARK)


_DONE, _FAILED, _LATE = frozenset({"done"}), frozenset({"failed"}), frozenset({"timed-out"})
_ANY_STATUS = {"ignore-failure": True}
ROWS = (
    Row("never ends", _SLEEP, _LATE),
    Row("ignores all signals that it can", f"trap '' TERM HUP INT QUIT USR1 ALRM; while :; do {_SLEEP}; done", _LATE),
    Row("works for ever", "while :; do :; done # $MARK", _LATE),
    Row("starts 300 children", f"i=0; while [ $i -lt 300 ]; do {_SLEEP} & i=$((i+1)); done", _DONE | _LATE),
    Row(
        "a child for a child without end",
        _python("import os,time\nwhile True:\n if os.fork(): os._exit(0)\n time.sleep(0.002)"), _DONE,
    ),
    Row(
        "the same, each in a session of its own",
        _python("import os,time\nwhile True:\n if os.fork(): os._exit(0)\n os.setsid(); time.sleep(0.01)"), _DONE,
    ),
    Row("becomes a daemon", f"(setsid sh -c '{_SLEEP} & {_SLEEP}' >/dev/null 2>&1 &)", _DONE),
    Row("a daemon without variables", f"(env -i setsid {_SLEEP} >/dev/null 2>&1 &)", _DONE),
    Row("writes 10 GB to its output", "head -c 10G /dev/zero # $MARK", _DONE | _LATE),
    Row("closes its output", f"exec >&- 2>&-; {_SLEEP}", _LATE),
    Row("reads its input for ever", "while :; do read -r x; done # $MARK", _LATE),
    Row("needs a network", _python("import socket\nsocket.create_connection(('192.0.2.1', 9), 1)")),
    Row("takes too much memory", _python("x = bytearray(400 << 20)"), _FAILED | {"guest"}, memory=True),
    Row("a missing program", ("/nonexistent/program",)),
    Row("a file that is no program", ("DIR/data",)),
    Row("a missing interpreter", ("DIR/script",)),
    Row("a directory as program", ("DIR",)),
    Row("fails", "echo why >&2; exit 1"),
    Row("fails otherwise each time", "echo >> count; exit $(wc -l < count)", given=_ANY_STATUS),
    Row("prints otherwise each time", "echo >> count; wc -l < count"),
    Row("dies by SIGSEGV", "kill -SEGV $$"),
    Row("stops itself", "kill -STOP $$", _LATE),
    Row("stops its parent", "kill -STOP $PPID; " + _SLEEP, _LATE | {"guest"}),
    Row("kills its group", f"{_SLEEP} & kill -9 0"),
    Row("kills its parent", f"(setsid {_SLEEP} &) ; kill -9 $PPID; {_SLEEP}", _LATE | {"guest"}),
    Row("changes its group", _python(f"import os\nos.setpgid(0, 0)\nif os.fork(): os._exit(0)\nos.setpgid(0, 0)\n"
        f"os.execvp('sleep', ['sleep', '{MARK}'])"), _DONE),
    Row("opens the terminal", "echo x > /dev/tty"),
    Row(
        "leaves zombies",
        _python("import os,time\nfor _ in range(50):\n if not os.fork(): os._exit(0)\ntime.sleep(0.2)"), _DONE | _LATE,
    ),
    Row("very long arguments", ("/bin/echo", "x" * 30_000), _DONE),
    Row("a million lines of errors", "yes 2>/dev/null | head -n 1000000 >&2", _DONE | _LATE),
    Row("removes its directory", "rm -rf DIR/own; rmdir DIR 2>/dev/null; rm -rf DIR"),
    Row("forbids its directory", "chmod 0 .", _DONE | _FAILED),
    Row("fills the disk a little", "head -c 64M /dev/zero > DIR/full", _DONE | _LATE),
    Row("a huge variable", "X=$(head -c 120000 /dev/zero | tr '\\0' x); export X; env | wc -c", _DONE | _LATE),
    Row("sleeps beyond its limit", f"trap 'echo late' EXIT; {_SLEEP}; echo over", _LATE),
    Row("a child holds its output", f"{_SLEEP} & echo hi", _DONE),
)  # fmt: skip


def left_on_host() -> list[int]:
    """Processes of rows that run on the host, whoever is their parent."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            line = (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[0]
            if MARK.encode() in line and state not in "ZX" and int(entry.name) != os.getpid():
                found.append(int(entry.name))
    return found


def settled() -> int:
    """How many processes are left after a while."""
    deadline = time.monotonic() + _SETTLE_S
    while (left := left_on_host()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return len(left)


@contextlib.contextmanager
def directory() -> Iterator[Path]:
    """A directory with what is no program, which guests see where it is."""
    made = Path(tempfile.mkdtemp(prefix="virtometer-hostile-", dir="/var/tmp"))
    try:
        (made / "data").write_text("no program")
        (made / "script").write_text("#!/nonexistent/interpreter\n")
        (made / "script").chmod(0o755)
        yield made
    finally:
        with contextlib.suppress(OSError):
            made.chmod(0o700)
        shutil.rmtree(made, ignore_errors=True)


def run(guest: RunningGuest, row: Row, limit_s: float) -> Ending:
    """Let the agent run the command twice, as it does for one sample; returns how that ended."""
    begun = time.monotonic()
    until = begun + 2 * limit_s + _GRACE_S
    name = f"hostile-{uuid.uuid4().hex[:8]}"
    with directory() as folder:
        prepare = {
            "run": name, "kernel": "command", "op": "time", "parameters": row.parameters(folder, limit_s),
            "threads": 1, "cpus": None, "seconds": 0.001, "timing": "agent",
        }  # fmt: skip
        how, sentence = "guest", "it did not answer within its limit"
        try:
            session = guest.session
            session.begin_run()
            session.request("prepare", prepare, _GRACE_S)
            while time.monotonic() < until:
                event = session.next_event(max(until - time.monotonic(), 0.0))
                if isinstance(event, Ready):
                    session.request("start", {"run": name}, _GRACE_S)
                elif isinstance(event, Failed):
                    how = "timed-out" if event.error.code == "timed-out" else "failed"
                    sentence = event.error.message
                    break
                elif isinstance(event, Done):
                    how, sentence = "done", ""
                    break
        except LinkError as cause:
            sentence = f"{cause.sentence}{guest.memory_words() if guest.ended() else ''}"
            guest.broken = True
        guest.broken |= how == "guest"
        return Ending(how, time.monotonic() - begun, " ".join(sentence.split()))


def all_rows(kind: str, rows: Sequence[Row], limit_s: float) -> dict[str, Ending]:
    """The endings of rows in one kind of environment, by name; a guest that broke is followed by another one."""
    found: dict[str, Ending] = {}
    with HostLock(beside=True, tell=lambda _: None), lab_context(Path(tempfile.gettempdir())) as lab:
        environment = KINDS[kind](lab)
        guests: dict[bool, RunningGuest] = {}

        def guest_for(row: Row) -> RunningGuest:
            known = guests.get(row.memory)
            if known is None or known.broken:
                given: dict[str, Any] = {} if kind == FAST_KINDS[0] else {"root": "host"}
                given |= {"memory": _LIMITED_BYTES} if row.memory else {}
                settings = environment.settings_type(**given)
                environment.prepare(settings)
                place = PlanEnvironment(name=kind, kind=kind, settings=given)
                limits = Limits(start_s=_STARTS_S)
                known = RunningGuest.start(environment, place, settings, f"hostile-{uuid.uuid4().hex[:8]}", limits)
                guests[row.memory] = known
            return known

        def ended(guest: RunningGuest) -> None:
            guest.broken = True  # nothing is asked of it any more
            with contextlib.suppress(EnvironmentFailed, LinkError):
                guest.stop()

        try:
            for row in rows:
                guest = guest_for(row)
                ending = run(guest, row, limit_s)
                before = 0 if guest.broken else settled()
                if guest.broken or before:
                    ended(guest)
                ending.left = (before, settled())
                for pid in left_on_host():
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                found[row.name] = ending
                print(f"{kind}: {row.name}: {ending}", file=sys.stderr, flush=True)
        finally:
            for guest in guests.values():
                ended(guest)
    return found


def faults(rows: Sequence[Row], found: Mapping[str, Mapping[str, Ending]], limit_s: float) -> list[str]:
    """What is not as it must be: an ending of another sort, too late, without a sentence, or with something left."""
    said = []
    for kind, endings in found.items():
        for row in rows:
            of = endings[row.name]
            where = f"{row.name} in {kind}"
            if of.how not in row.ends:
                said.append(f"{where}: {of.how}: {of.sentence}")
            if of.seconds > 2 * limit_s + _GRACE_S + 1:
                said.append(f"{where}: took {of.seconds:.0f} s")
            if of.how != "done" and not of.sentence:
                said.append(f"{where}: no sentence")
            if any(of.left):
                said.append(f"{where}: {of.left[0]} processes left after the run, {of.left[1]} after the guest")
    return said


def table(rows: Sequence[Row], found: Mapping[str, Mapping[str, Ending]]) -> str:
    """Markdown: a row for each command, with the ending and its seconds in each kind."""
    lines = [f"| command | {' | '.join(found)} |", "|---" * (len(found) + 1) + "|"]
    for row in rows:
        cells = (f"{of.how} {of.seconds:.1f}" for of in (endings[row.name] for endings in found.values()))
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Run the rows, print the table and what is wrong. Returns 1 where something is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in", dest="kinds", default=",".join(FAST_KINDS), help="kinds of environments")
    parser.add_argument("--only", action="append", help="names of rows")
    parser.add_argument("--limit", type=float, default=4.0, help="seconds of one run")
    given = parser.parse_args()
    rows = [row for row in ROWS if given.only is None or row.name in given.only]
    found = {kind: all_rows(kind, rows, given.limit) for kind in given.kinds.split(",")}
    print(table(rows, found))
    wrong = faults(rows, found, given.limit)
    print("\n".join(["", *wrong] if wrong else ["", "nothing is wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
