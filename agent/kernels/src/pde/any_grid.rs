//! The grids that there are.

use super::grid::Grid;
use super::method::Method;
use super::problem::Problem;
use super::{bands, naive, strips};
use crate::simd::Simd;
use std::sync::Arc;
use virtometer_protocol::Failure;
use virtometer_sampling::PanicGuard;

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
    pub(super) fn share(&self, index: usize, simd: Simd) -> AnyGrid {
        match self {
            Shared::Strips(shared) => AnyGrid::Strips(strips::Strips::new(shared.clone(), index, simd)),
            Shared::Bands(shared) => AnyGrid::Bands(bands::Bands::new(shared.clone(), index, simd)),
        }
    }
}

/// Any of the grids.
pub(super) enum AnyGrid {
    Naive(naive::Naive),
    Strips(strips::Strips),
    Bands(bands::Bands),
}

macro_rules! any_grid {
    ($any:expr, $grid:ident => $do:expr) => {
        match $any {
            AnyGrid::Naive($grid) => $do,
            AnyGrid::Strips($grid) => $do,
            AnyGrid::Bands($grid) => $do,
        }
    };
}

impl Grid for AnyGrid {
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

    fn check_order(&self, sweeps: u64) -> Result<(), Failure> {
        any_grid!(self, grid => grid.check_order(sweeps))
    }

    fn guard(&self) -> Option<PanicGuard> {
        any_grid!(self, grid => grid.guard())
    }

    fn huge_pages(&self) -> &'static str {
        any_grid!(self, grid => grid.huge_pages())
    }

    fn simd(&self) -> Simd {
        any_grid!(self, grid => grid.simd())
    }
}
