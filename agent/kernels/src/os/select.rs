//! Asking many descriptors at once whether they are ready.

#![allow(unsafe_code)] // select and its sets

use super::child::{cannot_fork, Child, Parent};
use super::link::{listen, no_loopback};
use super::operation::Operation;
use super::scratch::Scratch;
use crate::settings::{wrong, Settings};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::net::sockopt::set_socket_linger;
use std::io::{self, Read};
use std::net::TcpStream;
use std::os::raw::c_int;
use std::time::Duration;
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// Numbers from here on do not fit in a set.
const SET: c_int = 1024;

/// What the descriptors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// Copies of one open file.
    File,
    /// Connections over the loopback, whose other ends another process holds.
    Tcp,
}

impl Of {
    pub(super) fn read(settings: &Settings<'_>) -> Result<Self, Failure> {
        settings.choice("of", &[("file", Of::File), ("tcp", Of::Tcp)])
    }
}

/// Calls of select that wait for nothing. Every descriptor is ready to be written.
pub(super) struct Select {
    descriptors: Vec<OwnedFd>,
    set: libc::fd_set,
    /// One more than the largest descriptor.
    limit: c_int,
    ready: u64,
    _partner: Option<(Child, Parent)>,
}

impl Select {
    pub(super) fn new(of: Of, count: usize) -> Result<Self, Failure> {
        let (descriptors, partner) = match of {
            Of::File => (copies(count)?, None),
            Of::Tcp => connections(count).map(|(ends, child, parent)| (ends, Some((child, parent))))?,
        };
        // SAFETY: a set is plain bits, for which zero is a value.
        let mut set: libc::fd_set = unsafe { std::mem::zeroed() };
        let mut limit = 0;
        for descriptor in &descriptors {
            let number = descriptor.as_raw_fd();
            if number >= SET {
                return Err(wrong(format!("the set of select ends at descriptor {}, and {number} is needed", SET - 1)));
            }
            // SAFETY: the number is within the set.
            unsafe { libc::FD_SET(number, &mut set) };
            limit = limit.max(number + 1);
        }
        Ok(Select { descriptors, set, limit, ready: 0, _partner: partner })
    }
}

fn copies(count: usize) -> Result<Vec<OwnedFd>, Failure> {
    let file = Scratch::new(None)?.file;
    let copies: io::Result<_> = (0..count).map(|_| file.try_clone()).collect();
    copies.map_err(|cause| os_failure(&format!("cannot open {count} descriptors"), &cause))
}

fn connections(count: usize) -> Result<(Vec<OwnedFd>, Child, Parent), Failure> {
    let parent = Parent::new();
    let listener = listen().map_err(|cause| no_loopback(&cause))?;
    let address = listener.local_addr().map_err(|cause| no_loopback(&cause))?;
    let body = || {
        while let Ok(connection) = rustix::net::accept(&listener) {
            // The other side waits for this: the queue of connections that are not accepted is short.
            if rustix::io::write(&connection, &[1]).is_err() {
                return 1;
            }
            // It stays open until this process is ended.
            std::mem::forget(connection);
        }
        1
    };
    // SAFETY: accepting, writing and closing are system calls, and a byte of the program itself is written.
    let child = unsafe { Child::fork(body) };
    let child = child.map_err(|cause| cannot_fork(&cause))?;
    drop(listener);
    let connect = || {
        let mut connection = TcpStream::connect(address)?;
        set_socket_linger(&connection, Some(Duration::ZERO))?;
        connection.read_exact(&mut [0])?;
        Ok(connection.into())
    };
    let connections: io::Result<_> = (0..count).map(|_| connect()).collect();
    Ok((connections.map_err(|cause| no_loopback(&cause))?, child, parent))
}

impl Operation for Select {
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.ready = 0;
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        for _ in 0..repeats {
            let mut set = self.set;
            let mut no_time = libc::timeval { tv_sec: 0, tv_usec: 0 };
            let null = std::ptr::null_mut();
            // SAFETY: the set and the time are valid to read and write, the limit is within the set.
            let ready = unsafe { libc::select(self.limit, null, &mut set, null, &mut no_time) };
            self.ready += u64::try_from(ready).map_err(|_| os_failure("select failed", &io::Error::last_os_error()))?;
        }
        Ok(())
    }

    /// Every call finds every descriptor ready.
    fn counted(&mut self) -> Result<u64, Failure> {
        Ok(self.ready / self.descriptors.len() as u64)
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        self.descriptors.iter().map(AsFd::as_fd).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_descriptor_is_found_ready_each_time() {
        for (of, count) in [(Of::File, 1), (Of::File, 300), (Of::Tcp, 1), (Of::Tcp, 200)] {
            let mut select = Select::new(of, count).unwrap();
            select.setup(7).unwrap();
            select.repeat(7).unwrap();
            assert_eq!(select.ready, 7 * count as u64);
            assert_eq!(select.counted(), Ok(7));
        }
    }

    #[test]
    fn a_descriptor_that_is_not_ready_is_noticed() {
        let mut select = Select::new(Of::Tcp, 3).unwrap();
        // Nobody reads at the other end: the connection fills up.
        rustix::io::ioctl_fionbio(&select.descriptors[1], true).unwrap();
        while rustix::io::write(&select.descriptors[1], &[0; 65_536]).is_ok() {}
        select.setup(10).unwrap();
        select.repeat(10).unwrap();
        assert_eq!(select.ready, 20);
        assert_eq!(select.counted(), Ok(6));
    }
}
