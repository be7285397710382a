"""Guests of every kind that has images: they see the files of the image, and cannot change them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments.booted import require
from tests.environments.planted_image import plant
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.images.agent_root import agent_root
from virtometer.environments.images.debian import debian_image
from virtometer.environments.parts.image_settings import ImageSettings
from virtometer.environments.registry import KINDS
from virtometer.errors import VirtometerError
from virtometer.host.programs import HostProgram

WITH_IMAGES = [kind for kind in KINDS.values() if issubclass(kind.settings_type, ImageSettings)]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="networks of guests need root")


def test_packages_belong_to_the_image_that_has_any(lab: LabContext) -> None:
    assert ImageSettings(image="debian", image_packages=("iperf3",)).image_packages == ("iperf3",)
    with pytest.raises(ValidationError, match="image_packages needs image debian"):
        ImageSettings(image_packages=("iperf3",))
    with pytest.raises(ValidationError, match="a name of Debian's"):
        ImageSettings(image="debian", image_packages=("a b",))
    assert ImageSettings().root(lab) == agent_root(lab)
    assert ImageSettings().debian(lab) is None


@needs_root
@pytest.mark.parametrize("kind", WITH_IMAGES)
def test_a_guest_has_the_files_of_its_image(
    kind: type[Environment], lab: LabContext, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    """Its program is a second agent. The kernels of machines are those of the user's cache."""
    require(kind(lab).check())
    cache = tmp_path / "cache"
    cache.mkdir()
    if (lab.cache / "kernels").is_dir():
        (cache / "kernels").symlink_to(lab.cache / "kernels")
    image = plant(cache, lab.agent)
    missing = HostProgram("fio", Path("/usr/bin/fio"), {}, "", "")
    one = dataclasses.replace(lab, cache=cache, host_programs=(missing,))
    environment = kind(one)
    settings = environment.settings_type.model_validate({"image": "debian"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        assert guest.effective["image"] == image.name
        assert "has no program fio" in guest.refused_programs["fio"]
        assert guest.find_program("tool") == "/usr/sbin/tool"
        version = {"words": ["/usr/sbin/tool", "--version"], "seconds": 20}
        ran = talk.session.request("run-program", version, ANSWER_S)
        assert (ran["status"], "virtometer-agent" in ran["output"]) == (0, True)
        fill = ["measure", "disk", "--op", "fill", "--span", "4096", "--file"]
        for place, works in (("/tmp/file", True), ("/usr/file", False)):
            words = {"words": ["/usr/sbin/tool", *fill, place], "seconds": 20}
            assert (talk.session.request("run-program", words, ANSWER_S)["status"] == 0) == works, place
    finally:
        guest.stop()
    assert sorted(path.name for path in (image.root / "usr").iterdir()) == ["sbin"]


@needs_root
@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_IMAGES)
def test_the_tools_of_the_real_image_run(kind: type[Environment], lab: LabContext, new_id: Callable[[], str]) -> None:
    require(kind(lab).check())
    try:
        debian_image(lab.cache, lab.journal, lab.programs)
    except VirtometerError as cause:
        pytest.skip(f"{cause} ({cause.advice})")
    environment = kind(lab)
    settings = environment.settings_type.model_validate({"image": "debian"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        for name, option in (("fio", "--version"), ("ab", "-V"), ("ip", "-V"), ("ethtool", "--version")):
            path = guest.find_program(name)
            assert path is not None
            ran = talk.session.request("run-program", {"words": [path, option], "seconds": 30}, 40)
            assert ran["status"] == 0, ran
    finally:
        guest.stop()
