//! Reaching the other end, and one clear sentence for everything that it may do wrong.

use super::system::{self, PollFd, PollFlags};
use super::wire::{self, Kind, Opening, PeerKind, Report, Status, Welcome};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{now_ns, Control};

/// How long a peer may be silent before it is given up.
pub(super) const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 10 });

/// How often a waiting client looks whether it is to stop.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// [`POLL_INTERVAL`] in nanoseconds.
pub(super) const POLL_INTERVAL_NS: u64 = 250_000_000;

/// The other end and what may stop us from waiting for it.
#[derive(Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    pub(super) control: Arc<Control>,
}

/// A connection that stands.
pub(super) struct Link {
    pub(super) socket: TcpStream,
    pub(super) welcome: Welcome,
}

impl Link {
    /// Record what the connection was given, where it was asked for something.
    pub(super) fn record_buffers(&self, opening: &Opening, found: &mut Conditions) {
        let (send, receive) = system::buffers(&self.socket);
        let mut record = |name: &str, bytes: u64| found.insert(name.to_owned(), bytes.to_string());
        if opening.send_buffer > 0 {
            record("send_buffer", send);
            record("peer_send_buffer", self.welcome.send_buffer);
        }
        if opening.receive_buffer > 0 {
            record("receive_buffer", receive);
            record("peer_receive_buffer", self.welcome.receive_buffer);
        }
        match opening.kind {
            Kind::Sink if opening.low_water > 0 => record("peer_receive_low_water", self.welcome.low_water),
            Kind::Source if opening.low_water > 0 => record("receive_low_water", system::low_water(&self.socket)),
            _ => None,
        };
    }
}

impl Peer {
    pub(super) fn failed(&self, said: &str) -> Failure {
        Failure::new(Code::PeerFailed, format!("the peer {} {said}", self.address))
    }

    /// What an error of a connection that stood means.
    pub(super) fn broken(&self, cause: &io::Error) -> Failure {
        match cause.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                self.failed(&format!("was silent for {} s", PATIENCE.as_secs()))
            }
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::WriteZero => self.failed("closed the connection"),
            ErrorKind::ConnectionRefused => self.failed("refuses what is sent to it; does the agent still serve?"),
            _ => self.failed(&format!("cannot be reached: {}", words(cause))),
        }
    }

    /// Connect and ask for what `opening` says. The socket blocks, at most for a [`POLL_INTERVAL`].
    pub(super) fn dial(&self, opening: &Opening) -> Result<Link, Failure> {
        let mut socket = self.connect(opening)?;
        let welcome = self.greet(&mut socket, opening)?;
        let refused = |what: &str| Err(self.failed(what));
        match welcome.status {
            Status::Welcome => Ok(Link { socket, welcome }),
            Status::Full => refused("serves as many connections as it can"),
            Status::NotUnderstood => refused("does not know what is asked of it; is it an earlier version?"),
            Status::OutOfMemory => refused("has no memory for messages of this size on so many connections"),
            Status::NoSocket => refused("cannot open a further socket for this operation"),
        }
    }

    fn connect(&self, opening: &Opening) -> Result<TcpStream, Failure> {
        let refused = |cause: io::Error| match cause.kind() {
            ErrorKind::ConnectionRefused => self.failed("refused the connection; does an agent serve there?"),
            ErrorKind::TimedOut | ErrorKind::WouldBlock => self.failed("does not answer"),
            _ => self.broken(&cause),
        };
        let socket =
            system::begin_connect(self.address, opening.send_buffer, opening.receive_buffer).map_err(refused)?;
        self.wait(&mut [PollFd::new(&socket, PollFlags::OUT)], "has not answered").map_err(|late| match late {
            Late::Silent => self.failed("does not answer"),
            Late::Failed(failure) => failure,
        })?;
        if let Some(cause) = socket.take_error().unwrap_or(None) {
            return Err(refused(cause));
        }
        let prepared = (|| {
            socket.set_nonblocking(false)?;
            socket.set_nodelay(!opening.delay)?;
            socket.set_read_timeout(Some(POLL_INTERVAL))?;
            socket.set_write_timeout(Some(POLL_INTERVAL))
        })();
        prepared.map_err(refused)?;
        Ok(socket)
    }

    fn greet(&self, socket: &mut TcpStream, opening: &Opening) -> Result<Welcome, Failure> {
        let stranger = || self.failed("does not answer as an agent that serves");
        let silent = |cause: Failure| match cause.message.contains("closed the connection") {
            true => self.failed(
                "closed the connection without an answer; it is no agent that serves, or one of an earlier version",
            ),
            false => cause,
        };
        let (mut first, mut rest) = ([0; 8], [0; wire::WELCOME - 8]);
        self.send(socket, &opening.bytes()).and_then(|()| self.receive(socket, &mut first)).map_err(silent)?;
        match wire::peer_kind(first) {
            PeerKind::Unknown => return Err(stranger()),
            PeerKind::OtherVersion(version) => {
                let ours = match wire::peer_kind(wire::HELLO) {
                    PeerKind::OtherVersion(ours) => ours,
                    _ => String::from_utf8_lossy(&wire::HELLO[6..7]).into_owned(),
                };
                let message = format!("speaks version {version} of the network's format, this agent speaks {ours}");
                return Err(self.failed(&message));
            }
            PeerKind::SameVersion => {}
        }
        self.receive(socket, &mut rest).map_err(silent)?;
        Welcome::read(&rest).ok_or_else(stranger)
    }

    /// Send all of `data` on a socket that blocks for a [`POLL_INTERVAL`].
    #[inline]
    pub(super) fn send(&self, socket: &mut TcpStream, data: &[u8]) -> Result<(), Failure> {
        let mut sent = match socket.write(data) {
            Ok(sent) if sent == data.len() => return Ok(()),
            Ok(sent) => sent,
            Err(cause) => self.go_on(&cause, now_ns())?,
        };
        let mut progress_ns = now_ns();
        while sent < data.len() {
            match socket.write(&data[sent..]) {
                Ok(more) => (sent, progress_ns) = (sent + more, now_ns()),
                Err(cause) => sent += self.go_on(&cause, progress_ns)?,
            }
        }
        Ok(())
    }

    /// Fill `data` from a socket that blocks for a [`POLL_INTERVAL`].
    #[inline]
    pub(super) fn receive(&self, socket: &mut TcpStream, data: &mut [u8]) -> Result<(), Failure> {
        let mut have = match socket.read(data) {
            Ok(have) if have == data.len() => return Ok(()),
            Ok(0) => return Err(self.broken(&ErrorKind::UnexpectedEof.into())),
            Ok(have) => have,
            Err(cause) => self.go_on(&cause, now_ns())?,
        };
        let mut progress_ns = now_ns();
        while have < data.len() {
            match socket.read(&mut data[have..]) {
                Ok(0) => return Err(self.broken(&ErrorKind::UnexpectedEof.into())),
                Ok(more) => (have, progress_ns) = (have + more, now_ns()),
                Err(cause) => have += self.go_on(&cause, progress_ns)?,
            }
        }
        Ok(())
    }

    /// 0 where an error means only that nothing has moved since `progress_ns`, which may go on for a while.
    pub(super) fn go_on(&self, cause: &io::Error, progress_ns: u64) -> Result<usize, Failure> {
        match cause.kind() {
            ErrorKind::Interrupted => Ok(0),
            ErrorKind::WouldBlock | ErrorKind::TimedOut => self.still_patient(progress_ns).map(|()| 0),
            _ => Err(self.broken(cause)),
        }
    }

    /// An error when the run is stopped, or nothing has moved since `progress_ns` for too long.
    pub(super) fn still_patient(&self, progress_ns: u64) -> Result<(), Failure> {
        if self.control.stopped() {
            return Err(self.failed("was silent when the run was stopped"));
        }
        if u128::from(now_ns().saturating_sub(progress_ns)) > PATIENCE.as_nanos() {
            return Err(self.broken(&ErrorKind::TimedOut.into()));
        }
        Ok(())
    }

    /// Wait until one of `sockets` is ready.
    pub(super) fn wait_for(&self, sockets: &mut [PollFd<'_>]) -> Result<(), Failure> {
        self.wait(sockets, "was silent").map_err(|late| match late {
            Late::Silent => self.broken(&ErrorKind::TimedOut.into()),
            Late::Failed(failure) => failure,
        })
    }

    fn wait(&self, sockets: &mut [PollFd<'_>], doing: &str) -> Result<(), Late> {
        // The clock is read only where nothing comes.
        let mut begun = None;
        loop {
            match system::poll(sockets, Some(POLL_INTERVAL_NS)) {
                Ok(0) => {}
                Ok(_) => return Ok(()),
                Err(cause) => return Err(Late::Failed(self.broken(&cause))),
            }
            if self.control.stopped() {
                return Err(Late::Failed(self.failed(&format!("{doing} when the run was stopped"))));
            }
            let begun = *begun.get_or_insert_with(now_ns);
            if u128::from(now_ns().saturating_sub(begun)) > PATIENCE.as_nanos() {
                return Err(Late::Silent);
            }
        }
    }

    /// Close our direction and read to the end. `data` sees all that arrives, the report included, which comes last.
    pub(super) fn hang_up(&self, socket: &mut TcpStream, data: &mut dyn FnMut(&[u8])) -> Result<Report, Failure> {
        let failed = |cause: io::Error| self.broken(&cause);
        socket.set_nonblocking(false).map_err(failed)?;
        socket.shutdown(Shutdown::Write).map_err(failed)?;
        let mut block = vec![0; 256 << 10];
        let mut tail: Vec<u8> = Vec::with_capacity(2 * wire::REPORT);
        let mut progress_ns = now_ns();
        loop {
            let read = match socket.read(&mut block) {
                Ok(0) => break,
                Ok(read) => read,
                // The run may have been stopped: that ends iterations, not the settling of accounts.
                Err(cause) if cause.kind() == ErrorKind::Interrupted => continue,
                Err(cause) if matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if u128::from(now_ns() - progress_ns) > PATIENCE.as_nanos() {
                        return Err(self.broken(&cause));
                    }
                    continue;
                }
                Err(cause) => return Err(self.broken(&cause)),
            };
            progress_ns = now_ns();
            data(&block[..read]);
            tail.extend_from_slice(&block[read.saturating_sub(wire::REPORT)..read]);
            tail.drain(..tail.len().saturating_sub(wire::REPORT));
        }
        Report::read(&tail).ok_or_else(|| self.failed("closed the connection without its count"))
    }
}

enum Late {
    Silent,
    Failed(Failure),
}

/// The system's words for an error, without its number.
pub(super) fn words(cause: &io::Error) -> String {
    let said = cause.to_string();
    said.split(" (os error").next().unwrap_or("").trim_end().trim_end_matches('.').to_owned()
}
