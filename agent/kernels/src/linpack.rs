//! LINPACK: solve a dense system of linear equations by Gaussian elimination with partial pivoting.
//!
//! `classic` is the published algorithm; `left-looking` does the same arithmetic in an order that reuses what was
//! loaded; `blocked` is what a library does today, with any number of threads for one matrix. All solve the benchmark's
//! own system (times powers of two), count its 2n³/3 + 2n² operations and are checked by its normalised residual.

mod blocked;
mod blocked_worker;
mod classic;
mod columns;
mod groups;
mod packed;
mod panel;
mod reference_clock;
mod reference_times;
mod steps;
mod system;
#[cfg(test)]
mod tests;
mod tile;
mod watch;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod wide;

use crate::buffer::ensure_memory;
use crate::operation::ParameterKind::{Choice, Text};
use crate::operation::TimedBy::{Guest, GuestItself, Host, Nothing};
use crate::operation::{integer, measure, optional, parameter, Measure, Op, Parameter};
use crate::settings::wrong;
use crate::settings::Settings;
use crate::simd::Simd;
use blocked::Blocked;
use blocked_worker::BlockedWorker;
use classic::{Classic, Variant};
use reference_clock::{ReferenceClock, Server};
use reference_times::ReferenceTimes;
use std::sync::Arc;
use system::{Generator, System};
use virtometer_protocol::{Code, Failure, Scalar, Unit};
use virtometer_sampling::{has_short_iterations, Task, WorkerFactory};
use watch::Limit;

const GENERATORS: &[&str] = &["48-bit", "16-bit"];
const WORK: &str = "2n^3/3 + 2n^2 floating-point operations per solution";
const SIZE: Parameter =
    parameter("size", integer(1, 2 * LARGEST), "500", "order n of the matrix, at most 100000; published: 2n");
const ORDER: Parameter = parameter("size", integer(1, LARGEST), "500", "order n of the matrix");
const GENERATOR: Parameter =
    parameter("generator", Choice(GENERATORS), "48-bit", "of the matrix; 16-bit: the C program's, not for all orders");
const PUBLISHED_GENERATOR: Parameter =
    optional("generator", Choice(GENERATORS), "48-bit; published: 16-bit where regular", GENERATOR.meaning);
const RUNS: Parameter = parameter(
    "runs",
    integer(0, 1_000_000),
    "0",
    "iterations after which it ends before the window does; 0: the window decides",
);
const TIME_SERVER: Parameter =
    optional("time-server", Text, "none", "HOST:PORT or udp:HOST:PORT of a reference clock to ask as well");

const GENERATE: Measure = measure("generate-time", "s", Guest, "time to make the matrix, which is not counted as work");
const FACTOR: Measure = measure("factor-time", "s", Guest, "time to factor the matrix, of one solution");
const SOLVE: Measure = measure("solve-time", "s", Guest, "time to solve with the factored matrix, of one solution");
const SOLVE_SHARE: Measure =
    measure("solve-share", "1", Nothing, "share of solve-time in the sum of factor-time and solve-time");

// Of the published convention.
const ROLLED: Measure = measure("rolled-rate", "FLOP/s", Guest, "rate of the solutions with rolled loops");
const UNROLLED: Measure = measure("unrolled-rate", "FLOP/s", Guest, "rate of the solutions with unrolled loops");

// Of a time server.
const REFERENCE_RATE: Measure = measure("reference-rate", "FLOP/s", Host, "the value by the reference clock");
const GUEST_RATE: Measure = measure(
    "guest-rate",
    "FLOP/s",
    GuestItself,
    "the value by the guest's own clock, over the stretch that the reference clock timed",
);
const REFERENCE_GENERATE: Measure = measure("reference-generate", "s", Host, "generate-time by the reference clock");
const REFERENCE_FACTOR: Measure = measure("reference-factor", "s", Host, "factor-time by the reference clock");
const REFERENCE_SOLVE: Measure = measure("reference-solve", "s", Host, "solve-time by the reference clock");
const ROUND_TRIP: Measure = measure("reference-round-trip", "s", Host, "how long asking the reference clock took");

const MEASURES: &[Measure] = &[
    GENERATE,
    FACTOR,
    SOLVE,
    SOLVE_SHARE,
    REFERENCE_RATE,
    GUEST_RATE,
    REFERENCE_GENERATE,
    REFERENCE_FACTOR,
    REFERENCE_SOLVE,
    ROUND_TRIP,
];
const CLASSIC_MEASURES: &[Measure] = &[
    GENERATE,
    FACTOR,
    SOLVE,
    SOLVE_SHARE,
    ROLLED,
    UNROLLED,
    REFERENCE_RATE,
    GUEST_RATE,
    REFERENCE_GENERATE,
    REFERENCE_FACTOR,
    REFERENCE_SOLVE,
    ROUND_TRIP,
];

/// An operation that solves a system whose order is the size.
const fn of_order(name: &'static str) -> Op {
    let parameters = &[ORDER, GENERATOR, RUNS, TIME_SERVER];
    Op { name, unit: Unit::FlopPerSecond, work: WORK, parameters, measures: MEASURES, arrays: None, judged: None }
}

pub(crate) static OPS: &[Op] = &[
    Op {
        name: "classic",
        unit: Unit::FlopPerSecond,
        work: WORK,
        parameters: &[
            SIZE,
            parameter("variant", Choice(&["rolled", "unrolled"]), "rolled", "loops, as published"),
            parameter(
                "convention",
                Choice(&["order", "published"]),
                "order",
                "published: size is 2n, rolled and unrolled in turn",
            ),
            PUBLISHED_GENERATOR,
            RUNS,
            TIME_SERVER,
        ],
        measures: CLASSIC_MEASURES,
        arrays: None,
        judged: None,
    },
    of_order("left-looking"),
    of_order("blocked"),
];

/// Largest order: its matrix takes 80 GB.
const LARGEST: u64 = 100_000;

/// Memory for copies of the system that one iteration solves, bytes.
const COPIES: u64 = 64 << 20;

/// The same in short slices, of each thread: few enough to be still in the third-level cache when they are solved.
/// Otherwise guests whose clock is dear to read, and whose iterations are longer for that, would have theirs from memory.
const COPIES_IN_SLICES: u64 = 4 << 20;

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let generators = [("48-bit", Generator::Bits48), ("16-bit", Generator::Bits16)];
    let given = settings.optional_text("generator")?.is_some();
    let generator = given.then(|| settings.choice("generator", &generators)).transpose()?;
    let limit = Limit::new(settings.integer("runs")?, task.seconds);
    let server = settings.optional_text("time-server")?.map(Server::parse).transpose()?;
    let most = if has_short_iterations(&task.control) { COPIES_IN_SLICES } else { COPIES };
    // One thread reads the clock; the others do not even wait for it.
    let control = task.control.clone();
    let clock = move |rank: usize| match server {
        Some(server) if rank == 0 => {
            ReferenceClock::reach(server, control.clone()).map(|clock| Some(ReferenceTimes::new(clock)))
        }
        _ => Ok(None),
    };
    if task.op == "blocked" {
        let simd = Simd::detect();
        let system = spaced(settings, generator)?;
        let copies = usize::try_from(most / system.bytes()).unwrap_or(1).max(1);
        memory(Blocked::bytes(system, copies, task.threads), system)?;
        let shared = Arc::new(Blocked::new(simd, system, copies, task.threads)?);
        return Ok(Arc::new(move |rank| {
            let worker = BlockedWorker::new(shared.clone(), rank, copies, limit);
            Ok(Box::new(if server.is_some() { worker.with_reference_clock(clock(rank)?) } else { worker }))
        }));
    }
    let simd = Simd::compiled();
    let (system, variants) = match task.op.as_str() {
        "left-looking" => (spaced(settings, generator)?, &[Variant::LeftLooking] as &[Variant]),
        _ => classic(settings, generator)?,
    };
    let each = variants.len() as u64 * system.bytes();
    let repeats = (most / each).max(1);
    memory(repeats * each * task.threads as u64, system)?;
    let copies = usize::try_from(repeats).unwrap_or(1) * variants.len();
    Ok(Arc::new(move |rank| Ok(Box::new(Classic::new(simd, system, variants, copies, limit, clock(rank)?)?))))
}

/// The system of `classic`, and which variants solve it in a repeat.
fn classic(settings: &Settings<'_>, generator: Option<Generator>) -> Result<(System, &'static [Variant]), Failure> {
    let published = settings.choice("convention", &[("order", false), ("published", true)])?;
    if !published {
        let variants: [(&str, &[Variant]); 2] = [("rolled", &[Variant::Rolled]), ("unrolled", &[Variant::Unrolled])];
        let variants = settings.choice("variant", &variants)?;
        return Ok((spaced(settings, generator)?, variants));
    }
    if settings.given("variant") {
        return Err(wrong("the published convention has both variants, rolled and unrolled: give no variant"));
    }
    let array = size(settings, 2 * LARGEST)?;
    if array % 2 == 1 {
        return Err(wrong(format!("size is {array}; in the published convention it is twice the order, and so even")));
    }
    let n = array / 2;
    let own = if Generator::Bits16.is_singular(n) { Generator::Bits48 } else { Generator::Bits16 };
    // The C program's columns are as far apart as the array's size says, half of which is not used.
    let system = System { n, ld: array, generator: generator.unwrap_or(own) };
    record_generator(settings, system.generator);
    Ok((regular(system)?, &[Variant::Rolled, Variant::Unrolled]))
}

/// A system whose order is the size.
fn spaced(settings: &Settings<'_>, generator: Option<Generator>) -> Result<System, Failure> {
    let generator = generator.unwrap_or(Generator::Bits48);
    record_generator(settings, generator);
    regular(System::spaced(size(settings, LARGEST)?, generator))
}

fn record_generator(settings: &Settings<'_>, generator: Generator) {
    let name = if generator == Generator::Bits16 { "16-bit" } else { "48-bit" };
    settings.take("generator", Scalar::Text(name.to_owned()));
}

fn size(settings: &Settings<'_>, largest: u64) -> Result<usize, Failure> {
    let size = settings.integer("size")?;
    if size > largest {
        return Err(wrong(format!("size is {size}, not 1 to {largest}")));
    }
    usize::try_from(size).map_err(|_| wrong(format!("size is {size}, more than this machine can address")))
}

fn regular(system: System) -> Result<System, Failure> {
    if system.generator.is_singular(system.n) {
        let n = system.n;
        return Err(wrong(format!(
            "the 16-bit generator gives a matrix of order {n} equal columns; take the 48-bit one"
        )));
    }
    Ok(system)
}

fn memory(bytes: u64, system: System) -> Result<(), Failure> {
    let purpose = format!("matrices of order {}", system.n);
    ensure_memory(bytes, &purpose)?;
    if isize::try_from(bytes).is_err() {
        let message = format!("{purpose} need {bytes} bytes of memory, more than a 32-bit program can have");
        return Err(Failure::new(Code::OutOfMemory, message));
    }
    Ok(())
}
