"""Who may import whom. The folders stand in the order in which data flows, and nothing imports against the flow."""

import ast
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "virtometer"

# part -> the other parts that it may import. A part is a module or a folder directly under src/virtometer.
ALLOWED: dict[str, set[str]] = {
    "model": set(),
    "errors": {"visible", "model"},
    "visible": set(),
    "deferred_signals": set(),
    "installation": set(),
    "cache": set(),
    "processes": {"errors"},
    "programs": {"model", "errors", "deferred_signals", "processes"},
    "counted": set(),
    "studies": {"visible", "counted", "installation", "model", "errors"},
    "host": {"visible", "model", "errors", "deferred_signals", "processes", "programs"},
    "design": {"visible", "model", "errors", "workloads"},
    "clock": {"model", "errors"},
    "agent_table": {"installation"},
    "analysis": {"model", "errors", "agent_table", "clock", "counted", "studies"},
    "report": {
        "visible",
        "counted",
        "model",
        "errors",
        "cache",
        "agent_table",
        "clock",
        "workloads",
        "studies",
        "analysis",
    },
    "imports": {"visible", "counted", "model", "errors"},
    "store": {"model", "errors", "deferred_signals"},
    "link": {"visible", "model", "errors"},
    "time_server": {"model", "errors", "environments", "workloads"},
    "workloads": {"model", "errors", "agent_table"},
    "environments": {
        "visible",
        "model",
        "errors",
        "deferred_signals",
        "processes",
        "programs",
        "host",
        "link",
        "installation",
    },
    "runner": {
        "installation",
        "visible",
        "counted",
        "cache",
        "model",
        "errors",
        "deferred_signals",
        "programs",
        "clock",
        "link",
        "workloads",
        "host",
        "environments",
        "time_server",
        "design",
        "store",
        "analysis",
    },
    "cli": {
        "installation",
        "visible",
        "counted",
        "model",
        "errors",
        "programs",
        "link",
        "time_server",
        "workloads",
        "studies",
        "design",
        "store",
        "analysis",
        "imports",
        "report",
        "runner",
    },
    "__main__": {"cli"},
}


@cache
def imported(source: str, package: str) -> frozenset[str]:
    """The dotted names of all modules of ours that a source imports; `package` is the package it lies in."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                outer = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*outer, base] if base else outer)
            names = [f"{base}.{alias.name}" for alias in node.names]
        else:
            continue
        found.update(name for name in names if name.split(".")[0] == "virtometer")
    return frozenset(found)


def parts_imported(source: str, package: str) -> set[str]:
    """The parts of the house that a source imports; importing the package `virtometer` itself counts for nothing."""
    return {name.split(".")[1] for name in imported(source, package) if "." in name} - {"__version__"}


def part_of(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


FILES = sorted(file for file in SOURCE.rglob("*.py") if file.relative_to(SOURCE) != Path("__init__.py"))


def test_the_rules_name_every_part_that_exists_and_no_other() -> None:
    assert {part_of(file) for file in FILES} == set(ALLOWED)


def test_a_file_imports_only_what_its_part_may() -> None:
    for file in FILES:
        package = ".".join(["virtometer", *file.relative_to(SOURCE).parts[:-1]])
        part = part_of(file)
        wrong = parts_imported(file.read_text(), package) - ALLOWED[part] - {part}
        assert not wrong, f"{file.relative_to(SOURCE)}: {part} may not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ("from virtometer.environments.registry import KINDS", {"environments"}),
        ("from virtometer import environments", {"environments"}),
        ("from virtometer import __version__", set()),
        ("import virtometer.link.channel as c", {"link"}),
        ("from ..environments import registry", {"environments"}),
        ("from . import ratio", {"analysis"}),
        ("def f():\n    from virtometer.runner import doctor", {"runner"}),
        ("if TYPE_CHECKING:\n    from virtometer.store import ledger", {"store"}),
        ("import json, virtometerx.link", set()),
    ],
)
def test_every_form_of_import_is_seen(source: str, parts: set[str]) -> None:
    assert parts_imported(source, "virtometer.analysis") == parts
