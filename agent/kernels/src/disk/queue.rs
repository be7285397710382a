//! Engines that have several requests under way at once.

use super::engine::{Engine, Job};
use std::fs::File;
use std::io;
use std::ops::Range;

/// Transfers that are handed over in one call. Handing over all at once costs least, but the device then waits for the
/// first one until the last is ready, which gave fewer requests where it was tried.
const TOGETHER: usize = 2;

/// A transfer between a file and memory.
pub(super) struct Transfer<'a> {
    /// Number that tells it from the others under way.
    pub(super) slot: usize,
    pub(super) file: &'a File,
    pub(super) write: bool,
    pub(super) memory: *mut u8,
    pub(super) length: usize,
    /// Byte offset in the file.
    pub(super) offset: u64,
}

/// A queue of the system's to which transfers are given and from which they come back in any order.
pub(super) trait Queue {
    /// Note a transfer; there is room for as many as the queue is deep.
    fn push(&mut self, transfer: &Transfer<'_>);

    /// Hand over what was noted.
    fn submit(&mut self) -> io::Result<()>;

    /// Hand over what was noted, and wait until at least one transfer is complete.
    fn submit_and_wait(&mut self) -> io::Result<()>;

    /// Forget what was noted and not handed over; the number of such transfers.
    fn withdraw(&mut self) -> usize;

    /// A complete transfer: its slot and the bytes moved, or the negative number of an error.
    fn pop(&mut self) -> Option<(usize, i64)>;
}

/// The engine that a queue makes.
pub(super) struct Queued<Q> {
    queue: Q,
    /// Slots that are not under way.
    free: Vec<usize>,
    /// Of each slot: the request that it carries, and when it was submitted if it is timed.
    under_way: Vec<(usize, Option<u64>)>,
    /// When something was last complete or handed over, as far as that was asked in the present round.
    now: Option<u64>,
}

impl<Q: Queue> Queued<Q> {
    pub(super) fn new(queue: Q, depth: usize) -> Self {
        Queued { queue, free: (0..depth).rev().collect(), under_way: vec![(0, None); depth], now: None }
    }

    /// The time of the present round, for which the clock is read once at most.
    fn now(&mut self, job: &mut Job) -> u64 {
        *self.now.get_or_insert_with(|| job.notes.read_clock())
    }

    /// Take in what is complete. A transfer that ended early is brought to its end.
    fn reap(&mut self, job: &mut Job) -> io::Result<()> {
        let mut outcome = Ok(());
        while let Some((slot, moved)) = self.queue.pop() {
            let (index, submitted) = self.under_way[slot];
            self.free.push(slot);
            let wanted = job.requests[index].length;
            match usize::try_from(moved) {
                Ok(moved) if moved == wanted => {}
                Ok(moved) => {
                    if let Err(cause) = job.complete(index, slot, moved.min(wanted)) {
                        outcome = Err(cause);
                        continue;
                    }
                    self.now = None;
                }
                Err(_) => {
                    outcome = Err(io::Error::from_raw_os_error(i32::try_from(-moved).unwrap_or(libc::EIO)));
                    continue;
                }
            }
            if let Some(submitted) = submitted {
                let now = self.now(job);
                job.notes.latencies.push(now.saturating_sub(submitted));
            }
            job.note(index, slot);
        }
        outcome
    }
}

impl<Q: Queue> Engine for Queued<Q> {
    fn carry_out(&mut self, job: &mut Job, range: Range<usize>) -> io::Result<()> {
        let depth = self.under_way.len();
        let mut pushed = 0;
        // Counted by what is complete, not by the slots.
        let complete = job.notes.complete;
        let (mut next, mut outcome) = (range.start, Ok(()));
        self.now = None;
        loop {
            while outcome.is_ok() && next < range.end {
                let Some(slot) = self.free.pop() else {
                    break;
                };
                let request = job.requests[next];
                let memory = job.memory.bytes_mut(&request, slot).as_mut_ptr();
                let (write, length, offset) = (request.write, request.length, request.offset);
                self.queue.push(&Transfer { slot, file: &job.file, write, memory, length, offset });
                job.notes.deepest = job.notes.deepest.max(depth - self.free.len());
                self.under_way[slot] = (next, if job.notes.times(next) { Some(self.now(job)) } else { None });
                next += 1;
                pushed += 1;
                if pushed == TOGETHER {
                    pushed = 0;
                    outcome = self.queue.submit();
                }
            }
            pushed = 0;
            if outcome.is_err() {
                let withdrawn = self.queue.withdraw();
                self.forget(withdrawn, next);
            }
            if self.free.len() == depth {
                return outcome;
            }
            if next < range.end {
                job.notes.wait_for((next - range.start) as u64 - (job.notes.complete - complete));
            }
            if let Err(cause) = self.queue.submit_and_wait() {
                // If not even waiting works: the queue itself waits for the rest, or ends it, when it is closed.
                outcome?;
                outcome = Err(cause);
            }
            self.now = None;
            let reaped = self.reap(job);
            outcome = outcome.and(reaped);
        }
    }
}

impl<Q> Queued<Q> {
    /// The last `count` transfers before the request `next` are not under way after all.
    fn forget(&mut self, count: usize, next: usize) {
        for slot in 0..self.under_way.len() {
            let (index, _) = self.under_way[slot];
            if index + count >= next && index < next && !self.free.contains(&slot) {
                self.free.push(slot);
            }
        }
    }
}
