//! Data over TCP and UDP between two agents: streams, requests and responses. The other end is the op `serve`.
//!
//! A sample of a stream counts bytes that have arrived, from one moment at which that is known to another: what lies
//! in the buffers of the two systems at the ends of a sample is counted when it has arrived, neither before nor twice.

mod account;
mod datagrams;
mod exchange;
#[cfg(unix)]
mod linux;
mod open_loop;
mod pace;
mod peer;
mod server;
mod stream;
mod transactions;
mod trips;
#[cfg(windows)]
mod windows;
mod wire;

#[cfg(unix)]
use linux as system;
#[cfg(windows)]
use windows as system;

use crate::settings::wrong;
use crate::ParameterKind::{Boolean, Integer, Text};
use crate::{optional, parameter, pattern, Op, Parameter, Settings};
use peer::{Link, Peer};
use std::net::SocketAddr;
use std::sync::Arc;
use virtometer_protocol::{Code, Conditions, Failure, Unit};
use virtometer_sampling::{Maker, Task};

const PEER: Parameter = parameter("peer", Text, "", "HOST:PORT of the agent that serves");
const REQUEST: Parameter = optional("request", Integer, "size", "bytes of a request");
const RESPONSE: Parameter = optional("response", Integer, "size", "bytes of a response");
const EACH_WAY: Parameter = parameter("size", Integer, "1", "bytes each way");
const SEND_BUFFER: Parameter = parameter(
    "send-buffer",
    Integer,
    "0",
    "bytes to ask for, of the buffer that sends, at both ends; 0 leaves it to the system",
);
const RECEIVE_BUFFER: Parameter = parameter("receive-buffer", Integer, "0", "the same of the buffer that receives");
const NO_DELAY: Parameter =
    parameter("nodelay", Boolean, "true", "small pieces do not wait for the confirmation of earlier ones");
const LOW_WATER: Parameter = parameter(
    "receive-low-water",
    Integer,
    "0",
    "bytes that have to arrive before the receiver of a stream is woken (SO_RCVLOWAT); 0 is a plain socket",
);
const CONNECTIONS: Parameter = parameter("connections", Integer, "1", "connections of each thread");

pub(crate) static OPS: &[Op] = &[
    Op {
        name: "stream",
        unit: Unit::BytePerSecond,
        work: "bytes that the peer confirmed, or that have arrived from it",
        parameters: &[
            PEER,
            parameter("size", Integer, "128K", "bytes of a message"),
            parameter("direction", Text, "send", "send, receive or both"),
            CONNECTIONS,
            parameter("zero-copy", Boolean, "false", "send without copying through the program"),
            parameter("nodelay", Boolean, "false", NO_DELAY.meaning),
            SEND_BUFFER,
            RECEIVE_BUFFER,
            LOW_WATER,
        ],
    },
    Op {
        name: "request-response",
        unit: Unit::PerSecond,
        work: "round trips",
        parameters: &[PEER, EACH_WAY, REQUEST, RESPONSE, CONNECTIONS, NO_DELAY, SEND_BUFFER, RECEIVE_BUFFER],
    },
    Op {
        name: "connect",
        unit: Unit::PerSecond,
        work: "transactions: connect, request, response, close",
        parameters: &[PEER, EACH_WAY, REQUEST, RESPONSE],
    },
    Op {
        name: "open-loop",
        unit: Unit::PerSecond,
        work: "responses to requests that begin when they are due",
        parameters: &[
            PEER,
            parameter("rate", Integer, "1000", "requests that each thread begins in a second"),
            parameter("arrivals", Text, "fixed", "fixed distances, or poisson: random ones"),
            parameter("seed", Integer, "1", "of the random distances"),
            EACH_WAY,
            REQUEST,
            RESPONSE,
            CONNECTIONS,
            NO_DELAY,
            SEND_BUFFER,
            RECEIVE_BUFFER,
        ],
    },
    Op {
        name: "udp-stream",
        unit: Unit::BytePerSecond,
        work: "bytes that the peer received",
        parameters: &[
            PEER,
            parameter("size", Integer, "1472", "bytes of a datagram, 16 to 65507"),
            parameter("rate", Integer, "0", "most bytes that each thread sends in a second; 0 sets no limit"),
            SEND_BUFFER,
            RECEIVE_BUFFER,
        ],
    },
    Op {
        name: "udp-request-response",
        unit: Unit::PerSecond,
        work: "datagrams that were answered",
        parameters: &[
            PEER,
            parameter("size", Integer, "16", "bytes each way, 16 to 65507"),
            REQUEST,
            RESPONSE,
            SEND_BUFFER,
            RECEIVE_BUFFER,
        ],
    },
    Op {
        name: "serve",
        unit: Unit::BytePerSecond,
        work: "bytes received; runs until it is stopped",
        parameters: &[parameter("listen", Text, "", "HOST:PORT to listen on, port 0 for any")],
    },
];

/// Most connections that one thread opens.
const MOST_CONNECTIONS: u64 = 1000;

/// Which way a stream flows, seen from the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Send,
    Receive,
    Both,
}

/// What the operations have in common, checked.
struct Plan {
    peer: Peer,
    /// Bytes of a request, message or datagram.
    request: usize,
    response: usize,
    connections: usize,
    direction: Direction,
    zero_copy: bool,
    delay: bool,
    send_buffer: usize,
    receive_buffer: usize,
    low_water: usize,
}

impl Plan {
    fn new(task: &Task, settings: &Settings<'_>) -> Result<Self, Failure> {
        let address = address("peer", settings.text("peer")?)?;
        if address.port() == 0 {
            return Err(wrong("peer has port 0, which nobody listens on"));
        }
        let (size, least, most) = match task.op.as_str() {
            "stream" => (128 << 10, 1, wire::LARGEST),
            "udp-stream" => (1472, wire::HEAD as u64, wire::LARGEST_DATAGRAM),
            "udp-request-response" => (16, wire::HEAD as u64, wire::LARGEST_DATAGRAM),
            _ => (1, 1, wire::LARGEST),
        };
        let size = settings.integer("size", size, least..=most)?;
        let length = |name, default, least| length(settings.integer(name, default, least..=most)?);
        let direction = match settings.optional_text("direction")? {
            None | Some("send") => Direction::Send,
            Some("receive") => Direction::Receive,
            Some("both") => Direction::Both,
            Some(other) => return Err(wrong(format!("direction is {other:?}, not send, receive or both"))),
        };
        Ok(Plan {
            peer: Peer { address, control: task.control.clone() },
            request: length("request", size, least)?,
            response: length("response", size, least)?,
            connections: usize::try_from(settings.integer("connections", 1, 1..=MOST_CONNECTIONS)?).unwrap_or(1),
            direction,
            zero_copy: settings.boolean("zero-copy", false)?,
            // Of messages that are no multiple of a segment each would end with a small one.
            delay: !settings.boolean("nodelay", task.op != "stream")?,
            send_buffer: buffer(settings, "send-buffer")?,
            receive_buffer: buffer(settings, "receive-buffer")?,
            low_water: buffer(settings, "receive-low-water")?,
        })
    }

    fn opening(&self) -> wire::Opening {
        wire::Opening {
            kind: wire::Kind::Sink,
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
    let plan = Plan::new(task, settings)?;
    if plan.connections > 64 {
        system::raise_open_files();
    }
    match task.op.as_str() {
        "stream" => Ok(Arc::new(move |_| Ok(Box::new(stream::Stream::connect(&plan)?)))),
        "request-response" => Ok(Arc::new(move |_| Ok(Box::new(exchange::Exchange::connect(&plan)?)))),
        "connect" => Ok(Arc::new(move |_| Ok(Box::new(transactions::Transactions::connect(&plan)?)))),
        "udp-stream" => {
            let rate = settings.integer("rate", 0, 0..=1 << 40)?;
            if rate > 0 && rate < plan.request as u64 {
                let message = format!("rate is {rate}: less than one datagram of {} bytes in a second", plan.request);
                return Err(wrong(message));
            }
            Ok(Arc::new(move |_| Ok(Box::new(datagrams::Datagrams::connect(&plan, rate)?))))
        }
        "udp-request-response" => Ok(Arc::new(move |_| Ok(Box::new(datagrams::DatagramExchange::connect(&plan)?)))),
        _ => {
            let rate = settings.integer("rate", 1000, 1..=10_000_000)?;
            let seed = settings.integer("seed", 1, 0..=(1 << 53) - 1)?;
            let random = match settings.optional_text("arrivals")? {
                None | Some("fixed") => false,
                Some("poisson") => true,
                Some(other) => return Err(wrong(format!("arrivals is {other:?}, not fixed or poisson"))),
            };
            Ok(Arc::new(move |index| {
                let schedule = open_loop::Schedule::new(rate, random.then(|| seed.wrapping_add(index as u64)));
                Ok(Box::new(open_loop::OpenLoop::connect(&plan, rate, schedule)?))
            }))
        }
    }
}

fn length(size: u64) -> Result<usize, Failure> {
    usize::try_from(size).map_err(|_| wrong("size is too large for this processor"))
}

fn buffer(settings: &Settings<'_>, name: &str) -> Result<usize, Failure> {
    length(settings.integer(name, 0, 0..=wire::LARGEST)?)
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

/// A message of `size` bytes of the pattern, in pages that are there.
fn message(size: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let rounded = (size + 7) / 8 * 8;
    if bytes.try_reserve_exact(rounded).is_err() {
        return Err(Failure::new(Code::OutOfMemory, format!("no memory for a message of {size} bytes")));
    }
    bytes.resize(rounded, 0);
    pattern::fill(&mut bytes, 0);
    bytes.truncate(size);
    Ok(bytes)
}

/// Record what a connection was given, where it was asked for something.
fn conditions(found: &mut Conditions, opening: &wire::Opening, link: &Link) {
    let (send, receive) = system::buffers(&link.socket);
    let mut record = |name: &str, bytes: u64| found.insert(name.to_owned(), bytes.to_string());
    if opening.send_buffer > 0 {
        record("send_buffer", send);
        record("peer_send_buffer", link.welcome.send_buffer);
    }
    if opening.receive_buffer > 0 {
        record("receive_buffer", receive);
        record("peer_receive_buffer", link.welcome.receive_buffer);
    }
    match opening.kind {
        wire::Kind::Sink if opening.low_water > 0 => record("peer_receive_low_water", link.welcome.low_water),
        wire::Kind::Source if opening.low_water > 0 => record("receive_low_water", system::low_water(&link.socket)),
        _ => None,
    };
}

#[cfg(test)]
mod tests;
