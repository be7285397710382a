"""How long `virtometer analyse` takes for a large table, and how much memory.

    python -m bench.analyse_speed [--treatments 100000] [--blocks 3] [--repeat 3] [--against CHECKOUT]

A table is made up: each block has every treatment once, in random order. New processes print its findings as a table
and as JSON. A line has the shortest wall time, the least processor time and the largest memory of the processes; `met`
or `MISSED` says whether 100,000 treatments in three blocks take less than 10 s. A file without end must be refused
within 1 s. Goals are for an idle machine: on a busy one only the processor time means something.

With --against another checkout does the same in turns with this one: the line has its numbers too, and this one's
divided by them. Both must print the same.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from pathlib import Path

from bench.process_cost import Goal, arguments_of, in_turns

BASELINE = "treatment 0"
GOAL_S, REFUSED_S = 10.0, 1.0


def write(path: Path, treatments: int, blocks: int) -> None:
    """Make the table; the same at each call."""
    draw = random.Random(1)
    level = [100 * draw.lognormvariate(0, 0.1) for _ in range(treatments)]
    with path.open("w", encoding="utf-8") as file:
        file.write("block,treatment,metric,unit,better,value\n")
        for block in range(blocks):
            for number in draw.sample(range(treatments), treatments):
                value = level[number] * math.exp(draw.gauss(0, 0.03))
                file.write(f"{block},treatment {number},rate,1/s,higher,{value:.6g}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--treatments", type=int, default=100_000)
    parser.add_argument("--blocks", type=int, default=3)
    arguments = arguments_of(parser)
    missed = False
    with tempfile.TemporaryDirectory(prefix="virtometer-tables-") as folder:
        table = Path(folder) / "table.csv"
        write(table, arguments.treatments, arguments.blocks)
        for name, given, goal_s, status in (
            ("table", [str(table), "--against", BASELINE], GOAL_S, 0),
            ("json", [str(table), "--against", BASELINE, "--json"], GOAL_S, 0),
            ("a file without end", ["/dev/zero", "--against", BASELINE], REFUSED_S, 2),
        ):
            words = ["analyse", *given]
            cost, _, said = in_turns(words, Path(folder), arguments.repeat, arguments.against, status)
            goal = Goal(f"{goal_s:g} s", cost.wall_s <= goal_s)
            missed |= not goal.met
            print(f"analyse: {name}: {cost}{goal}{said}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
