"""Further clean tables, with structures that the first generator lacks, and the errors that each can have.

Rows and columns exchanged, labels in German, decimal commas, units in cells, counts of runs, small and noisy tables.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.analysis.plausible.planted import Made, Place, noise, shown

SYSTEMS = ("native", "kvm", "qemu", "lxc", "podman", "uml")


def turned(chance: random.Random) -> Made:
    """Systems in rows, sizes in columns."""
    systems, sizes = SYSTEMS[: chance.randint(4, 6)], [1, 2, 4, 8, 16, 32][: chance.randint(4, 6)]
    first, power = chance.uniform(5, 400), chance.uniform(0.7, 1.4)
    factors = [chance.uniform(1, 2.5) for _ in systems]
    cells = [[shown(first * size**power * factor * noise(chance), 5) for size in sizes] for factor in factors]
    return Made([*systems], [f"{size} KB" for size in sizes], cells)


def sum_and_mean(chance: random.Random) -> Made:
    """Guests in columns with their sum; operations in rows with their mean."""
    rows, guests = ["read", "write", "copy", "fill", "rewrite"][: chance.randint(4, 5)], chance.randint(3, 5)
    numbers = []
    for _ in rows:
        speed = chance.uniform(40, 300)
        numbers.append([round(speed * noise(chance, 0.03), 2) for _ in range(guests)])
        numbers[-1].append(round(sum(numbers[-1]), 2))
    mean = [sum(column) / len(rows) for column in zip(*numbers, strict=True)]
    cells = [[f"{value:.2f}" for value in row] for row in [*numbers, mean]]
    return Made([*rows, "mean"], [*(f"guest {number + 1}" for number in range(guests)), "sum"], cells)


def german(chance: random.Random) -> Made:
    """Gäste mit Summe, Mittelwert und Soll."""
    rows = ["Lesen", "Schreiben", "Kopieren", "Suchen", "Anlegen"][: chance.randint(4, 5)]
    cells = []
    for _ in rows:
        speed = chance.uniform(20, 400)
        values = [round(speed * noise(chance, 0.04), 1) for _ in range(3)]
        single = round(speed * chance.uniform(1.8, 2.4), 1)
        cells.append([f"{one:.1f}" for one in [*values, sum(values), sum(values) / 3, single, single * 1.5]])
    return Made(rows, ["Gast 1", "Gast 2", "Gast 3", "Summe", "Mittelwert", "ein Gast", "Soll"], cells)


def runs(chance: random.Random) -> Made:
    """The number of runs, then seconds of each system."""
    systems, sizes = SYSTEMS[: chance.randint(3, 5)], [500, 1000, 2000, 4000, 8000][: chance.randint(4, 5)]
    first = chance.uniform(0.5, 9)
    factors = [chance.uniform(1, 1.8) for _ in systems]
    cells = [
        [str(count), *(shown(first * (size / 500) ** 2.2 * factor * noise(chance, 0.02), 5) for factor in factors)]
        for size, count in zip(sizes, (20, 10, 10, 5, 3), strict=False)
    ]
    return Made([f"{size}" for size in sizes], ["runs", *systems], cells)


def percent_signs(chance: random.Random) -> Made:
    """Rates of two systems, and the loss with a percent sign in each cell."""
    rows = ["fork", "exec", "pipe", "stat", "open", "mmap"][: chance.randint(5, 6)]
    cells = []
    for _ in rows:
        native = round(chance.uniform(100, 5000), 1)
        guest = round(native * chance.uniform(0.4, 0.95), 1)
        cells.append([f"{native:.1f}", f"{guest:.1f}", f"{100 * (1 - guest / native):.1f} %"])
    return Made(rows, ["native", "guest", "loss"], cells)


def commas(chance: random.Random) -> Made:
    """Numbers with a decimal comma; the separator is a semicolon."""
    systems, rows = SYSTEMS[: chance.randint(4, 6)], ["sequential", "random", "mixed", "append"]
    speeds, factors = [chance.uniform(10, 900) for _ in rows], [chance.uniform(0.4, 1) for _ in systems]
    cells = [
        [shown(speed * factor * noise(chance, 0.02), 5).replace(".", ",") for factor in factors] for speed in speeds
    ]
    return Made(rows, [*systems], cells)


def units(chance: random.Random) -> Made:
    """A unit in each cell."""
    systems, rows = SYSTEMS[: chance.randint(4, 6)], ["L1", "L2", "L3", "RAM"]
    factors = [chance.uniform(0.7, 1) for _ in systems]
    speeds = [chance.uniform(20000, 40000), chance.uniform(9000, 15000), chance.uniform(4000, 8000), 2000.0]
    cells = [[f"{speed * factor * noise(chance, 0.01):.1f} MB/s" for factor in factors] for speed in speeds]
    return Made(rows, [*systems], cells)


def small(chance: random.Random) -> Made:
    """Three rows and three columns."""
    factors = [chance.uniform(0.6, 1) for _ in range(3)]
    speeds = [chance.uniform(20, 900) for _ in range(3)]
    cells = [[shown(speed * factor * noise(chance), 5) for factor in factors] for speed in speeds]
    return Made(["read", "write", "copy"], [*SYSTEMS[:3]], cells)


def two_groups(chance: random.Random) -> Made:
    """Two groups of columns, each with its own mean."""
    rows = ["int", "float", "string", "sort", "matrix"][: chance.randint(4, 5)]
    cells = []
    for _ in rows:
        speed = chance.uniform(50, 800)
        line: list[str] = []
        for factor in (1.0, chance.uniform(0.5, 0.9)):
            values = [round(speed * factor * noise(chance, 0.02), 2) for _ in range(3)]
            line += [f"{one:.2f}" for one in [*values, sum(values) / 3]]
        cells.append(line)
    names = [f"{group} {run}" for group in ("native", "guest") for run in ("run 1", "run 2", "run 3", "mean")]
    return Made(
        rows, ["mean" if "native mean" in name else "mean #2" if "mean" in name else name for name in names], cells
    )


def noisy(chance: random.Random) -> Made:
    """Noise of 5 %."""
    systems, rows = SYSTEMS[: chance.randint(4, 6)], ["read", "write", "append", "delete", "create", "stat"]
    speeds, factors = [chance.uniform(30, 900) for _ in rows], [chance.uniform(0.3, 1) for _ in systems]
    cells = [[shown(speed * factor * noise(chance, 0.05), 5) for factor in factors] for speed in speeds]
    return Made(rows, [*systems], cells)


STRUCTURES: dict[str, Callable[[random.Random], Made]] = {
    made.__name__: made
    for made in (turned, sum_and_mean, german, runs, percent_signs, commas, units, small, two_groups, noisy)
}

_DERIVED = {"sum", "mean", "mean #2", "Summe", "Mittelwert", "Soll", "loss", "runs", "ein Gast"}


def separator(of: Made) -> str:
    """Semicolons where a cell has a comma."""
    return ";" if any("," in cell for row in of.cells for cell in row) else ","


def _text(old: str, value: float) -> str:
    """A number with the decimals, the comma and the unit of another one."""
    number, space, unit = old.partition(" ")
    decimals = len(number.replace(",", ".").partition(".")[2])
    made = f"{value:.{decimals}f}"
    return (made.replace(".", ",") if "," in number else made) + space + unit


def _value(of: Made, place: Place) -> float:
    return float(of.cells[place[0]][place[1]].partition(" ")[0].replace(",", "."))


def _base(of: Made) -> list[Place]:
    return [
        (row, column)
        for row, label in enumerate(of.rows)
        for column, name in enumerate(of.columns)
        if label not in _DERIVED and name not in _DERIVED
    ]


def _put(of: Made, place: Place, value: float) -> Made:
    of.cells[place[0]][place[1]] = _text(of.cells[place[0]][place[1]], value)
    of.planted.add(place)
    return of


def _off(chance: random.Random) -> float:
    return 1 + chance.choice((-1, 1)) * chance.uniform(0.05, 0.4)


def _derived(*names: str, of: Made, chance: random.Random) -> Made:
    lines = [(row, column) for row, label in enumerate(of.rows) for column, name in enumerate(of.columns)
             if (label in names or name in names)]  # fmt: skip
    place = chance.choice(lines)
    return _put(of, place, _value(of, place) * _off(chance))


def mean_in_group(chance: random.Random) -> Made:
    return _derived(
        "mean", "mean #2", "Mittelwert", of=chance.choice((two_groups, sum_and_mean, german))(chance), chance=chance
    )


def sum_of_guests(chance: random.Random) -> Made:
    return _derived("sum", "Summe", of=chance.choice((sum_and_mean, german))(chance), chance=chance)


def soll(chance: random.Random) -> Made:
    return _derived("Soll", of=german(chance), chance=chance)


def loss(chance: random.Random) -> Made:
    return _derived("loss", of=percent_signs(chance), chance=chance)


def point(chance: random.Random) -> Made:
    of = chance.choice((turned, sum_and_mean, german, runs, commas, units, small, two_groups, noisy))(chance)
    place = chance.choice(_base(of))
    return _put(of, place, _value(of, place) * chance.choice((10, 100, 1000)))


def neighbours(chance: random.Random) -> Made:
    while True:
        of = chance.choice((turned, sum_and_mean, runs, commas, units, noisy))(chance)
        one = chance.choice(_base(of))
        other = chance.choice([(one[0] + 1, one[1]), (one[0], one[1] + 1)])
        if other in _base(of) and abs(_value(of, one) / _value(of, other) - 1) > 0.3:
            a, b = _value(of, one), _value(of, other)
            return _put(_put(of, one, b), other, a)


def row_twice(chance: random.Random) -> Made:
    of = chance.choice((turned, german, percent_signs, commas, units, noisy))(chance)
    row = chance.randrange(1, len(of.rows))
    of.cells[row] = list(of.cells[row - 1])
    of.planted.add((row, -1))
    return of


def cell_twice(chance: random.Random) -> Made:
    of = chance.choice((turned, commas, units, noisy, runs))(chance)
    one = chance.choice([place for place in _base(of) if (place[0] + 1, place[1]) in _base(of)])
    of.cells[one[0] + 1][one[1]] = of.cells[one[0]][one[1]]
    of.planted.add((one[0] + 1, one[1]))
    return of


def order_of_sizes(chance: random.Random) -> Made:
    of = chance.choice((turned, runs))(chance)
    across = of.columns[0] != "runs"
    place = chance.choice([place for place in _base(of) if place[across] >= 2])
    before = [(place[0], at) if across else (at, place[1]) for at in range(place[across])]
    before = [one for one in before if one in _base(of)]
    return _put(of, place, min(_value(of, one) for one in before) * chance.uniform(0.5, 0.9))


def digits(chance: random.Random) -> Made:
    while True:
        of = chance.choice((turned, sum_and_mean, commas, units))(chance)
        place = chance.choice(_base(of))
        old = f"{_value(of, place):.6g}"
        whole = old.replace(".", "")
        if len(whole) < 3 or old.startswith("0") or "e" in old:
            continue
        made = list(old)
        at = [index for index, char in enumerate(made) if char.isdigit()]
        first = chance.choice((0, 1))
        made[at[first]], made[at[first + 1]] = made[at[first + 1]], made[at[first]]
        value = float("".join(made))
        if abs(value / float(old) - 1) > 0.08 and made[0] != "0":
            return _put(of, place, value)


FURTHER: dict[str, Callable[[random.Random], Made]] = {
    made.__name__: made
    for made in (
        mean_in_group,
        sum_of_guests,
        soll,
        loss,
        point,
        neighbours,
        row_twice,
        cell_twice,
        order_of_sizes,
        digits,
    )
}
