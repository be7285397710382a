"""Interactions of the factors of a plan with levels of a workload."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.analysis.factor_campaigns import factor_campaign
from tests.analysis.simulated_campaigns import Work
from virtometer.analysis import analyse
from virtometer.analysis.effects.claims import Influence
from virtometer.analysis.effects.of_levels import ratios
from virtometer.analysis.effects.table import Response
from virtometer.model import Campaign, PlanWorkload

FACTORS = {"cache": ("none", "writeback"), "dummy": ("a", "b")}
SMALL = Work("read size=4K", "disk", "random-read", "IO/s", 10_000)
LARGE = Work("read size=64K", "disk", "random-read", "IO/s", 3_000)
GAIN = {SMALL.name: 1.9, LARGE.name: 1.2}


def logs(levels: Mapping[str, str], workload: str) -> float:
    """writeback brings 90 % to small reads and 20 % to large ones."""
    return math.log(GAIN[workload]) if levels["cache"] == "writeback" else 0.0


def campaign() -> Campaign:
    made = factor_campaign(FACTORS, logs, (SMALL, LARGE))
    size = {SMALL.name: "4K", LARGE.name: "64K"}
    workloads = [
        one.model_copy(update={"levels": {"size": size[one.name]}, "of": "read"}) for one in made.plan.workloads
    ]
    return replace(made, plan=made.plan.model_copy(update={"workloads": workloads}))


def test_what_a_factor_does_at_one_level_against_another_is_an_effect() -> None:
    found = analyse(campaign()).effects
    metric = next(one for one in found.metrics if one.metric == "read size=64K against read size=4K")
    assert (metric.unit, metric.better, metric.beside) == ("ratio", "higher", True)
    cache = next(one for one in metric.effects if one.term == "cache")
    assert cache.verdict is Influence.INFLUENCE
    assert cache.change.estimate.value == pytest.approx(100 * (1.2 / 1.9 - 1), abs=1)
    dummy = next(one for one in metric.effects if one.term == "dummy")
    assert dummy.verdict is Influence.NONE


def test_no_setting_is_judged_by_it() -> None:
    found = analyse(campaign()).effects
    gains = [
        gain.metric
        for best in (found.overall, *(one.recommended for one in found.metrics))
        if best is not None
        for gain in (best.gain, *best.trade)
    ]
    assert gains and not any("against" in one for one in gains)


def test_only_levels_that_differ_alone_from_the_first_are_compared() -> None:
    def workload(**levels: str) -> PlanWorkload:
        name = " ".join(f"{key}={level}" for key, level in levels.items())
        plain = PlanWorkload(name=name or "plain", workload="disk", op="random-read")
        return plain.model_copy(update={"levels": levels, "of": "read" if levels else ""})

    def response(name: str) -> Response:
        return Response(name, "IO/s", "higher", [{"cache": "none"}], [0], [0.0])

    workloads = [
        workload(size="4K", depth="1"), workload(size="4K", depth="8"), workload(size="64K", depth="1"),
        workload(size="64K", depth="8"), workload(),
    ]  # fmt: skip
    found = ratios(workloads, {one.name: response(one.name) for one in workloads})
    assert [one.metric for one in found] == [
        "size=4K depth=8 against size=4K depth=1",
        "size=64K depth=1 against size=4K depth=1",
    ]
    assert ratios(workloads, {"size=4K depth=8": response("size=4K depth=8")}) == []


def test_blocks_without_both_values_are_left_out() -> None:
    levels = [{"cache": "none"}, {"cache": "writeback"}]
    reference = Response("a", "IO/s", "higher", levels * 2, [0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0])
    other = Response("b", "IO/s", "higher", [levels[0], levels[1]], [0, 1], [5.0, 7.0], missing=2)
    workloads = [
        PlanWorkload(name=name, workload="disk", op="random-read").model_copy(
            update={"levels": {"size": size}, "of": "read"}
        )
        for name, size in (("a", "4K"), ("b", "64K"))
    ]
    (found,) = ratios(workloads, {"a": reference, "b": other})
    assert (list(found.logs), list(found.blocks), found.missing) == ([4.0, 3.0], [0, 1], 2)
