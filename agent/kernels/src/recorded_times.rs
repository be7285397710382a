//! Whether a histogram holds the times that were taken: their number and their sum are kept apart from it.

use crate::settings::check_failed;
use virtometer_protocol::Failure;
use virtometer_sampling::Times;

/// Number and sum of times that were taken, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) count: u64,
    pub(crate) sum_ns: u64,
}

impl Taken {
    /// `check-failed` where the histogram lacks some of them, or has them at other times: it is right to 1 %.
    pub(crate) fn compare(self, times: &Times) -> Result<(), Failure> {
        let Taken { count, sum_ns } = self;
        if times.count() != count {
            return Err(check_failed(format!("{count} operations were timed, and {} are recorded", times.count())));
        }
        #[allow(clippy::cast_precision_loss)] // times of one run, far below 2^53
        let (taken_ns, recorded_ns, count) = (sum_ns as f64, times.mean() * count as f64, count as f64);
        if count > 0.0 && (recorded_ns - taken_ns).abs() > 0.02 * taken_ns + count {
            let message = format!("operations of {taken_ns:e} ns in total are recorded with {recorded_ns:e} ns");
            return Err(check_failed(message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_are_left_out_or_cut_are_reported() {
        let all = [100, 900, 30_000, 250_000, 250_000, 7_000_000, 3_000_000_000];
        let taken = Taken { count: 7, sum_ns: all.iter().sum() };
        let recorded = |how: fn(u64) -> Option<u64>| {
            let mut times = Times::default();
            all.iter().filter_map(|ns| how(*ns)).for_each(|ns| times.record(ns));
            taken.compare(&times).map_err(|failure| failure.message)
        };
        assert_eq!(recorded(Some), Ok(()));
        let message = "7 operations were timed, and 5 are recorded";
        assert_eq!(recorded(|ns| (ns < 1_000_000).then_some(ns)), Err(message.to_owned()));
        assert!(recorded(|ns| Some(ns.min(200_000))).is_err());
        assert!(recorded(|ns| Some(ns / 1000 * 1001)).is_ok());
        assert_eq!(Taken::default().compare(&Times::default()), Ok(()));
    }
}
