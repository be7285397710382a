//! What all kernels share: the clock, pinned threads, calibration and the loop of timed iterations.
//!
//! A kernel is a [`Worker`] per thread. [`prepare`] builds the workers, calibrates how much work makes an iteration
//! of at least 10 ms, and [`Prepared::run`] makes iterations for a window of time. Nothing but the worker's own work
//! happens inside a timed stretch: verifying, recording and sending happen between iterations.

mod barrier;
mod clock;
mod control;
mod cpu;
mod extras;
mod fault;
#[cfg(unix)]
mod linux;
#[cfg(feature = "planted-clock")]
pub mod planted_clock;
mod run;
mod thread_group;
#[cfg(windows)]
mod windows;
mod worker;

#[cfg(unix)]
use linux as system;
#[cfg(windows)]
use windows as system;

pub use barrier::{Barrier, PanicGuard};
pub use clock::{now_ns, reading_cost_ns};
pub use control::{Control, Moment};
pub use cpu::{allowed_cpus, pin_to, CpuClock};
pub use extras::{Extras, Merge, Times};
pub use fault::os_failure;
pub use run::{has_short_iterations, prepare, Outcome, Prepared, RawSample};
#[cfg(windows)]
pub use windows::{count_child, thread_cpu};
pub use worker::{timed, CheckValue, Stretch, Task, Worker, WorkerFactory};
