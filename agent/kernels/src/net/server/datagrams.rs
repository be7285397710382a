//! Datagrams of all sessions, on one thread. A session is opened and ended by a connection.

use super::opening::{refuse, welcome, CONFIRMED_EVERY_NS};
use super::sessions::{Entry, Session};
use super::shared::Shared;
use crate::net::messages::message;
use crate::net::pace::Pace;
use crate::net::system::{self, End, PollFd, PollFlags};
use crate::net::wire::{self, Kind, Opening, Report, Status, HEAD, LARGEST_DATAGRAM};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, ErrorKind, Read};
use std::net::{TcpStream, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::Duration;
use virtometer_sampling::now_ns;

/// After the end of a session datagrams may be on the way for so long after the last one that arrived, ns.
const LATE_NS: u64 = 100_000_000;

/// How often that is looked at.
const STEP: Duration = Duration::from_millis(10);

/// And for so long in all, ns.
const LATEST_NS: u64 = 2_000_000_000;

/// Every how many datagrams the thread notes its processor time.
const NOTE: u64 = 64;

/// Open a session, and report what has arrived when the other end is done.
pub(super) fn serve_session(mut socket: &TcpStream, opening: &Opening, shared: &Shared) -> io::Result<Report> {
    let sessions = &shared.sessions;
    let longest = opening.request.max(opening.response) as u64;
    if !sessions.served || longest > LARGEST_DATAGRAM || opening.request.min(opening.response) < HEAD {
        refuse(socket, if sessions.served { Status::NotUnderstood } else { Status::NoSocket })?;
        return Err(ErrorKind::Unsupported.into());
    }
    let response = message(opening.response).map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
    // Random: a datagram of an earlier session must not count for this one.
    let number = RandomState::new().build_hasher().finish();
    let session = Session {
        opening: *opening,
        response,
        pace: Pace::new(CONFIRMED_EVERY_NS),
        report: Report::default(),
        next: 0,
    };
    sessions.open().insert(number, session);
    let _entry = Entry { sessions, number };
    let (handled, cpu_ns) = (sessions.handled.load(Ordering::Relaxed), sessions.cpu_ns.load(Ordering::Relaxed));
    welcome(socket, number, false)?;
    let mut sent = [0; 8];
    socket.read_exact(&mut sent)?;
    let (sent, end_ns) = (u64::from_le_bytes(sent), now_ns() + LATEST_NS);
    let (mut units, mut since_ns) = (0, now_ns());
    let report = loop {
        let report = sessions.open().get(&number).map(|session| session.report).ok_or(ErrorKind::NotFound)?;
        let now = now_ns();
        if report.units != units {
            (units, since_ns) = (report.units, now);
        }
        if units >= sent || now - since_ns > LATE_NS || now > end_ns {
            break report;
        }
        std::thread::sleep(STEP);
    };
    // Of what the thread used, this session's share.
    let all = (sessions.handled.load(Ordering::Relaxed) - handled).max(1);
    let used = sessions.cpu_ns.load(Ordering::Relaxed) - cpu_ns;
    let share = u128::from(used) * u128::from(report.units) / u128::from(all);
    Ok(Report { cpu_ns: u64::try_from(share).unwrap_or(0), ..report })
}

/// Receive until `end` is ready.
pub(super) fn serve(socket: &UdpSocket, end: &End, shared: &Shared) {
    let sessions = &shared.sessions;
    let mut block = vec![0; 1 << 16];
    // Pages that are there, and what datagrams hold.
    let largest = usize::try_from(LARGEST_DATAGRAM).unwrap_or(0);
    let pattern = message(largest).unwrap_or_default();
    loop {
        let mut ready = [PollFd::new(socket, PollFlags::IN), PollFd::new(end, PollFlags::empty())];
        if system::poll(&mut ready, None).is_err() || !ready[1].revents().is_empty() {
            return;
        }
        loop {
            let (length, from) = match socket.recv_from(&mut block) {
                Ok(arrived) => arrived,
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => break,
                // A peer has closed its port: that is told by an error here, once.
                Err(cause) if cause.kind() == ErrorKind::ConnectionRefused => continue,
                Err(_) => break,
            };
            shared.received.fetch_add(length as u64, Ordering::Relaxed);
            let handled = sessions.handled.fetch_add(1, Ordering::Relaxed);
            if handled.is_multiple_of(NOTE) {
                sessions.cpu_ns.store(system::thread_cpu_ns(), Ordering::Relaxed);
            }
            if length < HEAD {
                continue;
            }
            let mut open = sessions.open();
            let Some(session) = open.get_mut(&wire::number(&block, 0)) else {
                continue;
            };
            session.count(&block[..length], &pattern);
            // What cannot be sent is lost, as any datagram may be.
            match session.opening.kind {
                Kind::DatagramEcho => {
                    session.response[..HEAD].copy_from_slice(&block[..HEAD]);
                    let _ = socket.send_to(&session.response, from);
                    // The next request comes after this answer.
                    break;
                }
                _ if session.pace.due(session.report.bytes) => {
                    let mut confirmation = [0; 24];
                    let counts = [wire::number(&block, 0), session.report.bytes, session.report.units];
                    wire::put(&counts, &mut confirmation);
                    let _ = socket.send_to(&confirmation, from);
                    session.pace.happened(session.report.bytes);
                }
                _ => {}
            }
        }
    }
}
