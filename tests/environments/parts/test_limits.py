"""Limits as settings, as files of cgroups, and as the kernel enforces them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from tests.sentences import Said
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.gvisor import Gvisor
from virtometer.environments.kinds.libvirt.kind import LibvirtContainer
from virtometer.environments.kinds.lxc import Lxc
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.environments.kinds.nspawn import Nspawn
from virtometer.environments.kinds.podman import Podman
from virtometer.environments.parts import limits
from virtometer.environments.parts.container import ContainerSettings
from virtometer.environments.parts.limits import CgroupLimits, effective_limits, require_limits
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed, LinkError
from virtometer.host.cpu import accounting
from virtometer.host.cpu.accounting import CgroupAccount, TreeAccount

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="making cgroups needs root")
BY_OUR_CGROUPS = [Native, Bubblewrap, Podman, Nspawn, Lxc]


def test_each_limit_is_a_file_of_either_generation() -> None:
    assert CgroupLimits().files() == {}
    found = CgroupLimits(cpus=1.5, cpuset=(0, 3), memory=1 << 28).files()
    assert found["cpu"] == {
        1: {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000"},
        2: {"cpu.max": "150000 100000"},
    }
    assert found["cpuset"][1] == found["cpuset"][2] == {"cpuset.cpus": "0,3"}
    assert found["memory"] == {1: {"memory.limit_in_bytes": "268435456"}, 2: {"memory.max": "268435456"}}


@pytest.mark.parametrize("kind", [*BY_OUR_CGROUPS, Gvisor, LibvirtContainer])
def test_an_ordinary_user_has_no_limits_and_learns_why(
    said: Said, lab: LabContext, kind: type[Native], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIBVIRT_DEFAULT_URI", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    lacks = kind(lab).lacks()
    assert (lacks.cpu_limit, lacks.memory_limit) == ("", "")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    lacks = kind(lab).lacks()
    assert lacks.cpu_limit == lacks.memory_limit
    said(lacks.cpu_limit)


@needs_root
@pytest.mark.parametrize("kind", BY_OUR_CGROUPS)
def test_limits_take_effect_and_are_read_back_and_leave_nothing(
    lab: LabContext, new_id: Callable[[], str], kind: type[Native]
) -> None:
    environment = kind(lab)
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    settings = environment.settings_type.model_validate({"cpus": 0.25, "cpuset": [0], "memory": "64M"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        assert isinstance(guest, ProcessGuest)
        talk = Talk(guest)
        talk.greet()
        effective = guest.effective
        assert (effective["cpus"], effective["cpuset"], effective["memory"]) == (0.25, "0", 64 << 20)
        assert talk.session.request("facts", {}, ANSWER_S)["cpus_allowed"] == 1
        talk.prepare("memory", "read", {"size": 1 << 20}, seconds=1.0)
        begin_ns, begin = guest.cpu_ns(), time.monotonic()
        talk.begin()
        talk.finish()
        assert (guest.cpu_ns() - begin_ns) * 1e-9 < 0.4 * (time.monotonic() - begin)
        with pytest.raises((LinkError, AssertionError)):  # the kernel kills it, or the agent says out-of-memory
            talk.prepare("memory", "read", {"size": 1 << 30})
    finally:
        guest.stop()
    assert traces.of(guest.guest_id) == []


def test_without_cgroups_a_limit_is_refused_with_what_to_do(
    lab: LabContext, new_id: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounting, "cgroup_mounts", list)
    with pytest.raises(EnvironmentFailed, match="need a cgroup") as raised:
        Native(lab).start(NativeSettings(memory=1 << 28), new_id())
    assert "processors" in raised.value.advice
    Native(lab).start(NativeSettings(), new_id()).stop()
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    with pytest.raises(EnvironmentFailed, match="need a cgroup"):
        require_limits(NativeSettings(cpus=1), {0})
    require_limits(NativeSettings(), {0})


@needs_root
def test_a_processor_that_does_not_exist_is_named_before_anything_is_measured(lab: LabContext) -> None:
    with pytest.raises(EnvironmentFailed, match="no processor 4000"):
        Native(lab).prepare(NativeSettings(cpuset=(0, 4000)))


@pytest.mark.parametrize(
    ("asked", "bytes_"),
    [("512M", 512 << 20), ("1G", 1 << 30), ("65536K", 64 << 20), ("64MiB", 64 << 20), (1 << 28, 1 << 28)],
)
def test_memory_may_be_written_with_a_unit(asked: object, bytes_: int) -> None:
    assert CgroupLimits.model_validate({"memory": asked}).memory == bytes_
    assert CgroupLimits.model_validate_json(json.dumps({"memory": asked}), strict=True).memory == bytes_


@pytest.mark.parametrize(
    "wrong",
    [
        {"memory": "lots"}, {"memory": 0}, {"memory": "1K"}, {"memory": "-5M"},
        {"cpus": 0}, {"cpus": -1}, {"cpus": "two"}, {"cpus": float("nan")}, {"cpus": float("inf")},
        {"cpuset": []}, {"cpuset": [-1]}, {"cpuset": "0-1"}, {"cpuset": [0.5]}, {"swap": 1},
        {"processors": []}, {"processors": [4096]}, {"processors": 1}, {"processors": "1"}, {"processors": [True]},
        {"cpuset": [0], "processors": [0]}, {"cpuset": [0], "processors": "auto"},
    ],
)  # fmt: skip
def test_wrong_limits_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ContainerSettings.model_validate(wrong)


def test_limits_become_resources_of_the_runtime_specification() -> None:
    assert CgroupLimits().resources() == {"devices": [{"allow": False, "access": "rwm"}]}
    found = CgroupLimits(cpus=1.5, cpuset=(0, 3), memory=1 << 28).resources()
    assert found["cpu"] == {"quota": 150_000, "period": 100_000, "cpus": "0,3"}
    assert found["memory"] == {"limit": 1 << 28}


def test_what_is_given_is_read_from_both_generations_of_cgroups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "virtometer-g" / "guest"
    inner.mkdir(parents=True)
    for name, value in {"cpu.max": "50000 100000", "cpuset.cpus.effective": "1-2", "memory.max": "max"}.items():
        (inner / name).write_text(value + "\n")

    class Account(CgroupAccount):
        def __init__(self) -> None:
            self.directory = tmp_path / "virtometer-g"

        def container_path(self) -> str:
            return "/virtometer-g/guest"

    mount = accounting.all_cgroup_mounts()[0].__class__(2, tmp_path, "/", ())
    monkeypatch.setattr(limits, "all_cgroup_mounts", lambda: [mount])
    assert effective_limits(Account()) == {"cpus": 0.5, "cpuset": "1-2", "memory": None}
    (inner / "cpu.max").write_text("max 100000\n")
    (inner / "memory.max").write_text("268435456\n")
    assert effective_limits(Account()) == {"cpus": None, "cpuset": "1-2", "memory": 1 << 28}


def test_any_limit_is_a_limit() -> None:
    assert not CgroupLimits().limited()
    for one in ({"cpus": 0.5}, {"cpuset": (0,)}, {"memory": 1 << 28}):
        assert CgroupLimits.model_validate(one).limited()
    assert CgroupLimits(memory=1 << 28).resources()["memory"] == {"limit": 1 << 28}
    assert "cpu" not in CgroupLimits(memory=1 << 28).resources()


def test_a_guest_that_is_accounted_otherwise_has_no_limits_to_read_back() -> None:
    assert effective_limits(TreeAccount("g")) == {}
