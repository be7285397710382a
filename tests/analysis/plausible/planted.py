"""Clean tables with the structures of published ones, and fifteen kinds of errors planted in them.

All numbers are made here from random speeds; none is of a study. A table is made of printed texts, as a study has them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

Place = tuple[int, int]
SYSTEMS = ("native 32", "native 64", "container 32", "container 64", "machine 32", "machine 64", "emulator", "sandbox")


@dataclass
class Made:
    """A table as text. kinds: of each column. planted: cells that are wrong; column -1 stands for a whole row."""

    rows: list[str]
    columns: list[str]
    cells: list[list[str]]
    planted: set[Place] = field(default_factory=set)

    def csv(self, separator: str = ",") -> bytes:
        """The text of the file."""
        lines = [["", *self.columns], *([label, *cells] for label, cells in zip(self.rows, self.cells, strict=True))]
        return "\n".join(separator.join(line) for line in lines).encode()

    def value(self, place: Place) -> float:
        """The number of a cell."""
        return float(self.cells[place[0]][place[1]])


def shown(value: float, digits: int = 4) -> str:
    """A number with about so many digits, at most three after the point."""
    whole = len(str(int(abs(value))))
    return f"{value:.{max(0, min(3, digits - whole))}f}"


def noise(chance: random.Random, share: float = 0.01) -> float:
    return 1 + chance.gauss(0, share)


def some_systems(chance: random.Random, least: int = 3, most: int = 8) -> list[str]:
    return list(SYSTEMS[: chance.randint(least, most)])


def times(chance: random.Random) -> Made:
    """Seconds of each size of a problem, by system."""
    systems = some_systems(chance)
    sizes = [1000, 2000, 4000, 8000, 16000][: chance.randint(4, 5)]
    power, first = chance.uniform(1.8, 3.1), chance.uniform(0.2, 30)
    factors = [chance.uniform(0.8, 1.6) for _ in systems]
    cells = [
        [shown(first * (size / 1000) ** power * factor * noise(chance), 5) for factor in factors] for size in sizes
    ]
    return Made([f"{size} x {size}" for size in sizes], systems, cells)


def rates(chance: random.Random) -> Made:
    """Throughput of operations, by system."""
    systems = some_systems(chance, 4)
    rows = ["sequential write", "sequential read", "random write", "random read", "copy", "rewrite"][
        : chance.randint(4, 6)
    ]
    speeds, factors = [chance.uniform(10, 900) for _ in rows], [chance.uniform(0.4, 1.05) for _ in systems]
    cells = [[shown(speed * factor * noise(chance, 0.015), 5) for factor in factors] for speed in speeds]
    return Made(rows, systems, cells)


def with_mean(chance: random.Random) -> Made:
    """Operations on memory, with their average as the last row."""
    systems = some_systems(chance)
    rows = ["copy", "scale", "add", "triad"]
    factors = [chance.uniform(0.5, 1.1) for _ in systems]
    speeds = [chance.uniform(900, 5000) for _ in rows]
    numbers = [[round(speed * factor * noise(chance, 0.02), 2) for factor in factors] for speed in speeds]
    mean = [sum(column) / len(rows) for column in zip(*numbers, strict=True)]
    cells = [[f"{value:.2f}" for value in row] for row in [*numbers, mean]]
    return Made([*rows, "AVERAGE"], systems, cells)


def with_sum(chance: random.Random) -> Made:
    """Guests that work at the same time: their rates, the sum, the mean, the deviation, and what was expected."""
    rows = ["sequential read", "sequential write", "random read", "random write", "copy"][: chance.randint(4, 5)]
    guests = chance.randint(3, 4)
    cells = []
    for _ in rows:
        speed = chance.uniform(20, 400)
        values = [round(speed * noise(chance, 0.05), 2) for _ in range(guests)]
        two = round(speed * 2 * noise(chance, 0.03), 2)
        mean = sum(values) / guests
        deviation = (sum((one - mean) ** 2 for one in values) / (guests - 1)) ** 0.5
        cells.append(
            [
                *(f"{one:.2f}" for one in values),
                f"{sum(values):.2f}",
                f"{mean:.2f}",
                f"{deviation:.2f}",
                f"{two:.2f}",
                f"{two * 1.5:.2f}",
            ]
        )
    names = [f"VM {number + 1}" for number in range(guests)]
    return Made(rows, [*names, "sum", "mean", "sd", "two guests", "expected"], cells)


def network(chance: random.Random) -> Made:
    """Throughput, CPU use and service demand: demand = CPU share x 2 / throughput."""
    rows = [f"{one} to {other}" for one in ("host", "guest", "dom0") for other in ("host", "guest", "dom0")][
        : chance.randint(6, 9)
    ]
    cells = []
    for _ in rows:
        rate, local, remote = chance.uniform(60, 900), chance.uniform(10, 95), chance.uniform(10, 95)
        demand = [use / 100 * 2 / (rate * 1024) * 1e6 for use in (local, remote)]
        cells.append([f"{rate:.2f}", f"{local:.2f}", f"{remote:.2f}", *(f"{one:.3f}" for one in demand)])
    return Made(
        rows,
        ["throughput (MB/s)", "CPU local (%)", "CPU remote (%)", "demand local (us/KB)", "demand remote (us/KB)"],
        cells,
    )


def percentages(chance: random.Random) -> Made:
    """A guest beside native, with its efficiency in per cent."""
    rows = ["context switch", "fork", "exec", "pipe", "page fault", "file read", "file write"][: chance.randint(5, 7)]
    cells = []
    for _ in rows:
        native = round(chance.uniform(50, 4000), 1)
        guest = round(native * chance.uniform(0.3, 0.99), 1)
        cells.append([f"{native:.1f}", f"{guest:.1f}", f"{100 * guest / native:.1f}"])
    return Made(rows, ["native", "guest", "efficiency (%)"], cells)


def differences(chance: random.Random) -> Made:
    """What guests lose, as negative numbers: change in per cent."""
    rows = ["int", "float", "disk", "network", "memory", "fork"][: chance.randint(5, 6)]
    systems = some_systems(chance, 3, 5)[1:]
    cells = []
    for _ in rows:
        native = round(chance.uniform(100, 900), 1)
        line = [f"{native:.1f}"]
        for _ in systems:
            line.append(f"{-chance.uniform(4, 60):.2f}")
        cells.append(line)
    return Made(rows, ["native", *(f"change {one} (%)" for one in systems)], cells)


def ranking(chance: random.Random) -> Made:
    """Systems with a score and their rank."""
    systems = some_systems(chance, 5)
    scores = [chance.uniform(20, 99) for _ in systems]
    ranks = [1 + sum(other > one for other in scores) for one in scores]
    return Made(
        systems, ["score", "rank"], [[f"{score:.2f}", str(rank)] for score, rank in zip(scores, ranks, strict=True)]
    )


def ranges(chance: random.Random) -> Made:
    """Values with the lowest and the highest of their runs."""
    rows = some_systems(chance, 4)
    cells = []
    for _ in rows:
        value = chance.uniform(10, 500)
        low, high = value * (1 - chance.uniform(0.01, 0.1)), value * (1 + chance.uniform(0.01, 0.1))
        cells.append([f"{value:.2f}", f"{low:.2f}", f"{high:.2f}"])
    return Made(rows, ["value", "low", "high"], cells)


def processes(chance: random.Random) -> Made:
    """Seconds of a parallel program: fewer with more processes, and what was expected from one."""
    systems = some_systems(chance, 3, 5)
    counts = [1, 2, 4, 8, 16][: chance.randint(4, 5)]
    first = [chance.uniform(100, 900) for _ in systems]
    cells = [
        [shown(one / count ** chance.uniform(0.9, 0.97) * noise(chance, 0.005), 5) for one in first] for count in counts
    ]
    return Made([str(count) for count in counts], systems, cells)


CLEAN: dict[str, Callable[[random.Random], Made]] = {
    made.__name__: made
    for made in (times, rates, with_mean, with_sum, network, percentages, differences, ranking, ranges, processes)
}


def change(of: Made, place: Place, value: float) -> None:
    """Print another number, with as many digits."""
    old = of.cells[place[0]][place[1]]
    decimals = len(old.partition(".")[2])
    of.cells[place[0]][place[1]] = f"{value:.{decimals}f}"
    of.planted.add(place)


def _column(of: Made, name: str) -> int:
    return next(at for at, one in enumerate(of.columns) if name in one)


def _off(chance: random.Random) -> float:
    """A factor that is 3 % to 40 % away from 1."""
    return 1 + chance.choice((-1, 1)) * chance.uniform(0.03, 0.4)


def wrong_mean(chance: random.Random) -> Made:
    of = with_mean(chance)
    place = len(of.rows) - 1, chance.randrange(len(of.columns))
    change(of, place, of.value(place) * _off(chance))
    return of


def _in_column(name: str, of: Made, chance: random.Random, factor: float) -> Made:
    place = chance.randrange(len(of.rows)), _column(of, name)
    change(of, place, of.value(place) * factor)
    return of


def wrong_sum(chance: random.Random) -> Made:
    return _in_column("sum", with_sum(chance), chance, _off(chance))


def wrong_expected(chance: random.Random) -> Made:
    return _in_column("expected", with_sum(chance), chance, _off(chance))


def above_limit(chance: random.Random) -> Made:
    of = percentages(chance)
    place = chance.randrange(len(of.rows)), 2
    change(of, place, chance.uniform(104, 250))
    return of


def _measured(chance: random.Random) -> Made:
    return chance.choice((times, rates, with_mean, with_sum, processes))(chance)


def _cells(of: Made) -> list[Place]:
    derived = {"AVERAGE", "sum", "mean", "sd", "expected"}
    return [
        (row, column)
        for row, label in enumerate(of.rows)
        for column, name in enumerate(of.columns)
        if label not in derived and name not in derived
    ]


def slipped_point(chance: random.Random) -> Made:
    of = _measured(chance)
    place = chance.choice(_cells(of))
    old = of.cells[place[0]][place[1]]
    factor = chance.choice((10, 100, 1000))
    value = float(old) * factor if chance.random() < 0.5 else float(old) / factor
    of.cells[place[0]][place[1]] = f"{value:.6g}"
    of.planted.add(place)
    return of


def exchanged(chance: random.Random) -> Made:
    while True:
        of = _measured(chance)
        cells = set(_cells(of))
        one = chance.choice(sorted(cells))
        other = chance.choice([(one[0] + 1, one[1]), (one[0], one[1] + 1)])
        if other in cells and abs(of.value(one) / of.value(other) - 1) > 0.15:
            a, b = of.cells[one[0]][one[1]], of.cells[other[0]][other[1]]
            of.cells[one[0]][one[1]], of.cells[other[0]][other[1]] = b, a
            of.planted |= {one, other}
            return of


def duplicated(chance: random.Random) -> Made:
    of = chance.choice((times, rates, network, percentages, with_sum))(chance)
    row = chance.randrange(1, len(of.rows))
    of.cells[row] = list(of.cells[row - 1])
    of.planted.add((row, -1))
    return of


def contradicts(chance: random.Random) -> Made:
    of = network(chance)
    place = chance.randrange(len(of.rows)), chance.randrange(1, len(of.columns))
    change(of, place, of.value(place) * (1 + chance.choice((-1, 1)) * chance.uniform(0.08, 0.4)))
    return of


def broken_order(chance: random.Random) -> Made:
    of = times(chance)
    row, column = chance.randrange(2, len(of.rows)), chance.randrange(len(of.columns))
    change(of, (row, column), min(of.value((one, column)) for one in range(row)) * chance.uniform(0.5, 0.95))
    return of


def wrong_percentage(chance: random.Random) -> Made:
    of = percentages(chance)
    place = chance.randrange(len(of.rows)), 2
    change(of, place, min(99.9, of.value(place) * _off(chance)))
    return of


def wrong_rank(chance: random.Random) -> Made:
    of = ranking(chance)
    place = chance.randrange(len(of.rows)), 1
    others = [rank for rank in range(1, len(of.rows) + 1) if rank != of.value(place)]
    change(of, place, chance.choice(others))
    return of


def repeated(chance: random.Random) -> Made:
    while True:
        of = chance.choice((times, rates, with_mean))(chance)
        cells = set(_cells(of))
        one = chance.choice(sorted(cells))
        other = chance.choice([(one[0] + 1, one[1]), (one[0], one[1] + 1)])
        if other in cells and of.cells[one[0]][one[1]] != of.cells[other[0]][other[1]]:
            of.cells[other[0]][other[1]] = of.cells[one[0]][one[1]]
            of.planted.add(other)
            return of


def transposed(chance: random.Random) -> Made:
    """Two of the first three digits, so that the number changes by 5 % or more."""
    while True:
        of = _measured(chance)
        place = chance.choice(_cells(of))
        old = of.cells[place[0]][place[1]]
        digits = [at for at, char in enumerate(old) if char.isdigit()]
        first = chance.choice((0, 1))
        if len(digits) < 3 or old.startswith("0"):
            continue
        made = list(old)
        one, other = digits[first], digits[first + 1]
        made[one], made[other] = made[other], made[one]
        text = "".join(made)
        if abs(float(text) / float(old) - 1) > 0.05 and not text.startswith("0"):
            of.cells[place[0]][place[1]] = text
            of.planted.add(place)
            return of


def lost_sign(chance: random.Random) -> Made:
    of = differences(chance)
    place = chance.randrange(len(of.rows)), chance.randrange(1, len(of.columns))
    change(of, place, -of.value(place))
    return of


def reversed_range(chance: random.Random) -> Made:
    of = ranges(chance)
    row = chance.randrange(len(of.rows))
    of.cells[row][1], of.cells[row][2] = of.cells[row][2], of.cells[row][1]
    of.planted |= {(row, 1), (row, 2)}
    return of


PLANTED: dict[str, Callable[[random.Random], Made]] = {
    made.__name__: made
    for made in (
        wrong_mean, wrong_sum, wrong_expected, above_limit, slipped_point, exchanged, duplicated, contradicts,
        broken_order, wrong_percentage, wrong_rank, repeated, transposed, lost_sign, reversed_range,
    )
}  # fmt: skip
