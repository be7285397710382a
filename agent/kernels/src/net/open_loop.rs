//! The client of an open loop: requests begin when they are due, whether or not earlier ones have been answered.
//!
//! A client that waits for a response before it sends the next request spares a slow peer just when it is slow, and
//! leaves out of its times those requests that it did not make ("coordinated omission"). Here a latency reaches from
//! the moment at which the request was due. A thread of its own keeps to the schedule, so that nothing that happens
//! between iterations delays it.

mod schedule;

use super::account::{precise, seconds, Account};
use super::messages::Messages;
use super::peer::{Link, Peer, POLL_INTERVAL_NS};
use super::plan::Plan;
use super::system::{self, PollFd, PollFlags};
use super::wire::{Kind, Opening};
use crate::clock_cost::reading_cost_ns;
use crate::recorded_times::Taken;
use crate::settings::check_failed;
use schedule::is_of_rate;
pub(super) use schedule::Schedule;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::thread::JoinHandle;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{now_ns, os_failure, CheckValue, Extras, Merge, Stretch as Timed, Times, Worker};

/// Length of an iteration, ns; longer where no response comes.
const SLICE_NS: u64 = 100_000_000;

/// Bytes read at once, at least a response.
const BLOCK: usize = 64 << 10;

/// What the generator is to do: go on, end and report, or leave.
const GO_ON: u8 = 0;
const END: u8 = 1;
const LEAVE: u8 = 2;

/// A request under way.
struct Pending {
    due_ns: u64,
    sent_ns: u64,
}

/// One connection. Requests follow each other without waiting; responses come in the order of the requests.
struct Line {
    link: Link,
    messages: Messages,
    sent: u64,
    done: u64,
    /// Bytes of the last request that the system has had no room for yet.
    unsent: usize,
    pending: VecDeque<Pending>,
    block: Vec<u8>,
    have: usize,
}

/// What the generator found.
struct Found {
    latency: Times,
    from_send: Times,
    /// Sum of the times between due and sent, ns.
    delay_ns: u64,
    /// Sums of both times over the responses, ns, and whether the clock went back meanwhile.
    latency_ns: u64,
    from_send_ns: u64,
    stepped_back: bool,
    /// Responses, whose times are in both histograms.
    answered: u64,
    /// Readings of the clock, and how long there were such.
    readings: u64,
    lasted_ns: u64,
    /// When responses were last taken, ns.
    last_ns: u64,
    /// Requests that were due and not sent, and the sum of the times that they had waited, ns.
    unsent: u64,
    unsent_ns: u64,
    total: u64,
    remote_ns: u64,
    local_ns: u64,
}

struct Generator {
    peer: Peer,
    lines: Vec<Line>,
    schedule: Schedule,
    /// Requests a second.
    rate: u64,
    phase: Arc<AtomicU8>,
    slices: Sender<Timed>,
    origin_ns: u64,
    /// The line that is next.
    turn: usize,
    /// The last response, or when there was last nothing to wait for, ns.
    progress_ns: u64,
    found: Found,
}

impl Found {
    /// The response to a request came.
    fn answered(&mut self, request: &Pending, now: u64) {
        let latency_ns = now.saturating_sub(request.due_ns);
        let from_send_ns = now.saturating_sub(request.sent_ns);
        self.stepped_back |= now < request.sent_ns;
        self.latency.record(latency_ns);
        self.from_send.record(from_send_ns);
        self.latency_ns += latency_ns;
        self.from_send_ns += from_send_ns;
        self.answered += 1;
    }

    /// Whether latencies begin when requests were due: the two times of each differ by how late it was sent. All are
    /// recorded.
    fn verify(&self) -> Result<(), Failure> {
        Taken { count: self.answered, sum_ns: self.from_send_ns }.compare(&self.from_send)?;
        let all = Taken { count: self.answered + self.unsent, sum_ns: self.latency_ns + self.unsent_ns };
        all.compare(&self.latency)?;
        match self.stepped_back || self.latency_ns == self.from_send_ns.saturating_add(self.delay_ns) {
            true => Ok(()),
            false => Err(check_failed("the latencies do not begin when the requests were due")),
        }
    }

    /// Whether every request that was due within the run has a latency, also one that could not be sent.
    fn verify_all(&self, schedule: &Schedule, rate: u64) -> Result<(), Failure> {
        let (due, found) = (schedule.passed, self.latency.count());
        if !self.stepped_back && !is_of_rate(due, rate, schedule.random.is_some(), self.lasted_ns) {
            let message = format!("{due} requests were due in {} s, at a rate of {rate}/s", seconds(self.lasted_ns));
            return Err(check_failed(message));
        }
        if schedule.due() <= self.lasted_ns {
            return Err(check_failed("a request that was due and could not be sent has no latency"));
        }
        match due == found {
            true => Ok(()),
            false => Err(check_failed(format!("{due} requests were due, and {found} have a latency"))),
        }
    }
}

impl Generator {
    /// The clock, whose readings are counted: the schedule needs one for every request.
    fn now(&mut self) -> u64 {
        self.found.readings += 1;
        now_ns()
    }

    fn run(mut self) -> Result<Found, Failure> {
        system::wait_precisely();
        let cpu_ns = system::thread_cpu_ns();
        // Apart from the origin of the schedule: what was due is compared with this time.
        let begun_ns = self.now();
        self.origin_ns = begun_ns;
        self.progress_ns = begun_ns;
        let (mut slice_ns, mut counted) = (begun_ns, 0);
        while self.phase.load(Ordering::Acquire) == GO_ON {
            let blocked = self.send_due()?;
            let now = self.now();
            let due_ns = if blocked { u64::MAX } else { (self.origin_ns + self.schedule.due()).saturating_sub(now) };
            let slice = match (slice_ns + SLICE_NS).saturating_sub(now) {
                // Overdue: it ends with the next response.
                0 => SLICE_NS,
                left => left,
            };
            self.take(due_ns.min(slice), blocked)?;
            let (now, done) = (self.now(), self.done());
            if now >= slice_ns + SLICE_NS && (done > counted || self.peer.control.stopped()) {
                // Nobody listens any more when the run has failed elsewhere.
                let _ = self.slices.send(Timed { start_ns: slice_ns, end_ns: now, work: done - counted });
                (slice_ns, counted) = (now, done);
            }
        }
        let end_ns = self.now();
        self.found.lasted_ns = end_ns.saturating_sub(begun_ns);
        let readings = self.found.readings;
        if self.phase.load(Ordering::Acquire) == LEAVE {
            return Err(Failure::new(Code::Internal, "the run was given up"));
        }
        // Requests that were due and could not be sent have waited at least until now.
        while self.origin_ns + self.schedule.due() <= end_ns {
            let waited_ns = end_ns - self.origin_ns - self.schedule.due();
            self.found.unsent += 1;
            self.found.unsent_ns += waited_ns;
            self.found.latency.record(waited_ns);
            self.schedule.advance();
        }
        while self.lines.iter().any(|line| !line.pending.is_empty()) {
            self.flush()?;
            self.take(POLL_INTERVAL_NS, true)?;
        }
        for line in &mut self.lines {
            let report = self.peer.hang_up(&mut line.link.socket, &mut |_| ())?;
            if report.units != line.done {
                let message = format!("counted {} requests of {} that were answered", report.units, line.done);
                return Err(self.peer.failed(&message));
            }
            if report.faults > 0 {
                return Err(self.peer.failed("received other bytes than it was sent"));
            }
            self.found.remote_ns += report.cpu_ns;
        }
        self.found.readings = readings;
        self.found.verify()?;
        self.found.verify_all(&self.schedule, self.rate)?;
        // They take turns, and only one that was used can be passed over.
        let sent: u64 = self.lines.iter().map(|line| line.sent).sum();
        if sent >= self.lines.len() as u64 && self.lines.iter().any(|line| line.sent == 0) {
            return Err(check_failed("a connection had no request"));
        }
        self.found.total = self.done();
        self.found.local_ns = system::thread_cpu_ns() - cpu_ns;
        Ok(self.found)
    }

    fn done(&self) -> u64 {
        self.lines.iter().map(|line| line.done).sum()
    }

    /// Send what is due. Whether something is due that no connection has room for.
    fn send_due(&mut self) -> Result<bool, Failure> {
        self.flush()?;
        loop {
            let (due_ns, now) = (self.origin_ns + self.schedule.due(), self.now());
            if due_ns > now {
                return Ok(false);
            }
            let count = self.lines.len();
            let free = (0..count).map(|step| (self.turn + step) % count).find(|index| self.lines[*index].unsent == 0);
            let Some(index) = free else {
                return Ok(true);
            };
            self.turn = index + 1;
            let line = &mut self.lines[index];
            if line.pending.is_empty() {
                self.progress_ns = self.progress_ns.max(now);
            }
            line.sent += 1;
            line.messages.stamp(line.sent);
            line.unsent = line.messages.request.len();
            line.pending.push_back(Pending { due_ns, sent_ns: now });
            self.found.delay_ns += now - due_ns;
            line.flush(&self.peer)?;
            self.schedule.advance();
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.lines.iter_mut().filter(|line| line.unsent > 0).try_for_each(|line| line.flush(&self.peer))
    }

    /// Wait for responses, at most `limit_ns`, and count them. `blocked`: wait also for room to send.
    fn take(&mut self, limit_ns: u64, blocked: bool) -> Result<(), Failure> {
        let flags = |line: &Line| match blocked && line.unsent > 0 {
            true => PollFlags::IN | PollFlags::OUT,
            false => PollFlags::IN,
        };
        let mut sockets: Vec<PollFd<'_>> =
            self.lines.iter().map(|line| PollFd::new(&line.link.socket, flags(line))).collect();
        system::poll(&mut sockets, Some(limit_ns)).map_err(|cause| self.peer.broken(&cause))?;
        let come = PollFlags::IN | PollFlags::ERR | PollFlags::HUP;
        let ready: Vec<bool> = sockets.iter().map(|socket| socket.revents().intersects(come)).collect();
        for (line, _) in self.lines.iter_mut().zip(&ready).filter(|(_, ready)| **ready) {
            if line.take(&self.peer, &mut self.found)? {
                self.progress_ns = self.found.last_ns;
            }
        }
        if !ready.contains(&true)
            && self.now().saturating_sub(self.progress_ns) > POLL_INTERVAL_NS
            && self.lines.iter().any(|line| !line.pending.is_empty())
        {
            self.peer.still_patient(self.progress_ns)?;
        }
        Ok(())
    }
}

impl Line {
    /// Send what is left of the last request, as far as there is room.
    fn flush(&mut self, peer: &Peer) -> Result<(), Failure> {
        let request = &self.messages.request;
        while self.unsent > 0 {
            match self.link.socket.write(&request[request.len() - self.unsent..]) {
                Ok(sent) => self.unsent -= sent,
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => break,
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(peer.broken(&cause)),
            }
        }
        Ok(())
    }

    /// Count the responses that are there. Whether there were any.
    fn take(&mut self, peer: &Peer, found: &mut Found) -> Result<bool, Failure> {
        match self.link.socket.read(&mut self.block[self.have..]) {
            Ok(0) => return Err(peer.failed("closed the connection")),
            Ok(read) => self.have += read,
            Err(cause) if matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return Ok(false),
            Err(cause) => return Err(peer.broken(&cause)),
        }
        let now = now_ns();
        (found.last_ns, found.readings) = (now, found.readings + 1);
        let size = self.messages.response.len();
        let whole = self.have / size * size;
        for answer in self.block[..whole].chunks_exact(size) {
            let pending = self.pending.pop_front().ok_or_else(|| peer.failed("answers what it was not asked"))?;
            self.done += 1;
            if !self.messages.answered_by(answer, self.done) {
                return Err(peer.failed("sent back other bytes than it was sent"));
            }
            found.answered(&pending, now);
        }
        self.block.copy_within(whole..self.have, 0);
        self.have -= whole;
        Ok(whole > 0)
    }
}

pub(super) struct OpenLoop {
    /// Waits for the first iteration.
    generator: Option<Generator>,
    thread: Option<JoinHandle<Result<Found, Failure>>>,
    phase: Arc<AtomicU8>,
    slices: Receiver<Timed>,
    found: Option<Found>,
    offered: u64,
    done: u64,
    conditions: Conditions,
    account: Account,
}

impl OpenLoop {
    /// `rate` requests a second.
    pub(super) fn connect(plan: &Plan, rate: u64, schedule: Schedule) -> Result<Self, Failure> {
        let peer = plan.peer.clone();
        let opening = Opening { kind: Kind::Echo, ..plan.opening() };
        let mut found = Conditions::new();
        let mut lines = Vec::with_capacity(plan.connections);
        for _ in 0..plan.connections {
            let link = peer.dial(&opening)?;
            link.record_buffers(&opening, &mut found);
            link.socket.set_nonblocking(true).map_err(|cause| peer.broken(&cause))?;
            lines.push(Line {
                link,
                messages: Messages::new(plan.request, plan.response)?,
                sent: 0,
                done: 0,
                unsent: 0,
                pending: VecDeque::with_capacity(1024),
                block: vec![0; BLOCK.max(plan.response)],
                have: 0,
            });
        }
        let account = Account::new("s", lines.iter().map(|line| line.link.welcome.cpus).max().unwrap_or(0));
        let phase = Arc::new(AtomicU8::new(GO_ON));
        let (sender, slices) = channel();
        let generator = Generator {
            peer,
            lines,
            schedule,
            rate,
            phase: phase.clone(),
            slices: sender,
            origin_ns: 0,
            turn: 0,
            progress_ns: 0,
            found: Found {
                latency: Times::default(),
                from_send: Times::default(),
                delay_ns: 0,
                latency_ns: 0,
                from_send_ns: 0,
                stepped_back: false,
                answered: 0,
                readings: 0,
                lasted_ns: 0,
                last_ns: 0,
                unsent: 0,
                unsent_ns: 0,
                total: 0,
                remote_ns: 0,
                local_ns: 0,
            },
        };
        Ok(OpenLoop {
            generator: Some(generator),
            thread: None,
            phase,
            slices,
            found: None,
            offered: rate,
            done: 0,
            conditions: found,
            account,
        })
    }

    /// The generator's end, when it has been told to come to one or has failed.
    fn join(&mut self) -> Result<Found, Failure> {
        let gone = || Failure::new(Code::Internal, "the generator of requests ended without a result");
        self.thread.take().ok_or_else(gone)?.join().map_err(|_| gone())?
    }
}

impl Worker for OpenLoop {
    fn continuous(&self) -> bool {
        true
    }

    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Timed, Failure> {
        if let Some(generator) = self.generator.take() {
            // It inherits the processor that this thread is pinned to.
            let thread = std::thread::Builder::new().name("generator".into()).spawn(|| generator.run());
            self.thread = Some(thread.map_err(|cause| os_failure("cannot start a thread", &cause))?);
        }
        match self.slices.recv() {
            Ok(slice) => {
                self.done += slice.work;
                self.account.follow(slice)
            }
            Err(_) => {
                Err(self.join().err().unwrap_or_else(|| Failure::new(Code::Internal, "the generator ended early")))
            }
        }
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.done))
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.phase.store(END, Ordering::Release);
        let found = self.join()?;
        self.account.close_with(found.total, found.remote_ns, found.local_ns)?;
        let total = found.total;
        self.found = Some(found);
        Ok(CheckValue::Count(total))
    }

    fn extras(&mut self) -> Extras {
        let extras = self.account.extras().measure("offered", "1/s", precise(self.offered), Merge::Sum);
        match self.found.take() {
            None => extras,
            Some(found) => extras
                .measure("unsent", "1", precise(found.unsent), Merge::Sum)
                .measure("clock-share", "1", clock_share(found.readings, found.lasted_ns), Merge::Max)
                .measure("send-delay", "s", seconds(found.delay_ns) / precise(found.total.max(1)), Merge::Mean)
                .histogram("latency", found.latency)
                .histogram("latency-from-send", found.from_send),
        }
    }
}

/// The part of the time that so many readings of the clock cost.
fn clock_share(readings: u64, lasted_ns: u64) -> f64 {
    precise(readings * reading_cost_ns()) / precise(lasted_ns.max(1))
}

impl Drop for OpenLoop {
    fn drop(&mut self) {
        self.phase.store(LEAVE, Ordering::Release);
        if self.thread.is_some() {
            // Whether it failed no longer matters.
            let _ = self.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latency_reaches_from_when_a_request_was_due() {
        let mut found = Found {
            latency: Times::default(),
            from_send: Times::default(),
            delay_ns: 200_000,
            latency_ns: 0,
            from_send_ns: 0,
            stepped_back: false,
            answered: 0,
            readings: 0,
            lasted_ns: 0,
            last_ns: 0,
            unsent: 0,
            unsent_ns: 0,
            total: 0,
            remote_ns: 0,
            local_ns: 0,
        };
        found.answered(&Pending { due_ns: 100_000, sent_ns: 300_000 }, 1_100_000);
        assert_eq!((found.latency_ns, found.from_send_ns), (1_000_000, 800_000));
        let near = |times: &Times, ns: u64| times.quantile(1.0).abs_diff(ns) <= ns / 100;
        assert!(near(&found.latency, 1_000_000) && near(&found.from_send, 800_000));
        assert_eq!(found.verify(), Ok(()));
        // One that was due and not sent has waited, too.
        found.unsent += 1;
        assert_eq!(found.verify().map_err(|failure| failure.code), Err(Code::CheckFailed));
        found.unsent_ns += 5_000_000;
        found.latency.record(5_000_000);
        assert_eq!(found.verify(), Ok(()));
        found.latency_ns = found.from_send_ns;
        assert_eq!(found.verify().map_err(|failure| failure.code), Err(Code::CheckFailed));
    }
}
