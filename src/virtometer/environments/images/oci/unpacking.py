"""Fetching an image and unpacking its layers, by skopeo and umoci, into a root directory that guests can have.

An image may be anybody's: both programs check digests, and umoci keeps every path inside the directory. What is
made here lies in a draft, which is gone where anything fails. A path that names a directory above the root is refused
before anything is unpacked. Sources: skopeo-copy(1), umoci-raw-unpack(1), tar(1), zstd(1), image-spec (layer.md).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
import re
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.environments.images.inside import inside, is_directory
from virtometer.environments.images.oci.config import ImageConfig, config_of
from virtometer.environments.images.oci.source import MOST_JSON, Source, entries
from virtometer.errors import EnvironmentFailed, StorageError
from virtometer.host.owned.directories import remove_directory
from virtometer.programs import Programs, Words

_LONGEST_S = 3_600.0
_LAYOUT = "layout:image"  # in the draft, which is the current directory: a path with a colon needs no quotes
_ZSTD = "+zstd"
"""How the type of a layer ends that zstd has packed."""

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "i686": "386", "armv7l": "arm"}
"""As images name the processors that the kernel names so."""

_MOUNT_POINTS = ("data", "dev", "proc", "run", "sys", "tmp")
"""Directories of guests where something is mounted: not links, which would lead a launcher elsewhere."""

_EXPECTED = ("etc", "usr")  # some launchers take nothing else for a root directory
_LONGEST_NAME = 200  # bytes of a path in a message
_FULL = "no space left on device"


@dataclass(frozen=True, slots=True)
class Unpacked:
    """It lies in `root` of the draft. digest: of the content, as `content_digest` says, or of the files of a directory.

    manifest: the digest of the manifest, as registries name an image; empty for a directory.
    """

    digest: str
    config: ImageConfig
    manifest: str = ""


def unpack(source: Source, work: Path, programs: Programs, *, owners: bool) -> Unpacked:
    """Make the root directory `root` in a draft. owners: files belong to whom the image says, which only root can do.

    Raises EnvironmentFailed with the reason where that is impossible, StorageError where the disk is full,
    MissingProgram without skopeo or umoci, or without zstd where it has packed a layer.
    """
    if source.transport == "directory":
        found = _copied(source, work, programs)
    else:
        found = _from_layers(source, work, programs, owners=owners)
    _tidy(source, work / "root", found.config)
    return found


def _from_layers(source: Source, work: Path, programs: Programs, *, owners: bool) -> Unpacked:
    for program in ("skopeo", "umoci"):
        programs.find(program, program)
    _fetch(source, work, programs)
    with_index = _read(work / "layout" / "index.json")
    try:
        manifest = str(with_index["manifests"][0]["digest"])
        parts = _read(_blob(work, manifest))
        description = _read(_blob(work, parts["config"]["digest"]))
        _require_here(source, description)
        config = config_of(description)
        layers = description["rootfs"]["diff_ids"]
        if not isinstance(layers, list) or len(layers) != len(parts["layers"]):
            raise ValueError("it does not have one digest for each layer")
        found = Unpacked(content_digest(layers, config), config, manifest)
        if any(_is_of_zstd(one) for one in parts["layers"]):
            parts["layers"] = [_decompressed(one, source, work, programs) for one in parts["layers"]]
            _rewrite(work, with_index, parts)
        blobs = [_blob(work, one["digest"]) for one in parts["layers"]]
    except (KeyError, IndexError, TypeError, ValueError) as cause:
        raise EnvironmentFailed(f"the image {source.text} has no configuration that can be read: {cause}") from cause
    for number, blob in enumerate(blobs, 1):
        _require_inside(source, number, blob, programs)
    argv: list[str | Path] = [programs.find("umoci", "umoci"), "raw", "unpack", "--image", _LAYOUT]
    _run([*argv, *([] if owners else ["--rootless"]), "root"], source, work, programs, "unpacked")
    remove_directory(work / "layout")
    return found


def _is_of_zstd(layer: dict[str, Any]) -> bool:
    return str(layer.get("mediaType")).endswith(_ZSTD)


def _decompressed(layer: dict[str, Any], source: Source, work: Path, programs: Programs) -> dict[str, Any]:
    """A layer as umoci reads it, which knows gzip alone: another one takes the place of one that zstd has packed."""
    if not _is_of_zstd(layer):
        return layer
    plain = work / "plain"
    unpack_it: Words = [programs.find("zstd", "zstd"), "--decompress", "--quiet", "--force", "-o", plain]
    _run([*unpack_it, _blob(work, layer["digest"])], source, work, programs, "unpacked")
    digest, size = _digest(plain), plain.stat().st_size
    plain.rename(_blob(work, digest))
    return {"mediaType": str(layer["mediaType"]).removesuffix(_ZSTD), "digest": digest, "size": size}


def _rewrite(work: Path, index: Any, parts: Any) -> None:  # noqa: ANN401
    """Give the layout an index with this manifest."""
    content = json.dumps(parts).encode()
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    _blob(work, digest).write_bytes(content)
    index["manifests"][0] |= {"digest": digest, "size": len(content)}
    (work / "layout" / "index.json").write_text(json.dumps(index))


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"


def _require_inside(source: Source, number: int, layer: Path, programs: Programs) -> None:
    """Raise EnvironmentFailed for a layer, counted from 1, with a path that leads above the root directory.

    Absolute paths are paths from the root, as builders of images write them. A link in a path stays inside by umoci.
    What tar cannot list is umoci's to refuse, with its reason. Only such paths are listed: a layer may have a million.
    """
    listed = programs.run(
        [programs.find("tar", "tar"), "--list", "--absolute-names", "--quoting-style=escape", f"--file={layer}",
         "--wildcards", "..", "../*", "*/../*", "*/.."],
        purpose="an image is unpacked", limit_s=_LONGEST_S, check=False,
    )  # fmt: skip
    for line in listed.stdout.splitlines():
        if b".." in line.split(b"/"):
            raise EnvironmentFailed(
                f"layer {number} of the image {source.text} has a path that leaves the root directory: "
                f"{line[:_LONGEST_NAME].decode(errors='replace')}",
                advice="such an image is broken or hostile: build it anew",
            )


def content_digest(layers: Sequence[object], config: ImageConfig) -> str:
    """The same for the same image, however it came here: archives and registries pack layers and manifests anew.

    layers: digests of the layers as they are unpacked, the lowest first. umoci compares them with what it unpacks.
    """
    content = json.dumps({"layers": layers, "config": dataclasses.asdict(config)}, sort_keys=True)
    return f"sha256:{hashlib.sha256(content.encode()).hexdigest()}"


def _fetch(source: Source, work: Path, programs: Programs) -> None:
    """Copy an image into a layout of its own. The link in the draft stands for a path with a colon or a comma."""
    skopeo: Words = [
        programs.find("env", "coreutils"), f"TMPDIR={work}",
        programs.find("skopeo", "skopeo"), "copy", "--quiet",
    ]  # fmt: skip
    where, name = work / "source", f":{source.name}" if source.name else ""
    more: list[str] = []
    if source.transport in ("layout", "oci-archive"):  # the manifest stays; docker's is made anew, with gzip
        more += ["--preserve-digests", "--dest-oci-accept-uncompressed-layers"]
    match source.transport:
        case "docker":
            _save(["docker", "save", "--output", where, source.name], source, work, programs)
            wanted = "docker-archive:source"
        case "podman":
            _save(["podman", "save", "--quiet", "--format=oci-archive", "--output", where, source.name],
                  source, work, programs)  # fmt: skip
            wanted = "oci-archive:source"
        case "registry":
            wanted = f"docker://{source.name}"
            if re.match(r"(localhost|127\.[0-9.]+)(:[0-9]+)?/", source.name):  # as docker does: without TLS
                more.append("--src-tls-verify=false")
        case _:
            where.symlink_to(source.place)
            prefix = {"layout": "oci"}.get(source.transport, source.transport)
            wanted = f"{prefix}:source{name}"
    _run([*skopeo, *more, wanted, f"oci:{_LAYOUT}"], source, work, programs, "fetched")
    where.unlink(missing_ok=True)


def _save(words: Words, source: Source, work: Path, programs: Programs) -> None:
    _run([programs.find(str(words[0]), str(words[0])), *words[1:]], source, work, programs, "saved")


def _copied(source: Source, work: Path, programs: Programs) -> Unpacked:
    """A root directory of the host's, by an archive: its digest is that of its files."""
    tar, archive, root = programs.find("tar", "tar"), work / "root.tar", work / "root"
    names = b"\0".join(str(one.relative_to(source.place)).encode(errors="surrogateescape")
                       for one in entries(source.place))  # fmt: skip
    (work / "names").write_bytes(names)
    make: Words = [
        tar, "--create", f"--file={archive}", "--format=posix", "--pax-option=delete=atime,delete=ctime",
        "--numeric-owner", "--xattrs", f"--directory={source.place}", "--no-recursion", "--null",
        "--verbatim-files-from", f"--files-from={work / 'names'}",
    ]  # fmt: skip
    _run(make, source, work, programs, "read")
    digest = _digest(archive)
    root.mkdir()
    _run([tar, "--extract", f"--file={archive}", "--numeric-owner", "--xattrs", "--preserve-permissions",
          f"--directory={root}"], source, work, programs, "copied")  # fmt: skip
    archive.unlink()
    return Unpacked(digest, ImageConfig())


def _tidy(source: Source, root: Path, config: ImageConfig) -> None:
    """Take away devices, which no guest may have of an image, and make the directories that guests need."""
    if not (root / "dev").is_symlink():
        shutil.rmtree(root / "dev", ignore_errors=True)
    if root.stat().st_mode & stat.S_IRWXU != stat.S_IRWXU:
        root.chmod(0o755)
    for path in root.rglob("*"):
        mode = path.lstat().st_mode
        if stat.S_ISBLK(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode):
            path.unlink()
    for name in _MOUNT_POINTS:
        place = root / name
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise EnvironmentFailed(
                f"the image {source.text} has a /{name} that is no directory, and something is mounted there in guests"
            )
    for name in (*_MOUNT_POINTS, *_EXPECTED):
        if not (root / name).exists() and not (root / name).is_symlink():
            (root / name).mkdir()
            (root / name).chmod(0o1777 if name == "tmp" else 0o755)
    if config.directory and not is_directory(root, config.directory):
        there = inside(root, config.directory)
        if there is None or there == root:
            raise EnvironmentFailed(f"the image {source.text} has a working directory that leads nowhere")
        try:
            there.mkdir(parents=True)
        except OSError as cause:
            raise EnvironmentFailed(
                f"the image {source.text} cannot have its working directory {config.directory}: {cause.strerror}"
            ) from cause


def _require_here(source: Source, config: Any) -> None:  # noqa: ANN401
    """Raise EnvironmentFailed for an image of another system or processor than the host's."""
    here = platform.machine()
    own = _ARCHITECTURES.get(here, here)
    system, architecture = config.get("os") or "linux", config.get("architecture") or own
    if (system, architecture) != ("linux", own):
        raise EnvironmentFailed(f"the image {source.text} is for {system}/{architecture}, and this host is linux/{own}")


def _read(file: Path) -> Any:  # noqa: ANN401
    if file.stat().st_size > MOST_JSON:
        raise ValueError("a part of its description is too long")
    return json.loads(file.read_bytes())


def _blob(work: Path, digest: str) -> Path:
    if not re.fullmatch(r"[a-z0-9]+:[0-9a-f]{32,128}", digest):
        raise ValueError("a digest is none")
    return work.joinpath("layout", "blobs", *digest.split(":"))


def _run(argv: Words, source: Source, work: Path, programs: Programs, done: str) -> None:
    """Run a program in the draft, by which the image is then `done`. Raises with its own reason where it fails."""
    ran = programs.run(argv, purpose=f"an image is {done}", limit_s=_LONGEST_S, check=False, cwd=work)
    if ran.returncode == 0:
        return
    reason = _reason(ran.stderr.decode(errors="replace")).replace(f"{work}/", "")
    if _FULL in reason.lower() or _is_full(work):
        raise StorageError(
            f"the image {source.text} does not fit on the disk of {work.parent}: {reason}",
            advice="make room, or choose another cache with XDG_CACHE_HOME",
        )
    lost = "unexpected EOF" in reason or ("no image found in" not in reason and "EOF" in reason)
    raise EnvironmentFailed(
        f"the image {source.text} cannot be {done}: {reason}", advice="get it again: it is cut off" if lost else ""
    )


def _is_full(work: Path) -> bool:
    return shutil.disk_usage(work).free == 0


def _reason(said: str) -> str:
    """The last line of what a program said, without what its log puts around that."""
    lines = [one for one in said.strip().splitlines() if one.strip()]
    last = lines[-1].strip() if lines else "it says nothing"
    if (found := re.search(r'level=(?:fatal|error) msg="(.*)"', last)) is not None:
        last = found.group(1).replace('\\"', '"')
    return last.lstrip("⨯ ")
