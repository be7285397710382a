//! Operations of the operating system, with the meaning that lmbench gives them (McVoy, Staelin: lmbench: Portable
//! tools for performance analysis, 1996). From the value itself nothing is subtracted; where lmbench subtracts, the
//! measures `overhead` and `without-overhead` say what it would.
//!
//! An operation is one file with an [`Operation`] and one row of the table.

mod endings;
mod measured;
mod operation;
mod pinning;
mod procedure;

#[cfg(unix)]
mod bus_fault;
#[cfg(unix)]
mod calls;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod expected;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod file_mapping;
#[cfg(unix)]
mod link;
#[cfg(unix)]
mod mapping;
#[cfg(unix)]
mod partner;
#[cfg(unix)]
mod reread;
#[cfg(unix)]
mod ring;
#[cfg(unix)]
mod round_trip;
#[cfg(unix)]
mod scratch;
#[cfg(unix)]
mod select;
#[cfg(unix)]
mod signal;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
mod stream;
#[cfg(unix)]
mod sum;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use child::reap_orphans;
#[cfg(unix)]
pub(crate) use child::Parent;
pub use endings::{EXIT_ARGUMENT, EXIT_STATUS};

use crate::operation::ParameterKind::{Boolean, Choice, Text};
use crate::operation::TimedBy::{Guest, Nothing};
use crate::operation::{bytes, integer, measure, optional, parameter, Measure, Op};
use crate::settings::wrong;
use crate::settings::Settings;
use measured::Measured;
#[cfg(unix)]
use operation::{build, Build, Choose};
use pinning::{Pin, Pinning, PIN};
use std::sync::Arc;
use virtometer_protocol::{Failure, Unit};
use virtometer_sampling::{Task, WorkerFactory};

macro_rules! table {
    ($(
        $name:literal, $unit:ident, $noun:literal, [$($parameter:expr),*] $(reports $($measure:ident)+)?, $choose:expr;
    )*) => {
        pub(crate) static OPS: &[Op] = &[
            $(Op {
                name: $name,
                unit: Unit::$unit,
                work: $noun,
                parameters: &[PIN, $($parameter),*],
                measures: &[$($($measure),+)?],
                arrays: None,
                judged: None,
            },)*
        ];

        /// For each operation what builds it. Windows has few of them, which are in a file of its own.
        #[cfg(unix)]
        static CHOICES: &[Choose] = &[$($choose,)*];
    };
}

table! {
    "context-switch", Second, "context switches of a token that goes round in a ring of processes", [
        parameter("processes", integer(2, 1024), "2", "processes in the ring"),
        parameter("size", bytes(0, 1 << 30), "0", "bytes that each process touches when it has the token")
    ] reports OVERHEAD WITHOUT_OVERHEAD, |settings, threads| {
        let processes = settings.integer("processes")?;
        let size = settings.integer("size")?;
        crate::buffer::ensure_memory(processes * size * threads, "the processes")?;
        let (processes, size) = (length(processes), length(size));
        build(move |pinning| ring::Ring::new(processes, size, pinning))
    };
    "procedure", Second, "calls of a procedure that the compiler cannot see through", [],
        |_, _| build(|_| Ok(procedure::Procedure::new()));
    "fork", Second, "processes that were forked, ended and were waited for", [],
        |_, _| build(|_| Ok(spawn::Spawn::fork()));
    "exec", Second, "processes that were forked, executed the agent, ended and were waited for", [],
        |_, _| build(|_| spawn::Spawn::exec());
    "shell", Second, "processes that were forked, executed /bin/sh, which executed the agent, and were waited for", [],
        |_, _| build(|_| spawn::Spawn::shell());
    "page-fault", Second, "pages touched for the first time", [
        parameter("mapping", Choice(&["anonymous", "file"]), "anonymous", "what is touched; anonymous: memory"),
        parameter("size", bytes(1, 1 << 34), "16M", "bytes of the file that is mapped"),
        DIRECTORY
    ] reports PAGES_PER_FAULT, page_fault;
    "pipe", Second, "round trips of one byte between two processes through two pipes", [],
        |_, _| build(|pinning| round_trip::RoundTrip::new(link::pipes, pinning));
    "unix", Second, "round trips of one byte between two processes through AF_UNIX sockets", [],
        |_, _| build(|pinning| round_trip::RoundTrip::new(link::unix, pinning));
    "tcp", Second, "round trips of one byte between two processes through TCP over the loopback", [],
        |_, _| build(|pinning| round_trip::RoundTrip::new(link::tcp, pinning));
    "pipe-bandwidth", BytePerSecond, "bytes from one process to another through a pipe", [MESSAGE],
        |settings, threads| bandwidth(settings, threads, link::pipes);
    "unix-bandwidth", BytePerSecond, "bytes from one process to another through AF_UNIX sockets", [MESSAGE],
        |settings, threads| bandwidth(settings, threads, link::unix);
    "file-reread", BytePerSecond, "bytes of a file in memory that were read again", [
        parameter(
            "way",
            Choice(&["io-only", "open-to-close", "mmap"]),
            "io-only",
            "open-to-close: open, read, close; mmap: added up"
        ),
        parameter("size", bytes(8, 1 << 40), "64M", "bytes of the file that are read, a multiple of 8"),
        parameter("block", bytes(8, 1 << 30), "64K", "bytes of one read, a multiple of 8"),
        parameter("sum", Boolean, "false", "add up every block that was read"),
        optional("file", Text, "one without a name", "a file of your own to read, which is left as it is"),
        DIRECTORY
    ], file_reread;
    "mmap", Second, "times that a file was mapped, written in every 16 KiB of its first tenth, and unmapped", [
        parameter("size", bytes(1, 1 << 40), "8M", "bytes that are mapped"),
        DIRECTORY
    ], |settings, threads| {
        let size = settings.integer("size")?;
        crate::buffer::ensure_memory(size / 10 * threads, "the pages of the file")?;
        let (size, directory) = (length(size), scratch::directory(settings)?);
        build(move |_| mapping::Mapping::new(size, directory.as_deref()))
    };
    "system-call", Second, "system calls", [
        parameter("call", Choice(&["null", "read", "write", "stat", "fstat", "open"]), "null", "null: getppid; open: with close"),
        optional("file", Text, "the agent", "file or folder for stat, fstat and open")
    ], |settings, _| {
        let (call, file) = (calls::Call::read(settings)?, settings.optional_text("file")?.map(str::to_owned));
        build(move |_| calls::SystemCalls::new(call, file.as_deref()))
    };
    "signal-install", Second, "handlers installed for a signal", [], |_, _| build(|_| signal::Install::new());
    "signal-catch", Second, "signals that a thread sent to itself and caught", [] reports OVERHEAD WITHOUT_OVERHEAD,
        |_, _| build(|_| signal::Catch::new());
    "select", Second, "calls of select that found all descriptors ready", [
        parameter("descriptors", integer(1, 1000), "100", "how many"),
        parameter("of", Choice(&["file", "tcp"]), "file", "what they are; tcp: connections over the loopback")
    ], |settings, _| {
        let (of, count) = (select::Of::read(settings)?, length(settings.integer("descriptors")?));
        build(move |_| select::Select::new(of, count))
    };
}

const OVERHEAD: Measure = measure(
    "overhead",
    "s",
    Guest,
    "what the measuring itself costs per operation, measured apart and contained in the value",
);
const WITHOUT_OVERHEAD: Measure = measure("without-overhead", "s", Guest, "the value less the overhead");
const PAGES_PER_FAULT: Measure = measure("pages-per-fault", "1", Nothing, "pages that the system maps at one fault");

/// The parameter of operations on a file of their own: where it is.
const DIRECTORY: crate::operation::Parameter =
    optional("directory", Text, "in memory", "folder of the file, which has no name and is gone afterwards");

/// The parameter of bandwidths.
const MESSAGE: crate::operation::Parameter =
    parameter("size", bytes(8, 1 << 30), "64K", "bytes of a message, a multiple of 8");

#[cfg(unix)]
fn bandwidth(settings: &Settings<'_>, threads: u64, make_link: link::MakeLink) -> Result<Build, Failure> {
    let size = settings.integer("size")?;
    if size % 8 != 0 {
        return Err(wrong(format!("size is {size}, not a multiple of 8")));
    }
    crate::buffer::ensure_memory(2 * size * threads, "the messages")?;
    let size = length(size);
    build(move |pinning| stream::Stream::new(make_link, size, pinning))
}

#[cfg(unix)]
fn page_fault(settings: &Settings<'_>, _threads: u64) -> Result<Build, Failure> {
    let directory = scratch::directory(settings)?;
    let size = settings.integer("size")?;
    if settings.choice("mapping", &[("anonymous", false), ("file", true)])? {
        build(move |_| faults::OfFile::new(size, directory.as_deref()))
    } else {
        build(|_| faults::Anonymous::new())
    }
}

#[cfg(unix)]
fn file_reread(settings: &Settings<'_>, threads: u64) -> Result<Build, Failure> {
    let size = settings.integer("size")?;
    if size % 8 != 0 {
        return Err(wrong(format!("size is {size}, not a multiple of 8")));
    }
    crate::buffer::ensure_memory(size.saturating_mul(threads), "the pages of the file")?;
    let config = reread::Config {
        method: reread::ReadMethod::read(settings)?,
        size: length(size),
        block: length(settings.integer("block")?),
        sum: settings.boolean("sum")?,
        file: settings.optional_text("file")?.map(str::to_owned),
        directory: scratch::directory(settings)?,
    };
    if !config.block.is_multiple_of(8) {
        return Err(wrong(format!("block is {}, not a multiple of 8", config.block)));
    }
    if config.file.is_some() && config.directory.is_some() {
        return Err(wrong("file and directory contradict each other; give one of them"));
    }
    build(move |_| reread::Reread::new(config.clone()))
}

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let pin = Pin::read(settings, task)?;
    #[cfg(unix)]
    let known = OPS.iter().zip(CHOICES).find(|(op, _)| op.name == task.op);
    #[cfg(windows)]
    let known = OPS.iter().zip(windows::choices(OPS)).find(|(op, _)| op.name == task.op);
    let (op, choose) = known.ok_or_else(|| wrong(format!("the kernel os has no op {:?}", task.op)))?;
    let build = choose(settings, task.threads as u64)?;
    #[cfg(unix)]
    let expected = expected::Expected::of(op.name, settings)?;
    Ok(Arc::new(move |index| {
        let pinning = Pinning::of(pin, index)?;
        let operation = build(&pinning)?;
        let measured = Measured::new(operation, pinning, op.unit, op.work);
        #[cfg(unix)]
        let measured = measured.expecting(expected.clone());
        Ok(Box::new(measured))
    }))
}

/// Converts what the settings have limited.
#[cfg(unix)]
fn length(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
