"""The holder's end of a lock's socket, and those of others."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator

import pytest

from virtometer.host.lock.lock_socket import Holder, Listener, connected, listening


@pytest.fixture
def address(new_id: Callable[[], str]) -> str:
    return f"\0virtometer-{new_id()}"


@pytest.fixture
def listener(address: str) -> Iterator[Listener]:
    own = listening(address)
    assert own is not None
    one = Listener(own)
    yield one
    one.close()


def reached(address: str) -> Holder:
    holder = connected(address)
    assert holder is not None
    return holder


def test_one_listens_at_an_address(address: str, listener: Listener) -> None:
    assert listening(address) is None
    listener.close()
    own = listening(address)
    assert own is not None
    own.close()


def test_a_holder_is_known_by_its_process_and_user_and_lives_until_it_closes(address: str, listener: Listener) -> None:
    holder = reached(address)
    assert (holder.pid, holder.user) == (os.getpid(), os.geteuid())
    assert holder.words == f"process {os.getpid()} of user {os.geteuid()}"
    assert holder.lives()
    listener.close()
    assert not holder.lives()
    holder.close()
    assert connected(address) is None


def test_who_announces_itself_is_beside_until_it_has_left(address: str, listener: Listener) -> None:
    refused, beside = reached(address), reached(address)
    beside.announce()
    beside.announce()
    refused.close()
    assert [listener.beside(), listener.beside()] == [True, True]
    beside.close()
    assert [listener.beside(), listener.beside()] == [True, False]


def test_only_one_users_laboratories_count(address: str) -> None:
    for user, counts in ((os.geteuid(), True), (os.geteuid() + 1, False)):
        own = listening(address)
        assert own is not None
        listener = Listener(own, user=user)
        holder = reached(address)
        holder.announce()
        assert listener.beside() is counts
        assert holder.lives() is counts
        holder.close()
        listener.close()


def test_who_sends_more_than_a_byte_is_read_no_further(address: str, listener: Listener) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(address)
        one.send(b"+" * 100_000)
        assert listener.beside()
        one.setblocking(False)
        with pytest.raises(BlockingIOError):
            one.send(b"+" * 1_000_000)
            one.send(b"+" * 1_000_000)


def test_a_queue_that_is_full_is_a_holder_that_does_not_answer(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(address)
        assert connected(address) is None, "it does not listen"
        own.listen(0)
        kept = [connected(address) for _ in range(3)]
        assert kept[-1] is None
