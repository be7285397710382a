//! Data over TCP between two agents: a stream, or requests and responses. The other end is the op `serve`.
//!
//! A sample of a stream counts bytes that the other end has confirmed, from one confirmation to another: what lies in
//! the buffers of the two systems at the ends of a sample is counted when it has arrived, neither before nor twice.

mod client;
mod server;
mod wire;

use crate::settings::wrong;
use crate::ParameterKind::{Integer, Text};
use crate::{parameter, Op, Parameter, Settings};
use std::net::SocketAddr;
use std::sync::Arc;
use virtometer_protocol::{Failure, Unit};
use virtometer_sampling::{Maker, Task};

const PEER: Parameter = parameter("peer", Text, "", "HOST:PORT of the agent that serves");

pub(crate) static OPS: &[Op] = &[
    Op {
        name: "stream",
        unit: Unit::BytePerSecond,
        work: "bytes that the peer confirmed",
        parameters: &[PEER, parameter("size", Integer, "128 KiB", "bytes of a message")],
    },
    Op {
        name: "request-response",
        unit: Unit::PerSecond,
        work: "round trips",
        parameters: &[PEER, parameter("size", Integer, "1", "bytes each way")],
    },
    Op {
        name: "serve",
        unit: Unit::BytePerSecond,
        work: "bytes received; runs until it is stopped",
        parameters: &[parameter("listen", Text, "", "HOST:PORT to listen on, port 0 for any")],
    },
];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    if task.op == "serve" {
        let address = address("listen", settings.text("listen")?)?;
        if task.threads != 1 {
            return Err(wrong("serve has one thread; it serves every connection on a thread of its own"));
        }
        let control = task.control.clone();
        return Ok(Arc::new(move |_| Ok(Box::new(server::Server::new(address, control.clone())?))));
    }
    let peer = address("peer", settings.text("peer")?)?;
    if peer.port() == 0 {
        return Err(wrong("peer has port 0, which nobody listens on"));
    }
    if task.op == "stream" {
        let size = length(settings.integer("size", 128 << 10, 1..=1 << 30)?)?;
        let control = task.control.clone();
        Ok(Arc::new(move |_| Ok(Box::new(client::Stream::connect(peer, size, control.clone())?))))
    } else {
        let size = length(settings.integer("size", 1, 1..=1 << 24)?)?;
        Ok(Arc::new(move |_| Ok(Box::new(client::Exchange::connect(peer, size)?))))
    }
}

fn length(size: u64) -> Result<usize, Failure> {
    usize::try_from(size).map_err(|_| wrong("size is too large for this processor"))
}

/// Names are not looked up: a guest that contains nothing else has nobody to ask.
fn address(name: &str, text: &str) -> Result<SocketAddr, Failure> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    numeric
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| wrong(format!("{name} is {text:?}, not a numeric address and a port such as 10.0.0.1:5001")))
}

#[cfg(test)]
mod tests;
