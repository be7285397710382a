"""The host's files in a sandbox of an ordinary user: read, never changed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.conversation import ANSWER_S, Talk
from tests.environments.booted import require
from tests.host.owned.mounted import mounted
from tests.ordinary_user import MakeUser
from virtometer.environments.base import LabContext
from virtometer.environments.kinds.bubblewrap import Bubblewrap, BubblewrapSettings
from virtometer.environments.parts.guest_root import LAYERS
from virtometer.host.network.lan import Lan
from virtometer.host.owned.journal import Journal
from virtometer.programs import Programs

SCRIPT = """
cat there; id -u
echo new >new; echo changed >there; cat new there
echo new >/tmp/virtometer-new; cat /tmp/virtometer-new
echo changed >/etc/hostname
"""


class OfUser:
    """What a user does with a sandbox. Its current directory is `current`, or one that it makes."""

    def __init__(self, agent: Path, where: str, guest_id: str, current: Path | None = None) -> None:
        self.agent, self.where, self.guest_id, self.current = agent, where, guest_id, current

    def __call__(self) -> tuple[str, dict[str, str], str, list[str]]:
        """Output of the script, layers, the current directory, what is left."""
        here = Path(tempfile.mkdtemp(dir=self.where))
        try:
            return self._in(here)
        finally:
            os.chdir("/")
            shutil.rmtree(here)

    def _in(self, here: Path) -> tuple[str, dict[str, str], str, list[str]]:
        scratch, cache, current = here / "scratch", here / "cache", self.current or here / "current"
        for directory in (scratch, cache, current):
            directory.mkdir(exist_ok=True)
        (current / "there").write_text("read\n")
        agent = Path(shutil.copy(self.agent, here / "agent"))
        os.chdir(current)
        programs, journal = Programs(), Journal(here / "state")
        lab = LabContext(agent, cache, scratch, None, journal, programs, Lan(journal, programs))
        environment, settings = Bubblewrap(lab), BubblewrapSettings(root="host")
        environment.prepare(settings)
        guest = environment.start(settings, self.guest_id)
        try:
            talk = Talk(guest)
            talk.greet()
            words = ["/bin/sh", "-c", f"exec 2>/dev/null; cd {current}; {SCRIPT}"]
            ran = talk.session.request("run-program", {"words": words, "seconds": 20}, ANSWER_S)
            layers = dict(guest.effective[LAYERS])
        finally:
            guest.stop()
        left = [path.name for path in (*current.iterdir(), *scratch.iterdir(), *journal.directory.iterdir())]
        left += [(current / "there").read_text(), str(Path("/tmp/virtometer-new").exists())]
        return ran["output"], layers, str(current), left


@pytest.mark.parametrize("where", ["/tmp", "/var/tmp"])
@pytest.mark.parametrize("mount_in_tmp", [True, False])
def test_an_ordinary_user_writes_into_layers_and_changes_nothing(
    where: str, mount_in_tmp: bool, lab: LabContext, make_user: MakeUser, new_id: Callable[[], str], tmp_path: Path
) -> None:
    require(Bubblewrap(lab).check())
    user = make_user()
    of_user = OfUser(lab.agent, where, new_id())
    if mount_in_tmp:
        below = Path(tempfile.mkdtemp(dir="/tmp"))
        with mounted(below, "-t", "tmpfs", "none"):
            output, layers, current, left = user.call(of_user)
        below.rmdir()
        assert layers == {"/": "read-only", "/tmp": "empty", current: "overlay"}
    else:
        output, layers, current, left = user.call(of_user)
        # Where anything is mounted in /tmp, by other tests too, it has no layer.
        assert layers["/"] == "read-only"
        assert "overlay" in (layers["/tmp"], layers.get(current))
    assert output == f"read\n{user.uid}\nnew\nchanged\nnew"
    assert left == ["there", "read\n", "False"]


def test_a_directory_with_mounts_below_has_no_layer_and_can_be_read(
    lab: LabContext, make_user: MakeUser, new_id: Callable[[], str]
) -> None:
    require(Bubblewrap(lab).check())
    user = make_user()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        shutil.chown(directory, user.uid, user.uid)
        below = Path(directory, "below")
        below.mkdir()
        with mounted(below, "-t", "tmpfs", "none"):
            output, layers, current, left = user.call(OfUser(lab.agent, "/var/tmp", new_id(), Path(directory)))
    assert (current, layers["/"], layers[current]) == (directory, "read-only", "read-only")
    assert output == f"read\n{user.uid}\nread\nnew"
    assert sorted(left) == ["False", "below", "read\n", "there"]
