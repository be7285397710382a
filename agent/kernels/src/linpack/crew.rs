//! Threads that work on one matrix: where they meet, and which part of the memory is whose.

#![allow(unsafe_code)] // one matrix shared by threads, each with columns of its own

use crate::buffer::Buffer;
use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Turns of a waiting loop before the processor is offered to others: where there are more threads than processors, the
/// one that is waited for may need it.
const TURNS: u32 = 4096;

/// The place where all threads meet. They spin, because what they wait for takes microseconds.
pub(super) struct Meeting {
    members: usize,
    present: AtomicUsize,
    number: AtomicUsize,
    broken: AtomicBool,
}

impl Meeting {
    pub(super) fn new(members: usize) -> Self {
        Meeting { members, present: AtomicUsize::new(0), number: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// Wait until all are here. False where one will never come.
    #[must_use]
    pub(super) fn meet(&self) -> bool {
        let number = self.number.load(Ordering::Acquire);
        if self.present.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            self.present.store(0, Ordering::Relaxed);
            self.number.store(number.wrapping_add(1), Ordering::Release);
        }
        let mut turns = 0u32;
        while self.number.load(Ordering::Acquire) == number {
            if self.broken.load(Ordering::Relaxed) {
                return false;
            }
            turns = turns.wrapping_add(1);
            if turns % TURNS == 0 {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
        !self.broken.load(Ordering::Relaxed)
    }

    /// While it lives, a panic of this thread releases those that wait for it.
    pub(super) fn attend(&self) -> Attendance<'_> {
        Attendance(self)
    }
}

/// See [`Meeting::attend`].
pub(super) struct Attendance<'a>(&'a Meeting);

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

/// Numbers that several threads use, each at a time a part of its own.
pub(super) struct Common<T> {
    /// Keeps the memory; it is reached through `start`.
    _owner: Box<dyn Any>,
    start: *mut T,
    length: usize,
}

// SAFETY: buffers and vectors may be dropped on any thread; the memory is reached only through `part`, whose callers see
// to it that no two threads use the same part.
unsafe impl<T: Send> Send for Common<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Common<T> {}

impl Common<f64> {
    pub(super) fn pages(mut buffer: Buffer) -> Self {
        let (start, length) = (buffer.doubles_mut().as_mut_ptr(), buffer.doubles().len());
        Common { _owner: Box::new(buffer), start, length }
    }
}

impl Common<usize> {
    pub(super) fn indices(length: usize) -> Self {
        let mut indices = vec![0; length];
        let start = indices.as_mut_ptr();
        Common { _owner: Box::new(indices), start, length }
    }
}

impl<T> Common<T> {
    /// A part of it.
    ///
    /// # Safety
    ///
    /// Until the threads meet again, nobody else uses any of it, or all who do only read.
    #[allow(clippy::mut_from_ref)] // the caller's promise stands for the borrow
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start)
    }
}
