from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.conformance.conversation import ANSWER_S, Talk
from tests.sentences import Said
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.gvisor import Gvisor, GvisorSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.processes import stat_of

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="gVisor with a network of its own needs root")


@pytest.fixture
def gvisor(lab: LabContext, tmp_path: Path) -> Iterator[Gvisor]:
    """gVisor with a memory of its own of what works here."""
    cache = tmp_path / "cache"
    cache.mkdir()
    yield Gvisor(dataclasses.replace(lab, cache=cache))


def start(gvisor: Gvisor, guest_id: str, **settings: Any) -> tuple[ProcessGuest, Talk]:
    guest = gvisor.start(GvisorSettings(**settings), guest_id)
    assert isinstance(guest, ProcessGuest)
    talk = Talk(guest)
    talk.greet()
    return guest, talk


@needs_root
def test_the_platform_that_works_is_found_once_and_remembered(gvisor: Gvisor, new_id: Callable[[], str]) -> None:
    check = gvisor.check()
    assert check.works, check
    assert check.found["platform"] in {"systrap", "ptrace"}
    [memory] = gvisor.lab.cache.glob("gvisor-platform-*.json")
    assert json.loads(memory.read_text()) == {"platform": check.found["platform"]}
    gvisor.lab.programs.drain()
    guest, _ = start(gvisor, new_id())
    guest.stop()
    assert guest.effective["platform"] == check.found["platform"]
    starts = [line for line in gvisor.lab.programs.drain() if "run" in line.argv]
    assert len(starts) == 1, "what is known is not tried again"


@needs_root
@pytest.mark.parametrize("content", ["", "{", "[]", '{"platform": "warp"}'])
def test_a_memory_that_is_spoilt_is_made_anew(gvisor: Gvisor, new_id: Callable[[], str], content: str) -> None:
    gvisor.platform_file().write_text(content)
    guest, _ = start(gvisor, new_id())
    guest.stop()
    assert json.loads(gvisor.platform_file().read_text())["platform"] == guest.effective["platform"]


@needs_root
def test_it_is_gvisors_kernel_that_answers(gvisor: Gvisor, new_id: Callable[[], str]) -> None:
    guest, talk = start(gvisor, new_id())
    facts = talk.session.request("facts", {}, ANSWER_S)
    assert facts["kernel"] != os.uname().release
    assert facts["pid"] == 1
    guest.stop()


@needs_root
def test_limits_take_effect_and_are_read_back(gvisor: Gvisor, new_id: Callable[[], str]) -> None:
    guest, talk = start(gvisor, new_id(), cpus=0.5, cpuset=[0], memory="1G")
    assert (guest.effective["cpus"], guest.effective["cpuset"], guest.effective["memory"]) == (0.5, "0", 1 << 30)
    talk.prepare("memory", "read", {"size": 1 << 20}, seconds=1.0)
    begin_ns, begin = guest.cpu_ns(), time.monotonic()
    talk.begin()
    talk.finish()
    share = (guest.cpu_ns() - begin_ns) * 1e-9 / (time.monotonic() - begin)
    guest.stop()
    assert share < 0.75


@needs_root
def test_the_hosts_network_stack_can_be_chosen(gvisor: Gvisor, new_id: Callable[[], str]) -> None:
    guest, talk = start(gvisor, new_id(), network="host")
    assert guest.effective["network"] == "host"
    assert talk.session.request("facts", {}, ANSWER_S)["pid"] == 1
    guest.stop()


@needs_root
def test_segmentation_offload_can_be_switched_off(gvisor: Gvisor, new_id: Callable[[], str]) -> None:
    guest, _ = start(gvisor, new_id(), gso=False)
    assert guest.effective["gso"] is False
    assert any("--gso=false" in line.argv for line in gvisor.lab.programs.drain())
    guest.stop()


@needs_root
def test_a_platform_that_does_not_work_is_refused_before_anything_is_measured(gvisor: Gvisor, said: Said) -> None:
    works = gvisor.check().found["platform"]
    gvisor.prepare(GvisorSettings.model_validate({"platform": works}))
    script = gvisor.lab.cache / "runsc"
    script.write_text("#!/bin/sh\necho no such platform >&2\nexit 1\n")
    script.chmod(0o755)
    broken = Gvisor(gvisor.lab)
    find = broken.lab.programs.find
    broken.lab.programs.find = lambda name, package: script if name == "runsc" else find(name, package)  # type: ignore[method-assign]
    with pytest.raises(EnvironmentFailed, match=r"platform ptrace .*no such platform") as caught:
        broken.prepare(GvisorSettings(platform="ptrace"))
    said(caught.value.sentence.partition(":")[0])  # what follows is runsc's own
    check = broken.check()
    assert not check.works
    assert "systrap: " in check.reason
    assert "ptrace: " in check.reason
    with pytest.raises(EnvironmentFailed, match="gVisor does not work here"):
        broken.start(GvisorSettings(), "never")


@needs_root
@pytest.mark.parametrize("mode", [0o700, 0o711])
def test_a_directory_that_its_sandbox_cannot_enter_is_named(gvisor: Gvisor, tmp_path: Path, mode: int) -> None:
    closed = tmp_path / "closed"
    scratch = closed / "temporary" / "scratch"
    scratch.mkdir(parents=True)
    closed.chmod(mode)
    one = Gvisor(replace(gvisor.lab, scratch=scratch))
    script = gvisor.lab.cache / "runsc"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    find = one.lab.programs.find
    one.lab.programs.find = lambda name, package: script if name == "runsc" else find(name, package)  # type: ignore[method-assign]
    advice = one.check().advice
    assert (str(closed) in advice) == (mode == 0o700) or tmp_path.stat().st_mode & 0o001 == 0, advice


@needs_root
@pytest.mark.parametrize("victim", [0, 1, -1], ids=["launcher", "second", "newest"])
def test_the_death_of_any_of_its_processes_leaves_none(gvisor: Gvisor, new_id: Callable[[], str], victim: int) -> None:
    guest, _ = start(gvisor, new_id())
    inside = sorted(guest.account.processes())
    assert len(inside) >= 3
    os.kill(inside[victim], signal.SIGKILL)
    guest.stop()
    for pid in inside:
        one = stat_of(pid)
        assert one is None or one.state in "ZX"


def test_without_root_the_check_says_so(gvisor: Gvisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    check = gvisor.check()
    assert not check.works
    assert "root" in check.reason
    assert check.advice == "run as root"


@needs_root
def test_without_runsc_the_check_names_the_package(gvisor: Gvisor, monkeypatch: pytest.MonkeyPatch) -> None:
    real = gvisor.lab.programs.find

    def find(name: str, package: str) -> Path:
        return real("no-such-runsc" if name == "runsc" else name, package)

    monkeypatch.setattr(gvisor.lab.programs, "find", find)
    check = gvisor.check()
    assert not check.works
    assert "runsc is not installed" in check.reason
    assert "Debian package runsc" in check.advice


@pytest.mark.parametrize("wrong", [{"platform": "warp"}, {"network": "wifi"}, {"cpus": 0}])
def test_wrong_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        GvisorSettings.model_validate(wrong)


@needs_root
def test_a_program_of_the_plan_is_checked_instead_of_the_one_on_the_path(
    gvisor: Gvisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    own = tmp_path / "own-runsc"
    shutil.copy2(gvisor.program_file(), own)
    find = gvisor.lab.programs.find
    monkeypatch.setattr(
        gvisor.lab.programs, "find", lambda name, package: find("no-such-runsc" if name == "runsc" else name, package)
    )
    assert not gvisor.check().works
    check = gvisor.check_with(GvisorSettings(program=str(own)))
    assert check.works, check
    missing = gvisor.check_with(GvisorSettings(program="/no/such/runsc"))
    assert not missing.works and "/no/such/runsc" in missing.reason
    said(missing.reason)
    assert Gvisor.check_settings == ("program",)


@needs_root
def test_the_program_is_a_setting_and_its_version_is_recorded(gvisor: Gvisor, new_id: Callable[[], str]) -> None:
    other = gvisor.lab.cache / "another-runsc"
    other.write_text(f'#!/bin/sh\nexec {gvisor.program_file()} "$@"\n')
    other.chmod(0o755)
    gvisor.prepare(GvisorSettings(program=str(other)))
    guest, _ = start(gvisor, new_id(), program=str(other))
    assert guest.effective["program"] == str(other)
    assert guest.effective["version"] and "\n" not in guest.effective["version"]
    guest.stop()
    assert any(str(other) in line.argv for line in gvisor.lab.programs.drain())


@needs_root
def test_the_runsc_that_make_built_is_taken_before_the_one_on_the_path(
    gvisor: Gvisor, new_id: Callable[[], str]
) -> None:
    on_the_path = gvisor.lab.programs.find("runsc", "runsc")
    built = gvisor.lab.cache / "gvisor" / "runsc"
    built.parent.mkdir()
    built.write_text(f'#!/bin/sh\nexec {on_the_path} "$@"\n')
    assert gvisor.program_file() == on_the_path, "a build that was cut off is not executable"
    built.chmod(0o755)
    guest, _ = start(gvisor, new_id())
    guest.stop()
    assert guest.effective["program"] == str(built)


def test_a_program_that_is_not_there_is_refused_before_anything_is_measured(gvisor: Gvisor) -> None:
    for program in ("/nonexistent/runsc", "runsc", "/proc/version"):
        with pytest.raises(EnvironmentFailed, match="which is not the full path of a program"):
            gvisor.prepare(GvisorSettings(program=program))
