"""What one run of a command did on the host itself, counted. PURE."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from virtometer.analysis.profile import calls as of_calls
from virtometer.errors import StorageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Of one command and all that it waited for.

    classes: system calls by class. calls: by name. sent, received: bytes through sockets. read_by_calls: bytes that
    calls read from files, whether from a disk or from memory. All that follow are of a second run without strace.
    wall_s, user_s, system_s: its times. minor_faults, major_faults: page faults. waits: voluntary switches. preempted:
    involuntary ones. read, written: bytes from and to disks. counted_s: the wall time of the counted run. start_faults:
    page faults of an empty program.
    """

    classes: Mapping[str, int]
    calls: Mapping[str, int]
    sent: int
    received: int
    read_by_calls: int
    wall_s: float
    user_s: float
    system_s: float
    minor_faults: int
    major_faults: int
    waits: int
    preempted: int
    read: int
    written: int
    counted_s: float
    start_faults: int

    @property
    def system_calls(self) -> int:
        """Of all classes."""
        return sum(self.calls.values())

    @property
    def slowed(self) -> float:
        """How many times as long the counted run took."""
        return self.counted_s / self.wall_s

    @property
    def busy_processors(self) -> float:
        """How many processors it kept busy, 1 at least: so much of its work overlaps."""
        return max(1.0, (self.user_s + self.system_s) / self.wall_s)

    @property
    def read_size(self) -> int:
        """The mean bytes of a read, as a power of two from 8 B to 64 KiB."""
        number = self.classes.get(of_calls.READ, 0)
        mean = self.read_by_calls / number if number else 0.0
        return 1 << min(max(round(math.log2(max(mean, 8.0))), 3), 16)

    @classmethod
    def text_of(cls, of: Mapping[str, Counts]) -> str:
        """Of all commands, by name, as JSON."""
        made = {name: dataclasses.asdict(one) for name, one in of.items()}
        return json.dumps({"profile": 1, "commands": made}, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def read_all(cls, text: str, name: str) -> dict[str, Counts]:
        """What `text_of` made. Raises StorageError for anything else. name: of the file, for messages."""
        try:
            whole = json.loads(text)
            if whole["profile"] != 1:
                raise ValueError("it has another form")
            return {command: _counts(one) for command, one in whole["commands"].items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as cause:
            raise StorageError(f"{name} is no profile: {cause}", advice="remove it, and profile again") from cause


def _counts(of: Mapping[str, Any]) -> Counts:
    made = {}
    for field in fields(Counts):
        value = of[field.name]
        parts = value.values() if isinstance(value, dict) else [value]
        if isinstance(value, dict) != (field.name in ("classes", "calls")):
            raise ValueError(f"{field.name} is of another type")
        for part in parts:
            if isinstance(part, bool) or not isinstance(part, int | float) or not 0 <= part < math.inf:
                raise ValueError(f"{field.name} is no number from 0")
        made[field.name] = value
    if not (made["wall_s"] > 0 and made["counted_s"] > 0):
        raise ValueError("a run took no time")
    return Counts(**made)
