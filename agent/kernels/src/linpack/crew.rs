//! Threads that work on one matrix: where they meet, and which part of the memory is whose.

#![allow(unsafe_code)] // one matrix shared by threads, each with columns of its own

use crate::buffer::Buffer;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Turns of the loop that waits on the processor alone: most meetings of equal threads are over by then.
const TURNS: u32 = 256;

/// How often the processor is then offered to other threads: about half a millisecond where nobody takes it. Where there
/// are more threads than processors, the one that is waited for takes it. The offers are counted and not timed: in some
/// guests one reading of the clock takes longer than what is waited for.
const OFFERS: u32 = 1000;

/// The place where all threads meet. They spin, because what they wait for mostly takes microseconds, but not for long: a
/// processor that spins is time taken from the others where processors are shared or time is rationed.
pub(super) struct Meeting {
    members: usize,
    present: AtomicUsize,
    number: AtomicUsize,
    broken: AtomicBool,
    /// Threads that sleep, or are about to.
    asleep: AtomicUsize,
    bed: Mutex<()>,
    bell: Condvar,
}

impl Meeting {
    pub(super) fn new(members: usize) -> Self {
        Meeting {
            members,
            present: AtomicUsize::new(0),
            number: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            asleep: AtomicUsize::new(0),
            bed: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    /// Wait until all are here. False where one will never come.
    #[must_use]
    pub(super) fn meet(&self) -> bool {
        let number = self.number.load(Ordering::Acquire);
        if self.present.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            self.present.store(0, Ordering::Relaxed);
            self.number.store(number.wrapping_add(1), Ordering::SeqCst);
            self.wake();
        } else if !self.spin(number) {
            self.sleep(number);
        }
        !self.broken.load(Ordering::Acquire)
    }

    /// Whether meeting `number` needs no waiting any more. In one order with `asleep`: who goes to sleep is seen by who
    /// wakes, or sees that it is over.
    fn is_over(&self, number: usize) -> bool {
        self.number.load(Ordering::SeqCst) != number || self.broken.load(Ordering::SeqCst)
    }

    /// Wait awake for a while. False where that was not enough.
    fn spin(&self, number: usize) -> bool {
        for _ in 0..TURNS {
            if self.is_over(number) {
                return true;
            }
            std::hint::spin_loop();
        }
        for _ in 0..OFFERS {
            if self.is_over(number) {
                return true;
            }
            std::thread::yield_now();
        }
        self.is_over(number)
    }

    fn sleep(&self, number: usize) {
        let mut bed = self.bed();
        self.asleep.fetch_add(1, Ordering::SeqCst);
        while !self.is_over(number) {
            bed = self.bell.wait(bed).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.fetch_sub(1, Ordering::SeqCst);
    }

    fn wake(&self) {
        if self.asleep.load(Ordering::SeqCst) > 0 {
            // Whoever holds it has not begun to wait yet and would miss the bell.
            drop(self.bed());
            self.bell.notify_all();
        }
    }

    fn bed(&self) -> MutexGuard<'_, ()> {
        self.bed.lock().unwrap_or_else(PoisonError::into_inner)
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
            self.0.broken.store(true, Ordering::SeqCst);
            self.0.wake();
        }
    }
}

/// Numbers that several threads use: at each time a part is either one thread's own, or read by any number of them.
///
/// Nothing borrows all of the memory. It is reached through `start` alone, so that no reference of one thread covers what
/// another one writes.
pub(super) struct Common<T> {
    /// Keeps the memory.
    owner: Owner,
    start: *mut T,
    length: usize,
}

enum Owner {
    Pages(Buffer),
    /// A box of a slice, made by `indices` and released by `drop`.
    Elements,
}

// SAFETY: the memory may be used and released on any thread; it is reached only through `part` and `read`, whose callers
// see to it that what one thread writes is used by no other.
unsafe impl<T: Send> Send for Common<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Common<T> {}

impl Common<f64> {
    pub(super) fn pages(mut buffer: Buffer) -> Self {
        let (start, length) = (buffer.doubles_mut().as_mut_ptr(), buffer.doubles().len());
        Common { owner: Owner::Pages(buffer), start, length }
    }
}

impl Common<usize> {
    pub(super) fn indices(length: usize) -> Self {
        let start: *mut [usize] = Box::into_raw(vec![0; length].into_boxed_slice());
        Common { owner: Owner::Elements, start: start.cast(), length }
    }
}

impl<T> Common<T> {
    /// Whether the memory is on huge pages, in a word.
    pub(super) fn huge_pages(&self) -> &'static str {
        match &self.owner {
            Owner::Pages(buffer) => buffer.huge_pages(),
            Owner::Elements => "unknown",
        }
    }

    /// A part of it, to write.
    ///
    /// # Safety
    ///
    /// While the borrow lives, nothing else uses any of this part, neither another thread nor another borrow.
    #[allow(clippy::mut_from_ref)] // the caller's promise stands for the borrow
    pub(super) unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start)
    }

    /// A part of it, to read.
    ///
    /// # Safety
    ///
    /// While the borrow lives, nothing writes any of this part.
    pub(super) unsafe fn read(&self, range: Range<usize>) -> &[T] {
        assert!(range.start <= range.end && range.end <= self.length);
        std::slice::from_raw_parts(self.start.add(range.start), range.end - range.start)
    }
}

impl<T> Drop for Common<T> {
    fn drop(&mut self) {
        if let Owner::Elements = self.owner {
            // SAFETY: start and length are those of the box that `indices` made, which is released once.
            drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.start, self.length)) });
        }
    }
}
