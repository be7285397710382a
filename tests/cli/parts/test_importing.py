"""Modules are imported beside other work."""

from __future__ import annotations

import sys
import threading

import pytest

from virtometer.cli.parts.importing import importing


def test_a_module_is_there_when_the_block_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    before, threads = sys.getswitchinterval(), threading.active_count()
    with importing("colorsys"):
        assert sys.getswitchinterval() < before
    assert "colorsys" in sys.modules
    assert sys.getswitchinterval() == before
    assert threading.active_count() == threads


def test_a_module_that_is_missing_is_no_error_here_and_an_error_of_the_block_passes() -> None:
    before = sys.getswitchinterval()
    with pytest.raises(KeyError), importing("virtometer.no_such_module"):
        raise KeyError
    assert sys.getswitchinterval() == before
