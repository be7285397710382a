//! How a run is told to begin and to stop, and how its iterations are let through one by one.

use crate::now_ns;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use virtometer_protocol::Iteration;

#[derive(Clone, Copy, Debug, Default)]
struct Wishes {
    start: bool,
    stop: bool,
    waits: bool,
    go: bool,
    released: bool,
    began_ns: u64,
}

/// What is told of an iteration that somebody else times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is ready: the work begins as soon as [`Control::let_go`] is called.
    Waiting(Iteration),
    /// The work is done, and not verified yet.
    Done {
        /// What it was.
        iteration: Iteration,
        /// Whether it was let go, and does not follow on from the one before it.
        released: bool,
        /// When it was let go, or when the end of the one before it was told, by [`now_ns`].
        began_ns: u64,
        /// When it was done, by [`now_ns`].
        ended_ns: u64,
    },
}

/// Shared between the one who gives orders and the thread of a run.
#[derive(Default)]
pub struct Control {
    wishes: Mutex<Wishes>,
    changed: Condvar,
    stop: AtomicBool,
    tell: Option<Box<dyn Fn(Moment) + Send + Sync>>,
}

impl Control {
    /// For a run whose iterations are timed by whom `tell` tells: each waits to be let go, and says when it has worked.
    pub fn of_a_gate(tell: impl Fn(Moment) + Send + Sync + 'static) -> Self {
        Control { tell: Some(Box::new(tell)), ..Control::default() }
    }

    /// Whether the iterations are let through one by one.
    pub(crate) fn has_gate(&self) -> bool {
        self.tell.is_some()
    }

    /// Pass the gate without work.
    pub(crate) fn null_iteration(&self) {
        self.enter(Iteration::Null);
        self.leave(Iteration::Null);
    }

    /// Wait at the gate, if there is one. A run that is to stop is let through.
    pub(crate) fn enter(&self, iteration: Iteration) {
        if let Some(tell) = &self.tell {
            self.lock().waits = true;
            tell(Moment::Waiting(iteration));
            let mut wishes = self.lock();
            while !wishes.go && !wishes.stop {
                wishes = self.changed.wait(wishes).unwrap_or_else(PoisonError::into_inner);
            }
            wishes.waits = false;
            wishes.released = std::mem::take(&mut wishes.go);
            wishes.began_ns = now_ns();
        }
    }

    /// Say that the work is done, if anybody wants to know.
    pub(crate) fn leave(&self, iteration: Iteration) {
        if let Some(tell) = &self.tell {
            let ended_ns = now_ns();
            let mut wishes = self.lock();
            let released = std::mem::take(&mut wishes.released);
            let began_ns = std::mem::replace(&mut wishes.began_ns, ended_ns);
            drop(wishes);
            tell(Moment::Done { iteration, released, began_ns, ended_ns });
        }
    }

    /// Whether an iteration waits at the gate.
    pub fn waits(&self) -> bool {
        let wishes = self.lock();
        wishes.waits && !wishes.go
    }

    /// Let the iteration begin that waits, if one does.
    pub fn let_go(&self) {
        let mut wishes = self.lock();
        wishes.go = wishes.waits;
        drop(wishes);
        self.changed.notify_all();
    }

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

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("wishes", &self.wishes).field("gate", &self.has_gate()).finish_non_exhaustive()
    }
}
