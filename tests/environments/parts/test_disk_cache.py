"""The cache before a machine's disk, on file systems that allow direct access and on those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.environments.parts import disk_cache as parts
from virtometer.environments.parts.disk_cache import DiskCache, disk_cache
from virtometer.errors import EnvironmentFailed

NO, YES = {"host_cache": "no"}, {"host_cache": "yes", "host_cache_reason": "refused"}
FILE = Path("/disk")


@pytest.fixture(params=[NO, YES], ids=["direct", "refuses"])
def conditions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    found: dict[str, str] = request.param
    monkeypatch.setattr(parts, "host_cache", lambda file: found)
    return found


def test_a_cache_that_nobody_asked_for_gives_way(conditions: dict[str, str]) -> None:
    found = disk_cache(FILE, "none", asked=False)
    assert found == (DiskCache("writeback", YES) if conditions is YES else DiskCache("none", NO))
    assert found.direct is (conditions is NO)


def test_a_cache_that_is_asked_for_is_there_or_an_error(conditions: dict[str, str]) -> None:
    if conditions is NO:
        assert disk_cache(FILE, "directsync", asked=True) == DiskCache("directsync", NO)
        return
    with pytest.raises(EnvironmentFailed) as caught:
        disk_cache(FILE, "directsync", asked=True)
    assert "disk_cache directsync" in caught.value.sentence and str(FILE) in caught.value.sentence


def test_with_a_cache_of_the_host_reads_come_from_there(conditions: dict[str, str]) -> None:
    found = disk_cache(FILE, "writeback", asked=True)
    assert (found.mode, found.conditions["host_cache"]) == ("writeback", "yes")
    assert ("host_cache_reason" in found.conditions) is (conditions is YES)
