//! What a kernel is made of.

use crate::{now_ns, Control, Extras};
use std::fmt;
use std::sync::Arc;
use virtometer_protocol::{CheckKind, Conditions, Failure, Parameters};

/// What a kernel is asked to do.
#[derive(Clone, Debug)]
pub struct Task {
    /// Name of the operation.
    pub op: String,
    /// The kernel's own parameters.
    pub parameters: Parameters,
    /// Number of threads, at least 1.
    pub threads: usize,
    /// Processors that the threads are pinned to, thread i to `cpus[i % len]`. `None`: left to the scheduler.
    pub cpus: Option<Vec<usize>>,
    /// Length of the window in seconds.
    pub seconds: f64,
    /// Tells a kernel that waits for something when to give up.
    pub control: Arc<Control>,
}

/// Builds the worker of thread `index`. Called on that thread, which is already pinned.
pub type WorkerFactory = Arc<dyn Fn(usize) -> Result<Box<dyn Worker>, Failure> + Send + Sync>;

/// A timed stretch and the work done in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// CLOCK_MONOTONIC at the beginning, ns.
    pub start_ns: u64,
    /// CLOCK_MONOTONIC at the end, ns.
    pub end_ns: u64,
    /// Work in the unit's numerator.
    pub work: u64,
}

impl Stretch {
    /// The same work, of a stretch that began at `began_ns` where that is known: before the worker got a processor.
    #[must_use]
    pub(crate) fn beginning_at(self, began_ns: Option<u64>) -> Self {
        Stretch { start_ns: began_ns.unwrap_or(self.start_ns), ..self }
    }
}

/// Time `body`, which does `work`.
pub fn timed<E>(work: u64, body: impl FnOnce() -> Result<(), E>) -> Result<Stretch, E> {
    let start_ns = now_ns();
    body()?;
    Ok(Stretch { start_ns, end_ns: now_ns(), work })
}

/// The value that shows that a result is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CheckValue {
    /// Normalised residual of a solution.
    Residual(f64),
    /// Checksum of data.
    Checksum(u64),
    /// Bytes counted at both ends.
    Bytes(u64),
    /// Operations counted independently.
    Count(u64),
}

impl CheckValue {
    /// How the result was checked.
    pub fn kind(self) -> CheckKind {
        match self {
            CheckValue::Residual(_) => CheckKind::Residual,
            CheckValue::Checksum(_) => CheckKind::Checksum,
            CheckValue::Bytes(_) => CheckKind::Bytes,
            CheckValue::Count(_) => CheckKind::Count,
        }
    }

    /// One value for two threads: the larger residual, the sum of counts, checksums mixed.
    #[must_use]
    pub fn with(self, other: CheckValue) -> CheckValue {
        match (self, other) {
            (CheckValue::Residual(a), CheckValue::Residual(b)) => CheckValue::Residual(a.max(b)),
            (CheckValue::Checksum(a), CheckValue::Checksum(b)) => CheckValue::Checksum(a.rotate_left(1) ^ b),
            (CheckValue::Bytes(a), CheckValue::Bytes(b)) => CheckValue::Bytes(a + b),
            (CheckValue::Count(a), CheckValue::Count(b)) => CheckValue::Count(a + b),
            (value, _) => value,
        }
    }
}

impl fmt::Display for CheckValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckValue::Residual(value) => write!(f, "{value:.4}"),
            CheckValue::Checksum(value) => write!(f, "{value:016x}"),
            CheckValue::Bytes(value) | CheckValue::Count(value) => write!(f, "{value}"),
        }
    }
}

/// One thread's share of a kernel. Built, used and dropped on its own thread.
pub trait Worker {
    /// Whether iterations are made before the window to warm up and to find their length. Where not, every iteration
    /// has one repeat.
    fn calibrated(&self) -> bool {
        true
    }

    /// Most repeats that one iteration may have, for example because each needs memory.
    fn most_repeats(&self) -> u64 {
        u64::MAX
    }

    /// Whether an iteration begins where the one before it ended, so that there is nowhere to wait between them: a
    /// stream of data that flows on.
    fn continuous(&self) -> bool {
        false
    }

    /// Length that an iteration should have, ns, where that is more than usual: because it begins and ends slowly.
    fn target_ns(&self) -> u64 {
        0
    }

    /// Make ready for an iteration of `repeats`. Not timed.
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        let _ = repeats;
        Ok(())
    }

    /// The iteration. Only what lies between the times of the returned stretch counts.
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure>;

    /// Verify the iteration. Not timed. `check-failed` where the result is wrong.
    fn verify(&mut self) -> Result<CheckValue, Failure>;

    /// Forget the iterations made so far, which were for calibration: the window is about to begin.
    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// For work that runs to completion, whether it is done. `None`: the window decides.
    fn complete(&self) -> Option<bool> {
        None
    }

    /// What decides whether this result may be compared with another.
    fn conditions(&self) -> Conditions {
        Conditions::new()
    }

    /// Verify the whole run after the last iteration and release what must be released in order.
    fn finish(&mut self) -> Result<CheckValue, Failure>;

    /// What was found besides the value since [`Worker::reset_after_calibration`]. Called once, after
    /// [`Worker::finish`].
    fn extras(&mut self) -> Extras {
        Extras::default()
    }
}
