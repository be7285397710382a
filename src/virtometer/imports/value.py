"""One value of a file, and what it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from virtometer.model import Better


class Origin(StrEnum):
    """What one value is of."""

    START = "start"
    """A start of a program; each is independent of the others."""

    REPETITION = "repetition"
    """A repetition within one process."""

    RUN = "run"
    """A whole run, over all its requests or its whole time."""

    SUMMARY = "summary"
    """Several runs: the tool has written their mean, and not the values of the runs."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A result of a file of which no value is read. benchmark: its name. reason: why, as a clause."""

    benchmark: str
    reason: str


@dataclass(frozen=True, slots=True)
class Value:
    """A value in the base unit (s, B/s, 1/s, B), in the order of execution.

    value: None where the run failed or was not counted. start: the process of the file that measured it, from 1.
    environment: where the file itself names its environments, else empty.
    """

    benchmark: str
    metric: str
    unit: str
    better: Better
    value: float | None
    origin: Origin
    start: int = 1
    environment: str = ""
