//! partdiff's problem: Poisson's equation on the unit square, and where its sweeps start.

use crate::random::{mix, GOLDEN};
use std::f64::consts::PI;

/// What the inner points hold before the first sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Zero, as in partdiff.
    Zero,
    /// Reproducible numbers in [0, 1). From zero the first sweeps would work on subnormal numbers, which some
    /// processors treat slowly, and how many of them there are would depend on the number of sweeps.
    Noise,
}

/// The problem on a grid of `intervals` + 1 points in each direction, the border included.
#[derive(Debug)]
pub(crate) struct Problem {
    /// N: intervals in each direction.
    pub(super) intervals: usize,
    /// Whether the disturbance function is 2π² sin πx sin πy. Otherwise it is zero.
    pub(super) sine: bool,
    start: Start,
    /// h²/4 × 2π² sin πhi for each row i, or zeroes.
    pub(super) factors: Vec<f64>,
    /// sin πhj for each column j, or zeroes.
    pub(super) sines: Vec<f64>,
}

impl Problem {
    /// `intervals` is at least 2.
    pub(super) fn new(intervals: usize, sine: bool, start: Start) -> Self {
        let h = 1.0 / exact(intervals);
        // The operations in partdiff's order: the table holds what it computes at every point.
        let sines: Vec<f64> = (0..=intervals).map(|j| if sine { ((PI * h) * exact(j)).sin() } else { 0.0 }).collect();
        let factor = 0.25 * (2.0 * PI * PI) * h * h;
        let factors = sines.iter().map(|sine| factor * sine).collect();
        Problem { intervals, sine, start, factors, sines }
    }

    /// Number of points that a sweep updates.
    pub(super) fn inner(&self) -> u64 {
        let side = self.intervals as u64 - 1;
        side * side
    }

    /// The value of point (row `i`, column `j`) before the first sweep.
    pub(super) fn first(&self, i: usize, j: usize) -> f64 {
        let n = self.intervals;
        if (1..n).contains(&i) && (1..n).contains(&j) {
            return match self.start {
                Start::Zero => 0.0,
                Start::Noise => {
                    #[allow(clippy::cast_precision_loss)] // 53 bits fit
                    let bits = (mix((self.index(i, j)).wrapping_mul(GOLDEN)) >> 11) as f64;
                    bits / (1u64 << 53) as f64
                }
            };
        }
        let h = 1.0 / exact(n);
        match (i, j) {
            _ if self.sine => 0.0,
            (0, j) if j == n => 0.0,
            (i, 0) if i == n => 0.0,
            (0, j) => 1.0 - h * exact(j),
            (i, 0) => 1.0 - h * exact(i),
            (i, j) if i == n => h * exact(j),
            (i, _) => h * exact(i),
        }
    }

    /// What the sweeps converge to, solved on paper: 1 - x - y + 2xy, or a sin πx sin πy with
    /// a = (πh)² / (2 - 2 cos πh), which fulfil the difference equations and not only the differential one.
    pub(super) fn solution(&self, i: usize, j: usize) -> f64 {
        let h = 1.0 / exact(self.intervals);
        if self.sine {
            let angle = PI * h;
            // 2 - 2 cos a = 4 sin² (a / 2), without cancellation.
            let half = (angle / 2.0).sin();
            return angle * angle / (4.0 * half * half) * self.sines[i] * self.sines[j];
        }
        let (x, y) = (h * exact(j), h * exact(i));
        1.0 - x - y + 2.0 * x * y
    }

    /// This point's part of the checksum of a grid: the parts are added. A single wrong point always changes the sum,
    /// because the weights are odd.
    #[inline(always)]
    pub(super) fn part(&self, i: usize, j: usize, value: f64) -> u64 {
        value.to_bits().wrapping_mul(self.index(i, j).wrapping_mul(GOLDEN) | 1)
    }

    #[inline(always)]
    fn index(&self, i: usize, j: usize) -> u64 {
        (i * (self.intervals + 1) + j) as u64
    }
}

/// Indices of a grid that fits into memory are far below 2^53.
#[allow(clippy::cast_precision_loss)]
fn exact(index: usize) -> f64 {
    index as f64
}
