//! The one clock of all measurements.

/// The system's monotonic clock in nanoseconds: CLOCK_MONOTONIC on Linux, the performance counter on Windows.
pub fn now_ns() -> u64 {
    crate::system::now_ns()
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
