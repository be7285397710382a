"""What is run for one figure: a program with its arguments, its processors, and how its output is read."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.anchors.parsers import Parser

CPUS = "sys/devices/system/cpu/"


@dataclass(frozen=True, slots=True)
class Program:
    """One side of a row. Arguments, servers and processors may hold the fields of `Place.fields`, for example {cpu}."""

    file: str  # looked for on the PATH, or {agent} or {python}
    arguments: str  # words as in a shell, quotes too
    parse: Parser
    package: str = ""  # of Debian; empty for a tool that its user has to build: without it its rows do not appear
    needs: tuple[str, ...] = ()  # patterns below / of files that must exist, for libraries
    cpus: str = "{cpu}"  # what taskset pins it to; empty where the program pins itself
    server: str = ""  # the other end, which is started before and stopped after each run
    server_cpus: str = "{cpu}"
    count: int = (
        0  # first guess of {count}, which is then fitted so that a run takes the seconds asked for; 0: has none
    )
    took: Parser | None = None  # seconds of a run as reported by the tool, to fit {count}
    before: str = ""  # words before its name, for example what makes it write line by line
    input: str = ""  # standard input
    overhead_s: float = 0.1  # what a run takes beside its seconds, for the forecast
    stop: bool = False  # it runs on after it has printed a figure, and is stopped
    environment: tuple[tuple[str, str], ...] = ()  # variables, added to those of every run
    in_use: Callable[[str], str] | None = None  # reads from its output what the figure depends on, for example a core

    def missing(self) -> str | None:
        """What would have to be installed for it, or None where it is here."""
        if not self.file.startswith("{") and shutil.which(self.file) is None:
            return f"Debian package {self.package}" if self.package else f"{self.file} on the PATH"
        absent = [pattern for pattern in self.needs if not any(Path("/").glob(pattern))]
        if any(pattern.startswith(CPUS) for pattern in absent):
            return "another processor"
        if absent:
            return f"Debian package {self.package}" if self.package else f"/{absent[0]}"
        return None


CACHED = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how long the runs of this bench are."""

    agent: Path
    python: Path
    cpu: int
    other: int  # another processor, or the same where there is only one
    seconds: float
    file: Path  # what disk rows read and write
    span: int  # bytes of the file that a run uses; the file is twice as long, and fio writes to its second half
    cached: Path  # a file of CACHED bytes beside it, which fits into the page cache

    def argv(self, program: Program, count: int, port: int) -> list[str]:
        """The command line of a run, with what pins it."""
        return self._words(program.cpus, f"{program.before} {program.file} {program.arguments}", count, port)

    def server_argv(self, program: Program, port: int) -> list[str]:
        """The command line of its other end."""
        return self._words(program.server_cpus, program.server, 0, port)

    def fields(self, count: int, port: int) -> dict[str, object]:
        """What stands for the fields."""
        return {
            "agent": self.agent,
            "python": self.python,
            "cpu": self.cpu,
            "other": self.other,
            "seconds": f"{self.seconds:g}",
            "whole": max(1, round(self.seconds)),
            "halves": max(1, round(2 * self.seconds)),
            "ms": round(self.seconds * 1000),
            "file": self.file,
            "span": self.span,
            "cached": self.cached,
            "folder": self.cached.parent,
            "count": count,
            "port": port,
        }

    def _words(self, cpus: str, text: str, count: int, port: int) -> list[str]:
        fields = self.fields(count, port)
        pinned = f"taskset -c {cpus} " if cpus else ""
        return [word.format_map(fields) for word in shlex.split(f"{pinned}{text}")]
