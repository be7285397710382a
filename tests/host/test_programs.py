"""What a guest needs to run a program of the host's."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sentences import Said
from virtometer.host.programs import (
    HostProgram,
    files_of,
    find_host_program,
    fitting,
    interpreter,
    of_bits,
    refusals,
)
from virtometer.programs import Programs


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the PATH, in a place that guests do not have for themselves."""
    with tempfile.TemporaryDirectory(prefix="virtometer-programs-", dir="/var/tmp") as directory:
        monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
        yield Path(directory)


def find(name: str) -> HostProgram:
    return find_host_program(name, "a-package", Programs())


def executable(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def bash() -> bytes:
    return Path(shutil.which("bash") or "/bin/bash").resolve().read_bytes()


def test_a_dynamic_program_comes_with_its_loader_and_all_its_libraries() -> None:
    program = find("bash")
    assert program.refusal == ""
    assert program.path == Path(shutil.which("bash") or "")
    loader = interpreter(program.path)
    ldd = subprocess.run(["ldd", program.path], capture_output=True, text=True, check=True).stdout
    libraries = {Path(found) for found in re.findall(r"(/\S+) \(0x", ldd)}
    assert len(libraries) >= 2
    assert {program.path, loader, *libraries} == program.files.keys() - {Path("/etc/ld.so.cache")}
    assert all(file.stat().st_size == size for file, size in program.files.items())


def test_what_is_found_is_enough_to_run_it(folder: Path) -> None:
    """The files alone, in a root of their own: as a guest has them."""
    if os.geteuid() != 0:
        pytest.skip("another root directory needs root")
    program = find("bash")
    root = folder / "root"
    for file in program.files:
        copy = root / file.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o755)
    argv = ["chroot", str(root), str(program.path), "-c", "echo $((6 * 7))"]
    said = subprocess.run(argv, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=True).stdout
    assert said == "42\n"


def test_a_static_program_needs_itself_alone(folder: Path, agent: Path) -> None:
    if interpreter(agent) is not None:
        pytest.skip("the agent that was built here is not static")
    path = executable(folder / "alone", agent.read_bytes())
    assert find("alone") == HostProgram("alone", path, {path: path.stat().st_size}, find("alone").digest, "")


def test_a_program_is_known_by_its_content(folder: Path) -> None:
    first = (executable(folder / "p", bash()), find("p").digest)[1]
    assert first == find("p").digest
    executable(folder / "p", bash() + b"\0")
    assert find("p").digest != first


def test_the_libraries_are_those_that_a_guest_finds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those that the laboratory's environment leads to: guests have another one."""
    for library in (file for file in find("bash").files if ".so" in file.name and file.parent.name != "lib64"):
        shutil.copyfile(library, folder / library.name)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    assert not [file for file in find("bash").files if file.is_relative_to(folder)]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"#!/bin/sh\necho 1\n", id="a script"),
        pytest.param(b"MZ\x90\0", id="of Windows"),
        pytest.param(b"", id="empty"),
        pytest.param(b"\x7fELF", id="cut off"),
        pytest.param(b"\x7fELF\x02\x01" + b"\1" * 60, id="64 bits of nonsense"),
        pytest.param(b"\x7fELF\x01\x02" + b"\xff" * 60, id="32 bits of nonsense"),
    ],
)
def test_what_guests_cannot_run_is_one_sentence(said: Said, folder: Path, content: bytes) -> None:
    path = executable(folder / "odd", content)
    program = find("odd")
    assert program.files == {}
    assert program.path == path, "the host itself may still run it"
    said(program.refusal, path=path)


def test_a_program_without_one_of_its_libraries_names_it(folder: Path) -> None:
    name = next(file.name for file in find("bash").files if file.name.startswith("libc.so"))
    executable(folder / "broken", bash().replace(name.encode(), b"libX" + name.encode()[4:]))
    refusal = find("broken").refusal
    assert f"libX{name[4:]}" in refusal
    assert "\n" not in refusal


def test_a_program_that_is_not_installed_names_its_package(said: Said, folder: Path) -> None:
    found = find("nobody-has-this")
    assert found == HostProgram("nobody-has-this", None, {}, "", found.refusal)
    assert "a-package" in found.refusal
    said(found.refusal)


def test_a_program_where_guests_have_their_own_is_refused(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        path = executable(Path(directory) / "hidden", bash())
        monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")
        said(find("hidden").refusal, path=path)


def test_a_kernel_of_32_bits_runs_no_program_of_64(said: Said, folder: Path, agent: Path) -> None:
    wide = find("bash")
    assert of_bits([wide], 64) == (wide,)
    [refused] = of_bits([wide], 32)
    assert refused.files == {}
    said(refused.refusal, path=wide.path)
    small = agent.read_bytes()[:4] + b"\x01"
    narrow = HostProgram("small", executable(folder / "small", small), {folder / "small": len(small)}, "digest", "")
    missing = HostProgram("missing", None, {}, "", "it is not installed")
    assert of_bits([narrow, missing], 32) == (narrow, missing)


def test_programs_that_do_not_fit_into_a_guests_memory_are_refused_and_the_smaller_ones_kept(said: Said) -> None:
    shared = {Path("/lib/libc.so"): 8 << 20}
    big = HostProgram("big", Path("/bin/big"), {Path("/bin/big"): 40 << 20, **shared}, "1", "")
    small = HostProgram("small", Path("/bin/small"), {Path("/bin/small"): 8 << 20, **shared}, "2", "")
    gone = HostProgram("gone", None, {}, "", "the program gone is not installed")
    everything = fitting([big, small, gone], 264 << 20)
    assert files_of(everything) == [Path("/bin/big"), Path("/bin/small"), Path("/lib/libc.so")]
    assert refusals(everything) == {"gone": "the program gone is not installed"}
    some = fitting([big, small, gone], 144 << 20)
    assert files_of(some) == [Path("/bin/small"), Path("/lib/libc.so")]
    assert "(48 MiB)" in refusals(some)["big"] and "144 MiB" in refusals(some)["big"]
    said(refusals(some)["big"])
    assert files_of(fitting([big, small, gone], 64 << 20)) == []
