"""What the agent is built of: licences that a program under Apache-2.0 can be given away with, and one registry."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.house.tracked import ROOT

REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
ALLOWED = {
    *("Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause"),
    *("MIT", "Unicode-3.0", "Unlicense", "Zlib"),
}
PLATFORMS = ("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu")


def is_allowed(expression: str | None) -> bool:
    """Whether an SPDX licence expression (SPDX 2.3, annex D) can be met with the allowed licences alone. `/` is an
    older way to write OR. Raises ValueError for what is no expression."""
    words = re.findall(r"[()]|[^()\s]+", (expression or "").replace("/", " OR "))

    def term() -> bool:
        word = words.pop(0) if words else ""
        if word == "(":
            inner = either()
            if not words or words.pop(0) != ")":
                raise ValueError(f"{expression!r} has a parenthesis too much or too few")
            return inner
        if word in {"", ")", "AND", "OR", "WITH"}:
            raise ValueError(f"{expression!r} is no licence expression")
        if words[:1] == ["WITH"] and len(words) > 1:
            word = f"{word} {words.pop(0)} {words.pop(0)}"
        return word in ALLOWED

    def both() -> bool:
        found = term()
        while words[:1] == ["AND"]:
            words.pop(0)
            found = term() and found
        return found

    def either() -> bool:
        found = both()
        while words[:1] == ["OR"]:
            words.pop(0)
            found = both() or found
        return found

    found = either()
    if words:
        raise ValueError(f"{expression!r} is no licence expression")
    return found


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT/Apache-2.0", True),
        ("GPL-2.0-only OR MIT", True),
        ("GPL-2.0-only AND MIT", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND OpenSSL", False),
        ("MIT OR Apache-2.0 AND OpenSSL", True),  # AND binds closer
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", True),
        ("GPL-3.0-only WITH GCC-exception-3.1", False),
    ],
)
def test_expressions_of_licences(expression: str, allowed: bool) -> None:
    assert is_allowed(expression) is allowed


@pytest.mark.parametrize("expression", [None, "", "MIT OR", "(MIT", "MIT)", "MIT Apache-2.0", "OR MIT"])
def test_what_is_no_expression_is_refused(expression: str | None) -> None:
    with pytest.raises(ValueError, match=r"expression|parenthesis"):
        is_allowed(expression)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_licences_of_all_crates_allow_to_give_the_agent_away(platform: str) -> None:
    crates = packages(platform)
    assert len(crates) > 10
    assert [f"{crate['name']}: {crate['license']}" for crate in crates if not is_allowed(crate["license"])] == []


def test_no_crate_is_taken_in_any_version() -> None:
    wild = [
        f"{crate['name']} needs {wanted['name']}"
        for crate in packages(PLATFORMS[0])
        for wanted in crate["dependencies"]
        if wanted["req"] == "*" and not wanted.get("path")
    ]
    assert wild == []


def test_every_crate_comes_from_the_one_registry_with_its_digest() -> None:
    """Of all platforms, and without a network: Cargo.lock names them all."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    ours = {"virtometer-agent", "virtometer-kernels", "virtometer-protocol", "virtometer-sampling"}
    others = [crate for crate in locked if crate["name"] not in ours]
    assert [crate["name"] for crate in others if crate.get("source") != REGISTRY or not crate.get("checksum")] == []
    assert {crate["name"] for crate in locked if "source" not in crate} == ours


def packages(platform: str) -> list[dict[str, Any]]:
    """What cargo knows of all crates that are built for a platform; make setup has fetched them."""
    path = os.pathsep.join([str(ROOT / ".build/rust/bin"), os.environ["PATH"], str(Path.home() / ".cargo/bin")])
    cargo = shutil.which("cargo", path=path)
    if cargo is None:
        pytest.skip("needs cargo: make setup brings it")
    argv = [cargo, "metadata", "--format-version", "1", "--locked", "--filter-platform", platform]
    told = subprocess.run(argv, cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    found: list[dict[str, Any]] = json.loads(told.stdout)["packages"]
    return found
