//! What a run found besides its value: further measures, and histograms of single operations.

use hdrhistogram::Histogram;
use std::collections::BTreeMap;
use virtometer_protocol::{Distribution, Measure};

/// Longest time that a histogram tells apart, ns; longer ones count as this.
const LONGEST_NS: u64 = 1_000_000_000_000;

/// Significant digits of a histogram: its values are right to 1 %.
const DIGITS: u8 = 2;

/// Most buckets that are sent: they fit in a message.
const MOST_BUCKETS: usize = 2_000;

/// How the measures of several threads become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Their sum, for example of rates.
    Sum,
    /// Their mean, for example of times.
    Mean,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

#[derive(Clone, Debug, PartialEq)]
struct Merged {
    unit: &'static str,
    merge: Merge,
    total: f64,
    count: u32,
}

/// Times of single operations, ns, with two significant digits.
#[derive(Clone, Debug)]
pub struct Times(Histogram<u64>);

impl Default for Times {
    fn default() -> Self {
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS, DIGITS);
        // The bounds are constants that are in order.
        Times(histogram.unwrap_or_else(|_| unreachable!("constant bounds")))
    }
}

impl Times {
    /// Count an operation that took `ns`. Allocates nothing.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.0.saturating_record(ns);
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        self.0.reset();
    }

    /// Number of operations counted.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The time that the share `quantile` (0 to 1) of the operations did not exceed, ns; 0 where nothing was counted.
    pub fn quantile(&self, quantile: f64) -> u64 {
        self.0.value_at_quantile(quantile)
    }

    /// Mean time, ns, right to 1 % as the times are; 0 where nothing was counted.
    pub fn mean(&self) -> f64 {
        self.0.mean()
    }

    fn distribution(&self) -> Distribution {
        let counts = self.0.iter_recorded().map(|step| (step.value_iterated_to(), step.count_since_last_iteration()));
        let mut counts: Vec<(u64, u64)> = counts.collect();
        let mut digits = DIGITS;
        while counts.len() > MOST_BUCKETS {
            // Times that are spread over all magnitudes: two neighbours become one.
            digits = 1;
            let sum = |pair: &[(u64, u64)]| pair.iter().map(|(_, count)| count).sum();
            counts = counts.chunks(2).map(|pair| (pair[pair.len() - 1].0, sum(pair))).collect();
        }
        Distribution { unit: "s", digits, counts }
    }
}

/// Measures and histograms by name.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    measures: BTreeMap<&'static str, Merged>,
    histograms: BTreeMap<&'static str, Times>,
    output: Option<String>,
}

impl Extras {
    /// Add a measure. One that is not finite is left out: the contract has no such numbers.
    #[must_use]
    pub fn measure(mut self, name: &'static str, unit: &'static str, value: f64, merge: Merge) -> Self {
        if value.is_finite() {
            self.measures.insert(name, Merged { unit, merge, total: value, count: 1 });
        }
        self
    }

    /// Add a histogram. An empty one is left out.
    #[must_use]
    pub fn histogram(mut self, name: &'static str, times: Times) -> Self {
        if times.count() > 0 {
            self.histograms.insert(name, times);
        }
        self
    }

    /// Add what a program printed. Where several threads have such a text, that of the first is kept.
    #[must_use]
    pub fn output(mut self, text: String) -> Self {
        self.output = Some(text);
        self
    }

    /// What a program printed.
    pub fn text(&self) -> Option<&str> {
        self.output.as_deref()
    }

    /// Those of two threads, merged.
    #[must_use]
    pub(crate) fn with(mut self, other: Extras) -> Extras {
        for (name, one) in other.measures {
            let known = self.measures.entry(name).or_insert(Merged { total: 0.0, count: 0, ..one });
            known.total = match known.merge {
                _ if known.count == 0 => one.total,
                Merge::Sum | Merge::Mean => known.total + one.total,
                Merge::Max => known.total.max(one.total),
                Merge::Min => known.total.min(one.total),
            };
            known.count += one.count;
        }
        for (name, times) in other.histograms {
            let known = self.histograms.entry(name).or_default();
            known.0 += times.0;
        }
        self.output = self.output.or(other.output);
        self
    }

    /// The measures in the contract's form.
    pub fn measures(&self) -> BTreeMap<String, Measure> {
        let value = |one: &Merged| if one.merge == Merge::Mean { one.total / f64::from(one.count) } else { one.total };
        let measure = |one: &Merged| Measure { unit: one.unit, value: value(one) };
        self.measures.iter().map(|(name, one)| ((*name).to_owned(), measure(one))).collect()
    }

    /// The histograms in the contract's form.
    pub fn histograms(&self) -> BTreeMap<String, Distribution> {
        self.histograms.iter().map(|(name, times)| ((*name).to_owned(), times.distribution())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_of_threads_are_merged_as_they_say() {
        let one = |value| {
            Extras::default()
                .measure("sum", "1/s", value, Merge::Sum)
                .measure("mean", "s", value, Merge::Mean)
                .measure("max", "s", value, Merge::Max)
                .measure("min", "s", value, Merge::Min)
                .measure("never", "s", f64::NAN, Merge::Sum)
        };
        let all = one(1.0).with(one(2.0)).with(one(6.0)).measures();
        let values: Vec<(&str, f64)> = all.iter().map(|(name, one)| (name.as_str(), one.value)).collect();
        assert_eq!(values, [("max", 6.0), ("mean", 3.0), ("min", 1.0), ("sum", 9.0)]);
    }

    #[test]
    fn a_measure_of_one_thread_only_is_kept() {
        let all = Extras::default().with(Extras::default().measure("a", "s", -2.0, Merge::Max)).measures();
        assert_eq!(all["a"], Measure { unit: "s", value: -2.0 });
    }

    #[test]
    fn histograms_are_added_and_right_to_one_percent() {
        let (mut one, mut two) = (Times::default(), Times::default());
        (1..=1000).for_each(|ns| one.record(ns * 1000));
        two.record(u64::MAX);
        two.record(0);
        let all = Extras::default().histogram("latency", one).with(Extras::default().histogram("latency", two));
        let found = &all.histograms()["latency"];
        assert_eq!(found.counts.iter().map(|(_, count)| count).sum::<u64>(), 1002);
        let times = &all.histograms["latency"];
        let mut few = Times::default();
        [1_000, 2_000, 300_000_000].into_iter().for_each(|ns| few.record(ns));
        assert!((few.mean() / 100_001_000.0 - 1.0).abs() < 0.01, "{}", few.mean());
        for (quantile, expected) in [(0.5, 500_000.0), (0.9, 900_000.0)] {
            #[allow(clippy::cast_precision_loss)] // small times
            let error = (times.quantile(quantile) as f64 / expected - 1.0).abs();
            assert!(error < 0.01, "{quantile}: {error}");
        }
        assert_eq!(found.counts.first(), Some(&(0, 1)));
        assert!(found.counts.last().map_or(0, |(ns, _)| *ns) >= LONGEST_NS);
        assert!(Extras::default().histogram("none", Times::default()).histograms().is_empty());
    }

    #[test]
    fn a_full_histogram_fits_in_a_message() {
        let mut times = Times::default();
        let mut ns = 1.0f64;
        while ns < 1e12 {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // positive and below 2^53
            times.record(ns as u64);
            ns *= 1.003;
        }
        let found = times.distribution();
        let line = serde_json::to_string(&found).unwrap_or_default();
        assert!(line.len() < 60_000, "{}", line.len());
        // No bucket is of a shorter time than the longest that it holds.
        let mut seen = 0;
        for (ns, count) in found.counts {
            seen += count;
            #[allow(clippy::cast_precision_loss)] // small counts
            let longest = times.quantile((seen as f64 - 0.5) / times.count() as f64);
            assert!(ns >= longest, "{ns} {longest}");
        }
        assert_eq!(seen, times.count());
    }

    #[test]
    fn times_below_a_microsecond_are_told_apart() {
        let mut times = Times::default();
        [90, 91].into_iter().for_each(|ns| times.record(ns));
        assert_eq!(times.distribution().counts, [(90, 1), (91, 1)]);
    }
}
