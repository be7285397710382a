"""The root directory of a container: an image of ours, or layers over the host's own files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments.oci_images import BUSYBOX, content, layout, made, user_land
from tests.environments.own_dockerd import OwnDockerd
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.docker.daemon import Daemon
from virtometer.environments.kinds.docker.kind import Docker, DockerGuest
from virtometer.environments.kinds.docker.settings import DockerSettings
from virtometer.errors import EnvironmentFailed

Start = Callable[..., tuple[DockerGuest, Talk]]


@pytest.fixture
def start(daemon: OwnDockerd, lab: LabContext, new_id: Callable[[], str]) -> Iterator[Start]:
    guests = []

    def begin(**settings: Any) -> tuple[DockerGuest, Talk]:
        one, wanted = Docker(lab), DockerSettings.model_validate(settings)
        one.prepare(wanted)
        guest = one.start(wanted, new_id())
        assert isinstance(guest, DockerGuest)
        guests.append(guest)
        talk = Talk(guest)
        talk.greet()
        return guest, talk

    yield begin
    for guest in guests:
        guest.stop()


def left(daemon: OwnDockerd) -> list[str]:
    """What of ours the daemon has."""
    asked = (("ps", "--all"), ("images", "--all"), ("volume", "ls"))
    return [daemon.docker(*words, "--quiet", "--filter", "label=virtometer") for words in asked]


def images(daemon: OwnDockerd) -> list[str]:
    """The names of our images."""
    return daemon.docker("images", "--filter", "label=virtometer", "--format", "{{.Repository}}").splitlines()


def test_guests_share_an_image_that_ends_with_the_laboratory(start: Start, daemon: OwnDockerd, lab: LabContext) -> None:
    first, _ = start()
    [name] = images(daemon)
    first.stop()
    second, _ = start()
    assert images(daemon) == [name]
    assert first.name != second.name
    third, _ = start(root="host")
    assert len(images(daemon)) == 2
    assert list(lab.scratch.glob("0-shared*")) == []
    second.stop()
    third.stop()
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


def test_an_image_that_somebody_removes_is_made_again(start: Start, daemon: OwnDockerd, lab: LabContext) -> None:
    first, _ = start()
    first.stop()
    [name] = images(daemon)
    daemon.docker("image", "rm", name)
    second, _ = start()
    assert images(daemon) not in ([], [name])
    second.stop()
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


@pytest.mark.skipif(not BUSYBOX.exists(), reason="the image has busybox-static")
def test_an_import_that_a_daemon_cuts_off_leaves_nothing(
    daemon: OwnDockerd, lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, real = DockerSettings(), Daemon.argv
    fails = ["sh", "-c", "read x; echo Error: cut off >&2; exit 1"]
    monkeypatch.setattr(Daemon, "argv", lambda self, words: fails if words[0] == "import" else real(self, words))
    with pytest.raises(EnvironmentFailed, match="cut off"):
        Docker(lab).share(settings)
    assert left(daemon) == ["", "", ""]
    monkeypatch.setattr(Daemon, "argv", real)
    Docker(lab).share(settings)
    assert len(images(daemon)) == 1
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


def test_a_guest_writes_over_the_hosts_files_and_not_into_them(
    start: Start, daemon: OwnDockerd, lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "mine"
    mine.write_text("of the host")
    guest, talk = start(root="host")
    assert guest.effective["root"] == "host"
    assert guest.effective["root_layers"]["/usr"] == "overlay"
    [agent] = guest.processes()
    seen = Path(f"/proc/{agent}/root")
    assert (seen / mine.relative_to("/")).read_text() == "of the host"
    (seen / mine.relative_to("/")).write_text("of the guest")
    (seen / "usr" / "of-the-guest").touch()
    assert (seen / "bin/sh").exists()
    assert mine.read_text() == "of the host"
    assert not Path("/usr/of-the-guest").exists()
    assert not Path("/virtometer-agent").exists()
    assert talk.session.request("facts", {}, ANSWER_S)["pid"] == 1
    guest.stop()
    assert mine.read_text() == "of the host"
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


@pytest.mark.skipif(not BUSYBOX.exists(), reason="the image has busybox-static")
def test_an_image_of_containers_has_the_daemons_layer_and_what_is_shared(
    start: Start, daemon: OwnDockerd, lab: LabContext, tmp_path: Path
) -> None:
    image = made(user_land())
    layout(tmp_path / "image", {"v1": image})
    (tmp_path / "shared").mkdir()
    guest, talk = start(root=f"oci:{tmp_path}/image:v1", bind=[f"{tmp_path}/shared:/srv/app/shared"])
    script = "touch /srv/new /srv/app/shared/new && ls /srv && stat -c %u:%g /srv/app"
    asked = {"words": ["/bin/sh", "-c", script], "seconds": 30}
    assert talk.session.request("run-program", asked, ANSWER_S) == {"status": 0, "output": "app\nnew\n1234:1235"}
    talk.measure("command", "time", {"program": "/bin/id", "user": "app"}, seconds=0.001)
    assert guest.effective["root"] == f"oci:{content(image)}"
    assert guest.effective["bind"] == [f"{tmp_path}/shared:/srv/app/shared:rw"]
    assert (tmp_path / "shared/new").exists()
    guest.stop()
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


def test_what_is_shared_lies_over_the_layers(
    start: Start, daemon: OwnDockerd, lab: LabContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shared").mkdir()
    (tmp_path / "closed").write_text("x")
    bind = [f"{tmp_path}/shared:/srv", f"{tmp_path}/closed:{tmp_path}/there:ro"]
    guest, talk = start(root="host", bind=bind)
    script = f"touch /srv/new && cat {tmp_path}/there && ! (echo y >{tmp_path}/there) 2>/dev/null"
    asked = {"words": ["/bin/sh", "-c", script], "seconds": 30}
    assert talk.session.request("run-program", asked, ANSWER_S) == {"status": 0, "output": "x"}
    assert sorted(guest.effective["bind"]) == sorted([f"{bind[0]}:rw", bind[1]])
    assert (tmp_path / "shared/new").exists()
    guest.stop()
    lab.shared.close()
    assert left(daemon) == ["", "", ""]


def test_a_path_that_no_option_can_have_is_refused(daemon: OwnDockerd, lab: LabContext, tmp_path: Path) -> None:
    scratch = tmp_path / "a,b"
    scratch.mkdir()
    with pytest.raises(EnvironmentFailed, match="a,b"):
        Docker(dataclasses.replace(lab, scratch=scratch)).start(DockerSettings(root="host"), f"t{os.getpid()}-comma")
    lab.shared.close()
    assert left(daemon) == ["", "", ""]
    assert list(scratch.iterdir()) == []
