//! Memory: bandwidth of simple operations on arrays, after McCalpin's STREAM and RAMspeed, and latency of dependent loads.
//!
//! The arrays are divided among the threads; each thread allocates and touches its own part. Bytes are counted as the
//! program reads and writes them: a cache that fetches a line before it is overwritten moves more, and that is not counted.

mod action;
mod bandwidth;
mod block;
mod cached;
mod latency;
mod pass;
mod portable;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use crate::operation::ParameterKind::Choice;
use crate::operation::{integer, parameter, Op, Parameter};
use crate::settings::Settings;
use action::Action;
use virtometer_protocol::{Failure, Unit};
use virtometer_sampling::{Task, WorkerFactory};

const SIMD_WORDS: &[&str] = &["auto", "scalar", "sse", "avx", "avx512", "neon"];
const STORES: &[&str] = &["auto", "temporal", "non-temporal"];
const ARRAY: Parameter = parameter("size", integer(8, 1 << 50), "64M", "bytes of each array");
const KIND: Parameter = parameter("type", Choice(&["float", "int"]), "float", "elements of 8 bytes in such registers");
const SIMD: Parameter =
    parameter("simd", Choice(SIMD_WORDS), "auto", "vector instructions; auto: the widest there are");
const STORE: Parameter = parameter("store", Choice(STORES), "auto", "auto spares the caches what they cannot hold");
const TEMPORAL: Parameter =
    parameter("store", Choice(&["auto", "temporal"]), "auto", "both are the same: what was just read lies in a cache");
const PAGES: Parameter =
    parameter("pages", Choice(&["auto", "small", "huge"]), "auto", "auto: huge ones where the system gives them");

static READING: &[Parameter] = &[ARRAY, KIND, SIMD, PAGES];
static WRITING: &[Parameter] = &[ARRAY, KIND, SIMD, STORE, PAGES];
static CHANGING: &[Parameter] = &[ARRAY, KIND, SIMD, TEMPORAL, PAGES];
static CHASING: &[Parameter] = &[
    parameter("size", integer(8, 1 << 50), "64M", "bytes of memory"),
    parameter("stride", integer(8, 1 << 30), "64", "bytes from one place to the next"),
    parameter(
        "order",
        Choice(&["random", "page", "sequential"]),
        "random",
        "page: random within each page, pages at random",
    ),
    PAGES,
];

macro_rules! op {
    ($name:literal, $unit:ident, $parameters:ident, $work:literal) => {
        Op { name: $name, unit: Unit::$unit, work: $work, parameters: $parameters }
    };
}

pub(crate) static OPS: &[Op] = &[
    op!("copy", BytePerSecond, WRITING, "bytes of 2 arrays: c = a"),
    op!("scale", BytePerSecond, WRITING, "bytes of 2 arrays: c = 3 a"),
    op!("add", BytePerSecond, WRITING, "bytes of 3 arrays: c = a + b"),
    op!("triad", BytePerSecond, WRITING, "bytes of 3 arrays: c = a + 3 b"),
    op!("read", BytePerSecond, READING, "bytes of 1 array: the sum of a"),
    op!("write", BytePerSecond, WRITING, "bytes of 1 array: c = 3"),
    op!("read-write", BytePerSecond, CHANGING, "bytes of 1 array, read and written: c = c + 3"),
    op!("latency", Second, CHASING, "loads, each from the address that the one before it loaded"),
];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let action = match task.op.as_str() {
        "copy" => Action::Copy,
        "scale" => Action::Scale,
        "add" => Action::Add,
        "triad" => Action::Triad,
        "read" => Action::Read,
        "write" => Action::Write,
        "read-write" => Action::ReadWrite,
        _ => return latency::make(task, settings),
    };
    bandwidth::make(action, task, settings)
}

#[cfg(test)]
mod tests;
