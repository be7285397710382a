//! What a relaxation needs of a grid.

use crate::simd::Simd;
use virtometer_protocol::Failure;
use virtometer_sampling::PanicGuard;

/// A grid under relaxation, or one thread's share of it.
pub(super) trait Grid {
    /// Set one point, between iterations.
    fn put(&mut self, i: usize, j: usize, value: f64);

    /// Set this thread's points, between iterations.
    fn fill(&mut self, value: impl Fn(usize, usize) -> f64);

    /// Look at every point of the whole grid, in any order, between iterations.
    fn visit(&self, each: impl FnMut(usize, usize, f64));

    /// With the other threads, make `most` sweeps, at least one, or as many as it takes until one changes no point by
    /// as much as `until`. Returns their number and the largest change of the last.
    fn sweep(&mut self, most: u64, until: Option<f64>) -> Result<(u64, f64), Failure>;

    /// After `sweeps` sweeps of one call: they were made closely one after the other, where that is the grid's way.
    fn check_order(&self, sweeps: u64) -> Result<(), Failure> {
        let _ = sweeps;
        Ok(())
    }

    /// While the guard lives, a panic of this thread releases the threads that wait for it. `None`: there are no
    /// others.
    fn guard(&self) -> Option<PanicGuard>;

    /// Whether the memory is on huge pages, in a word.
    fn huge_pages(&self) -> &'static str;

    /// With which instructions it sweeps.
    fn simd(&self) -> Simd;
}
