"""The lists of mutants against the sources: each text occurs once, each named test exists, each kernel has a list."""

import re
from functools import cache
from pathlib import Path

import pytest

from mutants.listing import Mutant, read_lists, stale
from mutants.workspace import LOOM
from tests.house.tracked import ROOT

MUTANTS = read_lists(ROOT / "mutants")


@cache
def text_of(source: Path) -> str:
    return source.read_text()


@cache
def sources_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.rs"))


def is_module(source: Path, name: str) -> bool:
    """Whether a source is the module of this name, or has it within."""
    return source.stem == name or f"mod {name} {{" in text_of(source)


def missing_tests(mutant: Mutant) -> list[str]:
    """The named tests of a mutant whose function stands in no file of their crate, or in none of that name."""
    missing = []
    for test in (*mutant.tests, *mutant.kernel_tests):
        binary, _, path = test.partition(" ")
        if test.startswith("tests/"):
            file, _, function = test.partition("::")
            sources = [ROOT / file] if (ROOT / file).is_file() else []
            function = function.split("[")[0].split("::")[-1]
        else:
            crate, _, file = binary.removesuffix(f"/{LOOM}").partition("/")
            folder = ROOT / "agent" / crate
            sources = [folder / "tests" / f"{file}.rs"] if file else sources_of(folder / "src")
            module, _, function = path.rpartition("::")
            name = module.rpartition("::")[2]
            sources = [one for one in sources if file or not function or is_module(one, name)]
        pattern = re.compile(rf"\b(?:fn|def) {function}\b" if function else "")
        if not any(source.is_file() and pattern.search(text_of(source)) for source in sources):
            missing.append(test)
    return missing


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.full_name)
def test_a_listed_mutant_fits_the_sources(mutant: Mutant) -> None:
    assert stale(mutant, ROOT) is None
    assert not missing_tests(mutant)


def test_a_test_that_does_not_exist_is_found() -> None:
    def named(*tests: str) -> Mutant:
        return Mutant("x", "x", "x", "x", "x", "y", (), tests, ())

    here = str(Path(__file__).relative_to(ROOT))
    absent = (
        "kernels memory::tests::no_such_test",
        "kernels memory::latency::bad_input_is_one_sentence",
        "kernels/none x",
        "sampling/loom barrier::models::no_such_model",
        f"{here}::test_no_such_test",
        "tests/none.py",
    )
    assert missing_tests(named(*absent)) == list(absent)
    assert not missing_tests(named("kernels memory::", f"{here}::test_a_test_that_does_not_exist_is_found"))
