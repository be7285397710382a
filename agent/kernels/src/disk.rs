//! Input and output of a file or block device, after an access specification, one or many requests at a time; of a
//! whole file of its own, record by record; and the making and removing of many files.
//!
//! The content of a file or device that is named is the pattern of KERNELS.md: every write writes it, every read is
//! checked against it. In the timed stretch there are only the requests and the noting of each one's time and first
//! word.

use crate::clock_cost::CLOCK_SHARE;
use crate::operation::ParameterKind::{Boolean, Choice, Text};
use crate::operation::TimedBy::Guest;
use crate::operation::{bytes, integer, measure, optional, parameter, Measure, Op, Parameter, ParameterKind};
use crate::settings::wrong;
use crate::settings::Settings;
use std::sync::Arc;
use virtometer_protocol::{Failure, Unit, MAX_INTEGER};
use virtometer_sampling::{Task, WorkerFactory};

#[cfg(unix)]
mod bytes;
#[cfg(unix)]
mod cleanup;
mod engine;
#[cfg(unix)]
mod file_op;
mod fill;
mod flags;
mod guard;
#[cfg(unix)]
mod libaio;
#[cfg(unix)]
mod linux;
#[cfg(unix)]
mod names;
mod open;
#[cfg(unix)]
mod own_file;
#[cfg(unix)]
mod page_cache;
#[cfg(unix)]
mod queue;
mod read_back;
#[cfg(unix)]
mod record;
#[cfg(unix)]
mod records;
mod requests;
mod restore;
mod specification;
mod stamp;
#[cfg(unix)]
mod uring;
#[cfg(windows)]
mod windows;
mod writes;

#[cfg(unix)]
use linux as system;
#[cfg(windows)]
use windows as system;

use open::Access;
use requests::{EngineKind, Verify};
use specification::{Specification, LARGEST};
#[cfg(unix)]
use {
    file_op::{FileOp, FILE_OPS},
    own_file::Place,
};

/// Most requests under way at once.
const DEEPEST: u64 = 1024;

/// Most bytes of a file that are used.
const MOST_SPAN: u64 = 1 << 50;

const FILE: Parameter = parameter("file", Text, "", "file or block device");
const SPAN: Parameter =
    parameter("span", bytes(0, MOST_SPAN), "0", "bytes of the file that are used; 0: the whole file");
const DIRECT: Parameter = parameter("direct", Boolean, "true", "past the page cache (O_DIRECT), where that works");
const VERIFY: Parameter = parameter("verify", Choice(&["none", "sample", "full"]), "sample", "what is compared");
const SEEDS: ParameterKind = integer(0, MAX_INTEGER);
const SEED: Parameter = parameter("seed", SEEDS, "1", "seed of the random offsets");

// Of what follows an access specification.
const SIZE: Parameter = parameter("size", bytes(8, LARGEST), "4096", "bytes of a block");
const DEPTH: Parameter = parameter("depth", integer(1, DEEPEST), "1", "requests under way at once, of each thread");
const ENGINE: Parameter =
    parameter("engine", Choice(&["psync", "libaio", "io_uring"]), "psync", "how requests are made; psync: depth 1");
const PAGES: Parameter = parameter(
    "pages",
    Choice(&["small", "huge"]),
    "small",
    "what the memory of the blocks lies on; huge: fewer pieces for the device, and an error where there are none",
);
const ALIGN: Parameter =
    parameter("align", bytes(0, LARGEST), "0", "offsets are multiples of this many bytes; 0: of the size");
const THINK: Parameter = parameter("think", integer(0, 60_000_000), "0", "pause after each burst in us, which counts");
const BURST: Parameter = parameter("burst", integer(1, 1 << 20), "1", "requests between two pauses");
const SYNC: Parameter =
    parameter("sync", Choice(&["none", "each"]), "none", "each: every write is on the medium when it ends");
const READ: Parameter = parameter("read", integer(0, 100), "100", "percent of the requests that read");
const RANDOM: Parameter = parameter("random", integer(0, 100), "100", "percent of the requests that go anywhere");
const MIX: Parameter =
    optional("mix", Text, "one size", "several sizes, as in \"4K share=67 read=80 random=100, 64K share=33\"");

// Of what uses a whole file of its own.
const OWN_FILE: Parameter = parameter("file", Text, "", "a name that is free; the file is gone afterwards");
const OWN_SPAN: Parameter =
    parameter("span", bytes(512, MOST_SPAN), "64M", "bytes of the file, which has the whole records that fit");
const OWN_DIRECT: Parameter = parameter("direct", Boolean, "false", DIRECT.meaning);
const OWN_SYNC: Parameter = parameter(
    "sync",
    Choice(&["none", "each", "end"]),
    "none",
    "each: every write is on the medium when it ends; end: fsync after a pass",
);
const RECORD: Parameter = parameter("size", bytes(512, LARGEST), "4096", "bytes of a record, a multiple of 512");

const READ_PARAMETERS: &[Parameter] =
    &[FILE, SIZE, SPAN, DIRECT, DEPTH, ENGINE, PAGES, ALIGN, THINK, BURST, VERIFY, SEED];
const WRITE_PARAMETERS: &[Parameter] =
    &[FILE, SIZE, SPAN, DIRECT, DEPTH, ENGINE, PAGES, ALIGN, THINK, BURST, VERIFY, SEED, SYNC];
const ACCESS_PARAMETERS: &[Parameter] =
    &[FILE, SIZE, SPAN, DIRECT, DEPTH, ENGINE, PAGES, ALIGN, THINK, BURST, VERIFY, SEED, SYNC, READ, RANDOM, MIX];
const FILL_PARAMETERS: &[Parameter] = &[
    FILE,
    SPAN,
    DIRECT,
    parameter("seed", SEEDS, "1", "seed of the places that are looked at"),
    parameter("overwrite", Boolean, "false", "fill also what holds something else, which is lost"),
];
const RECORD_PARAMETERS: &[Parameter] = &[OWN_FILE, OWN_SPAN, OWN_DIRECT, OWN_SYNC, VERIFY, SEED, RECORD];
const BYTE_PARAMETERS: &[Parameter] = &[OWN_FILE, OWN_SPAN, OWN_DIRECT, OWN_SYNC, VERIFY, SEED];
const NAME_PARAMETERS: &[Parameter] = &[
    parameter("folder", Text, "", "a folder that is empty or does not exist"),
    parameter("files", integer(1, 1_000_000), "1024", "files of one iteration"),
    parameter("size", bytes(0, 1 << 20), "0", "bytes of each file"),
    parameter("seed", SEEDS, "1", "seed of the names"),
];

const CPU_PER_IO: Measure =
    measure("cpu-per-io", "s", Guest, "processor time of the agent per request or record, its system calls included");
const IO_RATE: Measure = measure("io-rate", "IO/s", Guest, "requests a second");
const THROUGHPUT: Measure = measure("throughput", "B/s", Guest, "bytes a second");

/// Requests in the order of the file, whose bytes are counted.
const fn sequential(name: &'static str, parameters: &'static [Parameter]) -> Op {
    let measures = &[CLOCK_SHARE, CPU_PER_IO, IO_RATE];
    Op { name, unit: Unit::BytePerSecond, work: "bytes", parameters, measures, arrays: None, judged: None }
}

/// Requests that are counted themselves.
const fn requests(name: &'static str, parameters: &'static [Parameter]) -> Op {
    let measures = &[CLOCK_SHARE, CPU_PER_IO, THROUGHPUT];
    Op { name, unit: Unit::IoPerSecond, work: "requests", parameters, measures, arrays: None, judged: None }
}

const fn whole_file(name: &'static str, parameters: &'static [Parameter]) -> Op {
    let measures = &[CPU_PER_IO];
    Op { name, unit: Unit::BytePerSecond, work: "bytes of the file", parameters, measures, arrays: None, judged: None }
}

const fn names(name: &'static str) -> Op {
    let parameters = NAME_PARAMETERS;
    Op { name, unit: Unit::PerSecond, work: "files", parameters, measures: &[], arrays: None, judged: None }
}

pub(crate) static OPS: &[Op] = &[
    sequential("sequential-read", READ_PARAMETERS),
    requests("random-read", READ_PARAMETERS),
    sequential("sequential-write", WRITE_PARAMETERS),
    requests("random-write", WRITE_PARAMETERS),
    requests("access", ACCESS_PARAMETERS),
    Op {
        name: "fill",
        unit: Unit::BytePerSecond,
        work: "bytes; writes the whole span once",
        parameters: FILL_PARAMETERS,
        measures: &[],
        arrays: None,
        judged: None,
    },
    whole_file("write", RECORD_PARAMETERS),
    whole_file("rewrite", RECORD_PARAMETERS),
    whole_file("read", RECORD_PARAMETERS),
    whole_file("reread", RECORD_PARAMETERS),
    whole_file("pwrite", RECORD_PARAMETERS),
    whole_file("repwrite", RECORD_PARAMETERS),
    whole_file("pread", RECORD_PARAMETERS),
    whole_file("repread", RECORD_PARAMETERS),
    whole_file("backward-read", RECORD_PARAMETERS),
    whole_file("stride-read", RECORD_PARAMETERS),
    whole_file("char-write", BYTE_PARAMETERS),
    whole_file("char-read", BYTE_PARAMETERS),
    whole_file("read-rewrite", RECORD_PARAMETERS),
    Op {
        name: "seeks",
        unit: Unit::PerSecond,
        work: "records read at random",
        parameters: RECORD_PARAMETERS,
        measures: &[CPU_PER_IO],
        arrays: None,
        judged: None,
    },
    names("create-sequential"),
    names("stat-sequential"),
    names("delete-sequential"),
    names("create-random"),
    names("stat-random"),
    names("delete-random"),
];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    match task.op.as_str() {
        "fill" => make_fill(task, settings),
        #[cfg(unix)]
        op if op.starts_with("create-") => make_names(task, settings, names::NameOp::Create),
        #[cfg(unix)]
        op if op.starts_with("stat-") => make_names(task, settings, names::NameOp::Stat),
        #[cfg(unix)]
        op if op.starts_with("delete-") => make_names(task, settings, names::NameOp::Delete),
        #[cfg(unix)]
        op => match FILE_OPS.iter().find(|file_op| file_op.op == op) {
            Some(file_op) => make_records(task, settings, *file_op),
            None => make_requests(task, settings),
        },
        #[cfg(windows)]
        "access" | "sequential-read" | "random-read" | "sequential-write" | "random-write" => {
            make_requests(task, settings)
        }
        #[cfg(windows)]
        _ => Err(Failure::new(
            virtometer_protocol::Code::NotSupported,
            "on Windows the kernel disk measures fill and what follows an access specification",
        )),
    }
}

fn make_fill(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let path = settings.text("file")?.to_owned();
    let span = settings.integer("span")?;
    let overwrite = settings.boolean("overwrite")?;
    let seed = settings.integer("seed")?;
    if task.threads != 1 {
        return Err(wrong("fill has one thread"));
    }
    if span % 4096 != 0 {
        return Err(wrong(format!("span is {span}, not a multiple of 4096")));
    }
    let direct = settings.boolean("direct")?;
    let access = Access { write: true, create: span > 0, direct, synchronous: false };
    let span = match (span, open::length(&path, access)?) {
        (0, None) => return Err(wrong(format!("{path} does not exist: give the span to fill"))),
        (0, Some(0)) => return Err(wrong(format!("{path} is empty: give the span to fill"))),
        (0, Some(length)) => length,
        (span, _) => span,
    };
    open::ensure_room(&path, span)?;
    let config = fill::Config { path, access, span, overwrite, seed };
    Ok(Arc::new(move |_| Ok(Box::new(fill::Fill::new(&config)?))))
}

fn make_requests(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let path = settings.text("file")?.to_owned();
    let fixed = match task.op.as_str() {
        "sequential-read" => Some((100, 0)),
        "random-read" => Some((100, 100)),
        "sequential-write" => Some((0, 0)),
        "random-write" => Some((0, 100)),
        _ => None,
    };
    let specification = Specification::parse(settings, fixed)?;
    let depth = settings.integer("depth")?;
    let engine = EngineKind::parse(settings, depth)?;
    let huge = settings.choice("pages", &[("small", false), ("huge", true)])?;
    let verify = Verify::parse(settings)?;
    let synchronous = settings.choice("sync", &[("none", false), ("each", true)])?;
    let span = settings.integer("span")?;
    let direct = settings.boolean("direct")?;
    let seed = settings.integer("seed")?;
    let access = Access { write: specification.writes(), create: false, direct, synchronous };
    let length = open::length(&path, access)?.unwrap_or(0);
    if span > length {
        return Err(wrong(format!("span is {span}, but {path} has only {length} bytes")));
    }
    let span = if span == 0 { length } else { span };
    let (block, threads) = (specification.largest(), task.threads as u64);
    if span < block {
        return Err(wrong(format!("{path} has {span} bytes to use, which is less than one block of {block}")));
    }
    if span / block < threads {
        return Err(wrong(format!("{} blocks are too few for {threads} threads", span / block)));
    }
    // The deepest is 1024.
    let depth = u32::try_from(depth).unwrap_or(u32::MAX);
    let count_requests = !task.op.starts_with("sequential");
    let in_slices = task.control.is_in_slices();
    let config = requests::Config {
        path,
        access,
        specification,
        span,
        engine,
        depth,
        huge,
        verify,
        count_requests,
        seed,
        threads,
        in_slices,
    };
    Ok(Arc::new(move |index| Ok(Box::new(requests::Requests::new(&config, index as u64)?))))
}

#[cfg(unix)]
fn make_records(task: &Task, settings: &Settings<'_>, file_op: FileOp) -> Result<WorkerFactory, Failure> {
    let path = settings.text("file")?.to_owned();
    let size = settings.integer_or("size", 4096)?;
    if size % 512 != 0 {
        return Err(wrong(format!("size is {size}, not a multiple of 512")));
    }
    let span = settings.integer("span")?;
    if span < size {
        return Err(wrong(format!("span is {span}, less than the record of {size}")));
    }
    // As Iozone does: what is left over at the end belongs to no record.
    let span = span - span % size;
    let direct = settings.boolean("direct")?;
    if direct && size % 4096 != 0 {
        return Err(wrong(format!("size is {size}; past the page cache records are multiples of 4096")));
    }
    let verify = Verify::parse(settings)?;
    let seed = settings.integer("seed")?;
    let kinds = [("none", (false, false)), ("each", (true, false)), ("end", (false, true))];
    let (synchronous, flush) = settings.choice("sync", &kinds)?;
    let threads = task.threads as u64;
    open::ensure_room(&path, span.saturating_mul(threads))?;
    let free_bytes = open::free_bytes(&path).unwrap_or(u64::MAX) / threads;
    let place = Place { path, direct, synchronous };
    let size = usize::try_from(size).map_err(|_| wrong("size is too large for this processor"))?;
    let config = records::Config { place, file_op, span, size, flush, verify, seed, threads, free_bytes };
    Ok(Arc::new(move |index| Ok(Box::new(records::Records::new(&config, index as u64)?))))
}

#[cfg(unix)]
fn make_names(task: &Task, settings: &Settings<'_>, op: names::NameOp) -> Result<WorkerFactory, Failure> {
    let folder = settings.text("folder")?.to_owned();
    let files = settings.integer("files")?;
    let size = settings.integer("size")?;
    let seed = settings.integer("seed")?;
    let random = task.op.ends_with("-random");
    // Within the ranges above.
    let (files, size) = (usize::try_from(files).unwrap_or(usize::MAX), usize::try_from(size).unwrap_or(usize::MAX));
    let config = names::Config { folder, op, random, files, size, seed };
    Ok(Arc::new(move |index| Ok(Box::new(names::Names::new(&config, index as u64)?))))
}

#[cfg(test)]
mod tests;
