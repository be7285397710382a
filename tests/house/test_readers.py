"""One analysis for all readers: no report and no command concludes anything from a campaign by itself."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.house.tracked import ROOT

SOURCE = ROOT / "src" / "virtometer"
# They make the one thing that readers read.
MAKERS = {"analyse", "by_guest_clocks"}


def concluding() -> set[str]:
    """Functions of the analysis that take a whole campaign."""
    return {
        node.name
        for path in (SOURCE / "analysis").glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(one.annotation, ast.Name) and one.annotation.id == "Campaign" for one in node.args.args)
    }


def uses(path: Path, names: set[str]) -> set[str]:
    """Those of `names` that a file imports from the analysis, or takes from one of its modules."""
    found: set[str] = set()
    modules: set[str] = set()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("virtometer.analysis"):
            found |= {alias.name for alias in node.names} & names
            modules |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found |= {node.attr} & names
    return found


def test_the_functions_are_found() -> None:
    known = {"analyse", "findings", "clock_qualities", "further_measures", "histograms", "timed", "of_series"}
    assert concluding() >= known


def test_reports_and_commands_read_the_analysis() -> None:
    names = concluding() - MAKERS
    readers = [*(SOURCE / "report").rglob("*.py"), *(SOURCE / "cli").rglob("*.py")]
    assert len(readers) > 20
    assert {str(path.relative_to(SOURCE)): found for path in readers if (found := uses(path, names))} == {}
