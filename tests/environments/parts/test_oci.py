"""The bundle, and the state of containers, of all runtimes of OCI containers."""

from __future__ import annotations

import json
from pathlib import Path

from virtometer.environments.parts import oci
from virtometer.environments.parts.guest_root import GuestRoot
from virtometer.environments.parts.limits import CgroupLimits
from virtometer.environments.parts.oci import write_bundle
from virtometer.programs import Programs


def test_the_bundle_gives_the_agent_and_no_more(tmp_path: Path) -> None:
    write_bundle(
        tmp_path, root=GuestRoot(Path("/r")), disk_directory=None, namespace=Path("/n"), cgroups_path=None, resources={}
    )
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["process"]["args"] == ["/virtometer-agent", "stdio"]
    assert config["root"] == {"path": "/r", "readonly": True}
    assert {"type": "network", "path": "/n"} in config["linux"]["namespaces"]
    assert "cgroupsPath" not in config["linux"]
    assert [mount["destination"] for mount in config["mounts"]] == ["/proc", "/dev", "/sys", "/tmp"]
    assert "CAP_SYS_ADMIN" not in config["process"]["capabilities"]["bounding"]


def test_the_bundle_has_the_disk_and_the_cgroup_where_there_are_some(tmp_path: Path) -> None:
    resources = CgroupLimits(cpus=0.5).resources()
    write_bundle(
        tmp_path, root=GuestRoot(Path("/r")), disk_directory=Path("/d"), namespace=Path("/n"), cgroups_path="/cg",
        resources=resources,
    )  # fmt: skip
    config = json.loads((tmp_path / "config.json").read_text())
    (disk,) = [mount for mount in config["mounts"] if mount["source"] == "/d"]
    assert (disk["destination"], disk["type"]) == ("/data", "bind") and "rw" in disk["options"]
    assert (config["linux"]["cgroupsPath"], config["linux"]["resources"]) == ("/cg", resources)
    assert config["process"]["noNewPrivileges"] is True


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
