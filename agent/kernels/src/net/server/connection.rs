//! One connection of the server, from its opening to its report.

use super::datagrams;
use super::opening::{refuse, welcome, CONFIRMED_EVERY_NS, OPENING_LIMIT};
use super::shared::{Reservation, Shared};
use crate::net::messages::{message, Messages, INSPECTION};
use crate::net::pace::Pace;
use crate::net::stream;
use crate::net::system::{self, PollFd, PollFlags, ZeroCopyFile};
use crate::net::wire::{self, Kind, Opening, PeerKind, Report, Status};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Most bytes that are compared with the pattern at a time.
const LOOK: usize = 4 << 10;

/// A source looks after so many bytes whether it is to end.
const POLL_EVERY: usize = 256 << 10;

/// Where a stream is read only when so many bytes have arrived, what lies there longer than this is read all the same.
const LOW_WATER_LIMIT: Duration = Duration::from_millis(50);

/// Serve a connection to its end. An error is for nobody: the other end misses its report.
pub(super) fn serve(socket: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut stream = socket;
    socket.set_nonblocking(false)?;
    socket.set_read_timeout(Some(OPENING_LIMIT))?;
    let (mut first, mut rest) = ([0; 8], [0; wire::OPENING - 8]);
    stream.read_exact(&mut first)?;
    match wire::peer_kind(first) {
        PeerKind::Unknown => return Ok(()),
        PeerKind::OtherVersion(_) => return refuse(socket, Status::NotUnderstood),
        PeerKind::SameVersion => stream.read_exact(&mut rest)?,
    }
    let Some(opening) = Opening::read(&rest) else {
        return refuse(socket, Status::NotUnderstood);
    };
    socket.set_read_timeout(None)?;
    // Confirmations never wait.
    socket.set_nodelay(!opening.delay || opening.kind == Kind::Sink)?;
    system::keep_alive(socket);
    // What was given instead is told.
    let _ = system::set_buffers(socket, opening.send_buffer, opening.receive_buffer);
    let needed = match opening.kind {
        Kind::Sink => stream::block(opening.request) + opening.request,
        Kind::Datagrams | Kind::DatagramEcho => 0,
        _ => 2 * (opening.request + opening.response),
    };
    let reservation = Reservation::take(shared, needed);
    if reservation.is_none() {
        return refuse(socket, Status::OutOfMemory);
    }
    let report = match opening.kind {
        Kind::Sink => sink(socket, &opening, shared),
        Kind::Source => source(socket, &opening),
        Kind::Echo => echo(socket, &opening, shared),
        Kind::Transactions => transactions(socket, &opening, shared),
        Kind::Datagrams | Kind::DatagramEcho => datagrams::serve_session(socket, &opening, shared),
    }?;
    stream.write_all(&report.bytes())
}

fn no_memory<E>(_: E) -> io::Error {
    io::ErrorKind::OutOfMemory.into()
}

/// Whether nothing came within the time that a read waits.
fn waited(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn sink(mut socket: &TcpStream, opening: &Opening, shared: &Shared) -> io::Result<Report> {
    let expected = message(opening.request).map_err(no_memory)?;
    let mut block = vec![0x5A; stream::block(opening.request)];
    if opening.low_water > 0 {
        socket.set_read_timeout(Some(LOW_WATER_LIMIT))?;
        system::set_low_water(socket, opening.low_water);
    }
    welcome(socket, 0, false)?;
    let cpu_ns = system::thread_cpu_ns();
    let mut report = Report::default();
    let mut pace = Pace::new(CONFIRMED_EVERY_NS);
    loop {
        let read = match socket.read(&mut block) {
            Ok(0) => break,
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted || waited(&cause) => continue,
            Err(cause) => return Err(cause),
        };
        let from = report.bytes;
        report.bytes += read as u64;
        shared.received.fetch_add(read as u64, Ordering::Relaxed);
        if pace.due(report.bytes) {
            socket.write_all(&report.bytes.to_le_bytes())?;
            pace.happened(report.bytes);
            let looked_at = &block[..read.min(LOOK)];
            report.faults += u64::from(stream::fault(looked_at, from, &expected).is_some());
        }
    }
    report.units = report.bytes / opening.request as u64;
    report.cpu_ns = system::thread_cpu_ns() - cpu_ns;
    Ok(report)
}

fn source(mut socket: &TcpStream, opening: &Opening) -> io::Result<Report> {
    let message = message(opening.request).map_err(no_memory)?;
    let zero_copy_file = if opening.zero_copy { ZeroCopyFile::new(&message).ok() } else { None };
    welcome(socket, 0, zero_copy_file.is_some())?;
    let cpu_ns = system::thread_cpu_ns();
    let mut report = Report::default();
    let mut unseen = 0;
    loop {
        let mut sent = 0;
        while sent < message.len() {
            let more = match &zero_copy_file {
                None => socket.write(&message[sent..]),
                Some(file) => file.send(socket, sent, message.len()),
            };
            match more {
                Ok(more) => sent += more,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        report.bytes += sent as u64;
        report.units += 1;
        unseen += sent;
        // The other end sends nothing but its end.
        if unseen >= POLL_EVERY && system::poll(&mut [PollFd::new(&socket, PollFlags::IN)], Some(0))? > 0 {
            break;
        }
        unseen %= POLL_EVERY;
    }
    report.cpu_ns = system::thread_cpu_ns() - cpu_ns;
    Ok(report)
}

/// The answers to requests with their numbers, which count up from 1.
struct Answers {
    messages: Messages,
    request: Vec<u8>,
    report: Report,
}

impl Answers {
    fn new(opening: &Opening) -> io::Result<Self> {
        let messages = Messages::new(opening.request, opening.response).map_err(no_memory)?;
        Ok(Answers { messages, request: vec![0; opening.request], report: Report::default() })
    }

    /// The answer to the request that has been read.
    #[inline]
    fn answer(&mut self) -> &[u8] {
        let Answers { messages, request, report } = self;
        report.units += 1;
        report.bytes += request.len() as u64;
        messages.stamp(report.units);
        let stamped = request.len().min(8);
        // All of it now and then, its number always.
        let looked_at = if report.units % INSPECTION == 1 { request.len() } else { stamped };
        report.faults += u64::from(request[..looked_at] != messages.request[..looked_at]);
        &messages.response
    }
}

fn echo(mut socket: &TcpStream, opening: &Opening, shared: &Shared) -> io::Result<Report> {
    let mut answers = Answers::new(opening)?;
    welcome(socket, 0, false)?;
    let cpu_ns = system::thread_cpu_ns();
    loop {
        // The end of the stream is right only between two requests.
        let first = match socket.read(&mut answers.request) {
            Ok(0) => break,
            Ok(read) => read,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => return Err(cause),
        };
        if first < opening.request {
            socket.read_exact(&mut answers.request[first..])?;
        }
        socket.write_all(answers.answer())?;
        shared.received.fetch_add(opening.request as u64, Ordering::Relaxed);
    }
    Ok(Report { cpu_ns: system::thread_cpu_ns() - cpu_ns, ..answers.report })
}

fn transactions(socket: &TcpStream, opening: &Opening, shared: &Shared) -> io::Result<Report> {
    let mut answers = Answers::new(opening)?;
    let listener = TcpListener::bind((socket.local_addr()?.ip(), 0)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok((listener, port))
    });
    let (listener, port) = match listener {
        Ok(found) => found,
        Err(cause) => {
            refuse(socket, Status::NoSocket)?;
            return Err(cause);
        }
    };
    welcome(socket, u64::from(port), false)?;
    let cpu_ns = system::thread_cpu_ns();
    loop {
        let mut ready = [PollFd::new(&socket, PollFlags::IN), PollFd::new(&listener, PollFlags::IN)];
        if system::poll(&mut ready, None)? == 0 {
            continue;
        }
        if ready[1].revents().is_empty() {
            // The other end sends nothing but its end.
            break;
        }
        let mut one = match listener.accept() {
            Ok((one, _)) => one,
            Err(cause) if matches!(cause.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted) => {
                continue
            }
            Err(cause) => return Err(cause),
        };
        one.set_nonblocking(false)?;
        one.set_read_timeout(Some(OPENING_LIMIT))?;
        // One that fails shows at the other end.
        if one.read_exact(&mut answers.request).is_ok() {
            let _ = one.write_all(answers.answer());
            shared.received.fetch_add(opening.request as u64, Ordering::Relaxed);
        }
    }
    Ok(Report { cpu_ns: system::thread_cpu_ns() - cpu_ns, ..answers.report })
}
