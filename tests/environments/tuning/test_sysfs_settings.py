"""Files below /sys as settings: which a path names, their values, and what is refused before anything is measured."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sentences import Said
from virtometer.environments.tuning.sysfs_settings import beside, chosen, files_of, is_same, read_setting, refuse_sysfs
from virtometer.errors import EnvironmentFailed
from virtometer.model import TuningStep

KERNEL = "/sys/kernel/mm/transparent_hugepage"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="files below /sys need root")
needs_pages = pytest.mark.skipif(not Path(KERNEL).exists(), reason="this kernel has no transparent huge pages")


def host(path: str, value: str = "1") -> TuningStep:
    return TuningStep(where="host", sysfs={path: value})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("always [madvise] never", "madvise"),
        ("[always] madvise never", "always"),
        ("none mq-deadline [bfq]", "bfq"),
        ("[none]", "none"),
        ("performance", "performance"),
        ("[a] [b] c", "[a] [b] c"),
        ("a[1] b", "a[1] b"),
    ],
)
def test_the_value_in_force_is_the_word_in_brackets(text: str, value: str) -> None:
    assert chosen(text) == value


def test_values_are_compared_as_the_kernel_understands_them() -> None:
    assert is_same("0x10", "16")
    assert is_same("Y", "1")
    assert is_same("1  2", "1 2")
    assert not is_same("never", "always")
    assert not is_same("1", "10")


def test_a_path_with_wildcards_is_all_files_each_once_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (0, 2, 10):
        (tmp_path / f"cpu{number}").mkdir()
        (tmp_path / f"cpu{number}" / "governor").write_text("powersave")
    (tmp_path / "cpu3").symlink_to("cpu2")
    (tmp_path / "cpu4").mkdir()
    found = files_of(f"{tmp_path}/cpu*/governor")
    assert found == [f"{tmp_path}/cpu{number}/governor" for number in (0, 2, 10)]


@pytest.mark.parametrize("pattern", ["/sys/devices/system/cpu/cpu*/no-such-file", "/sys/kernel/no-such-file"])
def test_a_file_that_the_host_lacks_is_refused(pattern: str) -> None:
    with pytest.raises(EnvironmentFailed) as caught:
        refuse_sysfs([host(pattern)])
    assert str(caught.value).startswith(f"this host has no file {pattern}")


@needs_pages
def test_a_file_that_is_read_only_is_refused(said: Said) -> None:
    with pytest.raises(EnvironmentFailed, match=f"{KERNEL}/hpage_pmd_size") as caught:
        refuse_sysfs([host(f"{KERNEL}/hpage_pmd_size")])
    said(caught.value.sentence)


@needs_pages
def test_a_file_that_only_root_can_write_is_refused_to_others(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentFailed, match=f"{KERNEL}/enabled") as caught:
        refuse_sysfs([host(f"{KERNEL}/enabled", "never")])
    said(caught.value.sentence)
    assert caught.value.advice == "run as root"


@needs_root
@needs_pages
def test_a_file_that_can_be_set_is_not_refused_and_not_changed() -> None:
    before = Path(KERNEL, "enabled").read_text()
    refuse_sysfs([host(f"{KERNEL}/enabled", "never"), TuningStep(where="host", run="true", undo="true")])
    assert Path(KERNEL, "enabled").read_text() == before


@pytest.mark.parametrize("text", ["", "one\ntwo\n"])
def test_what_has_no_value_of_one_line_could_not_be_put_back(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    with pytest.raises(EnvironmentFailed, match="no value of one line that could be put back"):
        read_setting(str(file))


@needs_pages
def test_files_of_a_group_of_settings_may_change_with_one_and_elsewhere_nothing_is_read(tmp_path: Path) -> None:
    found = beside(f"{KERNEL}/enabled")
    assert found[f"{KERNEL}/enabled"] == read_setting(f"{KERNEL}/enabled")
    assert f"{KERNEL}/defrag" in found and f"{KERNEL}/hpage_pmd_size" not in found  # that is read-only
    assert beside("/sys/kernel/rcu_expedited") == {}
    queue = tmp_path / "queue"
    queue.mkdir()
    (queue / "scheduler").write_text("none [bfq]")
    (queue / "two lines").write_text("one\ntwo\n")
    assert beside(str(queue / "scheduler")) == {str(queue / "scheduler"): "bfq"}
