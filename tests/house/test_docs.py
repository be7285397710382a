"""The documents against what exists: paths, links, make targets, commands, schemas, the drawing of the error tree."""

import inspect
import json
import re
from pathlib import Path

import jsonschema
import pytest

from tests.house.tracked import ROOT, tracked
from virtometer import errors

DOCUMENTS = [file for file in tracked() if file.suffix == ".md"]
SCHEMAS = [file for file in tracked() if file.name.endswith(".schema.json")]
TOP = {file.relative_to(ROOT).parts[0] for file in tracked()}


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


def broken_links(text: str, folder: Path) -> list[str]:
    """Relative links, and paths in code type that begin with a folder of the house, that lead nowhere."""
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if ":" not in link]
    broken = [link for link in links if link and not (folder / link).exists()]
    for path in re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:md|toml|lock|py|rs|sh))`", text):
        here = [folder / path, ROOT / path, ROOT / "src" / "virtometer" / path, ROOT / "agent" / path]
        if (path.split("/")[0] in TOP or "/" not in path) and not any(place.exists() for place in here):
            broken.append(path)
    return broken


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def make_calls(text: str) -> set[str]:
    """Targets that a text tells people to make: `make X` in code type or at the start of an indented line."""
    return set(re.findall(r"(?:`|^\s{4,}|&& )make ([a-z-]+)", text, re.MULTILINE))


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_every_path_in_a_document_exists(file: Path) -> None:
    assert not broken_links(file.read_text(), file.parent)


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_every_make_target_in_a_document_exists(file: Path) -> None:
    assert make_calls(file.read_text()) <= make_targets()


def test_broken_links_and_wrong_targets_are_found() -> None:
    assert broken_links("[a](nowhere.md) and `src/nothing.py` and `NOWHERE.md`", ROOT) == [
        "nowhere.md",
        "src/nothing.py",
        "NOWHERE.md",
    ]
    assert not broken_links("[a](Makefile#x) [b](https://example.net/x) `src/virtometer/model.py` `B/s`", ROOT)
    assert make_calls("call `make demo`\n    make nothing # ...") == {"demo", "nothing"}
    assert {"setup", "demo", "test", "lint", "bench"} <= make_targets()


@pytest.mark.parametrize("file", SCHEMAS, ids=name)
def test_every_schema_is_a_valid_schema(file: Path) -> None:
    schema = json.loads(file.read_text())
    kind = jsonschema.validators.validator_for(schema, default=None)  # type: ignore[arg-type]
    assert kind is not None, "the schema does not name the draft that it follows ($schema)"
    kind.check_schema(schema)


def drawn_errors() -> dict[str, tuple[str | None, int | None]]:
    """The tree in the docstring of errors.py: class -> (class above, exit status)."""
    tree: dict[str, tuple[str | None, int | None]] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^([ │├└─]*)([A-Z]\w+)(?:\s+(\d+))?(?:\s|$)", line)
        if not found or not line.startswith("    "):
            continue
        depth = len(found[1])
        above = [entry for entry in above if entry[0] < depth]
        tree[found[2]] = (above[-1][1] if above else None, int(found[3]) if found[3] else None)
        above.append((depth, found[2]))
    return tree


def test_the_drawing_of_the_errors_is_true() -> None:
    classes = {
        label: thing
        for label, thing in inspect.getmembers(errors, inspect.isclass)
        if issubclass(thing, errors.VirtometerError)
    }
    real = {
        label: (
            thing.__bases__[0].__name__ if thing is not errors.VirtometerError else None,
            thing.exit_status if thing is not errors.VirtometerError else None,
        )
        for label, thing in classes.items()
    }
    assert drawn_errors() == real
