"""Options of `virtometer time` that do not fit each other. PURE."""

from __future__ import annotations

from collections.abc import Mapping

from virtometer.errors import UsageError

_RUNS = ("--runs", "--min-runs", "--max-runs")
_BESIDE = ("--image", "--user", "--volume", "--setup", "--prepare", "--conclude", "--cleanup")
_LIMITS = ("--ulimit", "--cpus", "--memory", "--cpuset-cpus", "--security-opt")
# By option: others that cannot stand beside it, and why.
_EXCLUDED: Mapping[str, tuple[tuple[str, ...], str]] = {
    "--cold": ((*_RUNS, "--warmup"), "each guest runs the command once"),
    "--value": (
        (*_RUNS, "--cold", "--relative-to-empty", "--show-output"),
        "each guest runs the command once in a block, and a value is no time",
    ),
    "--enter": (("--cold",), "a cold guest ends with its first command"),
    "--profile": (
        ("--cold", "--value", "--cache cold", "--tty", *_BESIDE, *_LIMITS),
        "it counts what a command does by further runs natively, which have no such thing",
    ),
    "--cache cold": (
        ("--tty", *_BESIDE),
        "it finds the files of a command by one more run natively, which has no such thing",
    ),
}


def refuse_excluded(given: Mapping[str, object]) -> None:
    """Raise UsageError for two options that exclude each other. given: by option; None, false and empty: it is not."""
    there = {option for option, value in given.items() if value is not None and value is not False and value != []}
    for option, (others, why) in _EXCLUDED.items():
        for other in others:
            if {option, other} <= there:
                raise UsageError(f"{option} cannot stand beside {other}: {why}", advice="leave one out")
