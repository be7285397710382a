"""Transcripts of contract/vectors, and its pages: agents against our parser, laboratories against the real agent."""

import base64
import json
import os
import re
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from virtometer.errors import LinkError
from virtometer.link.channel import Channel, Stream
from virtometer.link.messages import Greeting, Reply, answer
from virtometer.link.session import Session
from virtometer.runner.lab.agent import agent_path

CONTRACT = Path(__file__).resolve().parents[2] / "contract"
VECTORS = {
    f"{path.parent.name}/{path.stem}": json.loads(path.read_text())
    for path in sorted(CONTRACT.glob("vectors/*/*.json"))
}
NAMES = ("message.schema.json", "sample.schema.json")
SCHEMAS = {name: json.loads((CONTRACT / "schema" / name).read_text()) for name in NAMES}
REGISTRY = Registry().with_resources((name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items())
SCHEMA = jsonschema.Draft202012Validator(SCHEMAS["message.schema.json"], registry=REGISTRY)
SENTENCES = {
    "message-too-long": "more than 65536 bytes",
    "protocol-mismatch": r"speaks protocol|magic|is a laboratory|role",
    "bad-message": r"protocol|not a message|not an object|not a virtometer|hello twice|exactly one|does not exist|is a",
}

VectorLine = str | dict[str, Any]


def toward(direction: str) -> pytest.MarkDecorator:
    """Gives a test every transcript of this direction."""
    vectors = {name: vector for name, vector in VECTORS.items() if vector["direction"] == direction}
    return pytest.mark.parametrize("vector", vectors.values(), ids=vectors.keys())


def line_bytes(line: VectorLine) -> bytes:
    if isinstance(line, str):
        return line.encode()
    if "base64" in line:
        return base64.b64decode(line["base64"])
    repeated: str = line["before"] + line["repeat"] * line["times"] + line["after"]
    return repeated.encode()


def read_as_laboratory(lines: Sequence[VectorLine]) -> tuple[int, str]:
    """Number of lines that the laboratory accepts, and the sentence of the one that it refuses."""
    read, write = os.pipe()
    null = os.open(os.devnull, os.O_WRONLY)
    session = Session(Channel(Stream(read, null)), "agent")
    data = b"".join(line_bytes(line) + b"\n" for line in lines)
    sender = threading.Thread(target=lambda: os.write(write, data) if len(data) < 65_536 else send(write, data))
    sender.start()
    accepted = 0
    try:
        session.greet(10)
        for accepted in range(1, len(lines)):  # noqa: B007 - counted for the caller
            line = session.channel.receive(10)
            assert line is not None
            message = session.meaning(line)
            if isinstance(message, Greeting):
                raise LinkError("the agent said hello twice")
            if isinstance(message, Reply) and message.value and "received_ns" not in message.value:
                answer("go" if "late_ns" in message.value else "facts", message.value)
        return len(lines), ""
    except LinkError as refusal:
        if "gave up" in refusal.sentence:
            return accepted + 1, ""
        return accepted, refusal.sentence
    finally:
        session.close()
        sender.join(10)
        os.close(write)


def send(fd: int, data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except BrokenPipeError:
        return


@toward("to-laboratory")
def test_what_an_agent_may_say_is_accepted_and_the_rest_refused(vector: dict[str, Any]) -> None:
    accepted, sentence = read_as_laboratory(vector["lines"])
    if vector["expect"] == "ok":
        assert (accepted, sentence) == (len(vector["lines"]), "")
        for line in vector["lines"]:
            SCHEMA.validate(json.loads(line_bytes(line)))
    else:
        assert accepted == vector["expect"]["line"]
        assert re.search(SENTENCES[vector["expect"]["code"]], sentence), sentence


def matches(pattern: object, value: object) -> bool:
    if pattern == "*":
        return True
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            key in value and matches(wanted, value[key]) for key, wanted in pattern.items()
        )
    return pattern == value


class RealAgent:
    """The built agent over pipes, read line by line with a limit."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([agent_path(), "stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.input, self.output = self.process.stdin, self.process.stdout
        self.buffer = b""

    def line(self, limit_s: float = 20) -> dict[str, Any] | None:
        deadline = time.monotonic() + limit_s
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            assert left > 0, "the agent says nothing"
            if select.select([self.output], [], [], left)[0]:
                chunk = os.read(self.output.fileno(), 65_536)
                if not chunk:
                    assert self.buffer == b""
                    return None
                self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        SCHEMA.validate(message)
        return message

    def stop(self) -> None:
        self.input.close()
        self.process.kill()
        self.process.wait()
        self.output.close()


@toward("to-agent")
def test_the_real_agent_keeps_to_the_transcript(vector: dict[str, Any]) -> None:
    agent = RealAgent()
    try:
        for step in vector["steps"]:
            if "send" in step:
                try:
                    agent.input.write(line_bytes(step["send"]) + b"\n")
                    agent.input.flush()
                except BrokenPipeError:
                    agent.input = Path(os.devnull).open("wb")  # noqa: SIM115 - closed by stop
                continue
            while True:
                message = agent.line()
                if step["expect"] == "end":
                    if message is None:
                        break
                    assert message.get("event") in ("samples", "done", "failed", "log"), message
                    continue
                assert message is not None, f"the agent closed instead of {step['expect']}"
                if matches(step["expect"], message):
                    break
                assert message.get("event") in ("samples", "log"), (message, step["expect"])
    finally:
        agent.stop()


def test_the_session_of_the_page_can_be_typed() -> None:
    page = (CONTRACT / "PROTOCOL.md").read_text(encoding="utf-8")
    session = re.findall(r"^    ([<>]) (.*)$", page, re.MULTILINE)
    assert len(session) > 10
    agent = RealAgent()
    try:
        for mark, line in session:
            if mark == ">":
                agent.input.write(line.encode() + b"\n")
                agent.input.flush()
                continue
            # Times, work and values are other ones each time. Three dots stand for any text.
            parts = re.split(r"(?:, )?\.\.\.", line)
            same = ".*".join(re.sub(r"\d{6,}(\\\.\d)?", "[0-9.]+", re.escape(part)) for part in parts)
            message = agent.line()
            while message and message.get("event") == "samples" and '"samples"' not in line:
                message = agent.line()  # a slow host sends the samples in several messages
            assert re.fullmatch(same, json.dumps(message, separators=(",", ":"))), (line, message)
        assert agent.line() is None, "bye ends the agent"
    finally:
        agent.stop()


def test_the_reference_has_every_error_code() -> None:
    table = (CONTRACT / "REFERENCE.md").read_text(encoding="utf-8").partition("## Error codes")[2].partition("## ")[0]
    rows = re.findall(r"^\| (`[^|]*) \|.*\| (\w+) \|$", table, re.MULTILINE)
    codes = {code: closing for row, closing in rows for code in re.findall(r"`([a-z-]+)`", row)}
    assert list(codes) == SCHEMAS["message.schema.json"]["$defs"]["error"]["properties"]["code"]["enum"]
    assert {code for code, closing in codes.items() if closing == "closes"} == {
        "bad-message",
        "message-too-long",
        "protocol-mismatch",
    }


def test_there_are_transcripts_of_every_sort() -> None:
    sorts = {(name.split("/")[0], vector["direction"]) for name, vector in VECTORS.items()}
    assert sorts == {(a, b) for a in ("valid", "invalid") for b in ("to-agent", "to-laboratory")}
