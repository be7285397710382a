//! What the network asks of Windows beyond the standard library.

#![allow(unsafe_code)] // calls of the system on sockets

use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::BitOr;
use std::os::windows::io::{AsRawSocket, AsSocket, FromRawSocket};
use std::ptr::null;
use std::sync::Once;
use std::time::Duration;
use virtometer_sampling::thread_cpu;
use windows_sys::Win32::Networking::WinSock::{
    getsockopt, setsockopt, WSAGetLastError, WSAPoll, WSASocketW, WSAStartup, AF_INET, AF_INET6, INVALID_SOCKET,
    POLLERR, POLLHUP, POLLIN, POLLOUT, SOCKADDR, SOCKET, SOCK_STREAM, SOL_SOCKET, SO_KEEPALIVE, SO_RCVBUF, SO_SNDBUF,
    WSADATA, WSAEMSGSIZE, WSAENOBUFS, WSAEWOULDBLOCK, WSAPOLLFD, WSA_FLAG_NO_HANDLE_INHERIT, WSA_FLAG_OVERLAPPED,
};

/// The events to wait for, or those that have occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PollFlags(i16);

impl PollFlags {
    pub(super) const IN: PollFlags = PollFlags(POLLIN);
    pub(super) const OUT: PollFlags = PollFlags(POLLOUT);
    pub(super) const ERR: PollFlags = PollFlags(POLLERR);
    pub(super) const HUP: PollFlags = PollFlags(POLLHUP);

    pub(super) fn empty() -> Self {
        PollFlags(0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for PollFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        PollFlags(self.0 | other.0)
    }
}

/// A socket to wait for.
#[repr(transparent)]
pub(super) struct PollFd<'socket> {
    one: WSAPOLLFD,
    _socket: PhantomData<&'socket ()>,
}

impl<'socket> PollFd<'socket> {
    pub(super) fn new(socket: &'socket impl AsSocket, flags: PollFlags) -> Self {
        // An end only ever becomes readable.
        let events = if flags.is_empty() { POLLIN } else { flags.0 };
        PollFd { one: WSAPOLLFD { fd: raw(socket), events, revents: 0 }, _socket: PhantomData }
    }

    pub(super) fn revents(&self) -> PollFlags {
        PollFlags(self.one.revents)
    }
}

fn raw(socket: &impl AsSocket) -> SOCKET {
    #[allow(clippy::unnecessary_cast)] // the two types differ on 32-bit systems only
    let raw = socket.as_socket().as_raw_socket() as SOCKET;
    raw
}

/// Wait until one of the sockets is ready, at most `limit_ns` where it is given. Returns how many are ready. The system
/// waits in milliseconds: what is shorter is not waited for, so that nobody is late.
pub(super) fn poll(sockets: &mut [PollFd<'_>], limit_ns: Option<u64>) -> io::Result<usize> {
    let limit = limit_ns.map_or(-1, |ns| i32::try_from(ns / 1_000_000).unwrap_or(i32::MAX));
    let count = u32::try_from(sockets.len()).unwrap_or(u32::MAX);
    // SAFETY: a PollFd is a WSAPOLLFD, there are so many of them, and their sockets are open as long as they live.
    let ready = unsafe { WSAPoll(sockets.as_mut_ptr().cast(), count, limit) };
    usize::try_from(ready).map_err(|_| last_error())
}

fn last_error() -> io::Error {
    // SAFETY: tells a number.
    io::Error::from_raw_os_error(unsafe { WSAGetLastError() })
}

/// Windows has no such option: reading wakes for every piece.
pub(super) fn set_low_water(_socket: &TcpStream, _bytes: usize) {}

/// See [`set_low_water`].
pub(super) fn low_water(_socket: &TcpStream) -> u64 {
    1
}

/// Processor time of the calling thread, ns; the system counts it in clock ticks of 15.6 ms.
pub(super) fn thread_cpu_ns() -> u64 {
    let used = thread_cpu();
    used.user_ns + used.system_ns
}

/// Waits are as precise as they can be.
pub(super) fn wait_precisely() {}

/// Begin to connect with a socket that does not block; it is writable when it is connected or has failed.
pub(super) fn begin_connect(peer: SocketAddr, send_buffer: usize, receive_buffer: usize) -> io::Result<TcpStream> {
    let (family, address, length) = system_address(peer);
    ready_to_use_sockets();
    let flags = WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT;
    // SAFETY: nothing is read through the null pointer; the socket that comes back is new and nobody else's.
    let socket = unsafe {
        match WSASocketW(i32::from(family), SOCK_STREAM, 0, null(), 0, flags) {
            INVALID_SOCKET => return Err(last_error()),
            socket => TcpStream::from_raw_socket(socket.try_into().unwrap_or_default()),
        }
    };
    socket.set_nonblocking(true)?;
    // Before connecting: the size of the window is settled with the connection.
    set_buffers(&socket, send_buffer, receive_buffer)?;
    let address: *const SOCKADDR = address.as_ptr().cast();
    // SAFETY: the address is as long as is said.
    match unsafe { windows_sys::Win32::Networking::WinSock::connect(raw(&socket), address, length) } {
        0 => Ok(socket),
        _ => match last_error() {
            cause if cause.raw_os_error() == Some(WSAEWOULDBLOCK) => Ok(socket),
            cause => Err(cause),
        },
    }
}

/// Family, bytes and length of an address as the system has it.
fn system_address(address: SocketAddr) -> (u16, [u8; 28], i32) {
    let mut bytes = [0; 28];
    let family = if address.is_ipv4() { AF_INET } else { AF_INET6 };
    bytes[..2].copy_from_slice(&family.to_ne_bytes());
    bytes[2..4].copy_from_slice(&address.port().to_be_bytes());
    match address {
        SocketAddr::V4(address) => {
            bytes[4..8].copy_from_slice(&address.ip().octets());
            (family, bytes, 16)
        }
        SocketAddr::V6(address) => {
            bytes[4..8].copy_from_slice(&address.flowinfo().to_ne_bytes());
            bytes[8..24].copy_from_slice(&address.ip().octets());
            bytes[24..].copy_from_slice(&address.scope_id().to_ne_bytes());
            (family, bytes, 28)
        }
    }
}

/// The standard library does this at its own first use of a socket.
fn ready_to_use_sockets() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut data = WSADATA::default();
        // SAFETY: writes into the structure. Where it fails, so does every socket.
        unsafe { WSAStartup(0x202, &mut data) };
    });
}

/// Connect with a socket that blocks; connecting, sending and receiving give up after `limit`.
pub(super) fn connect(peer: SocketAddr, limit: Duration) -> io::Result<TcpStream> {
    let socket = TcpStream::connect_timeout(&peer, limit)?;
    socket.set_read_timeout(Some(limit))?;
    socket.set_write_timeout(Some(limit))?;
    Ok(socket)
}

fn set_option(socket: &impl AsSocket, name: i32, value: i32) -> io::Result<()> {
    let bytes = value.to_ne_bytes();
    // SAFETY: the value is as long as is said.
    match unsafe { setsockopt(raw(socket), SOL_SOCKET, name, bytes.as_ptr(), 4) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// Ask for sizes of a socket's buffers, bytes; 0 asks for nothing.
pub(super) fn set_buffers(socket: &impl AsSocket, send: usize, receive: usize) -> io::Result<()> {
    for (name, size) in [(SO_SNDBUF, send), (SO_RCVBUF, receive)] {
        if size > 0 {
            set_option(socket, name, i32::try_from(size).unwrap_or(i32::MAX))?;
        }
    }
    Ok(())
}

/// Sizes of a socket's buffers for sending and receiving, bytes; 0 where the system does not say.
pub(super) fn buffers(socket: &impl AsSocket) -> (u64, u64) {
    let size = |name| {
        let (mut bytes, mut length) = ([0; 4], 4);
        // SAFETY: at most so many bytes are written as is said.
        let done = unsafe { getsockopt(raw(socket), SOL_SOCKET, name, bytes.as_mut_ptr(), &mut length) };
        u64::try_from(if done == 0 { i32::from_ne_bytes(bytes) } else { 0 }).unwrap_or(0)
    };
    (size(SO_SNDBUF), size(SO_RCVBUF))
}

/// Find out at some time when the other end is gone without a word.
pub(super) fn keep_alive(socket: &impl AsSocket) {
    // Where it is refused, the end of the server still ends the connection.
    let _ = set_option(socket, SO_KEEPALIVE, 1);
}

/// Data to be sent without copying it through the program: not on Windows.
pub(super) enum ZeroCopyFile {}

impl ZeroCopyFile {
    pub(super) fn new(_data: &[u8]) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }

    pub(super) fn send(&self, _socket: &TcpStream, _from: usize, _to: usize) -> io::Result<usize> {
        match *self {}
    }
}

/// There is no such limit here.
pub(super) fn raise_open_files() {}

/// Whether connecting has not ended within the limit of [`connect`].
pub(super) fn still_connecting(cause: &io::Error) -> bool {
    cause.kind() == ErrorKind::TimedOut
}

/// Whether the system has no room for a datagram.
pub(super) fn no_room(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(WSAENOBUFS)
}

/// Whether a datagram is longer than the network carries.
pub(super) fn too_long(cause: &io::Error) -> bool {
    cause.raw_os_error() == Some(WSAEMSGSIZE)
}

/// Sockets do not run out here.
pub(super) struct Reserve;

impl Reserve {
    pub(super) fn take() -> Self {
        Reserve
    }
}

/// One end of two: when the other is dropped, this one is ready for ever.
pub(super) type End = TcpStream;

/// Two ends: when the first is dropped, the second is ready. Only sockets can be waited for in one call with sockets.
pub(super) fn ending() -> io::Result<(End, End)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let alive = TcpStream::connect(listener.local_addr()?)?;
    let own = alive.local_addr()?;
    loop {
        // A connection of another process that has found the port meanwhile is dropped.
        let (end, from) = listener.accept()?;
        if from == own {
            return Ok((alive, end));
        }
    }
}
