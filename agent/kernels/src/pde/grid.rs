//! What a relaxation needs of a grid, and the grids that there are.

use super::crew::Alarm;
use super::problem::Problem;
use super::{bands, naive, strips, Method};
use crate::simd::Simd;
use std::sync::Arc;
use virtometer_protocol::Failure;

/// A grid under relaxation, or one thread's share of it.
pub(super) trait Grid {
    /// Set one point, between iterations.
    fn put(&mut self, i: usize, j: usize, value: f64);

    /// Set this thread's points, between iterations.
    fn fill(&mut self, value: impl Fn(usize, usize) -> f64);

    /// Look at every point of the whole grid, in any order, between iterations.
    fn visit(&self, each: impl FnMut(usize, usize, f64));

    /// With the other threads, make `most` sweeps, at least one, or as many as it takes until one changes no point by as
    /// much as `until`. Returns their number and the largest change of the last.
    fn sweep(&mut self, most: u64, until: Option<f64>) -> Result<(u64, f64), Failure>;

    /// Until it is switched off, whoever drops this tells the other threads not to wait any more.
    fn alarm(&self) -> Option<Alarm>;

    /// Whether the memory is on huge pages, in a word.
    fn huge_pages(&self) -> &'static str;

    /// With which instructions it sweeps.
    fn simd(&self) -> Simd;
}

/// What the threads of a fast variant share.
#[derive(Clone)]
pub(super) enum Shared {
    Strips(Arc<strips::Shared>),
    Bands(Arc<bands::Shared>),
}

impl Shared {
    pub(super) fn new(problem: &Arc<Problem>, method: Method, threads: usize) -> Result<Self, Failure> {
        Ok(match method {
            Method::GaussSeidel => Shared::Strips(Arc::new(strips::Shared::new(problem.clone(), threads)?)),
            Method::Jacobi => Shared::Bands(Arc::new(bands::Shared::new(problem.clone(), threads)?)),
        })
    }

    /// The share of thread `index`.
    pub(super) fn share(&self, index: usize, simd: Simd) -> Sheet {
        match self {
            Shared::Strips(shared) => Sheet::Strips(strips::Strips::new(shared.clone(), index, simd)),
            Shared::Bands(shared) => Sheet::Bands(bands::Bands::new(shared.clone(), index, simd)),
        }
    }
}

/// Any of the grids.
pub(super) enum Sheet {
    Naive(naive::Naive),
    Strips(strips::Strips),
    Bands(bands::Bands),
}

macro_rules! any_grid {
    ($sheet:expr, $grid:ident => $do:expr) => {
        match $sheet {
            Sheet::Naive($grid) => $do,
            Sheet::Strips($grid) => $do,
            Sheet::Bands($grid) => $do,
        }
    };
}

impl Grid for Sheet {
    fn put(&mut self, i: usize, j: usize, value: f64) {
        any_grid!(self, grid => grid.put(i, j, value));
    }

    fn fill(&mut self, value: impl Fn(usize, usize) -> f64) {
        any_grid!(self, grid => grid.fill(value));
    }

    fn visit(&self, each: impl FnMut(usize, usize, f64)) {
        any_grid!(self, grid => grid.visit(each));
    }

    fn sweep(&mut self, most: u64, until: Option<f64>) -> Result<(u64, f64), Failure> {
        any_grid!(self, grid => grid.sweep(most, until))
    }

    fn alarm(&self) -> Option<Alarm> {
        any_grid!(self, grid => grid.alarm())
    }

    fn huge_pages(&self) -> &'static str {
        any_grid!(self, grid => grid.huge_pages())
    }

    fn simd(&self) -> Simd {
        any_grid!(self, grid => grid.simd())
    }
}
