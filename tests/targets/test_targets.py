"""The agents for other systems and processors, as far as they are built (`make targets`) and can run here."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from virtometer.errors import MissingProgram
from virtometer.runner.lab.agent import TARGETS, agent_path

ROOT = Path(__file__).resolve().parents[2]

# Kernels that need nothing but a processor and memory.
KERNELS = ("linpack", "memory", "pde")

# What runs the programs of a target, as Debian's packages call it; the host's own processor runs i686.
RUNNERS = {"x86_64-linux": (), "i686-linux": (), "aarch64-linux": ("qemu-aarch64-static",), "x86_64-windows": ("wine",)}

# Wine 8 lacks the library from which programs of current Rust take random numbers.
RANDOM_LIBRARY = """
unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *data, unsigned long long size)
{
    return SystemFunction036(data, (unsigned long)size);
}
"""


def needed(program: str, package: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed (package {package})")


@pytest.fixture(scope="session")
def wine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a Wine of our own that has the library which programs of Rust need."""
    needed("wine", "wine")
    needed("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")
    prefix = tmp_path_factory.mktemp("wine") / "prefix"
    environment = {**os.environ, "WINEPREFIX": str(prefix), "WINEDEBUG": "-all"}
    subprocess.run(["wine", "wineboot", "-i"], env=environment, capture_output=True, timeout=120, check=False)
    folder = prefix / "drive_c" / "windows" / "system32"
    if not folder.is_dir():
        pytest.skip("Wine cannot make its folder here")
    (prefix / "random.c").write_text(RANDOM_LIBRARY)
    library = folder / "bcryptprimitives.dll"
    subprocess.run(
        ["x86_64-w64-mingw32-gcc", "-shared", "-o", library, prefix / "random.c", "-ladvapi32"], check=True, timeout=60
    )
    return environment


def built(target: str) -> Path:
    try:
        return agent_path(target)
    except MissingProgram as cause:
        pytest.skip(f"{cause.sentence} ({cause.advice})")


def prefix_of(target: str) -> list[str]:
    for program in RUNNERS[target]:
        needed(program, "wine" if program == "wine" else "qemu-user-static")
    return list(RUNNERS[target])


def environment_of(target: str, request: pytest.FixtureRequest) -> dict[str, str]:
    windows: dict[str, str] = request.getfixturevalue("wine") if target.endswith("windows") else dict(os.environ)
    return windows


def operations(agent: list[str], environment: dict[str, str]) -> list[tuple[str, str]]:
    """Kernels and operations that an agent names in its help."""
    text = subprocess.run([*agent, "--help"], capture_output=True, text=True, env=environment, check=True).stdout
    found, kernel = [], ""
    for line in text.splitlines():
        if head := re.match(r"([a-z]+): ", line):
            kernel = head[1]
        elif (op := re.match(r"  --op ([a-z-]+)", line)) and kernel in KERNELS:
            found.append((kernel, op[1]))
    return found


def every_operation_runs(agent: list[str], environment: dict[str, str]) -> set[str]:
    """Run all operations of the processor; the sets of instructions that they used."""
    used = set()
    known = operations(agent, environment)
    assert {kernel for kernel, _ in known} == set(KERNELS)
    for kernel, op in known:
        words = [*agent, "measure", kernel, "--op", op, "--seconds", "0.02", "--json"]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=False)
        assert done.returncode == 0, f"{kernel} {op}: status {done.returncode}, {done.stderr}"
        report = json.loads(done.stdout)
        assert report["check"]["passed"], f"{kernel} {op}"
        used.add(report["conditions"].get("simd", "none"))
    return used


@pytest.mark.slow
@pytest.mark.parametrize("target", RUNNERS)
def test_every_kernel_of_the_processor_is_right_on(target: str, request: pytest.FixtureRequest) -> None:
    agent = [*prefix_of(target), str(built(target))]
    every_operation_runs(agent, environment_of(target, request))


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["qemu64", "Nehalem", "max"])
def test_no_processor_meets_an_instruction_that_it_does_not_know(processor: str) -> None:
    needed("qemu-x86_64-static", "qemu-user-static")
    agent = ["qemu-x86_64-static", "-cpu", processor, str(built("x86_64-linux"))]
    used = every_operation_runs(agent, dict(os.environ))
    if processor != "max":
        assert not any(name.startswith(("avx", "fma")) for name in used), used


@pytest.mark.slow
@pytest.mark.parametrize("target", [target for target in RUNNERS if target != "x86_64-linux"])
def test_known_answers_and_planted_faults_on(target: str, request: pytest.FixtureRequest) -> None:
    """The tests of the agent, its kernels and the protocol's transcripts, through the runner."""
    rust_target = TARGETS[target][0]
    needed("rustup", "rustup")
    installed = subprocess.run(["rustup", "target", "list", "--installed"], capture_output=True, text=True, check=True)
    if rust_target not in installed.stdout.split():
        pytest.skip(f"Rust's library for {target} is not installed (run make targets)")
    runner = prefix_of(target)
    environment = environment_of(target, request)
    # Emulated processors take longer over slow loops than a compiler over fast ones.
    environment["CARGO_PROFILE_DEV_OPT_LEVEL"] = "1"
    name = rust_target.upper().replace("-", "_")
    if "musl" in rust_target:
        environment[f"CARGO_TARGET_{name}_LINKER"] = "rust-lld"
    if runner:
        environment[f"CARGO_TARGET_{name}_RUNNER"] = runner[0]
    if runner and "musl" in rust_target:
        environment["VIRTOMETER_TEST_RUNNER"] = runner[0]
    cargo = ["cargo", "test", "--locked", "--target", rust_target]
    # A program in a user-mode emulator cannot execute others of its kind: not the tests about processes.
    parts = [
        ["-p", "virtometer-protocol", "-p", "virtometer-sampling", "-p", "virtometer-kernels", "--tests"],
        ["-p", "virtometer-agent", "--test", "cli", "--test", "transcripts", "--test", "connect"],
    ]
    for part in parts:
        done = subprocess.run(
            [*cargo, *part], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=1200, check=False
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
