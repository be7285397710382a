"""The plan that `virtometer time` makes of the built-in one, the commands and how long they take. PURE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from virtometer.cli.timing.commands import Command
from virtometer.visible import visible

QUICK_S = 0.012
"""Of commands that take less, a slice has several runs; the first one does not count."""
LONG_S = 0.1
"""Commands that take longer run once in each block."""

_QUICK_SLICE_S = 0.06  # five runs natively, and more than one where they take some times as long
_QUICK_S = 0.5  # a window of eight such slices
_LONG_WINDOW_S = 0.001  # over with the first run
_SLOWER = 200  # than natively, at most
_LONGEST_S = 3600.0
_COLD = {"first_counts": True}


def document(
    plan: Mapping[str, Any],
    commands: Sequence[Command],
    parameters: Mapping[str, Any],
    lengths_s: Sequence[float] = (),
    runs: Sequence[int | None] = (),
    extra_s: float = 0.0,
    *,
    cold: bool = False,
    own: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A plan with these commands as its workloads. lengths_s: how long each takes natively, as far as it is known.
    cold: each run has a guest of its own. own: parameters of each command, beside those of all.

    runs: of each, where their number is given. extra_s: what preparing the slowest of them took natively.
    Short commands run in turns, in slices of one run each; very short ones in slices of several runs. Long ones run
    once in each block. docs/methods/commands.md has the reasons.
    """
    known_s = [*lengths_s, *[0.0] * (len(commands) - len(lengths_s))]
    counted = [*runs, *[None] * (len(commands) - len(runs))]
    blocks = min([plan["blocks"], *(number for number in counted if number is not None)])
    in_slices = [seconds for seconds, number in zip(lengths_s, counted, strict=False) if number is None]
    quick = not cold and any(seconds < QUICK_S for seconds in in_slices)
    each_s = [seconds * -(-(number or 1) // blocks) for seconds, number in zip(known_s, counted, strict=True)]
    usual_s = plan["limits"]["run_extra_s"]
    each = [{**parameters, **more, **(_COLD if cold else {})} for more in own or [{}] * len(commands)]
    of_length = [LONG_S if cold else seconds for seconds in known_s]
    return {
        **plan,
        "workloads": [_workload(*one) for one in zip(commands, each, of_length, counted, each_s, strict=True)],
        "blocks": blocks,
        **({"fresh": "trial"} if cold else {}),
        **({"slice_s": _QUICK_SLICE_S, "seconds": _QUICK_S} if quick else {}),
        "limits": {
            "prepare_s": min(usual_s + _SLOWER * max(*known_s, extra_s), _LONGEST_S),
            "run_extra_s": min(usual_s + _SLOWER * max(each_s), _LONGEST_S),
        },
    }


def text_of(plan: Mapping[str, Any], line: str) -> str:
    """The plan as a file. line: the command line that it was made from."""
    body = yaml.safe_dump(dict(plan), sort_keys=False, allow_unicode=True, width=110)
    return f"# Made by: {visible(' '.join(line.split()))}\n{body}"


def least_s(plan: Mapping[str, Any], lengths_s: Sequence[float], starts_s: Mapping[str, float]) -> float:
    """How long the blocks of a plan take at least, in s, if no environment is slower than the host itself.

    starts_s: what the start of a guest of each environment usually takes. The baseline has two guests. A guest runs a
    long command once more, to see its answer; of cold commands each run has a guest of its own, and is the only one.
    """
    cold = plan.get("fresh") == "trial"
    guests = [*plan["environments"], *(one for one in plan["environments"] if one["name"] == plan["baseline"])]
    starting_s = sum(starts_s.get(one["name"], 0.0) for one in guests) * (len(lengths_s) if cold else 1)
    each_s = sum(seconds if cold else 2 * seconds if seconds >= LONG_S else plan["seconds"] for seconds in lengths_s)
    return float(plan["blocks"] * (starting_s + len(guests) * each_s))


def _workload(
    command: Command, parameters: Mapping[str, Any], length_s: float, runs: int | None, block_s: float
) -> dict[str, Any]:
    """runs: their number, where it is given. block_s: how long those of a block take natively."""
    made: dict[str, Any] = {
        "name": command.name,
        "workload": "command",
        "op": "time",
        "parameters": {"command": command.line, **parameters},
    }
    if runs is not None:
        made |= {"runs": runs, "seconds": min(max(block_s, _LONG_WINDOW_S), _LONGEST_S)}
        if length_s < QUICK_S:  # each run follows the work of others
            made["parameters"]["warm_each"] = True
    elif length_s >= LONG_S:
        made |= {"seconds": _LONG_WINDOW_S, "scheduling": "continuous"}
    return made
