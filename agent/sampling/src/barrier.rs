//! The barrier at which the threads of one run wait for each other: before, within and after an iteration.

// Loom takes the place of the standard library where all orders of the threads are tried, see `models`.
#[cfg(all(test, loom))]
use loom::{
    hint::spin_loop,
    sync::atomic::{fence, AtomicBool, AtomicUsize},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};
#[cfg(not(all(test, loom)))]
use std::{
    hint::spin_loop,
    sync::atomic::{fence, AtomicBool, AtomicUsize},
    sync::{Condvar, Mutex, MutexGuard},
    thread::yield_now,
};

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use virtometer_protocol::{Code, Failure};

/// Whether all orders of the threads are tried: each further turn of a loop would multiply them.
const MODELLED: bool = cfg!(all(test, loom));

/// Turns of the waiting loop on the processor alone: threads with equal work have mostly arrived by then.
const SPINS: u32 = if MODELLED { 1 } else { 256 };

/// How often a waiting thread then yields its processor before it sleeps: about half a millisecond where nobody takes
/// the processor. Where there are more threads than processors, the late thread takes it. Yields are counted and not
/// timed: in some guests one reading of the clock takes longer than the wait.
const YIELDS: u32 = if MODELLED { 1 } else { 1000 };

/// A barrier for a fixed number of threads, which can be passed any number of times.
///
/// The three ways to wait differ in when a thread sleeps. A thread that waits awake is quick to go on, and takes the
/// processor from others where processors are shared or time is rationed. No way to wait reads a clock.
#[derive(Debug)]
pub struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    /// Number of times that all threads have passed.
    round: AtomicUsize,
    /// Whether a thread has panicked: nobody may wait for it.
    broken: AtomicBool,
    /// Threads that sleep, or are about to.
    sleepers: AtomicUsize,
    mutex: Mutex<()>,
    condvar: Condvar,
}

impl Barrier {
    /// A barrier for this number of threads.
    pub fn new(threads: usize) -> Arc<Self> {
        Arc::new(Barrier {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            mutex: Mutex::new(()),
            condvar: Condvar::new(),
        })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Wait until all threads have arrived: awake for about half a millisecond, because most waits take microseconds,
    /// then asleep. What each wrote before, all see afterwards. `internal` where a thread has panicked.
    pub fn wait(&self) -> Result<(), Failure> {
        if let Some(round) = self.arrive() {
            if !self.spin(round) {
                self.sleep(round);
            }
        }
        self.intact()
    }

    /// As [`Barrier::wait`], but asleep at once: for waits beside which other threads, or another process, work and
    /// are timed. True for the thread that arrived last.
    pub fn wait_asleep(&self) -> Result<bool, Failure> {
        let round = self.arrive();
        if let Some(round) = round {
            self.sleep(round);
        }
        self.intact().map(|()| round.is_none())
    }

    /// As [`Barrier::wait`], but without sleep: for iterations so short that waking a processor would count in them.
    pub fn wait_awake(&self) -> Result<(), Failure> {
        match self.arrive() {
            Some(round) => self.wait_until(|| self.round.load(Ordering::Acquire) != round),
            None => Ok(()),
        }
    }

    /// The round to wait for, if this thread is not the last of it.
    fn arrive(&self) -> Option<usize> {
        if self.threads == 1 {
            return None;
        }
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 < self.threads {
            return Some(round);
        }
        self.arrived.store(0, Ordering::Relaxed);
        self.round.store(round.wrapping_add(1), Ordering::Release);
        self.wake();
        None
    }

    /// Wait, without sleep, until `ready` says so: for what another thread publishes between two barriers. `internal`
    /// where a thread has panicked before that.
    #[inline]
    pub fn wait_until(&self, ready: impl Fn() -> bool) -> Result<(), Failure> {
        let mut turns = 0;
        while !ready() {
            self.intact()?;
            turns += 1;
            if turns < SPINS {
                spin_loop();
            } else {
                yield_now();
            }
        }
        Ok(())
    }

    /// While the guard lives, a panic of this thread releases the threads that wait for it.
    pub fn guard(self: &Arc<Self>) -> PanicGuard {
        PanicGuard(self.clone())
    }

    fn intact(&self) -> Result<(), Failure> {
        if self.broken.load(Ordering::Acquire) {
            return Err(broken());
        }
        Ok(())
    }

    /// Whether a thread that arrived in `round` has waited long enough.
    fn is_over(&self, round: usize) -> bool {
        self.round.load(Ordering::Acquire) != round || self.broken.load(Ordering::Acquire)
    }

    /// Wait awake for a while. False where that was not enough.
    fn spin(&self, round: usize) -> bool {
        for _ in 0..SPINS {
            if self.is_over(round) {
                return true;
            }
            spin_loop();
        }
        for _ in 0..YIELDS {
            if self.is_over(round) {
                return true;
            }
            yield_now();
        }
        self.is_over(round)
    }

    fn sleep(&self, round: usize) {
        let mut lock = self.lock();
        self.sleepers.fetch_add(1, Ordering::Relaxed);
        // With the fence of `wake`: a thread that goes to sleep either is seen by the thread that wakes, or sees that
        // the round is over.
        fence(Ordering::SeqCst);
        while !self.is_over(round) {
            lock = self.condvar.wait(lock).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Nobody has to wait any more.
    fn fail(&self) {
        self.broken.store(true, Ordering::Release);
        self.wake();
    }

    fn wake(&self) {
        fence(Ordering::SeqCst);
        if self.sleepers.load(Ordering::Relaxed) > 0 {
            // A thread that holds the mutex does not wait yet and would miss the notification.
            drop(self.lock());
            self.condvar.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Barrier::guard`].
#[derive(Debug)]
pub struct PanicGuard(Arc<Barrier>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail();
        }
    }
}

#[cold]
fn broken() -> Failure {
    Failure::new(Code::Internal, "another thread of the run failed")
}

#[cfg(all(test, loom))]
mod models;

#[cfg(all(test, not(loom)))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
    use std::sync::atomic::AtomicU64;
    use std::time::Duration;

    /// A thread panics while it has this guard.
    fn panic_with(guard: PanicGuard) {
        let panicked: Result<(), _> = catch_unwind(AssertUnwindSafe(|| {
            let _guard = guard;
            resume_unwind(Box::new("planted"))
        }));
        assert!(panicked.is_err());
    }

    #[test]
    fn what_was_written_before_is_read_afterwards() {
        let (barrier, numbers) = (Barrier::new(3), [0, 1, 2].map(|_: u32| AtomicU64::new(0)));
        let rounds = if cfg!(miri) { 10 } else { 1000 };
        std::thread::scope(|scope| {
            for rank in 0..3 {
                let (barrier, numbers) = (&barrier, &numbers);
                scope.spawn(move || {
                    for round in 1..=rounds {
                        numbers[rank].store(round, Ordering::Relaxed);
                        barrier.wait().unwrap();
                        assert!(numbers.iter().all(|number| number.load(Ordering::Relaxed) == round));
                        barrier.wait_awake().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn a_thread_that_waits_long_sleeps_and_is_woken() {
        let late = Duration::from_millis(20);
        let barrier = Barrier::new(3);
        std::thread::scope(|scope| {
            let early = [scope.spawn(|| barrier.wait()), scope.spawn(|| barrier.wait())];
            std::thread::sleep(late);
            assert_eq!(barrier.wait(), Ok(()));
            assert!(early.into_iter().all(|one| one.join().unwrap().is_ok()));
        });
        // A panic wakes as well.
        std::thread::scope(|scope| {
            let early = [scope.spawn(|| barrier.wait()), scope.spawn(|| barrier.wait_asleep().map(drop))];
            std::thread::sleep(late);
            panic_with(barrier.guard());
            assert!(early.into_iter().all(|one| one.join().unwrap() == Err(broken())));
        });
    }

    #[test]
    fn of_threads_that_wait_asleep_exactly_one_arrived_last() {
        let (barrier, last) = (Barrier::new(3), [0, 1, 2].map(|_: u32| AtomicU64::new(0)));
        let rounds = if cfg!(miri) { 10 } else { 1000 };
        std::thread::scope(|scope| {
            for rank in 0..3 {
                let (barrier, last) = (&barrier, &last);
                scope.spawn(move || {
                    for round in 1..=rounds {
                        last[rank].fetch_add(u64::from(barrier.wait_asleep().unwrap()), Ordering::Relaxed);
                        barrier.wait().unwrap();
                        assert_eq!(last.iter().map(|count| count.load(Ordering::Relaxed)).sum::<u64>(), round);
                        barrier.wait().unwrap();
                    }
                });
            }
        });
    }

    #[test]
    fn a_guard_that_ends_without_a_panic_breaks_nothing() {
        let barrier = Barrier::new(2);
        drop(barrier.guard());
        assert_eq!(barrier.wait_until(|| true), Ok(()));
        std::thread::scope(|scope| {
            let other = scope.spawn(|| barrier.wait());
            assert_eq!((barrier.wait(), other.join().unwrap()), (Ok(()), Ok(())));
        });
    }

    #[test]
    fn what_is_ready_is_not_waited_for_though_a_thread_has_panicked() {
        let barrier = Barrier::new(2);
        panic_with(barrier.guard());
        assert_eq!(barrier.wait_until(|| true), Ok(()));
        assert_eq!(barrier.wait_until(|| false), Err(broken()));
        assert_eq!(barrier.wait_awake(), Err(broken()));
    }

    #[test]
    fn one_thread_waits_for_nobody() {
        let barrier = Barrier::new(1);
        assert_eq!((barrier.wait(), barrier.wait_awake(), barrier.wait_asleep()), (Ok(()), Ok(()), Ok(true)));
    }
}
