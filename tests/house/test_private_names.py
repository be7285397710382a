"""Tests keep to public names of the product: what begins with an underscore may change without a test's notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.tracked import ROOT, tracked

PRODUCT = "virtometer"
OF_OTHERS = {
    "_exit": "os: the one way for a child of fork to end at once, and documented",
    "_waitpid_lock": "subprocess: a Ctrl-C while Popen holds this lock hung the laboratory",
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def is_of_product(module: str | None) -> bool:
    return module is not None and module.split(".")[0] == PRODUCT


def defined(tree: ast.AST) -> set[str]:
    """Private names that this file gives to its own functions, classes, variables and attributes."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                found.add(name)
    return {name for name in found if is_private(name)}


def private_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Private names of others that a test uses: the line, and what stands there."""
    known = defined(tree) | OF_OTHERS.keys()
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=module, names=names, level=0) if is_of_product(module):
                parts = [*(module or "").split("."), *(alias.name for alias in names)]
                yield from ((node.lineno, f"import of {part}") for part in parts if is_private(part))
            case ast.Import(names=names):
                modules = [alias.name for alias in names if is_of_product(alias.name)]
                yield from (
                    (node.lineno, f"import of {one}") for one in modules if any(map(is_private, one.split(".")))
                )
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass
            case ast.Attribute(attr=name) if is_private(name) and name not in known:
                yield node.lineno, ast.unparse(node)
            case (
                ast.Call(func=ast.Attribute(attr="setattr" | "delattr"))
                | ast.Call(func=ast.Name(id="getattr" | "setattr" | "delattr"))
            ):
                for word in (one.value for one in node.args[:2] if isinstance(one, ast.Constant)):
                    if isinstance(word, str) and (name := word.rpartition(".")[2]) not in known and is_private(name):
                        yield node.lineno, ast.unparse(node)


def scripts(tree: ast.AST) -> Iterator[ast.AST]:
    """Programs that a test gives to another Python: literals of several lines that import something of the product."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and f"\nfrom {PRODUCT}" in node.value:
            try:
                yield ast.parse(node.value)
            except SyntaxError:
                continue


def test_no_test_uses_private_names_of_the_product() -> None:
    files = [file for file in tracked() if file.suffix == ".py" and ROOT / "tests" in file.parents]
    assert len(files) > 100
    found = []
    for file in files:
        test = ast.parse(file.read_text())
        for tree in (test, *scripts(test)):
            found += [f"{file.relative_to(ROOT)}:{line}: {what}" for line, what in private_names(tree)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("from virtometer.analysis.statistics.precision import _power", ["import of _power"]),
        ("from virtometer._inner import name", ["import of _inner"]),
        ("import virtometer._inner", ["import of virtometer._inner"]),
        ("from virtometer import __version__", []),
        ("from tests.house.tracked import _own", []),
        ("ledger._connection.close()", ["ledger._connection"]),
        ("one._guest._process", ["one._guest._process", "one._guest"]),
        ("self._mine = 1", []),
        ("class Own:\n    def __init__(self): self._mine = 1\nOwn()._mine", []),
        ("os._exit(0)", []),
        ("monkeypatch.setattr(images, '_LAYOUT', 2)", ["monkeypatch.setattr(images, '_LAYOUT', 2)"]),
        ("patch.setattr('virtometer.environments.images.machines._LAYOUT', 2)", None),
        ("monkeypatch.setattr(images, 'LAYOUT', '_x')", []),
        ("getattr(runner, '_start')()", ["getattr(runner, '_start')"]),
    ],
)
def test_private_names_are_found(text: str, names: list[str] | None) -> None:
    assert [what for _, what in private_names(ast.parse(text))] == ([text] if names is None else names)


def test_a_script_within_a_test_is_read() -> None:
    test = ast.parse('SCRIPT = """\nfrom virtometer.store.ledger import Ledger\nLedger.x._lock\n"""')
    (script,) = scripts(test)
    assert [what for _, what in private_names(script)] == ["Ledger.x._lock"]
