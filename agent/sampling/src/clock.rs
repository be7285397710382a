//! The one clock of all measurements.

#[cfg(not(test))]
use crate::system as source;
#[cfg(test)]
use planted as source;

/// The system's monotonic clock in nanoseconds: CLOCK_MONOTONIC on Linux, the performance counter on Windows.
#[cfg(not(feature = "planted-clock"))]
pub fn now_ns() -> u64 {
    source::now_ns()
}

/// The system's monotonic clock in nanoseconds, or a planted one.
#[cfg(feature = "planted-clock")]
pub fn now_ns() -> u64 {
    crate::planted_clock::read(source::now_ns)
}

/// Cost of one reading of [`now_ns`], ns, at least 1: three of four readings cost less. The dearest are left out,
/// because they were interrupted.
pub fn reading_cost_ns() -> u64 {
    let mut last = now_ns();
    let mut costs = [0; 64].map(|_: u64| {
        let now = now_ns();
        now.saturating_sub(std::mem::replace(&mut last, now))
    });
    costs.sort_unstable();
    costs[costs.len() * 3 / 4].max(1)
}

/// Time that has passed from a moment on, for waits that have to end: some guests' clocks go back.
///
/// What lies between two readings counts; a reading below the one before counts as nothing, and those after it go on
/// from there.
pub(crate) struct Passed {
    read_ns: u64,
    passed_ns: u64,
}

impl Passed {
    /// Begin to count.
    pub(crate) fn start() -> Self {
        Passed { read_ns: now_ns(), passed_ns: 0 }
    }

    /// What has passed until now, ns. Never decreases.
    pub(crate) fn read(&mut self) -> u64 {
        let now = now_ns();
        self.passed_ns += now.saturating_sub(self.read_ns);
        self.read_ns = now;
        self.passed_ns
    }
}

/// A clock that steps, for tests of one thread.
#[cfg(test)]
pub(crate) mod planted {
    use std::cell::Cell;

    /// How far each thread's clock is ahead of the system's at first, ns: it may go back by so much.
    const AHEAD_NS: u64 = 1_000_000_000_000_000;

    thread_local!(static AHEAD: Cell<u64> = const { Cell::new(AHEAD_NS) });

    /// What this thread's clock shows.
    pub(super) fn now_ns() -> u64 {
        crate::system::now_ns() + AHEAD.with(Cell::get)
    }

    /// Let this thread's clock go back.
    pub(crate) fn step_back(ns: u64) {
        AHEAD.with(|ahead| ahead.set(ahead.get() - ns));
    }
}

#[cfg(test)]
mod tests {
    use super::{planted, reading_cost_ns, Passed};

    #[test]
    fn a_reading_costs_something() {
        assert!((1..1_000_000).contains(&reading_cost_ns()));
    }

    #[test]
    fn time_does_not_go_back() {
        let readings: Vec<u64> = (0..1000).map(|_| super::now_ns()).collect();
        assert!(readings[0] > 0);
        assert!(readings.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn a_clock_that_goes_back_does_not_hold_up_what_waits() {
        let mut passed = Passed::start();
        planted::step_back(1_000_000_000);
        let before = passed.read();
        assert!(before < 1_000_000_000, "{before}");
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(passed.read() >= before + 5_000_000);
    }
}
