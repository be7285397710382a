"""Every package that pyproject.toml names is imported, or has another use."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions

import pytest

from tests.house.tracked import ROOT, texts

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())

# Packages of the group dev that nothing imports, each with its use.
NOT_IMPORTED = {
    "mypy": "a program of make lint",
    "pytest-rerunfailures": "the marker flaky of pytest",
    "pytest-timeout": "the setting timeout of pytest",
    "pytest-xdist": "the option -n of make test",
    "ruff": "a program of make lint",
    "types-jsonschema": "types for mypy",
    "types-pyyaml": "types for mypy",
}


def plain(name: str) -> str:
    """A package's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def names(requirements: list[str]) -> set[str]:
    return {plain(re.split(r"[^A-Za-z0-9._-]", requirement)[0]) for requirement in requirements}


def imported(*folders: str) -> Iterator[str]:
    """The first parts of all modules that the Python files of some folders import."""
    for file in texts():
        if file.suffix != ".py" or file.relative_to(ROOT).parts[0] not in folders:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.split(".")[0]


@cache
def installed() -> Mapping[str, list[str]]:
    """The packages that have a module, by the module."""
    return packages_distributions()


def distributions(*folders: str) -> set[str]:
    """The packages that have the modules which the files of some folders import."""
    of = installed()
    return {plain(package) for module in set(imported(*folders)) for package in of.get(module, ())}


def test_the_product_imports_every_package_that_it_demands() -> None:
    assert names(PROJECT["project"]["dependencies"]) <= distributions("src")


def test_every_package_for_developers_has_a_use() -> None:
    group = names(PROJECT["dependency-groups"]["dev"])
    assert group - distributions("tests", "bench", "setup", "mutants") == NOT_IMPORTED.keys()


@pytest.mark.parametrize(
    ("requirement", "name"), [("PyYAML>=6.0", "pyyaml"), ("vl_convert.python", "vl-convert-python"), ("a[b]<2", "a")]
)
def test_names_of_packages(requirement: str, name: str) -> None:
    assert names([requirement]) == {name}
