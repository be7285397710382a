//! The operations of iozone and Bonnie on a whole file, record by record or byte by byte, and lmdd's writing of blocks.

use super::bytes::{Getter, Putter};
use super::manner::{Act, Begin, Manner};
use super::own_file::{evict, Place};
use super::record::{change, first_fault, folded, last_word, noted, stamp};
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

/// Bytes that the files of one iteration may have together, unless a single one has more.
const MOST_BYTES: u64 = 1 << 30;

/// Records that are compared in full after each pass that wrote, and at the end.
const CHECKED_AGAIN: u64 = 16;

/// What is asked for.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) place: Place,
    pub(super) manner: Manner,
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
    pub(super) room: u64,
}

pub(super) struct Records {
    wish: Wish,
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
    /// How often records of the file have been changed: their last word tells it.
    generation: u64,
    cpu_ns: u64,
    records: u64,
}

impl Records {
    pub(super) fn new(wish: &Wish, index: u64) -> Result<Self, Failure> {
        let mut wish = wish.clone();
        if index > 0 {
            wish.place.path = format!("{}.{index}", wish.place.path);
        }
        ensure_memory(wish.size as u64, "one record")?;
        let mut record = Buffer::new(wish.size)?;
        record.wish_huge_pages(true);
        pattern::fill(record.bytes_mut(), 0);
        let random = Random::new(crate::random::mix(wish.seed) ^ index);
        let mut records = Records {
            files: Vec::new(),
            conditions: Conditions::new(),
            record,
            replay: random.clone(),
            random,
            found: 0,
            passes: 0,
            generation: 0,
            cpu_ns: 0,
            records: 0,
            wish,
        };
        if records.wish.manner.begin == Begin::Fresh {
            let file = records.wish.place.create()?;
            records.conditions = records.wish.place.set_up(&file)?;
        } else {
            records.add_written()?;
        }
        Ok(records)
    }

    fn count(&self) -> u64 {
        self.wish.span / self.wish.size as u64
    }

    fn failed(&self, verb: &str, cause: &io::Error) -> Failure {
        os_failure(&format!("cannot {verb} {}", self.wish.place.path), cause)
    }

    fn failed_here(&self, cause: &io::Error) -> Failure {
        let verb = match self.wish.manner.act {
            Act::Write | Act::Put => "write",
            Act::Read | Act::Get => "read",
            Act::Rewrite | Act::Seek => "use",
        };
        self.failed(verb, cause)
    }

    fn add_empty(&mut self) -> Result<(), Failure> {
        let file = self.wish.place.create()?;
        self.conditions = self.wish.place.set_up(&file)?;
        self.files.push(file);
        Ok(())
    }

    /// Make a file that holds its records.
    fn add_written(&mut self) -> Result<(), Failure> {
        self.add_empty()?;
        let file = self.files.len() - 1;
        for record in 0..self.count() {
            let offset = record * self.wish.size as u64;
            stamp(self.record.bytes_mut(), offset);
            let written = self.files[file].write_all_at(self.record.bytes(), offset);
            written.map_err(|cause| self.failed("write", &cause))?;
        }
        self.files[file].sync_data().map_err(|cause| self.failed("write", &cause))
    }

    /// One pass over a file.
    fn pass(&mut self, file: usize, repeats: u64) -> io::Result<()> {
        let (manner, size, count) = (self.wish.manner, self.wish.size as u64, self.count());
        let generation = self.generation + 1;
        let record = self.record.bytes_mut();
        let mut file = &self.files[file];
        let mut found = self.found;
        if !manner.positional {
            file.seek(SeekFrom::Start(0))?;
        }
        match manner.act {
            Act::Write if manner.positional => {
                for turn in 0..count {
                    let offset = manner.order.record_at(turn, count) * size;
                    stamp(record, offset);
                    file.write_all_at(record, offset)?;
                }
            }
            Act::Write => {
                for turn in 0..count {
                    stamp(record, turn * size);
                    file.write_all(record)?;
                }
            }
            Act::Read if manner.positional => {
                for turn in 0..count {
                    file.read_exact_at(record, manner.order.record_at(turn, count) * size)?;
                    found = noted(found, record);
                }
            }
            Act::Read => {
                for _ in 0..count {
                    file.read_exact(record)?;
                    found = noted(found, record);
                }
            }
            Act::Rewrite => {
                for turn in 0..count {
                    file.read_exact(record)?;
                    found = noted(found, record);
                    change(record, generation);
                    file.seek(SeekFrom::Start(turn * size))?;
                    file.write_all(record)?;
                }
            }
            Act::Put => {
                let mut putter = Putter::new(file);
                for turn in 0..count {
                    stamp(record, turn * size);
                    for byte in record.iter() {
                        putter.put(*byte)?;
                    }
                }
                putter.flush()?;
            }
            Act::Get => {
                let mut getter = Getter::new(file);
                for _ in 0..count {
                    for byte in record.iter_mut() {
                        *byte = getter.get()?;
                    }
                    found = noted(found, record);
                }
            }
            Act::Seek => {
                for turn in 0..repeats {
                    let offset = self.random.below(count) * size;
                    file.seek(SeekFrom::Start(offset))?;
                    file.read_exact(record)?;
                    found = noted(found, record);
                    if turn % 10 == 9 {
                        change(record, generation);
                        file.seek(SeekFrom::Start(offset))?;
                        file.write_all(record)?;
                    }
                }
            }
        }
        self.found = found;
        if self.wish.flush {
            file.sync_all()?;
        }
        Ok(())
    }

    /// Passes of an iteration.
    fn passes_of(&self, repeats: u64) -> u64 {
        if self.wish.manner.act == Act::Seek {
            1
        } else {
            repeats
        }
    }

    /// What the first words of an iteration ought to come to.
    fn expected(&self) -> u64 {
        let (size, count, mut expected) = (self.wish.size as u64, self.count(), 0);
        let mut one = |record: u64| expected = folded(expected, pattern::word(record * size / 8));
        if self.wish.manner.act == Act::Seek {
            let mut replay = self.replay.clone();
            (0..self.passes).for_each(|_| one(replay.below(count)));
        } else {
            for _ in 0..self.passes {
                (0..count).for_each(|turn| one(self.wish.manner.order.record_at(turn, count)));
            }
        }
        expected
    }

    /// Read a record of a file again and compare it in full.
    fn check_record(&self, file: &File, again: &mut Buffer, record: u64) -> Result<(), Failure> {
        let offset = record * self.wish.size as u64;
        file.read_exact_at(again.bytes_mut(), offset).map_err(|cause| self.failed("read", &cause))?;
        let (size, generation) = (self.wish.size, self.generation);
        let fault = first_fault(again.bytes(), offset, |last| match self.wish.manner.act {
            Act::Rewrite => last == last_word(size, generation),
            // Where that is random, it may be any time.
            Act::Seek => (0..=generation).rev().any(|generation| last == last_word(size, generation)),
            _ => last == last_word(size, 0),
        });
        match fault {
            None => Ok(()),
            Some(fault) => {
                let (path, at) = (&self.wish.place.path, offset + fault);
                Err(check_failed(format!("the file made at {path} has other content than was written at byte {at}")))
            }
        }
    }

    fn check_file(&self, file: &File, all: bool) -> Result<(), Failure> {
        let length = file.metadata().map_err(|cause| self.failed("read", &cause))?.len();
        if length != self.wish.span {
            let message =
                format!("the file made at {} has {length} bytes instead of {}", self.wish.place.path, self.wish.span);
            return Err(check_failed(message));
        }
        let mut again = Buffer::new(self.wish.size)?;
        let count = self.count();
        if all {
            return (0..count).try_for_each(|record| self.check_record(file, &mut again, record));
        }
        let mut spread = Random::new(self.wish.seed);
        (0..CHECKED_AGAIN.min(count)).try_for_each(|_| self.check_record(file, &mut again, spread.below(count)))
    }
}

impl Worker for Records {
    fn most_repeats(&self) -> u64 {
        match (self.wish.manner.act, self.wish.manner.begin) {
            (Act::Seek, _) => 1 << 18,
            (_, Begin::Warm) => 1 << 20,
            _ => (MOST_BYTES.min(self.wish.room / 2) / self.wish.span).clamp(1, MOST_FILES),
        }
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        let passes = self.passes_of(repeats);
        match self.wish.manner.begin {
            Begin::Fresh => {
                self.files.clear();
                (0..passes).try_for_each(|_| self.add_empty())?;
            }
            Begin::Cold => {
                let wanted = usize::try_from(passes).unwrap_or(usize::MAX);
                if self.files.len() < wanted {
                    // All files have been changed equally often.
                    self.generation = 0;
                    self.files.clear();
                    (0..wanted).try_for_each(|_| self.add_written())?;
                }
                self.files.truncate(wanted);
                self.files.iter().try_for_each(evict).map_err(|cause| self.failed("evict", &cause))?;
            }
            Begin::Warm => {}
        }
        pattern::fill(self.record.bytes_mut(), 0);
        self.found = 0;
        self.replay = self.random.clone();
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
        let seeks = self.wish.manner.act == Act::Seek;
        self.passes = if seeks { repeats } else { passes };
        self.generation += 1;
        self.cpu_ns += cpu.user_ns + cpu.system_ns;
        self.records += if seeks { repeats } else { passes * self.count() };
        Ok(Stretch { start_ns, end_ns, work: if seeks { repeats } else { passes * self.wish.span } })
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        let all = self.wish.verify == Verify::Full;
        if self.wish.verify == Verify::Nothing {
            return Ok(CheckValue::Count(self.passes));
        }
        if matches!(self.wish.manner.act, Act::Write | Act::Put) {
            let written = if self.wish.manner.begin == Begin::Fresh { &self.files[..] } else { &self.files[..1] };
            written.iter().try_for_each(|file| self.check_file(file, all))?;
            return Ok(CheckValue::Count(self.passes));
        }
        if self.found != self.expected() {
            self.files.iter().try_for_each(|file| self.check_file(file, true))?;
            let path = &self.wish.place.path;
            return Err(check_failed(format!("what was read from the file made at {path} is not what it holds")));
        }
        if all {
            self.files.iter().try_for_each(|file| self.check_file(file, true))?;
        }
        Ok(CheckValue::Checksum(self.found))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        (self.cpu_ns, self.records) = (0, 0);
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        if self.wish.verify != Verify::Nothing {
            self.files.iter().try_for_each(|file| self.check_file(file, false))?;
        }
        Ok(CheckValue::Count(self.records))
    }

    fn extras(&mut self) -> Extras {
        #[allow(clippy::cast_precision_loss)] // counts and times of a run, far below 2^53
        let number = |value: u64| value as f64;
        let seconds = number(self.cpu_ns) * 1e-9;
        let all = number(self.records) * number(self.wish.threads);
        Extras::default().measure("cpu-per-io", "s", seconds / all, Merge::Mean)
    }
}
