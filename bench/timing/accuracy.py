"""The starter of commands beside hyperfine, and beside the least that starting a program takes. In alternating pairs.

    python -m bench.timing.accuracy [--pairs 21] [--seconds 0.05,1] [--runs 20,5]

Both time the same loop of C on the host: `hyperfine -N`, and the agent as `virtometer time` uses it, without its
output being thrown away. A pair is as many runs of each, one tool after the other, in alternating order. The ratio is
that of the means. Then the same for a loop of 2 ms beside posix_spawn and waitpid of a program in C, whose median is
the least; the difference of the medians is what the starter adds.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.timing.loops import Loops, loops
from virtometer.analysis.statistics.interval import interval
from virtometer.imports.reading import read
from virtometer.runner.lab.agent import agent_path

_SHORT_S = 0.002
_SHORT_RUNS = 200

Runs = Callable[[Sequence[str], int], list[float]]


def by_agent(words: Sequence[str], runs: int, seconds: float) -> list[float]:
    """Seconds of each run, by the agent. seconds: about how long one takes, for the window; more runs are left out."""
    program, *rest = words
    argv: list[str | Path] = [
        agent_path(),
        "measure",
        "command",
        "--op",
        "time",
        "--program",
        program,
        "--arguments",
        json.dumps(rest),
    ]
    argv += ["--seconds", f"{runs * seconds:.4f}", "--json"]
    answer = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
    return [1e-9 * (one["end_ns"] - one["start_ns"]) / one["work"] for one in answer["samples"]][:runs]


def by_hyperfine(words: Sequence[str], runs: int) -> list[float]:
    """Seconds of each run, by hyperfine 1 or 2 without a shell. FileNotFoundError where it is not installed."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "runs.json"
        options: list[str | Path] = [
            "-N",
            "--runs",
            str(runs),
            "--warmup",
            "1",
            "--style",
            "none",
            "--export-json",
            file,
        ]
        subprocess.run(["hyperfine", *options, " ".join(words)], capture_output=True, check=True)
        values = read(file.read_bytes(), file, "native").values
    return [one.value for one in values if one.metric == "time" and one.value is not None]


def _agent(seconds: float) -> Runs:
    return lambda words, runs: by_agent(words, runs, seconds)


def _starter(of: Loops) -> Runs:
    """By posix_spawn and waitpid alone."""

    def runs_of(words: Sequence[str], runs: int) -> list[float]:
        done = subprocess.run([of.starter, str(runs), *words], capture_output=True, text=True, check=True)
        return [float(line) for line in done.stdout.split()]

    return runs_of


def pairs(first: Runs, second: Runs, words: Sequence[str], runs: int, count: int) -> list[tuple[list[float], ...]]:
    """The runs of both tools, pair by pair: the other one begins in every second pair."""
    made: list[tuple[list[float], ...]] = []
    for number in range(count):
        if number % 2:
            later = second(words, runs)
            made.append((first(words, runs), later))
        else:
            made.append((first(words, runs), second(words, runs)))
    return made


def _ratio_text(logs: Sequence[float]) -> str:
    found = interval(logs)
    assert found is not None
    if found.low is None or found.high is None:
        return f"{found.value:.4f}"
    return f"{found.value:.4f} [{found.low:.4f}, {found.high:.4f}]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line for each length of command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--seconds", default="0.05,1", help="lengths of commands")
    parser.add_argument("--runs", default="20,5", help="of each tool in a pair, for each length")
    options = parser.parse_args(arguments)
    lengths = [float(one) for one in options.seconds.split(",")]
    counts = [int(one) for one in options.runs.split(",")]
    with loops() as of:
        for seconds, runs in zip(lengths, counts, strict=True):
            words = of.words(seconds)
            both = pairs(_agent(seconds), by_hyperfine, words, runs, options.pairs)
            means = [math.log(statistics.fmean(one) / statistics.fmean(other)) for one, other in both]
            medians = [math.log(statistics.median(one) / statistics.median(other)) for one, other in both]
            print(f"{seconds * 1e3:g} ms, {len(both)} pairs of {runs} runs, agent / hyperfine -N: means "
                  f"{_ratio_text(means)}, medians {_ratio_text(medians)}")  # fmt: skip
        words = of.words(_SHORT_S)
        both = pairs(_agent(_SHORT_S), _starter(of), words, _SHORT_RUNS, options.pairs)
        added = [1e6 * (statistics.median(one) - statistics.median(other)) for one, other in both]
        low, middle, high = statistics.quantiles(added)
        print(f"2 ms, {len(both)} pairs of {_SHORT_RUNS} runs, agent - posix_spawn: median {middle:.1f} us, "
              f"quartiles {low:.1f} and {high:.1f}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
