"""Guests of every kind that has root directories: they see the files of theirs, and change none that is shared."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments.booted import require
from tests.environments.oci_images import BUSYBOX, content, layout, made, user_land
from tests.environments.planted_image import plant
from tests.host.owned.mounted import mounted
from tests.sentences import Said
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.images.agent_root import agent_root
from virtometer.environments.images.debian import debian_image
from virtometer.environments.kinds.native import Native
from virtometer.environments.parts.guest_root import LAYERS, GuestRoot
from virtometer.environments.parts.oci_environment import OciSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.environments.registry import KINDS
from virtometer.errors import VirtometerError
from virtometer.host.mount_table import mount_table
from virtometer.host.programs import HostProgram

WITH_ROOTS = [kind for kind in KINDS.values() if issubclass(kind.settings_type, RootSettings)]
WITH_THE_HOSTS: list[type[Environment]] = [
    kind for kind in WITH_ROOTS if issubclass(kind.settings_type, RootSettings) and not kind.settings_type.no_host_root
]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="networks of guests need root")


SCRIPT = """#!/bin/sh
set -e
cat "$1"
python3 -c 'import math, multiprocessing; multiprocessing.Lock(); print(math.sqrt(9))'
echo changed >"$1"
echo written >"$2/new"
echo written >"$3"
if (echo changed >"$4") 2>/dev/null; then echo "$4"; fi
cat "$2/new"
"""


class Hosts:
    """Files of the host: a script, and the laboratory's current directory in a file system of its own."""

    def __init__(self, directory: Path) -> None:
        self.script, self.current, self.file = (directory / name for name in ("script", "a current one", "file"))
        self.in_tmp = Path("/tmp", f"virtometer-{directory.name}")
        self.script.write_text(SCRIPT)
        self.script.chmod(0o755)
        self.file.touch()
        self.current.mkdir()

    @property
    def words(self) -> list[str]:
        """Arguments of the script."""
        return [str(self.current / "there"), str(self.current), str(self.in_tmp), str(self.file)]

    def assert_unchanged(self) -> None:
        """Fail where a guest has changed anything."""
        assert [path.name for path in self.current.iterdir()] == ["there"]
        assert (self.current / "there").read_text() == "read\n"
        assert not self.in_tmp.exists()
        assert self.file.read_bytes() == b""


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosts]:
    """With a file that is mounted on its own: over that no layer is possible."""
    one = Hosts(tmp_path)
    with mounted(one.current, "-t", "tmpfs", "none"), mounted(one.file, "--bind", one.file):
        (one.current / "there").write_text("read\n")
        monkeypatch.chdir(one.current)
        yield one


def test_packages_belong_to_the_root_that_has_any(lab: LabContext) -> None:
    assert RootSettings(root="debian", image_packages=("iperf3",)).image_packages == ("iperf3",)
    with pytest.raises(ValidationError, match="image_packages needs root debian"):
        RootSettings(image_packages=("iperf3",))
    with pytest.raises(ValidationError, match="a name of Debian's"):
        RootSettings(root="debian", image_packages=("a b",))
    assert RootSettings().make_root(ProcessGuest(lab, "g")) == GuestRoot(agent_root(lab))
    assert RootSettings().image(lab) is None


def _cache(lab: LabContext, tmp_path: Path) -> Path:
    """An empty cache with the kernels of the user's, which are long to build."""
    cache = tmp_path / "cache"
    cache.mkdir()
    if (lab.cache / "kernels").is_dir():
        (cache / "kernels").symlink_to(lab.cache / "kernels")
    return cache


@needs_root
@pytest.mark.parametrize("kind", WITH_ROOTS)
def test_a_guest_has_the_files_of_its_image(
    kind: type[Environment], lab: LabContext, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    """Its program is a second agent."""
    require(kind(lab).check())
    cache = _cache(lab, tmp_path)
    image = plant(cache, lab.agent)
    missing = HostProgram("fio", Path("/usr/bin/fio"), {}, "", "")
    one = dataclasses.replace(lab, cache=cache, host_programs=(missing,))
    environment = kind(one)
    settings = environment.settings_type.model_validate({"root": "debian"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        assert guest.effective["root"] == image.name
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


def test_an_image_of_containers_is_named_by_a_full_path_or_a_store(said: Said) -> None:
    for root in ("oci:/srv/image:v1", "oci:docker:a", "oci:podman:a/b:c", "oci:docker://host/a"):
        assert RootSettings.model_validate({"root": root}).root == root
    for wrong in ("oci:", "oci:image", "oci:/a\nb", "image", 7, "", "oci:/" + "x" * 5000):
        with pytest.raises(ValidationError) as refused:
            RootSettings.model_validate({"root": wrong})
        said(f"{wrong!r:.20}: {refused.value.errors()[-1]['msg']}")


@needs_root
@pytest.mark.skipif(not BUSYBOX.exists(), reason="the image has busybox-static")
@pytest.mark.parametrize("kind", [Native, *WITH_ROOTS])
def test_a_guest_has_an_image_of_containers(
    kind: type[Environment], lab: LabContext, tmp_path: Path, new_id: Callable[[], str]
) -> None:
    """The same answer everywhere, as the image's user, and nothing of what it writes stays."""
    require(kind(lab).check())
    cache = _cache(lab, tmp_path)
    image = made(user_land())
    layout(tmp_path / "image", {"v1": image})
    environment = kind(dataclasses.replace(lab, cache=cache, host_programs=()))
    settings = environment.settings_type.model_validate({"root": f"oci:{tmp_path}/image:v1"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        assert guest.effective["root"] == f"oci:{content(image)}"
        assert guest.find_program("sh") == "/bin/sh"
        script = "cat /etc/passwd | wc -l; stat -c %u:%g:%a /srv/app /root; echo x >/tmp/x && cat /tmp/x; ls /srv"
        asked = {"words": ["/bin/sh", "-c", script], "seconds": 30}
        ran = talk.session.request("run-program", asked, ANSWER_S)
        # bubblewrap maps one user into its namespace, and libvirt's containers have directories of their own.
        owners = {"libvirt-lxc": "0:0", "bubblewrap": "65534:65534"}.get(kind.kind, "1234:1235")
        assert ran == {"status": 0, "output": f"2\n{owners}:755\n0:0:700\nx\napp"}
        words = {"words": ["/bin/touch", "/srv/new"], "seconds": 30}
        writable = talk.session.request("run-program", words, ANSWER_S)["status"] == 0
        assert writable == (kind.kind != "libvirt-lxc")
    finally:
        guest.stop()
    [kept] = (cache / "images").glob("oci-*")
    assert not (kept / "root" / "srv" / "new").exists()
    assert not [one for one in mount_table() if str(tmp_path) in one.point]


def test_kinds_that_cannot_reach_the_hosts_files_refuse_them(said: Said) -> None:
    assert {kind.kind for kind in WITH_ROOTS} - {kind.kind for kind in WITH_THE_HOSTS} == {"libvirt-lxc"}
    for kind in sorted(set(WITH_ROOTS) - set(WITH_THE_HOSTS), key=lambda one: one.kind):
        with pytest.raises(ValidationError) as refused:
            kind.settings_type.model_validate({"root": "host"})
        said(f"{kind.kind}: {refused.value.errors()[0]['msg']}")


@needs_root
@pytest.mark.parametrize("kind", WITH_THE_HOSTS)
def test_a_guest_with_the_hosts_files_runs_its_programs_and_changes_nothing(
    kind: type[Environment], lab: LabContext, new_id: Callable[[], str], hosts: Hosts
) -> None:
    require(kind(lab).check())
    programs = (
        HostProgram("script", hosts.script, {}, "", "it is a script"),
        HostProgram("ab", None, {}, "", "the program ab is not installed on this host"),
    )
    environment = kind(dataclasses.replace(lab, host_programs=programs))
    settings = environment.settings_type.model_validate({"root": "host"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        assert (guest.effective["root"], set(guest.refused_programs)) == ("host", {"ab"})
        layers = [guest.effective[LAYERS][str(place)] for place in ("/", hosts.current, hosts.file)]
        assert layers in (["overlay", "overlay", "read-only"], ["9p", "9p", "9p"])
        written = f"{hosts.file}\n" if layers[2] == "9p" else ""  # one layer of the guest's kernel over all
        script = environment.lab.program_path("script")
        ran = talk.session.request("run-program", {"words": [script, *hosts.words], "seconds": 30}, ANSWER_S)
        assert ran == {"status": 0, "output": f"read\n3.0\n{written}written"}
        assert not [one for one in mount_table() if str(lab.scratch) in one.point], "mounted for the guest alone"
    finally:
        guest.stop()
    hosts.assert_unchanged()


@needs_root
def test_a_guest_sees_what_its_own_agents_write_and_not_what_others_do(
    lab: LabContext, new_id: Callable[[], str]
) -> None:
    environment, settings = KINDS["runc"](lab), OciSettings(root="host")
    require(environment.check())
    first, second = environment.start(settings, new_id()), environment.start(settings, new_id())
    added = environment.add_agent(first, settings, new_id())
    try:
        lines = []
        for guest in (first, second, added):
            talk = Talk(guest)
            talk.greet()
            words = ["/bin/sh", "-c", f"echo line >>{lab.cache}/written; wc -l <{lab.cache}/written"]
            lines.append(talk.session.request("run-program", {"words": words, "seconds": 20}, ANSWER_S)["output"])
    finally:
        for guest in (added, second, first):
            guest.stop()
    assert lines == ["1", "1", "2"]
    assert not (lab.cache / "written").exists()


@needs_root
@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_ROOTS)
def test_the_tools_of_the_real_image_run(kind: type[Environment], lab: LabContext, new_id: Callable[[], str]) -> None:
    require(kind(lab).check())
    try:
        debian_image(lab.cache, lab.journal, lab.programs)
    except VirtometerError as cause:
        pytest.skip(f"{cause} ({cause.advice})")
    environment = kind(lab)
    settings = environment.settings_type.model_validate({"root": "debian"})
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
