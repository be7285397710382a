"""A copy of the sources in which mutants are made, built and checked. The checkout itself is only read."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mutants.listing import Mutant
from mutants.processes import Ended, execute, session
from virtometer.deferred_signals import deferred_signals

BUILD_LIMIT_S = 900.0
RUN_LIMIT_S = 30.0
TEST_LIMIT_S = 240.0
SERVER_LIMIT_S = 10.0
FILE_BYTES = 16 * 2**20
PROCESSORS = 2
TIME_LIMIT = "time limit"
LOOM = "loom"
"""Stands where the name of a file of tests does: tests for which the crate is built with loom, see setup/test.sh."""


class WorkspaceError(Exception):
    """The copy cannot be made, or is in use."""


class DoesNotCompile(Exception):
    """The compiler refuses the sources; the message is the compiler's."""


@dataclass(frozen=True)
class Failed:
    """A check that failed: its name, and what it said."""

    check: str
    said: str


@dataclass
class Workspace:
    """Sources below `folder`/sources, while the context is open; build products below `folder`/target, kept."""

    checkout: Path
    folder: Path
    _lock: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @property
    def sources(self) -> Path:
        """The copy."""
        return self.folder / "sources"

    def __enter__(self) -> Workspace:
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = self._lock.enter_context((self.folder / "lock").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._lock.close()
            raise WorkspaceError(f"another process uses {self.folder}; wait until it has ended") from error
        self._lock.callback(shutil.rmtree, self.sources, ignore_errors=True)
        try:
            self._copy()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with deferred_signals():
            self._lock.close()

    def _copy(self) -> None:
        """Copy what git tracks or would track, with the present time, so that cargo compiles it again."""
        shutil.rmtree(self.sources, ignore_errors=True)  # of a program that was killed
        argv = [
            "git",
            "-c",
            "safe.directory=*",
            "-C",
            str(self.checkout),
            "ls-files",
            "-z",
            "-co",
            "--exclude-standard",
        ]
        listed = subprocess.run(argv, capture_output=True, check=True).stdout.decode().split("\0")
        for name in listed:
            original = self.checkout / name
            if name and original.is_file():
                copy = self.sources / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(original, copy)
                copy.chmod(original.stat().st_mode)

    @contextlib.contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[None]:
        """Replace the mutant's text in the copy, and put the sound text back at the end."""
        path = self.sources / mutant.file
        sound = path.read_text()
        path.write_text(sound.replace(mutant.old, mutant.new))
        try:
            yield
        finally:
            path.write_text(sound)

    @property
    def _environment(self) -> dict[str, str]:
        """For cargo: a target folder of its own, fast loops, no debug information, and only the processors allowed."""
        return {
            **os.environ,
            "CARGO_TARGET_DIR": str(self.folder / "target"),
            "CARGO_PROFILE_DEV_DEBUG": "0",
            "CARGO_PROFILE_DEV_OPT_LEVEL": "1",
            "CARGO_INCREMENTAL": "1",
            "CARGO_TERM_COLOR": "never",
            "CARGO_BUILD_JOBS": str(PROCESSORS),
            "RUST_TEST_THREADS": str(PROCESSORS),
            "VIRTOMETER_AGENT": str(self.agent),
        }

    @property
    def agent(self) -> Path:
        """The agent of the copy, after `build_agent`."""
        return self.folder / "target" / "debug" / "virtometer-agent"

    @property
    def _with_loom(self) -> dict[str, str]:
        """As `_environment`, for a build with loom, in a folder of its own: the flag is one of all crates."""
        folder = self.folder / "target" / LOOM
        return {**self._environment, "RUSTFLAGS": f"--cfg {LOOM}", "CARGO_TARGET_DIR": str(folder)}

    def _cargo(self, arguments: Sequence[str], environment: dict[str, str] | None = None) -> None:
        ended = execute(["cargo", *arguments], self.sources, environment or self._environment, BUILD_LIMIT_S)
        if ended.status != 0:
            raise DoesNotCompile(_errors(ended.output))

    def build_agent(self) -> None:
        """Build the agent. Raises DoesNotCompile."""
        self._cargo(["build", "--locked", "--package", "virtometer-agent"])

    def run(self, commands: Sequence[str]) -> Failed | None:
        """Run command lines of the agent one after the other; the first that fails, or None.

        Raises WorkspaceError for a command line that the agent does not understand, and where a server does not start.
        """
        folder = self.sources / ".run"
        folder.mkdir()
        try:
            with (folder / "file").open("wb") as file:
                file.truncate(FILE_BYTES)
            with contextlib.ExitStack() as servers:
                for command in commands:
                    values = {"folder": folder, "file": folder / "file", "server": ""}
                    if "{server}" in command:
                        address = servers.enter_context(self._server(folder))
                        if address is None:
                            raise WorkspaceError("the server does not start, so that nothing is checked")
                        values["server"] = address
                    argv = [word.format(**values) if "{" in word else word for word in shlex.split(command)]
                    ended = execute([self.agent, *argv], folder, self._environment, RUN_LIMIT_S)
                    if ended.status == 2:
                        raise WorkspaceError(f"the agent does not understand {command!r}: {ended.output.strip()}")
                    if ended.status != 0:
                        return Failed(*_end_of(ended, "run-time check", RUN_LIMIT_S))
        finally:
            shutil.rmtree(folder)
        return None

    @contextlib.contextmanager
    def _server(self, folder: Path) -> Iterator[str | None]:
        """Address of `serve net` on the loopback, while the context is open; None where it does not start."""
        argv: list[str | Path] = [self.agent, "serve", "net", "--listen", "127.0.0.1:0"]
        with session(argv, folder, self._environment) as server:
            yield _address(server)

    def test(self, tests: Sequence[str]) -> Failed | None:
        """Run tests; the first that failed, or None. Raises DoesNotCompile, and WorkspaceError for an unknown test."""
        binaries: dict[str, list[str]] = {}
        for test in tests:
            binary, _, path = ("pytest", "", test) if test.startswith("tests/") else test.partition(" ")
            binaries.setdefault(binary, []).append(path)
        for binary, paths in binaries.items():
            failed = self._pytest(paths) if binary == "pytest" else self._cargo_test(binary, paths)
            if failed:
                return failed
        return None

    def _cargo_test(self, binary: str, paths: Sequence[str]) -> Failed | None:
        crate, _, file = binary.partition("/")
        target, environment = ["--test", file] if file else ["--lib"], self._environment
        if file == LOOM:
            target, environment = ["--lib", "--release"], self._with_loom
        package = ["test", "--locked", "--package", f"virtometer-{crate}", *target]
        self._cargo([*package, "--no-run"], environment)
        for exact, chosen in (
            (["--exact"], [path for path in paths if path and not path.endswith("::")]),
            ([], [path for path in paths if not path or path.endswith("::")]),
        ):
            if not chosen:
                continue
            argv = ["cargo", *package, "--", *exact, *chosen]
            ended = execute(argv, self.sources, environment, TEST_LIMIT_S)
            found = re.search(r"^running (\d+) tests?$", ended.output, re.MULTILINE)
            if found and int(found[1]) < len(chosen):
                raise WorkspaceError(f"{binary} has not all of the tests {', '.join(chosen)}")
            if ended.status != 0:
                wrong = re.findall(r"^test (\S+) .*\bFAILED$", ended.output, re.MULTILINE)
                name, said = _end_of(ended, f"test {wrong[0]}" if wrong else f"tests of {binary}", TEST_LIMIT_S)
                return Failed(name, said)
        return None

    def _pytest(self, paths: Sequence[str]) -> Failed | None:
        self.build_agent()
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths]
        ended = execute(argv, self.sources, self._environment, TEST_LIMIT_S)
        if ended.status in (4, 5):
            raise WorkspaceError(f"pytest has not all of the tests {', '.join(paths)}")
        if ended.status != 0:
            wrong = re.findall(r"^(?:FAILED|ERROR) (\S+)", ended.output, re.MULTILINE)
            return Failed(*_end_of(ended, f"test {wrong[0]}" if wrong else "pytest", TEST_LIMIT_S))
        return None


def _address(server: subprocess.Popen[bytes]) -> str | None:
    """What a server says that it listens on, or None where it says nothing in time."""
    assert server.stdout is not None
    said = b""
    until = time.monotonic() + SERVER_LIMIT_S
    while b"\n" not in said:
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, until - time.monotonic()))
        piece = os.read(server.stdout.fileno(), 4096) if ready else b""
        if not piece:
            return None
        said += piece
    found = re.match(rb"serving on (\S+)", said)
    return found[1].decode() if found else None


def _end_of(ended: Ended, check: str, limit_s: float) -> tuple[str, str]:
    """Name of a failed check and what it said, also where it did not end or was ended by a signal."""
    if ended.status is None:
        return TIME_LIMIT, f"{check}: no end within {limit_s:.0f} s"
    lines = [line for line in ended.output.splitlines() if line.strip()]
    said = lines[-1] if lines else ""
    panic = re.search(r"panicked at .*\n(.*)", ended.output)
    if panic and check != "run-time check":
        said = panic[1]
    return check, said or f"exit status {ended.status}"


def _errors(output: str) -> str:
    """The lines of cargo's output that say what is wrong."""
    lines = output.splitlines()
    first = next((number for number, line in enumerate(lines) if line.startswith("error")), max(0, len(lines) - 8))
    return "\n".join(lines[first : first + 12])
