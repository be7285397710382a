//! Memory that the threads of one run work on at the same time.

#![allow(unsafe_code)] // disjoint parts of one allocation for several threads

use crate::buffer::Buffer;
use std::mem::size_of;
use std::ops::Range;
use virtometer_protocol::{Code, Failure};

/// What an array can hold.
///
/// # Safety
///
/// Every bit pattern, zero included, is a value, and a page is aligned for it.
pub(crate) unsafe trait Element: Copy + Send + Sync {}

// SAFETY: a plain number of eight bytes.
unsafe impl Element for f64 {}
// SAFETY: a plain number of four or eight bytes.
unsafe impl Element for usize {}

/// An array that several threads use: at each time a part is either one thread's own, or read by any number of threads.
///
/// No reference covers the whole array. It is reached through a raw pointer alone, so that a reference of one thread
/// never covers what another thread writes.
pub(crate) struct SharedArray<T> {
    /// Owns the memory. Its bytes are not borrowed again.
    buffer: Buffer,
    start: *mut T,
    length: usize,
}

// SAFETY: the memory may be used and released on any thread; it is reached only through `slice` and `slice_mut`, whose
// callers promise that no other thread uses what one thread writes.
unsafe impl<T: Element> Send for SharedArray<T> {}
// SAFETY: as above.
unsafe impl<T: Element> Sync for SharedArray<T> {}

impl<T: Element> SharedArray<T> {
    /// `length` zeroes (not none), on huge pages where that is asked for and the system has them.
    pub(crate) fn zeroed(length: usize, huge: bool) -> Result<Self, Failure> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or_else(|| too_long(length))?;
        let mut buffer = Buffer::new(bytes)?;
        if huge {
            buffer.request_huge_pages(true);
        }
        Ok(Self::over(buffer))
    }

    /// The memory of a buffer.
    pub(crate) fn over(mut buffer: Buffer) -> Self {
        let bytes = buffer.bytes_mut();
        let (start, length) = (bytes.as_mut_ptr().cast::<T>(), bytes.len() / size_of::<T>());
        SharedArray { buffer, start, length }
    }

    /// Whether the memory is on huge pages, in a word.
    pub(crate) fn huge_pages(&self) -> &'static str {
        self.buffer.huge_pages()
    }

    /// A part of the array, to read.
    ///
    /// # Safety
    ///
    /// While the slice lives, no thread writes within `range`, and no other slice to write covers any of it.
    #[inline(always)]
    pub(crate) unsafe fn slice(&self, range: Range<usize>) -> &[T] {
        assert!(range.start <= range.end && range.end <= self.length);
        std::slice::from_raw_parts(self.start.add(range.start), range.end - range.start)
    }

    /// A part of the array, to write.
    ///
    /// # Safety
    ///
    /// While the slice lives, nothing else reads or writes within `range`, and no other slice covers any of it.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)] // the caller promises that no two slices overlap
    pub(crate) unsafe fn slice_mut(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start)
    }
}

fn too_long(length: usize) -> Failure {
    Failure::new(Code::OutOfMemory, format!("{length} numbers are more than this processor can address"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_array_begins_with_zeroes_and_threads_write_parts_of_their_own() {
        let array = SharedArray::<usize>::zeroed(1000, false).unwrap();
        // SAFETY: there is no other thread.
        assert!(unsafe { array.slice(0..1000) }.iter().all(|number| *number == 0));
        std::thread::scope(|scope| {
            for rank in 0..4 {
                let array = &array;
                // SAFETY: the parts do not overlap.
                scope.spawn(move || unsafe { array.slice_mut(rank * 250..(rank + 1) * 250) }.fill(rank + 1));
            }
        });
        // SAFETY: the threads are gone.
        let numbers = unsafe { array.slice(0..1000) };
        assert!(numbers.iter().enumerate().all(|(at, number)| *number == at / 250 + 1));
    }

    #[test]
    fn an_array_over_a_buffer_has_its_content_and_its_length() {
        let mut buffer = Buffer::new(80).unwrap();
        buffer.doubles_mut()[9] = 2.5;
        let array = SharedArray::<f64>::over(buffer);
        // SAFETY: there is no other thread.
        assert_eq!(unsafe { array.slice(9..10) }, [2.5]);
        assert!(["yes", "no", "partly", "unknown"].contains(&array.huge_pages()));
    }

    #[test]
    #[should_panic(expected = "range.end <= self.length")]
    fn a_part_beyond_the_end_is_refused() {
        let array = SharedArray::<f64>::zeroed(10, false).unwrap();
        // SAFETY: there is no other thread.
        let _ = unsafe { array.slice(5..11) };
    }

    #[test]
    fn more_than_can_be_addressed_is_refused() {
        assert_eq!(SharedArray::<f64>::zeroed(usize::MAX, true).map(|_| ()).unwrap_err().code, Code::OutOfMemory);
    }
}
