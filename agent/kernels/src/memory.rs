//! Memory: bandwidth of simple operations on arrays, after McCalpin's STREAM and RAMspeed, and latency of dependent loads.
//!
//! The arrays are divided among the threads; each thread allocates and touches its own part. Bytes are counted as the
//! program reads and writes them: a cache that fetches a line before it is overwritten moves more, and that is not counted.

mod action;
mod bandwidth;
mod block;
mod latency;
mod portable;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86;

use crate::caches::Caches;
use crate::ParameterKind::Choice;
use crate::{integer, parameter, Op, Parameter, Settings};
use action::Action;
use block::Pages;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{Extras, Maker, Merge, Task};

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
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
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

fn pages(settings: &Settings<'_>) -> Result<Pages, Failure> {
    settings.choice("pages", &[("auto", Pages::Auto), ("small", Pages::Small), ("huge", Pages::Huge)])
}

/// The caches that were found, so that a size can be told to lie in one of them.
fn told(caches: &Caches) -> Extras {
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    caches.levels().fold(Extras::default(), |told, (name, bytes)| told.measure(name, "B", bytes as f64, Merge::Max))
}

/// How many times as large as the last-level caches an array must be for them not to matter (STREAM's rule).
const BEYOND: u64 = 4;

/// Whether caches may hold what is worked on: `size` bytes, `arrays` times.
fn cached(caches: &Caches, threads: usize, size: u64, arrays: u64) -> Conditions {
    let last = match caches.last_bytes(threads) {
        Some(last) => last,
        None => return Conditions::from([("cached".to_owned(), "unknown".to_owned())]),
    };
    let found = match (size.saturating_mul(arrays) <= last, size >= last.saturating_mul(BEYOND)) {
        (true, _) => "yes",
        (_, true) => return Conditions::from([("cached".to_owned(), "no".to_owned())]),
        _ => "partly",
    };
    let (size, last) = (in_words(size), in_words(last));
    let reason = format!("a size of {size} is less than {BEYOND} times the last-level cache of {last}");
    Conditions::from([("cached".to_owned(), found.to_owned()), ("cached_reason".to_owned(), reason)])
}

/// A size for people: with a binary prefix where eighths of its unit say it exactly, else in bytes.
fn in_words(bytes: u64) -> String {
    let fits = |shift: &u32| bytes >> shift > 0 && bytes % (1 << (shift - 3)) == 0;
    let known = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match known.iter().find(|(shift, _)| fits(shift)) {
        #[allow(clippy::cast_precision_loss)] // eighths of a unit: few digits
        Some((shift, name)) => format!("{} {name}", bytes as f64 / (1_u64 << shift) as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests;
