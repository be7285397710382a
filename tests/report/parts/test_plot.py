"""What all plots are made of: units of axes, and one colour for each environment."""

from __future__ import annotations

import pytest

from virtometer.report.parts.plot import by_environment, scale


def colours_and_shapes(names: list[str], among: list[str]) -> list[list[str]]:
    found = []
    for channel in by_environment(names, among):
        fields = channel.to_dict()
        assert isinstance(fields, dict)
        found.append(fields["scale"]["range"])
    return found


def test_an_environment_has_one_colour_and_shape_with_and_without_the_others() -> None:
    names = [f"e{number}" for number in range(6)]
    colours, shapes = colours_and_shapes(names, [])
    assert len(set(colours)) == len(set(shapes)) == len(names)
    for place, name in enumerate(names):
        assert colours_and_shapes([name], names) == [[colours[place]], [shapes[place]]]


@pytest.mark.parametrize(
    ("middle", "unit", "expected"),
    [
        (18e9, "B/s", (1e9, "GB/s")),
        (2e-6, "s", (1e-6, "µs")),
        (10_300.0, "IO/s", (1e3, "kIO/s")),
        (10_300.0, "1/s", (1e3, "k/s")),
        (2e6, "1/s", (1e6, "M/s")),
        (12.0, "IO/s", (1.0, "IO/s")),
        (0.0, "s", (1e-9, "ns")),
    ],
)
def test_the_unit_suits_the_middle(middle: float, unit: str, expected: tuple[float, str]) -> None:
    assert scale(middle, unit) == expected
