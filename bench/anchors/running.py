"""Runs one program once: its other end, its pages, its time limit, and what it printed.

Pages. `small`: transparent huge pages are forbidden to the process by prctl(PR_SET_THP_DISABLE), which survives exec
and which no advice of the program overrides. `huge`: GLIBC_TUNABLES=glibc.malloc.hugetlb=1 makes the C library of an
anchor advise huge pages for what it allocates, as the agent does. `own`: as the program gets them without either.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from bench.anchors.program import Place, Program

PR_SET_THP_DISABLE = 41
PR_SET_PDEATHSIG = 1
LISTENING = "0A"
ENVIRONMENT = {"LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_LIBC = ctypes.CDLL(None)

Pages = Literal["small", "huge", "own"]


class RunFailed(Exception):
    """A program did not give a figure; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Run:
    """One figure in the row's unit, and how it came about."""

    figure: float
    argv: list[str]
    wall_s: float
    output: str
    pages: Pages = "own"
    in_use: str = ""  # what the figure depends on, as the program printed it; see Program.in_use


@dataclass(slots=True)
class Runner:
    """Runs programs in one place, and remembers how many iterations of each take the seconds asked for."""

    place: Place
    counts: dict[Program, int] = field(default_factory=dict)

    def run(self, program: Program, pages: Pages = "own") -> Run:
        """Raises RunFailed."""
        if program.count and program not in self.counts:
            self._fit(program, pages)
        return self._once(program, pages, self.counts.get(program, 0))

    def _fit(self, program: Program, pages: Pages) -> None:
        """Find the count with which a run takes the seconds asked for. These runs also warm up, and are not kept."""
        count = program.count
        for _ in range(5):
            run = self._once(program, pages, count)
            took_s = max(program.took(run.output) if program.took else run.wall_s, 1e-3)
            longer = self.place.seconds / took_s
            count = max(1, round(count * min(longer, 100.0)))
            if longer < 3:
                break
        self.counts[program] = count

    def _once(self, program: Program, pages: Pages, count: int) -> Run:
        port = _free_port() if program.server else 0
        argv = self.place.argv(program, count, port)
        with self._server(program, pages, port):
            began = time.monotonic()
            output = self._output(program, pages, argv)
            wall_s = time.monotonic() - began
        try:
            in_use = program.in_use(output) if program.in_use else ""
            return Run(program.parse(output), argv, wall_s, output, pages, in_use)
        except (ValueError, KeyError, TypeError) as fault:
            raise RunFailed(f"{program.file} printed what cannot be read ({fault}): {output.strip()[-300:]}") from fault

    def _output(self, program: Program, pages: Pages, argv: list[str]) -> str:
        limit_s = 60 + 20 * self.place.seconds
        if program.stop:
            limit_s = 3 * self.place.seconds + 2
        with _process(argv, pages, program.environment) as process:
            try:
                output, _ = process.communicate(program.input, limit_s)
            except subprocess.TimeoutExpired as late:
                if not program.stop:
                    raise RunFailed(f"{argv} did not end within {limit_s:g} s") from late
                _end(process)
                output, _ = process.communicate()
                return output
        if process.returncode != 0:
            raise RunFailed(f"{' '.join(argv)} ended with status {process.returncode}: {output.strip()[-300:]}")
        return output

    @contextlib.contextmanager
    def _server(self, program: Program, pages: Pages, port: int) -> Iterator[None]:
        if not program.server:
            yield
            return
        argv = self.place.server_argv(program, port)
        with _process(argv, pages) as server:
            for _ in range(500):
                if _listens(port):
                    break
                if server.poll() is not None:
                    raise RunFailed(
                        f"{' '.join(argv)} ended with status {server.returncode}: {server.communicate()[0]}"
                    )
                time.sleep(0.01)
            else:
                raise RunFailed(f"{' '.join(argv)} does not listen")
            yield


@contextlib.contextmanager
def _process(
    argv: list[str], pages: Pages, environment: Iterable[tuple[str, str]] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A process with everything that it prints in one pipe, in a group of its own that is ended with it."""
    huge = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"} if pages == "huge" else {}
    small = pages == "small"

    def prepare() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if small:
            _LIBC.prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)

    try:
        process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **ENVIRONMENT, **huge, **dict(environment)},
            process_group=0,
            preexec_fn=prepare,
        )
    except OSError as fault:
        raise RunFailed(f"{argv[0]} does not start: {fault}") from fault
    with process:
        try:
            yield process
        finally:
            _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    """End a process and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    """Whether somebody listens on a TCP port; not by connecting, which a server for one test takes for its test."""
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                return True
    return False
