"""Tuning of the host itself, which is always undone: at the end, or by the next laboratory after this one was killed.

The journal knows what undoes a step before the step is done.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from virtometer.deferred_signals import deferred_signals
from virtometer.environments.journal import Journal, Resource
from virtometer.environments.sysfs_settings import ROOT, files_of, is_same, put_back, read_setting, write_setting
from virtometer.environments.tuning import Done, refuse_failed, run_program, setting_path, words_of
from virtometer.errors import EnvironmentFailed, VirtometerError
from virtometer.model import TuningStep
from virtometer.programs import Programs

_SETTINGS = Path("/proc/sys")
_NUMBERS = itertools.count(1)


class HostTuning:
    """Steps that are in force on the host; `records` says what each did. Used again after `undo`."""

    def __init__(self, journal: Journal, programs: Programs) -> None:
        """Nothing is in force."""
        self.records: list[Done] = []
        self._journal = journal
        self._programs = programs
        self._name = f"tune-{os.getpid()}-{next(_NUMBERS):06}"  # later ones are swept first
        self._undo: list[Callable[[], object]] = []

    def apply(self, steps: Sequence[TuningStep]) -> None:
        """Do the steps on the host, in their order. After EnvironmentFailed none of them is in force."""
        with deferred_signals():
            try:
                for step in steps:
                    for name, value in step.sysctl.items():
                        self._set(name, str(value))
                    for pattern, value in step.sysfs.items():
                        for path in files_of(pattern):
                            self._set_file(path, str(value))
                    if step.run is not None and step.undo is not None:
                        self._run(words_of(step.run), words_of(step.undo))
            except VirtometerError:
                with contextlib.suppress(EnvironmentFailed):  # the journal keeps what could not be undone
                    self.undo()
                raise

    def undo(self) -> None:
        """Undo all steps, the last one first. Idempotent.

        Raises EnvironmentFailed with all that could not be undone; the journal keeps it for the next laboratory.
        """
        with deferred_signals():
            faults: list[str] = []
            actions, self._undo, self.records = self._undo, [], []
            for action in reversed(actions):
                try:
                    action()
                except (VirtometerError, OSError) as cause:
                    faults.append(str(cause))
            if faults:
                raise EnvironmentFailed(f"the tuning of the host could not be undone: {'; '.join(faults)}")
            self._journal.forget(self._name)

    def _set(self, name: str, value: str) -> None:
        path = setting_path(name)
        before = _read(path)
        self._journal.record(self._name, SYSCTL, setting=path, before=before)
        self._undo.append(lambda: _write(path, before))
        _write(path, value)
        after = _read(path)
        if after.split() != value.split():
            reason = f"the kernel setting {name} is {after} after it was set to {value}"
            raise EnvironmentFailed(f"the host could not be tuned: {reason}")
        self.records.append({"where": "host", "what": f"sysctl {name}", "before": before, "after": after})

    def _set_file(self, path: str, value: str) -> None:
        before = read_setting(path)
        self._journal.record(self._name, SYSFS, file=path, before=before)
        self._undo.append(lambda: put_back(path, before))
        write_setting(path, value)
        after = read_setting(path)
        if not is_same(after, value):
            raise EnvironmentFailed(f"the host could not be tuned: {path} is {after} after it was set to {value}")
        self.records.append({"where": "host", "what": path, "before": before, "after": after})

    def _run(self, words: list[str], undo: list[str]) -> None:
        self._programs.find(words[0], f"that has {words[0]}")
        self._journal.record(self._name, COMMAND, undo=shlex.join(undo))
        self._undo.append(lambda: _undone(undo, self._programs))
        done = {"where": "host", "what": shlex.join(words), **run_program(self._programs, words, "tune the host")}
        if done["status"] != 0:
            self._undo.pop()  # what was not done is not undone, unless half of it was: then without a word
            with contextlib.suppress(VirtometerError):
                run_program(self._programs, undo, "undo a tuning of the host that failed")
        self.records.append(refuse_failed("on the host", done))


def _read(setting: str) -> str:
    try:
        return (_SETTINGS / setting).read_text().strip()
    except (OSError, ValueError) as cause:
        raise _refused(setting, cause) from cause


def _write(setting: str, value: str) -> None:
    try:
        (_SETTINGS / setting).write_text(value)
    except OSError as cause:
        raise _refused(setting, cause) from cause


def _refused(setting: str, cause: OSError | ValueError) -> EnvironmentFailed:
    why = cause.strerror if isinstance(cause, OSError) else str(cause)
    advice = "run as root" if os.geteuid() != 0 else ""
    return EnvironmentFailed(f"the kernel setting {setting} of the host cannot be set: {why}", advice=advice)


def _undone(words: list[str], programs: Programs) -> None:
    refuse_failed("on the host as it was", {"what": shlex.join(words), **run_program(programs, words, "undo a tuning")})


def _reset(fields: Mapping[str, Any], programs: Programs) -> str:
    setting, before = str(fields["setting"]), str(fields["before"])
    if ".." in setting or _read(setting).split() == before.split():
        return ""
    _write(setting, before)
    return f"kernel setting {setting}, which is {before} again"


def _put_back_left(fields: Mapping[str, Any], _: Programs) -> str:
    path, before = str(fields["file"]), str(fields["before"])
    if not path.startswith(ROOT) or ".." in Path(path).parts or not put_back(path, before):
        return ""
    return f"{path}, which is {before} again"


def _run_left(fields: Mapping[str, Any], programs: Programs) -> str:
    words = words_of(str(fields["undo"]))
    _undone(words, programs)
    return f"tuning, undone by '{shlex.join(words)}'"


SYSCTL = Resource("sysctl", _reset, ends_at_boot=True)
"""Fields: setting (a file below /proc/sys), before (its content)."""

SYSFS = Resource("sysfs", _put_back_left, ends_at_boot=True)
"""Fields: file (below /sys, without wildcards), before (the value that was in force)."""

COMMAND = Resource("tuning", _run_left)
"""Field: undo (a program with its arguments)."""
