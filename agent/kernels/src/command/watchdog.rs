//! Ends a program at its time limit, and where its run is stopped.

#![allow(unsafe_code)] // kill

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use virtometer_protocol::Failure;
use virtometer_sampling::{os_failure, Control};

/// How often to look. Nobody wakes the watchdog when a program starts: that would take time of the program's.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// How long a program may go on after its run was stopped: its last run then counts.
const GRACE: Duration = Duration::from_secs(2);

/// Why a program was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Its time was over.
    Late,
    /// The run was stopped.
    Stopped,
}

#[derive(Default)]
struct Watch {
    program: Option<libc::pid_t>,
    deadline: Option<Instant>,
    /// When the program is to be gone, because the run was stopped.
    stopped_by: Option<Instant>,
    ended: Option<Why>,
    /// It goes on where the run is stopped.
    goes_on: bool,
    over: bool,
}

#[derive(Default)]
struct Shared {
    watch: Mutex<Watch>,
    over: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread that watches one program at a time.
pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub(super) fn new(control: Arc<Control>) -> Result<Self, Failure> {
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        let thread = std::thread::Builder::new()
            .name("watchdog".into())
            .spawn(move || watch(&own, &control))
            .map_err(|cause| os_failure("cannot start a thread", &cause))?;
        Ok(Watchdog { shared, thread: Some(thread) })
    }

    /// End this program when `limit` has passed. It must not be reaped before [`Watchdog::release`]. `goes_on`: also
    /// where the run is stopped.
    pub(super) fn guard(&self, program: libc::pid_t, limit: Option<Duration>, goes_on: bool) {
        let deadline = limit.map(|limit| Instant::now() + limit);
        let mut watch = self.shared.lock();
        *watch = Watch { program: Some(program), deadline, goes_on, ..Watch::default() };
    }

    /// The program has ended. Returns why it was ended, where it was.
    pub(super) fn release(&self) -> Option<Why> {
        let mut watch = self.shared.lock();
        watch.program = None;
        watch.ended.take()
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.over.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, control: &Control) {
    let mut watch = shared.lock();
    while !watch.over {
        let now = Instant::now();
        if watch.program.is_some() && !watch.goes_on && control.stopped() {
            watch.stopped_by.get_or_insert(now + GRACE);
        }
        let passed = |moment: Option<Instant>| moment.is_some_and(|moment| moment <= now);
        let why =
            if passed(watch.deadline) { Some(Why::Late) } else { passed(watch.stopped_by).then_some(Why::Stopped) };
        if let (Some(program), Some(why)) = (watch.program, why) {
            // SAFETY: the program is not reaped while it is watched, so that the number is still its own.
            unsafe { libc::kill(program, libc::SIGKILL) };
            watch.ended = Some(why);
        }
        let left = watch.deadline.map_or(POLL_INTERVAL, |moment| moment.saturating_duration_since(now));
        let pause = left.clamp(Duration::from_millis(1), POLL_INTERVAL);
        watch = shared.over.wait_timeout(watch, pause).unwrap_or_else(PoisonError::into_inner).0;
    }
}
