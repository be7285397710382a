"""The search for cycles is off in the block, and as before after it."""

import gc

import pytest

from virtometer.cli.parts.collector import without_collector


def test_the_collector_is_off_for_a_while() -> None:
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), without_collector():
        assert not gc.isenabled()
        raise ZeroDivisionError
    assert gc.isenabled()
    gc.disable()
    try:
        with without_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
