"""A line on standard error while something takes a moment, and none where it does not."""

from __future__ import annotations

import threading

import pytest

from virtometer.cli.parts import notice as notices
from virtometer.cli.parts.notice import notice


def test_what_takes_a_moment_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    written = threading.Event()

    class Console:
        def __init__(self, *, stderr: bool) -> None:
            assert stderr

        def print(self, text: str) -> None:
            printed.append(text)
            written.set()

    monkeypatch.setattr(notices, "PlainConsole", Console)
    monkeypatch.setattr(notices, "AFTER_S", 0.0)
    with notice("writing the report ...", piped=True):
        assert written.wait(60)
    assert printed == ["writing the report ..."]


def test_what_is_done_at_once_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(notices, "AFTER_S", 3600.0)
    before = threading.active_count()
    with notice("writing the report ...", piped=True):
        pass
    assert capsys.readouterr().err == ""
    assert threading.active_count() == before


def test_standard_error_that_is_no_terminal_stays_empty_unless_it_is_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(threading, "Timer", lambda *_: started.append("a timer"))
    with notice("reading the ledger ..."):
        pass
    assert started == []
