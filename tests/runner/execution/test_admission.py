"""Who may work, and what is refused before anybody does."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest

from tests.runner.fixtures import Document, MakePlan, resolved
from virtometer.environments.base import LabContext
from virtometer.model import FailureKind, Placement, Plan, Trial
from virtometer.runner.execution.admission import Admission
from virtometer.runner.execution.conversation import Conversation
from virtometer.runner.execution.failures import TrialFailed
from virtometer.runner.execution.services import Services

WORK: list[Document] = [
    {"name": "cpu", "workload": "linpack", "op": "classic", "parameters": {"size": 50}},
    {"name": "read", "workload": "disk", "op": "random-read", "seconds": 4.0},
    {"name": "stream", "workload": "net", "op": "stream"},
]


@pytest.fixture
def plan(make_plan: MakePlan) -> Plan:
    return make_plan([{"name": "native", "kind": "native"}], WORK, seconds=1.0)


def admission_of(plan: Plan, lab: LabContext) -> Admission:
    services = Services(lab, Conversation(plan.limits, plan.slice_s), plan.limits)
    return Admission(resolved(plan), lab, services)


def running(**has: Any) -> Any:
    """A guest without disk and network, but for what it has."""
    guest = SimpleNamespace(disk=None, network=None, refused_programs={}, cpu_ns=lambda: 0)
    session = SimpleNamespace(name="box")
    fields = {"guest": guest, "session": session, "timing": "agent", "lacks": lambda what: f"box offers no {what}"}
    return SimpleNamespace(**(fields | has), environment=SimpleNamespace(name="box"))


def trial(*placements: Placement, turns: int | None = None) -> Trial:
    return Trial(7, 0, 0, 0, placements, turns=turns)


@pytest.mark.parametrize(
    ("placement", "reason"),
    [
        (Placement("native", "read"), "box offers no disk"),
        (Placement("native", "stream"), "box offers no network"),
        (Placement("native", "cpu", "service"), "box has no address that other guests reach"),
    ],
)
def test_what_a_guest_lacks_is_a_result(lab: LabContext, plan: Plan, placement: Placement, reason: str) -> None:
    with pytest.raises(TrialFailed, match=reason) as caught:
        admission_of(plan, lab).admit(placement, running(), trial(placement))
    assert caught.value.failure.kind is FailureKind.UNAVAILABLE and not caught.value.broken


def test_a_run_has_its_name_its_window_and_the_way_it_begins(lab: LabContext, plan: Plan) -> None:
    admission, one, other = (
        admission_of(plan, lab),
        Placement("native", "cpu"),
        Placement("native", "cpu", guest=2, ordinal=1),
    )
    alone = admission.admit(one, running(), trial(one))
    assert (alone.state.run, alone.seconds, alone.state.in_group) == ("t7-0", 1.0, False)
    again = admission.admit(other, running(), trial(one, other), attempt=2)
    assert (again.state.run, again.seconds, again.state.in_group) == ("t7-1-2", 3.0, True)
    in_turn = admission.admit(one, running(), trial(one, turns=0))
    assert in_turn.state.in_slices and not in_turn.state.in_group
    by_laboratory = admission.admit(one, running(timing="laboratory"), trial(one, other))
    assert by_laboratory.state.host_timed and not by_laboratory.state.in_group
    assert admission.seconds(Placement("native", "read")) == 4.0


def test_several_guests_have_each_processor_watched(lab: LabContext, plan: Plan) -> None:
    admission, one = admission_of(plan, lab), Placement("native", "cpu")
    assert not admission.several(trial(one))
    assert admission.several(trial(one, Placement("native", "cpu", guest=2, ordinal=1)))
    with ExitStack() as stack:
        observer = admission.observer(trial(one), [], [], stack)
        observer.begin()
        observer.end()
        assert observer.use(0, 1 << 63) is not None
