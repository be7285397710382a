//! Mapping a file, touching some of it and unmapping it.

use super::faults::faults;
use super::file_mapping::FileMapping;
use super::operation::Operation;
use super::scratch::Scratch;
use crate::settings::check_failed;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::pread;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::os_failure;

/// One byte is written in so many, in the first tenth of the mapping.
const STEP: usize = 16 << 10;

/// Maps a file again and again.
pub(super) struct Mapping {
    file: Scratch,
    bytes: usize,
    tag: u8,
    mapped: u64,
    /// Page faults before the stretch; `None` where the system does not count them.
    faults: Option<u64>,
}

impl Mapping {
    pub(super) fn new(bytes: usize, directory: Option<&str>) -> Result<Self, Failure> {
        let file = Scratch::new(directory)?;
        let mut mapping = Mapping { file, bytes, tag: 0, mapped: 0, faults: None };
        // As long as it is to be, and with pages where it will be touched.
        mapping.file.write(&[0], bytes as u64 - 1)?;
        for offset in mapping.touched() {
            mapping.file.write(&[0], offset as u64)?;
        }
        let before = faults();
        mapping.repeat(1)?;
        mapping.faults = (faults() > before).then(faults);
        mapping.setup(1)?;
        Ok(mapping)
    }

    fn touched(&self) -> impl Iterator<Item = usize> {
        // The first byte in any case.
        (0..(self.bytes / 10).max(1)).step_by(STEP)
    }
}

impl Operation for Mapping {
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.tag = self.tag.wrapping_add(1);
        self.mapped = 0;
        self.faults = self.faults.map(|_| faults());
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        for _ in 0..repeats {
            let mut mapping = FileMapping::writable(&self.file.file, self.bytes)
                .map_err(|errno| os_failure("cannot map the file", &errno.into()))?;
            for offset in self.touched() {
                mapping.write(offset, self.tag);
            }
            self.mapped += 1;
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        // A mapping that is new has no pages: touching it is a fault at least.
        if let Some(faults) = self.faults.map(|before| faults() - before).filter(|faults| *faults < self.mapped) {
            return Err(check_failed(format!("{} mappings were touched with {faults} faults", self.mapped)));
        }
        for offset in self.touched() {
            let mut byte = [0];
            let read = pread(&self.file.file, &mut byte, offset as u64);
            if read != Ok(1) || byte != [self.tag] {
                return Err(check_failed(format!("byte {offset} of the file is not what was written to its mapping")));
            }
        }
        Ok(self.mapped)
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.file.file.as_fd()]
    }

    fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    fn conditions(&self, conditions: &mut Conditions) {
        self.file.conditions(conditions);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    #[test]
    fn mappings_that_were_not_made_are_reported() {
        let mut mapping = Mapping::new(1 << 20, None).unwrap();
        if mapping.faults.is_some() {
            mapping.setup(1000).unwrap();
            mapping.repeat(1).unwrap();
            mapping.mapped = 1000;
            let failure = mapping.counted().unwrap_err();
            assert!(failure.message.starts_with("1000 mappings were touched with "), "{failure}");
        }
    }

    #[test]
    fn a_byte_is_written_in_every_16_kib_of_the_first_tenth() {
        let mut mapping = Mapping::new(1 << 20, None).unwrap();
        mapping.setup(1).unwrap();
        mapping.repeat(1).unwrap();
        let mut content = vec![0; 1 << 20];
        assert_eq!(pread(&mapping.file.file, &mut content, 0), Ok(1 << 20));
        let written = content.iter().zip(0u32..).filter(|(byte, _)| **byte > 0).map(|(_, at)| at);
        assert_eq!(written.collect::<Vec<_>>(), [0, 16_384, 32_768, 49_152, 65_536, 81_920, 98_304]);
    }

    #[test]
    fn what_is_written_beyond_the_end_of_a_file_is_missed() {
        let mut mapping = Mapping::new(1 << 20, None).unwrap();
        rustix::fs::ftruncate(&mapping.file.file, 4096).unwrap();
        mapping.setup(1).unwrap();
        mapping.repeat(1).unwrap();
        assert_eq!(mapping.counted().unwrap_err().code, Code::CheckFailed);
    }

    #[test]
    fn what_is_written_to_the_mapping_is_in_the_file() {
        for bytes in [1, 5000, 1 << 20] {
            let mut mapping = Mapping::new(bytes, None).unwrap();
            for _ in 0..2 {
                mapping.setup(3).unwrap();
                mapping.repeat(3).unwrap();
                assert_eq!(mapping.counted(), Ok(3));
            }
            let last = mapping.touched().last().unwrap();
            assert_eq!(last, if bytes == 1 << 20 { 6 * STEP } else { 0 });
            mapping.file.write(&[77], last as u64).unwrap();
            let failure = mapping.counted().unwrap_err();
            assert_eq!(failure.code, Code::CheckFailed);
            assert_eq!(failure.message, format!("byte {last} of the file is not what was written to its mapping"));
        }
    }
}
