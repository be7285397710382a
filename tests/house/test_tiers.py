"""The tests that `make test` leaves out exist, and continuous integration runs them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from tests.tiers import listed

ROOT = Path(__file__).parents[2]
SECONDS = (ROOT / "tests" / "seconds.txt").read_text()


def test_names_below_a_file_are_its_tests() -> None:
    text = "# why\n\na/test_b.py\n    test_c\n    test_d[x-1 y]\ne/test_f.py\n    test_g\n"
    assert list(listed(text)) == ["a/test_b.py::test_c", "a/test_b.py::test_d[x-1 y]", "e/test_f.py::test_g"]


def test_each_test_of_the_list_exists_and_stands_there_once() -> None:
    names = list(listed(SECONDS))
    assert [name for name, times in Counter(names).items() if times > 1] == []
    gone = []
    for name in names:
        file, _, test = name.partition("::")
        function = test.partition("[")[0]
        path = ROOT / "tests" / file
        if not path.exists() or not re.search(rf"^def {re.escape(function)}\(", path.read_text(), re.MULTILINE):
            gone.append(name)
    assert gone == []


def test_continuous_integration_runs_what_make_test_leaves_out() -> None:
    called = (ROOT / ".ci" / "run").read_text()
    assert "make test <" in called and "make test-more <" in called
    assert '-m "not slow and not seconds"' in (ROOT / "Makefile").read_text()
    script = (ROOT / "setup" / "test.sh").read_text()
    assert '-m "seconds and not slow"' in script
    assert '-m "not slow and not long and not seconds"' in script, "make test-fast runs a part of make test"
