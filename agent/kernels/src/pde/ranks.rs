//! The threads of one run, which know each other by their numbers, their ranks.

use super::method::larger;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use virtometer_protocol::Failure;
use virtometer_sampling::{Barrier, PanicGuard};

/// A number in a cache line of its own, so that writing it disturbs no other.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(super) struct Counter(pub(super) AtomicU64);

/// What the threads of one run share.
#[derive(Debug)]
pub(super) struct Ranks {
    barrier: Arc<Barrier>,
    /// What each thread gives to a maximum, in turns of two so that nobody overwrites what others still read.
    values: [Vec<Counter>; 2],
}

impl Ranks {
    pub(super) fn new(threads: usize) -> Arc<Self> {
        let slots = || (0..threads).map(|_| Counter::default()).collect();
        Arc::new(Ranks { barrier: Barrier::new(threads), values: [slots(), slots()] })
    }
}

/// One of the threads.
#[derive(Debug)]
pub(super) struct Rank {
    ranks: Arc<Ranks>,
    index: usize,
    turn: usize,
}

impl Rank {
    pub(super) fn new(ranks: Arc<Ranks>, index: usize) -> Self {
        Rank { ranks, index, turn: 0 }
    }

    /// Number of this thread, from 0.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Number of threads.
    pub(super) fn threads(&self) -> usize {
        self.ranks.barrier.threads()
    }

    /// See [`Barrier::guard`].
    pub(super) fn guard(&self) -> PanicGuard {
        self.ranks.barrier.guard()
    }

    /// Wait until `counter` is at least `least`. `internal` when another thread has failed.
    #[inline]
    pub(super) fn wait_for(&self, counter: &Counter, least: u64) -> Result<(), Failure> {
        self.ranks.barrier.wait_until(|| counter.0.load(Ordering::Acquire) >= least)
    }

    /// Wait for all threads at the barrier, awake: groups of sweeps are short.
    pub(super) fn wait(&self) -> Result<(), Failure> {
        self.ranks.barrier.wait_awake()
    }

    /// The largest of the values that the threads give, which are not negative. All threads call it.
    pub(super) fn maximum(&mut self, own: f64) -> Result<f64, Failure> {
        self.turn ^= 1;
        let slots = &self.ranks.values[self.turn];
        slots[self.index].0.store(own.to_bits(), Ordering::Relaxed);
        self.wait()?;
        let values = slots.iter().map(|slot| f64::from_bits(slot.0.load(Ordering::Relaxed)));
        Ok(values.fold(0.0, larger))
    }
}
