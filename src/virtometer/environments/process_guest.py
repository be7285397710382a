"""A guest that is a tree of host processes: started, accounted, watched and ended completely in one way for all kinds.

    with ProcessGuest.starting(bench, guest_id) as guest:      # anything raised in here stops the guest first
        directory = guest.make_directory()
        guest.undo(lambda: ...)                                # runs at the stop, in reverse order, whatever else fails
        guest.launch(argv, purpose="...")                      # channel over stdin and stdout unless `stream` is given
    return guest

The processes die with the laboratory: PR_SET_PDEATHSIG on the launcher first, the journal's sweep for all the rest. That signal
comes when the *thread* that started the guest ends: guests are started from a thread that lives as long as they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from virtometer.environments.base import DiskTarget, Guest, NetworkPath, Workbench
from virtometer.link.channel import Stream


class ProcessGuest(Guest):
    """A guest whose processes are children of the laboratory."""

    def __init__(self, bench: Workbench, guest_id: str) -> None:
        """Use `starting`."""
        self.bench = bench
        self.guest_id = guest_id
        self.stream = Stream(-1, -1)
        self.disk: DiskTarget | None = None
        self.network: NetworkPath | None = None
        self.given: dict[str, Any] = {}

    @classmethod
    @contextmanager
    def starting(cls, bench: Workbench, guest_id: str) -> Iterator[ProcessGuest]:
        """Give a guest to be filled; stops it when the block raises."""
        raise NotImplementedError
        yield

    def make_directory(self) -> Path:
        """The guest's own directory under bench.scratch (journaled, removed at the stop)."""
        raise NotImplementedError

    def undo(self, action: Callable[[], object]) -> None:
        """Add something to be done at the stop, after the processes are gone, in reverse order."""
        raise NotImplementedError

    def launch(
        self,
        argv: Sequence[str | Path],
        *,
        purpose: str,
        stream: Stream | None = None,
        pass_fds: Sequence[int] = (),
        namespace: str | None = None,
    ) -> None:
        """Start the launcher in the guest's account, in network namespace `namespace` where one is named.

        Without `stream` its stdin and stdout (pipes) are the channel, else both are /dev/null and `stream` is kept.
        What it prints to stderr (with `stream`: stdout too) becomes `last_words`. The caller closes `pass_fds`.
        """
        raise NotImplementedError

    def alive(self) -> bool:
        """Whether the launcher still runs."""
        raise NotImplementedError

    def cpu_ns(self) -> int:
        """CPU time of the guest's processes so far, in ns; after the stop, what it was at the end."""
        raise NotImplementedError

    def last_words(self) -> str:
        """The last 2,000 characters that the launcher printed beside the protocol."""
        raise NotImplementedError

    def stop(self) -> None:
        """End of input, then SIGKILL to everything in the account; then the undo list. Idempotent."""
        raise NotImplementedError
