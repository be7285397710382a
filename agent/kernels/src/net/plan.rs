//! What the settings of the operations have in common.

use super::peer::Peer;
use super::wire::{Kind, Opening};
use crate::settings::{wrong, Settings};
use std::net::SocketAddr;
use virtometer_protocol::Failure;
use virtometer_sampling::Task;

/// Which way a stream flows, seen from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Send,
    Receive,
    Both,
}

/// What the operations have in common, checked.
pub(super) struct Plan {
    pub(super) peer: Peer,
    /// Bytes of a request, message or datagram.
    pub(super) request: usize,
    pub(super) response: usize,
    pub(super) connections: usize,
    pub(super) direction: Direction,
    pub(super) zero_copy: bool,
    pub(super) delay: bool,
    pub(super) send_buffer: usize,
    pub(super) receive_buffer: usize,
    pub(super) low_water: usize,
}

impl Plan {
    pub(super) fn new(task: &Task, settings: &Settings<'_>) -> Result<Self, Failure> {
        let address = address("peer", settings.text("peer")?)?;
        if address.port() == 0 {
            return Err(wrong("peer has port 0, which nobody listens on"));
        }
        let size = settings.integer("size")?;
        let directions = [("send", Direction::Send), ("receive", Direction::Receive), ("both", Direction::Both)];
        Ok(Plan {
            peer: Peer { address, control: task.control.clone() },
            request: length(settings.integer_or("request", size)?)?,
            response: length(settings.integer_or("response", size)?)?,
            connections: usize::try_from(settings.integer_or("connections", 1)?).unwrap_or(1),
            direction: settings.choice("direction", &directions)?,
            zero_copy: settings.boolean("zero-copy")?,
            // Of messages that are no multiple of a segment each would end with a small one.
            delay: !settings.boolean("nodelay")?,
            send_buffer: buffer(settings, "send-buffer")?,
            receive_buffer: buffer(settings, "receive-buffer")?,
            low_water: buffer(settings, "receive-low-water")?,
        })
    }

    pub(super) fn opening(&self) -> Opening {
        Opening {
            kind: Kind::Sink,
            zero_copy: self.zero_copy,
            delay: self.delay,
            request: self.request,
            response: self.response,
            send_buffer: self.send_buffer,
            receive_buffer: self.receive_buffer,
            low_water: self.low_water,
        }
    }
}

fn length(size: u64) -> Result<usize, Failure> {
    usize::try_from(size).map_err(|_| wrong("size is too large for this processor"))
}

fn buffer(settings: &Settings<'_>, name: &str) -> Result<usize, Failure> {
    length(settings.integer(name)?)
}

/// Names are not looked up: a guest that contains nothing else has nobody to ask.
pub(super) fn address(name: &str, text: &str) -> Result<SocketAddr, Failure> {
    let numeric = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
    numeric
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_| wrong(format!("{name} is {text:?}, not a numeric address and a port such as 10.0.0.1:5001")))
}
