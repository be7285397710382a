//! The clients of datagrams: a stream of them, of which some may be lost, and requests with responses.

use super::account::{precise, Account};
use super::messages::message;
use super::pace::Pace;
use super::peer::{words, Link, Peer, PATIENCE, POLL_INTERVAL_NS};
use super::plan::Plan;
use super::round_trips::RoundTrips;
use super::system::{self, PollFd, PollFlags};
use super::wire::{self, Kind, Opening, Report, HEAD};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{now_ns, CheckValue, Extras, Merge, Stretch as Timed, Worker};

/// One repeat of a stream lasts at least so long.
const REPEAT_NS: u64 = 10_000_000;

/// After so many datagrams a client that never has to wait looks for confirmations.
const LOOK: u64 = 32;

/// Time between two readings of the clock where nothing needs more of them, ns.
const READ_EVERY_NS: u64 = 2_000_000;

/// After so many rounds without a confirmation the clock is read as well.
const ROUNDS: u64 = 1024;

/// A sender that is late sends at most so much of its time at once, ns.
const BURST_NS: u64 = 10_000_000;

/// After this time a response is taken for lost, ns.
const LOST_NS: u64 = 250_000_000;

/// A session: the connection that opened it and the socket of its datagrams.
struct Session {
    peer: Peer,
    link: Link,
    socket: UdpSocket,
    datagram: Vec<u8>,
    sent: u64,
    conditions: Conditions,
}

impl Session {
    fn open(plan: &Plan, kind: Kind) -> Result<Self, Failure> {
        let peer = plan.peer.clone();
        let opening = Opening { kind, ..plan.opening() };
        let link = peer.dial(&opening)?;
        let mut found = Conditions::new();
        link.record_buffers(&opening, &mut found);
        let here: SocketAddr = match peer.address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let socket = (|| {
            let socket = UdpSocket::bind(here)?;
            system::set_buffers(&socket, opening.send_buffer, opening.receive_buffer)?;
            socket.connect(peer.address)?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        })();
        let socket = socket.map_err(|cause: io::Error| peer.broken(&cause))?;
        let mut datagram = message(plan.request)?.to_vec();
        wire::put(&[link.welcome.extra], &mut datagram);
        Ok(Session { peer, link, socket, datagram, sent: 0, conditions: found })
    }

    /// Send the next datagram, unless the system has no room for it.
    fn send(&mut self) -> Result<bool, Failure> {
        wire::put(&[self.sent], &mut self.datagram[8..HEAD]);
        match self.socket.send(&self.datagram) {
            Ok(_) => self.sent += 1,
            Err(cause) if matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return Ok(false),
            Err(cause) if system::no_room(&cause) => return Ok(false),
            Err(cause) if system::too_long(&cause) => {
                let message = format!("size is {}: {}", self.datagram.len(), words(&cause));
                return Err(Failure::new(Code::BadArguments, message));
            }
            Err(cause) => return Err(self.peer.broken(&cause)),
        }
        Ok(true)
    }

    /// A datagram of this session that has arrived.
    fn take<'a>(&self, block: &'a mut [u8]) -> Result<Option<&'a [u8]>, Failure> {
        match self.socket.recv(block) {
            Ok(length) if length >= HEAD && wire::number(block, 0) == self.link.welcome.extra => {
                Ok(Some(&block[..length]))
            }
            Ok(_) => Ok(None),
            Err(cause) if matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
            Err(cause) => Err(self.peer.broken(&cause)),
        }
    }

    /// Settle accounts: the peer is told how many datagrams were sent and waits a moment for those on the way.
    fn finish(&mut self) -> Result<Report, Failure> {
        self.peer.send(&mut self.link.socket, &self.sent.to_le_bytes())?;
        let report = self.peer.hang_up(&mut self.link.socket, &mut |_| ())?;
        if report.faults > 0 {
            return Err(self
                .peer
                .failed(&format!("received {} datagrams with other bytes than were sent", report.faults)));
        }
        if report.units > self.sent || report.bytes != report.units * self.datagram.len() as u64 {
            let message = format!(
                "counted {} datagrams with {} bytes of {} that were sent",
                report.units, report.bytes, self.sent
            );
            return Err(self.peer.failed(&message));
        }
        Ok(report)
    }
}

/// Sends datagrams, as fast as it can or at a rate.
pub(super) struct Datagrams {
    session: Session,
    /// Time between two datagrams, ns; 0 without a limit.
    interval_ns: f64,
    /// When the next datagram is due, ns after `origin_ns`.
    due_ns: f64,
    origin_ns: u64,
    /// Bytes and number of datagrams that the peer has confirmed, and when that was known; 0 after a pause.
    confirmed: (u64, u64),
    confirmed_ns: u64,
    /// When the clock is read for that.
    readings: Pace,
    /// What was sent when the window began, and what the peer found in the end.
    report: Report,
    sent_in_window: (u64, u64),
    account: Account,
}

impl Datagrams {
    /// `rate` is the limit in bytes per second; 0 means none.
    pub(super) fn connect(plan: &Plan, rate: u64) -> Result<Self, Failure> {
        let session = Session::open(plan, Kind::Datagrams)?;
        let interval_ns = if rate == 0 { 0.0 } else { precise(plan.request as u64) * 1e9 / precise(rate) };
        let account = Account::new("s/B", session.link.welcome.cpus);
        if rate > 0 {
            system::wait_precisely();
        }
        Ok(Datagrams {
            session,
            interval_ns,
            due_ns: 0.0,
            origin_ns: now_ns(),
            confirmed: (0, 0),
            confirmed_ns: 0,
            readings: Pace::new(READ_EVERY_NS),
            report: Report::default(),
            sent_in_window: (0, 0),
            account,
        })
    }

    /// Send until new confirmations arrive.
    fn until_confirmed(&mut self) -> Result<(), Failure> {
        let mut begun = None;
        // Without a rate only a peer that is silent needs the clock.
        let mut rounds = 0;
        loop {
            let full = self.send_some()?;
            if self.take_confirmations()? {
                return Ok(());
            }
            rounds += 1;
            let mut ahead_ns = 0;
            if self.interval_ns > 0.0 || rounds % ROUNDS == 0 {
                let now = now_ns();
                self.be_patient(*begun.get_or_insert(now), now)?;
                ahead_ns = self.due_in(now);
            }
            if full || ahead_ns > 0 {
                let (flags, limit) = match full {
                    true => (PollFlags::IN | PollFlags::OUT, POLL_INTERVAL_NS),
                    false => (PollFlags::IN, ahead_ns.min(POLL_INTERVAL_NS)),
                };
                let ready = system::poll(&mut [PollFd::new(&self.session.socket, flags)], Some(limit))
                    .map_err(|cause| self.session.peer.broken(&cause))?;
                if ready == 0 {
                    let now = now_ns();
                    self.be_patient(*begun.get_or_insert(now), now)?;
                }
            }
        }
    }

    /// An error where nothing has been confirmed from `begun` to `now` for too long.
    fn be_patient(&self, begun: u64, now: u64) -> Result<(), Failure> {
        let passed = now.saturating_sub(begun);
        if u128::from(passed) > PATIENCE.as_nanos() {
            let message = format!("has received no datagram for {} s", PATIENCE.as_secs());
            return Err(self.session.peer.failed(&message));
        }
        if precise(passed) > precise(POLL_INTERVAL_NS).max(2.0 * self.interval_ns) {
            self.session.peer.still_patient(begun)?;
        }
        Ok(())
    }

    /// Nanoseconds until the next datagram is due.
    fn due_in(&self, now: u64) -> u64 {
        let ahead = self.due_ns - precise(now - self.origin_ns);
        if self.interval_ns == 0.0 || ahead <= 0.0 {
            return 0;
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive; the cast saturates
        let ahead = ahead as u64;
        ahead.max(1)
    }

    /// Send what is due, or some datagrams where there is no limit. Whether the system has no more room.
    fn send_some(&mut self) -> Result<bool, Failure> {
        for _ in 0..LOOK {
            if self.interval_ns > 0.0 {
                let elapsed = precise(now_ns() - self.origin_ns);
                if self.due_ns > elapsed {
                    return Ok(false);
                }
                // What could not be sent for a long time is not made up for at once.
                self.due_ns = self.due_ns.max(elapsed - precise(BURST_NS)) + self.interval_ns;
            }
            if !self.session.send()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether there were new ones.
    fn take_confirmations(&mut self) -> Result<bool, Failure> {
        let mut block = [0; 64];
        let mut new = false;
        while let Some(datagram) = self.session.take(&mut block)? {
            if datagram.len() != 24 {
                return Err(self.session.peer.failed("sent a datagram that is no confirmation"));
            }
            let (bytes, units) = (wire::number(datagram, 1), wire::number(datagram, 2));
            let sent = self.session.sent;
            if units > sent || bytes != units * self.session.datagram.len() as u64 {
                let message = format!("confirmed {units} datagrams with {bytes} bytes of {sent} that were sent");
                return Err(self.session.peer.failed(&message));
            }
            // A confirmation may be overtaken by a later one.
            if bytes > self.confirmed.0 {
                self.confirmed = (bytes, units);
                new = true;
            }
        }
        Ok(new)
    }
}

impl Worker for Datagrams {
    fn continuous(&self) -> bool {
        true
    }

    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        if self.confirmed_ns == 0 {
            // After a pause: begin at a confirmation that was made after it, and with no arrears.
            (self.origin_ns, self.due_ns) = (now_ns(), 0.0);
            while self.take_confirmations()? {}
            self.until_confirmed()?;
            self.confirmed_ns = self.readings.resumed(self.confirmed.0);
        }
        let (start_ns, before, sent) = (self.confirmed_ns, self.confirmed.0, self.session.sent);
        self.readings.iterate();
        while !self.readings.may_end(repeats * REPEAT_NS) {
            self.until_confirmed()?;
            if self.readings.due(self.confirmed.0) {
                self.confirmed_ns = self.readings.happened(self.confirmed.0);
            }
        }
        self.sent_in_window.0 += self.session.sent - sent;
        self.sent_in_window.1 += self.confirmed_ns - start_ns;
        let stretch = Timed { start_ns, end_ns: self.confirmed_ns, work: self.confirmed.0 - before };
        self.account.follow(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Bytes(self.confirmed.0))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.confirmed_ns = 0;
        self.sent_in_window = (0, 0);
        self.account.reset_after_calibration();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.session.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.report = self.session.finish()?;
        if self.report.bytes < self.confirmed.0 {
            return Err(self.session.peer.failed("counted fewer bytes in the end than it had confirmed"));
        }
        self.account.close(self.report.bytes, self.report.cpu_ns)?;
        Ok(CheckValue::Bytes(self.report.bytes))
    }

    fn extras(&mut self) -> Extras {
        let (sent, received) = (precise(self.session.sent), precise(self.report.units));
        let size = precise(self.session.datagram.len() as u64);
        let rate = precise(self.sent_in_window.0) * size / (precise(self.sent_in_window.1) * 1e-9);
        self.account
            .extras()
            .measure("loss", "1", 1.0 - received / sent, Merge::Mean)
            .measure("reordered", "1", precise(self.report.reordered) / received, Merge::Mean)
            .measure("sent", "B/s", rate, Merge::Sum)
    }
}

/// Sends a datagram and waits for the answer to it.
pub(super) struct DatagramExchange {
    session: Session,
    response: Vec<u8>,
    answer: Vec<u8>,
    length: usize,
    done: u64,
    lost: u64,
    round_trips: RoundTrips,
}

impl DatagramExchange {
    pub(super) fn connect(plan: &Plan) -> Result<Self, Failure> {
        let session = Session::open(plan, Kind::DatagramEcho)?;
        let round_trips = RoundTrips::new(session.link.welcome.cpus);
        Ok(DatagramExchange {
            session,
            response: message(plan.response)?.to_vec(),
            answer: vec![0; plan.response + 1],
            length: 0,
            done: 0,
            lost: 0,
            round_trips,
        })
    }
}

/// Whether the answer to the last datagram has come; it is lost where it has not after a while.
fn answered(session: &Session, answer: &mut [u8], length: &mut usize) -> Result<bool, Failure> {
    let mut begun = None;
    let mut limit = LOST_NS;
    loop {
        let ready = system::poll(&mut [PollFd::new(&session.socket, PollFlags::IN)], Some(limit))
            .map_err(|cause| session.peer.broken(&cause))?;
        if let Some(datagram) = session.take(answer)? {
            // Answers to earlier ones, which were taken for lost, are of no use.
            if wire::number(datagram, 1) == session.sent - 1 {
                *length = datagram.len();
                return Ok(true);
            }
        }
        // Only what does not come is waited for by the clock: nothing within the limit is too late, and so is what came
        // of others.
        let passed = now_ns().saturating_sub(*begun.get_or_insert_with(now_ns));
        if (ready == 0 && limit == LOST_NS) || passed >= LOST_NS {
            return Ok(false);
        }
        limit = LOST_NS - passed;
    }
}

impl Worker for DatagramExchange {
    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        let DatagramExchange { session, answer, length, done, lost, round_trips, .. } = self;
        round_trips.make(repeats, || {
            let mut begun = None;
            loop {
                if session.send()? && answered(session, answer, length)? {
                    *done += 1;
                    return Ok(());
                }
                *lost += 1;
                session.peer.still_patient(*begun.get_or_insert_with(now_ns))?;
            }
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let whole = self.length == self.response.len() && self.answer[HEAD..self.length] == self.response[HEAD..];
        if !whole {
            return Err(self.session.peer.failed("sent back other bytes than its pattern"));
        }
        Ok(CheckValue::Count(self.done))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.round_trips.reset_after_calibration();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.session.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let report = self.session.finish()?;
        if report.units < self.done {
            let message = format!("counted {} requests of {} that were answered", report.units, self.done);
            return Err(self.session.peer.failed(&message));
        }
        self.round_trips.close(self.done, report.cpu_ns)?;
        Ok(CheckValue::Count(self.done))
    }

    fn extras(&mut self) -> Extras {
        let loss = precise(self.lost) / precise(self.session.sent.max(1));
        self.round_trips.extras().measure("loss", "1", loss, Merge::Mean)
    }
}
