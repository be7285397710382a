"""An agent that works in slices as its argument says (JSON). Speaks the protocol over stdin and stdout.

speed: work in a millisecond. later: the factor of the speed after the first 25 ms of a slice. windows: that in slices
of 100 ms and more. longest: seconds of an iteration. dies, hangs, ends, fails, idles: the number of the slice, counted
from 1, at which it ends the process, does nothing more, ends the run, reports a failure, or waits for the next slice
without a sample. round_trip: seconds that a ping takes. late: seconds after which a guest begins that finds another one
at work; needs a host. host: a directory in which those that work leave a file each. capacity: so many of them work at
full speed at the same time, and more share that. loss: of the speed for each other one that works.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from place import FACTS  # type: ignore[import-not-found]  # it lies beside this script

wanted = json.loads(sys.argv[1])
ITERATION_S = wanted.get("longest", 0.005)
BEGINNING_S = 0.028


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def beside() -> float:
    """The factor of the speed with those that work at this moment."""
    if "host" not in wanted:
        return 1.0
    count = max(len(list(Path(wanted["host"]).iterdir())), 1)
    return float(min(1.0, wanted.get("capacity", count) / count) * (1 - wanted.get("loss", 0.0)) ** (count - 1))


def alone() -> bool:
    """Whether this one is the first to begin."""
    try:
        (Path(wanted["host"]) / "first").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def work(seconds: float) -> list[dict[str, Any]]:
    mine = Path(wanted["host"]) / str(os.getpid()) if "host" in wanted else None
    if "late" in wanted and not alone():
        time.sleep(wanted["late"])
    if mine is not None:
        mine.touch()
    begun = time.monotonic_ns()
    samples: list[dict[str, Any]] = []
    while not samples or time.monotonic_ns() - begun < (seconds - ITERATION_S / 2) * 1e9:
        start = time.monotonic_ns()
        sharing = beside()
        time.sleep(ITERATION_S)
        end = time.monotonic_ns()
        sharing = (sharing + beside()) / 2
        pace = wanted.get("speed", 1000.0) * (wanted.get("windows", 1.0) if seconds >= 0.1 else 1.0)
        pace *= wanted.get("later", 1.0) if start - begun > BEGINNING_S * 1e9 else 1.0
        pace *= sharing
        samples.append({"start_ns": start, "end_ns": end, "work": round(pace * (end - start) * 1e-6), "check": "ok"})
    if mine is not None:
        mine.unlink()
        (mine.parent / "first").unlink(missing_ok=True)
    return samples


def done(name: str, count: int) -> None:
    say(
        event="done", run=name, unit="FLOP/s", better="higher", value=1.0,
        check={"kind": "residual", "value": "1.0", "passed": True}, count=count, stopped=True,
        cpu={"user_ns": 1000, "system_ns": 0}, conditions={"simd": "none"},
    )  # fmt: skip


def main() -> None:
    say(magic="virtometer", protocol=1, role="agent", version="0.0.1", capabilities=["linpack"])
    slice_s, slices, count = 0.0, 0, 0
    for number, line in enumerate(sys.stdin):
        if number == 0:
            continue
        request = json.loads(line)
        command, arguments = request["command"], request["arguments"]
        name = arguments.get("run")
        if command == "ping":
            time.sleep(wanted.get("round_trip", 0.0) / 2)
            received_ns, sent_ns = time.monotonic_ns(), time.monotonic_ns()
            time.sleep(wanted.get("round_trip", 0.0) / 2)
            say(id=request["id"], **{"return": {"received_ns": received_ns, "sent_ns": sent_ns}})
            continue
        say(id=request["id"], **{"return": FACTS if command == "facts" else {}})
        if command == "prepare":
            slice_s, slices, count = arguments["slice_s"], 0, 0
            say(event="ready", run=name, conditions={})
        if command == "start":
            say(event="waiting", run=name, iteration="slice")
        if command == "go":
            slices += 1
            if wanted.get("dies") == slices:
                sys.stderr.write("kernel panic: this guest is gone\n")
                sys.exit(7)
            if wanted.get("hangs") == slices:
                time.sleep(3600)
            if wanted.get("ends") == slices:
                done(name, count)
                continue
            if wanted.get("fails") == slices:
                say(event="failed", run=name, error={"code": "check-failed", "message": "the residual is 1e9"})
                continue
            if wanted.get("idles") != slices:
                samples = work(arguments.get("slice_s", slice_s))
                count += len(samples)
                say(event="samples", run=name, samples=samples)
            say(event="waiting", run=name, iteration="slice")
        if command == "stop":
            done(name, count)
        if command == "bye":
            return


main()
