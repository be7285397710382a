//! What the laboratory sends: its greeting and its requests.

use crate::arguments::{bad, checked_interface, object, out_of_range};
use crate::tune::{self, Tune};
use crate::{Code, Failure, Parameters, MAGIC, MAX_INTEGER, PROTOCOL};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::net::Ipv4Addr;

/// Longest window in seconds.
pub const MAX_SECONDS: f64 = 86_400.0;

/// Most threads of one run.
pub const MAX_THREADS: usize = 1024;

const MAX_RUN_NAME: usize = 64;

/// The laboratory's first line.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greeting {
    /// Always [`MAGIC`].
    pub magic: String,
    /// Always [`PROTOCOL`].
    pub protocol: u64,
    /// `laboratory`.
    pub role: String,
    /// Version of the program, for the record.
    pub version: String,
    /// Empty for a laboratory.
    pub capabilities: Vec<String>,
}

/// A request with its number. A command that is understood but cannot be obeyed is an error inside of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The number that the reply carries.
    pub id: u64,
    /// The command, or what to answer instead.
    pub command: Result<Command, Failure>,
}

/// A command with its arguments, all values within their ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Answer with the times of reading and writing.
    Ping,
    /// Say what the agent sees of the place that it runs in.
    Facts,
    /// Bring a network interface up.
    ConfigureNetwork(Network),
    /// Change the system before something is measured.
    Tune(Tune),
    /// Set a run up.
    Prepare(Prepare),
    /// Begin the window of this run.
    Start(String),
    /// Let the iteration or slice of this run begin that waits.
    Go(Go),
    /// End this run after the iteration under way.
    Stop(String),
    /// End the agent.
    Bye,
}

/// Arguments of `configure-network`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    /// Name of the interface.
    pub interface: String,
    /// Its address.
    pub address: Ipv4Addr,
    /// Length of the network's prefix in bits.
    pub prefix: u8,
}

/// Arguments of `go`.
#[derive(Clone, Debug, PartialEq)]
pub struct Go {
    /// Name of the run.
    pub run: String,
    /// Length of this slice in seconds, above 0 and at most [`MAX_SECONDS`], where it is another than that of `prepare`.
    pub slice_s: Option<f64>,
    /// The agent's time at which the window is to begin, ns, at most [`MAX_INTEGER`]. `None`: at once.
    pub at_ns: Option<u64>,
}

/// Arguments of `prepare`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepare {
    /// Name of the run.
    pub run: String,
    /// Name of the kernel.
    pub kernel: String,
    /// Name of the kernel's operation.
    pub op: String,
    /// The kernel's own parameters.
    pub parameters: Parameters,
    /// Number of threads, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Processors that the threads are pinned to; `None` leaves them to the scheduler. Never empty.
    pub cpus: Option<Vec<usize>>,
    /// Length of the window in seconds, above 0 and at most [`MAX_SECONDS`].
    pub seconds: f64,
    /// Who times the iterations.
    pub timing: Timing,
    /// Length of a slice in seconds, above 0 and at most [`MAX_SECONDS`], where the work is done in slices.
    pub slice_s: Option<f64>,
    /// Whether the window begins with those of other guests. Never with slices or timing by the laboratory.
    pub together: bool,
}

/// Who times the iterations of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// The agent, by its own clock.
    Agent,
    /// The laboratory as well: it lets every iteration begin and is told when it has worked.
    Laboratory,
}

/// Read the laboratory's greeting.
///
/// Another magic or protocol number is `protocol-mismatch` (even when the rest is not understood), anything else
/// that is wrong is `bad-message`.
pub fn parse_greeting(line: &[u8]) -> Result<Greeting, Failure> {
    #[derive(Deserialize)]
    struct Start<'a> {
        #[serde(borrow)]
        magic: std::borrow::Cow<'a, str>,
        protocol: u64,
    }
    let text = text(line)?;
    let start: Start<'_> = object(text)?;
    if start.magic != MAGIC {
        return Err(mismatch(format!("the other side's magic is {:?}, not {:?}", start.magic, MAGIC)));
    }
    if start.protocol != PROTOCOL {
        return Err(mismatch(format!(
            "the laboratory speaks protocol {}, this agent speaks protocol {}",
            start.protocol, PROTOCOL
        )));
    }
    let greeting: Greeting = object(text)?;
    if greeting.role != "laboratory" {
        return Err(bad(format!("the role is {:?}, not \"laboratory\"", greeting.role)));
    }
    if !greeting.capabilities.is_empty() {
        return Err(bad("a laboratory has no capabilities to list"));
    }
    Ok(greeting)
}

/// Read one request. The error closes the connection.
pub fn parse_request(line: &[u8]) -> Result<Request, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Envelope<'a> {
        id: u64,
        command: String,
        #[serde(borrow)]
        arguments: &'a RawValue,
    }
    let envelope: Envelope<'_> = object(text(line)?)?;
    if envelope.id == 0 || envelope.id > MAX_INTEGER {
        return Err(bad(format!("the id is {}, not a positive integer of at most 2^53 - 1", envelope.id)));
    }
    let arguments = envelope.arguments.get();
    let command = match envelope.command.as_str() {
        "ping" => nothing(arguments, Command::Ping)?,
        "facts" => nothing(arguments, Command::Facts)?,
        "bye" => nothing(arguments, Command::Bye)?,
        "start" => run_name(arguments)?.map(Command::Start),
        "go" => go(arguments)?.map(Command::Go),
        "stop" => run_name(arguments)?.map(Command::Stop),
        "configure-network" => network(arguments)?,
        "prepare" => prepare(arguments)?,
        other if tune::COMMANDS.contains(&other) => tune::tune(other, arguments)?.map(Command::Tune),
        other => {
            let _: serde_json::Map<String, serde_json::Value> = object(arguments)?;
            Err(Failure::new(Code::UnknownCommand, format!("there is no command {other:?}")))
        }
    };
    Ok(Request { id: envelope.id, command })
}

fn text(line: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(line).map_err(|_| bad("the line is not UTF-8"))
}

fn nothing(arguments: &str, command: Command) -> Result<Result<Command, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}
    let Nothing {} = object(arguments)?;
    Ok(Ok(command))
}

fn run_name(arguments: &str) -> Result<Result<String, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Run {
        run: String,
    }
    let Run { run } = object(arguments)?;
    Ok(checked_run_name(run))
}

fn go(arguments: &str) -> Result<Result<Go, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        run: String,
        #[serde(default, deserialize_with = "number_if_there")]
        slice_s: Option<f64>,
        #[serde(default, deserialize_with = "integer_if_there")]
        at_ns: Option<i64>,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        let run = checked_run_name(wire.run)?;
        if wire.slice_s.is_some() && wire.at_ns.is_some() {
            return Err(out_of_range("a slice begins at once, and not at a moment"));
        }
        let slice_s = wire.slice_s.map(checked_slice).transpose()?;
        Ok(Go { run, slice_s, at_ns: wire.at_ns.map(checked_moment).transpose()? })
    })())
}

fn checked_run_name(run: String) -> Result<String, Failure> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if run.is_empty() || run.len() > MAX_RUN_NAME || !run.chars().all(allowed) {
        return Err(out_of_range(format!(
            "the run's name must have 1 to {MAX_RUN_NAME} characters of A-Z a-z 0-9 . _ -"
        )));
    }
    Ok(run)
}

fn network(arguments: &str) -> Result<Result<Command, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        interface: String,
        address: String,
        prefix: i64,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        let interface = checked_interface(wire.interface)?;
        let address =
            wire.address.parse().map_err(|_| out_of_range(format!("{:?} is not an IPv4 address", wire.address)))?;
        let prefix = u8::try_from(wire.prefix)
            .ok()
            .filter(|prefix| *prefix <= 32)
            .ok_or_else(|| out_of_range(format!("the prefix is {}, not 0 to 32", wire.prefix)))?;
        Ok(Command::ConfigureNetwork(Network { interface, address, prefix }))
    })())
}

fn prepare(arguments: &str) -> Result<Result<Command, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        run: String,
        kernel: String,
        op: String,
        parameters: Parameters,
        threads: i64,
        #[serde(deserialize_with = "present")]
        cpus: Option<Vec<i64>>,
        seconds: f64,
        #[serde(default, deserialize_with = "text_if_there")]
        timing: Option<String>,
        #[serde(default, deserialize_with = "number_if_there")]
        slice_s: Option<f64>,
        #[serde(default)]
        together: bool,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        let run = checked_run_name(wire.run)?;
        let threads = usize::try_from(wire.threads)
            .ok()
            .filter(|threads| (1..=MAX_THREADS).contains(threads))
            .ok_or_else(|| out_of_range(format!("threads is {}, not 1 to {MAX_THREADS}", wire.threads)))?;
        let cpus = wire.cpus.map(checked_cpus).transpose()?;
        if !(wire.seconds > 0.0 && wire.seconds <= MAX_SECONDS) {
            return Err(out_of_range(format!("seconds is {}, not above 0 and at most {MAX_SECONDS}", wire.seconds)));
        }
        let timing = checked_timing(wire.timing.as_deref())?;
        if timing == Timing::Laboratory && wire.slice_s.is_some() {
            return Err(out_of_range("work that the laboratory times cannot be done in slices"));
        }
        if wire.together && (timing == Timing::Laboratory || wire.slice_s.is_some()) {
            return Err(out_of_range("work in slices, or timed by the laboratory, cannot begin with that of others"));
        }
        Ok(Command::Prepare(Prepare {
            run,
            kernel: wire.kernel,
            op: wire.op,
            parameters: wire.parameters,
            threads,
            cpus,
            seconds: wire.seconds,
            timing,
            slice_s: wire.slice_s.map(checked_slice).transpose()?,
            together: wire.together,
        }))
    })())
}

fn checked_cpus(cpus: Vec<i64>) -> Result<Vec<usize>, Failure> {
    if cpus.is_empty() {
        return Err(out_of_range("cpus is empty; give processor numbers or null"));
    }
    cpus.into_iter()
        .map(|cpu| usize::try_from(cpu).map_err(|_| out_of_range(format!("there is no processor {cpu}"))))
        .collect()
}

fn checked_timing(timing: Option<&str>) -> Result<Timing, Failure> {
    match timing {
        None | Some("agent") => Ok(Timing::Agent),
        Some("laboratory") => Ok(Timing::Laboratory),
        Some(other) => Err(out_of_range(format!("timing is {other:?}, not \"agent\" or \"laboratory\""))),
    }
}

fn checked_slice(slice_s: f64) -> Result<f64, Failure> {
    match slice_s > 0.0 && slice_s <= MAX_SECONDS {
        true => Ok(slice_s),
        false => Err(out_of_range(format!("slice_s is {slice_s}, not above 0 and at most {MAX_SECONDS}"))),
    }
}

fn checked_moment(at_ns: i64) -> Result<u64, Failure> {
    u64::try_from(at_ns)
        .ok()
        .filter(|ns| *ns <= MAX_INTEGER)
        .ok_or_else(|| out_of_range(format!("at_ns is {at_ns}, not 0 to 2^53 - 1")))
}

/// A field that may be missing, and is an integer where it is there.
fn integer_if_there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    i64::deserialize(deserializer).map(Some)
}

/// A field that may be missing, and is a number where it is there.
fn number_if_there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    f64::deserialize(deserializer).map(Some)
}

/// A field that may be missing, and is a text where it is there.
fn text_if_there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(Some)
}

/// `null` is a value, a missing field is a fault: without this serde takes the one for the other.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<i64>>, D::Error> {
    Option::deserialize(deserializer)
}

fn mismatch(message: String) -> Failure {
    Failure::new(Code::ProtocolMismatch, message)
}
