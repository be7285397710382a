//! What the agent asks of Linux.

mod descriptor;
mod facts;
mod first_descriptors;
mod init;
mod keep;
mod network;
mod serial;
mod signals;
mod stream;
mod tuning;

pub(crate) use descriptor::from_descriptor;
pub(crate) use facts::facts;
pub(crate) use init::live_if_process_1;
pub(crate) use keep::keep;
pub(crate) use network::configure as configure_network;
pub(crate) use serial::serial;
pub(crate) use signals::{on_interrupt, outlive_file_limit, Waiter};
pub(crate) use stream::{from_path, from_socket, is_gone, stdio, wait_writable, Stream};
pub(crate) use tuning::tune;
