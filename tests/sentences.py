"""The fixture `said` compares texts for users with golden files, so that tests themselves state facts.

Each file of tests has its golden file in the folder `tests/said`. To write the texts anew:
UPDATE_GOLDEN=1 pytest tests/cli/test_check.py
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
import yaml

TESTS = Path(__file__).parent
GOLDEN = TESTS / "said"
PASSED = pytest.StashKey[bool]()


class Said:
    """Collects the texts of one test in their order, and compares each with the golden text in this place."""

    def __init__(self, file: Path, test: str) -> None:
        self._file, self._test, self._update = file, test, bool(os.environ.get("UPDATE_GOLDEN"))
        self._expected = [] if self._update else read(file).get(test, [])
        self._found: list[str] = []

    def __call__(self, text: str, **places: object) -> None:
        """Fail where the text is another one. {name} stands in the golden text for what `places` gives this name.

        Longer values are replaced first: a path within another one keeps its name.
        """
        for name, value in sorted(places.items(), key=lambda place: len(str(place[1])), reverse=True):
            text = text.replace(str(value), f"{{{name}}}")
        self._found.append(text)
        if not self._update:
            number = len(self._found)
            assert number <= len(self._expected), f"no golden text {number} for: {text}"
            assert text == self._expected[number - 1]

    def finish(self) -> None:
        """Write the golden texts where that was asked for; fail where some were not compared."""
        if self._update:
            _write(self._file, self._test, self._found)
        else:
            assert len(self._found) == len(self._expected), "the golden file has more texts of this test"


def read(file: Path) -> dict[str, list[str]]:
    """The golden texts of a file of tests, by the name of the test with its parameters."""
    return (yaml.safe_load(file.read_text()) or {}) if file.exists() else {}


def _write(file: Path, test: str, texts: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # other processes of tests write the same file
        golden = read(file)
        golden[test] = texts
        held.truncate(0)
        held.write(yaml.safe_dump(golden, width=10**6, allow_unicode=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note whether the test itself passed: its fixtures end afterwards."""
    report = yield
    if call.when == "call":
        item.stash[PASSED] = report.passed
    return report


@pytest.fixture
def said(request: pytest.FixtureRequest) -> Iterator[Said]:
    """Compares texts with the golden ones of this test. A test that failed or was skipped is judged by that alone."""
    one = Said(GOLDEN / request.path.relative_to(TESTS).with_suffix(".yaml"), request.node.name)
    yield one
    if request.node.stash.get(PASSED, False):
        one.finish()
