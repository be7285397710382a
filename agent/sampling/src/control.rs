//! How a run is told to begin and to stop, and how its window, its iterations or its slices are released.

use crate::clock::sleep_until;
use crate::now_ns;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use virtometer_protocol::Iteration;

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    start: bool,
    stop: bool,
    waits: bool,
    go: bool,
    released: bool,
    began_ns: u64,
    /// Length of the slice that was released, where it has one of its own.
    slice_ns: Option<u64>,
    /// When the window that was released is to begin, by [`now_ns`]; 0: at once.
    moment_ns: u64,
}

/// How often a run wakes before its window begins with those of others: one wake may be delayed by another program.
const EARLY_WAKES: u64 = 3;

/// How long before the begin, and before each other, these are, ns.
const EARLY_NS: u64 = 2_000_000;

/// What a run reports of an iteration, a slice or a window that somebody else releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Everything is ready: the work begins as soon as [`Control::release`] is called.
    Waiting(Iteration),
    /// The work is done, and not verified yet.
    Done {
        /// What it was.
        iteration: Iteration,
        /// Whether it was released, and does not follow on from the one before it.
        released: bool,
        /// When it was released, or when the end of the one before it was told, by [`now_ns`].
        began_ns: u64,
        /// When it was done, by [`now_ns`].
        ended_ns: u64,
    },
}

/// Shared between the one who gives orders and the thread of a run.
#[derive(Default)]
pub struct Control {
    flags: Mutex<Flags>,
    changed: Condvar,
    stop: AtomicBool,
    tell: Option<Box<dyn Fn(Moment) + Send + Sync>>,
    slice_ns: Option<u64>,
    together: bool,
}

impl Control {
    /// For a run whose iterations are timed by whom `tell` tells: each waits for its release and reports its end.
    pub fn host_timed(tell: impl Fn(Moment) + Send + Sync + 'static) -> Self {
        Control { tell: Some(Box::new(tell)), ..Control::default() }
    }

    /// For a run in slices of `slice_ns`: each waits for its release, and whom `tell` tells releases it.
    pub fn in_slices(slice_ns: u64, tell: impl Fn(Moment) + Send + Sync + 'static) -> Self {
        Control { tell: Some(Box::new(tell)), slice_ns: Some(slice_ns), ..Control::default() }
    }

    /// For a run whose window begins with those of others: it waits for its release, and whom `tell` tells
    /// releases it, at once or for a moment.
    pub fn together(tell: impl Fn(Moment) + Send + Sync + 'static) -> Self {
        Control { tell: Some(Box::new(tell)), together: true, ..Control::default() }
    }

    /// Whether somebody else times the iterations and releases them one by one.
    pub(crate) fn is_host_timed(&self) -> bool {
        self.tell.is_some() && self.slice_ns.is_none() && !self.together
    }

    /// Whether the window begins with those of others.
    pub fn is_together(&self) -> bool {
        self.together
    }

    /// Whether the work is done in slices.
    pub fn is_in_slices(&self) -> bool {
        self.slice_ns.is_some()
    }

    /// Length of slices that have none of their own, 0 where the work is not done in slices.
    pub(crate) fn usual_slice_ns(&self) -> u64 {
        self.slice_ns.unwrap_or(0)
    }

    /// Length of the slice that was released last, 0 where the work is not done in slices.
    pub(crate) fn slice_ns(&self) -> u64 {
        self.lock().slice_ns.take().or(self.slice_ns).unwrap_or(0)
    }

    /// An iteration without work.
    pub(crate) fn null_iteration(&self) {
        self.wait_for_release(Iteration::Null);
        self.report_end(Iteration::Null);
    }

    /// Wait for the release where somebody else releases the work. A run that is to stop does not wait.
    pub(crate) fn wait_for_release(&self, iteration: Iteration) {
        if let Some(tell) = &self.tell {
            self.lock().waits = true;
            tell(Moment::Waiting(iteration));
            let mut flags = self.lock();
            while !flags.go && !flags.stop {
                flags = self.changed.wait(flags).unwrap_or_else(PoisonError::into_inner);
            }
            flags.waits = false;
            flags.released = std::mem::take(&mut flags.go);
            flags.began_ns = now_ns();
        }
    }

    /// Say that the work is done, if anybody wants to know.
    pub(crate) fn report_end(&self, iteration: Iteration) {
        if let Some(tell) = &self.tell {
            let ended_ns = now_ns();
            let mut flags = self.lock();
            let released = std::mem::take(&mut flags.released);
            let began_ns = std::mem::replace(&mut flags.began_ns, ended_ns);
            drop(flags);
            tell(Moment::Done { iteration, released, began_ns, ended_ns });
        }
    }

    /// Whether an iteration waits for its release.
    pub fn waits(&self) -> bool {
        let flags = self.lock();
        flags.waits && !flags.go
    }

    /// Let the iteration begin that waits, if one does.
    pub fn release(&self) {
        let mut flags = self.lock();
        flags.go = flags.waits;
        drop(flags);
        self.changed.notify_all();
    }

    /// Let the slice begin that waits, with this length.
    pub fn release_slice(&self, length_ns: u64) {
        self.lock().slice_ns = Some(length_ns);
        self.release();
    }

    /// Let the window that waits begin at a moment by [`now_ns`]: the run sleeps until then.
    pub fn release_at(&self, moment_ns: u64) {
        self.lock().moment_ns = moment_ns;
        self.release();
    }

    /// Sleep until the moment for which the window was released. Returns when it began, by [`now_ns`].
    ///
    /// A window begins when the run could work, though others that begin at the same moment may have the processor
    /// then. While all still sleep, early wakes show how late timers end a sleep here: no later has the window begun.
    pub(crate) fn begin(&self) -> u64 {
        let moment_ns = self.lock().moment_ns;
        let mut timer_ns = u64::MAX;
        for early_ns in (1..=EARLY_WAKES).rev().map(|number| moment_ns.saturating_sub(number * EARLY_NS)) {
            if sleep_until(early_ns, || self.stopped()) {
                timer_ns = timer_ns.min(now_ns().saturating_sub(early_ns));
            }
        }
        sleep_until(moment_ns, || self.stopped());
        now_ns().min(moment_ns.saturating_add(timer_ns))
    }

    /// Let the run begin: its window, or the wait for its first release.
    pub fn start(&self) {
        self.lock().start = true;
        self.changed.notify_all();
    }

    /// End the run after the iteration under way.
    pub fn stop(&self) {
        let mut flags = self.lock();
        // Before the flag: a run that the flag wakes asks at once whether it is to end.
        self.stop.store(true, Ordering::Release);
        flags.stop = true;
        drop(flags);
        self.changed.notify_all();
    }

    /// Whether the run is to end. Cheap: kernels ask it while they wait for a peer.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Wait until the run is started (true) or stopped (false). A run that is started and stopped at once is started:
    /// it makes one iteration.
    pub fn wait_for_start(&self) -> bool {
        let mut flags = self.lock();
        while !flags.start && !flags.stop {
            flags = self.changed.wait(flags).unwrap_or_else(PoisonError::into_inner);
        }
        flags.start
    }

    /// Wait until the run is stopped.
    pub fn wait_for_stop(&self) {
        let mut flags = self.lock();
        while !flags.stop {
            flags = self.changed.wait(flags).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Flags> {
        // Plain flags are whole whatever happened to the thread that held them.
        self.flags.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("flags", &self.flags)
            .field("host_timed", &self.is_host_timed())
            .field("slice_ns", &self.slice_ns)
            .field("together", &self.together)
            .finish_non_exhaustive()
    }
}
