//! The one clock of all measurements.

use rustix::time::{clock_gettime, ClockId};

/// CLOCK_MONOTONIC in nanoseconds.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // The clock starts near zero when the system boots: both parts are non-negative and the sum fits for 584 years.
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_does_not_go_back() {
        let readings: Vec<u64> = (0..1000).map(|_| super::now_ns()).collect();
        assert!(readings[0] > 0);
        assert!(readings.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
