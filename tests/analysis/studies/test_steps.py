"""Stages of a sequence: printed ones by hand, and steps that a design of a campaign tries."""

from __future__ import annotations

import pytest

from tests.analysis.factor_campaigns import READ, disk_campaign
from virtometer.analysis import analyse
from virtometer.analysis.studies.matching import Matcher
from virtometer.analysis.studies.steps import StepsFound, steps
from virtometer.studies.data import items, values
from virtometer.studies.questions import Group, Stage, Steps
from virtometer.studies.sections import description

OPEN = {"options.tx_checksum": "any", "options.txqueuelen": "any"}
BEFORE = Stage(name="before", cells={"options.stage": "before", **OPEN})
AFTER = Stage(name="after", cells={"options.stage": "after"})


def found_in(*pairs: str, stages: list[Stage]) -> StepsFound:
    groups = [Group(name=pair, cells={"item": ["3.2"], "options.pair": [pair]}) for pair in pairs]
    cells = [one for item in items("klein2008") for one in values("klein2008", item)]
    return steps(Steps(stages=stages, groups=groups), cells, Matcher(description("klein2008"), []))


def test_what_tuning_brought_to_each_kind_of_pair() -> None:
    one, same, other = found_in("same-system", "same-host", "other-host", stages=[BEFORE, AFTER]).stages
    assert one.first_then is not None and same.first_then is not None and other.first_then is not None
    assert one.first_then.median == pytest.approx(323 / 232)
    ratios = sorted([161 / 112, 35 / 8, 32 / 3, 32 / 2, 2 / 1])
    assert (same.first_then.median, same.first_then.low, same.first_then.high) == pytest.approx(
        (ratios[2], ratios[0], ratios[4])
    )
    assert sorted([78 / 106, 112 / 30, 29 / 28])[1] == pytest.approx(other.first_then.median)
    assert same.before_then == same.first_then and same.first_now is None


def test_each_stage_is_compared_with_the_one_before_and_the_first() -> None:
    again = Stage(name="again", cells=BEFORE.cells)
    after, back = found_in("same-host", stages=[BEFORE, AFTER, again]).stages
    assert [one.stage for one in (after, back)] == ["after", "again"]
    assert back.before_then is not None and back.first_then is not None and after.before_then is not None
    assert (back.first_then.low, back.first_then.high) == (1.0, 1.0)
    assert back.before_then.median == pytest.approx(1 / after.before_then.median)


def test_factors_without_a_campaign_say_nothing() -> None:
    assert found_in("same-host", stages=[BEFORE, AFTER]).here == ()


def test_a_design_of_a_campaign_tries_steps_here() -> None:
    groups = [Group(name="all", cells={"item": ["3.2"]})]
    of = Steps(stages=[BEFORE, AFTER], groups=groups, factors={"other queues": "aio", "larger buffers": "no factor"})
    analysis = analyse(disk_campaign(blocks=12))
    found = steps(of, [], Matcher(description("klein2008"), [analysis])).here
    assert {(one.step, one.factor) for one in found} == {("other queues", "aio")}
    read = next(one for one in analysis.effects.metrics if one.metric == READ.name)
    effect = next(one for one in read.effects if one.term == "aio")
    assert (found[0].metric, found[0].change, found[0].verdict) == (READ.name, effect.change.estimate, effect.verdict)
    assert found[0].level == "io_uring against threads"
