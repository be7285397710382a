"""A container of crun."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.environments.a_container import (
    Start,
    check_account,
    check_first_process,
    check_missing_program,
    check_without_root,
    needs_root,
    starting,
)
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.crun import Crun


@pytest.fixture
def start(lab: LabContext, new_id: Callable[[], str]) -> Start:
    return starting(Crun(lab), new_id)


@needs_root
def test_the_agent_is_the_first_process_of_a_host_of_its_own(start: Start) -> None:
    check_first_process(start)


@needs_root
def test_all_of_it_is_in_the_account(start: Start) -> None:
    check_account(start, ["crun", "virtometer-agen"])


@needs_root
def test_without_the_program_the_check_names_the_package(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Crun.package == "crun"
    check_missing_program(Crun, lab, monkeypatch)


def test_without_root_the_check_says_so(lab: LabContext, monkeypatch: pytest.MonkeyPatch) -> None:
    check_without_root(Crun, lab, monkeypatch)
