"""What guests boot from: an initramfs with the agent, and a kernel for guests that have none of their own.

Everything is made beside its final place and renamed into it, so that an interruption leaves no half image, and is
named after its content, so that a finished image is never made twice and never goes stale.

Sources: Linux Documentation/driver-api/early-userspace/buffer-format.rst (the archive), deb-control(5) (the package).
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import hashlib
import json
import lzma
import os
import shutil
import stat
import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from virtometer import installation
from virtometer.environments.base import LabContext
from virtometer.environments.images.apt import foreign
from virtometer.errors import EnvironmentFailed, StorageError, VirtometerError
from virtometer.host.owned.directories import remove_directory
from virtometer.host.owned.drafts import PARTIAL, draft_in
from virtometer.host.owned.journal import Journal
from virtometer.host.programs import HostProgram, files_of
from virtometer.programs import Programs

Flavour = Literal["cloud", "generic", "686"]
"""Which of Debian's kernels: cloud, for virtual machines, with few drivers; generic, with all drivers; 686, of 32
bits with all drivers."""

METAPACKAGES: dict[Flavour, str] = {
    "cloud": "linux-image-cloud-amd64",
    "generic": "linux-image-amd64",
    "686": "linux-image-686-pae",
}
"""Debian's packages that name the newest kernel of each flavour."""

WANTED_MODULES = (
    "virtio_pci", "virtio_mmio", "virtio_console",
    "virtio_blk", "virtio_scsi", "nvme", "ata_piix", "ahci", "sd_mod",
    "virtio_net", "vmxnet3", "e1000", "e1000e", "8139cp",
    "crc32c_generic", "ext4",
    "9pnet_virtio", "9p", "overlay",
)  # fmt: skip
"""Drivers that settings can ask for. A kernel may lack some, or have them built in."""

ENDING_S = 5.0  # how long what a killed laboratory had started may still write into its folder
_LAYOUT = 3  # of the kernel cache and of the initramfs: count up when what is kept in them changes


# --- the archive ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One member of an archive: `mode` with its file type bits, `device` (major, minor) for device nodes."""

    path: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def newc(entries: Iterable[ArchiveMember]) -> bytes:
    """Pack members, in their order, as an uncompressed "newc" archive. The same members give the same bytes."""
    packed = bytearray()
    for inode, entry in enumerate((*entries, ArchiveMember("TRAILER!!!", 0)), start=1):
        name = entry.path.encode() + b"\0"
        links = 2 if stat.S_ISDIR(entry.mode) else 1
        fields = (inode, entry.mode, 0, 0, links, 0, len(entry.data), 0, 0, *entry.device, len(name), 0)
        packed += b"070701" + b"".join(b"%08X" % value for value in fields) + name
        packed += bytes(-len(packed) % 4)
        packed += entry.data
        packed += bytes(-len(packed) % 4)
    return bytes(packed)


def initramfs(
    lab: LabContext, modules: Sequence[Path] = (), programs: Sequence[HostProgram] = (), binary: Path | None = None
) -> Path:
    """Return an initramfs with the agent as /init, these kernel modules, which it loads in this order, and programs.

    binary: another agent than the laboratory's usual one. Cached by the content of all of them. Raises
    EnvironmentFailed when there is no agent.
    """
    binary = binary or lab.agent
    try:
        agent = binary.read_bytes()
    except OSError as cause:
        raise EnvironmentFailed(
            f"the agent {binary} cannot be read ({cause.strerror})", advice=installation.make("setup")
        ) from cause
    files = [(module.name, module.read_bytes()) for module in modules]
    key = hashlib.sha256(b"%d" % _LAYOUT)
    for name, data in [("init", agent), *files]:
        key.update(b"\0%s\0%d\0" % (name.encode(), len(data)))
        key.update(data)
    for program in programs:
        key.update(program.digest.encode())
    path = lab.cache / "initramfs" / f"{key.hexdigest()[:32]}.cpio"
    if path.exists():
        return path
    entries = [ArchiveMember(name, stat.S_IFDIR | 0o755) for name in ("dev", "modules", "proc", "sys")]
    entries.append(ArchiveMember("tmp", stat.S_IFDIR | 0o1777))
    # The kernel opens /dev/console for its first process before that process can mount anything.
    entries.append(ArchiveMember("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)))
    entries.append(ArchiveMember("init", stat.S_IFREG | 0o755, agent))
    entries += [ArchiveMember(f"modules/{name}", stat.S_IFREG | 0o644, data) for name, data in files]
    order = "".join(f"{name}\n" for name, _ in files).encode()
    entries.append(ArchiveMember("modules/order", stat.S_IFREG | 0o644, order))
    entries += _carried(programs, {entry.path for entry in entries})
    _write_atomically(path, newc(entries), lab)
    return path


def _carried(programs: Sequence[HostProgram], there: set[str]) -> list[ArchiveMember]:
    """The files of programs of the host's, and the directories on the way to them that are not there yet."""
    entries = []
    for file in files_of(programs):
        for directory in reversed(file.relative_to("/").parents[:-1]):
            if str(directory) not in there:
                there.add(str(directory))
                entries.append(ArchiveMember(str(directory), stat.S_IFDIR | 0o755))
        try:
            entries.append(ArchiveMember(str(file.relative_to("/")), stat.S_IFREG | 0o755, file.read_bytes()))
        except OSError as cause:
            raise EnvironmentFailed(f"{file} cannot be read ({cause.strerror}), which guests need") from cause
    return entries


def _write_atomically(path: Path, data: bytes, lab: LabContext) -> None:
    try:
        with draft_in(path.parent, lab.journal, lab.programs) as work:
            draft = work / path.name
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(path)
    except OSError as cause:
        raise StorageError(f"{path} cannot be written ({cause.strerror})") from cause


# --- the kernel -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GuestKernel:
    """A kernel taken from a Debian package that was unpacked, not installed, with the modules that guests may need."""

    directory: Path
    package: str
    version: str
    depends: dict[str, tuple[str, ...]]  # of each kept module: the modules it needs directly
    built_in: tuple[str, ...]

    @property
    def image(self) -> Path:
        """The compressed kernel, as `-kernel` takes it."""
        return self.directory / "vmlinuz"

    def has(self, driver: str) -> bool:
        """Whether this kernel has the driver, as a module or built in."""
        return driver in self.depends or driver in self.built_in

    def modules(self, drivers: Iterable[str]) -> list[Path]:
        """Return the module files of these drivers and of all they need, each after what it needs.

        Raises EnvironmentFailed for a driver that this kernel lacks.
        """
        order: list[str] = []

        def visit(name: str) -> None:
            if name in order or name in self.built_in:
                return
            if name not in self.depends:
                raise EnvironmentFailed(f"the guest's kernel ({self.package} {self.version}) has no driver {name}")
            for needed in self.depends[name]:
                visit(needed)
            order.append(name)

        for driver in drivers:
            visit(driver)
        return [self.directory / "modules" / f"{name}.ko" for name in order]


def _current(kernels: Path, flavour: Flavour) -> Path:
    """The link to the kernel of this flavour that was fetched last."""
    return kernels / f"current-{flavour}"


def cached_kernel(cache: Path, flavour: Flavour = "cloud") -> GuestKernel | None:
    """Return the kernel of this flavour that `guest_kernel` fetched last, or None."""
    current = _current(cache / "kernels", flavour)
    try:
        directory = current.parent / current.readlink()
        index = json.loads((directory / "index.json").read_bytes())
        if index["layout"] != _LAYOUT or not (directory / "vmlinuz").exists():
            return None
        depends = {name: tuple(needs) for name, needs in index["depends"].items()}
        return GuestKernel(directory, index["package"], index["version"], depends, tuple(index["built_in"]))
    except (OSError, ValueError, KeyError):
        return None


def guest_kernel(
    cache: Path,
    journal: Journal,
    programs: Programs,
    flavour: Flavour = "cloud",
    wanted: Sequence[str] = WANTED_MODULES,
) -> GuestKernel:
    """Return the guests' kernel; the first time it is downloaded from the Debian archive that apt knows.

    27 MB for the flavour cloud, 71 MB for generic, 80 MB for 686. Of its drivers those that are `wanted` are kept.

    Works as an ordinary user. Raises MissingProgram without apt and dpkg, EnvironmentFailed when the download fails,
    StorageError when the cache cannot be written or something goes on writing where an earlier download was cut off.
    """
    found = cached_kernel(cache, flavour)
    if found is not None:
        return found
    kernels = cache / "kernels"
    try:
        with kept_alone(kernels):
            found = cached_kernel(cache, flavour)  # somebody else may have fetched it while we waited
            if found is None:
                fetch_kernel(kernels, journal, programs, flavour, wanted)
                found = cached_kernel(cache, flavour)
    except OSError as cause:
        raise StorageError(f"the guest's kernel cannot be kept in {kernels} ({cause.strerror})") from cause
    if found is None:
        raise EnvironmentFailed(f"the guest's kernel in {kernels} cannot be read", advice=f"remove {kernels}")
    return found


@contextlib.contextmanager
def kept_alone(place: Path) -> Iterator[None]:
    """Nobody else makes anything in this directory meanwhile; what killed laboratories had begun there is removed."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for left in place.resolve().glob(f"{PARTIAL}*"):  # under the lock these belong to nobody
            _clean_up(left)
        yield


def _clean_up(left: Path) -> None:
    """Remove the folder of a killed laboratory, again while what that had started ends and still writes there."""
    deadline = time.monotonic() + ENDING_S
    while os.path.lexists(left):
        try:
            remove_directory(left)
            return
        except OSError as cause:
            if time.monotonic() > deadline:
                raise StorageError(
                    f"{left} is left of an earlier download and cannot be removed ({cause.strerror})",
                    advice="end what still writes there, or remove it",
                ) from cause
            time.sleep(0.02)


def fetch_kernel(
    kernels: Path,
    journal: Journal,
    programs: Programs,
    flavour: Flavour = "cloud",
    wanted: Sequence[str] = WANTED_MODULES,
) -> None:
    """Download the newest kernel package of a flavour, and put its kernel and modules into the cache."""
    apt, dpkg = programs.find("apt-get", "apt"), programs.find("dpkg-deb", "dpkg")
    with draft_in(kernels, journal, programs) as work:
        download, tree, kept = work / "download", work / "tree", work / "kept"
        download.mkdir()
        # apt's own user may not write here; as an ordinary user the option has no effect.
        options: tuple[str, ...] = ("-o", "APT::Sandbox::User=root")
        if flavour == "686":
            options = foreign("i386", work / "apt", programs)
        package, version = resolve_kernel(programs, flavour, options)
        argv: list[str | Path] = [apt, *options, "-q", "download", f"{package}={version}"]
        try:
            programs.run(argv, purpose="download the guest's kernel", limit_s=600, cwd=download)
        except EnvironmentFailed as cause:
            raise EnvironmentFailed(
                f"the guest's kernel {package} {version} cannot be downloaded: {cause.sentence}",
                advice="check the network, run apt-get update as root, and try again",
            ) from cause
        archive = next(download.glob("*.deb"))
        programs.run([dpkg, "-x", archive, tree], purpose="unpack the guest's kernel", limit_s=120)
        keep_kernel(tree, kept, package, version, wanted)
        final = kernels / f"{package}_{version.replace(':', '%3a')}_{_LAYOUT}"
        shutil.rmtree(final, ignore_errors=True)
        kept.rename(final)
        link = work / "current"
        link.symlink_to(final.name)
        link.rename(_current(kernels, flavour))


def resolve_kernel(programs: Programs, flavour: Flavour = "cloud", options: Sequence[str] = ()) -> tuple[str, str]:
    """Return the package, and its version, that a flavour's metapackage stands for. Raises EnvironmentFailed.

    options: of apt-cache.
    """
    metapackage = METAPACKAGES[flavour]
    cache = programs.find("apt-cache", "apt")
    argv: list[str | Path] = [cache, *options, "--no-all-versions", "show", metapackage]
    try:
        shown = programs.run(argv, purpose="find the guest's kernel", whole=True).stdout.decode()
    except VirtometerError as cause:
        raise EnvironmentFailed(
            f"apt knows no package {metapackage}", advice="run apt-get update as root, or use a Debian machine"
        ) from cause
    for line in shown.splitlines():
        if line.startswith("Depends: "):
            name, _, rest = line.removeprefix("Depends: ").split(",")[0].strip().partition(" ")
            return name, rest.strip("()= ")
    raise EnvironmentFailed(f"the package {metapackage} names no kernel")


def keep_kernel(tree: Path, kept: Path, package: str, version: str, wanted: Sequence[str] = WANTED_MODULES) -> None:
    """Copy the kernel and the wanted modules with all they need from the unpacked package, durably."""
    image = next(tree.glob("boot/vmlinuz-*"), None)
    lists = [*tree.glob("lib/modules/*/modules.builtin"), *tree.glob("usr/lib/modules/*/modules.builtin")]
    if image is None or not lists:
        raise EnvironmentFailed(f"the package {package} {version} holds no kernel of a known layout")
    files = {_module_name(path.name): path for path in lists[0].parent.rglob("*.ko*")}
    built_in = {_module_name(Path(line).name) for line in lists[0].read_text().split()}
    (kept / "modules").mkdir(parents=True)
    depends: dict[str, list[str]] = {}
    waiting = [name for name in wanted if name in files]
    while waiting:
        name = waiting.pop()
        if name in depends:
            continue
        data = _read_module(files[name])
        depends[name] = [needed for needed in module_depends(data) if needed not in built_in]
        waiting += depends[name]
        (kept / "modules" / f"{name}.ko").write_bytes(data)
    shutil.copyfile(image, kept / "vmlinuz")
    index = {
        "layout": _LAYOUT, "package": package, "version": version, "depends": depends,
        "built_in": sorted(name for name in wanted if name in built_in),
    }  # fmt: skip
    (kept / "index.json").write_text(json.dumps(index, indent=1, sort_keys=True))
    sync_tree(kept)


def sync_tree(tree: Path) -> None:
    """Write a directory and all that is below it to the disk: no name that is trusted later may exist without its data.

    Unwritten data would also be written later, while disks are measured.
    """
    for path in (*tree.rglob("*"), tree):
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _module_name(file: str) -> str:
    return file.partition(".ko")[0].replace("-", "_")


def _read_module(path: Path) -> bytes:
    """A module's bytes, decompressed: the agent hands them to the kernel as they are."""
    data = path.read_bytes()
    match path.suffix:
        case ".ko":
            return data
        case ".xz":
            return lzma.decompress(data)
        case ".gz":
            return gzip.decompress(data)
        case suffix:
            raise EnvironmentFailed(f"the kernel module {path.name} is compressed in an unknown way ({suffix})")


def module_depends(module: bytes) -> tuple[str, ...]:
    """Return the names of the modules that this one (an ELF file) needs, as its .modinfo section has them."""
    try:
        if module[:6] not in (b"\x7fELF\x01\x01", b"\x7fELF\x02\x01"):
            raise ValueError("not a little-endian ELF file of 32 or 64 bits")
        wide = module[4] == 2
        (table,) = struct.unpack_from("<Q" if wide else "<I", module, 0x28 if wide else 0x20)
        size, count, names_at = struct.unpack_from("<HHH", module, 0x3A if wide else 0x2E)
        entry = "<IIQQQQ" if wide else "<IIIIII"
        sections = [struct.unpack_from(entry, module, table + size * index) for index in range(count)]
        names = sections[names_at][4]
        for name, _, _, _, offset, length in sections:
            start = names + name
            if module[start : module.index(b"\0", start)] == b".modinfo":
                for field in module[offset : offset + length].split(b"\0"):
                    key, _, value = field.partition(b"=")
                    if key == b"depends":
                        return tuple(word.replace("-", "_") for word in value.decode().split(",") if word)
    except (struct.error, ValueError, IndexError) as cause:
        raise EnvironmentFailed(f"a kernel module of the guest's kernel cannot be read ({cause})") from cause
    return ()
