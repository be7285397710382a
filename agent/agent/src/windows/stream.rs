//! Streams are files (pipes and consoles among them) or sockets, which Windows reads with different calls.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::windows::io::AsHandle;

/// One direction of a channel.
pub(crate) enum Stream {
    File(File),
    Socket(TcpStream),
}

impl Read for Stream {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::File(file) => file.read(block),
            Stream::Socket(socket) => socket.read(block),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, block: &[u8]) -> io::Result<usize> {
        match self {
            Stream::File(file) => file.write(block),
            Stream::Socket(socket) => socket.write(block),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard input and standard output.
pub(crate) fn stdio() -> io::Result<(Stream, Stream)> {
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((Stream::File(input.into()), Stream::File(output.into())))
}

/// Sockets with a path: not here.
pub(crate) fn from_path(_path: &str) -> io::Result<(Stream, Stream)> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Both directions of a connection.
pub(crate) fn from_socket(socket: TcpStream) -> io::Result<(Stream, Stream)> {
    let input = socket.try_clone()?;
    Ok((Stream::Socket(input), Stream::Socket(socket)))
}

/// Nobody else can switch a handle of this process to non-blocking.
pub(crate) fn wait_writable(_stream: &Stream) -> io::Result<()> {
    Err(ErrorKind::WouldBlock.into())
}

/// Whether an error of reading says that the other end is gone.
pub(crate) fn is_gone(cause: &io::Error) -> bool {
    matches!(cause.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted)
}
