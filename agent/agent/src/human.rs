//! What a measurement by hand says to a person.

use std::fmt::Write as _;
use virtometer_kernels::{Kernel, Op};
use virtometer_protocol::{Better, Distribution, Done, Sample, Unit};

/// What a server says at its end: a rate over the time that it was left running would mean nothing.
pub(crate) fn served(samples: &[Sample]) -> String {
    let bytes: u64 = samples.iter().map(|sample| sample.work).sum();
    if bytes == 0 {
        return String::new();
    }
    let seconds = std::time::Duration::from_nanos(window_ns(samples)).as_secs_f64();
    format!("received {bytes} bytes in {seconds:.3} s\n")
}

fn window_ns(samples: &[Sample]) -> u64 {
    let (first, last) =
        (samples.first().map_or(0, |first| first.start_ns), samples.last().map_or(0, |last| last.end_ns));
    last.saturating_sub(first) // a clock may have gone back
}

pub(crate) fn human(kernel: &Kernel, op: &Op, done: &Done, samples: &[Sample]) -> String {
    let conditions: Vec<String> = done.conditions.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let window = window_ns(samples);
    let mut text = format!(
        "{} {}: {} (median of {} samples in {:.3} s)\n{}  {} ({} is better), counts {}\n  check: {:?} {} passed\n  conditions: {}\n",
        kernel.name,
        op.name,
        scaled(done.value, done.unit),
        done.count,
        std::time::Duration::from_nanos(window).as_secs_f64(),
        spread(samples, done.unit),
        done.unit.name(),
        if done.better == Better::Higher { "higher" } else { "lower" },
        op.work,
        done.check.kind,
        done.check.value,
        if conditions.is_empty() { "none".to_owned() } else { conditions.join(", ") },
    );
    for (name, measure) in &done.measures {
        let said = match measure.unit {
            "1" => short(measure.value),
            "s" => scaled(measure.value, Unit::Second),
            "FLOP/s" => scaled(measure.value, Unit::FlopPerSecond),
            unit => format!("{} {unit}", short(measure.value)),
        };
        let _ = writeln!(text, "  {name}: {said}");
    }
    for (name, times) in &done.histograms {
        let at = |quantile| scaled(quantile_s(times, quantile), Unit::Second);
        let _ = writeln!(
            text,
            "  {name}: p50 {}, p90 {}, p99 {}, p99.9 {}, max {}",
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            at(1.0),
        );
    }
    text
}

/// A line with the quartiles and the range of the samples; nothing for a single sample, which has no spread.
fn spread(samples: &[Sample], unit: Unit) -> String {
    if samples.len() < 2 {
        return String::new();
    }
    let mut values: Vec<f64> = samples.iter().map(|sample| value(sample, unit)).collect();
    values.sort_by(f64::total_cmp);
    let last = values.len() - 1;
    let at = |index: usize| scaled(values[index], unit);
    // The nearest ranks: the lower one for the lower quartile, the upper one for the upper.
    format!("  quartiles {} to {}, range {} to {}\n", at(last / 4), at(last - last / 4), at(0), at(last))
}

/// The value of one sample: work per second, or seconds per work.
fn value(sample: &Sample, unit: Unit) -> f64 {
    let seconds = std::time::Duration::from_nanos(sample.end_ns.saturating_sub(sample.start_ns)).as_secs_f64();
    #[allow(clippy::cast_precision_loss)] // work of one iteration, far below 2^53
    let work = sample.work as f64;
    if unit == Unit::Second {
        seconds / work
    } else {
        work / seconds
    }
}

/// Four significant digits, without a row of zeroes; counts as they are.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else if (1e-3..1e6).contains(&value.abs()) {
        format!("{value:.4}")
    } else {
        format!("{value:.3e}")
    }
}

/// The time that the share `quantile` of the operations did not exceed, s.
fn quantile_s(times: &Distribution, quantile: f64) -> f64 {
    let total: u64 = times.counts.iter().map(|(_, count)| count).sum();
    #[allow(clippy::cast_precision_loss)] // operations of one run, far below 2^53
    let wanted = quantile * total as f64;
    let mut seen = 0;
    let bucket = times.counts.iter().find(|(_, count)| {
        seen += count;
        #[allow(clippy::cast_precision_loss)] // as above
        let enough = seen as f64 >= wanted;
        enough
    });
    std::time::Duration::from_nanos(bucket.or(times.counts.last()).map_or(0, |(ns, _)| *ns)).as_secs_f64()
}

/// With the SI prefix that leaves one to three digits before the point.
fn scaled(value: f64, unit: Unit) -> String {
    let prefixes: &[(f64, &str)] = if unit == Unit::Second {
        &[(1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")]
    } else {
        &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]
    };
    let last = (1.0, "");
    let (factor, prefix) = prefixes.iter().find(|(factor, _)| value >= *factor).or(prefixes.last()).unwrap_or(&last);
    // A rate of things has the prefix alone: 1.5 k/s, not 1.5 k1/s.
    let name = if unit == Unit::PerSecond && !prefix.is_empty() { "/s" } else { unit.name() };
    format!("{:.4} {prefix}{name}", value / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(start_ns: u64, end_ns: u64, work: u64) -> Sample {
        Sample { start_ns, end_ns, work, check: String::new() }
    }

    #[test]
    fn a_prefix_stands_before_a_name_and_not_before_a_number() {
        assert_eq!(scaled(1_500.0, Unit::PerSecond), "1.5000 k/s");
        assert_eq!(scaled(2.02e9, Unit::PerSecond), "2.0200 G/s");
        assert_eq!(scaled(999.0, Unit::PerSecond), "999.0000 1/s");
        assert_eq!(scaled(1_500.0, Unit::IoPerSecond), "1.5000 kIO/s");
        assert_eq!(scaled(1_500.0, Unit::BytePerSecond), "1.5000 kB/s");
        assert_eq!(scaled(0.0015, Unit::Second), "1.5000 ms");
    }

    #[test]
    fn the_spread_is_that_of_the_samples() {
        let samples: Vec<Sample> = (1..=5).map(|work| sample(0, 1_000_000_000, work * 1000)).collect();
        assert_eq!(
            spread(&samples, Unit::PerSecond),
            "  quartiles 2.0000 k/s to 4.0000 k/s, range 1.0000 k/s to 5.0000 k/s\n"
        );
        let times: Vec<Sample> = (1..=5).map(|seconds| sample(0, seconds * 1_000_000_000, 1)).collect();
        assert_eq!(spread(&times, Unit::Second), "  quartiles 2.0000 s to 4.0000 s, range 1.0000 s to 5.0000 s\n");
        assert_eq!(
            spread(&samples[..2], Unit::PerSecond),
            "  quartiles 1.0000 k/s to 2.0000 k/s, range 1.0000 k/s to 2.0000 k/s\n"
        );
        assert_eq!(spread(&samples[..1], Unit::PerSecond), "");
    }
}
