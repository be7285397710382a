//! First touches of pages: of anonymous memory, and of a file that is in memory.

#![allow(unsafe_code)] // getrusage, and writes that the compiler must not join or leave out

use super::file_mapping::FileMapping;
use super::operation::Operation;
use super::scratch::Scratch;
use crate::buffer::{available_memory, ensure_memory, Buffer};
use crate::pattern;
use crate::random::Random;
use crate::settings::check_failed;
use rustix::fd::{AsFd, BorrowedFd};
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{os_failure, Extras, Merge};

/// Most anonymous memory that one iteration touches, bytes; where a quarter of what is available is less, then that.
const MOST: u64 = 256 << 20;

/// Less memory would not make an iteration.
const LEAST: u64 = 1 << 20;

/// Most that one iteration maps of the file, again and again, bytes.
const MOST_MAPPED: u64 = if cfg!(target_pointer_width = "64") { 1 << 30 } else { 1 << 28 };

/// Of every so many anonymous pages one is looked at in full.
const LOOK: usize = 16;

/// Page faults of the calling thread that needed no input.
pub(super) fn faults() -> u64 {
    // SAFETY: rusage is plain numbers, for which zero is a value, and getrusage only writes into it.
    let count = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage.ru_minflt
    };
    u64::try_from(count).unwrap_or(0)
}

/// Write to the first byte of every page.
fn touch(bytes: &mut [u8], page: usize) {
    for first in bytes.iter_mut().step_by(page) {
        // SAFETY: a reference is valid to write to.
        unsafe { std::ptr::write_volatile(first, 1) };
    }
}

fn fresh(bytes: usize) -> Result<Buffer, Failure> {
    let mut memory = Buffer::new(bytes)?;
    memory.request_huge_pages(false);
    Ok(memory)
}

/// Touches fresh pages of anonymous memory. Mapping and unmapping them is not timed.
pub(super) struct Anonymous {
    page: usize,
    most_pages: u64,
    memory: Option<Buffer>,
    /// Faults before the stretch; `None` where the system does not count them.
    faults: Option<u64>,
}

impl Anonymous {
    pub(super) fn new() -> Result<Self, Failure> {
        let bytes = (available_memory() / 4).clamp(LEAST, MOST);
        ensure_memory(bytes, "fresh pages")?;
        let page = rustix::param::page_size();
        let mut trial = fresh(LOOK * page)?;
        let before = faults();
        touch(trial.bytes_mut(), page);
        let counted = faults().saturating_sub(before) >= LOOK as u64;
        Ok(Anonymous { page, most_pages: bytes / page as u64, memory: None, faults: counted.then(faults) })
    }
}

impl Operation for Anonymous {
    fn most_repeats(&self) -> u64 {
        self.most_pages
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        let pages = usize::try_from(repeats).unwrap_or(usize::MAX);
        self.memory = Some(fresh(pages.saturating_mul(self.page))?);
        self.faults = self.faults.map(|_| faults());
        Ok(())
    }

    fn repeat(&mut self, _repeats: u64) -> Result<(), Failure> {
        touch(self.memory.as_mut().map_or(&mut [][..], Buffer::bytes_mut), self.page);
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        let faults = self.faults.map(|before| faults().saturating_sub(before));
        let memory = self.memory.take();
        let bytes = memory.as_ref().map_or(&[][..], Buffer::bytes);
        let pages = (bytes.len() / self.page) as u64;
        let touched: u64 = bytes.iter().step_by(self.page).map(|byte| u64::from(*byte)).sum();
        let mut looked_at = bytes.chunks_exact(self.page).step_by(LOOK);
        let clean = looked_at.all(|page| page[1..].iter().all(|byte| *byte == 0));
        if touched != pages || !clean {
            return Err(check_failed(format!(
                "of {pages} fresh pages {touched} hold what was written, or others are not zero"
            )));
        }
        match faults {
            Some(faults) if faults < pages => {
                Err(check_failed(format!("{pages} pages were touched with {faults} faults: they were not fresh")))
            }
            _ => Ok(pages),
        }
    }

    fn conditions(&self, conditions: &mut Conditions) {
        conditions.insert("page_bytes".into(), self.page.to_string());
    }
}

/// Reads one word of each page of a file, in a random order, through mappings that have not been used. Mapping and
/// unmapping are not timed.
pub(super) struct OfFile {
    page: usize,
    file: Scratch,
    bytes: usize,
    /// Numbers of the pages in the order in which they are touched.
    order: Vec<usize>,
    mappings: Vec<FileMapping>,
    touched: u64,
    sum: u64,
    /// Faults before the stretch; of all stretches, and the pages that were touched in them.
    before: u64,
    all_faults: u64,
    all_touched: u64,
}

impl OfFile {
    /// `bytes` is rounded up to whole pages.
    pub(super) fn new(bytes: u64, directory: Option<&str>) -> Result<Self, Failure> {
        let page = rustix::param::page_size();
        let pages = bytes.saturating_add(page as u64 - 1) / page as u64;
        ensure_memory(pages.saturating_mul(page as u64), "the pages of the file")?;
        let file = Scratch::filled(directory, pages * page as u64)?;
        let mut order: Vec<usize> = (0..usize::try_from(pages).unwrap_or(usize::MAX)).collect();
        let mut random = Random::new(1);
        for last in (1..order.len()).rev() {
            let other = random.below(last as u64 + 1);
            order.swap(last, usize::try_from(other).unwrap_or(last));
        }
        let bytes = order.len() * page;
        Ok(OfFile {
            page,
            file,
            bytes,
            order,
            mappings: Vec::new(),
            touched: 0,
            sum: 0,
            before: 0,
            all_faults: 0,
            all_touched: 0,
        })
    }
}

impl Operation for OfFile {
    fn most_repeats(&self) -> u64 {
        (MOST_MAPPED / self.page as u64).max(self.order.len() as u64)
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.mappings.clear();
        let pages = self.order.len() as u64;
        for _ in 0..repeats.div_ceil(pages) {
            let mapping = FileMapping::new(&self.file.file, self.bytes)
                .map_err(|errno| os_failure("cannot map the file", &errno.into()))?;
            self.mappings.push(mapping);
        }
        self.before = faults();
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let (mut sum, mut touched) = (0u64, 0u64);
        for mapping in &self.mappings {
            let left = usize::try_from(repeats - touched).unwrap_or(usize::MAX);
            for number in self.order.iter().take(left) {
                sum = sum.wrapping_add(mapping.word(number * self.page));
                touched += 1;
            }
        }
        self.sum = sum;
        self.touched = touched;
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        self.all_faults += faults().saturating_sub(self.before);
        self.all_touched += self.touched;
        let lacking = self.mappings.iter().any(FileMapping::lacks_pages);
        self.mappings.clear();
        if lacking {
            return Err(check_failed("the file became shorter while its pages were touched"));
        }
        let pages = self.order.iter().cycle().zip(0..self.touched);
        let right =
            pages.fold(0u64, |sum, (number, _)| sum.wrapping_add(pattern::word((number * self.page / 8) as u64)));
        if self.sum != right {
            return Err(check_failed(format!("{} pages of the file do not hold what was written", self.touched)));
        }
        Ok(self.touched)
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.all_faults = 0;
        self.all_touched = 0;
        Ok(())
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.file.file.as_fd()]
    }

    fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// The kernel maps what lies around a page as well, so that one fault may serve several. Where faults are not
    /// counted there is no such number.
    fn extras(&self) -> Extras {
        #[allow(clippy::cast_precision_loss)] // pages of one run, far below 2^53
        let pages = self.all_touched as f64 / self.all_faults as f64;
        Extras::default().measure("pages-per-fault", "1", pages, Merge::Mean)
    }

    fn conditions(&self, conditions: &mut Conditions) {
        conditions.insert("page_bytes".into(), self.page.to_string());
        self.file.conditions(conditions);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    #[test]
    fn anonymous_pages_that_do_not_hold_what_was_written_are_reported() {
        let mut pages = Anonymous::new().unwrap();
        for spoiled in [None, Some(0), Some(1)] {
            pages.setup(20).unwrap();
            pages.repeat(20).unwrap();
            let page = pages.page;
            if let Some(at) = spoiled {
                pages.memory.as_mut().unwrap().bytes_mut()[16 * page + at] = 9;
            }
            let expected = if spoiled.is_none() { Ok(20) } else { Err(Code::CheckFailed) };
            assert_eq!(pages.counted().map_err(|failure| failure.code), expected);
        }
    }

    #[test]
    fn anonymous_pages_that_were_touched_before_are_reported() {
        let mut pages = Anonymous::new().unwrap();
        if pages.faults.is_none() {
            // This system does not count faults.
            return;
        }
        pages.setup(200).unwrap();
        pages.repeat(200).unwrap();
        pages.faults = Some(faults());
        pages.repeat(200).unwrap();
        let failure = pages.counted().unwrap_err();
        assert!(failure.message.starts_with("200 pages were touched with "), "{failure:?}");
    }

    #[test]
    fn pages_of_a_file_are_touched_in_another_order_than_theirs() {
        let pages = OfFile::new(100 << 12, None).unwrap();
        let mut sorted = pages.order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..sorted.len()));
        // Some fall on their own place by chance.
        let moved = pages.order.iter().zip(&sorted).filter(|(one, other)| one != other).count();
        assert!(moved > sorted.len() / 2, "{:?}", pages.order);
    }

    #[test]
    fn pages_of_a_file_are_touched_through_as_many_mappings_as_it_takes() {
        let mut pages = OfFile::new(40_000, None).unwrap();
        assert_eq!(pages.order.len() * pages.page, 40_960);
        for repeats in [1, 10, 11, 35] {
            pages.setup(repeats).unwrap();
            pages.repeat(repeats).unwrap();
            assert_eq!(pages.counted(), Ok(repeats));
        }
        let page = pages.page;
        rustix::fs::ftruncate(&pages.file.file, page as u64).unwrap();
        pages.setup(10).unwrap();
        pages.repeat(10).unwrap();
        let failure = pages.counted().unwrap_err();
        assert_eq!(failure.message, "the file became shorter while its pages were touched");
        pages = OfFile::new(40_000, None).unwrap();
        pages.file.write(&[1; 8], 3 * page as u64).unwrap();
        pages.setup(10).unwrap();
        pages.repeat(10).unwrap();
        assert_eq!(pages.counted().unwrap_err().code, Code::CheckFailed);
    }
}
