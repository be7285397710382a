"""What a guest costs its host: the CPU time of all processes that are the guest, ended ones included."""

from __future__ import annotations

from abc import ABC, abstractmethod

from virtometer.environments.journal import Journal


class Account(ABC):
    """The CPU time of one guest's processes. The launcher enters it before exec; what it starts is in it too."""

    method: str  # cgroup-v1, cgroup-v2 or process-tree: recorded with the guest

    @abstractmethod
    def enter(self) -> None:
        """Put the calling process in. Runs between fork and exec: no locks, no allocation to speak of."""

    @abstractmethod
    def opened_for(self, pid: int) -> None:
        """The launcher was started with this pid."""

    @abstractmethod
    def cpu_ns(self) -> int:
        """CPU time used so far, user and system, ended processes included, in ns. Never decreases."""

    @abstractmethod
    def processes(self) -> list[int]:
        """Pids that run in it now (zombies do not run)."""

    @abstractmethod
    def remove(self) -> None:
        """Kill what is left inside and remove what the account made. Idempotent."""


def open_account(guest_id: str, journal: Journal) -> Account:
    """Open the most exact account that this user can have on this host; journals what it makes."""
    raise NotImplementedError
