//! How a run is told to begin and to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy, Debug, Default)]
struct Wishes {
    start: bool,
    stop: bool,
}

/// Shared between the one who gives orders and the thread of a run.
#[derive(Debug, Default)]
pub struct Control {
    wishes: Mutex<Wishes>,
    changed: Condvar,
    stop: AtomicBool,
}

impl Control {
    /// Let the window begin.
    pub fn start(&self) {
        self.lock().start = true;
        self.changed.notify_all();
    }

    /// End the run after the iteration under way.
    pub fn stop(&self) {
        self.lock().stop = true;
        self.stop.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Whether the run is to end. Cheap: kernels ask it while they wait for a peer.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Wait until the run is started (true) or stopped (false). A run that is started and stopped at once is started:
    /// it makes one iteration.
    pub fn wait_for_start(&self) -> bool {
        let mut wishes = self.lock();
        while !wishes.start && !wishes.stop {
            wishes = self.changed.wait(wishes).unwrap_or_else(PoisonError::into_inner);
        }
        wishes.start
    }

    /// Wait until the run is stopped.
    pub fn wait_for_stop(&self) {
        let mut wishes = self.lock();
        while !wishes.stop {
            wishes = self.changed.wait(wishes).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Wishes> {
        // Plain flags are whole whatever happened to the thread that held them.
        self.wishes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
