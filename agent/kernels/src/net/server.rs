//! The end that receives: every connection on a thread of its own.

use super::wire::{self, Kind};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::pipe::{pipe_with, PipeFlags};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::io::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, os_failure, CheckValue, Control, Stretch, Worker};

/// How long a new connection may take to say what it wants.
const OPENING_LIMIT: Duration = Duration::from_secs(5);

/// Most connections at once.
const MOST_CONNECTIONS: usize = 256;

/// Stack of a connection's thread, bytes.
const STACK: usize = 128 << 10;

/// Bytes read at once.
const BLOCK: usize = 256 << 10;

/// Bytes between two confirmations: adapted so that one is sent about every millisecond.
const CLOSEST: u64 = 4 << 10;
const WIDEST: u64 = 16 << 20;
const CONFIRMATION_NS: u64 = 1_000_000;

#[derive(Default)]
struct Shared {
    received: AtomicU64,
    /// Sockets of the connections that are open, to be shut when the server ends.
    open: Mutex<Vec<(u64, TcpStream)>>,
}

impl Shared {
    fn open(&self) -> std::sync::MutexGuard<'_, Vec<(u64, TcpStream)>> {
        // The list is whole whatever happened to the thread that held it.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens from the moment it is built until it is dropped.
pub(super) struct Server {
    control: Arc<Control>,
    address: SocketAddr,
    shared: Arc<Shared>,
    /// Closing it ends the thread that accepts.
    alive: Option<OwnedFd>,
    acceptor: Option<JoinHandle<()>>,
    received: u64,
}

impl Server {
    pub(super) fn new(address: SocketAddr, control: Arc<Control>) -> Result<Self, Failure> {
        let failed = |cause: io::Error| os_failure(&format!("cannot listen on {address}"), &cause);
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (end, alive) = pipe_with(PipeFlags::CLOEXEC).map_err(|errno| failed(errno.into()))?;
        let shared = Arc::new(Shared::default());
        let acceptor = std::thread::Builder::new()
            .name("accept".into())
            .stack_size(STACK)
            .spawn({
                let shared = shared.clone();
                move || accept(&listener, &end, &shared)
            })
            .map_err(failed)?;
        Ok(Server { control, address, shared, alive: Some(alive), acceptor: Some(acceptor), received: 0 })
    }

    fn close(&mut self) {
        self.alive = None;
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
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

    fn after(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Bytes(self.received))
    }

    fn complete(&self) -> Option<bool> {
        // Never by itself, whatever the window is.
        Some(false)
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("address".to_owned(), self.address.to_string())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.close();
        Ok(CheckValue::Bytes(self.received))
    }
}

fn accept(listener: &TcpListener, end: &OwnedFd, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for number in 0u64.. {
        let mut ready = [PollFd::new(listener, PollFlags::IN), PollFd::new(end, PollFlags::empty())];
        match poll(&mut ready, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => break,
        }
        if !ready[1].revents().is_empty() {
            break;
        }
        let socket = match listener.accept() {
            Ok((socket, _)) => socket,
            // The client has gone again, or there are no descriptors left: the next one may fare better.
            Err(_) => continue,
        };
        threads.retain(|thread| !thread.is_finished());
        if threads.len() >= MOST_CONNECTIONS {
            continue;
        }
        match socket.try_clone() {
            Ok(copy) => shared.open().push((number, copy)),
            Err(_) => continue,
        }
        let here = shared.clone();
        let thread = std::thread::Builder::new().name("connection".into()).stack_size(STACK).spawn(move || {
            // The other end learns of a failure from its missing final count.
            let _ = serve(socket, &here);
            here.open().retain(|(other, _)| *other != number);
        });
        match thread {
            Ok(thread) => threads.push(thread),
            Err(_) => shared.open().retain(|(other, _)| *other != number),
        }
    }
    for (_, socket) in shared.open().iter() {
        let _ = socket.shutdown(Shutdown::Both);
    }
    for thread in threads {
        let _ = thread.join();
    }
}

fn serve(mut socket: TcpStream, shared: &Shared) -> io::Result<()> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(OPENING_LIMIT))?;
    let mut opening = [0; wire::OPENING];
    socket.read_exact(&mut opening)?;
    let (kind, size) = match wire::read_opening(&opening) {
        Some(wish) => wish,
        None => return Ok(()),
    };
    socket.set_read_timeout(None)?;
    socket.write_all(&wire::WELCOME)?;
    let count = match kind {
        Kind::Stream => receive(&mut socket, shared)?,
        Kind::Exchange => answer(&mut socket, size, shared)?,
    };
    socket.write_all(&(count | wire::FINAL).to_le_bytes())
}

fn receive(socket: &mut TcpStream, shared: &Shared) -> io::Result<u64> {
    let mut block = vec![0; BLOCK];
    let (mut count, mut confirmed, mut confirmed_ns) = (0u64, 0u64, 0u64);
    let mut distance = 16 * CLOSEST;
    loop {
        let read = match socket.read(&mut block) {
            Ok(0) => return Ok(count),
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(cause),
        };
        count += read as u64;
        shared.received.fetch_add(read as u64, Ordering::Relaxed);
        if count - confirmed >= distance {
            socket.write_all(&count.to_le_bytes())?;
            let now = now_ns();
            match now - confirmed_ns {
                quick if quick < CONFIRMATION_NS / 2 => distance = (distance * 2).min(WIDEST),
                slow if slow > CONFIRMATION_NS * 2 => distance = (distance / 2).max(CLOSEST),
                _ => {}
            }
            (confirmed, confirmed_ns) = (count, now);
        }
    }
}

fn answer(socket: &mut TcpStream, size: usize, shared: &Shared) -> io::Result<u64> {
    let mut message = vec![0; size];
    let mut count = 0;
    loop {
        // The end of the stream is right only between two messages.
        let first = match socket.read(&mut message) {
            Ok(0) => return Ok(count),
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(cause),
        };
        socket.read_exact(&mut message[first..])?;
        socket.write_all(&message)?;
        count += 1;
        shared.received.fetch_add(size as u64, Ordering::Relaxed);
    }
}
