"""Tests mirror the sources: a module's tests stand in the file of its name, in the folder of its folder's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from tests.house.tracked import ROOT, tracked

SOURCE, TESTS = ROOT / "src" / "virtometer", ROOT / "tests"

# Modules that are only data, or thin, and the file that tests them whole.
ELSEWHERE = {
    "cli/app.py": "cli/test_main.py",
    "cli/parts/choosing.py": "cli/plan/test_verb.py",
    "cli/resume.py": "cli/test_run.py",
    "environments/kinds/crun.py": "environments/kinds/test_containers.py",
    "cli/parts/verbs.py": "cli/test_main.py",
    "errors.py": "cli/test_main.py",
    "imports/format.py": "imports/test_reading.py",
    "imports/registry.py": "imports/test_reading.py",
    "imports/value.py": "imports/test_table.py",
    "model/command_defaults.py": "workloads/test_command.py",
    "report/parts/table.py": "report/parts/test_html_tables.py",
    "runner/execution/party.py": "runner/execution/test_growing.py",
    "store/schema.py": "store/test_versions.py",
    "time_server/listener.py": "time_server/test_server.py",
}


def mirrored(module: str) -> str:
    """The file of a module's tests: link/channel.py has link/test_channel.py."""
    path = PurePosixPath(module)
    return str(path.with_name(f"test_{path.name}"))


def faults(modules: Iterable[str], tests: Iterable[str], elsewhere: Mapping[str, str]) -> list[str]:
    """What is wrong, in sentences; all paths are relative to the sources or to the tests."""
    known, there = set(modules), set(tests)
    found = [
        f"{module} has no {mirrored(module)}"
        for module in sorted(known - elsewhere.keys())
        if mirrored(module) not in there
    ]
    for module, test in elsewhere.items():
        if module not in known:
            found.append(f"{module}, of the list, does not exist")
        elif mirrored(module) in there:
            found.append(f"{module}, of the list, has {mirrored(module)}")
        elif test not in there:
            found.append(f"{test}, which is to test {module}, does not exist")
    return found


def test_every_module_has_a_file_of_tests() -> None:
    files = [file for file in tracked() if file.suffix == ".py"]
    modules = [
        file.relative_to(SOURCE).as_posix()
        for file in files
        if SOURCE in file.parents and file.name not in {"__init__.py", "__main__.py"}
    ]
    tests = [file.relative_to(TESTS).as_posix() for file in files if TESTS in file.parents]
    assert len(modules) > 100
    assert faults(modules, tests, ELSEWHERE) == []


def test_every_fault_is_found() -> None:
    modules, tests = ["a.py", "f/b.py"], ["test_a.py", "f/test_b.py", "f/test_whole.py"]
    assert faults(modules, tests, {}) == []
    assert faults(modules, tests[1:], {}) == ["a.py has no test_a.py"]
    assert faults(modules, ["test_a.py", "test_b.py"], {}) == ["f/b.py has no f/test_b.py"], "in the same folder"
    assert faults([*modules, "f/c.py"], tests, {"f/c.py": "f/test_whole.py"}) == []
    assert faults([*modules, "f/c.py"], tests, {"f/c.py": "f/test_c.py"}) == [
        "f/test_c.py, which is to test f/c.py, does not exist"
    ]
    assert faults(modules, tests, {"f/c.py": "f/test_whole.py"}) == ["f/c.py, of the list, does not exist"]
    assert faults(modules, tests, {"f/b.py": "f/test_whole.py"}) == ["f/b.py, of the list, has f/test_b.py"]
