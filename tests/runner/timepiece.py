"""An agent that works truly and has an artificial clock: 10^9 units of work in a second of the host's time.

The argument is a JSON object: `rate` of the clock (guest seconds in a host second), `jump_s` that it makes `at_s` after
the start of a run, `still_s` for which it stands still from then on (and `caught_up`: makes up for it afterwards),
`iteration_s`, `batch_s`: how often samples leave, `pings`: how it answers them while it works, `delay_s`: how long each
ping and its answer are under way, and `tool`: what is run
prints ab's result, timed by this clock, having made 1000 requests in a second of the host's time. Where the laboratory
times a run, it does nothing for 3 ms beside the work of each iteration, and that makes the clock jump by `leap_s`;
`gate` is a rule that it breaks then.
"""

import json
import os
import select
import sys
import time
from collections.abc import Iterator
from typing import Any

from place import FACTS  # type: ignore[import-not-found]  # it lies beside this script

wish = json.loads(sys.argv[1])
RATE = wish.get("rate", 1.0)
AT_S = wish.get("at_s", 0.4)
STILL_S = wish.get("still_s", 0.0)
PINGS = wish.get("pings", "well")
LEAP_NS = int(wish.get("leap_s", 0.0) * 1e9)
GATE = wish.get("gate", "well")
leapt = 0
started = None
buffer = b""


def now() -> int:
    """The artificial clock, in ns."""
    real = time.monotonic_ns()
    since = -1 if started is None else real - started - int(AT_S * 1e9)
    jump = int(wish.get("jump_s", 0.0) * 1e9) if since > 0 else 0
    still = int(STILL_S * 1e9)
    if since > 0 and (since < still or not wish.get("caught_up")):
        real -= min(since, still)
    return int(real * RATE) + jump + leapt + 10**12


def leap() -> None:
    """The guest waits, and its clock jumps ahead."""
    global leapt
    time.sleep(0.003)
    leapt += LEAP_NS


def say(**message: Any) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


def lines(limit_s: float) -> Iterator[dict[str, Any]]:
    """Requests that come within a time."""
    global buffer
    end = time.monotonic() + limit_s
    while select.select([0], [], [], max(end - time.monotonic(), 0.0))[0]:
        chunk = os.read(0, 65536)
        if not chunk:
            sys.exit(0)
        buffer += chunk
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            yield json.loads(line)


def pong(request: dict[str, Any], working: bool) -> None:
    time.sleep(wish.get("delay_s", 0.0))
    answer = {"received_ns": now(), "sent_ns": now()}
    time.sleep(wish.get("delay_s", 0.0))
    if not working or PINGS == "well":
        say(id=request["id"], **{"return": answer})
    elif PINGS == "twice":
        say(id=request["id"], **{"return": answer})
        say(id=request["id"], **{"return": answer})
    elif PINGS == "late":
        time.sleep(1.5)
        say(id=request["id"], **{"return": answer})
    elif PINGS == "nonsense":
        say(id=request["id"], **{"return": {"received_ns": 2**60, "sent_ns": -1}})
    elif PINGS == "nowhere":
        say(id=request["id"], **{"return": {"received_ns": 5, "sent_ns": 6}})
    elif PINGS == "error":
        say(id=request["id"], error={"code": "busy", "message": "ask again later"})


def run(name: str, seconds: float) -> None:
    global started
    started = begin = time.monotonic_ns()
    batch, count, told = [], 0, begin
    while time.monotonic_ns() - begin < seconds * 1e9:
        start, true_start = now(), time.monotonic_ns()
        for request in lines(wish.get("iteration_s", 0.02)):
            pong(request, True)
        end, true_end = now(), time.monotonic_ns()
        batch.append({"start_ns": start, "end_ns": end, "work": true_end - true_start, "check": ""})
        count += 1
        if true_end - told > wish.get("batch_s", 0.5) * 1e9:
            say(event="samples", run=name, samples=batch)
            batch, told = [], true_end
    if batch:
        say(event="samples", run=name, samples=batch)
    say(
        event="done", run=name, unit="FLOP/s", better="higher", value=1.0,
        check={"kind": "residual", "value": "1.0", "passed": True}, count=count, stopped=False,
        cpu={"user_ns": 1000, "system_ns": 0}, conditions={},
    )  # fmt: skip


def iteration(name: str, work: float) -> dict[str, Any]:
    """Work for some seconds when it is released. Returns a sample."""
    kind = "work" if work else "null"
    if GATE != "does-not-wait":
        say(event="waiting", run=name, iteration=kind)
        for request in lines(60):
            if request["command"] == "ping":
                pong(request, True)
                continue
            say(id=request["id"], **{"return": {}})
            if request["command"] == "go":
                break
        if GATE == "waits-twice":
            say(event="waiting", run=name, iteration=kind)
    leapt_at, begin, true_begin = now(), now(), time.monotonic_ns()
    for request in lines(3600 if work and GATE == "never-ends" else work):
        pong(request, True)
    end, true_end = now(), time.monotonic_ns()
    if GATE == "ends-before-it-began":
        leapt_at, end = end, leapt_at
    if GATE != "says-nothing":
        say(event="iteration-done", run=name, iteration=kind, released=True, began_ns=leapt_at, ended_ns=end)
    return {"start_ns": begin, "end_ns": end, "work": true_end - true_begin, "check": ""}


def run_at_the_gate(name: str, seconds: float) -> None:
    """As `run`, each iteration released by the laboratory."""
    for _ in range(8 if GATE != "does-not-rehearse" else 2):
        iteration(name, 0)
    samples = []
    for _ in range(max(round(seconds / 0.25), 1)):
        leap()
        iteration(name, 0)
        samples.append(iteration(name, 0.25))
    if GATE == "one-sample-too-many":
        samples.append({**samples[-1], "start_ns": samples[-1]["end_ns"], "end_ns": samples[-1]["end_ns"] + 10**7})
    say(event="samples", run=name, samples=samples)
    say(
        event="done", run=name, unit="FLOP/s", better="higher", value=1.0,
        check={"kind": "residual", "value": "1.0", "passed": True}, count=len(samples), stopped=False,
        cpu={"user_ns": 1000, "system_ns": 0}, conditions={"timing": "laboratory"},
    )  # fmt: skip


def tool(name: str, seconds: float, host_timed: bool) -> None:
    """A program that takes the clock as true: 1000 requests in a second of the host's time."""
    global started
    started = time.monotonic_ns()
    if host_timed:
        for _ in range(9):
            iteration(name, 0)
        sample = iteration(name, seconds)
        start, end, took_ns = sample["start_ns"], sample["end_ns"], sample["work"]
    else:
        start, true_start = now(), time.monotonic_ns()
        while time.monotonic_ns() - true_start < seconds * 1e9:
            for request in lines(0.02):
                pong(request, True)
        end, took_ns = now(), time.monotonic_ns() - true_start
    done = round(took_ns * 1e-6)
    say(event="samples", run=name, samples=[{"start_ns": start, "end_ns": end, "work": 1, "check": "1"}])
    per_second = done / ((end - start) * 1e-9)
    printed = f"Complete requests:      {done}\nRequests per second:    {per_second:.2f} [#/sec] (mean)\n"
    say(
        event="done", run=name, unit="s", better="lower", value=(end - start) * 1e-9,
        check={"kind": "count", "value": "1", "passed": True}, count=1, stopped=False,
        cpu={"user_ns": 1000, "system_ns": 0}, output=printed,
        conditions={"timing": "laboratory"} if host_timed else {},
    )  # fmt: skip


def main() -> None:
    say(magic="virtometer", protocol=1, role="agent", version="0.0.1", capabilities=["linpack"])
    seconds, timing = {}, {}
    while True:
        for request in lines(3600):
            if "magic" in request:
                continue
            command, name = request["command"], request["arguments"].get("run")
            if command == "ping":
                pong(request, False)
                continue
            say(id=request["id"], **{"return": FACTS if command == "facts" else {}})
            if command == "prepare":
                seconds[name] = request["arguments"]["seconds"]
                timing[name] = request["arguments"].get("timing", "agent")
                say(event="ready", run=name, conditions={})
            if command == "start":
                host_timed = GATE == "uninvited" or (timing[name] == "laboratory" and GATE != "ignores")
                if wish.get("tool"):
                    tool(name, seconds[name], host_timed)
                else:
                    (run_at_the_gate if host_timed else run)(name, seconds[name])
            if command == "bye":
                return


main()
