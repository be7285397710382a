"""Directories that guests share with the host for real."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conformance import traces
from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments.oci_images import BUSYBOX, layout, made, user_land
from virtometer.environments.base import Environment, LabContext
from virtometer.environments.kinds.bubblewrap import Bubblewrap
from virtometer.environments.kinds.gvisor import Gvisor
from virtometer.environments.kinds.native import Native, NativeSettings
from virtometer.environments.kinds.runc import Runc
from virtometer.environments.kinds.uml.kind import UserModeLinux
from virtometer.environments.parts.binds import BindSettings
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.parts.root_settings import RootSettings
from virtometer.environments.registry import KINDS
from virtometer.errors import EnvironmentFailed

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounts need root")


@pytest.mark.parametrize(
    "wrong",
    ["", "/a", "a:/b", "/a:b", "/a:/b:rx", "/a:/b:ro:", "/a:/", "/a:/proc/x", "/a:/run", "/a:/b/../c", "/a\0:/b"],
)
def test_what_is_no_bind_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError):
        BindSettings(bind=(wrong,))


@pytest.mark.parametrize("root", ["agent", "debian"])
def test_only_what_guests_write_into_can_have_something_bound_over_it(root: str) -> None:
    with pytest.raises(ValidationError, match="root host"):
        RootSettings(root=root, bind=("/srv:/srv",))
    assert RootSettings(root="oci:/srv/image", bind=("/srv:/srv",)).bind


@pytest.mark.parametrize("kind", ["qemu", "kvm", "libvirt-lxc"])
@pytest.mark.parametrize("root", ["host", "oci:/srv/image"])
def test_kinds_that_share_nothing_with_the_host_refuse_it(kind: str, root: str) -> None:
    with pytest.raises(ValidationError, match="not possible here"):
        KINDS[kind].settings_type.model_validate({"root": root, "bind": ["/srv:/srv"]})


def test_links_of_a_root_directory_lead_nowhere_else(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / "link").symlink_to("/in/../in")
    (root / "out").symlink_to("../../../../etc")
    (root / "loop").symlink_to("loop")
    settings = BindSettings(bind=("/srv:/link/x", "/srv:/out", "/srv:/new/er"))
    assert [str(one.guest) for one in settings.binds(root)] == ["/in/x", "/etc", "/new/er"]
    with pytest.raises(EnvironmentFailed, match="links"):
        BindSettings(bind=("/srv:/loop",)).binds(root)


def test_what_the_host_does_not_have_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailed, match="does not exist"):
        BindSettings(bind=(f"{tmp_path}/none:/srv",)).binds()


def shell(talk: Talk, script: str) -> None:
    talk.measure("command", "time", {"program": "/bin/sh", "arguments": f'["-c", "{script}"]'}, seconds=0.001)


@needs_root
@pytest.mark.parametrize("kind", [Native, Runc, Bubblewrap, Gvisor, UserModeLinux])
def test_what_is_written_there_the_host_has_unless_it_is_for_reading_alone(
    lab: LabContext, new_id: Callable[[], str], tmp_path: Path, kind: type[Environment]
) -> None:
    environment = kind(lab)
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    for name in ("open", "closed", "there", "there too"):
        (tmp_path / name).mkdir()
    (tmp_path / "closed" / "data").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "there")
    bind = (f"{tmp_path}/open:{tmp_path}/link", f"{tmp_path}/closed:{tmp_path}/there too:ro")
    own_root = {"root": "host"} if "root" in kind.settings_type.model_fields else {}
    settings = kind.settings_type.model_validate({"bind": bind, **own_root})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    assert isinstance(guest, ProcessGuest)
    try:
        talk = Talk(guest)
        talk.greet()
        shell(
            talk,
            f"echo from the guest > {tmp_path}/link/new && cat '{tmp_path}/there too/data' && "
            f"! (echo from the guest > '{tmp_path}/there too/data')",
        )
        assert guest.effective["bind"] == [
            f"{tmp_path}/open:{tmp_path}/there:rw", f"{tmp_path}/closed:{tmp_path}/there too:ro",
        ]  # fmt: skip
    finally:
        guest.stop()
    assert (tmp_path / "open" / "new").read_text() == "from the guest\n"
    assert (tmp_path / "closed" / "data").read_text() == "x"
    assert not list((tmp_path / "there").iterdir())
    assert traces.of(guest.guest_id) == []


@needs_root
@pytest.mark.skipif(not BUSYBOX.exists(), reason="the image has busybox-static")
@pytest.mark.parametrize("kind", [Native, Runc, Bubblewrap, Gvisor, UserModeLinux])
def test_what_is_shared_lies_over_an_image_too(
    lab: LabContext, new_id: Callable[[], str], tmp_path: Path, kind: type[Environment]
) -> None:
    layout(tmp_path / "image", {"v1": made(user_land())})
    cache = tmp_path / "cache"
    cache.mkdir()
    environment = kind(dataclasses.replace(lab, cache=cache, host_programs=()))
    if not (check := environment.check()).works:
        pytest.skip(f"{kind.kind} does not work here: {check.reason}")
    (tmp_path / "open").mkdir()
    (tmp_path / "closed").write_text("x")
    bind = (f"{tmp_path}/open:/srv/app/new", f"{tmp_path}/closed:/etc/closed:ro")
    settings = kind.settings_type.model_validate({"bind": bind, "root": f"oci:{tmp_path}/image:v1"})
    environment.prepare(settings)
    guest = environment.start(settings, new_id())
    try:
        talk = Talk(guest)
        talk.greet()
        script = "echo y >/srv/app/new/file && cat /etc/closed && ! (echo z >/etc/closed) 2>/dev/null && ls /srv/app"
        asked = {"words": ["/bin/sh", "-c", script], "seconds": 30}
        assert talk.session.request("run-program", asked, ANSWER_S) == {"status": 0, "output": "xnew"}
        assert guest.effective["bind"] == [f"{bind[0]}:rw", bind[1]]
    finally:
        guest.stop()
    assert (tmp_path / "open/file").read_text() == "y\n"
    assert not list((tmp_path / "cache/images").glob("oci-*/root/srv/app/*"))
    assert traces.of(guest.guest_id) == []


def test_natively_the_same_path_needs_nothing_and_nothing_is_made_on_the_host(
    lab: LabContext, new_id: Callable[[], str], tmp_path: Path
) -> None:
    guest = Native(lab).start(NativeSettings(bind=(f"{tmp_path}:{tmp_path}",)), new_id())
    assert guest.effective["bind"] == [f"{tmp_path}:{tmp_path}:rw"]
    guest.stop()
    with pytest.raises(EnvironmentFailed, match="and there is none"):
        Native(lab).start(NativeSettings(bind=(f"{tmp_path}:{tmp_path}/none",)), new_id())
    assert not (tmp_path / "none").exists()
