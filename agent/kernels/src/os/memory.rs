//! First touches of anonymous memory.

#![allow(unsafe_code)] // writes that the compiler must not join or leave out

use super::Pinning;
use crate::buffer::{available_memory, ensure_memory, Buffer};
use crate::settings::check_failed;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Stretch, Worker};

/// Most memory that one iteration touches, bytes; where a quarter of what is available is less, then that.
const MOST: u64 = 256 << 20;

/// Of every so many pages one is looked at in full.
const LOOK: usize = 16;

/// Less memory would not make an iteration.
const LEAST: u64 = 1 << 20;

/// Touches fresh pages. Mapping and unmapping them is not timed.
pub(super) struct PageFaults {
    pinning: Pinning,
    page: usize,
    most_pages: u64,
    memory: Option<Buffer>,
    all: u64,
}

impl PageFaults {
    pub(super) fn new(pinning: Pinning) -> Result<Self, Failure> {
        let bytes = (available_memory() / 4).clamp(LEAST, MOST);
        ensure_memory(bytes, "fresh pages")?;
        let page = rustix::param::page_size();
        Ok(PageFaults { pinning, page, most_pages: bytes / page as u64, memory: None, all: 0 })
    }
}

impl Worker for PageFaults {
    fn most_repeats(&self) -> u64 {
        self.most_pages
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        let pages = usize::try_from(repeats).unwrap_or(usize::MAX);
        let mut memory = Buffer::new(pages.saturating_mul(self.page))?;
        memory.wish_huge_pages(false);
        self.memory = Some(memory);
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let page = self.page;
        let bytes = self.memory.as_mut().map_or(&mut [][..], Buffer::bytes_mut);
        timed(repeats, || {
            for first in bytes.iter_mut().step_by(page) {
                // SAFETY: a reference is valid to write to.
                unsafe { std::ptr::write_volatile(first, 1) };
            }
            Ok(())
        })
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        let memory = self.memory.take();
        let bytes = memory.as_ref().map_or(&[][..], Buffer::bytes);
        let pages = bytes.len() / self.page;
        let touched: usize = bytes.iter().step_by(self.page).map(|byte| usize::from(*byte)).sum();
        let mut looked_at = bytes.chunks_exact(self.page).step_by(LOOK);
        let clean = looked_at.all(|page| page[1..].iter().all(|byte| *byte == 0));
        if touched != pages || !clean {
            return Err(check_failed(format!(
                "of {pages} fresh pages {touched} hold what was written, or others are not zero"
            )));
        }
        self.all += pages as u64;
        Ok(CheckValue::Count(pages as u64))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.all = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = self.pinning.conditions();
        conditions.insert("page_bytes".into(), self.page.to_string());
        conditions
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.all))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    #[test]
    fn pages_that_do_not_hold_what_was_written_are_reported() {
        let mut faults = PageFaults::new(Pinning::none()).unwrap();
        for spoiled in [None, Some(0), Some(1)] {
            faults.before(20).unwrap();
            faults.run(20).unwrap();
            let page = faults.page;
            if let Some(at) = spoiled {
                faults.memory.as_mut().unwrap().bytes_mut()[16 * page + at] = 9;
            }
            let expected = if spoiled.is_none() { Ok(CheckValue::Count(20)) } else { Err(Code::CheckFailed) };
            assert_eq!(faults.after().map_err(|failure| failure.code), expected);
        }
    }
}
