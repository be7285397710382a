//! Threads that work on one matrix: where they meet, and which part of the memory is whose.

#![allow(unsafe_code)] // one matrix shared by threads, each with columns of its own

use crate::buffer::Buffer;
use std::any::Any;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use virtometer_sampling::now_ns;

/// Turns of the loop that waits on the processor alone: most meetings of equal threads are over by then.
const TURNS: u32 = 256;

/// How long the processor is then offered to others while waiting, ns. Where there are more threads than processors, the
/// one that is waited for takes it; where there are as many, the offer returns at once and the end of waiting is seen soon.
const OFFERED_NS: u64 = 500_000;

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
        let begun = now_ns();
        while !self.is_over(number) {
            if now_ns() - begun > OFFERED_NS {
                return false;
            }
            std::thread::yield_now();
        }
        true
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
