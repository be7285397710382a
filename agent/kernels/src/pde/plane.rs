//! Numbers that the threads of one run work on together.

#![allow(unsafe_code)] // disjoint parts of one allocation for several threads

use crate::buffer::Buffer;
use std::ops::Range;
use virtometer_protocol::Failure;

/// An array that several threads write at once, each where no other reads or writes.
pub(super) struct Plane {
    buffer: Buffer,
    start: *mut f64,
    length: usize,
}

// SAFETY: the memory belongs to the plane, and whoever takes a part of it promises that no other thread is there.
unsafe impl Send for Plane {}
// SAFETY: as above.
unsafe impl Sync for Plane {}

impl Plane {
    /// `length` zeroes (not none), on huge pages where the system has them.
    pub(super) fn new(length: usize) -> Result<Self, Failure> {
        let mut buffer = Buffer::new(length * 8)?;
        buffer.wish_huge_pages(true);
        let start = buffer.doubles_mut().as_mut_ptr();
        Ok(Plane { buffer, start, length })
    }

    /// Whether the memory is on huge pages, in a word.
    pub(super) fn huge_pages(&self) -> &'static str {
        self.buffer.huge_pages()
    }

    /// Some of the numbers.
    ///
    /// # Safety
    /// While the slice lives no thread writes within `range`.
    #[inline(always)]
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &[f64] {
        assert!(range.start <= range.end && range.end <= self.length);
        // SAFETY: within the allocation, initialised (zero at first), and not written, as the caller promises.
        unsafe { std::slice::from_raw_parts(self.start.add(range.start), range.end - range.start) }
    }

    /// Some of the numbers, to write them.
    ///
    /// # Safety
    /// While the slice lives nothing else reads or writes within `range`.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // that no two overlap is what the caller promises
    pub(super) unsafe fn part_mut(&self, range: Range<usize>) -> &mut [f64] {
        assert!(range.start <= range.end && range.end <= self.length);
        // SAFETY: within the allocation, initialised, and nobody else's while it lives, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start) }
    }
}
