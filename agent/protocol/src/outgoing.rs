//! What the agent sends: its greeting, replies and events, each as one line with its newline.

use crate::{Failure, MAGIC, MAX_SAMPLES, PROTOCOL};
use serde::Serialize;
use std::collections::BTreeMap;

/// Facts that decide whether two results may be compared. Keys ending in `_reason` explain, they are not compared.
pub type Conditions = BTreeMap<String, String>;

/// What a value counts, per what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Unit {
    /// Floating-point operations per second.
    #[serde(rename = "FLOP/s")]
    FlopPerSecond,
    /// Bytes per second.
    #[serde(rename = "B/s")]
    BytePerSecond,
    /// Inputs and outputs per second.
    #[serde(rename = "IO/s")]
    IoPerSecond,
    /// Operations per second.
    #[serde(rename = "1/s")]
    PerSecond,
    /// Seconds per operation.
    #[serde(rename = "s")]
    Second,
}

impl Unit {
    /// The unit as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Unit::FlopPerSecond => "FLOP/s",
            Unit::BytePerSecond => "B/s",
            Unit::IoPerSecond => "IO/s",
            Unit::PerSecond => "1/s",
            Unit::Second => "s",
        }
    }

    /// Which direction is better.
    pub fn better(self) -> Better {
        match self {
            Unit::Second => Better::Lower,
            _ => Better::Higher,
        }
    }
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// One iteration of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// CLOCK_MONOTONIC at the beginning, ns.
    pub start_ns: u64,
    /// CLOCK_MONOTONIC at the end, ns.
    pub end_ns: u64,
    /// Work done, in the unit's numerator.
    pub work: u64,
    /// Check value of this iteration.
    pub check: String,
}

/// How a result was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckKind {
    /// Normalised residual of a solution.
    Residual,
    /// Checksum of data.
    Checksum,
    /// Bytes counted at both ends.
    Bytes,
    /// Operations counted independently.
    Count,
}

/// A check that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// How it was checked.
    pub kind: CheckKind,
    /// The value found.
    pub value: String,
    /// Always true: a check that does not pass is a failure.
    pub passed: bool,
}

/// Processor time used by the agent and its reaped children over the window, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuTime {
    /// In user mode.
    pub user_ns: u64,
    /// In the kernel.
    pub system_ns: u64,
}

/// A further figure of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// Its unit: SI, `1` for a count or share.
    pub unit: &'static str,
    /// Finite.
    pub value: f64,
}

/// How often single operations took how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Distribution {
    /// What the values are once they are divided by 10^9.
    pub unit: &'static str,
    /// Significant decimal digits of the values.
    pub digits: u8,
    /// Highest value of a bucket in ns, and how many lie in it; rising, none empty.
    pub counts: Vec<(u64, u64)>,
}

/// Further fields of the event `done`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Done {
    /// What the value counts.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// Median over the samples.
    pub value: f64,
    /// How the result was checked.
    pub check: Check,
    /// Number of samples sent.
    pub count: u64,
    /// Whether `stop` ended the run.
    pub stopped: bool,
    /// Processor time over the window.
    pub cpu: CpuTime,
    /// What decides whether two results may be compared.
    pub conditions: Conditions,
    /// Further figures by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub measures: BTreeMap<String, Measure>,
    /// Distributions by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<String, Distribution>,
    /// What a program printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// What waits for its release by the laboratory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Iteration {
    /// Nothing: it shows what releasing and telling take.
    Null,
    /// Continuous work, which gets going: it has no sample.
    WarmUp,
    /// The work of one sample.
    Work,
    /// Iterations for the length of a slice.
    Slice,
    /// All iterations of the window, which begins at the same moment as those of other guests.
    Window,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// `start` will begin the window at once.
    Ready {
        /// Name of the run.
        run: String,
        /// What decides whether two results may be compared.
        conditions: Conditions,
    },
    /// An iteration begins as soon as `go` says so.
    Waiting {
        /// Name of the run.
        run: String,
        /// What it does.
        iteration: Iteration,
    },
    /// An iteration has done its work, which is not verified yet.
    #[serde(rename = "iteration-done")]
    IterationDone {
        /// Name of the run.
        run: String,
        /// What it did.
        iteration: Iteration,
        /// Whether it began with `go`, and not at the end of the one before it.
        released: bool,
        /// When it began, ns.
        began_ns: u64,
        /// When it had done its work, ns.
        ended_ns: u64,
    },
    /// The run ended and its check passed.
    Done {
        /// Name of the run.
        run: String,
        /// The result.
        #[serde(flatten)]
        done: Done,
    },
    /// The run ended without a result.
    Failed {
        /// Name of the run.
        run: String,
        /// Why.
        error: Failure,
    },
}

impl Event {
    /// The event as a line.
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}

/// A message that ends the connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fatal {
    /// Why.
    pub fatal: Failure,
}

impl Fatal {
    /// The message as a line.
    pub fn line(&self) -> Vec<u8> {
        line(self)
    }
}

/// Answer to `ping`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pong {
    /// When the line had been read, ns.
    pub received_ns: u64,
    /// Just before the answer is written, ns.
    pub sent_ns: u64,
}

/// Answer to `go`, and to every command that is answered with nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Released {
    /// By how much the moment of the begin had passed when the request was obeyed, ns; 0 where it had not. Missing
    /// where the request names no moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_ns: Option<u64>,
}

/// What the agent sees of the place it runs in. What cannot be found is empty or 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // the names are the protocol's, which explains them
pub struct Facts {
    pub os: String,
    pub kernel: String,
    pub architecture: String,
    pub bits: u64,
    pub hostname: String,
    pub cpu_model: String,
    pub cpu_features: Vec<String>,
    pub cpus_online: u64,
    pub cpus_allowed: u64,
    pub memory_bytes: u64,
    pub page_bytes: u64,
    pub clock_source: String,
    pub pid: u64,
    pub uid: u64,
    pub block_devices: Vec<BlockDevice>,
    pub interfaces: Vec<String>,
}

/// A block device and its size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BlockDevice {
    /// Name under /dev.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// The agent's greeting.
pub fn greeting_line(version: &str, capabilities: &[&str]) -> Vec<u8> {
    #[derive(Serialize)]
    struct Wire<'a> {
        magic: &'a str,
        protocol: u64,
        role: &'a str,
        version: &'a str,
        capabilities: &'a [&'a str],
    }
    line(&Wire { magic: MAGIC, protocol: PROTOCOL, role: "agent", version, capabilities })
}

/// The reply to a request that was obeyed.
pub fn reply_line<T: Serialize>(id: u64, value: &T) -> Vec<u8> {
    #[derive(Serialize)]
    struct Wire<'a, T> {
        id: u64,
        r#return: &'a T,
    }
    line(&Wire { id, r#return: value })
}

/// The reply to a request that was not.
pub fn reply_error_line(id: u64, error: &Failure) -> Vec<u8> {
    #[derive(Serialize)]
    struct Wire<'a> {
        id: u64,
        error: &'a Failure,
    }
    line(&Wire { id, error })
}

/// A note for the record; `level` is `info` or `warning`.
pub fn log_line(level: &str, message: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct Wire<'a> {
        event: &'a str,
        level: &'a str,
        message: &'a str,
    }
    line(&Wire { event: "log", level, message })
}

/// Samples of a run as one or more lines, each with at most [`MAX_SAMPLES`] of them.
pub fn samples_lines<'a>(run: &'a str, samples: &'a [Sample]) -> impl Iterator<Item = Vec<u8>> + 'a {
    #[derive(Serialize)]
    struct Wire<'a> {
        event: &'a str,
        run: &'a str,
        samples: &'a [Sample],
    }
    samples.chunks(MAX_SAMPLES).map(move |samples| line(&Wire { event: "samples", run, samples }))
}

fn line<T: Serialize>(value: &T) -> Vec<u8> {
    // None of the types above has a map with keys that are not texts, the only thing that JSON cannot write.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}
