"""A registry of images on the loopback, with all its files in a directory of its caller's."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.waiting import wait_until

PROGRAM = "docker-registry"


def installed() -> bool:
    """Whether this host has it."""
    return shutil.which(PROGRAM) is not None


@contextlib.contextmanager
def own_registry(directory: Path) -> Iterator[str]:
    """Its address, such as 127.0.0.1:5000. Images are in `registry` of the directory."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    storage = {"filesystem": {"rootdirectory": str(directory / "registry")}}
    settings = {"version": 0.1, "storage": storage, "http": {"addr": address}}
    (directory / "registry.yml").write_text(json.dumps(settings))
    with (directory / "registry.log").open("wb") as log:
        process = subprocess.Popen([PROGRAM, "serve", directory / "registry.yml"], stdout=log, stderr=log)
    try:
        wait_until(lambda: _answers(address))
        yield address
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    host, _, port = address.partition(":")
    with socket.socket() as probe:
        return probe.connect_ex((host, int(port))) == 0
