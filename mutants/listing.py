"""The lists of mutants: one TOML file for each kernel.

    tests = ["kernels memory::"]            # all tests of the kernel, for a mutant that its own checks do not find

    [[mutant]]
    name = "half-array"
    wrong = "A pass copies half of the array."
    file = "agent/kernels/src/memory/portable.rs"
    old = '''text that occurs exactly once in the file'''
    new = '''text that replaces it'''
    run = ["measure memory --op copy --size 64K --seconds 0.05"]
    tests = ["kernels memory::tests::every_element_is_copied"]

`run` are command lines of the agent that all pass with the sound agent; the mutant fails one of them, which is the
run-time check. {folder} stands for an empty folder, {file} for a file of 16 MiB in it, {server} for the address of
`serve net`. `tests` are tests that fail with the mutant: `kernels PATH` is a test in the crate virtometer-kernels,
`sampling/runs PATH` a test in the file runs.rs of virtometer-sampling, `sampling/loom PATH` one that explores all
orders of threads, `tests/FILE.py::NAME` a test for pytest. A path that ends in `::` names a whole module; without a
path all tests are named.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

NAME = r"^[a-z0-9][a-z0-9-]*$"
TEST = r"^([a-z]+(/[a-z_]+)?( [a-z0-9_:]+)?|tests/[\w/]+\.py(::.+)?)$"

Name = Annotated[str, StringConstraints(pattern=NAME)]
Test = Annotated[str, StringConstraints(pattern=TEST)]
Text = Annotated[str, StringConstraints(min_length=1)]


class ListError(Exception):
    """A list of mutants is wrong: its form, or a text that the sources do not have."""


class _Entry(BaseModel):
    """One mutant as a list has it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name
    wrong: Text
    file: Text
    old: Text
    new: str
    run: tuple[Text, ...] = ()
    tests: tuple[Test, ...] = ()

    @model_validator(mode="after")
    def _has_a_check(self) -> _Entry:
        if not self.run and not self.tests:
            raise ValueError("no check is named: give run, tests or both")
        if self.old == self.new:
            raise ValueError("old and new are the same text")
        return self


class _List(BaseModel):
    """One file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tests: tuple[Test, ...] = Field(min_length=1)
    mutant: tuple[_Entry, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Mutant:
    """One wrong agent: a replaced text, and the checks that must find it."""

    kernel: str
    name: str
    wrong: str
    file: str
    old: str
    new: str
    run: tuple[str, ...]
    tests: tuple[str, ...]
    kernel_tests: tuple[str, ...]

    @property
    def full_name(self) -> str:
        """KERNEL/NAME."""
        return f"{self.kernel}/{self.name}"


def read_list(path: Path) -> list[Mutant]:
    """Mutants of one file, whose name without suffix is the kernel's. Raises ListError."""
    try:
        content = _List.model_validate(tomllib.loads(path.read_text()))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise ListError(f"{path.name}: {error}") from error
    names = [entry.name for entry in content.mutant]
    for name in names:
        if names.count(name) > 1:
            raise ListError(f"{path.name}: the name {name} is given twice")
    return [
        Mutant(path.stem, kernel_tests=content.tests, **{key: getattr(entry, key) for key in _Entry.model_fields})
        for entry in content.mutant
    ]


def read_lists(folder: Path) -> list[Mutant]:
    """Mutants of every TOML file in a folder, by file name. Raises ListError."""
    return [mutant for path in sorted(folder.glob("*.toml")) for mutant in read_list(path)]


def stale(mutant: Mutant, sources: Path) -> str | None:
    """The reason why a mutant cannot be made from these sources, or None."""
    path = sources / mutant.file
    if not path.is_file():
        return f"{mutant.full_name}: there is no file {mutant.file}"
    count = path.read_text().count(mutant.old)
    if count != 1:
        return f"{mutant.full_name}: its old text occurs {count} times in {mutant.file}, not once"
    return None


def chosen(mutants: list[Mutant], words: str) -> list[Mutant]:
    """Mutants of the kernels, or with the names, in `words` (separated by blanks or commas); all without any word.

    Raises ListError for a word that names none.
    """
    wanted = words.replace(",", " ").split()
    for word in wanted:
        if not any(word in (mutant.kernel, mutant.name, mutant.full_name) for mutant in mutants):
            raise ListError(f"there is no kernel and no mutant {word!r}; --list names all")
    return [m for m in mutants if not wanted or {m.kernel, m.name, m.full_name} & set(wanted)]
