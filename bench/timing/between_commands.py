"""How precise the ratio of two commands is, where they take turns and where one follows the other. In pairs.

    python -m bench.timing.between_commands [--pairs 6] [--seconds 0.015] [--pause 2]

The two commands are the same loop of C, so that each ratio is 1. Each campaign is one of `virtometer time`, of six
blocks and native guests. The two campaigns of a pair differ in `turns` alone and come in alternating order. Beside
them as many busy loops as there are processors come and go: each works and pauses for random times of `--pause` s in
the mean; 0 is a host without them. The deviation is the root of the mean square of the logs of the ratios of all blocks
and both environments. The ratio of a block is made in three ways: of total times; of rounds in which both commands
had a turn in the same guest, without the extreme ones; and of the times that the report shows of each command.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import yaml

from bench.campaigns import plan_of, run
from bench.timing.loops import Loops, loops
from virtometer.analysis import analyse
from virtometer.analysis.compare.blocks import logs_by_block
from virtometer.analysis.compare.command_values import command_values
from virtometer.analysis.compare.commands import rounds_of
from virtometer.analysis.conclude import comparisons
from virtometer.analysis.score import typical
from virtometer.cli.plan.files import TIME, built_in
from virtometer.cli.timing.commands import Command
from virtometer.cli.timing.plan import document, text_of

WAYS = ("guests", "commands")
PLACES = ("native", "again")
COMMANDS = ("first", "second")
_BUSY = """
import random, sys, time
while True:
    until = time.monotonic() + random.expovariate(1 / float(sys.argv[1]))
    while time.monotonic() < until:
        pass
    time.sleep(random.expovariate(1 / float(sys.argv[1])))
"""


def plan_text(of: Loops, seconds: float, turns: str) -> str:
    """The plan of one campaign, as `virtometer time` makes it."""
    plan: dict[str, Any] = yaml.safe_load(built_in(TIME).read_text())
    del plan["budget_s"]
    plan["environments"] = [{"name": name, "kind": "native"} for name in PLACES]
    words = tuple(of.words(seconds))
    made = document(plan, [Command(name, words) for name in COMMANDS], {}, [seconds] * 2)
    return text_of(made | {"turns": turns}, "bench")


@contextmanager
def busy(pause_s: float) -> Iterator[None]:
    """Busy loops that come and go, one for each processor."""
    words = [sys.executable, "-c", _BUSY, str(pause_s)]
    processes = [subprocess.Popen(words) for _ in range(len(os.sched_getaffinity(0)) if pause_s else 0)]
    try:
        yield
    finally:
        for one in processes:
            one.kill()
            one.wait()


def ratios(text: str, seed: int) -> dict[str, list[float]]:
    """Logs of the ratios of one campaign, for each block of each environment, by how they are made."""
    campaign = run(plan_of(text), seed, text).campaign
    of = analyse(campaign).treatments
    shown = command_values(COMMANDS, of, comparisons(campaign, of), campaign.plan.baseline)
    found: dict[str, list[float]] = {"totals": [], "rounds": [], "shown": []}
    for name in PLACES:
        first, second = (of[command, name] for command in COMMANDS)
        found["totals"] += logs_by_block(second.values, first.values, "higher").values()
        found["rounds"] += typical.logs_by_block(rounds_of(second), rounds_of(first), "higher").values()
        found["shown"] += logs_by_block(shown[second.key], shown[first.key], "higher").values()
    return found


def main() -> None:
    """Print the deviation of each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=0.015)
    parser.add_argument("--pause", type=float, default=2.0)
    given = parser.parse_args()
    found: dict[tuple[str, str], list[float]] = {}
    with loops() as of, busy(given.pause):
        for pair in range(given.pairs):
            for way in random.sample(WAYS, len(WAYS)):
                for made, logs in ratios(plan_text(of, given.seconds, way), pair).items():
                    found.setdefault((way, made), []).extend(logs)
            for (way, made), logs in sorted(found.items()):
                print(
                    f"{pair + 1} pairs, {way} in turns, {made}: {len(logs)} ratios, {_deviation(logs):.2%}", flush=True
                )


def _deviation(logs: list[float]) -> float:
    return math.sqrt(statistics.fmean(one * one for one in logs))


if __name__ == "__main__":
    main()
