//! How long solutions and their parts take, and when the runs are over.

use super::system::System;
use crate::clock_cost::SHARE;
use virtometer_sampling::{now_ns, Extras, Merge};

/// Systems of so many bytes are factored one after the other before the first of them is solved, at the end of an
/// iteration: few enough to be still in the second-level cache then, as a system is that is solved at once.
const TAIL: u64 = 256 << 10;

/// Systems at the end of an iteration of `count` systems whose solution with the factors is timed apart.
pub(super) fn tail(system: System, count: usize) -> usize {
    usize::try_from(TAIL / system.bytes()).unwrap_or(1).clamp(1, count)
}

/// Iterations are so many times longer: calibration takes four fifths of a length as well, and others may have held it
/// up.
const MARGIN: u64 = 2;

/// Length of an iteration, ns, in which `readings` readings of `reading_ns` (the first and the last one are half
/// outside) cost 0.5 % at most.
pub(super) fn target_ns(readings: u64, reading_ns: u64) -> u64 {
    least_ns(readings, reading_ns) * MARGIN
}

/// The same without room for iterations that come out shorter.
fn least_ns(readings: u64, reading_ns: u64) -> u64 {
    (readings - 1) * SHARE * reading_ns
}

/// Of iterations too short for the readings of the clock, one in so many times solving apart from factoring.
const SELDOM: u64 = 8;

/// Which iterations time solving apart from factoring.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    variants: usize,
    short: bool,
    turn: u64,
}

impl Parts {
    /// Of so many variants. Several take so many readings that short iterations never do.
    pub(super) fn of(variants: usize) -> Self {
        Parts { variants, short: false, turn: 0 }
    }

    /// Calibration is over: what single repeats took says nothing of iterations of one variant.
    pub(super) fn reset_after_calibration(&mut self) {
        self.short &= self.variants > 1;
    }

    /// Whether the next iteration does.
    pub(super) fn next(&mut self) -> bool {
        self.turn += 1;
        !self.short || (self.variants == 1 && self.turn.is_multiple_of(SELDOM))
    }

    /// An iteration took so long; with its `readings` it should have taken [`least_ns`].
    pub(super) fn took(&mut self, took_ns: u64, readings: u64, reading_ns: u64) {
        let short = took_ns < least_ns(readings, reading_ns);
        self.short = short || (self.short && self.variants > 1);
    }
}

/// Times of solutions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    generate: Sum,
    /// Factor and solve, of all systems.
    whole: Sum,
    /// Solve with the factors, of those at the end of each iteration.
    solve: Sum,
}

/// What so many took in total.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    ns: u64,
    count: u64,
}

impl Sum {
    fn add(&mut self, count: usize, ns: u64) {
        self.ns += ns;
        self.count += count as u64;
    }

    fn mean_s(self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // times of a run, far below 2^53
        let mean = self.ns as f64 / self.count as f64;
        mean * 1e-9
    }
}

impl Watch {
    /// Time the making of `count` systems.
    pub(super) fn generate(&mut self, count: usize, body: impl FnOnce()) {
        let start_ns = now_ns();
        body();
        self.generate.add(count, now_ns().saturating_sub(start_ns));
    }

    /// `count` systems were factored and solved between two readings of the clock.
    pub(super) fn whole(&mut self, count: usize, start_ns: u64, end_ns: u64) {
        self.whole.add(count, end_ns.saturating_sub(start_ns));
    }

    /// `count` factored systems were solved between two readings of the clock, one of which costs `reading_ns`.
    pub(super) fn solve(&mut self, count: usize, start_ns: u64, end_ns: u64, reading_ns: u64) {
        self.solve.add(count, end_ns.saturating_sub(start_ns).saturating_sub(reading_ns).max(1));
    }

    /// Factoring and solving, s for each solution.
    pub(super) fn mean_s(&self) -> f64 {
        self.whole.mean_s()
    }

    /// Both of them.
    #[must_use]
    pub(super) fn with(mut self, other: Watch) -> Watch {
        for (one, other) in
            [(&mut self.generate, other.generate), (&mut self.whole, other.whole), (&mut self.solve, other.solve)]
        {
            one.ns += other.ns;
            one.count += other.count;
        }
        self
    }

    /// The means. Those of the parts are missing where no iteration timed them, and where an interruption of the few
    /// that are timed made solving seem longer than the whole.
    pub(super) fn extras(&self) -> Extras {
        let (whole, solve) = (self.whole.mean_s(), self.solve.mean_s());
        let extras = Extras::default().measure("generate-time", "s", self.generate.mean_s(), Merge::Mean);
        if self.solve.count == 0 || solve >= whole {
            return extras;
        }
        extras
            .measure("factor-time", "s", whole - solve, Merge::Mean)
            .measure("solve-time", "s", solve, Merge::Mean)
            .measure("solve-share", "1", solve / whole, Merge::Mean)
    }
}

/// When a given number of runs is made, or the window over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// 0: the window alone decides.
    runs: u64,
    window_s: f64,
    made: u64,
    begun_ns: Option<u64>,
}

impl Limit {
    pub(super) fn new(runs: u64, window_s: f64) -> Self {
        Limit { runs, window_s, made: 0, begun_ns: None }
    }

    /// An iteration is about to begin.
    pub(super) fn begin(&mut self) {
        self.begun_ns.get_or_insert_with(now_ns);
    }

    /// An iteration is over.
    pub(super) fn count(&mut self) {
        self.made += 1;
    }

    /// Forget what was before the window.
    pub(super) fn reset_after_calibration(&mut self) {
        *self = Limit::new(self.runs, self.window_s);
    }

    /// Whether it is reached. `None` where the window alone decides.
    pub(super) fn complete(&self) -> Option<bool> {
        let elapsed_ns = self.begun_ns.map_or(0, |begun| now_ns().saturating_sub(begun));
        let over = std::time::Duration::from_nanos(elapsed_ns).as_secs_f64() >= self.window_s;
        (self.runs > 0).then_some(over || self.made >= self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, Watch, SELDOM};

    #[test]
    fn iterations_too_short_for_the_clock_seldom_time_the_parts() {
        let mut parts = Parts::of(1);
        let timed = |parts: &mut Parts, took_ns: u64| {
            let timed = (0..2 * SELDOM).filter(|_| {
                let timed = parts.next();
                parts.took(took_ns, 3, 10_000);
                timed
            });
            timed.count() as u64
        };
        assert_eq!(timed(&mut parts, 4_000_000), 2 * SELDOM);
        assert!((2..=3).contains(&timed(&mut parts, 3_999_999)));
        let mut two = Parts::of(2);
        assert_eq!(timed(&mut two, 3_999_999), 1);
        assert_eq!(timed(&mut two, 3_999_999), 0);
    }

    #[test]
    fn parts_are_told_unless_an_interruption_makes_one_longer_than_the_whole() {
        let mut watch = Watch::default();
        watch.whole(10, 1_000, 11_000);
        watch.solve(2, 10_600, 11_000, 0);
        let told = watch.extras().measures();
        let close = |name: &str, right: f64| (told[name].value / right - 1.0).abs() < 1e-9;
        assert!(close("factor-time", 0.8e-6) && close("solve-time", 0.2e-6) && close("solve-share", 0.2));
        watch.solve(2, 20_000, 30_000, 0);
        assert!(!watch.extras().measures().keys().any(|name| ["factor-time", "solve-time"].contains(&name.as_str())));
    }
}
