"""`virtometer image build debian` is killed in the middle, and the next start of anything leaves nothing of it.

The programs that build are the real ones, but for what needs an archive of Debian's: apt-get and mmdebstrap. One of
them begins, starts a process in a session of its own that writes into the directory of the build, and goes on for too
long.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import wait_until
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.drafts import PARTIAL
from virtometer.host.owned.journal import state_directory
from virtometer.processes import process_stats
from virtometer.programs import Programs

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="the image debian needs root")

LATE = """#!/bin/sh
if [ "$LATE" = {name} ]; then
    cd "$XDG_CACHE_HOME"/virtometer/images/.partial-*
    mkdir mounted && mount -t tmpfs none mounted && : >mounted/file
    setsid sh -c 'while :; do date >stray; sleep 0.01; done' >/dev/null 2>&1 &
    until [ -s stray ]; do sleep 0.01; done
    : >"$BEGUN"
    sleep 600
fi
"""
APT_GET = "echo bookworm http://192.0.2.1/debian bookworm main\n"
MMDEBSTRAP = """
root=$TMPDIR/made
mkdir -p "$root/var/lib/dpkg" "$root/usr/bin" "$root/data"
printf 'Package: tool\\nVersion: 1\\n' >"$root/var/lib/dpkg/status"
shift $(($# - 2))
tar -C "$root" --sort=name --mtime=@1700000000 -cf "$1" .
"""
STAGES = ("apt-get", "mmdebstrap", "tar", "mke2fs")


@dataclass(frozen=True)
class Place:
    """A cache, a directory for temporary files and a journal in `directory`, and programs that can be late.

    Laboratories have this journal in the place of the host's, which others clean up too.
    """

    directory: Path

    @property
    def images(self) -> Path:
        return self.directory / "xdg" / "virtometer" / "images"

    @property
    def state(self) -> Path:
        return self.directory / "state"

    def words(self, *words: str) -> list[str | Path]:
        own_state: list[str | Path] = ["mount", "--bind", self.state, state_directory()]
        return [*own_mounts(Programs(), [own_state]), sys.executable, "-m", "virtometer", *words]

    def environment(self, late: str) -> dict[str, str]:
        own = {"XDG_CACHE_HOME": self.directory / "xdg", "TMPDIR": self.directory / "tmp"}
        own |= {"BEGUN": self.directory / "begun"}
        path = f"{self.directory / 'bin'}:{os.environ['PATH']}"
        return {**os.environ, **{name: str(value) for name, value in own.items()}, "PATH": path, "LATE": late}

    def begin(self, late: str) -> subprocess.Popen[bytes]:
        """A build that has come to the program that is late."""
        words = self.words("image", "build", "debian")
        build = subprocess.Popen(words, env=self.environment(late), stderr=subprocess.PIPE, start_new_session=True)
        wait_until(lambda: (self.directory / "begun").exists() or build.poll() is not None)
        assert build.poll() is None, build.communicate()[1]
        return build

    def next(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = self.environment("")
        return subprocess.run(self.words(*words), env=environment, capture_output=True, text=True, check=True)

    def left(self) -> list[str]:
        """What is left of laboratories: directories, entries of the journal, processes and mounts."""
        found = [str(path) for place in (self.directory / "tmp", self.state) for path in place.iterdir()]
        found += [str(path) for path in self.images.glob(f"{PARTIAL}*")]
        for one in process_stats():
            if one.state not in "ZX" and str(self.directory).encode() in _environment(one.pid):
                found.append(f"process {one.pid}")
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        return sorted({*found, *(line for line in mounts if str(self.directory) in line)})


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    for name in ("bin", "state", "tmp", "xdg"):
        (tmp_path / name).mkdir(mode=0o700)
    state_directory().mkdir(mode=0o700, exist_ok=True)
    scripts = {"apt-get": APT_GET, "mmdebstrap": MMDEBSTRAP}
    for name in STAGES:
        rest = scripts.get(name) or f'exec {Programs().find(name, name)} "$@"\n'
        (tmp_path / "bin" / name).write_text(LATE.format(name=name) + rest)
        (tmp_path / "bin" / name).chmod(0o755)
    return Place(tmp_path)


@pytest.mark.parametrize(
    ("late", "then"),
    [
        ("mmdebstrap", ("image", "list")),
        ("tar", ("doctor", "native")),
        ("mke2fs", ("image", "build", "debian")),
        ("mmdebstrap", ("image", "build", "debian")),
    ],
)
def test_the_next_start_cleans_up_after_a_killed_build(place: Place, late: str, then: tuple[str, ...]) -> None:
    build = place.begin(late)
    build.kill()
    build.communicate()
    before = place.left()
    assert any(PARTIAL in one for one in before) and any("process" in one for one in before), before
    ended = place.next(*then)
    assert ended.stderr.count("cleaned up: ") >= 2
    assert PARTIAL in ended.stderr
    assert place.left() == []
    if then[1] == "build":
        assert ended.stdout.startswith("debian-")
        assert [path.name for path in place.images.glob("debian-*/image.json")] == ["image.json"]


@pytest.mark.parametrize("late", ["mmdebstrap", "mke2fs"])
def test_a_build_that_is_stopped_leaves_nothing(place: Place, late: str) -> None:
    build = place.begin(late)
    build.send_signal(signal.SIGINT)
    build.communicate(timeout=60)
    assert place.left() == []
