//! Memory: bandwidth of simple operations on arrays, after McCalpin's STREAM and RAMspeed, and latency of dependent
//! loads.
//!
//! The arrays are divided among the threads; each thread allocates and touches its own part. Bytes are counted as the
//! program reads and writes them: a cache that fetches a line before it is overwritten moves more, and that is not
//! counted.

mod account;
mod action;
mod bandwidth;
mod block;
mod cached;
mod latency;
mod pass;
mod portable;
mod stretches;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use crate::operation::ParameterKind::Choice;
use crate::operation::TimedBy::Nothing;
use crate::operation::{bytes, measure, parameter, Arrays, Measure, Op, Parameter};
use crate::settings::Settings;
use action::Action;
use virtometer_protocol::{Failure, Unit};
use virtometer_sampling::{Task, WorkerFactory};

const SIMD_WORDS: &[&str] = &["auto", "scalar", "sse", "avx", "avx512", "neon"];
const STORES: &[&str] = &["auto", "temporal", "non-temporal"];
const ARRAY: Parameter = parameter("size", bytes(8, 1 << 50), "64M", "bytes of each array");
const KIND: Parameter = parameter("type", Choice(&["float", "int"]), "float", "elements of 8 bytes in such registers");
const SIMD: Parameter =
    parameter("simd", Choice(SIMD_WORDS), "auto", "vector instructions; auto: the widest there are");
const STORE: Parameter = parameter("store", Choice(STORES), "auto", "auto spares the caches what they cannot hold");
const TEMPORAL: Parameter =
    parameter("store", Choice(&["auto", "temporal"]), "auto", "both are the same: what was just read lies in a cache");
const PAGES: Parameter =
    parameter("pages", Choice(&["auto", "small", "huge"]), "auto", "auto: huge ones where the system gives them");

const READING: &[Parameter] = &[ARRAY, KIND, SIMD, PAGES];
const WRITING: &[Parameter] = &[ARRAY, KIND, SIMD, STORE, PAGES];
const CHANGING: &[Parameter] = &[ARRAY, KIND, SIMD, TEMPORAL, PAGES];
const CHASING: &[Parameter] = &[
    parameter("size", bytes(8, 1 << 50), "64M", "bytes of memory"),
    parameter("stride", bytes(8, 1 << 30), "64", "bytes from one place to the next"),
    parameter(
        "order",
        Choice(&["random", "page", "sequential"]),
        "random",
        "page: random within each page, pages at random",
    ),
    PAGES,
];

const MEASURES: &[Measure] = &[
    measure("l1d-bytes", "B", Nothing, "the first-level data cache that was found"),
    measure("l2-bytes", "B", Nothing, "the second-level cache that was found"),
    measure("l3-bytes", "B", Nothing, "the third-level cache that was found"),
    measure("l4-bytes", "B", Nothing, "the fourth-level cache that was found"),
];

const fn bandwidth(name: &'static str, action: Action, parameters: &'static [Parameter], work: &'static str) -> Op {
    let arrays = Some(Arrays { held: action.count(), moved: action.accesses() });
    Op { name, unit: Unit::BytePerSecond, work, parameters, measures: MEASURES, arrays, judged: None }
}

pub(crate) static OPS: &[Op] = &[
    bandwidth("copy", Action::Copy, WRITING, "bytes of 2 arrays: c = a"),
    bandwidth("scale", Action::Scale, WRITING, "bytes of 2 arrays: c = 3 a"),
    bandwidth("add", Action::Add, WRITING, "bytes of 3 arrays: c = a + b"),
    bandwidth("triad", Action::Triad, WRITING, "bytes of 3 arrays: c = a + 3 b"),
    bandwidth("read", Action::Read, READING, "bytes of 1 array: the sum of a"),
    bandwidth("write", Action::Write, WRITING, "bytes of 1 array: c = 3"),
    bandwidth("read-write", Action::ReadWrite, CHANGING, "bytes of 1 array, read and written: c = c + 3"),
    Op {
        name: "latency",
        unit: Unit::Second,
        work: "loads, each from the address that the one before it loaded",
        parameters: CHASING,
        measures: MEASURES,
        arrays: Some(Arrays { held: 1, moved: 0 }),
        judged: None,
    },
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
