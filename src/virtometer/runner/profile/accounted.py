"""Runs a command and writes what the system accounts for it: a program of its own, so that nothing else is in it.

    python accounted.py ACCOUNT VARIABLES MARK WORD...

VARIABLES is the environment of the command as JSON; the variable whose value is MARK is added. ACCOUNT becomes a file
of JSON: fields of getrusage(2) for the command and all that it waited for, and bytes of /proc/PID/io. The status is 0,
whatever that of the command is; it is 1 where the command cannot be started, or the file cannot be written.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def account(words: list[str], variables: dict[str, str]) -> dict[str, float]:
    """What a run of the command took. Raises OSError where it cannot be started."""
    begun = time.monotonic()
    child = os.posix_spawnp(words[0], words, variables)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    wall_s = time.monotonic() - begun
    try:  # of a process that has ended, and is not reaped
        lines = Path(f"/proc/{child}/io").read_text().splitlines()
    except OSError:  # one of another user, as after a change of the user
        lines = []
    moved = {name: int(value) for name, _, value in (line.partition(": ") for line in lines)}
    used = os.wait4(child, 0)[2]
    return {
        "wall_s": wall_s, "user_s": used.ru_utime, "system_s": used.ru_stime, "minor_faults": used.ru_minflt,
        "major_faults": used.ru_majflt, "waits": used.ru_nvcsw, "preempted": used.ru_nivcsw,
        "read": moved.get("read_bytes", used.ru_inblock * 512),
        "written": moved.get("write_bytes", used.ru_oublock * 512),
    }  # fmt: skip


if __name__ == "__main__":
    _, file, given, mark, *command = sys.argv
    environment = json.loads(given) | {name: value for name, value in os.environ.items() if value == mark}
    os.environ["PATH"] = environment.get("PATH", os.defpath)  # by which the program is found
    try:
        Path(file).write_text(json.dumps(account(command, environment)))
    except OSError as cause:
        sys.exit(str(cause))
