"""How long the host takes to start an empty program in a guest that lives, by the environment's own entry.

An agent on the host starts the entry as a command and times it, so that the same is done for every environment. The
guests take turns, in fresh random order. The empty program is the agent's own file in the guest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from virtometer.design.schedule.shuffle import Generator
from virtometer.environments.base import Environment, LabContext, Settings
from virtometer.environments.entry import GuestEntry
from virtometer.errors import EnvironmentFailed, MissingProgram
from virtometer.model import GuestKey
from virtometer.runner.guests.running import RunningGuest
from virtometer.visible import one_line

ROUNDS = 5
"""Entries of each guest that count. Before each is one that does not."""

_LIMIT_S = 10.0
_NOTHING = ("exit", "17")  # the agent's hidden argument, with which it ends at once, and the status that it ends with
_TAKEN = ("PATH", "HOME", "LANG", "XDG_RUNTIME_DIR", "DOCKER_CONFIG")  # of the laboratory's variables
_LONGEST = 300  # characters of a reason


def entered(
    lab: LabContext, guests: Mapping[GuestKey, tuple[Environment, RunningGuest, Settings]], generator: Generator
) -> dict[GuestKey, dict[str, Any]]:
    """Of each guest `way` and `seconds`, or the `reason` why there is none."""
    entries: dict[GuestKey, GuestEntry] = {}
    found: dict[GuestKey, dict[str, Any]] = {}
    for key, (environment, guest, settings) in guests.items():
        try:
            entry = environment.entry(guest.guest, settings)
        except (EnvironmentFailed, MissingProgram) as cause:
            found[key] = {"reason": f"cannot be entered here: {cause.sentence}"}
            continue
        if isinstance(entry, GuestEntry):
            entries[key], found[key] = entry, {"way": entry.way, "seconds": []}
        else:
            found[key] = {"reason": entry.reason}
    for _ in range(ROUNDS):
        for key in generator.shuffled(list(entries)):
            if "seconds" in found[key]:
                try:
                    found[key]["seconds"].append(timed(lab, entries[key], f"enter {key.name} by {entries[key].way}"))
                except EnvironmentFailed as cause:
                    found[key] = {"way": entries[key].way, "reason": f"cannot be entered here: {cause.reason}"}
    return found


def timed(lab: LabContext, entry: GuestEntry, purpose: str) -> float:
    """Seconds of one entry, after one that does not count. Raises EnvironmentFailed with what it printed."""
    whole: list[str] = [*(str(word) for word in entry.words), entry.agent, _NOTHING[0]]
    program, words = whole[0], whole[1:]
    variables = {name: os.environ[name] for name in _TAKEN if name in os.environ}
    argv = [
        str(lab.agent), "measure", "command", "--op", "time", "--program", program, "--arguments", json.dumps(words),
        "--variables", json.dumps(variables), "--runs", "1", "--seconds", "0.001", "--ignore-failure",
        "--output-may-differ", "--limit-ms", str(round(_LIMIT_S * 1000)), "--json",
    ]  # fmt: skip
    run = lab.programs.run(argv, purpose=purpose, limit_s=3 * _LIMIT_S, whole=True)
    try:
        answer = json.loads(run.stdout)
        status, (sample,) = answer["conditions"]["status"], answer["samples"]
        took_s = (sample["end_ns"] - sample["start_ns"]) * 1e-9
    except (ValueError, KeyError, TypeError) as cause:
        raise EnvironmentFailed("the agent on the host did not report how long the entry took") from cause
    if status != _NOTHING[1]:
        again = lab.programs.run(whole, purpose=f"{purpose} once more", check=False, limit_s=_LIMIT_S)
        said = one_line((again.stderr or again.stdout).decode(errors="replace"))[-_LONGEST:]
        raise EnvironmentFailed(f"{program} ended with status {status}" + (f": {said}" if said else ""))
    return float(took_s)
