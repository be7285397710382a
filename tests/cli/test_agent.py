"""`virtometer agent path`."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import pytest

from tests.cli.laboratory import virtometer
from tests.sentences import Said
from virtometer import installation


def test_a_missing_agent_is_status_8(tmp_path: Path) -> None:
    outcome = virtometer("agent", "path", VIRTOMETER_AGENT=str(tmp_path / "none"))
    assert (outcome.status, outcome.out) == (8, "")
    assert outcome.err.count("\n") == 1


def test_where_the_agent_is(said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a repository in which nothing is built, then the host's agent."""
    monkeypatch.setattr(installation, "checkout", lambda: tmp_path)
    monkeypatch.delenv("VIRTOMETER_AGENT", raising=False)
    rust_target = f"{platform.machine()}-unknown-linux-musl"
    missing = virtometer("agent", "path")
    assert (missing.status, missing.out) == (8, "")
    said(missing.err)
    built = tmp_path / "target" / rust_target / "release" / "virtometer-agent"
    built.parent.mkdir(parents=True)
    built.touch(mode=0o755)
    for words in ([], [rust_target]):
        outcome = virtometer("agent", "path", *words)
        assert (outcome.status, outcome.out, outcome.err) == (0, f"{built}\n", "")
    outcome = virtometer("agent", "path", VIRTOMETER_AGENT=sys.executable)
    assert outcome.out == f"{Path(sys.executable).resolve()}\n"
