"""The wheel: built as `make wheel` builds it, installed as a tool outside of the checkout, and used there."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from setup.crate_licences import licences
from tests.house.tracked import ROOT, tracked
from virtometer.host.lock.host_lock import NAME_VARIABLE
from virtometer.installation import CARRIED
from virtometer.runner.lab.agent import agent_path

PLACES = [*map(Path, os.get_exec_path()), ROOT / ".build" / "uv" / "bin"]
# What a cargo that has nothing to do, a busy host, and the fetching of packages may take.
LIMIT_S = 1200
LICENCES = "virtometer/agents/LICENSES.txt"


@pytest.fixture(scope="module")
def uv() -> Path:
    found = next((path for place in PLACES if (path := place / "uv").exists()), None)
    if found is None:
        pytest.skip("uv is neither on the PATH nor in .build/: make setup brings it")
    return found


def built(uv: Path, folder: Path, **variables: str) -> Path:
    """A wheel with the agents that are built, in this folder."""
    argv = [str(uv), "build", "--wheel", "--offline", "-o", str(folder), str(ROOT)]
    subprocess.run(argv, check=True, capture_output=True, timeout=240, env={**os.environ, **variables})
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(uv: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(uv, tmp_path_factory.mktemp("wheel"))


def test_it_has_the_files_of_the_repository_and_the_agents(wheel: Path) -> None:
    own = agent_path("x86_64") if wheel.stem.endswith("x86_64") else agent_path()
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        agents = {name for name in names if name.startswith("virtometer/agents/")}
        expected = {
            place: file
            for file in tracked()
            if (place := place_of(file.relative_to(ROOT).as_posix())) and "__pycache__" not in place
        }
        assert names - agents == set(expected)
        for place, file in expected.items():
            assert archive.read(place) == file.read_bytes()
        assert f"virtometer/agents/{own.parts[-3]}/virtometer-agent" in agents
        agents.remove(LICENCES)
        targets = sorted((name.split("/")[2] for name in agents), key=lambda target: target != own.parts[-3])
        assert archive.read(LICENCES).decode() == licences(targets)
        for name in agents:
            _, _, rust_target, _ = name.split("/")
            assert archive.read(name) == agent_path(rust_target).read_bytes()
            assert stat.S_IMODE(archive.getinfo(name).external_attr >> 16) == 0o755


def place_of(name: str) -> str:
    """Where the wheel has a file of the repository; empty where it has none of it."""
    if name.startswith("src/virtometer/"):
        return name.removeprefix("src/")
    return f"virtometer/{name}" if any(name == one or name.startswith(f"{one}/") for one in CARRIED) else ""


def test_it_is_for_one_processor_and_small(wheel: Path) -> None:
    processor = agent_path().parts[-3].split("-")[0]
    assert wheel.stem.split("-")[2:] == ["py3", "none", f"manylinux_2_17_{processor}"]
    assert wheel.stat().st_size <= 20 << 20


def test_an_agent_that_is_not_built_is_refused(uv: Path, tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        built(uv, tmp_path, VIRTOMETER_WHEEL_TARGETS="vax-unknown-linux-gnu")
    assert "vax-unknown-linux-gnu" in refused.value.stderr.decode()
    assert not list(tmp_path.glob("*.whl"))


@pytest.mark.timeout(LIMIT_S)
def test_it_has_the_same_bytes_twice(uv: Path, tmp_path: Path) -> None:
    digests = set()
    environment = {**os.environ, "PATH": os.pathsep.join([*os.get_exec_path(), str(uv.parent)])}
    for number, mask in enumerate((0o022, 0o077)):
        out = tmp_path / str(number)
        argv = [ROOT / "setup" / "wheel.sh", out]
        subprocess.run(argv, check=True, capture_output=True, timeout=LIMIT_S, umask=mask, env=environment)
        (wheel,) = out.glob("*.whl")
        digests.add(hashlib.sha256(wheel.read_bytes()).hexdigest())
    assert len(digests) == 1


class Tool:
    """virtometer as `uv tool install` made it, in a home of its own, without a way to the checkout or to cargo."""

    def __init__(self, home: Path) -> None:
        """The home is empty and outside of any checkout."""
        self.home = home
        self.environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "COLUMNS": "100", "NO_COLOR": "1"}
        self.environment |= {NAME_VARIABLE: os.environ[NAME_VARIABLE]}

    def __call__(self, *words: str, status: int = 0) -> str:
        """What it prints on standard output, or on standard error where it is to fail."""
        ended = subprocess.run(
            [self.home / "bin" / "virtometer", *words],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        assert ended.returncode == status, ended.stderr
        return ended.stderr if status else ended.stdout


@pytest.fixture(scope="module")
def tool(uv: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tool]:
    """Installed with the packages of uv.lock, which the cache of uv has after `make setup`."""
    home = tmp_path_factory.mktemp("home")
    pinned = str(home / "pinned.txt")
    export = [str(uv), "export", "--frozen", "--no-dev", "--no-hashes", "--no-emit-project", "-q", "-o", pinned]
    subprocess.run(export, cwd=ROOT, check=True, capture_output=True)
    places = {"UV_TOOL_DIR": str(home / "tools"), "UV_TOOL_BIN_DIR": str(home / "bin")}
    if Path("/etc/ssl/certs/ca-certificates.crt").exists():
        places |= {"UV_SYSTEM_CERTS": "true", "UV_NATIVE_TLS": "true"}
    argv = [str(uv), "tool", "install", "-q", "--no-config", "--constraints", pinned, str(wheel)]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    installed = subprocess.run(argv, cwd=home, env=variables | places, capture_output=True, text=True, check=False)
    assert installed.returncode == 0, installed.stderr
    yield Tool(home)
    shutil.rmtree(home)


@pytest.mark.timeout(LIMIT_S)
def test_the_installed_tool_answers_without_the_checkout(tool: Tool, wheel: Path) -> None:
    assert tool("--version").split() == ["virtometer", wheel.name.split("-")[1]]
    own = Path(tool("agent", "path").strip())
    assert tool.home / "tools" in own.parents
    assert own.read_bytes() == agent_path().read_bytes()
    assert json.loads(subprocess.run([own, "kernels", "--json"], capture_output=True, check=True).stdout)
    missing = tool("agent", "path", "aarch64-windows", status=2) + tool("agent", "path", "i686-windows", status=8)
    assert "make setup" not in missing
    plans = [file.relative_to(ROOT) for file in (ROOT / "plans").rglob("*.yaml")]
    for plan in ("plans/quick.yaml", "plans/time.yaml", "plans/studies/klein2008/partdiff.yaml"):
        assert Path(plan) in plans
        tool("plan", "show", plan)
    tool("plan", "check", "plans/noise.yaml")
    assert len(json.loads(tool("study", "list", "--json"))["studies"]) == 5


@pytest.mark.timeout(LIMIT_S)
def test_the_installed_tool_measures_and_reports(tool: Tool) -> None:
    words = ["time", "true", "--in", "native", "--budget", "5s", "--beside", "--out", "results"]
    assert "true" in tool(*words)
    report = json.loads(tool("report", "results", "--format", "json"))
    assert [one["status"] for one in report["trials"]] == ["done"] * len(report["trials"])
    assert len(report["trials"]) > 0
    page = tool.home / tool("report", "results", "--format", "html").strip()
    assert "<script" in page.read_text(encoding="utf-8")
    left = {path.name for path in tool.home.iterdir()}
    assert left <= {"results", "bin", "tools", "pinned.txt", ".cache", ".local"}
