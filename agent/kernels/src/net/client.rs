//! The end that sends.

use super::wire::{self, Kind};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::{now_ns, timed, CheckValue, Control, Stretch as Timed, Worker};

/// How long a peer may be silent before it is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often a waiting client looks whether it is to stop.
const GLANCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };

/// One repeat of a stream lasts at least so long.
const REPEAT_NS: u64 = 10_000_000;

/// Bytes after which a client that never has to wait looks for confirmations.
const LOOK: usize = 256 << 10;

fn peer_failed(peer: SocketAddr, said: &str) -> Failure {
    Failure::new(Code::PeerFailed, format!("the peer {peer} {said}"))
}

fn broken(peer: SocketAddr, cause: &io::Error) -> Failure {
    match cause.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            peer_failed(peer, &format!("was silent for {} s", PATIENCE.as_secs()))
        }
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            peer_failed(peer, "closed the connection")
        }
        _ => {
            let said = cause.to_string();
            peer_failed(peer, &format!("cannot be reached: {}", said.split(" (os error").next().unwrap_or("")))
        }
    }
}

fn connect(peer: SocketAddr, kind: Kind, size: usize) -> Result<TcpStream, Failure> {
    let refused = |cause: io::Error| match cause.kind() {
        ErrorKind::ConnectionRefused => peer_failed(peer, "refused the connection; does an agent serve there?"),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => peer_failed(peer, "does not answer"),
        _ => broken(peer, &cause),
    };
    let mut socket = TcpStream::connect_timeout(&peer, PATIENCE).map_err(refused)?;
    let mut answer = [0; 8];
    let greeted = (|| {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        socket.write_all(&wire::opening(kind, size))?;
        socket.read_exact(&mut answer)
    })();
    if greeted.is_err() || answer != wire::WELCOME {
        return Err(peer_failed(peer, "does not answer as an agent of this version that serves"));
    }
    Ok(socket)
}

/// Close our direction and return the count that the server ends with.
fn final_count(peer: SocketAddr, socket: &mut TcpStream, mut head: Vec<u8>) -> Result<u64, Failure> {
    let failed = |cause: io::Error| broken(peer, &cause);
    socket.set_nonblocking(false).map_err(failed)?;
    socket.shutdown(Shutdown::Write).map_err(failed)?;
    socket.read_to_end(&mut head).map_err(failed)?;
    let mut last = [0; 8];
    match head.chunks_exact(8).last() {
        Some(bytes) if head.len() % 8 == 0 => last.copy_from_slice(bytes),
        _ => return Err(peer_failed(peer, "closed the connection without its count")),
    }
    let last = u64::from_le_bytes(last);
    if last & wire::FINAL == 0 {
        return Err(peer_failed(peer, "closed the connection without its count"));
    }
    Ok(last & !wire::FINAL)
}

/// Sends messages as fast as the peer takes them.
pub(super) struct Stream {
    peer: SocketAddr,
    control: Arc<Control>,
    socket: TcpStream,
    message: Vec<u8>,
    /// How much of the message under way is sent.
    position: usize,
    sent: u64,
    confirmed: u64,
    /// When the last confirmation arrived, ns; 0 before the first iteration.
    confirmed_ns: u64,
    /// The beginning of a counter that has not arrived as a whole.
    head: Vec<u8>,
}

impl Stream {
    pub(super) fn connect(peer: SocketAddr, size: usize, control: Arc<Control>) -> Result<Self, Failure> {
        let socket = connect(peer, Kind::Stream, size)?;
        socket.set_nonblocking(true).map_err(|cause| broken(peer, &cause))?;
        Ok(Stream {
            peer,
            control,
            socket,
            message: vec![0x5A; size],
            position: 0,
            sent: 0,
            confirmed: 0,
            confirmed_ns: 0,
            head: Vec::with_capacity(4096 + 8),
        })
    }

    /// Send until a confirmation arrives; its time is then in `confirmed_ns`.
    fn until_confirmed(&mut self) -> Result<(), Failure> {
        let mut unseen = 0;
        loop {
            match self.socket.write(&self.message[self.position..]) {
                Ok(written) => {
                    self.position += written;
                    if self.position == self.message.len() {
                        self.position = 0;
                    }
                    self.sent += written as u64;
                    unseen += written;
                    if unseen < LOOK {
                        continue;
                    }
                }
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => self.wait()?,
                Err(cause) => return Err(broken(self.peer, &cause)),
            }
            unseen = 0;
            if self.take_confirmations()? {
                return Ok(());
            }
        }
    }

    /// Wait until the socket takes or has something.
    fn wait(&self) -> Result<(), Failure> {
        let begun = now_ns();
        loop {
            let mut sockets = [PollFd::new(&self.socket, PollFlags::IN | PollFlags::OUT)];
            match poll(&mut sockets, Some(&GLANCE)) {
                Ok(0) => {}
                Ok(_) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(errno) => return Err(broken(self.peer, &errno.into())),
            }
            if self.control.stopped() {
                return Err(peer_failed(self.peer, "took nothing when the run was stopped"));
            }
            if u128::from(now_ns() - begun) > PATIENCE.as_nanos() {
                return Err(broken(self.peer, &ErrorKind::TimedOut.into()));
            }
        }
    }

    /// Whether new confirmations were there.
    fn take_confirmations(&mut self) -> Result<bool, Failure> {
        let mut bytes = [0; 4096];
        let read = match self.socket.read(&mut bytes) {
            Ok(0) => return Err(peer_failed(self.peer, "closed the connection")),
            Ok(read) => read,
            Err(cause) if cause.kind() == ErrorKind::WouldBlock => return Ok(false),
            Err(cause) => return Err(broken(self.peer, &cause)),
        };
        let now = now_ns();
        self.head.extend_from_slice(&bytes[..read]);
        let whole = self.head.len() / 8 * 8;
        let mut new = false;
        for counter in self.head[..whole].chunks_exact(8) {
            let mut count = [0; 8];
            count.copy_from_slice(counter);
            let count = u64::from_le_bytes(count);
            if count < self.confirmed || count > self.sent {
                return Err(peer_failed(
                    self.peer,
                    &format!("confirmed {count} bytes of {}, after {}", self.sent, self.confirmed),
                ));
            }
            self.confirmed = count;
            new = true;
        }
        self.head.drain(..whole);
        if new {
            self.confirmed_ns = now;
        }
        Ok(new)
    }
}

impl Worker for Stream {
    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        if self.confirmed_ns == 0 {
            // After a pause: begin at a confirmation of something that was sent after it.
            let before = self.sent;
            while self.confirmed_ns == 0 || self.confirmed <= before {
                self.until_confirmed()?;
            }
        }
        let (start_ns, before) = (self.confirmed_ns, self.confirmed);
        let end_ns = start_ns + repeats * REPEAT_NS;
        while self.confirmed_ns < end_ns {
            self.until_confirmed()?;
        }
        Ok(Timed { start_ns, end_ns: self.confirmed_ns, work: self.confirmed - before })
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Bytes(self.confirmed))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.confirmed_ns = 0;
        Ok(())
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let head = std::mem::take(&mut self.head);
        let count = final_count(self.peer, &mut self.socket, head)?;
        if count != self.sent {
            return Err(peer_failed(self.peer, &format!("counted {count} bytes of {} that were sent", self.sent)));
        }
        Ok(CheckValue::Bytes(count))
    }
}

/// Sends a message and waits for it to come back.
pub(super) struct Exchange {
    peer: SocketAddr,
    socket: TcpStream,
    message: Vec<u8>,
    answer: Vec<u8>,
    done: u64,
}

impl Exchange {
    pub(super) fn connect(peer: SocketAddr, size: usize) -> Result<Self, Failure> {
        let socket = connect(peer, Kind::Exchange, size)?;
        Ok(Exchange { peer, socket, message: vec![0; size], answer: vec![0; size], done: 0 })
    }
}

impl Worker for Exchange {
    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        let Exchange { socket, message, answer, done, peer } = self;
        timed(repeats, || {
            for _ in 0..repeats {
                *done += 1;
                let number = done.to_le_bytes();
                let length = message.len().min(8);
                message[..length].copy_from_slice(&number[..length]);
                socket.write_all(message).and_then(|()| socket.read_exact(answer))?;
            }
            Ok(())
        })
        .map_err(|cause| broken(*peer, &cause))
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        if self.answer != self.message {
            return Err(peer_failed(self.peer, "sent back other bytes than it was sent"));
        }
        Ok(CheckValue::Count(self.done))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let count = final_count(self.peer, &mut self.socket, Vec::new())?;
        if count != self.done {
            return Err(peer_failed(
                self.peer,
                &format!("counted {count} round trips of {} that were made", self.done),
            ));
        }
        Ok(CheckValue::Count(count))
    }
}
