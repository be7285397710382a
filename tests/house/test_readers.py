"""One analysis for all readers: no report and no command has conclusions of its own from a campaign."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.house.tracked import ROOT

SOURCE = ROOT / "src" / "virtometer"
MODULES = {path.stem for path in (SOURCE / "analysis").rglob("*.py")}
# They make the one thing that readers read; words that are not of campaigns; what a plan takes from a pilot; what is
# known of one run, and which workloads are commands.
ALLOWED = {
    "analyse", "by_guest_clocks", "compare", "compare_campaigns", "compare_environments", "differing",
    "effects_of_table", "grids_of", "in_host_time", "names", "names_of", "read", "samples_unused", "timed_samples",
    "trial_noise", "value_bound",
}  # fmt: skip


def functions(path: Path) -> set[str]:
    """Functions of the analysis that a file imports, or takes from one of its modules."""
    found: set[str] = set()
    modules: set[str] = set()
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("virtometer.analysis"):
            modules |= {alias.asname or alias.name for alias in node.names if alias.name in MODULES}
            found |= {alias.name for alias in node.names if alias.name[0].islower() and alias.name not in MODULES}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found |= {node.attr} if node.attr[0].islower() else set()
    return found


def test_reports_and_commands_read_the_analysis() -> None:
    readers = [*(SOURCE / "report").rglob("*.py"), *(SOURCE / "cli").rglob("*.py")]
    assert len(readers) > 20
    found = {str(path.relative_to(SOURCE)): names for path in readers if (names := functions(path) - ALLOWED)}
    assert found == {}


def test_a_reader_that_concludes_is_found(tmp_path: Path) -> None:
    path = tmp_path / "reader.py"
    path.write_text(
        "from virtometer.analysis import Analysis\n"
        "from virtometer.analysis.describe import clocks\n"
        "from virtometer.analysis.describe.measures import QUANTILES, further_measures\n"
        "clocks.clock_qualities(1)\n"
        "clocks.ClockQuality\n"
    )
    assert functions(path) == {"further_measures", "clock_qualities"}
