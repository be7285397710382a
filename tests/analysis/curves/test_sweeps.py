"""Which treatments make a sweep, and which of these a curve or a surface."""

from __future__ import annotations

from typing import Any

from virtometer.analysis.curves.sweeps import series, sweeps
from virtometer.model import PlanWorkload


def works(*of: dict[str, Any], op: str = "read", name: str = "sweep", **more: Any) -> list[PlanWorkload]:
    """Combinations of the levels of one workload. `more`: parameters that are no factor."""
    return [
        PlanWorkload(
            name=f"{name} {levels}",
            workload="memory",
            op=levels.get("op", op),
            parameters={key: level for key, level in levels.items() if key not in ("op", "threads")} | more,
            threads=levels.get("threads", 1),
            levels=levels,
            of=name,
        )
        for levels in of
    ]


def test_one_number_makes_a_curve() -> None:
    (found,) = series(works(*({"size": size} for size in (4096, 1024, 2048)), direct=True))
    assert found.axes == ("size",)
    assert list(found.points) == [(1024.0,), (2048.0,), (4096.0,)]
    assert (found.name, found.fixed, found.levels) == ("sweep", {"threads": 1, "direct": True}, {})


def test_the_sizes_of_a_file_and_a_record_make_a_surface_and_no_curves() -> None:
    (found,) = series(works(*({"span": span, "size": size} for span in (1, 2, 4) for size in (8, 16, 32))))
    assert found.axes == ("span", "size")
    assert len(found.points) == 9


def test_two_other_numbers_make_curves_over_the_one_with_more_levels() -> None:
    grid = [{"processes": count, "size": size} for count in (2, 4, 8, 16) for size in (0, 4096, 65536)]
    found = series(works(*grid))
    assert [(one.axes, one.levels) for one in found] == [(("processes",), {"size": size}) for size in (0, 4096, 65536)]
    assert all(len(one.points) == 4 for one in found)


def test_two_rows_are_two_curves() -> None:
    found = series(works(*({"span": span, "size": size} for span in (1, 2) for size in (8, 16, 32))))
    assert [(one.axes, one.levels) for one in found] == [(("size",), {"span": 1}), (("size",), {"span": 2})]


def test_operations_are_kept_apart() -> None:
    found = series(works(*({"op": op, "size": size} for op in ("read", "write") for size in (1, 2, 3))))
    assert [(one.op, one.levels) for one in found] == [("read", {"op": "read"}), ("write", {"op": "write"})]


def test_threads_are_a_number_too() -> None:
    (found,) = series(works(*({"threads": threads} for threads in (1, 2, 4))))
    assert (found.axes, found.fixed) == (("threads",), {})


def test_workloads_without_levels_are_no_sweep() -> None:
    """However alike they are: what is compared is said by the plan."""
    alike = [PlanWorkload(name=str(n), workload="memory", op="read", parameters={"size": n}) for n in (1, 2, 3)]
    assert sweeps(alike) == ()
    assert sweeps(works({"size": 1})) == ()


def test_categories_are_what_no_curve_holds() -> None:
    (calls,) = sweeps(works(*({"call": call} for call in ("null", "read", "open")), name="system"))
    assert (calls.name, calls.series) == ("system", ())
    assert [one.levels["call"] for one in calls.categories] == ["null", "read", "open"]
    (few,) = sweeps(works({"size": 1}, {"size": 2}))
    assert (few.series, len(few.categories)) == ((), 2)
    (curve,) = sweeps(works({"size": 1}, {"size": 2}, {"size": 3}))
    assert (len(curve.series), curve.categories) == (1, ())


def test_sweeps_are_in_the_order_of_the_plan() -> None:
    plan = [*works({"size": 1}, {"size": 2}, name="b"), *works({"size": 1}, {"size": 2}, name="a")]
    assert [sweep.name for sweep in sweeps(plan)] == ["b", "a"]


def test_an_incomplete_surface_falls_apart_into_curves() -> None:
    """Two lines that cross are not a surface, and each is a curve."""
    cross = [{"span": 1, "size": size} for size in (1, 2, 3, 4)] + [{"span": span, "size": 1} for span in (2, 3, 4)]
    assert [len(one.axes) for one in series(works(*cross))][:1] == [1]
