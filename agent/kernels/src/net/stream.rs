//! The client of a stream: sends, receives, or both at once, over one or several connections.
//!
//! What is sent counts when the peer has confirmed it, what is received when it has arrived. A sample reaches from one
//! such moment to another.

use super::account::Account;
use super::messages::message;
use super::pace::Pace;
use super::peer::{Link, Peer};
use super::plan::{Direction, Plan};
use super::system::{PollFd, PollFlags, ZeroCopyFile};
use super::wire::{self, Kind, Opening};
use crate::settings::check_failed;
use std::io::{self, ErrorKind, Read, Write};
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{CheckValue, Extras, Stretch as Timed, Worker};

/// One repeat of a stream lasts at least so long.
const REPEAT_NS: u64 = 10_000_000;

/// Time between two readings of the clock, ns, or more where they are dear.
const READ_EVERY_NS: u64 = 2_000_000;

/// Bytes after which a client that never has to wait looks for confirmations.
const LOOK: usize = 1 << 20;

/// Bytes read at once for messages of `size`: as many as are written at once, within limits. More at a time keep the
/// connection locked against what arrives, fewer cost more calls.
pub(super) fn block(size: usize) -> usize {
    size.clamp(128 << 10, 1 << 20)
}

/// A connection that we send on.
struct Sending {
    link: Link,
    /// How much of the message under way is sent.
    position: usize,
    sent: u64,
    confirmed: u64,
    /// The beginning of a counter that has not arrived as a whole.
    head: Vec<u8>,
}

/// A connection that we receive on.
struct Receiving {
    link: Link,
    received: u64,
}

/// What a round of trying all connections has brought.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Nothing moved.
    Still,
    /// Data was sent.
    Moved,
    /// Something new was confirmed or received.
    Counted,
}

pub(super) struct Stream {
    peer: Peer,
    sending: Vec<Sending>,
    receiving: Vec<Receiving>,
    message: Vec<u8>,
    zero_copy_file: Option<ZeroCopyFile>,
    block: Vec<u8>,
    /// The last block read: from which byte of its stream, how long.
    last: (u64, usize),
    /// When the clock was last read, which is when all that is counted was; 0 before the first iteration, ns.
    counted_ns: u64,
    /// Bytes that were counted at the begin, before an iteration.
    skipped: u64,
    /// When the clock is read.
    readings: Pace,
    conditions: Conditions,
    account: Account,
}

impl Stream {
    pub(super) fn connect(plan: &Plan) -> Result<Self, Failure> {
        let peer = plan.peer.clone();
        let message = message(plan.request)?;
        let (mut sending, mut receiving) = (Vec::new(), Vec::new());
        let mut found = Conditions::new();
        let zero_copy_file = match plan.zero_copy && plan.direction != Direction::Receive {
            true => ZeroCopyFile::new(&message)
                .map_err(|cause| found.insert("zero_copy_reason".into(), cause.to_string()))
                .ok(),
            false => None,
        };
        let mut zero_copy = zero_copy_file.is_some() || plan.direction == Direction::Receive;
        for _ in 0..plan.connections {
            if plan.direction != Direction::Receive {
                let opening = Opening { kind: Kind::Sink, ..plan.opening() };
                let link = peer.dial(&opening)?;
                link.record_buffers(&opening, &mut found);
                nonblocking(&peer, &link)?;
                sending.push(Sending { link, position: 0, sent: 0, confirmed: 0, head: Vec::with_capacity(4096 + 8) });
            }
            if plan.direction != Direction::Send {
                let opening = Opening { kind: Kind::Source, ..plan.opening() };
                let link = peer.dial(&opening)?;
                nonblocking(&peer, &link)?;
                if plan.low_water > 0 {
                    super::system::set_low_water(&link.socket, plan.low_water);
                }
                link.record_buffers(&opening, &mut found);
                if !link.welcome.zero_copy {
                    zero_copy = false;
                    if plan.zero_copy {
                        found.insert("zero_copy_reason".into(), "the peer cannot".into());
                    }
                }
                receiving.push(Receiving { link, received: 0 });
            }
        }
        if plan.zero_copy {
            found.insert("zero_copy".into(), if zero_copy { "sendfile" } else { "off" }.into());
        }
        let cpus = sending.iter().map(|one| &one.link).chain(receiving.iter().map(|one| &one.link));
        let cpus = cpus.map(|link| link.welcome.cpus).max().unwrap_or(0);
        let bytes = vec![0x5A; if receiving.is_empty() { 0 } else { block(plan.request) }];
        Ok(Stream {
            peer,
            sending,
            receiving,
            message,
            zero_copy_file,
            block: bytes,
            last: (0, 0),
            counted_ns: 0,
            skipped: 0,
            readings: Pace::new(READ_EVERY_NS),
            conditions: found,
            account: Account::new("s/B", cpus),
        })
    }

    /// Go on until something new is counted.
    fn until_counted(&mut self) -> Result<(), Failure> {
        loop {
            match self.round()? {
                Round::Counted => return Ok(()),
                Round::Moved => {}
                Round::Still => self.wait()?,
            }
        }
    }

    /// Try every connection once.
    fn round(&mut self) -> Result<Round, Failure> {
        let mut round = Round::Still;
        for one in &mut self.sending {
            if one.push(&self.peer, &self.message, self.zero_copy_file.as_ref())? {
                round = Round::Moved;
            }
            if one.take_confirmations(&self.peer)? {
                round = Round::Counted;
            }
        }
        for one in &mut self.receiving {
            let read = one.pull(&self.peer, &mut self.block, &mut self.last)?;
            if read > 0 {
                // Where we also send, it is the confirmations that come at moments when all was just counted.
                if self.sending.is_empty() {
                    round = Round::Counted;
                } else if round == Round::Still {
                    round = Round::Moved;
                }
            }
        }
        Ok(round)
    }

    fn wait(&self) -> Result<(), Failure> {
        let both = PollFlags::IN | PollFlags::OUT;
        if let ([one], []) = (&self.sending[..], &self.receiving[..]) {
            return self.peer.wait_for(&mut [PollFd::new(&one.link.socket, both)]);
        }
        let sending = self.sending.iter().map(|one| PollFd::new(&one.link.socket, both));
        let receiving = self.receiving.iter().map(|one| PollFd::new(&one.link.socket, PollFlags::IN));
        let mut all: Vec<PollFd<'_>> = sending.chain(receiving).collect();
        self.peer.wait_for(&mut all)
    }

    fn total(&self) -> u64 {
        let sent: u64 = self.sending.iter().map(|one| one.confirmed).sum();
        let received: u64 = self.receiving.iter().map(|one| one.received).sum();
        sent + received
    }

    /// After a pause: begin at a confirmation of something that was sent after it, and when all is read that had
    /// arrived before.
    fn begin(&mut self) -> Result<(), Failure> {
        let counted = self.total();
        for one in &mut self.receiving {
            // A peer that is as fast as we are could keep us reading for ever: what is more than the buffer holds has
            // arrived since.
            let most = super::system::buffers(&one.link.socket).1.max(1 << 20);
            let before = one.received;
            while one.received - before < most {
                if one.pull(&self.peer, &mut self.block, &mut self.last)? == 0 {
                    break;
                }
            }
        }
        let before: Vec<u64> = self.sending.iter().map(|one| one.sent).collect();
        loop {
            self.until_counted()?;
            if self.sending.iter().zip(&before).all(|(one, before)| one.confirmed > *before) {
                self.counted_ns = self.readings.resumed(self.total());
                self.skipped += self.total() - counted;
                return Ok(());
            }
        }
    }
}

fn nonblocking(peer: &Peer, link: &Link) -> Result<(), Failure> {
    link.socket.set_nonblocking(true).map_err(|cause| peer.broken(&cause))
}

impl Sending {
    /// Send until the socket takes no more or it is time to look for confirmations. Whether anything was sent.
    fn push(&mut self, peer: &Peer, message: &[u8], zero_copy_file: Option<&ZeroCopyFile>) -> Result<bool, Failure> {
        let mut pushed = 0;
        while pushed < LOOK {
            let sent = match zero_copy_file {
                None => (&self.link.socket).write(&message[self.position..]),
                Some(file) => file.send(&self.link.socket, self.position, message.len()),
            };
            match sent {
                Ok(sent) => {
                    self.position += sent;
                    if self.position == message.len() {
                        self.position = 0;
                    }
                    pushed += sent;
                }
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => break,
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(peer.broken(&cause)),
            }
        }
        self.sent += pushed as u64;
        Ok(pushed > 0)
    }

    /// Whether new confirmations were there.
    fn take_confirmations(&mut self, peer: &Peer) -> Result<bool, Failure> {
        let mut bytes = [0; 4096];
        let read = match read(&self.link, &mut bytes) {
            Ok(0) => return Err(peer.failed("closed the connection")),
            Ok(read) => read,
            Err(cause) if cause.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(cause) => return Err(peer.broken(&cause)),
        };
        self.head.extend_from_slice(&bytes[..read]);
        let whole = self.head.len() / 8;
        for index in 0..whole {
            let count = wire::number(&self.head, index);
            if count < self.confirmed || count > self.sent {
                let message = format!("confirmed {count} bytes of {}, after {}", self.sent, self.confirmed);
                return Err(peer.failed(&message));
            }
            self.confirmed = count;
        }
        self.head.drain(..whole * 8);
        Ok(whole > 0)
    }

    /// End the connection; returns the peer's processor time.
    fn finish(mut self, peer: &Peer) -> Result<u64, Failure> {
        let report = peer.hang_up(&mut self.link.socket, &mut |_| ())?;
        if report.bytes != self.sent {
            return Err(peer.failed(&format!("counted {} bytes of {} that were sent", report.bytes, self.sent)));
        }
        if report.faults > 0 {
            return Err(peer.failed("received other bytes than it was sent"));
        }
        Ok(report.cpu_ns)
    }
}

impl Receiving {
    /// Bytes that were there, at most a block of them. `last` tells where in the stream they stood, and how many.
    fn pull(&mut self, peer: &Peer, block: &mut [u8], last: &mut (u64, usize)) -> Result<usize, Failure> {
        match read(&self.link, block) {
            Ok(0) => Err(peer.failed("closed the connection")),
            Ok(read) => {
                *last = (self.received, read);
                self.received += read as u64;
                Ok(read)
            }
            Err(cause) if cause.kind() == ErrorKind::WouldBlock => Ok(0),
            Err(cause) => Err(peer.broken(&cause)),
        }
    }

    /// End the connection; returns its bytes and the peer's processor time.
    fn finish(mut self, peer: &Peer, size: usize) -> Result<(u64, u64), Failure> {
        let mut received = self.received;
        let report = peer.hang_up(&mut self.link.socket, &mut |block| received += block.len() as u64)?;
        received -= wire::REPORT as u64;
        if report.bytes != received || report.units.checked_mul(size as u64) != Some(received) {
            let message = format!("sent {} bytes, of which {received} have arrived", report.bytes);
            return Err(peer.failed(&message));
        }
        Ok((received, report.cpu_ns))
    }
}

fn read(link: &Link, block: &mut [u8]) -> io::Result<usize> {
    loop {
        match (&link.socket).read(block) {
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

impl Worker for Stream {
    fn continuous(&self) -> bool {
        true
    }

    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        if self.counted_ns == 0 {
            self.begin()?;
        }
        let (start_ns, before) = (self.counted_ns, self.total());
        self.readings.iterate();
        while !self.readings.may_end(repeats * REPEAT_NS) {
            self.until_counted()?;
            let total = self.total();
            if self.readings.due(total) {
                self.counted_ns = self.readings.happened(total);
            }
        }
        let stretch = Timed { start_ns, end_ns: self.counted_ns, work: self.total() - before };
        self.account.follow(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let (from, length) = self.last;
        if let Some(fault) = fault(&self.block[..length], from, &self.message) {
            return Err(self.peer.failed(&format!("sent other bytes than its pattern, from byte {fault} on")));
        }
        Ok(CheckValue::Bytes(self.total()))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.counted_ns = 0;
        self.account.reset_after_calibration();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let (mut total, mut remote_ns, mut counted) = (0, 0, 0);
        for one in self.sending.drain(..) {
            counted += one.confirmed;
            total += one.sent;
            remote_ns += one.finish(&self.peer)?;
        }
        for one in self.receiving.drain(..) {
            counted += one.received;
            let (received, cpu_ns) = one.finish(&self.peer, self.message.len())?;
            total += received;
            remote_ns += cpu_ns;
        }
        if self.account.made() + self.skipped != counted {
            let made = self.account.made();
            return Err(check_failed(format!(
                "the iterations counted {made} of {counted} bytes, and {} came before them",
                self.skipped
            )));
        }
        self.account.close(total, remote_ns)?;
        Ok(CheckValue::Bytes(total))
    }

    fn extras(&mut self) -> Extras {
        self.account.extras()
    }
}

/// The first byte of `block`, which begins at byte `from` of a stream of `message`s, that does not belong there.
pub(super) fn fault(block: &[u8], from: u64, message: &[u8]) -> Option<u64> {
    let size = message.len() as u64;
    let mut at = from;
    let mut rest = block;
    while !rest.is_empty() {
        let begin = usize::try_from(at % size).unwrap_or(0);
        let length = rest.len().min(message.len() - begin);
        if rest[..length] != message[begin..begin + length] {
            let wrong = rest.iter().zip(&message[begin..]).take_while(|(is, ought)| is == ought).count();
            return Some(at + wrong as u64);
        }
        at += length as u64;
        rest = &rest[length..];
    }
    None
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::tests::{plan, Serving};
    use super::super::wire::{Status, Welcome};
    use super::*;
    use rustix::net::{socketpair, AddressFamily, SocketFlags, SocketType};
    use std::net::TcpStream;
    use virtometer_protocol::Scalar::{Boolean, Integer};

    /// Each write to such a socket is one packet, whose length the other end can see.
    #[test]
    fn a_message_is_written_at_once() {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (near, far) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).unwrap();
        let peer = Peer { address: ([127, 0, 0, 1], 9).into(), control: Default::default() };
        let link = Link { socket: TcpStream::from(near), welcome: Welcome::refusal(Status::Welcome) };
        let mut one = Sending { link, position: 0, sent: 0, confirmed: 0, head: Vec::new() };
        assert!(one.push(&peer, &message(10_000).unwrap(), None).unwrap());
        let (mut block, mut lengths) = (vec![0; 20_000], Vec::new());
        while let Ok(length @ 1..) = rustix::io::read(&far, &mut block) {
            lengths.push(length);
        }
        assert_eq!(lengths.iter().sum::<usize>() as u64, one.sent);
        assert!(lengths.iter().all(|length| *length == 10_000), "{lengths:?}");
    }

    /// The copy in the program is spoiled: whoever sends it has not sent the file.
    #[test]
    fn what_is_sent_without_copying_is_the_file() {
        let server = Serving::begin();
        for zero_copy in [false, true] {
            let parameters = [("zero-copy", Boolean(zero_copy)), ("size", Integer(1024))];
            let mut stream = Stream::connect(&plan("stream", server.address, &parameters)).unwrap();
            stream.message[0] ^= 1;
            stream.run(1).unwrap();
            assert_eq!(stream.finish().is_ok(), zero_copy);
        }
        server.end();
    }
}
