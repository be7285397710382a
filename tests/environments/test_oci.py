"""Limits, the bundle, and what the kernel enforces, of all runtimes of OCI containers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from virtometer.environments import accounting, oci
from virtometer.environments.accounting import CgroupAccount, TreeAccount
from virtometer.environments.oci import CgroupLimits, write_bundle
from virtometer.environments.runc import RuncSettings
from virtometer.programs import Programs


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
        RuncSettings.model_validate(wrong)


def test_limits_become_resources_of_the_runtime_specification() -> None:
    assert CgroupLimits().resources() == {"devices": [{"allow": False, "access": "rwm"}]}
    found = CgroupLimits(cpus=1.5, cpuset=(0, 3), memory=1 << 28).resources()
    assert found["cpu"] == {"quota": 150_000, "period": 100_000, "cpus": "0,3"}
    assert found["memory"] == {"limit": 1 << 28}


def test_the_bundle_gives_the_agent_and_no_more(tmp_path: Path) -> None:
    write_bundle(tmp_path, root=Path("/r"), disk_directory=None, namespace=Path("/n"), cgroups_path=None, resources={})
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["process"]["args"] == ["/virtometer-agent", "stdio"]
    assert config["root"] == {"path": "/r", "readonly": True}
    assert {"type": "network", "path": "/n"} in config["linux"]["namespaces"]
    assert "cgroupsPath" not in config["linux"]
    assert [mount["destination"] for mount in config["mounts"]] == ["/proc", "/dev", "/sys", "/tmp"]
    assert "CAP_SYS_ADMIN" not in config["process"]["capabilities"]["bounding"]


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
    monkeypatch.setattr(oci, "all_cgroup_mounts", lambda: [mount])
    assert oci.effective_limits(Account()) == {"cpus": 0.5, "cpuset": "1-2", "memory": None}
    (inner / "cpu.max").write_text("max 100000\n")
    (inner / "memory.max").write_text("268435456\n")
    assert oci.effective_limits(Account()) == {"cpus": None, "cpuset": "1-2", "memory": 1 << 28}


def test_any_limit_is_a_limit() -> None:
    assert not CgroupLimits().limited()
    for one in ({"cpus": 0.5}, {"cpuset": (0,)}, {"memory": 1 << 28}):
        assert CgroupLimits.model_validate(one).limited()
    assert CgroupLimits(memory=1 << 28).resources()["memory"] == {"limit": 1 << 28}
    assert "cpu" not in CgroupLimits(memory=1 << 28).resources()


def test_the_bundle_has_the_disk_and_the_cgroup_where_there_are_some(tmp_path: Path) -> None:
    resources = CgroupLimits(cpus=0.5).resources()
    write_bundle(
        tmp_path, root=Path("/r"), disk_directory=Path("/d"), namespace=Path("/n"), cgroups_path="/cg",
        resources=resources,
    )  # fmt: skip
    config = json.loads((tmp_path / "config.json").read_text())
    (disk,) = [mount for mount in config["mounts"] if mount["source"] == "/d"]
    assert (disk["destination"], disk["type"]) == ("/data", "bind") and "rw" in disk["options"]
    assert (config["linux"]["cgroupsPath"], config["linux"]["resources"]) == ("/cg", resources)
    assert config["process"]["noNewPrivileges"] is True


def test_a_guest_that_is_accounted_otherwise_has_no_limits_to_read_back() -> None:
    assert oci.effective_limits(TreeAccount("g")) == {}


def test_a_container_is_deleted_where_its_runtime_left_a_state_and_nowhere_else(tmp_path: Path) -> None:
    runtime, root, asked = tmp_path / "runtime", tmp_path / "state", tmp_path / "asked"
    runtime.write_text(f'#!/bin/sh\necho "$@" > {asked}\n')
    runtime.chmod(0o755)
    fields = {"program": str(runtime), "root": str(root), "container": "virtometer-g"}
    resource, programs = oci.container_of("runtime"), Programs()
    assert resource.remove(fields, programs) == "", "no directory"
    root.mkdir()
    assert resource.remove(fields, programs) == "", "an empty one"
    assert not asked.exists()
    (root / "virtometer-g").mkdir()
    assert resource.remove(fields, programs) == "container virtometer-g"
    assert asked.read_text() == f"--root {root} delete --force virtometer-g\n"
