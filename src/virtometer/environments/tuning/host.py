"""Tuning of the host itself, which is always undone: at the end, or by the next laboratory after this one was killed.

The journal knows what undoes a step before the step is done. What cannot be undone ends the campaign: the host is not
as it was, and nothing that is measured on it has the settings that it says.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from virtometer.deferred_signals import deferred_signals
from virtometer.environments.tuning import kernel_settings, sysfs_settings
from virtometer.environments.tuning.steps import Done, refuse_failed, run_program, words_of
from virtometer.environments.tuning.sysfs_settings import ROOT, files_of, is_same
from virtometer.errors import EnvironmentFailed, HostLeftTuned, VirtometerError
from virtometer.host.owned.journal import Journal, JournalFile, Resource
from virtometer.model import HostTuningEvent, TuningState, TuningStep, setting_path, step_words
from virtometer.programs import Programs, now

_NUMBERS = itertools.count(1)
_PASSES = 4

Values = dict[str, str]
"""Settings with their values."""


@dataclass(frozen=True, slots=True)
class SettingsKind:
    """A kind of settings.

    others: those that are known to change with one. beside: those that may, with their values.
    """

    resource: Resource
    read: Callable[[str], str]
    write: Callable[[str, str], None]
    others: Callable[[str], Sequence[str]]
    beside: Callable[[str], Values]
    named: Callable[[str], str]

    def restore(self, values: Mapping[str, str]) -> list[str]:
        """Give settings their former values; returns those that had others, in words.

        To set one may change others, and the kernel may refuse one value until another is set: so in turn, forwards
        and backwards, until all are as they were. Raises EnvironmentFailed with what differs in the end.
        """
        wanted = dict(values)
        different = self._different(wanted)
        around = self.beside(next(iter(values))) if different else {}
        refused: dict[str, str] = {}
        for turn in range(_PASSES):
            names = self._different(wanted)
            for name in names if turn % 2 == 0 else reversed(names):
                try:
                    self.write(name, wanted[name])
                except EnvironmentFailed as cause:
                    refused[name] = f" ({cause.reason})"
            if names:  # what changed with them keeps the value that it had
                wanted = self.changed(around, self.beside(names[0])) | wanted
        if left := self._different(wanted):
            told = (f"{self.named(n)} was {wanted[n]} and is {self.read(n)}{refused.get(n, '')}" for n in left)
            raise EnvironmentFailed("; ".join(told))
        return [f"{self.named(name)}, which is {values[name]} again" for name in different]

    def changed(self, before: Values, after: Values) -> Values:
        """What there was of settings that are now different."""
        return {name: was for name, was in before.items() if name in after and not is_same(was, after[name])}

    def _different(self, values: Values) -> list[str]:
        return [name for name, value in values.items() if not is_same(self.read(name), value)]


class HostTuning:
    """Steps that are in force on the host; `records` says what each did. Used again after `undo`."""

    def __init__(
        self, journal: Journal, programs: Programs, tell: Callable[[HostTuningEvent], None] = lambda event: None
    ) -> None:
        """Nothing is in force. tell: is called before steps are done, and when they are undone or cannot be."""
        self.records: list[Done] = []
        self._journal = journal
        self._programs = programs
        self._tell = tell
        self._name = f"tune-{os.getpid()}-{next(_NUMBERS):06}"  # later ones are removed first
        self._undo: list[Callable[[], object]] = []
        self._steps: Sequence[TuningStep] = ()

    def apply(self, steps: Sequence[TuningStep]) -> None:
        """Do the steps on the host, in their order. After EnvironmentFailed none of them is in force.

        Raises HostLeftTuned where one failed and those before it could not be undone.
        """
        if not steps:
            return
        with deferred_signals():
            self._steps = steps
            self._say(TuningState.IN_FORCE, _in_words(steps))
            try:
                for step in steps:
                    for name, value in step.sysctl.items():
                        self._set(OF_KERNEL, setting_path(name), str(value))
                    for pattern, value in step.sysfs.items():
                        for path in files_of(pattern):
                            self._set(OF_FILES, path, str(value))
                    if step.run is not None and step.undo is not None:
                        self._run(words_of(step.run), words_of(step.undo))
            except VirtometerError:
                self.undo()
                raise

    def undo(self) -> None:
        """Undo all steps, the last one first. Idempotent.

        Raises HostLeftTuned with all that could not be undone; the journal keeps it for the next laboratory.
        """
        with deferred_signals():
            faults: list[str] = []
            actions, self._undo, self.records = self._undo, [], []
            for action in reversed(actions):
                try:
                    action()
                except (VirtometerError, OSError) as cause:
                    faults.append(cause.reason if isinstance(cause, VirtometerError) else str(cause))
            steps, self._steps = self._steps, ()
            if faults:
                told = "; ".join(faults)
                with contextlib.suppress(VirtometerError):  # that the host is left weighs more than a full disk
                    self._say(TuningState.LEFT, told)
                raise still_tuned(told, self._journal)
            self._journal.forget(self._name)
            if steps:
                self._say(TuningState.UNDONE, _in_words(steps))

    def _say(self, state: TuningState, words: str) -> None:
        self._tell(HostTuningEvent(now(), self._name, state, words))

    def _set(self, kind: SettingsKind, name: str, value: str) -> None:
        before = {one: kind.read(one) for one in (name, *kind.others(name))}
        around = {**kind.beside(name), **before}
        self._record(kind, before)
        self._undo.append(lambda: kind.restore(before))
        kind.write(name, value)
        after = {**kind.beside(name), **{one: kind.read(one) for one in before}}
        changed = kind.changed({one: was for one, was in around.items() if one != name}, after)
        if changed.keys() - before.keys():
            before |= changed
            self._record(kind, before)
        if not is_same(after[name], value):
            what = kind.named(name)
            raise EnvironmentFailed(f"the host could not be tuned: {what} is {after[name]} after it was set to {value}")
        self.records.append(_done(kind.named(name), before[name], after[name]))
        for one, was in changed.items():
            self.records.append(_done(f"{kind.named(one)}, by {kind.named(name)}", was, after[one]))

    def _record(self, kind: SettingsKind, values: Values) -> None:
        self._journal.record(self._name, kind.resource, values=json.dumps(values))

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


def still_tuned(what: str, journal: Journal) -> HostLeftTuned:
    """The error for a host whose tuning could not be undone. what: in words."""
    return HostLeftTuned(
        f"the tuning of the host could not be undone, so nothing more is measured: {what}",
        advice="put it back by hand; every start tries again to undo it. What no start can undo is in "
        f"{journal.directory}/tune-*.json: remove these files when all is as it was",
    )


def left_words(entry: JournalFile) -> str:
    """What of a guest's journal file is tuning of the host, in words; empty where nothing is."""
    parts: list[str] = []
    for fields in entry.resources:
        for kind in (OF_KERNEL, OF_FILES):
            if fields["resource"] == kind.resource.name:
                parts += [f"{kind.named(name)} was {value}" for name, value in _values_of(fields).items()]
        if fields["resource"] == COMMAND.name:
            parts.append(f"'{fields.get('undo')}' was to be run")
    return "; ".join(dict.fromkeys(parts))


def _in_words(steps: Sequence[TuningStep]) -> str:
    return "; ".join(step_words(step.model_dump()) for step in steps)


def _done(what: str, before: str, after: str) -> Done:
    return {"where": "host", "what": what, "before": before, "after": after}


def _undone(words: list[str], programs: Programs) -> None:
    refuse_failed("on the host as it was", {"what": shlex.join(words), **run_program(programs, words, "undo a tuning")})


def _values_of(fields: Mapping[str, Any]) -> Values:
    try:
        values = json.loads(str(fields["values"]))
    except (KeyError, ValueError):
        return {}
    return {str(name): str(value) for name, value in values.items()} if isinstance(values, dict) else {}


def _reset(fields: Mapping[str, Any], _: Programs) -> str:
    values = {name: value for name, value in _values_of(fields).items() if ".." not in Path(name).parts}
    return ", ".join(OF_KERNEL.restore(values))


def _put_back_left(fields: Mapping[str, Any], _: Programs) -> str:
    there = {
        path: value
        for path, value in _values_of(fields).items()
        if path.startswith(ROOT) and ".." not in Path(path).parts and Path(path).exists()
    }
    return ", ".join(OF_FILES.restore(there))


def _run_left(fields: Mapping[str, Any], programs: Programs) -> str:
    words = words_of(str(fields["undo"]))
    _undone(words, programs)
    return f"tuning, undone by '{shlex.join(words)}'"


SYSCTL = Resource("sysctl", _reset, ends_at_boot=True)
"""Field: values (JSON: files below /proc/sys with their content)."""

SYSFS = Resource("sysfs", _put_back_left, ends_at_boot=True)
"""Field: values (JSON: files below /sys, without wildcards, with the values that were in force)."""

COMMAND = Resource("tuning", _run_left)
"""Field: undo (a program with its arguments)."""


def _dotted(setting: str) -> str:
    """A setting as sysctl(8) names it: a point in the name of an interface is a stroke there."""
    return "sysctl " + setting.translate(str.maketrans("./", "/."))


OF_KERNEL = SettingsKind(
    SYSCTL, kernel_settings.read, kernel_settings.write, kernel_settings.other_forms, kernel_settings.beside, _dotted
)
OF_FILES = SettingsKind(
    SYSFS, sysfs_settings.read_setting, sysfs_settings.write_setting, lambda _: (), sysfs_settings.beside, str
)
