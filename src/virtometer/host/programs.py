"""Programs of the host's that workloads run in guests: each with its loader and its libraries, at the host's own paths.

Which libraries those are the program's own loader says (`--list`, as ldd asks it), in an empty environment, as it will
find them in a guest. Loaders: ld.so(8); the header of a program: elf(5).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from virtometer.errors import MissingProgram
from virtometer.programs import Programs

_LIMIT_S = 10.0
_PT_INTERP = 3
# What guests mount something of their own over, or keep for themselves.
_TAKEN = ("/data", "/dev", "/modules", "/proc", "/sys", "/tmp")
# An archive stays in memory until it is unpacked, and Linux gives what it unpacks into half of the rest at most.
_INITRAMFS_COPIES = 3
_KERNEL_BYTES = 96 << 20  # what a guest needs of its memory for its kernel, the agent and the program's own work


@dataclass(frozen=True, slots=True)
class HostProgram:
    """A program of the host's. `refusal`: why guests cannot have it, in one sentence; it has no `files` then.

    path: None where the host has no such program. files: the program, its loader, its libraries, what the loader looks
    them up in, each with its size in bytes. digest: SHA-256 over the names and contents of all of them.
    """

    name: str
    path: Path | None
    files: Mapping[Path, int]
    digest: str
    refusal: str


class _Refused(Exception):
    """Ends the search for what a program needs, with the sentence."""


def find_host_program(name: str, package: str, programs: Programs) -> HostProgram:
    """Look a program up and find out what a guest needs to run it. `package` is the Debian package that has it."""
    found = shutil.which(name)
    if found is None:
        advice = f"the Debian package {package} brings it"
        return HostProgram(name, None, {}, "", f"the program {name} is not installed on this host; {advice}")
    path = Path(os.path.abspath(found))  # noqa: PTH100 - as named: where a link leads, a program may be another
    try:
        files = _files(path, programs)
        return HostProgram(name, path, {file: file.stat().st_size for file in files}, _digest(files), "")
    except _Refused as refused:
        return HostProgram(name, path, {}, "", f"guests cannot be given {path}: {refused}")
    except (OSError, MissingProgram) as cause:
        return HostProgram(name, path, {}, "", f"guests cannot be given {path}: {cause}")


def files_of(programs: Iterable[HostProgram]) -> list[Path]:
    """All files of these programs, each once, in order."""
    return sorted({file for program in programs for file in program.files})


def fitting(programs: Sequence[HostProgram], memory: int) -> tuple[HostProgram, ...]:
    """The same programs, small ones first; refused from where an initramfs does not fit into `memory` bytes."""
    kept: dict[Path, int] = {}
    judged = []
    for program in sorted(programs, key=lambda one: sum(one.files.values())):
        more = {**kept, **program.files}
        if not program.files or sum(more.values()) * _INITRAMFS_COPIES + _KERNEL_BYTES <= memory:
            kept = more
            judged.append(program)
            continue
        refusal = (
            f"{program.name} and its libraries ({sum(program.files.values()) >> 20} MiB) do not fit into a guest "
            f"with {memory >> 20} MiB of memory"
        )
        judged.append(replace(program, files={}, digest="", refusal=refusal))
    return tuple(judged)


def of_bits(programs: Iterable[HostProgram], bits: int) -> tuple[HostProgram, ...]:
    """The same programs; refused are those that a kernel of 32 bits cannot run, where `bits` is 32."""
    judged = []
    for program in programs:
        if bits == 32 and program.path is not None and program.files and _is_wide(program.path):
            reason = f"{program.path} is a program of 64 bits, and the guest has a kernel of 32 bits"
            program = replace(program, files={}, digest="", refusal=reason)
        judged.append(program)
    return tuple(judged)


def _is_wide(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(5) == b"\x7fELF\x02"


def refusals(programs: Iterable[HostProgram]) -> dict[str, str]:
    """By program, why guests do not have it."""
    return {program.name: program.refusal for program in programs if program.refusal}


def interpreter(path: Path) -> Path | None:
    """The loader that an ELF file asks for; None where it is static. ValueError: this is no ELF file."""
    data = path.read_bytes()
    if len(data) < 52 or data[:4] != b"\x7fELF" or data[4] not in (1, 2) or data[5] not in (1, 2):
        raise ValueError(f"{path} is no ELF file")
    order = "<" if data[5] == 1 else ">"
    if data[4] == 2:
        header, entry = f"{order}32xQ14xHH", f"{order}I4xQ16xQ"
    else:
        header, entry = f"{order}28xI10xHH", f"{order}II8xI"
    try:
        table, size, count = struct.unpack_from(header, data)
        for index in range(count):
            kind, offset, length = struct.unpack_from(entry, data, table + index * size)
            if kind == _PT_INTERP:
                return Path(os.fsdecode(data[offset : offset + length].rstrip(b"\0")))
    except (struct.error, OverflowError) as cause:
        raise ValueError(f"{path} is cut off ({cause})") from cause
    return None


def _files(path: Path, programs: Programs) -> list[Path]:
    """The files that a guest needs to run a program. Raises _Refused with the reason."""
    with path.open("rb") as file:
        if file.read(2) == b"#!":
            raise _Refused("it is a script, and guests have nothing that could run it")
    try:
        loader = interpreter(path)
    except ValueError as cause:
        raise _Refused("it is not a program in the format of this host (ELF)") from cause
    needed = {path} if loader is None else {path, loader, *_libraries(path, loader, programs)}
    for one in sorted(needed):
        if str(one).startswith(tuple(f"{place}/" for place in _TAKEN)):
            raise _Refused(f"guests have something of their own where {one} would be")
    return sorted(needed)


def _libraries(path: Path, loader: Path, programs: Programs) -> set[Path]:
    """The libraries that the loader finds for a program, and its cache, without which it finds not all of them."""
    argv: list[str | Path] = [programs.find("env", "coreutils"), "-i", loader, "--list", path]
    purpose = f"find the libraries of {path}"
    listed = programs.run(argv, purpose=purpose, check=False, whole=True, limit_s=_LIMIT_S)
    lines = [line.strip() for line in listed.stdout.decode(errors="replace").splitlines()]
    missing = [line.split()[0] for line in lines if line.endswith("not found")]
    if missing:
        raise _Refused(f"it needs {', '.join(missing)}, not found on this host")
    if listed.returncode != 0:
        words = (listed.stderr or listed.stdout).decode(errors="replace").strip().splitlines()
        raise _Refused(f"its loader {loader} says: {words[-1] if words else 'nothing'}")
    found = set()
    for line in lines:
        named = line.partition(" => ")[2] or line
        file = named.rpartition(" (0x")[0]
        if file.startswith("/"):  # the rest is the kernel's own, and in no file
            found.add(Path(os.path.normpath(file)))
    cache = Path("/etc/ld.so.cache")
    return found | ({cache} if cache.is_file() else set())


def _digest(files: Iterable[Path]) -> str:
    key = hashlib.sha256()
    for file in files:
        with file.open("rb") as content:
            key.update(f"{file}\0{hashlib.file_digest(content, 'sha256').hexdigest()}\n".encode())
    return key.hexdigest()
