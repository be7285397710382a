"""The values of options of `virtometer time`, as the plan and its commands take them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from virtometer.cli.parts.shares import share_option
from virtometer.cli.parts.times import seconds_option
from virtometer.errors import UsageError
from virtometer.model import parse_size
from virtometer.workloads.command import ENVIRONMENT

_TAKEN = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM")
"""Variables of the caller that commands have everywhere. No other one: reports would show what is secret."""

MOST_WARM_UPS = 10_000


def changed_fields(margin: str | None, precision: str | None, budget: str | None) -> dict[str, float]:
    """Fields of the plan that options replace."""
    shares = (("margin", margin), ("precision", precision))
    made = {name: share_option(f"--{name}", text) for name, text in shares if text is not None}
    seconds = seconds_of("--budget", budget)
    return made if seconds is None else {**made, "budget_s": seconds}


def size_of(text: str | None) -> str | None:
    """A size as a plan takes it. Raises UsageError for what is none."""
    try:
        parse_size(text)
    except ValueError as cause:
        raise UsageError(f"--memory is {text}, but {cause}") from cause
    return text


def seconds_of(option: str, text: str | None) -> float | None:
    """The seconds of a time such as 5m; None where it is not given."""
    return None if text is None else seconds_option(option, text)


def warm_ups_of(number: int | None) -> int | None:
    """Runs before the timed ones: there is always one, which shows the answer. Raises UsageError for what is none."""
    if number is None or 0 <= number <= MOST_WARM_UPS:
        return None if number is None else max(number, 1)
    raise UsageError(f"--warmup is {number}, but must be from 0 to {MOST_WARM_UPS:,}")


def output_of(given: str) -> dict[str, str]:
    """Parameters of the workload for what becomes of the output. Raises UsageError for what is no such thing.

    A file needs a slash, so that a wrong word is not taken for one.
    """
    if given == "pipe":
        return {"output": "digest"}
    if given == "null":
        return {"output": "null"}
    if "/" not in given or given.endswith("/") or "\0" in given:
        raise UsageError(
            f"--output is {given!r}, but must be pipe, null or a file with its directory",
            advice="for example: --output ./printed",
        )
    return {"output_file": given}


def variables_of(given: Sequence[str], of_image: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """The environment of commands: some of the caller's variables or those of an image, and those that --env gives."""
    made = {"PATH": ENVIRONMENT["PATH"], "HOME": str(Path("~").expanduser())}
    made |= {name: os.environ[name] for name in _TAKEN if name in os.environ}
    made = made if of_image is None else dict(of_image)
    for one in given:
        name, equals, value = one.partition("=")
        if not name:
            raise UsageError(f"--env {one!r} has no name", advice="for example: --env OMP_NUM_THREADS=2")
        if equals:
            made[name] = value
        elif name in os.environ:
            made[name] = os.environ[name]
        else:
            raise UsageError(f"--env {name} takes your variable {name}, and you have none")
    return made
