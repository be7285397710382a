"""Every kind stands under its own name, and what kinds share is told apart."""

from __future__ import annotations

import pytest

from virtometer.agent_table import operations
from virtometer.environments.base import Environment
from virtometer.environments.kinds import gvisor
from virtometer.environments.registry import KINDS


def test_names_are_those_of_the_kinds_and_the_baseline_is_the_first() -> None:
    assert [kind.kind for kind in KINDS.values()] == list(KINDS)
    assert next(iter(KINDS)) == "native"
    assert len({kind.title for kind in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_kind_says_what_it_is_and_what_its_settings_mean(kind: type[Environment]) -> None:
    assert kind.title and kind.meaning
    assert all(field.description for field in kind.settings_type.model_fields.values())
    assert set(kind.settings_type.clock_settings) <= set(kind.settings_type.model_fields)
    kind.settings_type()  # all of them have defaults
    assert kind.machine == (kind.kernel_memory > 0)
    assert kind.usual_start_s > 0 and kind.usual_overhead_s > 0
    assert kind.program, "which may be the agent itself"


def test_what_slices_show_otherwise_are_operations_and_reasons() -> None:
    known = {
        f"{kernel} {op}" for kernel in ("linpack", "memory", "pde", "disk", "net", "os") for op in operations(kernel)
    }
    for kind in KINDS.values():
        assert kind.unlike_in_slices.keys() <= known, kind.kind
        assert all(kind.unlike_in_slices.values())
    assert gvisor.WARM_UPS.keys() <= known


def test_what_a_kind_may_leave_behind_has_one_name() -> None:
    resources = {id(one): one for kind in KINDS.values() for one in kind.resources}
    assert len({one.name for one in resources.values()}) == len(resources)
