"""The root directory of a container: an image of ours, and, for the host's own files, volumes over the image.

A directory is imported once in a laboratory, and its guests share the image. An image of containers is imported as all
others are, and the container writes into the daemon's own layer over it.

The daemon mounts an overlay of each directory of / for a container, where a volume says so, and takes it away at the
container's end. What was written lies in the guest's directory. Sources: docker-volume-create(1), overlayfs.rst.
"""

from __future__ import annotations

import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from virtometer.environments.base import LabContext
from virtometer.environments.images.agent_root import AGENT
from virtometer.environments.kinds.docker.daemon import IMAGE, LABEL, VOLUMES, Daemon, remove_image, remove_volumes
from virtometer.environments.kinds.docker.settings import DockerSettings
from virtometer.environments.parts.guest_root import LAYERS, current_directory, make_layer, mounts_below
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.errors import EnvironmentFailed
from virtometer.host.mount_table import mount_table
from virtometer.host.own_mounts import own_mounts
from virtometer.host.owned.directories import DIRECTORY
from virtometer.model.bind import Bind
from virtometer.programs import Words

_OF_KERNEL = ("/dev", "/proc", "/sys")
_OF_DAEMON = ("/etc/hosts", "/etc/hostname", "/etc/resolv.conf")  # it mounts them in every container
_LONGEST_S = 600.0  # of an import
_SPECIAL = ',:\\"'  # in the options of an overlay, and in those of docker
# $1: the guest's directory, $2: the number of the last layer. Each that cannot be mounted is printed, with - before
# its number where nothing is there at all.
_TRY = (
    'cd "$1" && for n in $(seq 0 "$2"); do '
    'mount -t overlay -o "lowerdir=lower-$n,upperdir=upper-$n,workdir=work-$n" overlay "layer-$n" 2>/dev/null '
    '|| if [ -e "lower-$n" ]; then echo "$n"; else echo "-$n"; fi; done'
)


@dataclass(frozen=True, slots=True)
class ContainerRoot:
    """image: its name. mounts: options of docker run. writable: by the guest. shared: paths of what the host has."""

    image: str
    mounts: tuple[str, ...] = ()
    writable: bool = False
    shared: tuple[str, ...] = ()


def make_image(lab: LabContext, daemon: Daemon, agent: Path, root: Path | None) -> str:
    """The name of an image of this directory, which all guests of a laboratory share, and which ends with it.

    root: has the agent in it. None: the image has what / itself has, over which `make_root` lays the rest.
    """
    return lab.shared.get(lab.journal, (daemon.address, str(root or agent)), _Import(lab, daemon, agent, root))


def make_root(guest: ProcessGuest, daemon: Daemon, settings: DockerSettings, name: str) -> ContainerRoot:
    """The root directory of a container with this name. What is its own ends with the guest."""
    agent = settings.agent(guest.lab)
    if settings.root != "host":
        root = settings.make_root(guest, agent).directory
        image = make_image(guest.lab, daemon, agent, root)
        return _with(ContainerRoot(image, writable=settings.of_containers), settings.binds(root))
    settings.note_root(guest)
    binds = settings.binds()
    places = [one for one in _places() if one not in [str(bound.guest) for bound in binds]]
    layers = tuple(_layers(guest, daemon, guest.make_directory(), places, name))
    image = make_image(guest.lab, daemon, agent, None)
    return _with(ContainerRoot(image, layers, writable=True), binds)


def shared_of(mounts: Sequence[Mapping[str, Any]], targets: Sequence[str]) -> list[str]:
    """What is shared at these places, as effective settings have it. mounts: as the daemon describes a container's."""
    return [
        f"{one['Source']}:{one['Destination']}:{'rw' if one['RW'] else 'ro'}"
        for one in mounts
        if one["Destination"] in targets
    ]


def _with(root: ContainerRoot, binds: Sequence[Bind]) -> ContainerRoot:
    """Also with what the container shares with the host."""
    mounts = [bind(one.host, str(one.guest), *(() if one.writable else ("readonly",))) for one in binds]
    return replace(root, mounts=(*root.mounts, *mounts), shared=tuple(str(one.guest) for one in binds))


@dataclass(frozen=True, slots=True)
class _Import:
    """Makes an image of a directory, or, without one, of what / itself has."""

    lab: LabContext
    daemon: Daemon
    agent: Path
    root: Path | None

    def __call__(self, guest_id: str, on_end: Callable[[Callable[[], object]], None]) -> str:
        """Import it, with a name that nobody else has."""
        lab, daemon = self.lab, self.daemon
        name = f"virtometer-{guest_id}-{secrets.token_hex(4)}"
        lab.journal.record(guest_id, IMAGE, address=daemon.address, name=name)
        on_end(lambda: remove_image(daemon, name))
        with self._directory(guest_id, on_end) as root:
            daemon.import_directory(root, name, f"{LABEL}={guest_id}", _LONGEST_S)
        return name

    @contextmanager
    def _directory(self, guest_id: str, on_end: Callable[[Callable[[], object]], None]) -> Iterator[Path]:
        if self.root is not None:
            yield self.root
            return
        directory = self.lab.scratch / guest_id
        self.lab.journal.record(guest_id, DIRECTORY, path=str(directory))
        on_end(lambda: shutil.rmtree(directory, ignore_errors=True))
        try:
            directory.mkdir(mode=0o700)
            frame = _frame(directory, self.agent)
        except OSError as cause:
            raise EnvironmentFailed(f"the image of / cannot be made in {directory}: {cause.strerror}") from cause
        yield frame
        shutil.rmtree(directory, ignore_errors=True)


def _frame(directory: Path, agent: Path) -> Path:
    """What / itself has: its links, its directories without their content, and the agent."""
    frame = directory / "frame"
    frame.mkdir(mode=0o755)
    for entry in sorted(Path("/").iterdir()):
        copy = frame / entry.name
        if entry.is_symlink():
            copy.symlink_to(entry.readlink())
        elif entry.is_dir():
            copy.mkdir()
            copy.chmod(stat.S_IMODE(entry.stat().st_mode))
    program = frame / AGENT.lstrip("/")
    shutil.copyfile(agent, program)
    program.chmod(0o755)
    return frame


def _places() -> list[str]:
    """What is laid over the image of /: its directories, and what is mounted below them."""
    directories = [str(one) for one in sorted(Path("/").iterdir()) if one.is_dir() and not one.is_symlink()]
    places = [one for one in directories if one not in _OF_KERNEL]
    below = mounts_below(mount_table(), current_directory())
    return [*places, *(one for one in below if one not in places and one not in _OF_DAEMON)]


def _layers(guest: ProcessGuest, daemon: Daemon, directory: Path, places: list[str], name: str) -> list[str]:
    """Options of docker run for a layer over each place; notes how each could be had."""
    if any(letter in str(directory) for letter in _SPECIAL):
        raise EnvironmentFailed(
            f"root host cannot have its layers in {directory}: its path has a character of {_SPECIAL}",
            advice="choose another directory for results",
        )
    for number, place in enumerate(places):
        make_layer(directory, Path(place), f"-{number}")
        (directory / f"layer-{number}").mkdir()
    words: Words = [*own_mounts(guest.lab.programs, []), "sh", "-c", _TRY, "sh", directory, str(len(places) - 1)]
    tried = guest.lab.programs.run(words, purpose="try a writable layer over each directory")
    noted = set(tried.stdout.decode().split())
    how = ["missing" if f"-{n}" in noted else "read-only" if f"{n}" in noted else "overlay" for n in range(len(places))]
    guest.effective[LAYERS] = dict(zip(places, how, strict=True))
    guest.lab.journal.record(guest.guest_id, VOLUMES, address=daemon.address, name=name, count=len(places))
    guest.on_stop(lambda: remove_volumes(daemon, name, len(places)))
    found = []
    for number, place in enumerate(places):
        match how[number]:
            case "overlay":
                found.append(_volume(directory, number, place, f"{name}-{number}", guest.guest_id))
            case "read-only":
                found.append(bind(place, place, "readonly"))
    return found


def bind(source: Path | str, target: str, *options: str) -> str:
    """The option of docker run that mounts a directory or a file of the host."""
    return ",".join([f'--mount=type=bind,"source={_quoted(str(source))}","target={_quoted(target)}"', *options])


def _volume(directory: Path, number: int, place: str, name: str, guest_id: str) -> str:
    layers = ",".join(f"{what}dir={directory}/{what}-{number}" for what in ("lower", "upper", "work"))
    options = f'volume-opt=type=overlay,volume-opt=device=overlay,"volume-opt=o={layers}"'
    label = f"volume-label={LABEL}={guest_id}"
    target = f'"target={_quoted(place)}"'
    return f"--mount=type=volume,source={name},{target},volume-driver=local,volume-nocopy,{label},{options}"


def _quoted(path: str) -> str:
    """A path within a quoted field of CSV."""
    return path.replace('"', '""')
