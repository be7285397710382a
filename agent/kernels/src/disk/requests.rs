//! The operations that follow an access specification.

use super::engine::{Engine, Job, Memory, Notes, Psync};
use super::open::{open, Access, Opened};
use super::specification::{Schedule, Specification};
use super::system::{lacks, FileExt};
use super::{guard, wrong_content};
#[cfg(unix)]
use super::{libaio::Libaio, queue::Queued, uring::Uring};
use crate::buffer::{available_memory, Buffer};
use crate::pattern;
use crate::random::Random;
use crate::settings::{wrong, Settings};
use std::io;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{now_ns, os_failure, CheckValue, CpuClock, Extras, Merge, Stretch, Times, Worker};

/// Blocks that one iteration writes are prepared in memory beforehand, at most so many bytes; where an eighth of what
/// is available is less, then that.
const PREPARED: u64 = 128 << 20;

/// Most requests of one iteration: each notes a word and a time.
const MOST_REQUESTS: u64 = 1 << 18;

/// Blocks up to this many bytes are in one piece whatever pages they are on.
const SMALL_PAGE: usize = 4096;

/// Blocks that are read again and compared in full when the run ends.
const CHECKED_AGAIN: u64 = 16;

/// An iteration with several requests under way begins with none and ends with none. It is so long that this does
/// not count, ns.
const DEEP_NS: u64 = 50_000_000;

/// For the same reason it has at least so many times as many requests as are under way at once.
const ROUNDS: u64 = 4;

/// How requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Psync,
    Libaio,
    IoUring,
}

impl Way {
    pub(super) fn parse(settings: &Settings<'_>, depth: u64) -> Result<Self, Failure> {
        match settings.optional_text("engine")?.unwrap_or("psync") {
            "psync" if depth == 1 => Ok(Way::Psync),
            "psync" => Err(wrong(format!(
                "depth is {depth}; the engine psync has only depth 1 (take several threads, or another engine)"
            ))),
            "libaio" => Ok(Way::Libaio),
            "io_uring" => Ok(Way::IoUring),
            other => Err(wrong(format!("engine is {other:?}; there are psync, libaio, io_uring"))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Way::Psync => "psync",
            Way::Libaio => "libaio",
            Way::IoUring => "io_uring",
        }
    }

    fn engine(self, depth: u32) -> io::Result<Box<dyn Engine>> {
        #[cfg(unix)]
        let slots = depth as usize;
        #[cfg(windows)]
        let _ = depth;
        Ok(match self {
            Way::Psync => Box::new(Psync),
            #[cfg(windows)]
            Way::Libaio | Way::IoUring => return Err(io::ErrorKind::Unsupported.into()),
            #[cfg(unix)]
            Way::Libaio => Box::new(Queued::new(Libaio::new(slots)?, slots)),
            #[cfg(unix)]
            Way::IoUring => Box::new(Queued::new(Uring::new(depth)?, slots)),
        })
    }
}

/// How much of what is read or written is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verify {
    Nothing,
    /// Of each block that is read its first word, of each iteration one block in full.
    Sample,
    /// Everything: what is read, and what was written by reading it again.
    Full,
}

impl Verify {
    pub(super) fn parse(settings: &Settings<'_>) -> Result<Self, Failure> {
        match settings.optional_text("verify")?.unwrap_or("sample") {
            "none" => Ok(Verify::Nothing),
            "sample" => Ok(Verify::Sample),
            "full" => Ok(Verify::Full),
            other => Err(wrong(format!("verify is {other:?}; there are none, sample, full"))),
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) path: String,
    pub(super) access: Access,
    pub(super) specification: Specification,
    /// Bytes of the file that are used.
    pub(super) span: u64,
    pub(super) way: Way,
    pub(super) depth: u32,
    pub(super) verify: Verify,
    /// Work is counted in requests, not in bytes.
    pub(super) count_requests: bool,
    pub(super) seed: u64,
    pub(super) threads: u64,
}

/// What the iterations since the window began came to.
#[derive(Default)]
struct Totals {
    requests: u64,
    bytes: u64,
    timed_ns: u64,
    cpu_ns: u64,
    checksum: u64,
    latency: Times,
}

/// One thread that makes requests.
pub(super) struct Requests {
    wish: Wish,
    engine: Box<dyn Engine>,
    job: Job,
    reader: std::fs::File,
    conditions: Conditions,
    schedule: Schedule,
    totals: Totals,
    /// Most bytes that are prepared for writing, or kept to be compared.
    prepared: u64,
}

impl Requests {
    pub(super) fn new(wish: &Wish, index: u64) -> Result<Self, Failure> {
        let specification = &wish.specification;
        // No worker writes before all stand: one look does for all.
        if specification.writes() && index == 0 {
            guard::ensure_filled(&wish.path, wish.span, wish.seed)?;
        }
        let block =
            usize::try_from(specification.largest()).map_err(|_| wrong("size is too large for this processor"))?;
        let kinds: Vec<(u64, u64)> = specification.kinds.iter().map(|kind| (kind.size, kind.align)).collect();
        let Opened { file, reader, mut conditions } = open(&wish.path, wish.access, wish.span, &kinds)?;
        let engine = wish.way.engine(wish.depth).map_err(|cause| refused(wish.way, &cause))?;
        let memory = Memory::new(wish.depth as usize, block)?;
        if wish.access.direct && block > SMALL_PAGE {
            // A block in one piece of the machine's memory is one piece for the device as well, which is far quicker.
            conditions.insert("huge_pages".into(), memory.huge_pages().into());
        }
        let notes = Notes { want_words: wish.verify != Verify::Nothing, ..Notes::default() };
        let mut requests = Requests {
            engine,
            job: Job { file, requests: Vec::new(), memory, notes },
            reader,
            conditions,
            schedule: Schedule::new(specification, wish.span, wish.seed, index, wish.threads),
            totals: Totals::default(),
            prepared: PREPARED.min(available_memory() / 8 / wish.threads),
            wish: wish.clone(),
        };
        requests.try_engine()?;
        Ok(requests)
    }

    /// One read: some systems refuse an engine only when it is used.
    fn try_engine(&mut self) -> Result<(), Failure> {
        let mut first = self.schedule.clone().next();
        first.write = false;
        self.job.requests = vec![first];
        self.job.notes.clear(1);
        match self.engine.carry_out(&mut self.job, 0..1) {
            Err(cause) if self.wish.way != Way::Psync && lacks(&cause) => Err(refused(self.wish.way, &cause)),
            other => other.map_err(|cause| self.failed(&cause)),
        }
    }

    fn failed(&self, cause: &io::Error) -> Failure {
        let verb = match (self.wish.specification.reads(), self.wish.specification.writes()) {
            (true, true) => "use",
            (_, true) => "write",
            _ => "read",
        };
        os_failure(&format!("cannot {verb} {}", self.wish.path), cause)
    }

    /// Least requests of an iteration.
    fn least(&self) -> u64 {
        match self.wish.depth {
            1 => 1,
            depth => u64::from(depth) * ROUNDS,
        }
    }

    /// Whether a request's bytes are prepared beforehand or kept until they are compared.
    fn has_place(&self, write: bool) -> bool {
        write || self.wish.verify == Verify::Full
    }

    fn carry_out(&mut self) -> io::Result<Stretch> {
        let (count, burst) = (self.job.requests.len(), self.wish.specification.burst);
        let start_ns = now_ns();
        if burst == 0 {
            self.engine.carry_out(&mut self.job, 0..count)?;
        } else {
            for begin in (0..count).step_by(burst) {
                self.engine.carry_out(&mut self.job, begin..count.min(begin + burst))?;
                std::thread::sleep(self.wish.specification.think);
            }
        }
        Ok(Stretch { start_ns, end_ns: now_ns(), work: 0 })
    }

    fn check(&self, bytes: &[u8], offset: u64) -> Result<(), Failure> {
        match pattern::first_fault(bytes, offset) {
            None => Ok(()),
            Some(at) => Err(wrong_content(&self.wish.path, at)),
        }
    }

    /// Read the block at `offset` again, past the engine, and compare it in full.
    fn check_again(&self, again: &mut Buffer, length: usize, offset: u64) -> Result<(), Failure> {
        let bytes = &mut again.bytes_mut()[..length];
        bytes.fill(0xFF);
        self.reader.read_exact_at(bytes, offset).map_err(|cause| self.failed(&cause))?;
        self.check(again.bytes().get(..length).unwrap_or_default(), offset)
    }

    /// Compare the first word of each block read; and in full one block, or all of them.
    fn check_reads(&self) -> Result<u64, Failure> {
        let mut checksum = 0u64;
        let full = self.wish.verify == Verify::Full;
        for (request, word) in self.job.requests.iter().zip(&self.job.notes.words).filter(|(request, _)| !request.write)
        {
            if *word != pattern::word(request.offset / 8) {
                return Err(wrong_content(&self.wish.path, request.offset));
            }
            checksum = checksum.rotate_left(1) ^ word;
            if full {
                self.check(self.job.memory.bytes(request, 0), request.offset)?;
            }
        }
        if let Some((index, slot)) = self.job.notes.last_read {
            let request = &self.job.requests[index];
            self.check(self.job.memory.bytes(request, slot), request.offset)?;
        }
        Ok(checksum)
    }

    fn check_writes(&self) -> Result<(), Failure> {
        let longest = self.job.memory.block();
        let mut again = Buffer::new(longest)?;
        for request in self.job.requests.iter().filter(|request| request.write) {
            self.check_again(&mut again, request.length, request.offset)?;
        }
        Ok(())
    }
}

fn refused(way: Way, cause: &io::Error) -> Failure {
    let name = way.name();
    if !lacks(cause) {
        return os_failure(&format!("cannot set up the engine {name}"), cause);
    }
    let said = os_failure("", cause).message;
    let message = format!("this system does not offer the engine {name}{said}; psync works everywhere");
    Failure::new(Code::NotSupported, message)
}

impl Worker for Requests {
    fn most_repeats(&self) -> u64 {
        let kinds = &self.wish.specification.kinds;
        // Hundredths of a hundredth of the mean bytes that a request prepares.
        let bytes: u64 = kinds
            .iter()
            .map(|kind| kind.size * kind.share * if self.has_place(false) { 100 } else { 100 - kind.read })
            .sum();
        match bytes {
            0 => MOST_REQUESTS,
            bytes => (self.prepared.saturating_mul(10_000) / bytes).clamp(1, MOST_REQUESTS),
        }
    }

    fn aim_ns(&self) -> u64 {
        if self.wish.depth > 1 {
            DEEP_NS
        } else {
            0
        }
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        let count = usize::try_from(repeats.max(self.least())).unwrap_or(usize::MAX);
        self.job.requests.clear();
        let mut end = 0;
        for _ in 0..count {
            let mut request = self.schedule.next();
            if self.has_place(request.write) {
                let place = Memory::next_place(end);
                request.place = Some(place);
                end = place + request.length;
            }
            self.job.requests.push(request);
        }
        self.job.memory.reserve(end)?;
        for request in self.job.requests.iter().filter(|request| request.place.is_some()) {
            let bytes = self.job.memory.bytes_mut(request, 0);
            if request.write {
                pattern::fill(bytes, request.offset);
            } else {
                bytes.fill(0xFF);
            }
        }
        self.job.notes.clear(count);
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let cpu = CpuClock::start();
        let mut stretch = self.carry_out().map_err(|cause| self.failed(&cause))?;
        let cpu = cpu.elapsed();
        let requests = self.job.requests.len() as u64;
        let bytes: u64 = self.job.requests.iter().map(|request| request.length as u64).sum();
        self.totals.cpu_ns += cpu.user_ns + cpu.system_ns;
        self.totals.requests += requests;
        self.totals.bytes += bytes;
        self.totals.timed_ns += stretch.end_ns - stretch.start_ns;
        stretch.work = if self.wish.count_requests { requests } else { bytes };
        Ok(stretch)
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        for took_ns in &self.job.notes.latencies {
            self.totals.latency.record(*took_ns);
        }
        let checksum = if self.wish.verify == Verify::Nothing { 0 } else { self.check_reads()? };
        if self.wish.verify == Verify::Full {
            self.check_writes()?;
        }
        self.totals.checksum ^= checksum;
        Ok(if self.wish.specification.reads() && self.wish.verify != Verify::Nothing {
            CheckValue::Checksum(checksum)
        } else {
            CheckValue::Count(self.job.requests.len() as u64)
        })
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.totals = Totals::default();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    /// Reads blocks again: some of those of the last iteration, others where there was nothing but reading.
    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let writes = self.wish.specification.writes();
        if writes {
            self.job.file.sync_data().map_err(|cause| self.failed(&cause))?;
        }
        let mut checksum = self.totals.checksum;
        if self.wish.verify == Verify::Nothing {
            return Ok(CheckValue::Checksum(checksum));
        }
        let mut again = Buffer::new(self.job.memory.block())?;
        let kind = self.wish.specification.kinds[0];
        let mut spread = Random::new(self.wish.seed);
        let written: Vec<_> = self.job.requests.iter().filter(|request| request.write).take(16).copied().collect();
        for turn in 0..CHECKED_AGAIN {
            let (offset, length) = if writes {
                match usize::try_from(turn).ok().and_then(|turn| written.get(turn)) {
                    Some(request) => (request.offset, request.length),
                    None => break,
                }
            } else {
                let block = spread.below((self.wish.span - kind.size) / kind.align + 1);
                (block * kind.align, usize::try_from(kind.size).unwrap_or(usize::MAX))
            };
            self.check_again(&mut again, length, offset)?;
            if writes {
                checksum = checksum.rotate_left(1) ^ pattern::word(offset / 8);
            }
        }
        Ok(CheckValue::Checksum(checksum))
    }

    fn extras(&mut self) -> Extras {
        #[allow(clippy::cast_precision_loss)] // counts and times of a run, far below 2^53
        let number = |value: u64| value as f64;
        let totals = std::mem::take(&mut self.totals);
        let seconds = number(totals.timed_ns) * 1e-9;
        // The processor time is that of all threads, which work in the same stretches.
        let all = number(totals.requests) * number(self.wish.threads);
        let mut extras = Extras::default().histogram("latency", totals.latency);
        // Where a system counts in steps that are longer than the run, there is none to tell of.
        if totals.cpu_ns > 0 {
            extras = extras.measure("cpu-per-io", "s", number(totals.cpu_ns) * 1e-9 / all, Merge::Mean);
        }
        if self.wish.count_requests {
            extras.measure("throughput", "B/s", number(totals.bytes) / seconds, Merge::Sum)
        } else {
            extras.measure("io-rate", "IO/s", number(totals.requests) / seconds, Merge::Sum)
        }
    }
}
