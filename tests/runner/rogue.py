"""An agent that breaks the rules in the way that its argument names. Speaks the protocol over stdin and stdout."""

import json
import sys
import time
from typing import Any

from place import FACTS  # type: ignore[import-not-found]  # it lies beside this script

behaviour = sys.argv[1]
SAMPLE_S = 0.02


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def sample(start: int, end: int, work: int = 1000) -> dict[str, Any]:
    return {"start_ns": start, "end_ns": end, "work": work, "check": "ok"}


def run(name: str, window_s: float) -> None:
    begin = time.monotonic_ns()
    if behaviour == "dies-in-the-middle":
        sys.stderr.write("kernel panic: this guest is gone\n")
        sys.exit(7)
    if behaviour == "hangs-in-the-middle":
        time.sleep(3600)
    if behaviour == "floods":
        while True:
            say(event="log", level="info", message="x" * 8000)
    if behaviour == "talks-nonsense":
        sys.stdout.write("[    1.0] Out of memory: killed process 1\n")
        sys.stdout.flush()
    if behaviour == "finds-a-wrong-result":
        say(event="failed", run=name, error={"code": "check-failed", "message": "the residual is 1e9"})
        return
    if behaviour == "lacks-the-device":
        say(event="failed", run=name, error={"code": "not-supported", "message": "there is no such device"})
        return
    if behaviour.startswith("works-throughout"):
        time.sleep(float(behaviour.partition(" ")[2] or 0))  # it begins so late
    time.sleep(0.03)
    end = time.monotonic_ns()
    half = (begin + end) // 2
    samples = [sample(begin, half), sample(half, end)]
    if behaviour.startswith("works-throughout"):
        samples, begin = [], time.monotonic_ns()
        while time.monotonic_ns() - begin < window_s * 1e9:
            start = time.monotonic_ns()
            time.sleep(SAMPLE_S)
            samples.append(sample(start, time.monotonic_ns()))
    if behaviour == "rests-between-samples":
        samples = []
        for number in range(12):
            if number == 6:
                time.sleep(0.6)
            start = time.monotonic_ns()
            time.sleep(0.01)
            samples.append(sample(start, time.monotonic_ns()))
    if behaviour == "samples-from-nowhere":
        samples = [sample(1, 2)]
    if behaviour == "does-no-work":
        samples = [sample(begin, half, 0), sample(half, end, 0)]
    say(event="samples", run=name, samples=samples)
    if behaviour == "never-ends":
        time.sleep(3600)
    count = 3 if behaviour == "miscounts" else len(samples)
    say(
        event="done", run=name, unit="FLOP/s", better="higher", value=1.0,
        check={"kind": "residual", "value": "1.0", "passed": True}, count=count, stopped=False,
        cpu={"user_ns": 1000, "system_ns": 0}, conditions={"simd": "none"},
    )  # fmt: skip


def main() -> None:
    if behaviour == "never-says-hello":
        time.sleep(3600)
    if behaviour == "dies-at-once":
        sys.stderr.write("no root file system\n")
        sys.exit(1)
    protocol = 7 if behaviour == "is-of-another-version" else 1
    say(magic="virtometer", protocol=protocol, role="agent", version="0.0.1", capabilities=["linpack"])
    together, window_s = False, 0.0
    for number, line in enumerate(sys.stdin):
        if number == 0:
            continue
        request = json.loads(line)
        command, name = request["command"], request["arguments"].get("run")
        if command == "ping":
            # Two readings, as of the agent: one reading twice looks like a clock that ticks as slowly as pings come.
            stands = behaviour == "has-a-clock-that-stands-still"
            received_ns, sent_ns = (1_000_000_000 if stands else time.monotonic_ns() for _ in range(2))
            say(id=request["id"], **{"return": {"received_ns": received_ns, "sent_ns": sent_ns}})
            continue
        if command == "prepare" and behaviour == "refuses":
            say(id=request["id"], error={"code": "out-of-memory", "message": "64 TiB are not there"})
            continue
        late = {"late_ns": 0} if "at_ns" in request["arguments"] else {}
        say(id=request["id"], **{"return": FACTS if command == "facts" else late})
        if command == "prepare":
            together = request["arguments"].get("together", False)
            window_s = request["arguments"]["seconds"]
        if command == "prepare" and behaviour != "never-gets-ready":
            say(event="ready", run=name, conditions={})
        if command == "start" and together:
            say(event="waiting", run=name, iteration="window")
        elif command in ("start", "go"):
            run(name, window_s)
        if command == "bye":
            if behaviour == "does-not-leave":
                time.sleep(3600)
            return


main()
