//! A descriptor that whoever started the agent has left open for it.

#![allow(unsafe_code)] // a number becomes a descriptor

use super::stream::Stream;
use rustix::io::{fcntl_getfd, fcntl_setfd, FdFlags};
use std::fs::File;
use std::io;
use std::os::unix::io::{BorrowedFd, RawFd};

/// Both directions of an open descriptor. The programs that the agent starts do not get it.
pub(crate) fn from_descriptor(number: RawFd) -> io::Result<(Stream, Stream)> {
    // SAFETY: borrowed for this function alone; the kernel answers for a number that is not open.
    let given = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl_setfd(given, fcntl_getfd(given)? | FdFlags::CLOEXEC)?;
    let (input, output) = (given.try_clone_to_owned()?, given.try_clone_to_owned()?);
    Ok((File::from(input), File::from(output)))
}
