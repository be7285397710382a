//! Ways between two processes: pipes, sockets of the AF_UNIX family, TCP over the loopback.

#![allow(unsafe_code)] // descriptors of a forked child

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{read, write, Errno};
use rustix::net::sockopt::set_socket_linger;
use rustix::net::{socketpair, AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{pipe_with, PipeFlags};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// One process's end of a way in both directions.
pub(super) struct End {
    pub(super) input: OwnedFd,
    pub(super) output: OwnedFd,
}

impl End {
    /// Close the copy that a forked child has of it.
    ///
    /// # Safety
    ///
    /// As for [`super::child::close`].
    pub(super) unsafe fn close(&self) {
        // SAFETY: the caller promises the same.
        unsafe {
            super::child::close(&self.input);
            super::child::close(&self.output);
        }
    }

    /// What it reads from and what it writes to.
    pub(super) fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.input.as_fd(), self.output.as_fd()]
    }

    fn of(socket: OwnedFd) -> io::Result<Self> {
        Ok(End { input: socket.try_clone()?, output: socket })
    }
}

/// Makes a way and gives both of its ends.
pub(super) type MakeLink = fn() -> Result<(End, End), Failure>;

/// Two pipes.
pub(super) fn pipes() -> Result<(End, End), Failure> {
    let (input, far_output) = pipe()?;
    let (far_input, output) = pipe()?;
    Ok((End { input, output }, End { input: far_input, output: far_output }))
}

/// The end to read and the end to write.
pub(super) fn pipe() -> Result<(OwnedFd, OwnedFd), Failure> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|errno| os_failure("cannot make a pipe", &errno.into()))
}

/// A pair of connected stream sockets of this machine.
pub(super) fn unix() -> Result<(End, End), Failure> {
    socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
        .map_err(io::Error::from)
        .and_then(|(one, two)| Ok((End::of(one)?, End::of(two)?)))
        .map_err(|cause| os_failure("cannot make a pair of sockets", &cause))
}

/// A TCP connection over the loopback that sends at once (TCP_NODELAY).
pub(super) fn tcp() -> Result<(End, End), Failure> {
    listen().and_then(|listener| connect(&listener)).map_err(|cause| no_loopback(&cause))
}

/// A listening socket on a free port of the loopback.
pub(super) fn listen() -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
}

fn connect(listener: &TcpListener) -> io::Result<(End, End)> {
    let one = TcpStream::connect(listener.local_addr()?)?;
    // Somebody else may have connected first.
    let two = loop {
        let (two, peer) = listener.accept()?;
        if peer == one.local_addr()? {
            break two;
        }
    };
    for socket in [&one, &two] {
        socket.set_nodelay(true)?;
        // Closing leaves no connection behind that waits for stragglers.
        set_socket_linger(socket, Some(Duration::ZERO))?;
    }
    Ok((End::of(one.into())?, End::of(two.into())?))
}

/// Why there is no connection over the loopback.
pub(super) fn no_loopback(cause: &io::Error) -> Failure {
    let failure = os_failure("cannot connect over the loopback", cause);
    let absent = matches!(cause.kind(), ErrorKind::AddrNotAvailable | ErrorKind::Unsupported)
        || matches!(
            cause.raw_os_error(),
            Some(libc::ENETUNREACH | libc::ENETDOWN | libc::EHOSTUNREACH | libc::EAFNOSUPPORT)
        );
    if absent {
        return Failure::new(Code::NotSupported, failure.message);
    }
    failure
}

/// Write `message` as a whole.
pub(super) fn pass(fd: BorrowedFd<'_>, message: &[u8]) -> Result<(), Errno> {
    let mut done = 0;
    while done < message.len() {
        match write(fd, &message[done..]) {
            Err(Errno::INTR) => {}
            other => done += other?,
        }
    }
    Ok(())
}

/// Read `message` as a whole. False at the end of the stream.
pub(super) fn take(fd: BorrowedFd<'_>, message: &mut [u8]) -> Result<bool, Errno> {
    let mut done = 0;
    while done < message.len() {
        match read(fd, &mut message[done..]) {
            Ok(0) => return Ok(false),
            Ok(length) => done += length,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(true)
}

/// The other process of a way ended, or the system refused.
pub(super) fn broken() -> Failure {
    Failure::new(Code::Internal, "a process at the other end is gone")
}

/// Send and then wait for as much.
#[inline]
pub(super) fn exchange(end: &End, message: &mut [u8]) -> Result<(), Failure> {
    pass(end.output.as_fd(), message).map_err(|_| broken())?;
    match take(end.input.as_fd(), message) {
        Ok(true) => Ok(()),
        _ => Err(broken()),
    }
}
