//! Streams are file descriptors, whatever is behind them.

use rustix::event::{poll, PollFd, PollFlags};
use std::fs::File;
use std::io;
use std::net::TcpStream;
use std::os::unix::io::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// One direction of a channel.
pub(crate) type Stream = File;

/// Standard input and standard output.
pub(crate) fn stdio() -> io::Result<(Stream, Stream)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((File::from(input), File::from(output)))
}

/// Both directions of a connection.
pub(crate) fn from_socket(socket: TcpStream) -> io::Result<(Stream, Stream)> {
    let output = OwnedFd::from(socket);
    let input = output.try_clone()?;
    Ok((File::from(input), File::from(output)))
}

/// Both directions of a connection to a socket of this kernel.
pub(crate) fn from_path(path: &str) -> io::Result<(Stream, Stream)> {
    let output = OwnedFd::from(UnixStream::connect(path)?);
    let input = output.try_clone()?;
    Ok((File::from(input), File::from(output)))
}

/// Wait until a stream that was switched to non-blocking takes more.
pub(crate) fn wait_writable(stream: &Stream) -> io::Result<()> {
    poll(&mut [PollFd::new(stream, PollFlags::OUT)], None)?;
    Ok(())
}

/// Whether an error of reading says that the other end of a terminal or socket is gone.
pub(crate) fn is_gone(cause: &io::Error) -> bool {
    matches!(cause.raw_os_error(), Some(libc::EIO | libc::ECONNRESET))
}
