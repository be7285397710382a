"""What the configuration of the wheel names, against what the code reads; and how setup/wheel.sh ends early."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.house.tracked import ROOT, tracked
from tests.sentences import Said
from virtometer.installation import CARRIED

SOURCE = ROOT / "src" / "virtometer"
SOURCES = [file for file in tracked() if SOURCE in file.parents and file.suffix == ".py"]
BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]


def test_the_wheel_has_what_the_code_reads() -> None:
    assert BUILD["packages"] == ["src/virtometer"]
    assert BUILD["force-include"] == {name: f"virtometer/{name}" for name in CARRIED}
    asked = {name for file in SOURCES for name in re.findall(r"\bcarried\(\"([^\"]+)\"\)", file.read_text())}
    assert asked == set(CARRIED)
    assert all((ROOT / name).exists() for name in CARRIED)
    assert (ROOT / BUILD["hooks"]["custom"]["path"]).is_file()


def places(text: str) -> list[str]:
    """Expressions that begin at the place of a module, in full: `Path(__file__).parent / "templates"`."""
    if "__file__" not in text:
        return []
    names = {
        node: ast.unparse(node)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute | ast.BinOp | ast.Subscript | ast.Call) and "__file__" in ast.unparse(node)
    }
    inner = {child for node in names for child in ast.walk(node) if child is not node}
    return [text for node, text in names.items() if node not in inner]


def test_no_other_module_looks_above_its_own_folder() -> None:
    outside = re.compile(r"parents\b|parent\.parent")
    found = {
        str(file.relative_to(SOURCE))
        for file in SOURCES
        if any(outside.search(place) for place in places(file.read_text()))
    }
    # The package in the checkout is found by where it is.
    assert found <= {"installation.py"}
    assert places("a = Path(__file__).parents[2] / 'x'") == ["Path(__file__).parents[2] / 'x'"]
    readers = {str(file.relative_to(SOURCE)) for file in SOURCES if places(file.read_text())}
    assert "installation.py" in readers
    assert "environments/kinds/libvirt/domain_xml.py" in readers


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The setup scripts alone, with a uv that makes a wheel of some bytes."""
    shutil.copytree(ROOT / "setup", tmp_path / "setup")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, script in {
        "uv": 'while [ "$1" != --out-dir ]; do shift; done; head -c "$BYTES" /dev/zero >"$2/some-any.whl"',
        "uname": "echo sparc64",
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    return tmp_path


def wheel_sh(copy: Path, number: int) -> subprocess.CompletedProcess[str]:
    path = f"{copy / 'programs'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "BYTES": str(number)}
    argv = ["bash", str(copy / "setup" / "wheel.sh"), "out"]
    return subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)


def test_without_an_agent_there_is_no_wheel(copy: Path, said: Said) -> None:
    ended = wheel_sh(copy, 1)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert not (copy / "out").exists()
    said(ended.stderr)


@pytest.mark.parametrize(("number", "status"), [(20 << 20, 0), ((20 << 20) + 1, 1)])
def test_a_wheel_may_have_20_mib(copy: Path, number: int, status: int) -> None:
    agent = copy / "target" / "sparc64-unknown-linux-gnu" / "release" / "virtometer-agent"
    agent.parent.mkdir(parents=True)
    agent.touch(mode=0o755)
    ended = wheel_sh(copy, number)
    assert ended.returncode == status, ended.stderr
    assert (copy / "out" / "some-any.whl").exists() == (status == 0)
    assert str(number) in (ended.stderr if status else ended.stdout)
    assert not list((copy / ".build").glob("wheel-*")), "nothing half made is left"
