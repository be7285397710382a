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

/// Longest sleep at once, ns: after it the sleeper looks whether it is to stop, and at its clock again.
const LONGEST_SLEEP_NS: u64 = 50_000_000;

/// Sleep until `moment_ns` by [`now_ns`], or until `stopped`. False at once where the moment has passed.
///
/// It ends though the clock goes back meanwhile: no sleep is longer than the wait seemed to be at first.
pub(crate) fn sleep_until(moment_ns: u64, stopped: impl Fn() -> bool) -> bool {
    let mut left_ns = moment_ns.saturating_sub(now_ns());
    if left_ns == 0 {
        return false;
    }
    let most = left_ns / LONGEST_SLEEP_NS + 2;
    let _precise = crate::system::PreciseSleep::begin();
    for _ in 0..most {
        if left_ns == 0 || stopped() {
            break;
        }
        crate::system::sleep(left_ns.min(LONGEST_SLEEP_NS));
        left_ns = moment_ns.saturating_sub(now_ns());
    }
    true
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

    /// Begin to count at a moment of this clock that has passed.
    pub(crate) fn since(read_ns: u64) -> Self {
        Passed { read_ns, passed_ns: 0 }
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
    use super::{now_ns, planted, reading_cost_ns, sleep_until, Passed};
    use std::cell::Cell;
    use std::time::{Duration, Instant};

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

    #[test]
    fn a_moment_is_slept_for_and_not_missed() {
        for ahead_ns in [100_000, 20_000_000, 120_000_000] {
            let moment_ns = now_ns() + ahead_ns;
            assert!(sleep_until(moment_ns, || false));
            assert!(now_ns() >= moment_ns);
        }
        let begun = Instant::now();
        assert!(!sleep_until(now_ns() - 1, || unreachable!()));
        sleep_until(now_ns() + 60_000_000_000, || begun.elapsed() > Duration::from_millis(60));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_clock_that_goes_back_does_not_make_a_sleep_longer_than_it_seemed() {
        let (begun, looks) = (Instant::now(), Cell::new(0));
        sleep_until(now_ns() + 20_000_000, || {
            planted::step_back(100_000_000_000);
            looks.set(looks.get() + 1);
            false
        });
        assert_eq!(looks.get(), 2);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
