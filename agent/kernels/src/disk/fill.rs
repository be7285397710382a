//! Filling a file or device with the pattern, once and from its beginning to its end.

use super::guard;
use super::open::{length, open, Access, Opened};
use super::stamp::{self, Worker as Stamper};
use super::system::FileExt;
use crate::buffer::Buffer;
use crate::pattern;
use crate::random::Random;
use crate::settings::check_failed;
use std::io;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{os_failure, timed, CheckValue, Stretch, Worker};

/// Bytes that are written at once.
const BLOCK: usize = 1 << 20;

/// Blocks that are read again and compared in full when all are written.
const CHECKED_AGAIN: u64 = 16;

/// The checked settings.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) path: String,
    pub(super) access: Access,
    /// Bytes to be filled.
    pub(super) span: u64,
    /// Whatever the file holds may be lost.
    pub(super) overwrite: bool,
    pub(super) seed: u64,
}

pub(super) struct Fill {
    config: Config,
    opened: Opened,
    buffer: Buffer,
    stamper: Stamper,
    /// Bytes that the file had before.
    existing: u64,
    /// Bytes written.
    done: u64,
    checksum: u64,
}

impl Fill {
    pub(super) fn new(config: &Config) -> Result<Self, Failure> {
        if !config.overwrite {
            guard::ensure_fillable(&config.path, config.span, config.seed)?;
        }
        let existing = length(&config.path, config.access)?.unwrap_or(0);
        let opened = open(&config.path, config.access, config.span, &[])?;
        let (buffer, stamper) = (Buffer::new(BLOCK)?, Stamper::new());
        Ok(Fill { config: config.clone(), opened, buffer, stamper, existing, done: 0, checksum: 0 })
    }

    /// Where the file holds already what is to be written, put stamps there: a write that does not happen then shows.
    fn spoil(&mut self) -> io::Result<()> {
        let (offset, length) = (self.done, self.length(self.done));
        let held = &mut self.buffer.bytes_mut()[..length];
        // Whole pages only: the file is not to become longer before the time counts.
        let found = self.opened.reader.read_at(held, offset)? / 4096 * 4096;
        let held = &mut held[..found];
        if stamp::differences(held, offset).any(|(_, difference)| difference == 0) {
            stamp::fill(held, offset, self.stamper.stamp(offset / BLOCK as u64));
            self.opened.reader.write_all_at(held, offset)?;
        }
        Ok(())
    }

    /// Bytes of the block at `offset`: the last may be shorter.
    fn length(&self, offset: u64) -> usize {
        usize::try_from(self.config.span - offset).unwrap_or(BLOCK).min(BLOCK)
    }

    fn failed(&self, verb: &str, cause: &io::Error) -> Failure {
        os_failure(&format!("cannot {verb} {}", self.config.path), cause)
    }
}

impl Worker for Fill {
    fn calibrated(&self) -> bool {
        false
    }

    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        if self.done < self.existing {
            self.spoil().map_err(|cause| self.failed("write", &cause))?;
        }
        pattern::fill(self.buffer.bytes_mut(), self.done);
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let length = self.length(self.done);
        let bytes = &self.buffer.bytes()[..length];
        let stretch = timed(length as u64, || self.opened.file.write_all_at(bytes, self.done));
        let stretch = stretch.map_err(|cause| self.failed("write", &cause))?;
        self.done += length as u64;
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }

    fn complete(&self) -> Option<bool> {
        Some(self.done == self.config.span)
    }

    fn conditions(&self) -> Conditions {
        self.opened.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.opened.file.sync_data().map_err(|cause| self.failed("write", &cause))?;
        let mut spread = Random::new(self.config.seed);
        let blocks = self.done.div_ceil(BLOCK as u64);
        for _ in 0..CHECKED_AGAIN.min(blocks) {
            let offset = spread.below(blocks) * BLOCK as u64;
            let length = self.length(offset);
            let bytes = &mut self.buffer.bytes_mut()[..length];
            bytes.fill(0xFF);
            let medium = self.opened.past_cache.as_ref().unwrap_or(&self.opened.reader);
            match medium.read_exact_at(bytes, offset) {
                Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => {
                    let message = format!("{} ends before the {} bytes that were written", self.config.path, self.done);
                    return Err(check_failed(message));
                }
                read => read.map_err(|cause| self.failed("read", &cause))?,
            }
            if let Some(at) = pattern::first_fault(&self.buffer.bytes()[..length], offset) {
                return Err(guard::wrong_content(&self.config.path, at));
            }
            self.checksum = self.checksum.rotate_left(1) ^ pattern::word(offset / 8);
        }
        Ok(CheckValue::Checksum(self.checksum))
    }
}
