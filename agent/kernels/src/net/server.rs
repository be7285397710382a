//! The end that serves: every connection on a thread of its own, all datagrams on one.

mod connection;
mod datagrams;
mod opening;
mod sessions;
mod shared;

use super::system::{self, End, PollFd, PollFlags, Reserve};
use super::wire::{Status, Welcome};
use sessions::Sessions;
use shared::Shared;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, os_failure, CheckValue, Control, Stretch, Worker};

/// Most connections at once.
const MOST_CONNECTIONS: usize = 1024;

/// Stack of a connection's thread, bytes.
const STACK: usize = 128 << 10;

/// Connections that were turned away are kept for so long, so that the answer reaches the other end, ns.
const PENDING_CLOSE_NS: u64 = 1_000_000_000;

/// At most so many of them.
const MOST_PENDING_CLOSES: usize = 32;

/// After a failure to accept, ns.
const PAUSE_NS: u64 = 10_000_000;

/// How long a thread whose connection is shut down may take to end where it may not hear of it, and how often to look.
const PATIENCE: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Listens from the moment it is built until it is dropped.
pub(super) struct Server {
    control: Arc<Control>,
    shared: Arc<Shared>,
    /// Closing it ends the threads that wait for connections and datagrams.
    alive: Option<End>,
    threads: Vec<JoinHandle<()>>,
    conditions: Conditions,
    received: u64,
}

impl Server {
    pub(super) fn new(address: SocketAddr, control: Arc<Control>) -> Result<Self, Failure> {
        let failed = |cause: io::Error| os_failure(&format!("cannot listen on {address}"), &cause);
        system::raise_open_files();
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let mut conditions = Conditions::from([("address".to_owned(), address.to_string())]);
        let datagrams = UdpSocket::bind(address).and_then(|socket| socket.set_nonblocking(true).map(|()| socket));
        let datagrams = match datagrams {
            Ok(socket) => Some(Arc::new(socket)),
            Err(cause) => {
                conditions.insert("datagrams".to_owned(), "refused".to_owned());
                let reason = os_failure("cannot receive datagrams on this port", &cause);
                conditions.insert("datagrams_reason".to_owned(), reason.message);
                None
            }
        };
        let (alive, end) = system::ending().map_err(failed)?;
        let end = Arc::new(end);
        let shared = Arc::new(Shared::new(Sessions::new(datagrams.is_some())));
        let mut server = Server {
            control,
            shared: shared.clone(),
            alive: Some(alive),
            threads: Vec::new(),
            conditions,
            received: 0,
        };
        let thread = |name: &str| std::thread::Builder::new().name(name.into()).stack_size(STACK);
        if let Some(socket) = datagrams {
            let (end, shared) = (end.clone(), shared.clone());
            let body = move || datagrams::serve(&socket, &end, &shared);
            server.threads.push(thread("datagrams").spawn(body).map_err(failed)?);
        }
        server.threads.push(thread("accept").spawn(move || accept(&listener, &end, &shared)).map_err(failed)?);
        Ok(server)
    }

    fn close(&mut self) {
        self.alive = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

impl Worker for Server {
    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let start_ns = now_ns();
        let before = self.shared.received.load(Ordering::Relaxed);
        self.control.wait_for_stop();
        self.received = self.shared.received.load(Ordering::Relaxed) - before;
        Ok(Stretch { start_ns, end_ns: now_ns(), work: self.received })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Bytes(self.received))
    }

    fn complete(&self) -> Option<bool> {
        // Never: it serves until it is stopped, whatever the window is.
        Some(false)
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.close();
        Ok(CheckValue::Bytes(self.received))
    }
}

/// Connections that were turned away, with the time at which they were.
#[derive(Default)]
struct PendingCloses(VecDeque<(u64, TcpStream)>);

impl PendingCloses {
    /// Tell the other end that there is no room. What it has sent stays unread; if the socket were closed at once, the
    /// answer would be lost with it.
    fn turn_away(&mut self, mut socket: TcpStream) {
        let told = socket.set_nonblocking(true).and_then(|()| {
            socket.write_all(&Welcome::refusal(Status::Full).bytes())?;
            socket.shutdown(Shutdown::Write)
        });
        if told.is_ok() {
            self.0.truncate(MOST_PENDING_CLOSES - 1);
            self.0.push_front((now_ns(), socket));
        }
    }

    /// Close those whose time is over. How long to wait for the next, ns.
    fn close(&mut self) -> Option<u64> {
        let now = now_ns();
        self.0.retain(|(since_ns, _)| now - since_ns < PENDING_CLOSE_NS);
        self.0.back().map(|(since_ns, _)| since_ns + PENDING_CLOSE_NS - now)
    }
}

fn accept(listener: &TcpListener, end: &End, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    let mut pending_closes = PendingCloses::default();
    // Given up for a moment when there are no descriptors left, so that who comes then can be turned away.
    let mut reserve = Reserve::take();
    for number in 0u64.. {
        let mut ready = [PollFd::new(end, PollFlags::empty()), PollFd::new(listener, PollFlags::IN)];
        if system::poll(&mut ready, pending_closes.close()).is_err() || !ready[0].revents().is_empty() {
            break;
        }
        if ready[1].revents().is_empty() {
            continue;
        }
        let socket = match listener.accept() {
            Ok((socket, _)) => socket,
            Err(cause) if matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted) => {
                continue
            }
            Err(_) => {
                pending_closes.0.clear();
                drop(reserve);
                if let Ok((socket, _)) = listener.accept() {
                    let _ = (&socket).write_all(&Welcome::refusal(Status::Full).bytes());
                }
                reserve = Reserve::take();
                // Others that wait must not keep this thread busy.
                let _ = system::poll(&mut [PollFd::new(end, PollFlags::empty())], Some(PAUSE_NS));
                continue;
            }
        };
        threads.retain(|thread| !thread.is_finished());
        if threads.len() >= MOST_CONNECTIONS {
            pending_closes.turn_away(socket);
            continue;
        }
        let socket = Arc::new(socket);
        shared.open().push((number, socket.clone()));
        let (here, own) = (shared.clone(), socket.clone());
        let thread = std::thread::Builder::new().name("connection".into()).stack_size(STACK).spawn(move || {
            // The other end learns of a failure from its missing report.
            let _ = connection::serve(&own, &here);
            here.open().retain(|(other, _)| *other != number);
        });
        match thread {
            Ok(thread) => threads.push(thread),
            Err(_) => {
                shared.open().retain(|(other, _)| *other != number);
                if let Ok(socket) = Arc::try_unwrap(socket) {
                    pending_closes.turn_away(socket);
                }
            }
        }
    }
    drop(reserve);
    for (_, socket) in shared.open().iter() {
        let _ = socket.shutdown(Shutdown::Both);
    }
    // Windows does not always wake a thread whose socket another one shuts down: such a thread is left to the end of
    // the process.
    let deadline = Instant::now() + PATIENCE;
    for thread in threads {
        while cfg!(windows) && !thread.is_finished() && Instant::now() < deadline {
            std::thread::sleep(POLL_INTERVAL);
        }
        if cfg!(unix) || thread.is_finished() {
            let _ = thread.join();
        }
    }
}
