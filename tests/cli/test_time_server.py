"""`virtometer time-server` as a user starts it."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from tests.sentences import Said
from virtometer.cli import main

COMMAND = [sys.executable, "-m", "virtometer", "time-server"]


def test_it_serves_until_it_is_interrupted() -> None:
    with subprocess.Popen([*COMMAND, "--tcp", "0", "--udp", "0"], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            found = re.fullmatch(
                r"serving time on tcp 127\.0\.0\.1:(\d+) and udp 127\.0\.0\.1:(\d+); Ctrl-C .*\n", line
            )
            assert found, line
            with (
                socket.create_connection(("127.0.0.1", int(found[1])), timeout=10) as one,
                one.makefile("rw") as stream,
            ):
                for command in ("start", "time"):
                    stream.write(f"{command}\n")
                    stream.flush()
                    answer = stream.readline()
                    assert answer == "start\n" if command == "start" else 0 <= int(answer) < 60_000_000
            server.send_signal(signal.SIGINT)
            assert server.wait(10) == 130
        finally:
            server.kill()


def test_programs_get_the_ports_as_json() -> None:
    with subprocess.Popen(
        [*COMMAND, "--json", "--tcp", "0", "--udp", "0"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            ports = json.loads(server.stdout.readline())
            assert ports.keys() == {"tcp", "udp"}
            socket.create_connection(("127.0.0.1", ports["tcp"]), timeout=10).close()
        finally:
            server.kill()


def test_clients_beyond_its_descriptors_are_turned_away_and_reported_once(said: Said) -> None:
    limited = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh", *COMMAND, "--tcp", "0"]
    with (
        subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server,
        contextlib.ExitStack() as stack,
    ):
        try:
            assert server.stdout is not None and server.stderr is not None
            found = re.search(r"tcp 127\.0\.0\.1:(\d+)", server.stdout.readline())
            assert found
            clients = [
                stack.enter_context(socket.create_connection(("127.0.0.1", int(found[1])), timeout=20))
                for _ in range(300)
            ]
            answers = []
            for client in clients:
                with contextlib.suppress(ConnectionError):
                    client.sendall(b"start\n")
                    answers.append(client.recv(100))
            served = answers.count(b"start\n")
            assert 60 < served < 100
            assert answers == [b"start\n"] * served + [b""] * (len(answers) - served)
            for client in clients:
                client.close()
            until = time.monotonic() + 20
            answer = b""
            while not answer and time.monotonic() < until:
                with (
                    contextlib.suppress(ConnectionError),
                    socket.create_connection(("127.0.0.1", int(found[1])), timeout=20) as late,
                ):
                    late.sendall(b"start\n")
                    answer = late.recv(100)
            assert answer == b"start\n", "it serves nobody after those have gone"
        finally:
            server.kill()
        told = server.stderr.read()
        assert told.startswith(f"virtometer: {served} clients ")
        said(told.removeprefix(f"virtometer: {served} "))


@pytest.mark.parametrize(
    ("arguments", "address", "status"),
    [
        pytest.param([], "", 2, id="no port"),
        pytest.param(["--tcp", "0"], "192.0.2.1", 6, id="an address of another host"),
        pytest.param(["--tcp", "0"], "nowhere.invalid", 6, id="a name that nobody has"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    said: Said, arguments: list[str], address: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    listen = ["--listen", address] if address else []
    assert main(["time-server", *arguments, *listen]) == status
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and address in told
    said(": ".join(told.split(": ")[:2]))  # what follows are the host's words


def test_a_port_out_of_range_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["time-server", "--tcp", "70000"]) == 2
    assert "65535" in capsys.readouterr().err
