//! A clock outside of this system: the client's half of the published studies' time server (Lemberger 2010, chapters
//! 2.3 and 3.2.1), over TCP or UDP. Each question carries a number that comes back with its answer.
//!
//! A thread that waits for an answer does not sleep: it would be woken late, and the clock of a guest that counts
//! instructions leaps ahead while the guest has nothing to do.

use crate::settings::wrong;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::{now_ns, Control};

/// How long a server may be silent before it is given up, by our own clock.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 10 });

/// A datagram that is not answered within this time is asked again: it may be lost.
const AGAIN: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 1000 });

/// Most bytes of an answer.
const LONGEST: usize = 64;

/// Where a time server listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Server {
    address: SocketAddr,
    datagrams: bool,
}

impl Server {
    /// `HOST:PORT` with a numeric address, or `udp:HOST:PORT`.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let (datagrams, place) = match text.strip_prefix("udp:") {
            Some(place) => (true, place),
            None => (false, text.strip_prefix("tcp:").unwrap_or(text)),
        };
        let local = place.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
        let address = local.as_deref().unwrap_or(place).parse().map_err(|_| {
            wrong(format!(
                "time-server is {text:?}, not a numeric address and a port such as 10.0.0.1:5005 or udp:10.0.0.1:5005"
            ))
        })?;
        Ok(Server { address, datagrams })
    }

    fn failed(self, said: &str) -> Failure {
        Failure::new(Code::PeerFailed, format!("the time server {} {said}", self.address))
    }

    /// What an error of the system means.
    fn broken(self, cause: &io::Error) -> Failure {
        match cause.kind() {
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::WriteZero
                if !self.datagrams =>
            {
                self.failed("closed the connection")
            }
            // A datagram to a port where nobody listens comes back as one of these.
            ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => self.failed("refuses; does one listen there?"),
            ErrorKind::TimedOut | ErrorKind::WouldBlock => self.failed("does not answer"),
            _ => {
                let said = cause.to_string();
                self.failed(&format!("cannot be reached: {}", said.split(" (os error").next().unwrap_or("")))
            }
        }
    }
}

enum Line {
    /// A connection, and what has arrived of the next answer.
    Stream(TcpStream, Vec<u8>),
    Datagrams(UdpSocket),
}

impl Line {
    fn open(server: Server, control: &Control) -> io::Result<Line> {
        if server.datagrams {
            let any: IpAddr = match server.address {
                SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
                SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
            };
            let socket = UdpSocket::bind((any, 0))?;
            socket.connect(server.address)?;
            socket.set_nonblocking(true)?;
            return Ok(Line::Datagrams(socket));
        }
        let begun = now_ns();
        let socket = loop {
            match TcpStream::connect_timeout(&server.address, AGAIN) {
                Err(cause) if is_late(&cause) && !control.stopped() && !since(begun, PATIENCE) => {}
                other => break other?,
            }
        };
        socket.set_nodelay(true)?;
        socket.set_nonblocking(true)?;
        Ok(Line::Stream(socket, Vec::new()))
    }

    fn send(&mut self, question: &[u8]) -> io::Result<()> {
        match self {
            Line::Stream(socket, _) => socket.write_all(question),
            Line::Datagrams(socket) => socket.send(question).map(drop),
        }
    }

    /// The next answer, its end included where it has one. `None`: more has to come.
    fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut buffer = [0; LONGEST];
        match self {
            Line::Stream(socket, rest) => {
                let read = socket.read(&mut buffer)?;
                if read == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
                rest.extend_from_slice(&buffer[..read]);
                // One question, one answer: what follows the end of a line belongs to it, and makes it wrong.
                let whole = rest.ends_with(b"\n") || rest.len() > LONGEST;
                Ok(whole.then(|| std::mem::take(rest)))
            }
            Line::Datagrams(socket) => socket.recv(&mut buffer).map(|read| Some(buffer[..read].to_vec())),
        }
    }
}

fn is_late(cause: &io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn since(begun_ns: u64, span: Duration) -> bool {
    u128::from(now_ns().saturating_sub(begun_ns)) > span.as_nanos()
}

/// One client of a time server. Says `quit` when it is dropped.
pub(super) struct ReferenceClock {
    server: Server,
    line: Line,
    control: Arc<Control>,
    /// Number of the last question.
    number: u64,
    /// The last answer.
    last_us: u64,
}

impl ReferenceClock {
    /// Connect. `peer-failed` where nobody answers.
    pub(super) fn reach(server: Server, control: Arc<Control>) -> Result<Self, Failure> {
        let line = Line::open(server, &control).map_err(|cause| server.broken(&cause))?;
        Ok(ReferenceClock { server, line, control, number: 0, last_us: 0 })
    }

    /// Let the server's clock begin at 0 for us.
    pub(super) fn start(&mut self) -> Result<(), Failure> {
        self.last_us = 0;
        match self.ask("start")? {
            (said, _) if said == "start" => Ok(()),
            (said, _) => Err(self.nonsense("start", &said)),
        }
    }

    /// Microseconds since `start`. `None` where the question had to be repeated: nobody knows how old the answer is.
    pub(super) fn time_us(&mut self) -> Result<Option<u64>, Failure> {
        let (said, repeated) = self.ask("time")?;
        let us = if said.bytes().all(|byte| byte.is_ascii_digit()) { said.parse().ok() } else { None };
        let us: u64 = us.ok_or_else(|| self.nonsense("time", &said))?;
        if us < self.last_us {
            let last = self.last_us;
            return Err(self.server.failed(&format!("went backwards: {us} us after {last} us since the start")));
        }
        self.last_us = us;
        Ok((!repeated).then_some(us))
    }

    /// The fault of a clock that shows the same time before and after work.
    pub(super) fn stood_still(&self) -> Failure {
        let us = self.last_us;
        self.server
            .failed(&format!("showed {us} us before and after the work: its clock stands still or is too coarse"))
    }

    /// The answer without its number, and whether the question had to be repeated.
    fn ask(&mut self, command: &str) -> Result<(String, bool), Failure> {
        let begun = now_ns();
        let mut repeated = false;
        loop {
            self.number += 1;
            let question = format!("{command} {}\n", self.number);
            self.line.send(question.as_bytes()).map_err(|cause| self.server.broken(&cause))?;
            match self.answer(command, begun)? {
                Some(said) => return Ok((said, repeated)),
                None => repeated = true,
            }
        }
    }

    /// The answer to the last question. `None`: it is time to ask again.
    fn answer(&mut self, command: &str, begun: u64) -> Result<Option<String>, Failure> {
        let asked = now_ns();
        loop {
            match self.line.receive() {
                Ok(Some(bytes)) => {
                    let said = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                    let (what, number) = said.rsplit_once(' ').unwrap_or((&said, ""));
                    match number.parse::<u64>() {
                        Ok(number) if number == self.number => return Ok(Some(what.to_owned())),
                        // The answer to an earlier question, which was late.
                        Ok(number) if number < self.number && self.server.datagrams => {}
                        _ => return Err(self.nonsense(command, &said)),
                    }
                }
                Ok(None) => {}
                Err(cause) if is_late(&cause) => {
                    if self.control.stopped() {
                        return Err(self.server.failed("was silent when the run was stopped"));
                    }
                    if self.server.datagrams && since(asked, AGAIN) && !since(begun, PATIENCE) {
                        return Ok(None);
                    }
                    // For a server on the same processor.
                    std::thread::yield_now();
                }
                Err(cause) => return Err(self.server.broken(&cause)),
            }
            // Also for one that sends without end, but never the answer.
            if since(begun, PATIENCE) {
                return Err(self.server.failed(&format!("gave no answer for {} s", PATIENCE.as_secs())));
            }
        }
    }

    fn nonsense(&self, command: &str, said: &str) -> Failure {
        self.server.failed(&format!("answered {said:?} to `{command} {}`; is it a time server?", self.number))
    }
}

impl Drop for ReferenceClock {
    fn drop(&mut self) {
        let _ = self.line.send(b"quit\n");
    }
}
