//! What reading the clock costs, and how many readings work can afford.

use virtometer_sampling::now_ns;

/// The readings of the clock may cost at most this part of the work that they time: 0.5 %.
const SHARE: u64 = 200;

/// The time of one reading, ns: the quickest of some, because others were interrupted. At least 1.
pub(crate) fn reading_ns() -> u64 {
    let mut last = now_ns();
    let quickest = (0..64).map(|_| {
        let now = now_ns();
        let took = now.saturating_sub(last);
        last = now;
        took
    });
    quickest.min().unwrap_or(0).max(1)
}

/// How many readings of `reading_ns` each work of `work_ns` can afford.
pub(crate) fn affordable(reading_ns: u64, work_ns: u64) -> u64 {
    work_ns / reading_ns.max(1).saturating_mul(SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_cost_at_most_the_share() {
        assert!(reading_ns() >= 1);
        assert_eq!((affordable(50_000, 40_000_000), affordable(25, 10_000_000)), (4, 2_000));
    }
}
