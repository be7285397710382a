//! The answer to an opening: a welcome or a refusal.

use crate::net::system;
use crate::net::wire::{Status, Welcome};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use virtometer_sampling::allowed_cpus;

/// How long a new connection may take to say what it wants, and a transaction to send its request. A slow emulator
/// makes the thousand connections of a test in longer than five seconds.
pub(super) const OPENING_LIMIT: Duration = Duration::from_secs(if cfg!(test) { 60 } else { 5 });

/// Time between two confirmations, ns.
pub(super) const CONFIRMED_EVERY_NS: u64 = 4_000_000;

/// Tell the other end what its connection was given. `extra` is the port or the session that belongs to it.
pub(super) fn welcome(mut socket: &TcpStream, extra: u64, zero_copy: bool) -> io::Result<()> {
    let (send_buffer, receive_buffer) = system::buffers(socket);
    let cpus = allowed_cpus().len() as u64;
    let low_water = system::low_water(socket);
    let welcome = Welcome { status: Status::Welcome, cpus, send_buffer, receive_buffer, low_water, zero_copy, extra };
    socket.write_all(&welcome.bytes())
}

/// Tell the other end why it is not served, and close.
pub(super) fn refuse(mut socket: &TcpStream, status: Status) -> io::Result<()> {
    socket.write_all(&Welcome::refusal(status).bytes())?;
    socket.shutdown(std::net::Shutdown::Write)?;
    // What the other end has sent is read: closing over it would take the answer back.
    socket.set_read_timeout(Some(OPENING_LIMIT))?;
    let mut unread = [0; 256];
    while socket.read(&mut unread)? > 0 {}
    Ok(())
}
