"""What kinds and guests are given: settings, programs of the host, and the disk as a file."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from tests.sentences import Said
from virtometer.environments.base import LabContext, disk_as_file, host_cache
from virtometer.host.programs import HostProgram


def test_a_program_is_where_this_host_has_it(lab: LabContext) -> None:
    found = HostProgram("fio", Path("/usr/bin/fio"), {}, "", "")
    absent = HostProgram("ab", None, {}, "", "it is not installed")
    one = dataclasses.replace(lab, host_programs=(found, absent))
    assert one.program_path("fio") == "/usr/bin/fio"
    assert one.program_path("ab") is None
    assert one.program_path("other") is None and lab.program_path("fio") is None


def test_the_disk_is_the_campaigns_file_under_the_name_that_it_has_inside(lab: LabContext, tmp_path: Path) -> None:
    assert disk_as_file(lab) is None and disk_as_file(lab, "/data/disk.img") is None
    file = tmp_path / "disk.img"
    file.write_bytes(bytes(4096))
    one = dataclasses.replace(lab, disk_file=file)
    outside, inside = disk_as_file(one), disk_as_file(one, "/data/disk.img")
    assert outside is not None and inside is not None
    assert (outside.path, inside.path) == (str(file), "/data/disk.img")
    assert outside.conditions == inside.conditions == {"disk_path": "file", **host_cache(file)}


def test_direct_access_that_is_refused_is_reported_with_its_reason(said: Said, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_DIRECT))
        assert host_cache(file) == {"host_cache": "no"}
    except OSError:
        assert host_cache(file)["host_cache"] == "yes"
    # Files of /proc have no direct access.
    found = host_cache(Path("/proc/self/status"))
    assert found == {"host_cache": "yes", "host_cache_reason": found["host_cache_reason"]}
    said(found["host_cache_reason"])
