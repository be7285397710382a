//! Input and output of a file or block device, one request after the other (`psync`, depth 1).
//!
//! The content of the file is the pattern of PROTOCOL.md: every write writes it, every read is checked against it.
//! In the timed stretch there are only the system calls and the noting of each block's first word.

use crate::buffer::{available_memory, Buffer};
use crate::pattern;
use crate::random::Random;
use crate::settings::{check_failed, wrong};
use crate::ParameterKind::{Boolean, Integer, Text};
use crate::{parameter, Op, Parameter, Settings};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{now_ns, os_failure, CheckValue, Maker, Stretch, Task, Worker};

mod guard;
mod open;
use open::{open, Access, Opened};

/// What all operations have, and what one has besides.
macro_rules! parameters {
    ($($more:expr)?) => {
        &[
            parameter("file", Text, "", "file or block device"),
            parameter("size", Integer, "4096", "bytes of a block"),
            parameter("span", Integer, "0, the whole file", "bytes of the file that are used"),
            parameter("direct", Boolean, "true", "past the page cache (O_DIRECT), where that works"),
            parameter("depth", Integer, "1", "requests under way at once"),
            parameter("engine", Text, "psync", "how requests are made"),
            parameter("seed", Integer, "1", "seed of the random offsets"),
            $($more)?
        ]
    };
}

static PARAMETERS: &[Parameter] = parameters!();
static FILL_PARAMETERS: &[Parameter] =
    parameters!(parameter("overwrite", Boolean, "false", "fill also what holds something else, which is lost"));

pub(crate) static OPS: &[Op] = &[
    Op { name: "sequential-read", unit: Unit::BytePerSecond, work: "bytes", parameters: PARAMETERS },
    Op { name: "random-read", unit: Unit::IoPerSecond, work: "requests", parameters: PARAMETERS },
    Op { name: "sequential-write", unit: Unit::BytePerSecond, work: "bytes", parameters: PARAMETERS },
    Op { name: "random-write", unit: Unit::IoPerSecond, work: "requests", parameters: PARAMETERS },
    Op {
        name: "fill",
        unit: Unit::BytePerSecond,
        work: "bytes; writes the whole span once",
        parameters: FILL_PARAMETERS,
    },
];

/// Bytes that `fill` writes at once.
const FILL_BLOCK: u64 = 1 << 20;

/// Blocks that one iteration writes are prepared in memory beforehand, at most so many bytes; where an eighth of what
/// is available is less, then that.
const PREPARED: u64 = 128 << 20;

/// Most requests of one iteration: each notes a word.
const MOST_REQUESTS: u64 = 1 << 18;

/// Blocks that are read again and compared in full when the run ends.
const CHECKED_AGAIN: u64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Plan {
    random: bool,
    write: bool,
    fill: bool,
    /// Whatever the file holds may be lost.
    overwrite: bool,
    /// Bytes of a block.
    size: u64,
    /// Whole blocks in the span.
    blocks: u64,
    threads: u64,
    seed: u64,
}

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    let path = settings.text("file")?.to_owned();
    let fill = task.op == "fill";
    let write = fill || task.op.ends_with("write");
    let mut size = settings.integer("size", 4096, 8..=1 << 30)?;
    if size % 8 != 0 {
        return Err(wrong(format!("size is {size}, not a multiple of 8")));
    }
    let span = settings.integer("span", 0, 0..=1 << 50)?;
    let direct = settings.boolean("direct", true)?;
    let depth = settings.integer("depth", 1, 1..=65_536)?;
    let engine = settings.optional_text("engine")?.unwrap_or("psync");
    if engine != "psync" {
        return Err(wrong(format!("engine is {engine:?}; this version has only psync")));
    }
    if depth != 1 {
        return Err(wrong(format!("depth is {depth}; the engine psync has only depth 1")));
    }
    let seed = settings.integer("seed", 1, 0..=virtometer_protocol::MAX_INTEGER)?;
    let overwrite = settings.boolean("overwrite", false)?;
    if fill {
        size = FILL_BLOCK;
        if task.threads != 1 {
            return Err(wrong("fill has one thread"));
        }
        if span % 4096 != 0 {
            return Err(wrong(format!("span is {span}, not a multiple of 4096")));
        }
    }
    let access = Access { write, create: fill && span > 0, direct };
    let length = open::length(&path, access)?;
    let span = match (span, length) {
        (0, Some(length)) => length,
        (0, None) => return Err(wrong(format!("{path} does not exist: give the span to fill"))),
        (span, Some(length)) if span > length.max(if fill { span } else { 0 }) => {
            return Err(wrong(format!("span is {span}, but {path} has only {length} bytes")));
        }
        (span, _) => span,
    };
    if fill {
        open::ensure_room(&path, span)?;
    }
    let blocks = if fill { (span + size - 1) / size } else { span / size };
    if blocks == 0 {
        return Err(wrong(format!("{path} has {span} bytes to use, which is less than one block of {size}")));
    }
    if !fill && blocks < task.threads as u64 {
        return Err(wrong(format!("{blocks} blocks are too few for {} threads", task.threads)));
    }
    let threads = task.threads as u64;
    let random = task.op.starts_with("random");
    let plan = Plan { random, write, fill, overwrite, size, blocks, threads, seed };
    Ok(Arc::new(move |index| Ok(Box::new(Requests::new(&path, access, plan, span, index as u64)?))))
}

/// Which blocks are used, in order.
#[derive(Clone, Debug)]
enum Order {
    Sequential { next: u64, blocks: u64 },
    Random { random: Random, blocks: u64 },
}

impl Order {
    fn next(&mut self) -> u64 {
        match self {
            Order::Sequential { next, blocks } => {
                let block = *next;
                *next = if block + 1 == *blocks { 0 } else { block + 1 };
                block
            }
            Order::Random { random, blocks } => random.below(*blocks),
        }
    }
}

struct Requests {
    path: String,
    plan: Plan,
    span: u64,
    opened: Opened,
    /// One block for reads, all blocks of an iteration for writes.
    buffer: Buffer,
    order: Order,
    /// The order at the beginning of the iteration, from which it can be made again.
    replay: Order,
    /// First word of each block read.
    words: Vec<u64>,
    requests: u64,
    done: u64,
    checksum: u64,
    /// Most bytes that are prepared for writing.
    prepared: u64,
}

impl Requests {
    fn new(path: &str, access: Access, plan: Plan, span: u64, index: u64) -> Result<Self, Failure> {
        let block = usize::try_from(plan.size).map_err(|_| wrong("size is too large for this processor"))?;
        guard::ensure_own(path, plan, span, index)?;
        let mut probe = Buffer::new(block)?;
        let opened = open(path, access, span, probe.bytes_mut())?;
        let order = if plan.random {
            // Spread the threads' seeds: those of neighbouring numbers would overlap.
            Order::Random { random: Random::new(crate::random::mix(plan.seed) ^ index), blocks: plan.blocks }
        } else {
            Order::Sequential { next: plan.blocks / plan.threads * index, blocks: plan.blocks }
        };
        Ok(Requests {
            path: path.to_owned(),
            plan,
            span,
            opened,
            buffer: probe,
            replay: order.clone(),
            order,
            words: Vec::new(),
            requests: 0,
            done: 0,
            checksum: 0,
            prepared: PREPARED.min(available_memory() / 8),
        })
    }

    fn block(&self) -> usize {
        // It was converted without loss when the worker was built.
        usize::try_from(self.plan.size).unwrap_or(usize::MAX)
    }

    fn failed(&self, cause: &io::Error) -> Failure {
        let verb = if self.plan.write { "write" } else { "read" };
        os_failure(&format!("cannot {verb} {}", self.path), cause)
    }

    fn work(&self, requests: u64) -> u64 {
        if self.plan.random {
            requests
        } else {
            requests * self.plan.size
        }
    }

    fn run_reads(&mut self, repeats: u64) -> io::Result<Stretch> {
        let size = self.plan.size;
        let buffer = self.buffer.bytes_mut();
        let start_ns = now_ns();
        for _ in 0..repeats {
            read_all(&self.opened.file, buffer, self.order.next() * size)?;
            let mut word = [0; 8];
            word.copy_from_slice(&buffer[..8]);
            self.words.push(u64::from_le_bytes(word));
        }
        Ok(Stretch { start_ns, end_ns: now_ns(), work: self.work(repeats) })
    }

    fn run_writes(&mut self, repeats: u64) -> io::Result<Stretch> {
        let (size, block) = (self.plan.size, self.block());
        let start_ns = now_ns();
        let count = usize::try_from(repeats).unwrap_or(usize::MAX);
        for bytes in self.buffer.bytes().chunks_exact(block).take(count) {
            write_all(&self.opened.file, bytes, self.order.next() * size)?;
        }
        Ok(Stretch { start_ns, end_ns: now_ns(), work: self.work(repeats) })
    }

    /// The next block of the file; the last may be shorter.
    fn run_fill(&mut self) -> io::Result<Stretch> {
        let offset = self.done * self.plan.size;
        let length = self.plan.size.min(self.span - offset);
        let bytes = &self.buffer.bytes()[..usize::try_from(length).unwrap_or(usize::MAX)];
        let start_ns = now_ns();
        write_all(&self.opened.file, bytes, offset)?;
        Ok(Stretch { start_ns, end_ns: now_ns(), work: length })
    }

    fn check_block(&self, bytes: &[u8], offset: u64) -> Result<(), Failure> {
        match pattern::first_fault(bytes, offset) {
            None => Ok(()),
            Some(at) => Err(self.wrong_content(at)),
        }
    }

    fn wrong_content(&self, at: u64) -> Failure {
        check_failed(format!("{} has other content than the pattern at byte {at}; was it filled?", self.path))
    }
}

fn read_all(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let read = file.read_at(buffer, offset)?;
    if read < buffer.len() {
        return file.read_exact_at(&mut buffer[read..], offset + read as u64);
    }
    Ok(())
}

fn write_all(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let written = file.write_at(bytes, offset)?;
    if written < bytes.len() {
        return file.write_all_at(&bytes[written..], offset + written as u64);
    }
    Ok(())
}

impl Worker for Requests {
    fn calibrated(&self) -> bool {
        !self.plan.fill
    }

    fn most_repeats(&self) -> u64 {
        if self.plan.write {
            (self.prepared / self.plan.size).clamp(1, MOST_REQUESTS)
        } else {
            MOST_REQUESTS
        }
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        self.requests = repeats;
        self.replay = self.order.clone();
        let block = self.block();
        if self.plan.fill {
            pattern::fill(self.buffer.bytes_mut(), self.done * self.plan.size);
        } else if self.plan.write {
            let wanted = block * usize::try_from(repeats).unwrap_or(usize::MAX);
            if self.buffer.bytes().len() < wanted {
                self.buffer = Buffer::new(wanted)?;
            }
            let mut order = self.order.clone();
            for bytes in self.buffer.bytes_mut().chunks_exact_mut(block).take(wanted / block) {
                pattern::fill(bytes, order.next() * self.plan.size);
            }
        } else {
            self.words.clear();
            self.words.reserve(usize::try_from(repeats).unwrap_or(0));
            self.buffer.bytes_mut().fill(0xFF);
        }
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let stretch = if self.plan.fill {
            self.run_fill()
        } else if self.plan.write {
            self.run_writes(repeats)
        } else {
            self.run_reads(repeats)
        };
        stretch.map_err(|cause| self.failed(&cause))
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        if self.plan.fill {
            self.done += 1;
        }
        if self.plan.write {
            return Ok(CheckValue::Count(self.requests));
        }
        let mut replay = self.replay.clone();
        let mut checksum = 0u64;
        let mut last = 0;
        for word in &self.words {
            last = replay.next() * self.plan.size;
            if *word != pattern::word(last / 8) {
                return Err(self.wrong_content(last));
            }
            checksum = checksum.rotate_left(1) ^ word;
        }
        self.check_block(self.buffer.bytes(), last)?;
        self.checksum ^= checksum;
        Ok(CheckValue::Checksum(checksum))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.checksum = 0;
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        self.plan.fill.then_some(self.done == self.plan.blocks)
    }

    fn conditions(&self) -> Conditions {
        self.opened.conditions.clone()
    }

    /// Reads blocks again: those of the last iteration where blocks were written, others where they were read.
    fn finish(&mut self) -> Result<CheckValue, Failure> {
        if self.plan.write {
            self.opened.file.sync_data().map_err(|cause| self.failed(&cause))?;
        }
        let block = self.block();
        let mut again = Buffer::new(block)?;
        let mut replay = self.replay.clone();
        let mut spread = Random::new(self.plan.seed);
        for turn in 0..CHECKED_AGAIN {
            let index = match (self.plan.fill, self.plan.write) {
                (true, _) if self.done == 0 => break,
                (true, _) => spread.below(self.done),
                (_, true) if turn >= self.requests => break,
                (_, true) => replay.next(),
                _ => spread.below(self.plan.blocks),
            };
            let offset = index * self.plan.size;
            let length = usize::try_from(self.plan.size.min(self.span - offset)).unwrap_or(block);
            let bytes = &mut again.bytes_mut()[..length];
            read_all(&self.opened.reader, bytes, offset).map_err(|cause| self.failed(&cause))?;
            self.check_block(bytes, offset)?;
            if self.plan.write {
                self.checksum = self.checksum.rotate_left(1) ^ pattern::word(offset / 8);
            }
        }
        Ok(CheckValue::Checksum(self.checksum))
    }
}

#[cfg(test)]
mod tests;
