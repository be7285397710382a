//! The operations that follow an access specification.

mod distances;

use super::engine::{Engine, Job, Memory, Notes, Psync};
use super::open::{open, Access, Opened};
use super::read_back::ReadBack;
use super::restore::Touched;
use super::specification::{Schedule, Specification};
use super::system::lacks;
use super::writes::Writes;
use super::{guard, stamp};
#[cfg(unix)]
use super::{libaio::Libaio, queue::Queued, uring::Uring};
use crate::buffer::available_memory;
use crate::clock_cost::{affordable, reading_cost_ns};
use crate::pattern;
use crate::random::{mix, Random};
use crate::recorded_times::Taken;
use crate::settings::{check_failed, wrong, Settings};
use distances::Distances;
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

/// Blocks that are read again and compared in full when a run ends that only reads.
const CHECKED_AGAIN: u64 = 16;

/// An iteration with several requests under way begins with none and ends with none. It is so long that this does
/// not count, ns. The same holds for large blocks: of a few requests the first would count much, which begins after a
/// pause in which the processor was busy comparing.
const LONG_NS: u64 = 50_000_000;

/// Blocks of so many bytes are large.
const LARGE: usize = 128 << 10;

/// An iteration lasts at least so many readings of the clock.
const LEAST_READINGS: u64 = 2000;

/// An iteration may be so many times as quick as the quickest before it.
const MARGIN: u64 = 3;

/// For the same reason it has at least so many times as many requests as are under way at once.
const ROUNDS: u64 = 4;

/// Fewer places than this are no choice for them.
const FEW_PLACES: u64 = 64;

/// How requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineKind {
    Psync,
    Libaio,
    IoUring,
}

impl EngineKind {
    pub(super) fn parse(settings: &Settings<'_>, depth: u64) -> Result<Self, Failure> {
        let kinds = [EngineKind::Psync, EngineKind::Libaio, EngineKind::IoUring];
        match settings.choice("engine", &kinds.map(|engine| (engine.name(), engine)))? {
            EngineKind::Psync if depth > 1 => Err(wrong(format!(
                "depth is {depth}; the engine psync has only depth 1 (take several threads, or another engine)"
            ))),
            engine => Ok(engine),
        }
    }

    fn name(self) -> &'static str {
        match self {
            EngineKind::Psync => "psync",
            EngineKind::Libaio => "libaio",
            EngineKind::IoUring => "io_uring",
        }
    }

    fn engine(self, depth: u32) -> io::Result<Box<dyn Engine>> {
        #[cfg(unix)]
        let slots = depth as usize;
        #[cfg(windows)]
        let _ = depth;
        Ok(match self {
            EngineKind::Psync => Box::new(Psync),
            #[cfg(windows)]
            EngineKind::Libaio | EngineKind::IoUring => return Err(io::ErrorKind::Unsupported.into()),
            #[cfg(unix)]
            EngineKind::Libaio => Box::new(Queued::new(Libaio::new(slots)?, slots)),
            #[cfg(unix)]
            EngineKind::IoUring => Box::new(Queued::new(Uring::new(depth)?, slots)),
        })
    }
}

/// How much of what is read or written is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verify {
    Nothing,
    /// Of each block that is read its first word, of each iteration one of the blocks read and some of those written in
    /// full.
    Sample,
    /// Everything: what is read, and what was written by reading it again.
    Full,
}

impl Verify {
    pub(super) fn parse(settings: &Settings<'_>) -> Result<Self, Failure> {
        settings.choice("verify", &[("none", Verify::Nothing), ("sample", Verify::Sample), ("full", Verify::Full)])
    }
}

/// The checked settings.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) path: String,
    pub(super) access: Access,
    pub(super) specification: Specification,
    /// Bytes of the file that are used.
    pub(super) span: u64,
    pub(super) engine: EngineKind,
    pub(super) depth: u32,
    /// The memory of the blocks is to be on huge pages, not on small ones.
    pub(super) huge: bool,
    pub(super) verify: Verify,
    /// Work is counted in requests, not in bytes.
    pub(super) count_requests: bool,
    pub(super) seed: u64,
    pub(super) threads: u64,
    /// The work is done in slices: between them others may write to the file.
    pub(super) in_slices: bool,
}

/// What the iterations since the window began came to.
#[derive(Default)]
struct Totals {
    requests: u64,
    bytes: u64,
    timed_ns: u64,
    cpu_ns: u64,
    /// Readings of the clock within the timed stretches.
    readings: u64,
    checksum: u64,
    latency: Times,
    taken: Taken,
    order: Distances,
}

/// One thread that makes requests.
pub(super) struct Requests {
    config: Config,
    engine: Box<dyn Engine>,
    job: Job,
    /// Reads again the same way past or through the page cache as the requests go.
    read_back: ReadBack,
    /// Reads again from the medium, as far as that can be asked for.
    medium: ReadBack,
    /// For restoring the pattern.
    writer: std::fs::File,
    writes: Writes,
    touched: Touched,
    conditions: Conditions,
    schedule: Schedule,
    totals: Totals,
    /// Most bytes that are prepared for writing, or kept to be compared.
    prepared: u64,
    /// What one reading of the clock takes, ns.
    reading_ns: u64,
    /// The last iteration's work, as `run` has told it.
    told: u64,
    /// Time of one request in the quickest iteration without the readings of the clock, ns.
    request_ns: Option<u64>,
}

impl Requests {
    pub(super) fn new(config: &Config, index: u64) -> Result<Self, Failure> {
        let specification = &config.specification;
        // No worker writes before all stand: one look does for all.
        if specification.writes() && index == 0 {
            guard::ensure_filled(&config.path, config.span, config.seed)?;
        }
        let block =
            usize::try_from(specification.largest()).map_err(|_| wrong("size is too large for this processor"))?;
        let kinds: Vec<(u64, u64)> = specification.kinds.iter().map(|kind| (kind.size, kind.align)).collect();
        let Opened { file, reader, past_cache, mut conditions } =
            open(&config.path, config.access, config.span, &kinds)?;
        let failed = |cause| os_failure(&format!("cannot open {}", config.path), &cause);
        let medium = match past_cache {
            Some(past_cache) => ReadBack::new(past_cache, true, block)?,
            None => ReadBack::new(reader.try_clone().map_err(failed)?, false, block)?,
        };
        if specification.writes() && !medium.is_direct() {
            let reason = "O_DIRECT refused: what was written is read again through the page cache";
            conditions.insert("read_back_reason".into(), reason.into());
        }
        let read_back = ReadBack::new(reader.try_clone().map_err(failed)?, conditions["io"] == "direct", block)?;
        let engine = config.engine.engine(config.depth).map_err(|cause| refused(config.engine, &cause))?;
        let memory = Memory::new(config.depth as usize, block, config.huge)?;
        let notes = Notes::new(config.verify != Verify::Nothing);
        let mut requests = Requests {
            engine,
            job: Job { file, requests: Vec::new(), memory, notes },
            read_back,
            medium,
            writer: reader,
            writes: Writes::new(mix(config.seed) ^ index, config.engine == EngineKind::Psync),
            touched: Touched::new(if specification.writes() { config.span } else { 0 }),
            conditions,
            schedule: Schedule::new(specification, config.span, config.seed, index, config.threads),
            totals: Totals::default(),
            prepared: PREPARED.min(available_memory() / 8 / config.threads),
            reading_ns: reading_cost_ns(),
            told: 0,
            request_ns: None,
            config: config.clone(),
        };
        requests.try_engine()?;
        Ok(requests)
    }

    /// One read: some systems refuse an engine only when it is used.
    fn try_engine(&mut self) -> Result<(), Failure> {
        let mut first = self.schedule.clone().next();
        first.write = false;
        self.job.requests = vec![first];
        self.job.notes.clear(1, 0);
        match self.engine.carry_out(&mut self.job, 0..1) {
            Err(cause) if self.config.engine != EngineKind::Psync && lacks(&cause) => {
                Err(refused(self.config.engine, &cause))
            }
            other => other.map_err(|cause| self.failed(&cause)),
        }
    }

    fn failed(&self, cause: &io::Error) -> Failure {
        let verb = match (self.config.specification.reads(), self.config.specification.writes()) {
            (true, true) => "use",
            (_, true) => "write",
            _ => "read",
        };
        os_failure(&format!("cannot {verb} {}", self.config.path), cause)
    }

    /// Least requests of an iteration.
    fn least(&self) -> u64 {
        match self.config.depth {
            1 => 1,
            depth => u64::from(depth) * ROUNDS,
        }
    }

    /// Whether a request's bytes are prepared beforehand or kept until they are compared.
    fn has_place(&self, write: bool) -> bool {
        write || self.config.verify == Verify::Full
    }

    /// How many of `count` requests may be timed: so few that reading the clock costs at most 0.5 % of the work.
    fn may_time(&self, count: u64) -> u64 {
        let work_ns = count.saturating_mul(self.request_ns.unwrap_or(0)) / MARGIN;
        // The two readings at the ends of the iteration cost half each within it.
        let readings = affordable(self.reading_ns, work_ns).saturating_sub(1);
        // Where all are timed and nothing comes between them, the end of one is the beginning of the next.
        if self.config.specification.burst == 0 && readings > count {
            count
        } else {
            readings / 2
        }
    }

    fn carry_out(&mut self) -> io::Result<Stretch> {
        let (count, burst) = (self.job.requests.len(), self.config.specification.burst);
        let start_ns = now_ns();
        if burst == 0 {
            self.engine.carry_out(&mut self.job, 0..count)?;
        } else {
            for begin in (0..count).step_by(burst) {
                self.engine.carry_out(&mut self.job, begin..count.min(begin + burst))?;
                std::thread::sleep(self.config.specification.think);
            }
        }
        Ok(Stretch { start_ns, end_ns: now_ns(), work: 0 })
    }

    /// Give every write its bytes, which no other write has, and note what the file holds before those that will be
    /// compared.
    fn prepare_writes(&mut self) -> Result<(), Failure> {
        self.writes.begin(self.job.requests.len());
        for (index, request) in self.job.requests.iter().enumerate().filter(|(_, request)| request.write) {
            stamp::fill(self.job.memory.bytes_mut(request, 0), request.offset, self.writes.stamp(index));
            self.touched.add(request.offset, request.length);
        }
        match self.config.verify {
            Verify::Nothing => Ok(()),
            verify => {
                let all = verify == Verify::Full;
                self.writes.choose(&self.job.requests, all, &mut self.medium, &self.config.path)
            }
        }
    }

    /// Compare what was written, from the medium where the writes claim to be there.
    fn check_writes(&mut self, on_medium: bool) -> Result<(), Failure> {
        let read_back = if on_medium { &mut self.medium } else { &mut self.read_back };
        if on_medium {
            read_back
                .forget_cache()
                .map_err(|cause| os_failure(&format!("cannot write {}", self.config.path), &cause))?;
        }
        self.writes.compare(&self.job.requests, read_back, &self.config.path)
    }

    /// What the engine counted is what was asked for, and what counts as work.
    fn check_count(&self) -> Result<(), Failure> {
        let (requests, notes) = (&self.job.requests, &self.job.notes);
        let bytes: u64 = requests.iter().map(|request| request.length as u64).sum();
        let work = if self.config.count_requests { notes.complete } else { notes.moved };
        if notes.complete != requests.len() as u64 || notes.moved != bytes || work != self.told {
            return Err(check_failed(format!(
                "{} requests of {bytes} bytes were made and {} of {} bytes completed, which count as {}",
                requests.len(),
                notes.complete,
                notes.moved,
                self.told
            )));
        }
        let together = match self.config.specification.burst {
            0 => requests.len(),
            burst => burst.min(requests.len()),
        };
        let depth = together.min(self.config.depth as usize);
        if notes.deepest != depth {
            return Err(check_failed(format!("at most {} requests were under way and not {depth}", notes.deepest)));
        }
        // The next request is made as soon as there is room for it: whenever others are left, all slots are in use.
        let (waits, waited_for) = (notes.waits, notes.waited_for);
        if waited_for != waits * depth as u64 {
            let message =
                format!("at {waits} waits {waited_for} requests were under way at the same time, not {depth} at each");
            return Err(check_failed(message));
        }
        if notes.latencies.len() as u64 != notes.timed {
            let message = format!("{} requests were timed, and {} have a time", notes.timed, notes.latencies.len());
            return Err(check_failed(message));
        }
        Ok(())
    }

    /// The requests of the window went where their operation says, and all times of them are recorded.
    fn check_window(&self) -> Result<(), Failure> {
        let Config { specification, span, .. } = &self.config;
        let kind = specification.kinds[0];
        let places = (span - kind.size) / kind.align + 1;
        if specification.kinds.len() == 1 && places >= FEW_PLACES && !self.totals.order.are(kind.random, *span) {
            let Distances { count, elsewhere, .. } = self.totals.order;
            let wanted = if kind.random == 0 { "follow each other" } else { "go anywhere" };
            return Err(check_failed(format!("{count} requests do not {wanted}: {elsewhere} of them are elsewhere")));
        }
        self.totals.taken.compare(&self.totals.latency)
    }

    /// Bring back the pattern where this worker has written.
    fn restore(&mut self) -> Result<(), Failure> {
        if !self.touched.any() {
            return Ok(());
        }
        let restored = self.touched.restore(&self.writer, &self.config.path, self.writes.worker());
        restored.map_err(|cause| os_failure(&format!("cannot restore the pattern in {}", self.config.path), &cause))
    }

    /// Compare the first word of each block read; and in full one block, or all of them.
    fn check_reads(&self) -> Result<u64, Failure> {
        let check = |bytes: &[u8], offset: u64| match stamp::first_foreign(bytes, offset) {
            None => Ok(()),
            Some(at) => Err(guard::wrong_content(&self.config.path, at)),
        };
        let mut checksum = 0u64;
        let full = self.config.verify == Verify::Full;
        for (request, word) in self.job.requests.iter().zip(&self.job.notes.words).filter(|(request, _)| !request.write)
        {
            if !stamp::belongs(*word, request.offset) {
                return Err(guard::wrong_content(&self.config.path, request.offset));
            }
            // Stamps are as random as their workers' names: the checksum is that of the pattern.
            checksum = checksum.rotate_left(1) ^ pattern::word(request.offset / 8);
            if full {
                check(self.job.memory.bytes(request, 0), request.offset)?;
            }
        }
        if let Some((index, slot)) = self.job.notes.last_read {
            let request = &self.job.requests[index];
            check(self.job.memory.bytes(request, slot), request.offset)?;
        }
        Ok(checksum)
    }
}

impl Drop for Requests {
    /// After a failure; otherwise there is nothing left to restore.
    fn drop(&mut self) {
        let _ = self.restore();
    }
}

fn refused(engine: EngineKind, cause: &io::Error) -> Failure {
    let name = engine.name();
    if !lacks(cause) {
        return os_failure(&format!("cannot set up the engine {name}"), cause);
    }
    let said = os_failure("", cause).message;
    let message = format!("this system does not offer the engine {name}{said}; psync works everywhere");
    Failure::new(Code::NotSupported, message)
}

impl Worker for Requests {
    fn most_repeats(&self) -> u64 {
        let kinds = &self.config.specification.kinds;
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

    fn target_ns(&self) -> u64 {
        let long = if self.config.depth > 1 || self.job.memory.block() >= LARGE { LONG_NS } else { 0 };
        // Where reading the clock is dear, an iteration affords to time a request only if it is long.
        long.max(self.reading_ns.saturating_mul(LEAST_READINGS))
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
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
        // What no read gives: a block that was not read shows.
        for request in self.job.requests.iter().filter(|request| !request.write && request.place.is_some()) {
            self.job.memory.bytes_mut(request, 0).fill(0xFF);
        }
        self.job.memory.spoil_slots();
        self.job.notes.clear(count, self.may_time(count as u64));
        self.prepare_writes()
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
        let (timed_ns, readings) = (stretch.end_ns.saturating_sub(stretch.start_ns), self.job.notes.readings);
        self.totals.timed_ns += timed_ns;
        self.totals.readings += readings;
        let clock_ns = (readings + 1).saturating_mul(self.reading_ns);
        // Of an iteration that was short beside the readings only that no request can take longer than it did.
        let (known, work_ns) = match timed_ns / 50 >= clock_ns {
            true => (Some(u64::MAX), timed_ns - clock_ns),
            false => (None, timed_ns),
        };
        let quickest = self.request_ns.or(known);
        self.request_ns = quickest.map(|quickest| quickest.min(work_ns / requests.max(1)));
        stretch.work = if self.config.count_requests { requests } else { bytes };
        self.told = stretch.work;
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        for took_ns in &self.job.notes.latencies {
            self.totals.latency.record(*took_ns);
        }
        self.totals.taken.count += self.job.notes.timed;
        self.totals.taken.sum_ns += self.job.notes.latencies.iter().sum::<u64>();
        self.totals.order.add(&self.job.requests, self.config.specification.kinds[0].align);
        let checksum = if self.config.verify == Verify::Nothing { 0 } else { self.check_reads()? };
        self.check_count()?;
        if self.config.verify != Verify::Nothing {
            self.check_writes(self.config.access.synchronous)?;
        }
        self.totals.checksum ^= checksum;
        Ok(if self.config.specification.reads() && self.config.verify != Verify::Nothing {
            CheckValue::Checksum(checksum)
        } else {
            CheckValue::Count(self.job.requests.len() as u64)
        })
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.totals = Totals::default();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = self.conditions.clone();
        // A block in one piece of the machine's memory is one piece for the device as well, which is far quicker.
        if self.config.huge || (self.config.access.direct && self.job.memory.block() > SMALL_PAGE) {
            conditions.insert("huge_pages".into(), self.job.memory.huge_pages().into());
        }
        conditions
    }

    /// Reads blocks again: those of the last iteration that were compared, others where there was nothing but reading.
    /// What was written is then replaced by the pattern.
    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.check_window()?;
        let checksum = CheckValue::Checksum(self.totals.checksum);
        if self.config.specification.writes() {
            self.job.file.sync_data().map_err(|cause| self.failed(&cause))?;
            if self.config.verify != Verify::Nothing {
                if self.config.in_slices {
                    self.writes.expect_others();
                }
                self.check_writes(true)?;
                self.writes.ensure_changes(&self.config.path)?;
            }
            self.restore()?;
            return Ok(checksum);
        }
        if self.config.verify == Verify::Nothing {
            return Ok(checksum);
        }
        let kind = self.config.specification.kinds[0];
        let length = usize::try_from(kind.size).unwrap_or(usize::MAX);
        let mut spread = Random::new(self.config.seed);
        for _ in 0..CHECKED_AGAIN {
            let offset = spread.below((self.config.span - kind.size) / kind.align + 1) * kind.align;
            let block = self.read_back.read(&self.config.path, offset, length)?;
            if let Some(at) = stamp::first_foreign(block, offset) {
                return Err(guard::wrong_content(&self.config.path, at));
            }
        }
        Ok(checksum)
    }

    fn extras(&mut self) -> Extras {
        #[allow(clippy::cast_precision_loss)] // counts and times of a run, far below 2^53
        let number = |value: u64| value as f64;
        let totals = std::mem::take(&mut self.totals);
        let seconds = number(totals.timed_ns) * 1e-9;
        // The processor time is that of all threads, which work in the same stretches.
        let all = number(totals.requests) * number(self.config.threads);
        let mut extras = Extras::default().histogram("latency", totals.latency);
        // At most so much of the time was the clock's.
        let share = number(totals.readings) * number(self.reading_ns) / number(totals.timed_ns);
        extras = extras.measure("clock-share", "1", share, Merge::Max);
        // Where a system counts in steps that are longer than the run, there is none to tell of.
        if totals.cpu_ns > 0 {
            extras = extras.measure("cpu-per-io", "s", number(totals.cpu_ns) * 1e-9 / all, Merge::Mean);
        }
        if self.config.count_requests {
            extras.measure("throughput", "B/s", number(totals.bytes) / seconds, Merge::Sum)
        } else {
            extras.measure("io-rate", "IO/s", number(totals.requests) / seconds, Merge::Sum)
        }
    }
}

#[cfg(test)]
mod tests;
