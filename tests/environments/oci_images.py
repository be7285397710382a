"""Images of containers that tests make: layers of tar, with what describes them. One program is in them: the agent."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

_LAYER = "application/vnd.oci.image.layer.v1.tar"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_TAG = "org.opencontainers.image.ref.name"
BUSYBOX = Path("/usr/bin/busybox")
APPLETS = ("cat", "cut", "echo", "env", "id", "ls", "mknod", "pwd", "seq", "sh", "sleep", "sort", "stat", "touch", "wc")


@dataclass(frozen=True, slots=True)
class Member:
    """One member of a layer. kind: of tarfile. link: where a link leads. device: numbers of a device."""

    name: str
    data: bytes = b""
    mode: int = 0o644
    kind: bytes = tarfile.REGTYPE
    link: str = ""
    owner: tuple[int, int] = (0, 0)
    device: tuple[int, int] = (0, 0)


def directory(name: str, mode: int = 0o755, owner: tuple[int, int] = (0, 0)) -> Member:
    """A member that is a directory."""
    return Member(name, mode=mode, kind=tarfile.DIRTYPE, owner=owner)


def link(name: str, to: str, *, hard: bool = False) -> Member:
    """A member that is a link."""
    return Member(name, kind=tarfile.LNKTYPE if hard else tarfile.SYMTYPE, link=to, mode=0o777)


def layer(*members: Member) -> bytes:
    """A layer, uncompressed."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for one in members:
            info = tarfile.TarInfo(one.name)
            info.mode, info.type, info.linkname, info.mtime = one.mode, one.kind, one.link, 1_600_000_000
            info.uid, info.gid = one.owner
            info.devmajor, info.devminor = one.device
            info.size = len(one.data)
            archive.addfile(info, io.BytesIO(one.data))
    return packed.getvalue()


def user_land() -> bytes:
    """A layer with busybox and a few of its programs, by absolute links as small distributions have them."""
    programs = [link(f"bin/{name}", "/bin/busybox") for name in APPLETS]
    passwd = b"root:x:0:0:root:/root:/bin/sh\napp:x:1234:1235::/srv/app:/bin/sh\n"
    return layer(
        directory("bin"),
        Member("bin/busybox", BUSYBOX.read_bytes(), 0o755),
        *programs,
        directory("etc"),
        Member("etc/passwd", passwd),
        Member("etc/group", b"root:x:0:\napp:x:1235:\nstaff:x:50:app\n"),
        directory("srv/app", owner=(1234, 1235)),
        directory("root", 0o700),
    )


@dataclass(frozen=True, slots=True)
class Made:
    """An image. config: as docker has it. where: system and processor."""

    layers: tuple[bytes, ...]
    config: Mapping[str, Any]
    where: tuple[str, str] = ("linux", "amd64")

    def other(self, system: str, processor: str) -> Made:
        """The same for another machine."""
        return replace(self, where=(system, processor))

    def description(self) -> bytes:
        """The configuration of an image."""
        found = {
            "os": self.where[0],
            "architecture": self.where[1],
            "config": dict(self.config),
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha(one)}" for one in self.layers]},
        }
        return json.dumps(found).encode()


def made(*layers: bytes, **config: object) -> Made:
    """An image of layers, with what docker's configuration says: Entrypoint, Cmd, Env, User, WorkingDir."""
    return Made(layers, config)


def sha(content: bytes) -> str:
    """Its digest."""
    return hashlib.sha256(content).hexdigest()


def content(image: Made) -> str:
    """The digest of what is in an image, as the documents say."""
    said = image.config
    config = {
        "entrypoint": said.get("Entrypoint", []),
        "command": said.get("Cmd", []),
        "variables": dict(one.split("=", 1) for one in said.get("Env", [])),
        "directory": said.get("WorkingDir", ""),
        "user": said.get("User", ""),
    }
    layers = [f"sha256:{sha(one)}" for one in image.layers]
    return f"sha256:{sha(json.dumps({'config': config, 'layers': layers}, sort_keys=True).encode())}"


def layout(
    place: Path, images: Mapping[str, Made], pack: Callable[[bytes], tuple[bytes, str]] = lambda content: (content, "")
) -> str:
    """Write an OCI layout with an image of each tag; returns the digest of the last one's manifest.

    pack: packs a layer, and gives the end of its type, as +gzip.
    """
    blobs = place / "blobs" / "sha256"
    blobs.mkdir(parents=True)

    def blob(content: bytes, kind: str) -> dict[str, Any]:
        (blobs / sha(content)).write_bytes(content)
        return {"mediaType": kind, "digest": f"sha256:{sha(content)}", "size": len(content)}

    manifests = []
    for tag, one in images.items():
        parts = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST,
            "config": blob(one.description(), _CONFIG),
            "layers": [blob(content, _LAYER + end) for content, end in map(pack, one.layers)],
        }
        manifests.append(blob(json.dumps(parts).encode(), _MANIFEST) | {"annotations": {_TAG: tag} if tag else {}})
    (place / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": manifests}))
    (place / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return str(manifests[-1]["digest"])


def packed(place: Path, archive: Path) -> Path:
    """An archive of all that is in a directory, as `podman save --format oci-archive` makes one of a layout."""
    with tarfile.open(archive, "w") as file:
        for path in sorted(place.rglob("*")):
            file.add(path, str(path.relative_to(place)), recursive=False)
    return archive


def docker_archive(archive: Path, images: Sequence[tuple[str, Made]]) -> Path:
    """An archive as `docker save` makes it: each name with its tag, and its image."""
    entries, files = [], dict[str, bytes]()
    for name, one in images:
        config = f"{sha(one.description())}.json"
        files[config] = one.description()
        layers = [f"{sha(content)}/layer.tar" for content in one.layers]
        files |= dict(zip(layers, one.layers, strict=True))
        entries.append({"Config": config, "RepoTags": [name], "Layers": layers})
    files["manifest.json"] = json.dumps(entries).encode()
    with tarfile.open(archive, "w") as file:
        for path, content in files.items():
            info = tarfile.TarInfo(path)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return archive
