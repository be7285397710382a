//! How the threads of one run wait for each other within an iteration: by turning, as sleeping would take longer than the
//! work they wait for.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;
use virtometer_protocol::{Code, Failure};

/// Turns before the processor is offered to others: threads may share one.
const TURNS: u32 = 256;

/// An own cache line, so that who writes it disturbs no other counter.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(super) struct Counter(pub(super) AtomicU64);

/// What the threads of one run share.
#[derive(Debug)]
pub(super) struct Crew {
    threads: usize,
    /// Whether a thread has left the work: the others must not wait for it.
    failed: AtomicBool,
    arrived: AtomicUsize,
    meetings: AtomicUsize,
    /// What the threads bring to a meeting, in turns of two so that nobody overwrites what others still read.
    brought: [Vec<Counter>; 2],
}

impl Crew {
    pub(super) fn new(threads: usize) -> Arc<Self> {
        let slots = || (0..threads).map(|_| Counter::default()).collect();
        Arc::new(Crew {
            threads,
            failed: AtomicBool::new(false),
            arrived: AtomicUsize::new(0),
            meetings: AtomicUsize::new(0),
            brought: [slots(), slots()],
        })
    }
}

/// Tells the others, when it is dropped before it was switched off, that a thread has failed or panicked.
pub(super) struct Alarm {
    crew: Arc<Crew>,
    on: bool,
}

impl Alarm {
    /// The stretch is done.
    pub(super) fn off(alarm: Option<Alarm>) {
        if let Some(mut alarm) = alarm {
            alarm.on = false;
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if self.on {
            self.crew.failed.store(true, Ordering::Release);
        }
    }
}

/// One thread's place in the crew.
#[derive(Debug)]
pub(super) struct Member {
    crew: Arc<Crew>,
    index: usize,
    turn: usize,
}

impl Member {
    pub(super) fn new(crew: Arc<Crew>, index: usize) -> Self {
        Member { crew, index, turn: 0 }
    }

    /// Number of this thread, from 0.
    pub(super) fn index(&self) -> usize {
        self.index
    }

    /// Number of threads.
    pub(super) fn threads(&self) -> usize {
        self.crew.threads
    }

    /// For a stretch that all do together.
    pub(super) fn alarm(&self) -> Alarm {
        Alarm { crew: self.crew.clone(), on: true }
    }

    /// Wait until `counter` is at least `least`. `internal` when another thread has failed.
    #[inline]
    pub(super) fn wait(&self, counter: &Counter, least: u64) -> Result<(), Failure> {
        self.turn_until(|| counter.0.load(Ordering::Acquire) >= least)
    }

    /// Wait until all threads are here. What each wrote before, all see afterwards.
    pub(super) fn meet(&self) -> Result<(), Failure> {
        let crew = &self.crew;
        if crew.threads == 1 {
            return Ok(());
        }
        let meeting = crew.meetings.load(Ordering::Acquire);
        if crew.arrived.fetch_add(1, Ordering::AcqRel) + 1 == crew.threads {
            crew.arrived.store(0, Ordering::Relaxed);
            crew.meetings.store(meeting.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        self.turn_until(|| crew.meetings.load(Ordering::Acquire) != meeting)
    }

    /// Meet, and find the largest of what the threads bring, which is not negative.
    pub(super) fn largest(&mut self, own: f64) -> Result<f64, Failure> {
        self.turn ^= 1;
        let slots = &self.crew.brought[self.turn];
        slots[self.index].0.store(own.to_bits(), Ordering::Relaxed);
        self.meet()?;
        let values = slots.iter().map(|slot| f64::from_bits(slot.0.load(Ordering::Relaxed)));
        Ok(values.fold(0.0, larger))
    }

    #[inline]
    fn turn_until(&self, ready: impl Fn() -> bool) -> Result<(), Failure> {
        let mut turns = 0;
        while !ready() {
            if self.crew.failed.load(Ordering::Acquire) {
                return Err(Failure::new(Code::Internal, "another thread of the kernel failed"));
            }
            turns += 1;
            if turns < TURNS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        Ok(())
    }
}

/// The larger of two residuals, compared as partdiff does.
#[inline(always)]
pub(super) fn larger(max: f64, value: f64) -> f64 {
    if value <= max {
        max
    } else {
        value
    }
}
