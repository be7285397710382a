//! Messages and framing of the protocol between the laboratory and the agent, as `contract/PROTOCOL.md` and
//! `contract/REFERENCE.md` state it.
//!
//! This crate does no input or output: bytes go in, messages or a [`Failure`] come out, and the other way round.

#![forbid(unsafe_code)]

mod arguments;
mod failure;
mod framing;
mod outgoing;
mod parameters;
mod request;
mod tune;

pub use failure::{Code, Failure};
pub use framing::LineBuffer;
pub use outgoing::{
    greeting_line, log_line, reply_error_line, reply_line, samples_lines, Better, BlockDevice, Check, CheckKind,
    Conditions, CpuTime, Distribution, Done, Event, Facts, Fatal, Iteration, Measure, Pong, Released, Sample, Unit,
};
pub use parameters::{Parameters, Scalar};
pub use request::{
    parse_greeting, parse_request, Command, Go, Greeting, Network, Prepare, Request, Timing, MAX_SECONDS, MAX_THREADS,
};
pub use tune::{Tune, Tuned, OFFLOADS};

/// Version of the protocol that this crate speaks.
pub const PROTOCOL: u64 = 1;

/// First field of the first line on both sides.
pub const MAGIC: &str = "virtometer";

/// Longest line in bytes, the newline included.
pub const MAX_LINE: usize = 65_536;

/// Largest magnitude of an integer: what a double holds exactly.
pub const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Most samples in one `samples` event.
pub const MAX_SAMPLES: usize = 400;

/// Iterations without work with which a run begins that the laboratory times, beside the one directly before each
/// iteration that waits: they show what releasing one and telling its end take.
pub const NULL_ITERATIONS: usize = 8;

/// How far ahead the moment may be at which a window is to begin, ns.
pub const MAX_LEAD_NS: u64 = 10_000_000_000;

/// Most runs of an agent that have not ended.
pub const MAX_RUNS: usize = 16;
