"""Every error that a user can meet, as one tree.

    VirtometerError
    ├── UsageError            2   wrong arguments, wrong settings
    │   └── PlanError         2   a plan that cannot be executed, with file and line
    ├── EnvironmentFailed     3   an environment that does not work here, or did not start
    │   ├── PlanNotHere       3   a plan that is right, and that this host cannot execute
    │   └── GuestDied         3   a guest that ended in the middle
    ├── LedgerError           4   a results directory that is unreadable, foreign or in use
    ├── HostChanged           5   the host is not the one the campaign began on
    ├── LinkError             6   the agent does not answer, is of another version, breaks the protocol
    │   ├── LinkTimeout       6
    │   ├── LinkClosed        6
    │   ├── ClockError        6   a guest's clock has a fault, or contradicts itself
    │   └── RemoteError       6   the agent answered with an error (code, message)
    ├── StorageError          7   no space, read-only, input/output error
    ├── MissingProgram        8   a program that is needed is not installed
    ├── TrialsFailed          9   the campaign is complete, and some of its trials failed
    │   └── AnswersDiffer     9   a command has not the same answer everywhere
    ├── HostBusy             10   another laboratory measures on this host, or tunes it
    ├── HostLeftTuned        11   a tuning of the host could not be undone
    ├── CommandFailed       125   a command that is to be timed fails natively
    │   ├── NotExecutable   126   its program cannot be executed
    │   └── CommandNotFound 127   its program is not there
    └── Interrupted         130   Ctrl-C or SIGTERM; everything measured so far is kept

The number is the exit status of the command line. 1 is left to faults of Virtometer itself. Two are no errors, but the
result of `compare` (cli/parts/exit_statuses.py): 20 worse by more than the margin, 21 open.
Each error carries the sentence that the user sees and, where there is one, the next action.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from virtometer.visible import bounded, visible

if TYPE_CHECKING:
    from virtometer.model import ClockFault


class VirtometerError(Exception):
    """Root of the tree: one sentence, and what to do next."""

    exit_status = 1

    def __init__(self, sentence: str, *, advice: str = "", guest: str = "") -> None:
        """`sentence` is shown to the user; `advice` is the next action, or empty. Both may quote anybody's text.

        Of a line of more than 1,000 characters the middle is left out.

        guest: name of the guest that it is about; `reason` is the sentence without it.
        """
        self.reason = bounded(visible(sentence, keep="\n"))
        self.sentence = f"{visible(guest)}: {self.reason}" if guest else self.reason
        self.advice = bounded(visible(advice, keep="\n"))
        super().__init__(self.sentence)


class UsageError(VirtometerError):
    """Wrong arguments or settings."""

    exit_status = 2


class PlanError(UsageError):
    """A plan that cannot be executed."""

    def __init__(self, file: str, line: int, sentence: str, *, advice: str = "") -> None:
        """`line` counts from 1; 0 when the fault belongs to the whole file."""
        shown = visible(file)
        where = f"{shown}:{line}" if line else shown
        super().__init__(f"{where}: {sentence}", advice=advice)
        self.file = file
        self.line = line


class EnvironmentFailed(VirtometerError):
    """An environment or a plan that does not work on this host, or a guest that did not start."""

    exit_status = 3


class PlanNotHere(EnvironmentFailed):
    """A plan that is right, and that this host cannot execute."""


class GuestDied(EnvironmentFailed):
    """A guest that ended although it was not told to."""


class LedgerError(VirtometerError):
    """A results directory that is unreadable, foreign or in use."""

    exit_status = 4


class HostChanged(VirtometerError):
    """The host is not the one that the campaign began on."""

    exit_status = 5


class LinkError(VirtometerError):
    """The conversation with an agent failed."""

    exit_status = 6


class LinkTimeout(LinkError):
    """The agent did not answer in time."""


class LinkClosed(LinkError):
    """The channel ended."""


class ClockError(LinkError):
    """A guest's clock has a fault in one run."""

    def __init__(self, sentence: str, fault: ClockFault, *, guest: str = "") -> None:
        """`sentence` says to a user what `fault` says to a program."""
        super().__init__(sentence, guest=guest)
        self.fault = fault


class RemoteError(LinkError):
    """The agent answered with an error of contract/REFERENCE.md."""

    def __init__(self, code: str, message: str) -> None:
        """`code` is one of the error codes of contract/REFERENCE.md."""
        super().__init__(f"the agent says {visible(code)}: {visible(message)}")
        self.code = code
        self.message = message


class StorageError(VirtometerError):
    """No space, a read-only file system, an input/output error."""

    exit_status = 7


class MissingProgram(VirtometerError):
    """A program that is needed is not installed."""

    exit_status = 8


class TrialsFailed(VirtometerError):
    """The campaign is complete, and some of its trials failed."""

    exit_status = 9


class AnswersDiffer(TrialsFailed):
    """The campaign is complete, and a command has not the same answer everywhere."""


class HostBusy(VirtometerError):
    """Another laboratory measures on this host, or tunes it."""

    exit_status = 10


class HostLeftTuned(VirtometerError):
    """A tuning of the host could not be undone: what is measured there has other settings than it says."""

    exit_status = 11


class CommandFailed(VirtometerError):
    """A command that is to be timed fails natively."""

    exit_status = 125


class NotExecutable(CommandFailed):
    """The program of a command that is to be timed cannot be executed."""

    exit_status = 126


class CommandNotFound(CommandFailed):
    """The program of a command that is to be timed is not there."""

    exit_status = 127


class Interrupted(VirtometerError):
    """The user stopped the campaign."""

    exit_status = 130
