//! What the network asks of Linux beyond the standard library.

#![allow(unsafe_code)] // one option of sockets that no library names

use rustix::event::Timespec;
pub(super) use rustix::event::{PollFd, PollFlags};
use rustix::net::{sockopt, AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{pipe_with, PipeFlags};
use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use rustix::time::{clock_gettime, ClockId};
use std::fs::File;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::num::NonZeroU64;
use std::os::unix::io::{AsFd, AsRawFd, OwnedFd};
use std::time::Duration;

/// Wait until one of the sockets is ready, at most `limit_ns` where it is given. Returns how many are ready; none also
/// after a signal.
pub(super) fn poll(sockets: &mut [PollFd<'_>], limit_ns: Option<u64>) -> io::Result<usize> {
    let limit = limit_ns.map(|ns| Timespec {
        tv_sec: i64::try_from(ns / 1_000_000_000).unwrap_or(i64::MAX),
        tv_nsec: (ns % 1_000_000_000).try_into().unwrap_or(0),
    });
    match rustix::event::poll(sockets, limit.as_ref()) {
        Err(rustix::io::Errno::INTR) => Ok(0),
        ready => Ok(ready?),
    }
}

/// Let reading sleep until so many bytes are there. Where the system refuses, it wakes for every piece: [`low_water`]
/// tells what is in force.
pub(super) fn set_low_water(socket: &TcpStream, bytes: usize) {
    let bytes = libc::c_int::try_from(bytes).unwrap_or(libc::c_int::MAX);
    let size: libc::socklen_t = 4;
    let value = std::ptr::addr_of!(bytes).cast();
    // SAFETY: the option is an int of four bytes, which outlives the call.
    unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVLOWAT, value, size) };
}

/// Bytes that have to be there before reading wakes; 1 is a plain socket, 0 says that the system does not tell.
pub(super) fn low_water(socket: &TcpStream) -> u64 {
    let mut bytes: libc::c_int = 0;
    let mut size: libc::socklen_t = 4;
    let value = std::ptr::addr_of_mut!(bytes).cast();
    // SAFETY: the option is an int of four bytes, which is valid to write to.
    unsafe { libc::getsockopt(socket.as_raw_fd(), libc::SOL_SOCKET, libc::SO_RCVLOWAT, value, &mut size) };
    u64::try_from(bytes).unwrap_or(0)
}

/// Processor time of the calling thread, ns.
pub(super) fn thread_cpu_ns() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Let the calling thread's waits end when they should: by default the system may be late by 50 us to save power.
pub(super) fn wait_precisely() {
    // Where this is refused, the lateness shows in the measure of it.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Begin to connect with a socket that does not block; it is writable when it is connected or has failed.
pub(super) fn begin_connect(peer: SocketAddr, send_buffer: usize, receive_buffer: usize) -> io::Result<TcpStream> {
    let family = if peer.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    // Before connecting: the size of the window is settled with the connection.
    set_buffers(&socket, send_buffer, receive_buffer)?;
    match rustix::net::connect(&socket, &peer) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS | rustix::io::Errno::INTR) => Ok(TcpStream::from(socket)),
        Err(errno) => Err(errno.into()),
    }
}

/// Connect with a socket that blocks; connecting, sending and receiving give up after `limit`.
pub(super) fn connect(peer: SocketAddr, limit: Duration) -> io::Result<TcpStream> {
    let family = if peer.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    let limit = Some(limit);
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Send, limit)?;
    sockopt::set_socket_timeout(&socket, sockopt::Timeout::Recv, limit)?;
    rustix::net::connect(&socket, &peer)?;
    Ok(TcpStream::from(socket))
}

/// Ask for sizes of a socket's buffers, bytes; 0 asks for nothing.
pub(super) fn set_buffers(socket: &impl AsFd, send: usize, receive: usize) -> io::Result<()> {
    if send > 0 {
        sockopt::set_socket_send_buffer_size(socket, send)?;
    }
    if receive > 0 {
        sockopt::set_socket_recv_buffer_size(socket, receive)?;
    }
    Ok(())
}

/// Sizes of a socket's buffers for sending and receiving, bytes; 0 where the system does not say. Linux gives twice
/// what was asked for and uses half of it for its own administration.
pub(super) fn buffers(socket: &impl AsFd) -> (u64, u64) {
    let bytes = |size: rustix::io::Result<usize>| size.map_or(0, |size| size as u64);
    (bytes(sockopt::socket_send_buffer_size(socket)), bytes(sockopt::socket_recv_buffer_size(socket)))
}

/// Find out within about a minute when the other end is gone without a word.
pub(super) fn keep_alive(socket: &impl AsFd) {
    // Where one of them is refused, the end of the server still ends the connection.
    let _ = sockopt::set_socket_keepalive(socket, true);
    let _ = sockopt::set_tcp_keepidle(socket, Duration::from_secs(30));
    let _ = sockopt::set_tcp_keepintvl(socket, Duration::from_secs(10));
    let _ = sockopt::set_tcp_keepcnt(socket, 3);
}

/// Data in a file in memory, to be sent without copying it through the program.
pub(super) struct ZeroCopyFile(OwnedFd);

impl ZeroCopyFile {
    pub(super) fn new(data: &[u8]) -> io::Result<Self> {
        let file = File::from(rustix::fs::memfd_create("message", rustix::fs::MemfdFlags::CLOEXEC)?);
        io::Write::write_all(&mut &file, data)?;
        Ok(ZeroCopyFile(file.into()))
    }

    /// Send some of what lies between `from` and `to`; returns how many bytes.
    pub(super) fn send(&self, socket: &TcpStream, from: usize, to: usize) -> io::Result<usize> {
        let mut offset = from as u64;
        Ok(rustix::fs::sendfile(socket, &self.0, Some(&mut offset), to - from)?)
    }
}

/// Allow as many open files as the system lets this process have.
pub(super) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where this is refused, connections beyond the limit are turned away.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// Whether connecting has not ended within the limit of [`connect`].
pub(super) fn still_connecting(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(libc::EINPROGRESS)
}

/// Whether the system has no room for a datagram.
pub(super) fn no_room(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(libc::ENOBUFS)
}

/// Whether a datagram is longer than the network carries.
pub(super) fn too_long(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(libc::EMSGSIZE)
}

/// A descriptor that can be given up to have one when there are no others left.
pub(super) struct Reserve(#[allow(dead_code)] Option<File>); // only held

impl Reserve {
    pub(super) fn take() -> Self {
        Reserve(File::open("/").ok())
    }
}

/// One end of two: when the other is dropped, this one is ready for ever.
pub(super) type End = OwnedFd;

/// Two ends: when the first is dropped, the second is ready.
pub(super) fn ending() -> io::Result<(End, End)> {
    let (end, alive) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((alive, end))
}
