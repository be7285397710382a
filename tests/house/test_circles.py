"""No module of ours imports itself through others: neither at its top nor inside of its functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from pathlib import Path

import pytest

from tests.house.test_imports import FILES, SOURCE, imported
from tests.house.tracked import ROOT


def module_of(file: Path) -> str:
    """The dotted name of a file below src."""
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def graph(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """Module -> the modules of ours that it imports. A name that is no module belongs to the module around it."""
    found: dict[str, set[str]] = {}
    for module, file in files.items():
        package = module if file.name == "__init__.py" else module.rpartition(".")[0]
        names = imported(file.read_text(), package)
        targets = {name if name in files else name.rpartition(".")[0] for name in names}
        found[module] = (targets & files.keys()) - {module}
    return found


def circles(imports: Mapping[str, Set[str]]) -> list[list[str]]:
    """One circle, as a path that ends where it began, for each module from which a search meets one."""
    done: set[str] = set()
    path: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        if module in path:
            found.append([*path[path.index(module) :], module])
            return
        if module in done:
            return
        path.append(module)
        for other in sorted(imports.get(module, ())):
            visit(other)
        path.pop()
        done.add(module)

    for module in sorted(imports):
        visit(module)
    return found


def test_no_module_imports_itself_through_others() -> None:
    found = circles(graph({module_of(file): file for file in FILES}))
    assert not found, "; ".join(" -> ".join(circle) for circle in found)


def rooms(imports: Mapping[str, Set[str]]) -> dict[str, set[str]]:
    """The same of folders. What lies in a part itself, beside its folders, is what they share or what joins them."""
    found: dict[str, set[str]] = {}
    for module, targets in imports.items():
        room = module.rpartition(".")[0]
        others = {target.rpartition(".")[0] for target in targets} - {room}
        if room.count(".") > 1:
            found.setdefault(room, set()).update(other for other in others if other.count(".") > 1)
    return found


def test_no_folder_imports_itself_through_others() -> None:
    found = circles(rooms(graph({module_of(file): file for file in FILES if file.name != "__init__.py"})))
    assert not found, "; ".join(" -> ".join(circle) for circle in found)


def test_folders_have_the_imports_of_their_files() -> None:
    imports = {"v.a.x.one": {"v.a.y.two", "v.a.three", "v.a.x.four"}, "v.a.three": {"v.a.x.one"}, "v.a.y.two": {"v.b"}}
    assert rooms(imports) == {"v.a.x": {"v.a.y"}, "v.a.y": set()}


_USE = re.compile(r"^use crate::(?:\{(?P<many>[^;]*)\}|(?P<one>\w+))", re.MULTILINE)


def crate_graph(folder: Path) -> dict[str, set[str]]:
    """Module of a Rust crate -> the modules of it that it names in `use`; those of folders are their parent's."""
    files = {file.relative_to(folder).parts[0].removesuffix(".rs"): set[str]() for file in folder.rglob("*.rs")}
    for file in folder.rglob("*.rs"):
        module = file.relative_to(folder).parts[0].removesuffix(".rs")
        for found in _USE.finditer(file.read_text(encoding="utf-8")):
            names = re.findall(r"\w+", found["one"] or found["many"])
            files[module] |= {name for name in names if name in files} - {module}
    return {module: names - {"tests"} for module, names in files.items() if module not in ("lib", "tests")}


@pytest.mark.parametrize("crate", ["protocol", "sampling", "kernels", "agent"])
def test_no_module_of_a_crate_uses_itself_through_others(crate: str) -> None:
    found = circles(crate_graph(ROOT / "agent" / crate / "src"))
    assert not found, "; ".join(" -> ".join(circle) for circle in found)


def test_a_module_of_a_crate_has_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text("use crate::one;\n")
    (tmp_path / "one.rs").write_text("use crate::{Code, two::{self, Two}};\nuse serde::two;\n")
    (tmp_path / "two.rs").write_text("use crate::one::{a, b};\n")
    assert crate_graph(tmp_path) == {"one": {"two"}, "two": {"one"}}


MOST_FILES = 20


def test_no_folder_has_more_files_than_a_reader_overlooks() -> None:
    files = Counter(file.parent.relative_to(SOURCE).as_posix() for file in FILES)
    assert not {folder: count for folder, count in files.items() if count > MOST_FILES}


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, [["a", "b", "a"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": {"b"}}, [["b", "c", "d", "b"]]),
    ],
)
def test_a_circle_is_found(imports: dict[str, set[str]], expected: list[list[str]]) -> None:
    assert circles(imports) == expected


def test_an_import_inside_of_a_function_counts(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("def work():\n    from virtometer.two import rest\n")
    two.write_text("from virtometer import one\n")
    assert graph({"virtometer.one": one, "virtometer.two": two}) == {
        "virtometer.one": {"virtometer.two"},
        "virtometer.two": {"virtometer.one"},
    }
