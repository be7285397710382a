"""Which workloads make a curve or a surface."""

from __future__ import annotations

from typing import Any

from virtometer.analysis.series import series
from virtometer.model import PlanWorkload


def works(*of: dict[str, Any], op: str = "read", threads: int = 1) -> list[PlanWorkload]:
    return [
        PlanWorkload(
            name=f"{op} {threads} {parameters}", workload="memory", op=op, parameters=parameters, threads=threads
        )
        for parameters in of
    ]


def test_one_number_makes_a_curve() -> None:
    (found,) = series(works(*({"size": size} for size in (4096, 1024, 2048))))
    assert found.axes == ("size",)
    assert list(found.points) == [(1024.0,), (2048.0,), (4096.0,)]
    assert found.fixed == {"threads": 1}


def test_two_numbers_make_a_surface_and_no_curves() -> None:
    grid = [{"span": span, "size": size} for span in (1, 2, 4) for size in (8, 16, 32)]
    (found,) = series(works(*grid))
    assert found.axes == ("span", "size")
    assert len(found.points) == 9


def test_two_rows_are_two_curves() -> None:
    found = series(works(*({"span": span, "size": size} for span in (1, 2) for size in (8, 16, 32))))
    assert [(one.axes, one.fixed["span"]) for one in found] == [(("size",), 1), (("size",), 2)]


def test_operations_and_other_settings_are_kept_apart() -> None:
    sizes = [{"size": size} for size in (1, 2, 3)]
    direct = [{**size, "direct": True} for size in sizes]
    found = series([*works(*sizes), *works(*sizes, op="write"), *works(*direct)])
    assert [(one.op, one.fixed.get("direct")) for one in found] == [("read", None), ("write", None), ("read", True)]


def test_threads_are_a_number_too() -> None:
    (found,) = series([work for threads in (1, 2, 4) for work in works({"size": 1}, threads=threads)])
    assert found.axes == ("threads",)


def test_too_few_are_nothing() -> None:
    assert series(works({"size": 1}, {"size": 2})) == ()
    assert series(works({"direct": True}, {"direct": False}, {"sync": True})) == ()
    # Two lines that cross are not a surface, and each is a curve.
    cross = [{"span": 1, "size": size} for size in (1, 2, 3, 4)] + [{"span": span, "size": 1} for span in (2, 3, 4)]
    assert [len(one.axes) for one in series(works(*cross))][:1] == [1]
