"""An agent that lies or floods in the way that its argument names, and is honest otherwise. Imports nothing of ours.

LIES has every kind by name: a function from the honest message to the one that is sent in its place. The name of its
table is the moment of sending. Speaks the protocol over stdin and stdout.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

Message = dict[str, Any]
Lie = Callable[[Message], Any]

CLEAR = "\x1b[2J\x1b]0;owned\x07\x9b31m\x1b[1;1Hall trials done: every environment equivalent"
FORGED = "\nblock 1/1, trial 1/1, linpack in lie: every environment equivalent\nreport: /etc/passwd"
BIDI = "abc\u202edenifed\u202c\u2066x\u2069\u200f\u061c"
THIN = "no\u200bthing\u2028hidden\u2029\ufeff\u00ad\u2060"
MARKUP = "[red]danger[/red] [link=file:///etc/passwd]click[/link] [/] :skull:"
HTML = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
FORMULA = '=cmd|"/c calc"!A1'
HUGE = 10**400
DEEP = "[" * 900 + "]" * 900

FACTS = {
    "os": "Linux", "kernel": "6.1.0", "architecture": "x86_64", "bits": 64, "hostname": "h", "cpu_model": "",
    "cpu_features": ["sse2"], "cpus_online": 1, "cpus_allowed": 1, "memory_bytes": 1 << 30, "page_bytes": 4096,
    "clock_source": "tsc", "pid": 1, "uid": 0, "block_devices": [{"name": "vda", "bytes": 1}], "interfaces": ["lo"],
}  # fmt: skip


def field(*path: str | int, value: object) -> Lie:
    """A function that puts a value at a path of a message."""

    def change(message: Message) -> Message:
        message = json.loads(json.dumps(message))
        inner: Any = message
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value
        return message

    return change


def without(*path: str | int) -> Lie:
    """A function that takes a field out of a message."""

    def change(message: Message) -> Message:
        message = json.loads(json.dumps(message))
        inner: Any = message
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]
        return message

    return change


def raw(text: str | bytes) -> Lie:
    """A function that sends this line instead, or these bytes."""
    return lambda message: text


def replaced(path: tuple[str | int, ...], text: str) -> Lie:
    """A function that puts a piece of JSON, which json.dumps would not write, at a path."""

    def change(message: Message) -> str:
        return json.dumps(field(*path, value="@@")(message)).replace('"@@"', text)

    return change


def error(text: str, code: str = "internal") -> Lie:
    """A function that lets the run fail with a message."""
    return lambda message: {"event": "failed", "run": message["run"], "error": {"code": code, "message": text}}


# By the message that is changed; each kind once.
LIES: dict[str, dict[str, Lie | None]] = {
    "hello": {
        "hello-with-escapes": field("version", value=CLEAR[:40]),
        "hello-with-a-long-version": field("version", value="9" * 60_000),
        "hello-of-a-huge-protocol": field("protocol", value=HUGE),
        "hello-without-magic": without("magic"),
        "hello-with-an-unknown-field": field("owner\x1b[2J", value=1),
        "hello-with-a-forged-line-as-key": field(FORGED, value=1),
        "hello-with-nul": field("version", value="1.0\0"),
    },
    "facts": {
        "facts-cpus-many": field("return", "cpus_allowed", value="many"),
        "facts-cpus-negative": field("return", "cpus_allowed", value=-1),
        "facts-cpus-true": field("return", "cpus_allowed", value=True),
        "facts-cpus-float": field("return", "cpus_allowed", value=1.5),
        "facts-memory-1e999": replaced(("return", "memory_bytes"), "1e999"),
        "facts-memory-huge": field("return", "memory_bytes", value=HUGE),
        "facts-nested": replaced(("return", "hostname"), DEEP),
        "facts-nested-objects": replaced(("return", "block_devices"), '{"a":' * 900 + "1" + "}" * 900),
        "facts-absent": field("return", value={}),
        "facts-a-list": field("return", value=[1, 2, 3]),
        "facts-with-an-unknown-field": field("return", "root_password", value="x"),
        "facts-with-a-forged-line-as-key": field("return", FORGED, value=1),
        "facts-refused-with-a-forged-line": lambda m: {"id": m["id"], "error": {"code": "internal", "message": FORGED}},
        "facts-with-escapes": field("return", "hostname", value=CLEAR),
        "facts-with-bidi": field("return", "cpu_model", value=BIDI),
        "facts-with-html": field("return", "kernel", value=HTML),
        "facts-with-a-formula": field("return", "clock_source", value=FORMULA),
        "facts-with-nul": field("return", "os", value="Linux\0"),
        "facts-with-a-surrogate": replaced(("return", "os"), '"\\ud800\\udc80\\udfff"'),
        "facts-too-long": field("return", "hostname", value="h" * 60_000),
        "facts-refused": lambda m: {"id": m["id"], "error": {"code": "internal", "message": CLEAR}},
        "facts-of-another-id": field("id", value=99),
        "facts-both": lambda m: {**m, "error": {"code": "internal", "message": "x"}},
    },
    "pong": {
        "pong-text": field("return", "received_ns", value="now"),
        "pong-negative": field("return", "received_ns", value=-5),
        "pong-huge": field("return", "sent_ns", value=2**63),
        "pong-nested": replaced(("return", "sent_ns"), DEEP),
        "pong-with-escapes": field("return", value={CLEAR: 1}),
    },
    "ready": {
        "ready-of-another-run": field("run", value="somebody-else"),
        "ready-twice": lambda m: [m, m],
        "ready-nested": replaced(("conditions",), DEEP),
        "ready-with-escapes": field("conditions", value={"simd": CLEAR, "io_reason": FORGED}),
        "ready-with-markup": field("conditions", value={"simd": MARKUP}),
        "ready-with-an-escape-as-key": field("conditions", value={"\x1b[2J": "x"}),
        "ready-with-a-forged-line-as-key": field("conditions", value={FORGED: 1}),
        "ready-timed-by-the-laboratory": field("conditions", value={"timing": "laboratory"}),
        "ready-with-forged-log": lambda m: [{"event": "log", "level": "info", "message": CLEAR + FORGED}, m],
    },
    "samples": {
        "samples-nan": replaced(("samples", 0, "work"), "NaN"),
        "samples-backwards": lambda m: {**m, "samples": m["samples"][::-1]},
        "samples-of-huge-work": lambda m: {**m, "samples": [{**one, "work": 2**53 - 1} for one in m["samples"]]},
        "samples-with-escapes": field("samples", 0, "check", value=CLEAR),
        "samples-with-a-formula": field("samples", 0, "check", value=FORMULA),
        "samples-empty": field("samples", value=[]),
        "samples-before-the-run": field("samples", 0, "start_ns", value=1),
    },
    "done": {
        "done-with-a-forged-line-as-key": field("measures", value={FORGED: {"unit": "s", "value": "x"}}),
        "done-in-another-unit": field("unit", value="s"),
        "done-in-another-direction": field("better", value="lower"),
        "done-in-an-unknown-unit": field("unit", value="[red]km/h"),
        "done-1e999": replaced(("value",), "1e999"),
        "done-negative": field("value", value=-1.0),
        "done-huge": field("value", value=HUGE),
        "done-not-passed": field("check", "passed", value=False),
        "done-miscounted": field("count", value=10**9),
        "done-for-another-run": field("run", value="t999"),
        "done-twice": lambda m: [m, m],
        "done-measure-with-escapes": field("measures", value={"loss": {"unit": "\x1b[2J", "value": 1}}),
        "done-measure-huge": field("measures", value={"loss": {"unit": "s", "value": 1.7e308}}),
        "done-measure-tiny": field("measures", value={"loss": {"unit": "s", "value": 5e-324}}),
        "done-histogram-huge": field(
            "histograms", value={"latency": {"unit": "s", "digits": 2, "counts": [[2**53 - 1, 2**53 - 1]]}}
        ),
        "done-cpu-negative": field("cpu", "user_ns", value=-1),
        "done-check-with-escapes": field("check", "value", value=CLEAR + BIDI),
        "done-without-a-check": without("check"),
        "failed-with-escapes": error(CLEAR + FORGED),
        "failed-with-bidi": error(BIDI + THIN, "not-supported"),
        "failed-with-markup": error(MARKUP + HTML),
        "failed-with-a-formula": error(FORMULA, "not-supported"),
        "failed-with-an-unknown-code": error("x", "\x1b[31mok"),
        "failed-at-length": error("long " * 12_000),
        "not-json": raw("\x1b[2Jkernel panic: not syncing"),
        "not-utf-8": raw(b"\xff\xfe\x9b31m{}"),
        "too-long-a-line": raw("x" * 70_000),
        "only-brackets": raw("[" * 60_000),
        "a-number-of-many-digits": raw("9" * 60_000),
        "a-fatal-with-escapes": raw(json.dumps({"fatal": {"code": "internal", "message": CLEAR + FORGED}})),
        "hello-again": raw(
            json.dumps({"magic": "virtometer", "protocol": 1, "role": "agent", "version": "1", "capabilities": []})
        ),
        "an-answer-that-nobody-asked-for": raw('{"id":77,"return":{}}'),
    },
    # What is no message: see `at_start`.
    "start": {
        "floods-with-logs": None,
        "floods-with-samples": None,
        "floods-stderr": None,
        "floods-without-a-newline": None,
        "dies-with-escapes": None,
        "dies-by-a-signal": None,
        "closes-its-channel": None,
        "closes-and-stays": None,
        "hangs": None,
        "stops-itself": None,
        "stays-after-bye": None,
        "leaves-a-child": None,
    },
}
KINDS = [kind for table in LIES.values() for kind in table]
# Lies that harm nothing: they are texts, whose control characters become visible, or numbers within the bounds.
HARMLESS = {
    "facts-with-escapes", "facts-with-bidi", "facts-with-html", "facts-with-a-formula",
    "ready-with-escapes", "ready-with-markup", "ready-with-forged-log", "samples-with-escapes",
    "samples-with-a-formula", "done-twice", "done-measure-tiny", "done-histogram-huge", "done-check-with-escapes",
    "stays-after-bye", "leaves-a-child", "hello-with-escapes", "floods-stderr",
}  # fmt: skip


def write(data: bytes) -> None:
    while data:
        data = data[os.write(1, data) :]


def say(kind: str, moment: str, message: Message) -> None:
    """Send a message, or what a kind makes of it."""
    change = LIES[moment].get(kind) if moment in LIES else None
    sent = change(message) if change else message
    for one in sent if isinstance(sent, list) else [sent]:
        line = one if isinstance(one, bytes) else (one if isinstance(one, str) else json.dumps(one)).encode()
        write(line + b"\n")


def at_start(kind: str, name: str) -> None:
    """What kinds do that send nothing wrong."""
    if kind == "floods-with-logs":
        while True:
            say("", "", {"event": "log", "level": "info", "message": CLEAR * 300})
    if kind == "floods-with-samples":
        one = {"start_ns": 1, "end_ns": 2, "work": 1, "check": ""}
        while True:
            say("", "", {"event": "samples", "run": name, "samples": [one] * 400})
    if kind == "floods-stderr":
        begin = time.monotonic()
        while time.monotonic() - begin < 0.3:
            os.write(2, (CLEAR + FORGED).encode() * 500)
    if kind == "floods-without-a-newline":
        while True:
            write(b"\x1b[2J" * 1000)
    if kind == "dies-with-escapes":
        os.write(2, (CLEAR + FORGED + BIDI + THIN + MARKUP).encode() + b"\xff\x9b2J\0")
        sys.exit(3)
    if kind == "dies-by-a-signal":
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "closes-its-channel":
        os.close(1)
        sys.exit(0)
    if kind == "closes-and-stays":
        os.close(1)
        time.sleep(3600)
    if kind == "hangs":
        time.sleep(3600)
    if kind == "stops-itself":
        os.kill(os.getpid(), signal.SIGSTOP)
    if kind == "leaves-a-child" and os.fork() == 0:
        os.setsid()
        os.close(0)
        os.close(1)
        time.sleep(3600)


def lines() -> Iterator[Message]:
    """Requests, one by one."""
    buffer = b""
    while chunk := os.read(0, 65536):
        buffer += chunk
        while b"\n" in buffer:
            line, buffer = buffer.split(b"\n", 1)
            yield json.loads(line)


def work(kind: str, name: str) -> None:
    """Some iterations of 10 ms; pings are answered between them by whoever reads, so that none is here."""
    samples = []
    for _ in range(3):
        begin = time.monotonic_ns()
        select.select([], [], [], 0.01)
        samples.append({"start_ns": begin, "end_ns": time.monotonic_ns(), "work": 1000, "check": "ok"})
    say(kind, "samples", {"event": "samples", "run": name, "samples": samples})
    done = {
        "event": "done", "run": name, "unit": "FLOP/s", "better": "higher", "value": 100_000.0,
        "check": {"kind": "residual", "value": "1.0", "passed": True}, "count": len(samples), "stopped": False,
        "cpu": {"user_ns": 1000, "system_ns": 0}, "conditions": {"simd": "none"},
        "measures": {}, "histograms": {},
    }  # fmt: skip
    say(kind, "done", done)


def main(kind: str) -> None:
    hello = {"magic": "virtometer", "protocol": 1, "role": "agent", "version": "0.1.0", "capabilities": ["linpack"]}
    say(kind, "hello", hello)
    for request in lines():
        if "magic" in request:
            continue
        command, name = request["command"], request["arguments"].get("run")
        if command == "ping":
            # Two readings, as of the agent: one reading twice looks like a clock that ticks as slowly as pings come.
            received_ns, sent_ns = time.monotonic_ns(), time.monotonic_ns()
            say(kind, "pong", {"id": request["id"], "return": {"received_ns": received_ns, "sent_ns": sent_ns}})
            continue
        answer = {"id": request["id"], "return": FACTS if command == "facts" else {}}
        say(kind, command, answer)
        if command == "prepare":
            say(kind, "ready", {"event": "ready", "run": name, "conditions": {}})
        if command == "start":
            at_start(kind, name)
            work(kind, name)
        if command == "bye":
            if kind == "stays-after-bye":
                time.sleep(3600)
            return


if __name__ == "__main__":
    main(sys.argv[1])
