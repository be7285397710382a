import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.runner.place import FACTS
from tests.sentences import Said
from virtometer.errors import ClockError, LinkClosed, LinkError, LinkTimeout, RemoteError
from virtometer.link.channel import Channel, Stream
from virtometer.link.messages import Done, Ready, Samples
from virtometer.link.session import MAX_RUN_LINES, Session

HELLO = {"magic": "virtometer", "protocol": 1, "role": "agent", "version": "9.9.9", "capabilities": ["linpack"]}

Message = dict[str, Any]
Ends = tuple[Session, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    ours, theirs = socket.socketpair()
    fd = ours.detach()
    session = Session(Channel(Stream(fd, fd)), "guest")
    theirs.settimeout(10)
    yield session, theirs
    session.close()
    theirs.close()


def say(theirs: socket.socket, *messages: Message) -> None:
    theirs.sendall(b"".join(json.dumps(message).encode() + b"\n" for message in messages))


def answering(theirs: socket.socket, reply: Callable[[Message], bytes]) -> None:
    """Answer each request with what `reply` makes of it, in a thread."""

    def work() -> None:
        buffer = b""
        while True:
            try:
                chunk = theirs.recv(65536)
            except OSError:
                return
            if not chunk:
                return
            buffer += chunk
            while b"\n" in buffer:
                line, buffer = buffer.split(b"\n", 1)
                if answer := reply(json.loads(line)):
                    theirs.sendall(answer)

    threading.Thread(target=work, daemon=True).start()


def test_greeting_both_ways(ends: Ends) -> None:
    session, theirs = ends
    say(theirs, HELLO)
    assert session.greet(1).capabilities == ["linpack"]
    sent = json.loads(theirs.recv(65536))
    assert (sent["magic"], sent["protocol"], sent["role"], sent["capabilities"]) == ("virtometer", 1, "laboratory", [])


@pytest.mark.parametrize(
    ("first", "words"),
    [
        pytest.param({**HELLO, "protocol": 2}, "speaks protocol 2", id="protocol"),
        pytest.param({**HELLO, "role": "laboratory"}, "is a laboratory", id="role"),
        pytest.param({**HELLO, "magic": "QMP"}, "breaks the protocol", id="magic"),
        pytest.param({"id": 1, "return": {}}, "not a virtometer agent", id="answer"),
        pytest.param({"QMP": {}}, "breaks the protocol", id="no magic"),
    ],
)
def test_a_foreign_first_line_is_refused_in_one_sentence(said: Said, ends: Ends, first: Message, words: str) -> None:
    session, theirs = ends
    say(theirs, first)
    with pytest.raises(LinkError, match=words) as caught:
        session.greet(1)
    said(caught.value.sentence)


def test_silence_is_a_timeout(ends: Ends) -> None:
    session, _ = ends
    with pytest.raises(LinkTimeout, match=r"did not say hello within 0\.05 s") as caught:
        session.greet(0.05)
    assert caught.value.sentence == f"{session.name}: {caught.value.reason}", "the guest's name goes before the reason"


def test_requests_events_and_errors_keep_their_order(ends: Ends) -> None:
    session, theirs = ends
    events = [
        {"event": "ready", "run": "r", "conditions": {"simd": "none"}},
        {"event": "log", "level": "warning", "message": "hot"},
        {"event": "samples", "run": "r", "samples": [{"start_ns": 1, "end_ns": 2, "work": 3, "check": ""}]},
    ]

    def reply(request: Message) -> bytes:
        if request["command"] == "stop":
            return json.dumps({"id": request["id"], "error": {"code": "no-such-run", "message": "r"}}).encode() + b"\n"
        lines = [*events, {"id": request["id"], "return": FACTS}]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    answering(theirs, reply)
    assert session.request("facts", {}, 5) == FACTS
    assert isinstance(session.next_event(1), Ready)
    assert session.pending
    assert isinstance(session.next_event(1), Samples)
    assert session.next_event(0) is None
    assert session.logs == ["warning: hot"]
    with pytest.raises(RemoteError) as caught:
        session.request("stop", {"run": "r"}, 5)
    assert caught.value.code == "no-such-run"


def test_ping_measures_the_round_trip_from_outside(ends: Ends) -> None:
    session, theirs = ends
    answering(
        theirs,
        lambda r: json.dumps({"id": r["id"], "return": {"received_ns": 5, "sent_ns": 7}}).encode() + b"\n",
    )
    before = time.monotonic_ns()
    probe = session.ping(5)
    assert before <= probe.sent_host_ns < probe.received_host_ns <= time.monotonic_ns()
    assert (probe.received_guest_ns, probe.sent_guest_ns) == (5, 7)


@pytest.mark.parametrize(
    "answer",
    [{}, {"received_ns": 5}, {"received_ns": 7, "sent_ns": 5}, {"received_ns": -1, "sent_ns": 5},
     {"received_ns": "5", "sent_ns": 7}, {"received_ns": 5, "sent_ns": 7, "more": 1}, {"received_ns": 1.5, "sent_ns": 7}],  # noqa: E501
)  # fmt: skip
def test_a_ping_with_numbers_from_nowhere_is_refused(ends: Ends, answer: Message) -> None:
    session, theirs = ends
    answering(theirs, lambda r: json.dumps({"id": r["id"], "return": answer}).encode() + b"\n")
    with pytest.raises(LinkError, match="cannot be times"):
        session.ping(5)


def pong(request: Message, received: int = 5, sent: int = 7) -> bytes:
    return json.dumps({"id": request["id"], "return": {"received_ns": received, "sent_ns": sent}}).encode() + b"\n"


def asked(theirs: socket.socket) -> Message:
    request: Message = json.loads(theirs.recv(65536))
    return request


@pytest.mark.parametrize("waits", [True, False])
def test_a_ping_that_is_answered_with_an_error_is_no_refusal_but_a_clock_error(
    said: Said, ends: Ends, waits: bool
) -> None:
    session, theirs = ends
    say(theirs, {"id": 1, "error": {"code": "busy", "message": "later"}})
    with pytest.raises(ClockError, match=r"^guest: .*: busy: later$") as caught:
        if waits:
            session.ping(5)
        else:
            session.send_ping(5)
            session.next_event(5)
    assert caught.value.fault.kind == "contradicts"
    said(caught.value.sentence)


def test_a_ping_that_nobody_waits_for_is_answered_among_events(ends: Ends) -> None:
    session, theirs = ends
    before = time.monotonic_ns()
    session.send_ping(5)
    session.send_ping(5)  # one at a time
    request = asked(theirs)
    assert request == {"id": 1, "command": "ping", "arguments": {}}
    assert session.next_event(0) is None
    assert session.probes == []
    ready = {"event": "ready", "run": "r", "conditions": {}}
    theirs.sendall(pong(request))
    say(theirs, ready)
    assert isinstance(session.next_event(5), Ready)
    (probe,) = session.probes
    assert before <= probe.sent_host_ns < probe.received_host_ns <= session.event_ns <= time.monotonic_ns()
    assert (probe.received_guest_ns, probe.sent_guest_ns) == (5, 7)
    session.begin_run()
    assert session.probes == []


def test_a_ping_that_nobody_waits_for_is_answered_before_the_next_request(ends: Ends) -> None:
    session, theirs = ends
    session.send_ping(5)
    answering(theirs, lambda r: pong(r, r["id"], 9))
    assert session.ping(5).received_guest_ns == 2
    assert [probe.received_guest_ns for probe in session.probes] == [1]


def later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Put the clock of time limits forward."""
    now = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: now() + seconds)


def test_a_ping_that_nobody_waits_for_may_not_be_late(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    session, theirs = ends
    session.send_ping(5)
    later(monkeypatch, 5)
    with pytest.raises(LinkTimeout, match=r"did not answer a ping during the run within 5 s"):
        session.send_ping(5)
    theirs.sendall(pong(asked(theirs)))
    with pytest.raises(LinkTimeout, match="did not answer a ping"):
        session.next_event(1)


def test_a_ping_of_a_run_that_failed_is_not_late_because_nobody_read(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, theirs = ends
    session.send_ping(5)
    theirs.sendall(pong(asked(theirs)))
    later(monkeypatch, 5)
    session.begin_run()
    assert session.next_event(0) is None
    assert len(session.probes) == 1


def test_a_ping_that_nobody_waits_for_may_not_be_answered_twice_wrongly_or_left_out(ends: Ends) -> None:
    session, theirs = ends
    session.send_ping(5)
    request = asked(theirs)
    theirs.sendall(pong(request) * 2)
    with pytest.raises(LinkError, match="never made"):
        session.next_event(1)
    session.send_ping(5)
    theirs.sendall(pong(asked(theirs), 7, 5))
    with pytest.raises(LinkError, match="cannot be times"):
        session.next_event(1)
    session.send_ping(5)
    answering(theirs, lambda r: b"" if r["id"] == 3 else pong(r))
    with pytest.raises(LinkError, match="left ping 3 without an answer"):
        session.ping(5)


def test_answers_to_other_requests_are_refused(ends: Ends) -> None:
    session, theirs = ends
    answering(theirs, lambda r: json.dumps({"id": r["id"] + 1, "return": {}}).encode() + b"\n")
    with pytest.raises(LinkError, match="answered request 2 instead of 1"):
        session.request("facts", {}, 5)


def test_an_answer_without_a_question_is_refused(ends: Ends) -> None:
    session, theirs = ends
    say(theirs, {"id": 1, "return": {}})
    with pytest.raises(LinkError, match="never made"):
        session.next_event(1)


def test_a_fatal_message_ends_the_conversation_with_its_reason(ends: Ends) -> None:
    session, theirs = ends
    say(theirs, {"fatal": {"code": "message-too-long", "message": "70000 bytes"}})
    with pytest.raises(LinkClosed, match="message-too-long: 70000 bytes"):
        session.next_event(1)


def test_an_agent_that_floods_is_cut_off(ends: Ends) -> None:
    session, theirs = ends
    stop = threading.Event()

    def flood() -> None:
        line = b'{"event":"log","level":"info","message":"again"}\n' * 100
        while not stop.is_set():
            try:
                theirs.sendall(line)
            except OSError:
                return

    thread = threading.Thread(target=flood, daemon=True)
    thread.start()
    session.begin_run()
    with pytest.raises(LinkError, match=f"floods its channel .more than {MAX_RUN_LINES} lines"):
        while True:
            session.next_event(1)
    stop.set()
    session.close()
    theirs.close()
    thread.join(5)


def test_done_is_parsed_strictly(ends: Ends) -> None:
    session, theirs = ends
    done = {
        "event": "done", "run": "r", "unit": "B/s", "better": "higher", "value": 1.5,
        "check": {"kind": "bytes", "value": "1", "passed": True}, "count": 1, "stopped": False,
        "cpu": {"user_ns": 1, "system_ns": 1}, "conditions": {},
    }  # fmt: skip
    say(theirs, done, {**done, "check": {"kind": "bytes", "value": "1", "passed": False}})
    assert isinstance(session.next_event(1), Done)
    with pytest.raises(LinkError, match=r"check\.passed"):
        session.next_event(1)


def test_bye_to_one_who_is_gone_is_no_error(ends: Ends) -> None:
    session, theirs = ends
    theirs.close()
    session.bye(1)


@pytest.mark.parametrize(
    ("reply", "late_ns"),
    [({"late_ns": 0}, 0), ({"late_ns": 1500}, 1500), ({}, None), ({"late_ns": -1}, None), ({"late_ns": "0"}, None)],
)
def test_an_agent_says_by_how_much_it_missed_the_moment(ends: Ends, reply: Message, late_ns: int | None) -> None:
    session, theirs = ends
    request = session.send_release("r", 5, at_ns=5)
    assert json.loads(theirs.recv(65536))["arguments"] == {"run": "r", "at_ns": 5}
    say(theirs, {"id": 1, "return": reply})
    if late_ns is not None:
        assert session.released(request) == late_ns
        return
    with pytest.raises(LinkError, match=r"late_ns|agreed moment"):
        session.released(request)
