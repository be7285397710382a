//! The two methods, and how many of their sweeps are under way at once.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    GaussSeidel,
    Jacobi,
}

/// Sweeps that make one repeat, and that the fast variants have under way at once: more than one, so that memory is
/// read once for several, and few enough that the rows under way stay in a second-level cache.
pub(super) const GROUP: usize = 4;

/// How many of `left` sweeps are made at once.
pub(super) fn at_once(left: u64) -> usize {
    usize::try_from(left).unwrap_or(GROUP).min(GROUP)
}

/// The larger of two residuals, compared as partdiff does.
#[inline(always)]
pub(super) fn larger(max: f64, value: f64) -> f64 {
    if value <= max {
        max
    } else {
        value
    }
}
