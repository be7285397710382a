//! The streams that can reach the agent.

use crate::system::{self, Stream};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

pub(crate) use crate::system::serial;

/// How long a peer may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A stream in both directions.
pub(crate) struct Channel {
    pub(crate) input: Stream,
    pub(crate) output: Stream,
}

/// Standard input and output.
pub(crate) fn stdio() -> Result<Channel, Failure> {
    let (input, output) =
        system::stdio().map_err(|cause| os_failure("cannot use standard input and output", &cause))?;
    Ok(Channel { input, output })
}

/// A descriptor that the agent was started with, such as one end of a pair of sockets.
pub(crate) fn descriptor(number: &str) -> Result<Channel, Failure> {
    let parsed = number.parse().ok().filter(|&parsed| parsed > 2).ok_or_else(|| {
        Failure::new(Code::BadArguments, format!("{number:?} is not a descriptor, which is a number above 2"))
    })?;
    let (input, output) = system::from_descriptor(parsed)
        .map_err(|cause| os_failure(&format!("cannot use descriptor {parsed} as the channel"), &cause))?;
    Ok(Channel { input, output })
}

/// A connection that the agent opens itself: to an address and a port, or to a socket that has a path.
pub(crate) fn connect(address: &str) -> Result<Channel, Failure> {
    if let Some(path) = address.strip_prefix("unix:") {
        let (input, output) =
            system::from_path(path).map_err(|cause| os_failure(&format!("cannot connect to {path}"), &cause))?;
        return Ok(Channel { input, output });
    }
    let numeric = address.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    let parsed: SocketAddr = numeric.as_deref().unwrap_or(address).parse().map_err(|_| {
        let message = format!("{address:?} is not a numeric address and a port such as 10.0.0.1:5000");
        Failure::new(Code::BadArguments, message)
    })?;
    let failed = |cause: io::Error| os_failure(&format!("cannot connect to {address}"), &cause);
    let socket = TcpStream::connect_timeout(&parsed, CONNECT).map_err(failed)?;
    socket.set_nodelay(true).map_err(failed)?;
    let (input, output) = system::from_socket(socket).map_err(failed)?;
    Ok(Channel { input, output })
}
