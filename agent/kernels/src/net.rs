//! Data over TCP and UDP between two agents: streams, requests and responses. The other end is the op `serve`.
//!
//! A sample of a stream counts bytes that have arrived, from one moment at which that is known to another: what lies
//! in the buffers of the two systems at the ends of a sample is counted when it has arrived, neither before nor twice.

mod account;
mod datagrams;
mod exchange;
#[cfg(unix)]
mod linux;
mod messages;
mod open_loop;
mod pace;
mod peer;
mod plan;
mod round_trips;
mod server;
mod stream;
mod transactions;
#[cfg(windows)]
mod windows;
mod wire;

#[cfg(unix)]
use linux as system;
#[cfg(windows)]
use windows as system;

use crate::clock_cost::CLOCK_SHARE;
use crate::operation::ParameterKind::{Boolean, Choice, Text};
use crate::operation::TimedBy::{Guest, Host, HostByGuest, Nothing};
use crate::operation::{bytes, integer, measure, optional, parameter, Judged, Measure, Op, Parameter, ParameterKind};
use crate::settings::wrong;
use crate::settings::Settings;
use plan::{address, Plan};
use std::sync::Arc;
use virtometer_protocol::{Failure, Unit, MAX_INTEGER};
use virtometer_sampling::{Task, WorkerFactory};

const PEER: Parameter = parameter("peer", Text, "", "HOST:PORT of the agent that serves");
/// Bytes of a message.
const MESSAGE: ParameterKind = bytes(1, wire::LARGEST);
/// Bytes of a datagram.
const DATAGRAM: ParameterKind = bytes(wire::HEAD as u64, wire::LARGEST_DATAGRAM);
/// Bytes of a buffer; 0 leaves it to the system.
const BUFFER: ParameterKind = bytes(0, wire::LARGEST);
const REQUEST: Parameter = optional("request", MESSAGE, "size", "bytes of a request");
const RESPONSE: Parameter = optional("response", MESSAGE, "size", "bytes of a response");
const ASKING: Parameter = optional("request", DATAGRAM, "size", REQUEST.meaning);
const ANSWERING: Parameter = optional("response", DATAGRAM, "size", RESPONSE.meaning);
const EACH_WAY: Parameter = parameter("size", MESSAGE, "1", "bytes each way");
const SEND_BUFFER: Parameter = parameter(
    "send-buffer",
    BUFFER,
    "0",
    "bytes to ask for, of the buffer that sends, at both ends; 0 leaves it to the system",
);
const RECEIVE_BUFFER: Parameter = parameter("receive-buffer", BUFFER, "0", "the same of the buffer that receives");
const NO_DELAY: Parameter =
    parameter("nodelay", Boolean, "true", "small pieces do not wait for the confirmation of earlier ones");
const LOW_WATER: Parameter = parameter(
    "receive-low-water",
    BUFFER,
    "0",
    "bytes that have to arrive before the receiver of a stream is woken (SO_RCVLOWAT); 0 is a plain socket",
);
const CONNECTIONS: Parameter = parameter("connections", integer(1, 1000), "1", "connections of each thread");

// Of both ends: what a byte or a transaction costs there.
const BYTE_LOCAL: Measure =
    measure("service-demand-local", "s/B", Guest, "processor time at the guest's end per unit of work");
const BYTE_REMOTE: Measure =
    measure("service-demand-remote", "s/B", Host, "processor time at the other end per unit of work");
const TRANSACTION_LOCAL: Measure = measure(BYTE_LOCAL.name, "s", Guest, BYTE_LOCAL.meaning);
const TRANSACTION_REMOTE: Measure = measure(BYTE_REMOTE.name, "s", Host, BYTE_REMOTE.meaning);
const CPU_LOCAL: Measure = measure(
    "cpu-local",
    "s/s",
    Nothing,
    "processor time of the guest's threads that use the network, of one processor's time",
);
const CPU_REMOTE: Measure = measure("cpu-remote", "s/s", HostByGuest, "the same at the other end, by the host's clock");
const CPUS_LOCAL: Measure = measure("cpus-local", "1", Nothing, "processors that the guest's end may use");
const CPUS_REMOTE: Measure = measure("cpus-remote", "1", Nothing, "processors that the other end may use");
const OFFERED: Measure = measure("offered", "1/s", Guest, "requests that were due in a second");
const LOSS: Measure = measure("loss", "1", Nothing, "share of the datagrams sent that did not arrive");

const TRANSACTION_MEASURES: &[Measure] =
    &[TRANSACTION_LOCAL, TRANSACTION_REMOTE, CPU_LOCAL, CPU_REMOTE, CPUS_LOCAL, CPUS_REMOTE];

pub(crate) static OPS: &[Op] = &[
    Op {
        name: "stream",
        unit: Unit::BytePerSecond,
        work: "bytes that the peer confirmed, or that have arrived from it",
        parameters: &[
            PEER,
            parameter("size", MESSAGE, "128K", "bytes of a message"),
            parameter("direction", Choice(&["send", "receive", "both"]), "send", "seen from the agent that connects"),
            CONNECTIONS,
            parameter("zero-copy", Boolean, "false", "send without copying through the program"),
            parameter("nodelay", Boolean, "false", NO_DELAY.meaning),
            SEND_BUFFER,
            RECEIVE_BUFFER,
            LOW_WATER,
        ],
        measures: &[BYTE_LOCAL, BYTE_REMOTE, CPU_LOCAL, CPU_REMOTE, CPUS_LOCAL, CPUS_REMOTE],
        arrays: None,
        judged: None,
    },
    Op {
        name: "request-response",
        unit: Unit::PerSecond,
        work: "round trips",
        parameters: &[PEER, EACH_WAY, REQUEST, RESPONSE, CONNECTIONS, NO_DELAY, SEND_BUFFER, RECEIVE_BUFFER],
        measures: TRANSACTION_MEASURES,
        arrays: None,
        judged: None,
    },
    Op {
        name: "connect",
        unit: Unit::PerSecond,
        work: "transactions: connect, request, response, close",
        parameters: &[PEER, EACH_WAY, REQUEST, RESPONSE],
        measures: TRANSACTION_MEASURES,
        arrays: None,
        judged: None,
    },
    Op {
        name: "open-loop",
        unit: Unit::PerSecond,
        work: "responses to requests that begin when they are due",
        parameters: &[
            PEER,
            parameter("rate", integer(1, 10_000_000), "1000", "requests that each thread begins in a second"),
            parameter("arrivals", Choice(&["fixed", "poisson"]), "fixed", "distances; poisson: random ones"),
            parameter("seed", integer(0, MAX_INTEGER), "1", "of the random distances"),
            EACH_WAY,
            REQUEST,
            RESPONSE,
            CONNECTIONS,
            NO_DELAY,
            SEND_BUFFER,
            RECEIVE_BUFFER,
        ],
        measures: &[
            TRANSACTION_LOCAL,
            TRANSACTION_REMOTE,
            CPU_LOCAL,
            CPU_REMOTE,
            CPUS_LOCAL,
            CPUS_REMOTE,
            OFFERED,
            measure("unsent", "1", Nothing, "requests still to be sent when the run ended"),
            measure("send-delay", "s", Guest, "how much later than due requests were sent, on average"),
            CLOCK_SHARE,
        ],
        arrays: None,
        judged: Some(Judged { metric: "mean latency at the offered rate", histogram: "latency", wanted: OFFERED.name }),
    },
    Op {
        name: "udp-stream",
        unit: Unit::BytePerSecond,
        work: "bytes that the peer received",
        parameters: &[
            PEER,
            parameter("size", DATAGRAM, "1472", "bytes of a datagram"),
            parameter(
                "rate",
                integer(0, 1 << 40),
                "0",
                "most bytes that each thread sends in a second; 0 sets no limit",
            ),
            SEND_BUFFER,
            RECEIVE_BUFFER,
        ],
        measures: &[
            BYTE_LOCAL,
            BYTE_REMOTE,
            CPU_LOCAL,
            CPU_REMOTE,
            CPUS_LOCAL,
            CPUS_REMOTE,
            LOSS,
            measure("reordered", "1", Nothing, "share of the datagrams that came after a later one"),
            measure("sent", "B/s", Guest, "what the sender could hand to its system"),
        ],
        arrays: None,
        judged: None,
    },
    Op {
        name: "udp-request-response",
        unit: Unit::PerSecond,
        work: "datagrams that were answered",
        parameters: &[
            PEER,
            parameter("size", DATAGRAM, "16", "bytes each way"),
            ASKING,
            ANSWERING,
            SEND_BUFFER,
            RECEIVE_BUFFER,
        ],
        measures: &[TRANSACTION_LOCAL, TRANSACTION_REMOTE, CPU_LOCAL, CPU_REMOTE, CPUS_LOCAL, CPUS_REMOTE, LOSS],
        arrays: None,
        judged: None,
    },
    Op {
        name: "serve",
        unit: Unit::BytePerSecond,
        work: "bytes received; runs until it is stopped",
        parameters: &[parameter("listen", Text, "", "HOST:PORT to listen on, port 0 for any")],
        measures: &[],
        arrays: None,
        judged: None,
    },
];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
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
            let rate = settings.integer("rate")?;
            if rate > 0 && rate < plan.request as u64 {
                let message = format!("rate is {rate}: less than one datagram of {} bytes in a second", plan.request);
                return Err(wrong(message));
            }
            Ok(Arc::new(move |_| Ok(Box::new(datagrams::Datagrams::connect(&plan, rate)?))))
        }
        "udp-request-response" => Ok(Arc::new(move |_| Ok(Box::new(datagrams::DatagramExchange::connect(&plan)?)))),
        _ => {
            let (rate, seed) = arrivals(settings)?;
            Ok(Arc::new(move |index| {
                let schedule = open_loop::Schedule::new(rate, seed.map(|seed| seed.wrapping_add(index as u64)));
                Ok(Box::new(open_loop::OpenLoop::connect(&plan, rate, schedule)?))
            }))
        }
    }
}

/// Requests a second of an open loop, and the seed of their distances where these are random.
fn arrivals(settings: &Settings<'_>) -> Result<(u64, Option<u64>), Failure> {
    let (rate, seed) = (settings.integer("rate")?, settings.integer("seed")?);
    let random = settings.choice("arrivals", &[("fixed", false), ("poisson", true)])?;
    Ok((rate, random.then_some(seed)))
}

#[cfg(test)]
mod tests;
