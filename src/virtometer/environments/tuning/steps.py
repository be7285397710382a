"""Tuning of a guest before it is measured: settings of its kernel and its interface, and programs.

A guest with a kernel of its own is tuned by its agent, which needs nothing else in there; programs are those of the
host, which such a guest carries. A container has a network of its own and the kernel of the host: an agent of root's on
the host's side of the namespaces sets what containers are not allowed to set themselves, and programs run there.
The interface to which a guest is connected is tuned in the same way. What belongs to the host alone is refused here.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from virtometer.environments.base import Environment, Guest
from virtometer.environments.parts.process_guest import ProcessGuest
from virtometer.environments.tuning.sysfs_settings import refuse_sysfs
from virtometer.errors import EnvironmentFailed, RemoteError
from virtometer.host.network.lan import NAMESPACES, NetworkPath
from virtometer.link.channel import Channel
from virtometer.link.session import Session
from virtometer.model import Kind, TuningStep, on_host, setting_path
from virtometer.programs import Programs

INTERFACE = "{interface}"
LIMIT_S = 10.0
"""How long a program may take."""

_LAST = 300  # characters of an output in a sentence
# A program in a container's network namespace sees the host's files: the settings of the host's kernel are read-only.
_GUARD = (
    "mount --bind /proc/sys /proc/sys && mount --bind /proc/sys/net /proc/sys/net && "
    'mount -o remount,bind,ro /proc/sys && mount -t sysfs -o ro none /sys && exec "$@"'
)


def words_of(command: str, interface: str = "") -> list[str]:
    """A program and its arguments, with the name of the interface in the place of {interface}."""
    return [word.replace(INTERFACE, interface) for word in shlex.split(command)]


def carried_programs(kind: type[Kind], steps: Sequence[TuningStep]) -> list[str]:
    """Names of the programs that a guest of a kind has to carry for these steps."""
    if not _has_own_kernel(kind):
        return []
    return [words_of(step.run)[0] for step in steps if step.run and step.where == "guest"]


def refuse_tuning(environment: Environment, steps: Sequence[TuningStep]) -> None:
    """Raise EnvironmentFailed before anything is measured.

    For what no guest of this kind can be given, and for files below /sys that this host lacks or cannot set.
    """
    refuse_sysfs(on_host(steps))
    if _has_own_kernel(type(environment)):
        return
    for step in steps:
        for name in step.sysctl if step.where == "guest" else ():
            if not setting_path(name).startswith("net/"):
                raise EnvironmentFailed(
                    f"the kernel setting {name} of a guest of {environment.title} is that of the host",
                    advice="set it with where: host, or take one of its network: net...",
                )


def tune_guest(environment: Environment, guest: Guest, session: Session, steps: Sequence[TuningStep]) -> list[Done]:
    """Do the steps in the guest and at its port, in their order. Returns what each did.

    Raises EnvironmentFailed for the first that fails, with what failed and why.
    """
    done: list[Done] = []
    for step in steps:
        if step.where == "host":
            continue
        with _place(environment, guest, session, step) as place:
            done += [{"where": step.where, **one} for one in place.do(step)]
    return done


Done = dict[str, Any]
"""Of a change: what was changed, before, after. Of a program: its words, its status, the end of its output."""


class _Place:
    """Where a step is done: an agent there, the interface, and how a program runs there."""

    def __init__(self, title: str, session: Session, interface: str) -> None:
        self.title = title
        self._session = session
        self._interface = interface

    def do(self, step: TuningStep) -> Iterator[Done]:
        """Do what a step asks for."""
        for name, value in step.sysctl.items():
            arguments = {"name": setting_path(name), "value": str(value)}
            yield {"what": f"sysctl {name}", **self._ask("set-kernel-setting", arguments)}
        if step.queue_length is not None:
            length = {"interface": self._interface, "packets": step.queue_length}
            yield {"what": f"queue length of {self._interface}", **self._ask("set-queue-length", length)}
        for offload, on in step.offloads.items():
            switch = {"interface": self._interface, "offload": offload, "on": on}
            yield {"what": f"offload {offload} of {self._interface}", **self._ask("set-offload", switch)}
        if step.run is not None:
            words = words_of(step.run, self._interface)
            yield refuse_failed(self.title, {"what": shlex.join(words), **self.run(words)})

    def run(self, words: list[str]) -> Done:
        """Run a program; returns its status and the end of its output."""
        raise NotImplementedError

    def _ask(self, command: str, arguments: dict[str, Any]) -> Done:
        try:
            return self._session.request(command, arguments, LIMIT_S)
        except RemoteError as cause:
            raise EnvironmentFailed(f"it could not be tuned {self.title}: {cause.message}") from cause


class _InGuest(_Place):
    """In a guest with a kernel of its own, which carries the programs."""

    def __init__(self, guest: Guest, session: Session, interface: str, environment: Environment) -> None:
        super().__init__("in the guest", session, interface)
        self._guest = guest
        self._environment = environment

    def run(self, words: list[str]) -> Done:
        """As the first program of the guest's agent."""
        name, *arguments = words
        path = self._guest.find_program(name) or self._environment.lab.program_path(name)
        if reason := self._guest.refused_programs.get(name):
            raise EnvironmentFailed(f"it could not be tuned in the guest: {reason}")
        if path is None:
            raise EnvironmentFailed(f"it could not be tuned in the guest: the program {name} is not on this host")
        request = {"words": [path, *arguments], "seconds": LIMIT_S}
        try:
            answer = self._session.request("run-program", request, 2 * LIMIT_S)
        except RemoteError as cause:
            raise EnvironmentFailed(f"it could not be tuned in the guest: {cause.message}") from cause
        return {"status": answer["status"], "output": answer["output"]}


class _InNamespace(_Place):
    """In a network namespace of the host, as root, with the host's programs."""

    def __init__(self, title: str, session: Session, interface: str, namespace: str, programs: Programs) -> None:
        super().__init__(title, session, interface)
        self._namespace = namespace
        self._programs = programs

    def run(self, words: list[str]) -> Done:
        """With the host's files, but unable to set what the host's kernel has."""
        self._programs.find(words[0], f"that has {words[0]}")
        nsenter, unshare = (self._programs.find(name, "util-linux") for name in ("nsenter", "unshare"))
        guarded = [nsenter, f"--net={NAMESPACES / self._namespace}", unshare, "--mount", "sh", "-c", _GUARD, "sh"]
        return run_program(self._programs, [*map(str, guarded), *words], f"tune {self.title}")


def run_program(programs: Programs, words: list[str], purpose: str) -> Done:
    """Run a program on the host; returns its status and the end of its output."""
    ended = programs.run(words, purpose=purpose, check=False, limit_s=LIMIT_S)
    output = (ended.stdout + ended.stderr).decode(errors="replace").replace("\0", " ").strip()
    return {"status": ended.returncode, "output": output[-3_000:]}


def refuse_failed(title: str, done: Done) -> Done:
    """The record of a program, unless that failed: then EnvironmentFailed with the end of its output."""
    if done["status"] == 0:
        return done
    lines = str(done["output"]).splitlines()
    said = f": {lines[-1][-_LAST:]}" if lines else ", and it says nothing"
    raise EnvironmentFailed(f"it could not be tuned {title}: '{done['what']}' ended with status {done['status']}{said}")


@contextmanager
def _place(environment: Environment, guest: Guest, session: Session, step: TuningStep) -> Iterator[_Place]:
    """Where a step is done. Raises EnvironmentFailed where this guest has no such place."""
    network = guest.network
    if step.where == "port":
        if network is None or not network.port or network.namespace is None:
            raise EnvironmentFailed(
                f"it could not be tuned at its port: a guest of {environment.title} has no port with this network",
                advice="use a network on the laboratory's bridge, which needs root",
            )
        with _helper(environment, guest, network.namespace) as helper:
            yield _InNamespace("at its port", helper, network.port, network.namespace, environment.lab.programs)
    elif _has_own_kernel(type(environment)):
        yield _InGuest(guest, session, _interface(network), environment)
    else:
        namespace = f"virtometer-{guest.guest_id}"
        if not (NAMESPACES / namespace).exists():
            raise EnvironmentFailed(
                f"a guest of {environment.title} on the network of the host cannot be tuned: that would tune the host",
                advice="give it a network of its own (network: bridge), or tune with where: host",
            )
        with _helper(environment, guest, namespace) as helper:
            yield _InNamespace("in the guest", helper, _interface(network), namespace, environment.lab.programs)


@contextmanager
def _helper(environment: Environment, guest: Guest, namespace: str) -> Iterator[Session]:
    """An agent of root's in a network namespace, for one step."""
    lab, name = environment.lab, f"{guest.guest_id}-t"
    with ProcessGuest.starting(lab, name) as helper:
        helper.launch([lab.agent, "stdio"], purpose=f"tuning of {guest.guest_id}", namespace=namespace)
        session = Session(Channel(helper.stream), name)
        try:
            session.greet(LIMIT_S)
            yield session
            session.bye(LIMIT_S)
        finally:
            session.close()
            helper.stop()


def _interface(network: NetworkPath | None) -> str:
    """The guest's own name of its interface."""
    return network.guest_interface or "eth0" if network is not None else "eth0"


def _has_own_kernel(kind: type[Kind]) -> bool:
    """Whether no kernel of the host runs the agent."""
    return kind.namespaces is None
