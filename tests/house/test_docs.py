"""The documents against what exists: paths, links, make targets, commands, schemas, the drawing of the error tree."""

import inspect
import json
import re
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer

from setup import commands_page, kernel_page
from setup.made_part import with_made
from tests.house.tracked import ROOT, tracked
from virtometer import errors
from virtometer.cli.app import app

DOCUMENTS = [file for file in tracked() if file.suffix == ".md"]
SCHEMAS = [file for file in tracked() if file.name.endswith(".schema.json")]
TOP = {file.relative_to(ROOT).parts[0] for file in tracked()}


def name(file: Path) -> str:
    return str(file.relative_to(ROOT))


def broken_links(text: str, folder: Path) -> list[str]:
    """Relative links, and names and paths of files in code type, that lead nowhere. NAME stands for any name."""
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if ":" not in link]
    broken = [link for link in links if link and not (folder / link).exists()]
    names = {file.name for file in tracked()}
    for path in re.findall(r"`([\w.-]+/[\w./-]*|[\w-]+\.(?:md|toml|lock|py|rs|sh|txt|yaml))`", text):
        real = path.rpartition("/")[0] if "NAME" in path else path
        places = [folder / real, ROOT / real, ROOT / "src" / "virtometer" / real]
        if not any(place.exists() for place in places) and (path.split("/")[0] in TOP or "/" not in path):
            broken += [path] if "/" in path or path not in names else []
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
    assert not broken_links("[a](Makefile#x) [b](https://example.net/x) `src/virtometer/errors.py` `B/s`", ROOT)
    assert make_calls("call `make demo`\n    make nothing # ...") == {"demo", "nothing"}
    assert {"setup", "demo", "test", "lint", "bench"} <= make_targets()


COMMAND: Any = typer.main.get_command(app)  # takes a tenth of a second


def wrong_commands(text: str) -> list[str]:
    """Command lines of the laboratory, in code type or indented, whose verb or options it does not have."""
    wrong = []
    for line in re.findall(r"(?:`|^\s{4,})(?:\$ )?(?:\.venv/bin/)?virtometer ([a-z][^`\n#]*)", text, re.MULTILINE):
        words = _words(line)
        command = COMMAND
        while words and hasattr(command, "commands"):
            if words[0] not in command.commands:
                wrong.append(line)
                break
            command = command.commands[words.pop(0)]
        else:
            known = {option for parameter in command.params for option in parameter.opts} | {"--help", "-h", "--debug"}
            wrong += [line for word in words if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known]
    return wrong


def _words(line: str) -> list[str]:
    """Those of a command line, as a shell splits it, up to another program's."""
    try:
        words = shlex.split(line)
    except ValueError:  # an apostrophe of prose, or a line that goes on
        words = line.split()
    return words[: words.index("--")] if "--" in words else words


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_every_command_in_a_document_exists(file: Path) -> None:
    assert not wrong_commands(file.read_text())


def test_wrong_commands_are_found() -> None:
    assert not wrong_commands(
        "`virtometer run --quick` and `virtometer plan check PLAN`\n    virtometer doctor --json # x"
    )
    assert not wrong_commands("    virtometer time -n x 'gzip -k data' -- gzip -k data")
    assert wrong_commands("`virtometer walk` and `virtometer run --slowly`\n    virtometer plan burn") == [
        "walk",
        "run --slowly",
        "plan burn",
    ]


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


def test_the_reference_of_the_commands_is_the_command_line_s() -> None:
    made = commands_page.page()
    assert commands_page.DOCUMENT.read_text(encoding="utf-8") == made, "docs/COMMANDS.md is stale, run: make contract"
    assert "### virtometer plan check" in made and "| `--budget TIME` |" in made
    with pytest.raises(ValueError, match="lacks the mark"):
        with_made(ROOT / "README.md", "")


def test_the_tables_of_the_kernels_are_the_agent_s() -> None:
    made = kernel_page.page()
    assert kernel_page.DOCUMENT.read_text(encoding="utf-8") == made, "contract/KERNELS.md is stale, run: make contract"
    assert "| `descriptors` | 1 to 1000 | 100 | how many | `select` |" in made
