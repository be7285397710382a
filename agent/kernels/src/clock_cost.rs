//! What reading the clock costs, and how many readings work can afford.

use crate::operation::TimedBy::Nothing;
use crate::operation::{measure, Measure};
pub(crate) use virtometer_sampling::reading_cost_ns;

/// The measure of operations that read the clock as often as they need.
pub(crate) const CLOCK_SHARE: Measure =
    measure("clock-share", "1", Nothing, "part of the measured time that readings of the clock cost, at most");

/// The readings of the clock may cost at most one part in so many of the work that they time: 0.5 %.
pub(crate) const SHARE: u64 = 200;

/// How many readings of `reading_ns` each work of `work_ns` can afford.
pub(crate) fn affordable(reading_ns: u64, work_ns: u64) -> u64 {
    work_ns / reading_ns.max(1).saturating_mul(SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_cost_at_most_the_share() {
        assert!(reading_cost_ns() >= 1);
        assert_eq!((affordable(50_000, 40_000_000), affordable(25, 10_000_000)), (4, 2_000));
    }
}
