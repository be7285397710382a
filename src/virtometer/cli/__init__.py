"""The command line: one file a verb. `main` turns every error into one sentence and an exit status.

Nothing heavy is imported before a verb runs: `virtometer --help` must answer at once.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from virtometer.cli.parts.encoding import degrade
from virtometer.errors import Interrupted, StorageError, VirtometerError
from virtometer.visible import visible

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_DEBUG = "VIRTOMETER_DEBUG"
_FAULT = 1
_ONE_STORM_S = 2.0
_OUTPUT_REFUSED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status (see errors.py). `arguments` are those after the program's name."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    own = words[: words.index("--")] if "--" in words else words
    debug = "--debug" in own or os.environ.get(_DEBUG, "") not in {"", "0"}
    _open_closed_streams()
    degrade()
    before = _stop_like_ctrl_c()
    try:
        # It may stand anywhere: people add it to the end of the command that failed.
        status = _guarded([word for word in own if word != "--debug"] + words[len(own) :], debug)
    finally:
        for number, handler in before.items():
            # As a program of its own it is about to end with its exit status: a late signal must not replace that.
            signal.signal(number, handler if arguments is not None else signal.SIG_IGN)
        unwritten = _flush()
        if unwritten:
            _say(unwritten)
    return status or (unwritten.exit_status if unwritten else 0)


class _Nowhere(io.FileIO):
    """What stands for a stream that was closed. It knows whether anything was lost in it."""

    lost = False

    def write(self, data: ReadableBuffer, /) -> int:
        """Forget what is written."""
        self.lost = True
        return super().write(data)


def _open_closed_streams() -> None:
    """Lead streams that were closed (`>&-`) to nowhere: the next file that is opened would take their numbers."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)
            if name == "stdin":
                sys.stdin = os.fdopen(number, encoding="utf-8")
            else:
                setattr(sys, name, io.TextIOWrapper(io.BufferedWriter(_Nowhere(number, "w")), encoding="utf-8"))


def _guarded(words: list[str], debug: bool) -> int:
    try:
        from virtometer.cli.app import command

        command()(words, prog_name="virtometer")
    except SystemExit as end:
        if end.code == Interrupted.exit_status:  # typer makes it of a Ctrl-C, without a word
            _say(Interrupted("stopped"))
        if isinstance(end.__context__, BrokenPipeError):  # typer ends with 1 where the reader of a pipe is gone
            return 0
        return end.code if isinstance(end.code, int) else 0 if end.code is None else _FAULT
    except BrokenPipeError:
        return 0
    except VirtometerError as error:
        if debug:
            traceback.print_exc()
        _say(error)
        return error.exit_status
    except KeyboardInterrupt:
        stopped = Interrupted("stopped")
        _say(stopped)
        return stopped.exit_status
    except OSError as fault:
        if debug:
            traceback.print_exc()
        # Those of files have their name, or were explained where they came up.
        if fault.filename is None and fault.errno in _OUTPUT_REFUSED:
            _flush()
            refused = _unwritten(fault)
            _say(refused)
            return refused.exit_status
        return _report_fault(fault)
    except Exception as fault:  # noqa: BLE001 - the last line of defence: a user sees a sentence, not a traceback
        if debug:
            traceback.print_exc()
        return _report_fault(fault)
    return 0


def _report_fault(fault: Exception) -> int:
    what = " ".join(f"{type(fault).__name__}: {fault}".split())
    _write(f"virtometer: this is a fault of Virtometer itself: {what[:300]}")
    _write("virtometer: please report it, with what the same command prints with --debug")
    return _FAULT


def _stop_like_ctrl_c() -> dict[signal.Signals, Any]:
    """SIGTERM and a closed terminal stop a campaign as Ctrl-C does: cleanly, keeping everything measured so far.

    Signals that follow closely are one: they would only cut the clean-up, whose every step has a time limit. A later
    one counts again, because Python can lose what a handler raises (in a `__del__`).
    """
    last = -_ONE_STORM_S

    def stop(number: int, frame: object) -> None:
        nonlocal last
        if time.monotonic() - last < _ONE_STORM_S:
            return
        last = time.monotonic()
        raise KeyboardInterrupt

    before: dict[signal.Signals, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with contextlib.suppress(ValueError):  # not the main thread
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup stays nohup
                before[number] = signal.signal(number, stop)
    return before


def _say(error: VirtometerError) -> None:
    for line in error.sentence.splitlines():
        _write(f"virtometer: {line}")
    if error.advice:
        _write(f"virtometer: {error.advice}")


def _write(line: str) -> None:
    with contextlib.suppress(OSError):
        print(visible(line), file=sys.stderr, flush=True)  # noqa: T201


def _flush() -> StorageError | None:
    """Write out what standard output still holds; an error says why it cannot be.

    Nothing is left that the interpreter would complain about at its end. A reader of a pipe that is gone is no error.
    """
    try:
        sys.stdout.flush()
        raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
        if isinstance(raw, _Nowhere) and raw.lost:
            return StorageError(
                "standard output is closed: what was to be printed is lost", advice="to discard it, add >/dev/null"
            )
    except (OSError, ValueError) as cause:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(cause, OSError) and not isinstance(cause, BrokenPipeError) and cause.strerror:
            return _unwritten(cause)
    return None


def _unwritten(cause: OSError) -> StorageError:
    return StorageError(f"standard output cannot be written: {cause.strerror}")
