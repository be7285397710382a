"""Kernel settings of the host: their values, and which may change with one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sentences import Said
from virtometer.environments.tuning.kernel_settings import beside, other_forms, read, write
from virtometer.errors import EnvironmentFailed


def test_some_settings_are_two_forms_of_one() -> None:
    assert other_forms("vm/dirty_bytes") == ["vm/dirty_ratio"]
    assert other_forms("vm/dirty_ratio") == ["vm/dirty_bytes"]
    assert other_forms("vm/overcommit_kbytes") == ["vm/overcommit_ratio"]
    assert other_forms("vm/swappiness") == []


def test_what_can_be_set_in_the_same_part_may_change_with_one() -> None:
    found = beside("vm/swappiness")
    assert found["vm/swappiness"] == Path("/proc/sys/vm/swappiness").read_text().strip()
    assert found["vm/dirty_ratio"] == read("vm/dirty_ratio")
    assert all(name.startswith("vm/") for name in found)
    of_kernel = beside("kernel/threads-max")
    assert "kernel/ns_last_pid" not in of_kernel, "it changes without a write"
    assert "kernel/ostype" not in of_kernel, "it is read-only"
    assert any(name.count("/") > 2 for name in beside("net/ipv4/ip_forward")), "folders below it as well"


def test_what_cannot_be_read_or_set_is_one_sentence(said: Said) -> None:
    with pytest.raises(EnvironmentFailed, match="vm/no_such") as caught:
        read("vm/no_such")
    said(caught.value.sentence)
    with pytest.raises(EnvironmentFailed, match="setting kernel/ostype of the host cannot be set: "):
        write("kernel/ostype", "other")


@pytest.mark.skipif(os.geteuid() != 0, reason="settings of the host's kernel need root")
def test_a_value_that_the_kernel_refuses_is_one_sentence_and_changes_nothing(said: Said) -> None:
    before = read("vm/swappiness")
    with pytest.raises(EnvironmentFailed, match="vm/swappiness") as caught:
        write("vm/swappiness", "often")
    said(caught.value.sentence)
    assert read("vm/swappiness") == before
