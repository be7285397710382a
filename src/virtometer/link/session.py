"""One conversation with one agent: greeting, requests with time limits, events, pings.

No threads: whoever waits reads. Events that arrive while a reply is awaited are kept in order.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from virtometer import __version__
from virtometer.errors import ClockError, LinkClosed, LinkError, LinkTimeout, RemoteError
from virtometer.link import messages
from virtometer.link.channel import Channel, Line
from virtometer.model import ClockFault, RoundTrip, RoundTripKind
from virtometer.visible import shortened

MAX_RUN_BYTES = 8 << 20
MAX_RUN_LINES = 20_000
_HISTORY = 1024  # probes: those of about sixty runs


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was sent and not yet answered: its id, when it was sent (host ns), and until when it may take."""

    id: int
    command: str
    sent_ns: int
    deadline: float
    limit_s: float


class Session:
    """A conversation over a channel. `name` is the guest's name, for sentences that a user reads.

    `probes` are the answers to `send_ping` in this run, `history` the latest probes of the whole conversation.
    """

    def __init__(self, channel: Channel, name: str) -> None:
        """Takes the channel over; `close` closes it."""
        self.channel = channel
        self.name = name
        self.greeting: messages.Greeting | None = None
        self.logs: list[str] = []
        self.probes: list[RoundTrip] = []
        self.history: deque[RoundTrip] = deque(maxlen=_HISTORY)
        self.event_ns = 0
        self._events: deque[tuple[messages.Event, int]] = deque()
        self._last_id = 0
        self._asked: Request | None = None
        self._flood_bytes = MAX_RUN_BYTES
        self._flood_lines = MAX_RUN_LINES

    def fileno(self) -> int:
        """The descriptor to select on; look at `pending` first."""
        return self.channel.fileno()

    def greet(self, limit_s: float) -> messages.Greeting:
        """Exchange greetings. LinkTimeout, LinkClosed, or LinkError for another protocol or a foreign program."""
        message, _ = self._read(time.monotonic() + limit_s, f"did not say hello within {limit_s:g} s")
        if not isinstance(message, messages.Greeting):
            raise LinkError("what answered is not a virtometer agent", guest=self.name)
        if message.protocol != messages.PROTOCOL:
            raise LinkError(
                f"the agent (version {message.version}) speaks protocol {message.protocol}, "
                f"this laboratory speaks {messages.PROTOCOL}",
                advice="build the agent and the laboratory from the same version",
                guest=self.name,
            )
        if message.role != "agent":
            raise LinkError(f"the other side is a {message.role}, not an agent", guest=self.name)
        self.channel.send(messages.greeting(__version__), limit_s)
        self.greeting = message
        return message

    def request(self, command: str, arguments: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Send a request and return its answer, validated.

        Raises RemoteError for an error that the agent reports, LinkError for an answer that breaks the protocol.
        """
        return self.answer(self.send(command, arguments, limit_s))

    def send(self, command: str, arguments: dict[str, Any], limit_s: float) -> Request:
        """Send a request and do not wait. Answers come in the order of the requests, and are taken in it."""
        self._last_id += 1
        deadline = time.monotonic() + limit_s
        line = messages.encode({"id": self._last_id, "command": command, "arguments": arguments})
        return Request(self._last_id, command, self.channel.send(line, limit_s), deadline, limit_s)

    def answer(self, request: Request) -> dict[str, Any]:
        """The answer to the first request whose answer was not taken yet. Raises what `request` raises."""
        reply, _ = self._reply(request)
        if reply.error is not None:
            raise RemoteError(reply.error.code, reply.error.message)
        return messages.answer(request.command, reply.value or {})

    def release(self, run: str, limit_s: float) -> int:
        """Let the iteration of `run` that waits begin. Returns the host's time at which that was sent, in ns."""
        request = self.send_release(run, limit_s)
        self.answer(request)
        return request.sent_ns

    def send_release(
        self, run: str, limit_s: float, *, slice_s: float | None = None, at_ns: int | None = None
    ) -> Request:
        """Let what waits in `run` begin, and do not wait for the answer.

        slice_s: length of this slice alone. at_ns: the moment of the guest's clock (guest ns) at which a window begins.
        """
        given = {"slice_s": slice_s, "at_ns": at_ns}
        return self.send("go", {"run": run, **{name: one for name, one in given.items() if one is not None}}, limit_s)

    def released(self, request: Request) -> int:
        """Take the answer to `send_release` for a moment: by how much (guest ns) it came after that, 0 if before."""
        late_ns = self.answer(request).get("late_ns")
        if not isinstance(late_ns, int):
            raise LinkError("the agent does not say whether its run begins at the agreed moment", guest=self.name)
        return late_ns

    def ping(self, limit_s: float, kind: RoundTripKind = "before") -> RoundTrip:
        """Compare clocks once, `kind` says when."""
        request = self.send("ping", {}, limit_s)
        return self._probe(kind, request, *self._reply(request))

    def send_ping(self, limit_s: float) -> None:
        """Send a ping and do not wait: its answer becomes one of `probes` while events or other answers are read.

        Does nothing while an earlier one is not answered, and raises LinkTimeout when that one is late.
        """
        if self._asked is None:
            self._asked = self.send("ping", {}, limit_s)
        else:
            self._refuse_late(self._asked)

    def next_event(self, limit_s: float) -> messages.Event | None:
        """Return the next event, or None when none came within `limit_s`. `event_ns` is when it was read (host)."""
        if self._events:
            message, self.event_ns = self._events.popleft()
            return message
        found = self._event(time.monotonic() + limit_s)
        if found is None:
            return None
        message, self.event_ns = found
        return message

    def pause(self, seconds: float) -> None:
        """Do nothing for a while, but look at the clock as soon as something comes."""
        deadline = time.monotonic() + seconds
        while (found := self._event(deadline)) is not None:
            self._events.append(found)

    @property
    def pending(self) -> bool:
        """Whether `next_event` has something without reading."""
        return bool(self._events)

    def begin_run(self, count: int = 1) -> None:
        """Start counting towards the limit on what an agent may send within one run; forget earlier `probes`.

        count: of runs that it keeps ready at the same time.
        """
        self.probes.clear()
        if self._asked is not None:  # of a run that failed; nobody read meanwhile
            self._asked = replace(self._asked, deadline=time.monotonic() + self._asked.limit_s)
        self._flood_bytes = self.channel.received_bytes + count * MAX_RUN_BYTES
        self._flood_lines = self.channel.received_lines + count * MAX_RUN_LINES

    def bye(self, limit_s: float) -> None:
        """Ask the agent to end. An agent that is already gone is no error."""
        try:
            self.request("bye", {}, limit_s)
        except LinkError:
            return

    def close(self) -> None:
        """Close the channel. Idempotent."""
        self.channel.close()

    def meaning(self, line: Line) -> messages.Greeting | messages.Reply | messages.Event | None:
        """What a line says. A log is kept, and None. LinkClosed when the agent gave up, LinkError for no message."""
        message = messages.parse(line.data)
        if isinstance(message, messages.Fatal):
            raise LinkClosed(f"the agent gave up: {message.fatal.code}: {message.fatal.message}", guest=self.name)
        if isinstance(message, messages.Log):
            self.logs.append(f"{message.level}: {message.message}")
            del self.logs[:-200]
            return None
        return message

    def _reply(self, request: Request) -> tuple[messages.Reply, int]:
        """The answer, and when it was received (host ns)."""
        late = f"did not answer {request.command} within {request.limit_s:g} s"
        while True:
            message, received_ns = self._read(request.deadline, late)
            if isinstance(message, messages.Reply):
                if self._answers(message, received_ns):
                    continue
                break
            if isinstance(message, messages.Greeting):
                raise LinkError("the agent said hello twice; was it started again?", guest=self.name)
            self._events.append((message, received_ns))
        if message.id != request.id:
            raise LinkError(f"the agent answered request {message.id} instead of {request.id}", guest=self.name)
        if self._asked is not None:
            raise LinkError(f"the agent left ping {self._asked.id} without an answer", guest=self.name)
        return message, received_ns

    def _event(self, deadline: float) -> tuple[messages.Event, int] | None:
        """The next event to arrive and when it did (host ns). None when none has by the deadline."""
        while True:
            line = self._receive(max(deadline - time.monotonic(), 0.0))
            if line is None:
                return None
            found = self.meaning(line)
            if isinstance(found, messages.Reply):
                if not self._answers(found, line.received_ns):
                    raise LinkError(
                        f"the agent answered a request that was never made (id {found.id})", guest=self.name
                    )
            elif isinstance(found, messages.Greeting):
                raise LinkError("the agent said hello twice; was it started again?", guest=self.name)
            elif found is not None:
                return found, line.received_ns

    def _answers(self, reply: messages.Reply, received_ns: int) -> bool:
        """Whether this is the answer to `send_ping`; then it is kept."""
        asked = self._asked
        if asked is None or reply.id != asked.id:
            return False
        self._refuse_late(asked)
        self._asked = None
        self.probes.append(self._probe("during", asked, reply, received_ns))
        return True

    def _refuse_late(self, asked: Request) -> None:
        if time.monotonic() > asked.deadline:
            sentence = f"the agent did not answer a ping during the run within {asked.limit_s:g} s"
            raise LinkTimeout(sentence, guest=self.name)

    def _probe(self, kind: RoundTripKind, request: Request, reply: messages.Reply, received_ns: int) -> RoundTrip:
        """The round trip of a ping. A ping asks for nothing that a place may not have: an error contradicts that."""
        value = reply.value or {}
        received, sent = value.get("received_ns", -1), value.get("sent_ns", -1)
        times = type(received) is type(sent) is int and 0 <= received <= sent < 1 << 53 and len(value) == 2
        sentence = "" if times else f"numbers that cannot be times: {shortened(str(value), 100)}"
        if reply.error is not None:
            sentence = f"an error: {reply.error.code}: {reply.error.message}"
        if sentence:
            sentence = f"the agent answered a ping with {sentence}"
            raise ClockError(sentence, ClockFault("contradicts"), guest=self.name)
        probe = RoundTrip(kind, request.sent_ns, received, sent, received_ns)
        self.history.append(probe)
        return probe

    def _read(self, deadline: float, late: str) -> tuple[messages.Greeting | messages.Reply | messages.Event, int]:
        while True:
            line = self._receive(max(deadline - time.monotonic(), 0.0))
            if line is None:
                raise LinkTimeout(f"the agent {late}", guest=self.name)
            message = self.meaning(line)
            if message is not None:
                return message, line.received_ns

    def _receive(self, limit_s: float) -> Line | None:
        line = self.channel.receive(limit_s)
        if self.channel.received_bytes > self._flood_bytes or self.channel.received_lines > self._flood_lines:
            raise LinkError(
                f"the agent floods its channel (more than {MAX_RUN_LINES} lines "
                f"or {MAX_RUN_BYTES >> 20} MiB in one run)",
                guest=self.name,
            )
        return line
