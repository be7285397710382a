"""What one run of a command takes in each block, so that the ratio of two environments is the efficiency beside it.

The total of a block is moved by a run that stalls; a ratio of typical rounds is not, and the verdict is about that. The
baseline's value is then typical in the same way: the trimmed mean over its rounds. Another environment's value is the
baseline's one by the ratio of the rounds that both had, so that noise that both share is in neither.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from virtometer.analysis.compare.blocks import Key, TreatmentData, beside
from virtometer.analysis.compare.ratios import Ratios
from virtometer.analysis.score import typical

_ENOUGH = 5  # rounds, as of a typical ratio


def command_values(
    names: Collection[str], table: Mapping[Key, TreatmentData], compared: Mapping[Key, Ratios], baseline: str
) -> dict[Key, dict[int, float]]:
    """By workload and environment, then by block, in the unit of the treatment. `names`: the commands.

    `compared`: the ratios of the treatments of `table`. Where no comparison of a command is by typical ratios, and
    where long windows count, the values are the totals.
    """
    found = {key: data.values for key, data in table.items() if key[0] in names}
    for name in names:
        ratios = {key: of for key, of in compared.items() if key[0] == name and of.decisive}
        base = table.get((name, baseline))
        if base is None or not any(of.by == "typical" for of in ratios.values()) or _in_windows(name, table):
            continue
        found[base.key] = _typical(base)
        for key, of in ratios.items():
            shape = table[key].shape
            sign = 1 if shape is None or shape[2] == "higher" else -1
            there = _typical(beside(table[key], base))
            found[key] = {block: there[block] * math.exp(sign * log) for block, log in of.decisive.items()}
    return found


def _in_windows(name: str, table: Mapping[Key, TreatmentData]) -> bool:
    return any(data.long_blocks for key, data in table.items() if key[0] == name)


def _typical(data: TreatmentData) -> dict[int, float]:
    """The trimmed mean over the rounds of all guests, of their logarithms; of a block with few rounds its total."""
    found = dict(data.values)
    for block, guests in data.rounds.items():
        logs = [math.log(value) for one in guests for value in one.values()]
        if len(logs) >= _ENOUGH:
            found[block] = math.exp(typical.trimmed_mean(logs))
    return found
