//! A slow clock, for tests that count the readings of the clock. The product is built without it.
//!
//! Guests exist in which a reading costs microseconds. [`plant`] makes each reading of this process cost what such a
//! reading costs, by work, and records it. [`show`] gives one thread a clock that shows what a test says.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

/// Room for readings, so that recording one seldom allocates.
const ROOM: usize = 1 << 20;

static PLANTED: AtomicBool = AtomicBool::new(false);
static COST_NS: AtomicU64 = AtomicU64::new(0);
static READINGS: Mutex<Vec<Reading>> = Mutex::new(Vec::new());
/// Held by whoever has planted a clock: one at a time.
static OWNER: Mutex<()> = Mutex::new(());

/// One reading of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The thread that read.
    pub thread: ThreadId,
    /// What it read, ns.
    pub ns: u64,
}

/// A planted clock. The ordinary one is back when it is dropped.
#[derive(Debug)]
pub struct Planted {
    _owner: MutexGuard<'static, ()>,
}

/// From now on each reading of the clock by any thread of this process costs at least `cost` more, and is recorded.
/// Waits while another planted clock exists.
#[must_use]
pub fn plant(cost: Duration) -> Planted {
    let owner = OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let mut known = readings();
    known.clear();
    known.reserve(ROOM);
    drop(known);
    COST_NS.store(u64::try_from(cost.as_nanos()).unwrap_or(u64::MAX), Ordering::SeqCst);
    PLANTED.store(true, Ordering::SeqCst);
    Planted { _owner: owner }
}

impl Planted {
    /// The readings so far, in the order in which they were recorded.
    pub fn readings(&self) -> Vec<Reading> {
        readings().clone()
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        PLANTED.store(false, Ordering::SeqCst);
        readings().clear();
    }
}

type Show = Box<dyn FnMut() -> u64>;

thread_local!(static SHOW: RefCell<Option<Show>> = const { RefCell::new(None) });

/// A clock of one thread. The ordinary one is back when it is dropped.
pub struct Shown(());

/// From now on the clock of the calling thread shows the return values of `show`, ns. `show` is called at each reading,
/// so that it can also look at the work that is done by then. A reading within `show` is one of the ordinary clock.
#[must_use]
pub fn show(show: impl FnMut() -> u64 + 'static) -> Shown {
    SHOW.with(|known| *known.borrow_mut() = Some(Box::new(show)));
    Shown(())
}

/// What [`looking`] saw, in the order of the readings.
pub type Seen<T> = Rc<RefCell<Vec<T>>>;

/// A clock of the calling thread that shows one microsecond more at each reading, and what `look` saw at each.
pub fn looking<T: 'static>(mut look: impl FnMut() -> T + 'static) -> (Shown, Seen<T>) {
    let seen = Seen::default();
    let known = seen.clone();
    let clock = show(move || {
        known.borrow_mut().push(look());
        known.borrow().len() as u64 * 1000
    });
    (clock, seen)
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shown")
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        SHOW.with(|known| *known.borrow_mut() = None);
    }
}

/// What the clock of this thread shows, where [`show`] says it.
fn shown() -> Option<u64> {
    SHOW.with(|known| known.try_borrow_mut().ok()?.as_mut().map(|show| show()))
}

/// One reading of `source`: half of its cost before the value is taken, half of it after.
pub(crate) fn read(source: fn() -> u64) -> u64 {
    if let Some(ns) = shown() {
        return ns;
    }
    if !PLANTED.load(Ordering::Relaxed) {
        return source();
    }
    let half_ns = COST_NS.load(Ordering::Relaxed) / 2;
    spend(source, half_ns);
    let ns = source();
    readings().push(Reading { thread: std::thread::current().id(), ns });
    spend(source, half_ns);
    ns
}

fn spend(source: fn() -> u64, ns: u64) {
    let begun = source();
    while ns > 0 && source().saturating_sub(begun) < ns {
        std::hint::spin_loop();
    }
}

fn readings() -> MutexGuard<'static, Vec<Reading>> {
    // The list is whole whatever happened to the thread that held it.
    READINGS.lock().unwrap_or_else(PoisonError::into_inner)
}
