"""Steps that tune a guest, its network port or the host before anything is measured."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from virtometer.model.plain import Frozen

TuningPlace = Literal["guest", "port", "host"]
Offload = Literal["rx", "tx", "sg", "tso", "gso", "gro"]

MAX_STEPS = 32
_MAX_WORDS = 60
_MAX_WORD = 1_000


def _command(text: str) -> str:
    """A program with its arguments, quoted as in a shell. ValueError for what no program can be started with."""
    try:
        words = shlex.split(text)
    except ValueError as cause:
        raise ValueError(f"the quotes of this command do not fit: {cause}") from cause
    if not words or len(words) > _MAX_WORDS or max(map(len, words)) > _MAX_WORD or "\0" in text:
        raise ValueError(f"a command is a program with its arguments: 1 to {_MAX_WORDS} words")
    return text


def _setting(name: str) -> str:
    if not name.replace(".", "").replace("/", "").replace("_", "").replace("-", "").isalnum() or ".." in name:
        raise ValueError("a kernel setting has a name as sysctl takes it: net.ipv4.tcp_sack")
    return name


_ACTIONS = frozenset({"vm/drop_caches", "vm/compact_memory", "net/ipv4/route/flush", "net/ipv6/route/flush"})
_ONE_WAY = re.compile(
    r"kernel/(modules_disabled|kexec_load_disabled|unprivileged_bpf_disabled|yama/ptrace_scope)"
    r"|net/ipv6/conf/.+/disable_ipv6"
)
"""Source: Linux Documentation/admin-guide/sysctl/kernel.rst, LSM/Yama.rst; disable_ipv6 removes addresses."""


def setting_path(name: str) -> str:
    """The file of a kernel setting below /proc/sys: as sysctl(8) reads names, the first separator decides."""
    first = next((one for one in name if one in "./"), ".")
    return name if first == "/" else name.translate(str.maketrans("./", "/."))


def _refuse_lasting(name: str) -> None:
    """Raise ValueError for a setting that nobody can put back."""
    path = setting_path(name)
    if path in _ACTIONS:
        raise ValueError(f"{name} is something that is done once, and no setting; on the host, use run and undo: true")
    if _ONE_WAY.fullmatch(path):
        raise ValueError(f"{name} of the host cannot be put back before it boots again")


_SYSFS = re.compile(r"/sys(/[A-Za-z0-9_.:+@,*?\[\]!-]+)+")


def _sysfs(path: str) -> str:
    if not _SYSFS.fullmatch(path) or any(set(part) <= {"."} or "**" in part for part in path[1:].split("/")):
        raise ValueError("a file of sysfs has a path as it stands: /sys/kernel/mm/transparent_hugepage/enabled")
    return path


Command = Annotated[str, Field(min_length=1, max_length=4_000), AfterValidator(_command)]
SettingName = Annotated[str, Field(min_length=3, max_length=150), AfterValidator(_setting)]
SysfsPath = Annotated[str, Field(min_length=6, max_length=300), AfterValidator(_sysfs)]
_Value = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n\x00]+$")] | int


class TuningStep(Frozen):
    """One step: what is set, and where. What is done in a guest or at its port ends with the guest."""

    where: TuningPlace = Field(
        default="guest",
        description="guest: in the guest; port: at the interface to which it is connected, on the laboratory's side; "
        "host: on the host itself, undone afterwards",
    )
    sysctl: dict[SettingName, _Value] = Field(
        default_factory=dict,
        max_length=64,
        description="kernel settings with their values, such as {net.ipv4.tcp_sack: 0}; of a container those of its "
        "network. Not at a port",
    )
    sysfs: dict[SysfsPath, _Value] = Field(
        default_factory=dict,
        max_length=64,
        description="files below /sys with their values, such as {/sys/kernel/mm/transparent_hugepage/enabled: never}; "
        "a path with wildcards is all files that it names. On the host alone, where they are put back",
    )
    queue_length: int | None = Field(
        default=None,
        ge=0,
        le=2**31 - 1,
        description="packets that the queue of the interface holds (txqueuelen). Without it, as it is. Not on the host",
    )
    offloads: dict[Offload, bool] = Field(
        default_factory=dict,
        description="what the interface leaves to its device, by the names of ethtool -K: {tx: false}. Not on the host",
    )
    run: Command | None = Field(
        default=None,
        description="program with its arguments; {interface} stands for the name of the interface. Without it, none. "
        "It is one of the host's, which guests get with its libraries",
    )
    undo: Command | None = Field(
        default=None, description="of run on the host: the program that undoes it. Without it, run is refused there"
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        on_host = self.where == "host"
        if not (self.sysctl or self.sysfs or self.offloads or self.run or self.queue_length is not None):
            raise ValueError("a step of tuning needs one of sysctl, sysfs, queue_length, offloads or run")
        if self.sysfs and not on_host:
            raise ValueError(
                "sysfs is that of the host, with where host; of a guest with a kernel of its own, use kernel_parameters"
            )
        if on_host and (self.offloads or self.queue_length is not None):
            raise ValueError(
                "queue_length and offloads are those of a guest or its port; on the host, use run and undo"
            )
        if on_host:
            for name in self.sysctl:
                _refuse_lasting(name)
        if self.where == "port" and self.sysctl:
            raise ValueError("a port has no sysctl; those of the guest are with where guest, others with where host")
        if on_host and self.run and not self.undo:
            raise ValueError("run on the host needs undo, the program that undoes it ('true' where nothing is left)")
        if self.undo and not (on_host and self.run):
            raise ValueError("undo belongs to run on the host; what is done in a guest ends with the guest")
        return self


class TuningState(StrEnum):
    """How a tuning of the host stands. in-force: it is about to be done, or is; left: it could not be undone."""

    IN_FORCE = "in-force"
    UNDONE = "undone"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class HostTuningEvent:
    """Something that happened to a tuning of the host.

    tuning: its name, one for each time that it is done. what: its steps in words, or what could not be undone.
    """

    at: str
    tuning: str
    state: TuningState
    what: str


def not_undone(events: Iterable[HostTuningEvent]) -> tuple[HostTuningEvent, ...]:
    """Of each tuning that was not undone the last event: in force, or left."""
    last = {event.tuning: event for event in events}
    return tuple(event for event in last.values() if event.state is not TuningState.UNDONE)


def step_words(step: Mapping[str, Any]) -> str:
    """What a step of a plan does, in words, without where."""
    parts = [f"sysctl {name} {value}" for name, value in (step.get("sysctl") or {}).items()]
    parts += [f"{path} {value}" for path, value in (step.get("sysfs") or {}).items()]
    if step.get("queue_length") is not None:
        parts.append(f"queue length {step['queue_length']}")
    parts += [f"offload {name} {'on' if value else 'off'}" for name, value in (step.get("offloads") or {}).items()]
    if step.get("run"):
        parts.append(str(step["run"]))
    return ", ".join(parts)


def on_host(steps: Sequence[TuningStep]) -> tuple[TuningStep, ...]:
    """Those of the steps that tune the host itself."""
    return tuple(one for one in steps if one.where == "host")
