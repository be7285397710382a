//! Poisson's equation on a square grid by relaxation: the problem, the parameters and the order of operations of
//! partdiff (T. Ludwig, Ruprecht-Karls-Universität Heidelberg), whose command line is `partdiff-seq 0 METHOD INTERLINES
//! FUNCTION TERMINATION VALUE`.
//!
//! The fast sweeps give the same bits as the naive ones. Every iteration is checked by that: the other variant makes
//! the same sweeps, outside of the timed stretch, and the checksum over all points and the residual must agree.

mod any_grid;
mod bands;
mod grid;
mod method;
mod naive;
mod problem;
mod ranks;
mod relaxation;
mod reuse;
mod strips;
mod termination;
#[cfg(test)]
mod tests;

use crate::buffer::ensure_memory;
use crate::operation::ParameterKind::Choice;
use crate::operation::TimedBy::{Guest, Nothing};
use crate::operation::{integer, measure, optional, parameter, Measure, Op, Parameter};
use crate::settings::wrong;
use crate::settings::Settings;
use crate::simd::Simd;
use any_grid::{AnyGrid, Shared};
use method::Method;
use problem::{Problem, Start};
use relaxation::Relaxation;
use std::sync::{Arc, Mutex, PoisonError};
use termination::{Termination, MOST_SWEEPS};
use virtometer_protocol::{Failure, Unit};
use virtometer_sampling::{Task, WorkerFactory};

const PARAMETERS: &[Parameter] = &[
    parameter(
        "interlines",
        integer(0, 10_000),
        "100",
        "lines between the nine of partdiff: the grid has 8N+9 points a side",
    ),
    parameter("function", Choice(&["zero", "sine"]), "zero", "disturbance; sine: 2 pi^2 sin(pi x) sin(pi y)"),
    parameter("variant", Choice(&["fast", "naive"]), "fast", "naive: partdiff's loops as they are written"),
    parameter(
        "termination",
        Choice(&["window", "iterations", "precision"]),
        "window",
        "iterations and precision: work that runs to completion",
    ),
    optional(
        "iterations",
        integer(1, MOST_SWEEPS),
        "the window",
        "sweeps after which termination iterations ends (8000 where none are given); implies it",
    ),
    optional(
        "precision",
        integer(1, 20),
        "the window",
        "N: termination precision ends when a sweep changes less than 1e-N (4 where none is given); implies it",
    ),
];

const MEASURES: &[Measure] = &[
    measure("residual", "1", Nothing, "largest change of a point in the last sweep"),
    measure("sweeps", "1", Nothing, "passes over the grid"),
    measure("time-to-solution", "s", Guest, "time of all sweeps, without the checks between them"),
];

const fn relaxation(name: &'static str) -> Op {
    Op {
        name,
        unit: Unit::PerSecond,
        work: "updates of inner points",
        parameters: PARAMETERS,
        measures: MEASURES,
        arrays: None,
        judged: None,
    }
}

pub(crate) static OPS: &[Op] = &[relaxation("gauss-seidel"), relaxation("jacobi")];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Naive,
    Fast,
}

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let method = if task.op == "jacobi" { Method::Jacobi } else { Method::GaussSeidel };
    let interlines = usize::try_from(settings.integer("interlines")?).unwrap_or(0);
    let sine = settings.choice("function", &[("zero", false), ("sine", true)])?;
    let variant = settings.choice("variant", &[("fast", Variant::Fast), ("naive", Variant::Naive)])?;
    let termination = Termination::read(settings)?;
    let threads = task.threads;
    if variant == Variant::Naive && threads > 1 {
        return Err(wrong("the naive variant has one thread"));
    }
    let intervals = interlines * 8 + 8;
    // The grid that is measured and the one that it is checked with, each one matrix or two, and what lies beside
    // strips.
    let matrices = if method == Method::Jacobi { 4 } else { 2 };
    let (side, beside) = (intervals as u64 + 1, 2 * strips::K as u64);
    let bytes = matrices * (side + beside) * (side + beside) * 8;
    ensure_memory(bytes, &format!("grids of {side} x {side} points"))?;
    if isize::try_from(bytes).is_err() {
        return Err(wrong(format!("grids of {side} x {side} points are too large for this processor")));
    }
    let start = if termination == Termination::Window { Start::Noise } else { Start::Zero };
    let problem = Arc::new(Problem::new(intervals, sine, start));
    // The first thread allocates for all.
    let shared: Mutex<Option<Shared>> = Mutex::new(None);
    Ok(Arc::new(move |index| {
        let fast = |simd| {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let known = match &*shared {
                Some(known) => known.clone(),
                None => shared.insert(Shared::new(&problem, method, threads)?).clone(),
            };
            Ok(known.share(index, simd))
        };
        let naive = |simd| naive::Naive::new(problem.clone(), method, simd).map(AnyGrid::Naive);
        let (measured, other) = grids(method, variant, index, &fast, &naive)?;
        Ok(Box::new(Relaxation::new(problem.clone(), termination, measured, other)))
    }))
}

/// The grid that thread `index` measures, and that of the other variant, by which the first thread checks it.
fn grids(
    method: Method,
    variant: Variant,
    index: usize,
    fast: &dyn Fn(Simd) -> Result<AnyGrid, Failure>,
    naive: &dyn Fn(Simd) -> Result<AnyGrid, Failure>,
) -> Result<(AnyGrid, Option<AnyGrid>), Failure> {
    let best = Simd::compiled();
    Ok(match variant {
        Variant::Fast => (fast(best)?, if index == 0 { Some(naive(Simd::Baseline)?) } else { None }),
        Variant::Naive => {
            // Each update of the naive Gauss-Seidel waits for the one before: there is nothing for vectors.
            let simd = if method == Method::Jacobi { best } else { Simd::Baseline };
            (naive(simd)?, Some(fast(best)?))
        }
    })
}
