"""Where an image of containers is: what a reference names, and how one sees that it has changed there."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from virtometer.errors import EnvironmentFailed
from virtometer.programs import Programs

Transport = Literal["layout", "oci-archive", "docker-archive", "directory", "docker", "podman", "registry"]
_STORES: Mapping[str, Transport] = {"docker://": "registry", "docker:": "docker", "podman:": "podman"}
"""How references begin that are no paths; the longer one first."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,511}")
_TAG = "org.opencontainers.image.ref.name"
_ADVICE = "name an OCI layout, an archive of docker save, a root directory, docker:NAME, podman:NAME or docker://..."
MOST_JSON = 4 << 20


@dataclass(frozen=True, slots=True)
class Source:
    """text: the reference. place: of a file or directory. name: with a tag, or the tag in a layout or archive."""

    text: str
    transport: Transport
    place: Path = Path()
    name: str = ""


def is_path(reference: str) -> bool:
    """Whether a reference names a file or a directory of this host."""
    return not reference.startswith(tuple(_STORES))


def source_of(reference: str) -> Source:
    """What a reference names: PATH, PATH:TAG, docker:NAME, podman:NAME or docker://HOST/NAME:TAG.

    Raises EnvironmentFailed where there is no such file or directory, or where it holds no image.
    """
    if (store := _store_of(reference)) is not None:
        return store
    with _reading(reference):
        path, tag = _split(reference)
        return _directory(reference, path, tag) if path.is_dir() else _archive(reference, path, tag)


def state_of(reference: str, programs: Programs) -> str:
    """What differs where the image has changed: quickly found, and no digest of its content.

    Of a registry nothing is asked: what was fetched once stays. Raises as `source_of`; EnvironmentFailed too where a
    local store has no such image, and MissingProgram without its program.
    """
    if (store := _store_of(reference)) is not None:
        return "" if store.transport == "registry" else _id_of(store, programs)
    with _reading(reference):
        path, _ = _split(reference)
        if not path.is_dir():
            found = path.stat()
            return f"{path} {found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns}"
        if _is_layout(path):
            return hashlib.sha256((path / "index.json").read_bytes()).hexdigest()
        key = hashlib.sha256(str(path).encode(errors="surrogateescape"))
        for entry in entries(path):
            one = entry.lstat()
            mine = (one.st_mode, one.st_uid, one.st_gid, one.st_size, one.st_mtime_ns)
            key.update(f"{entry}{mine}".encode(errors="surrogateescape"))
        return key.hexdigest()


def _store_of(reference: str) -> Source | None:
    """An image that is no file and no directory; None for a path."""
    for prefix, transport in _STORES.items():
        if reference.startswith(prefix):
            name = reference.removeprefix(prefix)
            if not _NAME.fullmatch(name):
                raise EnvironmentFailed(f"{reference} has no name of an image", advice=_ADVICE)
            return Source(reference, transport, name=name)
    return None


@contextmanager
def _reading(reference: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as cause:
        reason = cause.strerror if isinstance(cause, OSError) and cause.strerror else cause
        raise EnvironmentFailed(f"the image {reference} cannot be read: {reason}", advice=_ADVICE) from cause


def _is_layout(path: Path) -> bool:
    return (path / "oci-layout").is_file() and (path / "index.json").is_file()


def entries(root: Path) -> list[Path]:
    """All that is in a directory and its file system, in order, but for devices and sockets."""
    found = [root]
    device = root.stat().st_dev
    for parent, directories, files in os.walk(root, onerror=_raise):
        directories[:] = sorted(
            name
            for name in directories
            if os.lstat(os.path.join(parent, name)).st_dev == device  # noqa: PTH118
        )
        found += [Path(parent, name) for name in sorted([*directories, *files]) if _is_kept(Path(parent, name))]
    return found


def _is_kept(path: Path) -> bool:
    return not (path.is_socket() or path.is_block_device() or path.is_char_device()) or path.is_symlink()


def _raise(cause: OSError) -> None:
    raise cause


def _split(reference: str) -> tuple[Path, str]:
    """The longest part up to a colon that exists, and the rest as a tag. Raises EnvironmentFailed where none does."""
    parts = reference.split(":")
    for count in range(len(parts), 0, -1):
        path = Path(":".join(parts[:count]))
        if str(path) != "." and os.path.lexists(path):
            return path.resolve(), ":".join(parts[count:])
    raise EnvironmentFailed(f"there is no image {reference}: no such file or directory", advice=_ADVICE)


def _directory(reference: str, path: Path, tag: str) -> Source:
    if _is_layout(path):
        index = _json((path / "index.json").read_bytes())
        return Source(reference, "layout", path, _of_index(reference, index, tag))
    if tag:
        raise EnvironmentFailed(f"{path} is no OCI layout, so that it has no tag {tag}", advice=_ADVICE)
    if path == Path("/"):
        raise EnvironmentFailed("the image / is the root directory of this host", advice="write root: host")
    if not any(path.iterdir()):
        raise EnvironmentFailed(f"the directory {path} is empty, and no image", advice=_ADVICE)
    return Source(reference, "directory", path)


def _archive(reference: str, path: Path, tag: str) -> Source:
    wanted = ("manifest.json", "index.json", "oci-layout")
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                if name in wanted and member.isreg() and member.size <= MOST_JSON:
                    content = archive.extractfile(member)
                    found[name] = b"" if content is None else content.read()
                if "manifest.json" in found:
                    break
    except (tarfile.TarError, EOFError) as cause:
        raise EnvironmentFailed(
            f"the file {path} is no archive of an image, or it is cut off", advice="save it again"
        ) from cause
    if "manifest.json" in found:  # newer ones have both, for older readers
        return Source(reference, "docker-archive", path, _of_manifest(reference, _json(found["manifest.json"]), tag))
    if "index.json" in found and "oci-layout" in found:
        return Source(reference, "oci-archive", path, _of_index(reference, _json(found["index.json"]), tag))
    raise EnvironmentFailed(
        f"the archive {path} has neither manifest.json nor index.json: it is no image, or it is cut off",
        advice="save it again",
    )


def _of_index(reference: str, index: Any, tag: str) -> str:  # noqa: ANN401
    """The tag of the image that is meant, empty where the only one has none."""
    marks = [one.get("annotations") for one in _tables(index.get("manifests") if isinstance(index, dict) else None)]
    return _chosen(reference, [str(one.get(_TAG, "")) if isinstance(one, dict) else "" for one in marks], tag)


def _of_manifest(reference: str, manifest: Any, tag: str) -> str:  # noqa: ANN401
    """The position of the image that is meant, among those of docker save."""
    given = [one.get("RepoTags") for one in _tables(manifest)]
    names = [list(map(str, some)) if isinstance(some, list) and some else [""] for some in given]
    ends = [one.rpartition(":")[2] for some in names for one in some]
    every = [one for some in names for one in some]
    if tag not in every and ends.count(tag) == 1:
        tag = every[ends.index(tag)]
    chosen = _chosen(reference, every, tag)
    return f"@{next(number for number, some in enumerate(names) if chosen in some)}"


def _chosen(reference: str, tags: Iterable[str], tag: str) -> str:
    """The one that is meant of all tags. Raises EnvironmentFailed where that is none, or not clear."""
    known = list(dict.fromkeys(tags))
    if tag in known and tag:
        return tag
    shown = ", ".join(one or "one without a tag" for one in known) or "none"
    if tag:
        raise EnvironmentFailed(f"the image {reference} has no tag {tag}; there are: {shown}")
    if len(known) == 1:
        return known[0]
    if "latest" in known:
        return "latest"
    raise EnvironmentFailed(f"{reference} has not one image; there are: {shown}", advice="write PATH:TAG")


def _json(content: bytes) -> Any:  # noqa: ANN401
    """Raises ValueError for what is no document, or too long a one."""
    if len(content) > MOST_JSON:
        raise ValueError("its index is too long")
    return json.loads(content)


def _tables(found: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    if not isinstance(found, list) or not found or not all(isinstance(one, dict) for one in found):
        raise ValueError("its index names no images")
    return found


def _id_of(source: Source, programs: Programs) -> str:
    """The number of an image in a local store. Raises EnvironmentFailed where it is not there."""
    program = programs.find(source.transport, {"docker": "docker.io"}.get(source.transport, source.transport))
    argv: list[str | Path] = [program, "image", "inspect", "--format", "{{.Id}}", source.name]
    asked = programs.run(argv, purpose="look for an image", check=False)
    if asked.returncode != 0:
        said = asked.stderr.decode(errors="replace").strip().splitlines()
        raise EnvironmentFailed(
            f"{source.transport} has no image {source.name}: {said[-1] if said else 'it says nothing'}",
            advice=f"{source.transport} pull {source.name}",
        )
    return asked.stdout.decode(errors="replace").strip()
