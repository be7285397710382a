"""The plan that measures what operations of commands cost, in the environments of their own campaign."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from virtometer.analysis.profile.counts import Counts
from virtometer.analysis.profile.operations import needed
from virtometer.model import MIN_BLOCKS

_SECONDS = 0.5
"""Of each operation in each guest, without pauses: some kinds are faster at first, and commands are longer."""

_AS_COMMANDS = {"pin": "none"}
"""A command has all processors of its guest. On one processor alone a guest would answer it faster."""

_FILE = Path("/bin/sh")
"""Each system has it, of some 100 KiB: for look-ups and reads."""


def operations_plan(plan: Mapping[str, Any], counts: Mapping[str, Counts]) -> dict[str, Any]:
    """The plan, of the one that times the commands. counts: of all commands, by name.

    Each operation that could explain 1 % of a command is measured once in each of six blocks: an interval takes six.
    Its windows are long ones, and its processors those of commands, so that guests work as they do for a command.
    """
    file = str(_FILE.resolve())
    workloads = [
        {
            "name": name,
            "workload": "os",
            "op": priced.op,
            "parameters": {**priced.values(of, file), **_AS_COMMANDS},
            "scheduling": "continuous",
        }
        for name, (priced, of) in needed(counts.values()).items()
    ]
    return {
        "virtometer": plan["virtometer"],
        "name": "profile",
        "question": "What do the operations of these commands cost elsewhere?",
        "baseline": plan["baseline"],
        "environments": plan["environments"],
        "unavailable": plan["unavailable"],
        "workloads": workloads,
        "blocks": MIN_BLOCKS,
        "seconds": _SECONDS,
        "fresh": "block",
        "control": False,
        "limits": plan["limits"],
    }
