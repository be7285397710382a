"""What a guest shares with the host, in a user's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from virtometer.model.bind import Bind, bind_of


def test_a_bind_has_two_full_paths_and_may_be_for_reading_alone() -> None:
    assert bind_of("/a:/b") == bind_of("/a:/b:rw") == Bind(Path("/a"), Path("/b"))
    assert bind_of("/a b:/c:ro") == Bind(Path("/a b"), Path("/c"), writable=False)


def test_links_upwards_and_relative_paths_are_refused() -> None:
    for wrong in ("a:/b", "/a:b", "/a:/b/../c", "/a:/"):
        with pytest.raises(ValueError, match="must have"):
            bind_of(wrong)
