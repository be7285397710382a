"""Signals that stop a laboratory, in a block that they must not cut."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from virtometer.deferred_signals import deferred_signals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_put_off_and_not_lost(number: signal.Signals) -> None:
    def stop(_: int, __: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(number, stop)
    try:
        bodies: tuple[Callable[[], object], ...] = (lambda: None, lambda: dict[str, int]()["nothing"])
        for body in bodies:
            reached = False
            with pytest.raises(KeyboardInterrupt), deferred_signals():
                signal.raise_signal(number)
                reached = True
                body()
            assert reached
            assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.fixture
def stopping() -> Iterator[None]:
    """Ctrl-C and SIGTERM stop, as on the command line."""

    def stop(_: int, __: object) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_signal_that_another_thread_takes_is_put_off_too(stopping: None) -> None:
    reached = False
    with pytest.raises(KeyboardInterrupt), deferred_signals():
        thread = threading.Thread(target=lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
        thread.start()
        thread.join()
        for _ in range(1000):  # Python looks for signals in every turn
            pass
        reached = True
    assert reached


def test_one_that_comes_while_they_are_put_back_loses_no_later_one(
    stopping: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    install = signal.signal

    def cut(number: int, handler: signal.Handlers) -> object:
        if inside:
            monkeypatch.undo()
            signal.raise_signal(signal.SIGINT)
        return install(number, handler)

    inside = False
    monkeypatch.setattr(signal, "signal", cut)
    with pytest.raises(KeyboardInterrupt), deferred_signals():
        inside = True
    for number in (signal.SIGINT, signal.SIGTERM):
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
