//! The operations of iozone and Bonnie on a whole file, record by record or byte by byte, and lmdd's writing of blocks.

use super::bytes::{Getter, Putter};
use super::file_op::{AccessKind, Begin, FileOp};
use super::own_file::{flush, past_cache, Place};
use super::page_cache::{cached_bytes, evict};
use super::read_back::Block;
use super::record::{change, first_fault, folded, noted, stamp};
use super::requests::Verify;
use crate::buffer::{ensure_memory, Buffer};
use crate::pattern;
use crate::random::Random;
use crate::settings::check_failed;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, os_failure, CheckValue, CpuClock, Extras, Merge, Stretch, Worker};

/// Most files that one iteration uses.
const MOST_FILES: u64 = 256;

/// Bytes that the files of one iteration may have in total, unless a single one has more.
const MOST_BYTES: u64 = 1 << 30;

/// Records that are compared in full after each pass that wrote, and at the end.
const CHECKED_AGAIN: u64 = 16;

/// Of random records every so many is changed.
const CHANGED_EVERY: u64 = 10;

/// The checked settings.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) place: Place,
    pub(super) file_op: FileOp,
    /// Bytes of the file, a multiple of `size`.
    pub(super) span: u64,
    /// Bytes of a record, a multiple of 8.
    pub(super) size: usize,
    /// Each pass ends with fsync.
    pub(super) flush: bool,
    pub(super) verify: Verify,
    pub(super) seed: u64,
    pub(super) threads: u64,
    /// Bytes that the file system has room for.
    pub(super) free_bytes: u64,
}

pub(super) struct Records {
    config: Config,
    /// One for each pass of an iteration where passes need files of their own, otherwise one.
    files: Vec<File>,
    conditions: Conditions,
    /// One record.
    record: Buffer,
    random: Random,
    /// What the first words read in an iteration came to, in their order.
    found: u64,
    /// The random numbers at the beginning of the iteration.
    replay: Random,
    passes: u64,
    /// Passes that have written so far; every record tells by which of them it was written.
    written: u64,
    /// Passes before the last iteration, and when the first of its files was made.
    before: u64,
    made: u64,
    /// Passes of the last iteration that ended with fsync.
    flushes: u64,
    /// Records that the last iteration has handled.
    handled: u64,
    told: u64,
    cpu_ns: u64,
    records: u64,
}

impl Records {
    pub(super) fn new(config: &Config, index: u64) -> Result<Self, Failure> {
        let mut config = config.clone();
        if index > 0 {
            config.place.path = format!("{}.{index}", config.place.path);
        }
        ensure_memory(config.size as u64, "one record")?;
        let mut record = Buffer::aligned(config.size, false)?;
        pattern::fill(record.bytes_mut(), 0);
        let random = Random::new(crate::random::mix(config.seed) ^ index);
        let mut records = Records {
            files: Vec::new(),
            conditions: Conditions::new(),
            record,
            replay: random.clone(),
            random,
            found: 0,
            passes: 0,
            written: 0,
            before: 0,
            made: 0,
            flushes: 0,
            handled: 0,
            told: 0,
            cpu_ns: 0,
            records: 0,
            config,
        };
        if records.config.file_op.begin == Begin::Fresh {
            let file = records.config.place.create()?;
            records.conditions = records.config.place.set_up(&file)?;
        } else {
            records.add_written()?;
        }
        Ok(records)
    }

    fn count(&self) -> u64 {
        self.config.span / self.config.size as u64
    }

    fn failed(&self, verb: &str, cause: &io::Error) -> Failure {
        os_failure(&format!("cannot {verb} {}", self.config.place.path), cause)
    }

    fn failed_here(&self, cause: &io::Error) -> Failure {
        let verb = match self.config.file_op.access_kind {
            AccessKind::Write | AccessKind::Put => "write",
            AccessKind::Read | AccessKind::Get => "read",
            AccessKind::Rewrite | AccessKind::Seek => "use",
        };
        self.failed(verb, cause)
    }

    fn add_empty(&mut self) -> Result<(), Failure> {
        let file = self.config.place.create()?;
        self.conditions = self.config.place.set_up(&file)?;
        self.files.push(file);
        Ok(())
    }

    /// Make a file that holds its records.
    fn add_written(&mut self) -> Result<(), Failure> {
        self.add_empty()?;
        let file = self.files.len() - 1;
        for record in 0..self.count() {
            let offset = record * self.config.size as u64;
            stamp(self.record.bytes_mut(), offset, self.made);
            let written = self.files[file].write_all_at(self.record.bytes(), offset);
            written.map_err(|cause| self.failed("write", &cause))?;
        }
        self.files[file].sync_data().map_err(|cause| self.failed("write", &cause))
    }

    /// Note whether the page cache has given up the files: some file systems have nothing else to hold them in.
    fn note_cache(&mut self) {
        let held = self.files.iter().map(cached_bytes).try_fold(0, |sum, bytes| bytes.map(|bytes| sum + bytes));
        let held = match held {
            None => "unknown",
            Some(0) => "empty",
            Some(_) => "holds the file",
        };
        let known = self.conditions.entry("page_cache".into()).or_insert_with(|| held.into());
        if held != "empty" {
            *known = held.into();
        }
    }

    /// One pass over a file.
    fn pass(&mut self, file: usize, repeats: u64) -> io::Result<()> {
        let (file_op, size, count) = (self.config.file_op, self.config.size as u64, self.count());
        self.written += 1;
        let written = self.written;
        let mut handled = 0;
        let record = self.record.bytes_mut();
        let mut file = &self.files[file];
        let mut found = self.found;
        if !file_op.positional {
            file.seek(SeekFrom::Start(0))?;
        }
        match file_op.access_kind {
            AccessKind::Write if file_op.positional => {
                for turn in 0..count {
                    let offset = file_op.order.record_at(turn, count) * size;
                    stamp(record, offset, written);
                    file.write_all_at(record, offset)?;
                    handled += 1;
                }
            }
            AccessKind::Write => {
                for turn in 0..count {
                    stamp(record, turn * size, written);
                    file.write_all(record)?;
                    handled += 1;
                }
            }
            AccessKind::Read if file_op.positional => {
                for turn in 0..count {
                    file.read_exact_at(record, file_op.order.record_at(turn, count) * size)?;
                    found = noted(found, record);
                    handled += 1;
                }
            }
            AccessKind::Read => {
                for _ in 0..count {
                    file.read_exact(record)?;
                    found = noted(found, record);
                    handled += 1;
                }
            }
            AccessKind::Rewrite => {
                for turn in 0..count {
                    file.read_exact(record)?;
                    found = noted(found, record);
                    change(record, written);
                    file.seek(SeekFrom::Start(turn * size))?;
                    file.write_all(record)?;
                    handled += 1;
                }
            }
            AccessKind::Put => {
                let mut putter = Putter::new(file);
                for turn in 0..count {
                    stamp(record, turn * size, written);
                    for byte in record.iter() {
                        putter.put(*byte)?;
                    }
                    handled += 1;
                }
                putter.flush()?;
            }
            AccessKind::Get => {
                let mut getter = Getter::new(file);
                for _ in 0..count {
                    for byte in record.iter_mut() {
                        *byte = getter.get()?;
                    }
                    found = noted(found, record);
                    handled += 1;
                }
            }
            AccessKind::Seek => {
                for turn in 0..repeats {
                    let offset = self.random.below(count) * size;
                    file.seek(SeekFrom::Start(offset))?;
                    file.read_exact(record)?;
                    found = noted(found, record);
                    handled += 1;
                    if turn % CHANGED_EVERY == CHANGED_EVERY - 1 {
                        change(record, written);
                        file.seek(SeekFrom::Start(offset))?;
                        file.write_all(record)?;
                    }
                }
            }
        }
        self.found = found;
        self.handled += handled;
        if self.config.flush {
            flush(file, &mut self.flushes)?;
        }
        Ok(())
    }

    /// Passes of an iteration.
    fn passes_of(&self, repeats: u64) -> u64 {
        if self.config.file_op.access_kind == AccessKind::Seek {
            1
        } else {
            repeats
        }
    }

    /// What the first words of an iteration ought to come to.
    fn expected(&self) -> u64 {
        let (size, count, mut expected) = (self.config.size as u64, self.count(), 0);
        let mut one = |record: u64| expected = folded(expected, pattern::word(record * size / 8));
        if self.config.file_op.access_kind == AccessKind::Seek {
            let mut replay = self.replay.clone();
            (0..self.passes).for_each(|_| one(replay.below(count)));
        } else {
            for _ in 0..self.passes {
                (0..count).for_each(|turn| one(self.config.file_op.order.record_at(turn, count)));
            }
        }
        expected
    }

    /// The passes of which a record of the file number `file` may be.
    fn passes_for(&self, file: usize) -> std::ops::RangeInclusive<u64> {
        let last = self.before + file as u64 + 1;
        match (self.config.file_op.access_kind, self.config.file_op.begin) {
            (AccessKind::Read | AccessKind::Get, _) => self.made..=self.made,
            // The places are random: some records are as they were made.
            (AccessKind::Seek, _) => self.made..=self.written,
            // Every pass was over the same file.
            (_, Begin::Warm) => self.written..=self.written,
            _ => last..=last,
        }
    }

    /// Read a record of a file again and compare it in full: past the page cache where the writes claim to be on the
    /// medium.
    fn check_record(
        &self,
        file: &File,
        again: &mut Block,
        record: u64,
        passes: &std::ops::RangeInclusive<u64>,
    ) -> Result<(), Failure> {
        let (offset, size) = (record * self.config.size as u64, self.config.size);
        let failed = |cause: io::Error| self.failed("read", &cause);
        let mut fault = |file: &File| {
            let record = again.read(file, offset, size)?;
            Ok(first_fault(record, offset, |pass| passes.contains(&pass)))
        };
        let on_medium = self.config.flush || self.config.place.synchronous;
        let found = if on_medium { past_cache(file, &mut fault).and_then(|found| found) } else { fault(file) };
        match found.map_err(failed)? {
            None => Ok(()),
            Some(fault) => {
                let (path, at) = (&self.config.place.path, offset + fault);
                Err(check_failed(format!("the file made at {path} has other content than was written at byte {at}")))
            }
        }
    }

    fn check_file(&self, number: usize, all: bool) -> Result<(), Failure> {
        let (file, passes) = (&self.files[number], self.passes_for(number));
        let length = file.metadata().map_err(|cause| self.failed("read", &cause))?.len();
        if length != self.config.span {
            let message = format!(
                "the file made at {} has {length} bytes instead of {}",
                self.config.place.path, self.config.span
            );
            return Err(check_failed(message));
        }
        let mut again = Block::new(self.config.size)?;
        let count = self.count();
        if all {
            return (0..count).try_for_each(|record| self.check_record(file, &mut again, record, &passes));
        }
        let mut spread = Random::new(self.config.seed);
        let mut check = |record| self.check_record(file, &mut again, record, &passes);
        (0..CHECKED_AGAIN.min(count)).try_for_each(|_| check(spread.below(count)))
    }

    fn check_files(&self, all: bool) -> Result<(), Failure> {
        (0..self.files.len()).try_for_each(|number| self.check_file(number, all))
    }

    /// The records that random changes have reached in the last iteration are those of its pass.
    fn check_changed(&self, all: bool) -> Result<(), Failure> {
        let (mut replay, count) = (self.replay.clone(), self.count());
        let places = (1..=self.passes).map(|turn| (turn % CHANGED_EVERY == 0, replay.below(count)));
        let changed: Vec<u64> = places.filter(|(changed, _)| *changed).map(|(_, record)| record).collect();
        let every = if all { 1 } else { changed.len() / 16 + 1 };
        let mut again = Block::new(self.config.size)?;
        let passes = self.written..=self.written;
        changed
            .iter()
            .rev()
            .step_by(every)
            .try_for_each(|record| self.check_record(&self.files[0], &mut again, *record, &passes))
    }

    /// What was handled and flushed is what counts as work.
    fn check_count(&self) -> Result<(), Failure> {
        let work = match self.config.file_op.access_kind {
            AccessKind::Seek => self.handled,
            _ => self.handled * self.config.size as u64,
        };
        if work != self.told {
            return Err(check_failed(format!("{} records were handled, which count as {}", self.handled, self.told)));
        }
        let passes = if self.config.file_op.access_kind == AccessKind::Seek { 1 } else { self.passes };
        if self.config.flush && self.flushes != passes {
            return Err(check_failed(format!("{} of {passes} passes ended with fsync", self.flushes)));
        }
        Ok(())
    }
}

impl Worker for Records {
    fn most_repeats(&self) -> u64 {
        match (self.config.file_op.access_kind, self.config.file_op.begin) {
            (AccessKind::Seek, _) => 1 << 18,
            (_, Begin::Warm) => 1 << 20,
            _ => (MOST_BYTES.min(self.config.free_bytes / 2) / self.config.span).clamp(1, MOST_FILES),
        }
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        let passes = self.passes_of(repeats);
        match self.config.file_op.begin {
            Begin::Fresh => {
                self.files.clear();
                (0..passes).try_for_each(|_| self.add_empty())?;
            }
            Begin::Cold => {
                let wanted = usize::try_from(passes).unwrap_or(usize::MAX);
                if self.files.len() < wanted {
                    self.made = self.written;
                    self.files.clear();
                    (0..wanted).try_for_each(|_| self.add_written())?;
                }
                self.files.truncate(wanted);
                self.files.iter().try_for_each(evict).map_err(|cause| self.failed("evict", &cause))?;
                self.note_cache();
            }
            Begin::Warm => {}
        }
        pattern::fill(self.record.bytes_mut(), 0);
        (self.found, self.handled, self.flushes) = (0, 0, 0);
        self.replay = self.random.clone();
        self.before = self.written;
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let passes = self.passes_of(repeats);
        let cpu = CpuClock::start();
        let start_ns = now_ns();
        for pass in 0..passes {
            let file = usize::try_from(pass).unwrap_or(0) % self.files.len();
            self.pass(file, repeats).map_err(|cause| self.failed_here(&cause))?;
        }
        let end_ns = now_ns();
        let cpu = cpu.elapsed();
        let seeks = self.config.file_op.access_kind == AccessKind::Seek;
        self.passes = if seeks { repeats } else { passes };
        self.told = if seeks { repeats } else { passes * self.config.span };
        self.cpu_ns += cpu.user_ns + cpu.system_ns;
        self.records += if seeks { repeats } else { passes * self.count() };
        Ok(Stretch { start_ns, end_ns, work: self.told })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let all = self.config.verify == Verify::Full;
        self.check_count()?;
        if self.config.verify == Verify::Nothing {
            return Ok(CheckValue::Count(self.passes));
        }
        if matches!(self.config.file_op.access_kind, AccessKind::Write | AccessKind::Put) {
            self.check_files(all)?;
            return Ok(CheckValue::Count(self.passes));
        }
        if self.found != self.expected() {
            self.check_files(true)?;
            let path = &self.config.place.path;
            return Err(check_failed(format!("what was read from the file made at {path} is not what it holds")));
        }
        match self.config.file_op.access_kind {
            AccessKind::Seek => self.check_changed(all)?,
            AccessKind::Rewrite => self.check_files(all)?,
            _ => {}
        }
        if all {
            self.check_files(true)?;
        }
        Ok(CheckValue::Checksum(self.found))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        (self.cpu_ns, self.records) = (0, 0);
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        if self.config.verify != Verify::Nothing {
            self.check_files(false)?;
        }
        Ok(CheckValue::Count(self.records))
    }

    fn extras(&mut self) -> Extras {
        #[allow(clippy::cast_precision_loss)] // counts and times of a run, far below 2^53
        let number = |value: u64| value as f64;
        let seconds = number(self.cpu_ns) * 1e-9;
        let all = number(self.records) * number(self.config.threads);
        Extras::default().measure("cpu-per-io", "s", seconds / all, Merge::Mean)
    }
}

#[cfg(test)]
mod tests;
