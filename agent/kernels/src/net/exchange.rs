//! The client of requests and responses: on each connection one is under way at a time.

use super::messages::{Messages, INSPECTION};
use super::peer::{Link, Peer};
use super::plan::Plan;
use super::round_trips::RoundTrips;
use super::system::{PollFd, PollFlags};
use super::wire::{Kind, Opening};
use crate::settings::check_failed;
use std::io::{ErrorKind, Read, Write};
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, CheckValue, Extras, Stretch as Timed, Worker};

/// One connection.
struct Line {
    link: Link,
    answer: Vec<u8>,
    done: u64,
    /// Bytes of the answer that have arrived, of several connections.
    have: usize,
    /// Whether a response is still to come, of several connections.
    busy: bool,
    /// When its request was sent, ns; `None` where that is not timed, or a pause between iterations came since.
    sent_ns: Option<u64>,
}

pub(super) struct Exchange {
    peer: Peer,
    messages: Messages,
    lines: Vec<Line>,
    round_trips: RoundTrips,
    /// When the last response of several connections was counted, ns; 0 after a pause.
    counted_ns: u64,
    conditions: Conditions,
}

impl Exchange {
    pub(super) fn connect(plan: &Plan) -> Result<Self, Failure> {
        let peer = plan.peer.clone();
        let messages = Messages::new(plan.request, plan.response)?;
        let opening = Opening { kind: Kind::Echo, ..plan.opening() };
        let mut found = Conditions::new();
        let mut lines = Vec::with_capacity(plan.connections);
        let mut cpus = 0;
        for _ in 0..plan.connections {
            let link = peer.dial(&opening)?;
            link.record_buffers(&opening, &mut found);
            cpus = cpus.max(link.welcome.cpus);
            if plan.connections > 1 {
                link.socket.set_nonblocking(true).map_err(|cause| peer.broken(&cause))?;
            }
            lines.push(Line { link, answer: vec![0; plan.response], done: 0, have: 0, busy: false, sent_ns: None });
        }
        Ok(Exchange { peer, messages, lines, round_trips: RoundTrips::new(cpus), counted_ns: 0, conditions: found })
    }

    /// Round trips over the only connection.
    fn alone(&mut self, repeats: u64) -> Result<Timed, Failure> {
        let Exchange { peer, messages, lines, round_trips, .. } = self;
        let Line { link, answer, done, .. } = &mut lines[0];
        let echoed = messages.echoed();
        round_trips.make(repeats, || {
            *done += 1;
            messages.stamp(*done);
            peer.send(&mut link.socket, &messages.request)?;
            peer.receive(&mut link.socket, answer)?;
            if answer[..echoed] != messages.response[..echoed] {
                return Err(peer.failed("sent back other bytes than it was sent"));
            }
            Ok(())
        })
    }

    /// Round trips over all connections at once. From the last response of one iteration to the last of the next: no
    /// connection is idle between them.
    fn together(&mut self, repeats: u64) -> Result<Timed, Failure> {
        for line in &mut self.lines {
            if line.sent_ns.take().is_some() {
                self.round_trips.leave_out();
            }
        }
        if self.counted_ns == 0 {
            self.counted_ns = now_ns();
            for index in 0..self.lines.len() {
                self.send(index)?;
            }
        }
        let start_ns = self.counted_ns;
        let mut work = 0;
        'iteration: loop {
            for index in self.ready()? {
                if !self.take(index)? {
                    continue;
                }
                work += 1;
                let last = work >= repeats;
                if last {
                    self.counted_ns = now_ns();
                }
                self.send(index)?;
                if last {
                    break 'iteration; // what else is there belongs to the next one
                }
            }
        }
        self.round_trips.follow(Timed { start_ns, end_ns: self.counted_ns, work })
    }

    /// Wait until something has arrived, and tell on which connections.
    fn ready(&self) -> Result<Vec<usize>, Failure> {
        let busy = |index: &usize| self.lines[*index].busy;
        let waiting: Vec<usize> = (0..self.lines.len()).filter(busy).collect();
        let mut sockets: Vec<PollFd<'_>> =
            waiting.iter().map(|index| PollFd::new(&self.lines[*index].link.socket, PollFlags::IN)).collect();
        self.peer.wait_for(&mut sockets)?;
        let ready = waiting.iter().zip(&sockets).filter(|(_, socket)| !socket.revents().is_empty());
        Ok(ready.map(|(index, _)| *index).collect())
    }

    /// Wait for the responses of all connections.
    fn drain(&mut self) -> Result<(), Failure> {
        while self.lines.iter().any(|line| line.busy) {
            for index in self.ready()? {
                self.take(index)?;
            }
        }
        self.inspect()
    }

    fn send(&mut self, index: usize) -> Result<(), Failure> {
        let line = &mut self.lines[index];
        line.sent_ns = self.round_trips.next_is_timed().then(now_ns);
        (line.have, line.busy) = (0, true);
        self.messages.stamp(line.done + 1);
        let mut sent = 0;
        while sent < self.messages.request.len() {
            match line.link.socket.write(&self.messages.request[sent..]) {
                Ok(more) => sent += more,
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => {
                    self.peer.wait_for(&mut [PollFd::new(&line.link.socket, PollFlags::OUT)])?;
                }
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(self.peer.broken(&cause)),
            }
        }
        Ok(())
    }

    /// Read what is there. Whether the response is whole.
    fn take(&mut self, index: usize) -> Result<bool, Failure> {
        let line = &mut self.lines[index];
        match line.link.socket.read(&mut line.answer[line.have..]) {
            Ok(0) => return Err(self.peer.failed("closed the connection")),
            Ok(read) => line.have += read,
            Err(cause) if matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(cause) => return Err(self.peer.broken(&cause)),
        }
        if line.have < line.answer.len() {
            return Ok(false);
        }
        if let Some(sent_ns) = line.sent_ns.take() {
            self.round_trips.ended(now_ns().saturating_sub(sent_ns));
        }
        (line.done, line.busy) = (line.done + 1, false);
        let (done, echoed) = (line.done, self.messages.echoed());
        let whole = done % INSPECTION == 1 && !self.messages.answered_by(&line.answer, done);
        if whole || line.answer[..echoed] != done.to_le_bytes()[..echoed] {
            return Err(self.peer.failed("sent back other bytes than it was sent"));
        }
        Ok(true)
    }

    /// Every byte of the last responses.
    fn inspect(&self) -> Result<(), Failure> {
        let mut whole = self.lines.iter().filter(|line| line.done > 0 && !line.busy);
        match whole.all(|line| self.messages.answered_by(&line.answer, line.done)) {
            true => Ok(()),
            false => Err(self.peer.failed("sent back other bytes than it was sent")),
        }
    }

    fn done(&self) -> u64 {
        self.lines.iter().map(|line| line.done).sum()
    }
}

impl Worker for Exchange {
    fn continuous(&self) -> bool {
        self.lines.len() > 1
    }

    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        match self.lines.len() {
            1 => self.alone(repeats),
            _ => self.together(repeats),
        }
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        // Of several connections all have another request under way: their responses are inspected as they come.
        self.inspect()?;
        Ok(CheckValue::Count(self.done()))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.drain()?;
        self.round_trips.reset_after_calibration();
        self.counted_ns = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let (mut total, mut remote_ns) = (0, 0);
        self.drain()?;
        for line in &mut self.lines {
            let report = self.peer.hang_up(&mut line.link.socket, &mut |_| ())?;
            if report.units != line.done {
                let message = format!("counted {} round trips of {} that were made", report.units, line.done);
                return Err(self.peer.failed(&message));
            }
            if report.faults > 0 {
                return Err(self.peer.failed("received other bytes than it was sent"));
            }
            // At the begin each of several has a request.
            if line.done == 0 {
                return Err(check_failed("a connection had no round trip"));
            }
            total += line.done;
            remote_ns += report.cpu_ns;
        }
        self.round_trips.close(total, remote_ns)?;
        Ok(CheckValue::Count(total))
    }

    fn extras(&mut self) -> Extras {
        self.round_trips.extras()
    }
}
