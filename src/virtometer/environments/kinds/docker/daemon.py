"""A Docker daemon of this host, asked through the program docker: what it is, and what it has of ours.

Everything of ours has a name that begins with `virtometer-` and ends at random, and a label. Nothing else is ever
removed. Sources: docker(1), docs.docker.com/reference.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.errors import EnvironmentFailed
from virtometer.host.owned.journal import Resource
from virtometer.programs import Programs, Words
from virtometer.visible import one_line

PROGRAM = "docker"
PACKAGE = "docker.io"
LABEL = "virtometer"
_OURS = "virtometer-"
_SCHEME = "unix://"
_USUAL = "unix:///var/run/docker.sock"
_LIMIT_S = 60.0
_LATE_S = 0.3  # the daemon may still work on what a laboratory asked for that was killed since
_BUSY_S = 10.0
_PIPE = 'n=$1; shift; "${@:1:n}" | "${@:n+1}"'  # two programs, the first one of so many words
_START_IT = "start dockerd (Debian package docker.io), or name its socket by the setting socket or DOCKER_HOST"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a daemon says of itself. runtimes: their names. cgroup_driver: cgroupfs, systemd or none."""

    version: str
    runtimes: tuple[str, ...]
    default_runtime: str
    cgroup_driver: str
    storage_driver: str
    security: tuple[str, ...]


class Daemon:
    """The daemon at one address."""

    def __init__(self, programs: Programs, address: str) -> None:
        """Does no work."""
        self._programs = programs
        self.address = address
        self._facts: Facts | None = None

    def run(self, words: Words, *, purpose: str, limit_s: float = _LIMIT_S) -> str:
        """Run one command of docker; returns what it printed. Raises EnvironmentFailed with the daemon's reason."""
        result = self._programs.run(self.argv(words), purpose=purpose, limit_s=limit_s, check=False, whole=True)
        self._require_success(result, purpose)
        return result.stdout.decode(errors="replace").strip()

    def _require_success(self, result: subprocess.CompletedProcess[bytes], purpose: str) -> None:
        if result.returncode != 0:
            self.require()
            raise EnvironmentFailed(f"Docker at {self.address} ({purpose}): {_reason(result.stderr)}")

    def argv(self, words: Words) -> Words:
        """The whole command line of one command of docker. Raises MissingProgram."""
        return [self._programs.find(PROGRAM, PACKAGE), "--host", self.address, *words]

    def require(self) -> None:
        """Raise EnvironmentFailed where no daemon of this host answers this user."""
        path = _path_of(self.address)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
            one.settimeout(5.0)
            try:
                one.connect(str(path))
            except PermissionError as cause:
                raise EnvironmentFailed(
                    f"this user has no right to use the Docker daemon at {self.address}",
                    advice="run as root, or as a user of the group docker",
                ) from cause
            except OSError as cause:
                raise EnvironmentFailed(f"no Docker daemon answers at {self.address}", advice=_START_IT) from cause

    def facts(self) -> Facts:
        """What the daemon says of itself, asked once. Raises EnvironmentFailed where its containers are elsewhere."""
        if self._facts is None:
            self.require()
            printed = self.run(["info", "--format", "{{json .}}"], purpose="ask the daemon what it is")
            try:
                self._facts = self._read(json.loads(printed))
            except (ValueError, KeyError, TypeError, AttributeError) as cause:
                raise EnvironmentFailed(
                    f"what answers at {self.address} is no Docker daemon", advice=_START_IT
                ) from cause
        return self._facts

    def _read(self, info: Mapping[str, Any]) -> Facts:
        here = os.uname().release
        if info["KernelVersion"] != here:
            raise EnvironmentFailed(
                f"the containers of the Docker daemon at {self.address} are not on this host: their kernel is "
                f"{one_line(str(info['KernelVersion']))}, and this one is {here}",
                advice="use a daemon that runs on this host itself",
            )
        return Facts(
            version=one_line(str(info["ServerVersion"])),
            runtimes=tuple(sorted(one_line(name) for name in info["Runtimes"])),
            default_runtime=one_line(str(info["DefaultRuntime"])),
            cgroup_driver=one_line(str(info["CgroupDriver"])),
            storage_driver=one_line(str(info["Driver"])),
            security=tuple(one_line(str(word)) for word in info["SecurityOptions"] or ()),
        )

    def runtime(self, wanted: str | None) -> str:
        """The runtime of containers. Raises EnvironmentFailed where the daemon does not know the one that is wanted."""
        known = self.facts()
        if wanted is None:
            return known.default_runtime
        if wanted not in known.runtimes:
            raise EnvironmentFailed(
                f"the Docker daemon at {self.address} has no runtime {wanted}",
                advice=f"choose from {', '.join(known.runtimes)}, or add it to the daemon's runtimes",
            )
        return wanted

    def inspect(self, name: str) -> dict[str, Any]:
        """A container as the daemon has it."""
        printed = self.run(["container", "inspect", name], purpose=f"look at {name}")
        try:
            [found] = json.loads(printed)
            return dict(found)
        except (ValueError, TypeError) as cause:
            raise EnvironmentFailed(f"Docker at {self.address} does not describe the container {name}") from cause

    def has_image(self, name: str) -> bool:
        """Whether it has an image; true where it does not say."""
        words: Words = ["image", "inspect", "--format", "{{.Id}}", name]
        result = self._programs.run(self.argv(words), purpose=f"look for {name}", limit_s=_LIMIT_S, check=False)
        return result.returncode == 0 or "no such image" not in result.stderr.decode(errors="replace").lower()

    def import_directory(self, root: Path, name: str, label: str, limit_s: float) -> None:
        """Make an image of all that is in a directory. Raises EnvironmentFailed; the image may be there then."""
        tar: Words = [self._programs.find("tar", "tar"), "--create", "--numeric-owner", f"--directory={root}", "."]
        made = self.argv(["import", "--change", f"LABEL {label}", "-", name])
        words: Words = [self._programs.find("bash", "bash"), "-o", "pipefail", "-c", _PIPE, "bash", str(len(tar))]
        purpose = f"import the image {name}"
        try:
            result = self._programs.run([*words, *tar, *made], purpose=purpose, limit_s=limit_s, check=False)
            self._require_success(result, purpose)
        except BaseException:  # also an interrupt, or the limit
            time.sleep(_LATE_S)
            raise

    def logs(self, name: str) -> str:
        """The end of what a container has printed; nothing where the daemon does not say."""
        words: Words = ["logs", "--tail", "40", name]
        result = self._programs.run(self.argv(words), purpose=f"what {name} printed", check=False)
        return (result.stdout + result.stderr).decode(errors="replace") if result.returncode == 0 else ""

    def remove(self, words: Words, purpose: str) -> bool:
        """Remove something of ours by these words of docker; returns whether it was there.

        Raises EnvironmentFailed where it stays.
        """
        deadline = time.monotonic() + _BUSY_S
        while True:
            result = self._programs.run(self.argv(words), purpose=purpose, limit_s=_LIMIT_S, check=False)
            said = _reason(result.stderr)
            if result.returncode == 0 and "no such" not in said.lower():
                return True
            if "no such" in said.lower():
                return False
            self.require()
            busy = "in progress" in said or "in use" in said or "being used" in said
            if not busy or time.monotonic() > deadline:
                raise EnvironmentFailed(f"Docker at {self.address} ({purpose}): {said}")
            time.sleep(0.05)


def _reason(stderr: bytes) -> str:
    """The daemon's own words, in one line."""
    lines = [line for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    told = [line for line in lines if "rror" in line] or lines
    words = told[0] if told else "without a word"
    for before in ("docker: ", "Error response from daemon: ", "Error: "):
        words = words.removeprefix(before)
    return one_line(words).rstrip(".")


def address_of(programs: Programs, given: str | None) -> str:
    """Where the daemon is: the setting socket, else what docker itself would use (DOCKER_HOST, the context).

    Raises EnvironmentFailed where that is not a socket of this host.
    """
    if given is not None:
        found = given if "://" in given else f"{_SCHEME}{given}"
    elif not (found := os.environ.get("DOCKER_HOST", "")):
        words: Words = [programs.find(PROGRAM, PACKAGE), "context", "inspect"]
        words += ["--format", "{{.Endpoints.docker.Host}}"]
        asked = programs.run(words, purpose="where the Docker daemon is", check=False)
        found = asked.stdout.decode(errors="replace").strip() if asked.returncode == 0 else ""
        found = found or _USUAL
    _path_of(found)
    return found


def _path_of(address: str) -> Path:
    if not address.startswith(_SCHEME):
        raise EnvironmentFailed(
            f"the Docker daemon at {one_line(address)} is reached over a network, and its containers are not on "
            "this host",
            advice="name the socket of a daemon of this host by the setting socket, such as /var/run/docker.sock",
        )
    path = Path(address.removeprefix(_SCHEME))
    try:
        there = stat.S_ISSOCK(path.stat().st_mode)
    except PermissionError:
        return path
    except (OSError, ValueError):
        there = False
    if not there:
        raise EnvironmentFailed(f"no Docker daemon answers at {one_line(address)}", advice=_START_IT)
    return path


# --- what a laboratory may leave ------------------------------------------------------------------------------


_REMOVE: dict[str, Words] = {
    "container": ["rm", "--force", "--volumes"],
    "volumes": ["volume", "rm", "--force"],
    "image": ["image", "rm", "--force"],
}


def remove_container(daemon: Daemon, name: str) -> bool:
    """Kill and remove a container of ours; returns whether it was there."""
    return daemon.remove([*_REMOVE["container"], name], f"remove the container {name}")


def remove_image(daemon: Daemon, name: str) -> bool:
    """Remove an image of ours; returns whether it was there."""
    return daemon.remove([*_REMOVE["image"], name], f"remove the image {name}")


def remove_volumes(daemon: Daemon, name: str, count: int) -> bool:
    """Remove so many volumes of ours, those that are there."""
    names = [f"{name}-{number}" for number in range(count)]
    return daemon.remove([*_REMOVE["volumes"], *names], f"remove the volumes of {name}")


def _late(remove: Callable[[Daemon, str], bool], what: str) -> Callable[[Mapping[str, Any], Programs], str]:
    """A function of the clean-up that removes one thing of ours, also one that the daemon finishes late."""

    def remove_late(fields: Mapping[str, Any], programs: Programs) -> str:
        name = str(fields["name"])
        if not name.startswith(_OURS):
            return ""
        daemon = Daemon(programs, str(fields["address"]))
        found = remove(daemon, name)
        if not found:
            time.sleep(_LATE_S)
            found = remove(daemon, name)
        return f"{what} {name}" if found else ""

    return remove_late


def _remove_volumes(fields: Mapping[str, Any], programs: Programs) -> str:
    name = str(fields["name"])
    if name.startswith(_OURS):
        remove_volumes(Daemon(programs, str(fields["address"])), name, int(fields["count"]))
    return ""


CONTAINER = Resource("docker-container", _late(remove_container, "container"))
VOLUMES = Resource("docker-volumes", _remove_volumes)
IMAGE = Resource("docker-image", _late(remove_image, "image"))
"""Fields: address (of the daemon), name (of ours, which outlives the laboratory and the boot of the host).

Volumes have that name and a number below `count`.
"""
