"""The kind kvm on an emulated processor that has virtualization: its code runs also where no hardware can run it."""

from __future__ import annotations

import pytest

from tests.nested.outer_machine import conformance_of
from virtometer.environments.base import LabContext
from virtometer.environments.images.machines import guest_kernel

ONE_PROCESSOR = "test_a_guest_is_on_the_processors_asked_for"
NO_PROCESS_OF_THE_HOST = "test_the_namespaces_that_a_kind_names_are_those_of_its_guests"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_machines_of_kvm_keep_the_promises_of_their_kind(lab: LabContext) -> None:
    guest_kernel(lab.cache, lab.journal, lab.programs)  # the outer machine has no network to fetch it
    cases = conformance_of("kvm", lab)
    assert {name.partition("[")[0] for name, how in cases.items() if how == "skipped"} == {
        ONE_PROCESSOR,
        NO_PROCESS_OF_THE_HOST,
    }
    assert "test_two_guests_at_once[kvm]" in cases
    assert set(cases.values()) == {"passed", "skipped"}, cases
