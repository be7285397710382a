"""Tests assert facts. Sentences of the product stand in golden files, which `tests.sentences` compares."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.house.tracked import ROOT, tracked
from tests.sentences import GOLDEN, TESTS

LETTERS = 40
NO_SENTENCES = {
    "tests/house/test_docs.py": "texts that are checked, not the product's",
    "tests/house/test_prose.py": "texts that are checked, not the product's",
    "tests/store/test_sample_rows.py": "a statement of SQL",
}


def texts(node: ast.AST) -> Iterator[str]:
    """Literal texts of an expression; {} stands for the values of an f-string."""
    match node:
        case ast.JoinedStr(values=values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in values)
        case ast.Constant(value=str() as text):
            yield text
        case _:
            for child in ast.iter_child_nodes(node):
                yield from texts(child)


def asserted_sentences(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lines of assertions with a text of LETTERS letters and more that has blanks, and this text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            for text in texts(node.test):
                if " " in text and len(re.findall(r"[^\W\d_]", text)) >= LETTERS:
                    yield node.lineno, text


def test_assertions_have_no_sentences() -> None:
    files = [file for file in tracked() if file.suffix == ".py" and ROOT / "tests" in file.parents]
    assert len(files) > 100
    found = {
        f"{name}:{line}: {text}"
        for file in files
        if (name := str(file.relative_to(ROOT))) not in NO_SENTENCES
        for line, text in asserted_sentences(ast.parse(file.read_text()))
    }
    assert found == set()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("assert x == 'the program runc is not installed on this host today'", 1),
        ("assert f'the program {name} is not installed on this host any more' in x", 1),
        ("assert x, 'the program runc is not installed on this host today'", 0),
        ("assert x == 'not installed: runc'", 0),
        ("assert x == '/a/very/long/path/without/any/blank/that/is/no/sentence/at/all'", 0),
    ],
    ids=["literal", "f-string", "message of the assertion", "short", "path"],
)
def test_sentences_are_found(text: str, count: int) -> None:
    assert len([*asserted_sentences(ast.parse(text))]) == count


def test_golden_texts_belong_to_tests() -> None:
    """A test that was renamed or removed leaves no text behind."""
    files = [file for file in tracked() if GOLDEN in file.parents]
    assert len(files) > 50
    for file in files:
        module = TESTS / file.relative_to(GOLDEN).with_suffix(".py")
        assert module.is_file(), file
        names = defined(module)
        assert {test.partition("[")[0] for test in yaml.safe_load(file.read_text())} <= names, file


def defined(module: Path) -> set[str]:
    """Names of the functions of a file of tests."""
    return {node.name for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.FunctionDef)}
