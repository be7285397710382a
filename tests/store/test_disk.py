"""Full, read-only and forbidden disks, real ones: small file systems in a mount namespace of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sentences import Said

ROOT = Path(__file__).resolve().parents[2]
UNSHARE = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
MAY_MOUNT = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "t", "/mnt"], capture_output=True, check=False)
needs_mount = pytest.mark.skipif(
    MAY_MOUNT.returncode != 0, reason=f"no mount namespace for this user: {MAY_MOUNT.stderr.decode().strip()}"
)

PREAMBLE = """
import os, sys
from pathlib import Path
from tests.store.campaigns import campaign, done, guest
from virtometer.errors import LedgerError, StorageError
from virtometer.store.ledger import Ledger
place = Path(sys.argv[1])
of = campaign(2000)
def fill():
    with open(place / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
"""


def in_namespace(tmp_path: Path, mount: str, program: str) -> list[str]:
    """Run `program` where `mount` (a shell command, $P is the place) was run first; return its lines."""
    script = f'P=$1; {mount} && exec "$2" -c "$3" "$P"'
    result = subprocess.run(
        [*UNSHARE, "sh", "-c", script, "sh", str(tmp_path), sys.executable, PREAMBLE + program],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=120,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


@needs_mount
def test_a_disk_that_becomes_full_loses_nothing(said: Said, tmp_path: Path) -> None:
    lines = in_namespace(
        tmp_path,
        'mount -t tmpfs -o size=2m t "$P"',
        """
recorded = 0
ledger = Ledger.create(place / "r", of)
try:
    for trial in of.planned:
        ledger.record([done(trial, 200)], [guest(trial.index)], [])
        recorded += 1
except StorageError as error:
    print(error.sentence)
    print(error.advice)
print(len(ledger.finished()) == recorded, recorded > 5)
back = ledger.read()
print(all(record == done(record.trial, 200) for record in back.trials), len(back.trials) == recorded)
ledger.close()
fill()
for write in False, True:
    try:
        with Ledger.open(place / "r", write=write) as again:
            print(write, len(again.finished()) == recorded, len(again.read().trials) == recorded)
    except StorageError as error:
        print(write, error.sentence)
os.unlink(place / "filler")
os.truncate(place / "r" / "plan.yaml", 0)
os.system("mount -o remount,size=8m " + str(place))
with Ledger.open(place / "r", write=True) as again:
    trial = of.planned[recorded]
    again.record([done(trial, 200)], [guest(trial.index)], [])
    print(len(again.finished()) == recorded + 1)
""",
    )
    full, advice, *rest = lines
    said(full, directory=tmp_path / "r")
    said(advice, directory=tmp_path / "r")
    assert rest[:2] == ["True True", "True True"]
    assert rest[2] == "False True True"  # reading works on a full disk
    assert rest[3] in {"True True True", f"True {full}"}
    assert rest[4:] == ["True"]


@needs_mount
def test_a_campaign_cannot_begin_on_a_full_disk_and_begins_when_there_is_space(tmp_path: Path) -> None:
    lines = in_namespace(
        tmp_path,
        'mount -t tmpfs -o size=2m t "$P"',
        """
fill()
for left in range(0, 800_000, 20_000):
    os.truncate(place / "filler", os.path.getsize(place / "filler") - 20_000)
    try:
        if (place / "r" / "ledger.sqlite").exists():  # it was made, but there was no space to work with it
            ledger = Ledger.open(place / "r", write=True)
        else:
            ledger = Ledger.create(place / "r", of)
        print("begun", left > 100_000, ledger.read() == of)
        break
    except StorageError as error:
        print(error.sentence)
""",
    )
    words = f"there is no space left for {tmp_path / 'r'};"
    assert set(lines[:-1]) == {f"{words} nothing has begun", f"{words} every trial recorded before is kept"}
    assert lines[-1] == "begun True True"


MADE = """
ledger = Ledger.create(place, of)
for trial in of.planned[:3]:
    ledger.record([done(trial)], [guest(trial.index)], [])
if sys.argv[2] == "closed":
    ledger.close()
os._exit(0)
"""


def made(directory: Path, *, leave_log: bool) -> None:
    """A campaign with three trials; `leave_log`: as a laboratory that was killed leaves it."""
    end = "killed" if leave_log else "closed"
    subprocess.run([sys.executable, "-c", PREAMBLE + MADE, str(directory), end], check=True, cwd=ROOT, timeout=120)
    assert (directory / "ledger.sqlite-wal").exists() == leave_log


@needs_mount
@pytest.mark.parametrize("leave_log", [False, True])
def test_a_read_only_disk_can_be_read_but_not_written(tmp_path: Path, leave_log: bool) -> None:
    made(tmp_path / "r", leave_log=leave_log)
    lines = in_namespace(
        tmp_path,
        'mount --bind "$P" "$P" && mount -o remount,bind,ro "$P"',
        """
import tempfile
if not (place / "r" / "ledger.sqlite-wal").exists():
    tempfile.tempdir = str(place)  # no room for a copy
with Ledger.open(place / "r") as ledger:
    print(ledger.finished(), ledger.read().trials == tuple(done(trial) for trial in of.planned[:3]))
for attempt in (lambda: Ledger.open(place / "r", write=True)), (lambda: Ledger.create(place / "new", of)):
    try:
        attempt()
    except StorageError as error:
        print(error.sentence)
""",
    )
    assert lines == [
        "{0, 1, 2} True",
        f"{tmp_path / 'r'} is on a read-only file system",
        f"{tmp_path / 'new'} is on a read-only file system",
    ]


def test_files_that_grow_too_large_are_a_full_disk(tmp_path: Path) -> None:
    """A limit on file sizes (ulimit -f), which needs no mount."""
    program = """
import resource
ledger = Ledger.create(place / "r", of)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
recorded = 0
try:
    for trial in of.planned:
        ledger.record([done(trial, 200)], [guest(trial.index)], [])
        recorded += 1
except StorageError as error:
    print("kept" in error.sentence)
print(ledger.finished() == set(range(recorded)))
"""
    result = subprocess.run(
        [sys.executable, "-c", PREAMBLE + program, str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=120,
    )  # fmt: skip
    assert result.stdout.splitlines() == ["True", "True"], result.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_no_permission(tmp_path: Path) -> None:
    """As an ordinary user, in directories of root."""
    made(tmp_path / "unreadable", leave_log=False)
    (tmp_path / "unreadable").chmod(0o700)
    made(tmp_path / "file", leave_log=False)
    (tmp_path / "file" / "ledger.sqlite").chmod(0o600)
    made(tmp_path / "readable", leave_log=False)
    program = """
os.setgid(65534)
os.setuid(65534)
os.environ["TMPDIR"] = "/tmp"
for name in "unreadable", "file", "readable":
    for write in False, True:
        try:
            with Ledger.open(place / name, write=write) as ledger:
                print(name, write, ledger.finished())
        except LedgerError as error:
            print(name, write, error.sentence)
try:
    Ledger.create(place / "new", of)
except LedgerError as error:
    print(error.sentence)
"""
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == 0 and path != Path("/") and path != Path("/tmp"):
            path.chmod(0o755)
    result = subprocess.run(
        [sys.executable, "-c", PREAMBLE + program, str(tmp_path)],
        capture_output=True, text=True, check=False, cwd=ROOT, timeout=120,
    )  # fmt: skip
    assert result.stdout.splitlines() == [
        f"unreadable False no permission to use {tmp_path / 'unreadable'}",
        f"unreadable True no permission to use {tmp_path / 'unreadable'}",
        f"file False no permission to use {tmp_path / 'file'}",
        f"file True no permission to use {tmp_path / 'file'}",
        "readable False {0, 1, 2}",
        f"readable True no permission to use {tmp_path / 'readable'}",
        f"no permission to use {tmp_path / 'new'}",
    ], result.stderr
