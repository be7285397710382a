//! What the agent asks of Windows.

mod facts;
mod interrupt;
mod stream;

pub(crate) use facts::facts;
pub(crate) use interrupt::{on_interrupt, Waiter};
pub(crate) use stream::{from_path, from_socket, is_gone, stdio, wait_writable, Stream};

use crate::channel::Channel;
use std::io;
use virtometer_protocol::{Code, Failure, Network, Tune, Tuned};

/// Windows has no such signal.
pub(crate) fn outlive_file_limit() {}

/// Windows is never without anything else.
pub(crate) fn live_if_process_1(_own_name: &str, _first: &str) {}

/// Not supported: handles are not inherited by their numbers.
pub(crate) fn from_descriptor(_number: i32) -> io::Result<(Stream, Stream)> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "on Windows the channels are stdio and connect"))
}

/// Not supported: a write to a port would wait for the read that is under way.
pub(crate) fn serial(path: &str) -> Result<Channel, Failure> {
    let message = format!("cannot use {path} as the channel: on Windows the channels are stdio and connect");
    Err(Failure::new(Code::NotSupported, message))
}

/// Not supported: Windows configures its network automatically.
pub(crate) fn configure_network(config: &Network) -> Result<(), Failure> {
    let message = format!("cannot configure the interface {}: not on Windows", config.interface);
    Err(Failure::new(Code::NotSupported, message))
}

/// Not supported: what can be tuned differs from Linux.
pub(crate) fn tune(_change: &Tune) -> Result<Tuned, Failure> {
    Err(Failure::new(Code::NotSupported, "the agent cannot change settings of Windows"))
}
