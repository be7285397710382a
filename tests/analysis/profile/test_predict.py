"""Predictions of slowdowns from counts and prices, beside truths that are known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.profile_campaigns import CALL_S, CALLS, COUNTS, NATIVE_S, SLOWER, counts, priced, profiled, timed
from virtometer.analysis import analyse
from virtometer.analysis.profile.predict import Profile, Profiled
from virtometer.model import Quantity
from virtometer.model.plan import VerdictBy


def test_what_was_planted_is_predicted_and_the_rest_is_unexplained() -> None:
    (profile,) = profiled(measured=4.0).profiles
    (there,) = profile.predictions
    explained = CALLS * CALL_S * (SLOWER - 1) / NATIVE_S
    assert there.subject == "box"
    assert there.dominant == "simple calls"
    assert there.predicted.value == pytest.approx(1 + explained, rel=0.02)
    assert there.measured.value == pytest.approx(4.0, rel=0.02)
    assert there.rest == pytest.approx(4.0 - 1 - explained, abs=0.1)
    first = there.shares[0]
    assert first.extra == pytest.approx(explained, rel=0.02)
    assert first.a_second == pytest.approx(CALLS / NATIVE_S, rel=0.02)
    assert first.native_s == pytest.approx(CALL_S, rel=0.02)
    assert first.there_s == pytest.approx(SLOWER * CALL_S, rel=0.02)
    assert there.predicted.low is not None and there.predicted.high is not None
    assert there.predicted.low < 1 + explained < there.predicted.high


def test_computing_is_the_mean_user_time_of_the_timed_runs() -> None:
    (profile,) = profiled(measured=1.2, computing=0.5, calls=1.0).profiles
    (there,) = profile.predictions
    assert profile.counts.user_s == pytest.approx(0.02, rel=0.01), "and not the 0.05 s of the run that was accounted"
    assert there.dominant == "computing"
    assert there.predicted.value == pytest.approx(1.2, rel=0.01)
    assert there.rest == pytest.approx(0, abs=0.02)


def test_starts_cost_what_empty_programs_do() -> None:
    many = counts(classes={"starts of programs": 50}, calls={"execve": 50})
    (profile,) = profiled(measured=3.0, empty_slower=5.0, of=many, computing=1.0).profiles
    (there,) = profile.predictions
    assert there.dominant == "starts of programs"
    assert there.predicted.value == pytest.approx(1 + 50 * 0.001 * 4 / NATIVE_S, rel=0.01)


def test_work_of_several_processors_overlaps() -> None:
    alone, together = (profiled(system_s=system_s).profiles[0] for system_s in (0.01, 0.18))
    assert alone.counts.busy_processors == 1
    assert together.counts.busy_processors == pytest.approx(2, rel=0.01)
    extra = [one.predictions[0].predicted.value - 1 for one in (alone, together)]
    assert extra[0] == pytest.approx(2 * extra[1], rel=0.01)


def test_processors_are_those_of_the_timed_runs_alone() -> None:
    """A run that was accounted while the host was cold, or idle, says nothing of the others."""
    (profile,) = profiled(of=counts(wall_s=0.001, user_s=3.0, system_s=9.0)).profiles
    assert profile.counts.busy_processors == 1
    assert profile.counts.wall_s == profile.native_s


def test_a_price_is_of_the_ratio_that_the_plan_chose() -> None:
    def of(by: VerdictBy, typical: float | None) -> Profile:
        findings = []
        for one in analyse(priced(computing=1.0, calls=1 / SLOWER)).findings:
            estimate, known = one.ratio.estimate, None
            if typical is not None and estimate is not None:
                like = one.ratio
                value = replace(estimate, value=typical)
                known = Quantity(like.subject, like.metric, like.unit, like.better, like.statistic, value)
            findings.append(replace(one, verdict_by=by, typical=known))
        (profile,) = analyse(timed(0.25), Profiled({"one": COUNTS}, findings)).profiles
        return profile

    total, typical = (of(by, 0.5).predictions[0] for by in ("total", "typical"))
    assert next(one for one in total.shares if one.name == "simple calls").efficiency.value < 0.1
    assert {one.efficiency.value for one in typical.shares if one.name != "starts of programs"} == {0.5}
    unknown = of("typical", None).predictions[0]
    assert {"computing", "simple calls"} <= set(unknown.unmeasured)


def test_what_has_no_price_is_named() -> None:
    (profile,) = profiled(computing=1.0).profiles
    assert profile.unpriced == {"syncs": 3}
    assert "simple calls" in profile.few, "the operation was not measured"
    (there,) = profile.predictions
    assert there.dominant in ("", "computing", "starts of programs")
    assert there.rest == pytest.approx(3.0, rel=0.05)


def test_without_a_profile_there_is_none() -> None:
    assert analyse(timed(0.5)).profiles == ()
    assert [one.workload for one in profiled().profiles] == ["one"], "the other command was not profiled"
