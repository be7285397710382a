//! When the requests of an open loop are due.

use super::super::account::{precise, seconds};
use crate::random::Random;

/// When requests are due.
pub(crate) struct Schedule {
    interval_ns: f64,
    /// Where given, the gaps are exponentially distributed: arrivals of a Poisson process.
    pub(super) random: Option<Random>,
    /// The next request, ns after the beginning.
    next_ns: f64,
    /// Requests before that one.
    pub(super) passed: u64,
}

/// Whether `due` requests are as many as a rate gives in so many nanoseconds: all but one at equal distances, at random
/// six standard deviations of a Poisson process more or fewer.
pub(super) fn is_of_rate(due: u64, rate: u64, random: bool, lasted_ns: u64) -> bool {
    let expected = precise(rate) * seconds(lasted_ns);
    let most = if random { 6.0 * expected.sqrt() + 6.0 } else { 2.0 };
    (precise(due) - expected).abs() <= most
}

impl Schedule {
    /// `rate` requests a second, at equal distances, or at random with this seed.
    pub(crate) fn new(rate: u64, seed: Option<u64>) -> Self {
        let mut schedule = Schedule {
            interval_ns: 1e9 / precise(rate.max(1)),
            random: seed.map(Random::new),
            next_ns: 0.0,
            passed: 0,
        };
        schedule.step();
        schedule
    }

    /// When the next request is due, ns after the beginning.
    pub(super) fn due(&self) -> u64 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive and far below 2^53
        let due = self.next_ns as u64;
        due
    }

    /// The next request has been dealt with.
    pub(super) fn advance(&mut self) {
        self.passed += 1;
        self.step();
    }

    fn step(&mut self) {
        self.next_ns += match &mut self.random {
            None => self.interval_ns,
            // 53 random bits above zero and up to one.
            Some(random) => -((precise(random.next() >> 11) + 1.0) / precise(1 << 53)).ln() * self.interval_ns,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_schedule_has_equal_distances() {
        let mut schedule = Schedule::new(1000, None);
        for number in 1..=10 {
            assert_eq!(schedule.due(), number * 1_000_000);
            schedule.advance();
        }
    }

    #[test]
    fn a_random_schedule_has_the_rate_and_the_spread_of_a_poisson_process_and_follows_from_its_seed() {
        let gaps = |seed| {
            let mut schedule = Schedule::new(1000, Some(seed));
            let mut last = 0;
            let mut gap = || {
                let gap = precise(schedule.due() - last);
                last = schedule.due();
                schedule.advance();
                gap
            };
            (0..100_000).map(|_| gap()).collect::<Vec<f64>>()
        };
        let one = gaps(7);
        let mean = one.iter().sum::<f64>() / 1e5;
        let variance = one.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / 1e5;
        // The standard error of the mean is 0.3 %, that of the standard deviation 0.7 %.
        assert!((mean / 1e6 - 1.0).abs() < 0.015, "{mean}");
        assert!((variance.sqrt() / 1e6 - 1.0).abs() < 0.03, "{variance}");
        assert_eq!(one, gaps(7));
        assert_ne!(one, gaps(8));
    }

    #[test]
    fn requests_are_as_many_as_their_rate_gives() {
        let second = 1_000_000_000;
        for (due, random, right) in [
            (5_000, false, true),
            (4_999, false, true),
            (4_990, false, false),
            (2_912, false, false),
            (5_010, false, false),
            (5_000, true, true),
            (4_700, true, true),
            (4_500, true, false),
            (5_500, true, false),
        ] {
            assert_eq!(is_of_rate(due, 5_000, random, second), right, "{due} {random}");
        }
        for random in [None, Some(3)] {
            let mut schedule = Schedule::new(5_000, random);
            while schedule.due() <= 3 * second {
                schedule.advance();
            }
            assert!(is_of_rate(schedule.passed, 5_000, random.is_some(), 3 * second), "{}", schedule.passed);
        }
    }
}
