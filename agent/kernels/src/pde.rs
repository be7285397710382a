//! Poisson's equation on a square grid by relaxation: the problem, the parameters and the order of operations of partdiff
//! (T. Ludwig, Ruprecht-Karls-Universität Heidelberg), whose command line is
//! `partdiff-seq 0 METHOD INTERLINES FUNCTION TERMINATION VALUE`.
//!
//! The fast sweeps give the same bits as the naive ones. Every iteration is checked by that: the other variant makes the
//! same sweeps, outside of the timed stretch, and the checksum over all points and the residual must agree.

mod bands;
mod crew;
mod naive;
mod plane;
mod problem;
mod strips;
#[cfg(test)]
mod tests;

use crate::buffer::ensure_memory;
use crate::settings::{check_failed, wrong};
use crate::simd::Simd;
use crate::ParameterKind::{Integer, Text};
use crate::{parameter, Op, Parameter, Settings};
use problem::{Problem, Start};
use std::sync::{Arc, Mutex, PoisonError};
use virtometer_protocol::{Code, Conditions, Failure, Scalar, Unit};
use virtometer_sampling::{timed, CheckValue, Extras, Maker, Merge, Stretch, Task, Worker};

static PARAMETERS: &[Parameter] = &[
    parameter("interlines", Integer, "100", "lines between the nine of partdiff: the grid has 8N+9 points a side"),
    parameter("function", Text, "zero", "disturbance function: zero, or sine for 2 pi^2 sin(pi x) sin(pi y)"),
    parameter("variant", Text, "fast", "fast, or naive: partdiff's loops as they are written"),
    parameter("termination", Text, "window", "window, or work with an end of its own: iterations or precision"),
    parameter("iterations", Integer, "8000", "sweeps after which termination iterations ends; implies it"),
    parameter(
        "precision",
        Integer,
        "4",
        "N: termination precision ends when a sweep changes less than 1e-N; implies it",
    ),
];

pub(crate) static OPS: &[Op] = &[
    Op { name: "gauss-seidel", unit: Unit::PerSecond, work: "updates of inner points", parameters: PARAMETERS },
    Op { name: "jacobi", unit: Unit::PerSecond, work: "updates of inner points", parameters: PARAMETERS },
];

/// Sweeps that make one repeat, and that the fast variants have under way at once: more than one, so that memory is read
/// once for several, and few enough that the rows under way stay in a second-level cache.
const GROUP: usize = 4;

/// Sweeps after which a precision is given up, as in partdiff.
const MOST_SWEEPS: u64 = 200_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    GaussSeidel,
    Jacobi,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Naive,
    Fast,
}

/// What ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Termination {
    /// The window: every iteration makes the same sweeps from the same start.
    Window,
    /// So many sweeps.
    Iterations(u64),
    /// A sweep that changes no point by as much as this.
    Precision(f64),
}

/// How many of `left` sweeps are made at once.
fn at_once(left: u64) -> usize {
    usize::try_from(left).unwrap_or(GROUP).min(GROUP)
}

/// A grid under relaxation, or one thread's share of it.
trait Grid {
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
    fn alarm(&self) -> Option<crew::Alarm>;

    /// Whether the memory is on huge pages, in a word.
    fn huge_pages(&self) -> &'static str;
}

/// What the threads of a fast variant share.
#[derive(Clone)]
enum Shared {
    Strips(Arc<strips::Shared>),
    Bands(Arc<bands::Shared>),
}

impl Shared {
    fn new(problem: &Arc<Problem>, method: Method, threads: usize) -> Result<Self, Failure> {
        Ok(match method {
            Method::GaussSeidel => Shared::Strips(Arc::new(strips::Shared::new(problem.clone(), threads)?)),
            Method::Jacobi => Shared::Bands(Arc::new(bands::Shared::new(problem.clone(), threads)?)),
        })
    }

    /// The share of thread `index`.
    fn share(&self, index: usize, simd: Simd) -> Sheet {
        match self {
            Shared::Strips(shared) => Sheet::Strips(strips::Strips::new(shared.clone(), index, simd)),
            Shared::Bands(shared) => Sheet::Bands(bands::Bands::new(shared.clone(), index, simd)),
        }
    }
}

/// Any of the grids.
enum Sheet {
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

    fn alarm(&self) -> Option<crew::Alarm> {
        any_grid!(self, grid => grid.alarm())
    }

    fn huge_pages(&self) -> &'static str {
        any_grid!(self, grid => grid.huge_pages())
    }
}

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    let method = if task.op == "jacobi" { Method::Jacobi } else { Method::GaussSeidel };
    let interlines = usize::try_from(settings.integer("interlines", 100, 0..=10_000)?).unwrap_or(0);
    let sine = choice(settings, "function", &[("zero", false), ("sine", true)])?;
    let variant = choice(settings, "variant", &[("fast", Variant::Fast), ("naive", Variant::Naive)])?;
    let termination = Termination::read(settings)?;
    let threads = task.threads;
    if variant == Variant::Naive && threads > 1 {
        return Err(wrong("the naive variant has one thread"));
    }
    let intervals = interlines * 8 + 8;
    // The grid that is measured and the one that it is checked with, each one matrix or two, and what lies beside strips.
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
        let naive = |simd| naive::Naive::new(problem.clone(), method, simd).map(Sheet::Naive);
        let best = Simd::detect();
        Ok(Box::new(match variant {
            Variant::Fast => {
                let other = if index == 0 { Some(naive(Simd::Baseline)?) } else { None };
                Relaxation::new(problem.clone(), termination, fast(best)?, other, best)
            }
            Variant::Naive => {
                // Each update of the naive Gauss-Seidel waits for the one before: there is nothing for vectors.
                let simd = if method == Method::Jacobi { best } else { Simd::Baseline };
                Relaxation::new(problem.clone(), termination, naive(simd)?, Some(fast(best)?), simd)
            }
        }))
    }))
}

/// The value that a text stands for; the first where it is not given.
fn choice<T: Copy>(settings: &Settings<'_>, name: &str, values: &[(&str, T)]) -> Result<T, Failure> {
    let given = settings.optional_text(name)?.unwrap_or(values[0].0);
    values.iter().find(|(text, _)| *text == given).map(|(_, value)| *value).ok_or_else(|| {
        let texts: Vec<&str> = values.iter().map(|(text, _)| *text).collect();
        wrong(format!("{name} is {given:?}, not {}", texts.join(" or ")))
    })
}

impl Termination {
    fn read(settings: &Settings<'_>) -> Result<Self, Failure> {
        let (iterations, precision) = (settings.given("iterations"), settings.given("precision"));
        let implied = match (iterations, precision) {
            (true, true) => return Err(wrong("give iterations or precision, not both")),
            (true, false) => "iterations",
            (false, true) => "precision",
            (false, false) => "window",
        };
        let given = settings.optional_text("termination")?.unwrap_or(implied);
        if implied != "window" && given != implied {
            return Err(wrong(format!("{implied} does not go with termination {given:?}")));
        }
        settings.take("termination", Scalar::Text(given.to_owned()));
        match given {
            "window" => Ok(Termination::Window),
            "iterations" => Ok(Termination::Iterations(settings.integer("iterations", 8000, 1..=MOST_SWEEPS)?)),
            "precision" => {
                let exponent = settings.integer("precision", 4, 1..=20)?;
                // The number nearest to the power of ten, which multiplying would miss.
                let value = format!("1e-{exponent}").parse().map_err(|_| wrong("precision is no exponent"))?;
                Ok(Termination::Precision(value))
            }
            other => Err(wrong(format!("termination is {other:?}, not window or iterations or precision"))),
        }
    }
}

/// One thread's share of a relaxation. The first thread also checks it, with a grid of the other variant.
struct Relaxation {
    problem: Arc<Problem>,
    termination: Termination,
    grid: Sheet,
    check: Option<Check>,
    simd: Simd,
    huge_pages: &'static str,
    /// Whether the iterations for calibration are over.
    settled: bool,
    /// Sweeps since the start, and in the last iteration.
    swept: u64,
    made: u64,
    /// Largest change in the last sweep.
    residual: f64,
    iterations: u64,
    complete: bool,
    spent_ns: u64,
}

/// What the results are compared with.
struct Check {
    grid: Sheet,
    /// Sweeps that the grid has made since it was filled, the most possible before that, and what came out.
    swept: u64,
    residual: f64,
    /// Checksum of the last iteration, and whether all of its points were compared.
    sum: u64,
    compared: bool,
    /// How far the last iteration was from the solution.
    distance: f64,
}

impl Relaxation {
    fn new(problem: Arc<Problem>, termination: Termination, grid: Sheet, other: Option<Sheet>, simd: Simd) -> Self {
        let check = other.map(|grid| Check {
            grid,
            swept: u64::MAX,
            residual: 0.0,
            sum: 0,
            compared: false,
            distance: f64::INFINITY,
        });
        Relaxation {
            problem,
            termination,
            grid,
            check,
            simd,
            huge_pages: "unknown",
            settled: false,
            swept: 0,
            made: 0,
            residual: 0.0,
            iterations: 0,
            complete: false,
            spent_ns: 0,
        }
    }

    /// Back to the start.
    fn restart(&mut self) {
        let problem = &self.problem;
        self.grid.fill(|i, j| problem.first(i, j));
        self.swept = 0;
        self.complete = false;
        if let Some(check) = &mut self.check {
            check.distance = f64::INFINITY;
        }
    }
}

impl Check {
    /// Make the same `sweeps` and compare. In a window the check's grid is never far from where it is wanted, because
    /// most iterations make the same number of sweeps.
    fn compare(&mut self, problem: &Problem, sweeps: u64, residual: f64) -> Result<(), Failure> {
        if sweeps < self.swept {
            self.grid.fill(|i, j| problem.first(i, j));
            self.swept = 0;
        }
        if sweeps > self.swept {
            self.residual = self.grid.sweep(sweeps - self.swept, None)?.1;
            self.swept = sweeps;
        }
        self.compared = true;
        let right = checksum(problem, &self.grid);
        if self.sum != right || self.residual.to_bits() != residual.to_bits() {
            return Err(check_failed(format!(
                "after {sweeps} sweeps the points have the checksum {:016x} and the residual {residual:e}, \
                 those of the other variant {right:016x} and {:e}",
                self.sum, self.residual
            )));
        }
        Ok(())
    }
}

fn checksum(problem: &Problem, grid: &Sheet) -> u64 {
    let mut sum = 0u64;
    grid.visit(|i, j, value| sum = sum.wrapping_add(problem.part(i, j, value)));
    sum
}

impl Worker for Relaxation {
    fn most_repeats(&self) -> u64 {
        match self.termination {
            Termination::Window => u64::MAX,
            Termination::Iterations(sweeps) => (sweeps / GROUP as u64).max(1),
            Termination::Precision(_) => MOST_SWEEPS / GROUP as u64,
        }
    }

    fn before(&mut self, _repeats: u64) -> Result<(), Failure> {
        let alarm = self.grid.alarm();
        let window = self.termination == Termination::Window;
        let fresh = window || !self.settled;
        if fresh {
            self.restart();
        }
        if let (Some(check), false) = (&mut self.check, window) {
            let problem = &self.problem;
            if fresh {
                // Other threads are filling the grid just now.
                check.grid.fill(|i, j| problem.first(i, j));
            } else {
                let copy = &mut check.grid;
                self.grid.visit(|i, j, value| copy.put(i, j, value));
            }
            check.swept = 0;
        }
        crew::Alarm::off(alarm);
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let alarm = self.grid.alarm();
        let wanted = repeats.saturating_mul(GROUP as u64);
        let (most, until) = match self.termination {
            Termination::Window => (wanted, None),
            Termination::Iterations(sweeps) => (wanted.min(sweeps - self.swept), None),
            Termination::Precision(least) => (wanted.min(MOST_SWEEPS - self.swept), Some(least)),
        };
        let (grid, made, residual) = (&mut self.grid, &mut self.made, &mut self.residual);
        let mut stretch = timed(0, || {
            (*made, *residual) = grid.sweep(most, until)?;
            Ok(())
        })?;
        self.swept += self.made;
        self.spent_ns += stretch.end_ns - stretch.start_ns;
        self.iterations += 1;
        self.complete = match self.termination {
            Termination::Window => false,
            Termination::Iterations(sweeps) => self.swept == sweeps,
            Termination::Precision(least) => self.residual < least,
        };
        if let (Termination::Precision(least), false, MOST_SWEEPS) = (self.termination, self.complete, self.swept) {
            let message = format!(
                "after {MOST_SWEEPS} sweeps points still change by {:e}, not less than {least:e}",
                self.residual
            );
            return Err(Failure::new(Code::TimedOut, message));
        }
        if self.check.is_some() {
            // One thread tells the work of all.
            stretch.work = self.made * self.problem.inner();
        }
        crew::Alarm::off(alarm);
        Ok(stretch)
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        let problem = &*self.problem;
        let check = match &mut self.check {
            Some(check) => check,
            None => return Ok(CheckValue::Count(0)),
        };
        if self.termination == Termination::Window {
            check.sum = checksum(problem, &self.grid);
            check.compare(problem, self.made, self.residual)?;
            return Ok(CheckValue::Checksum(check.sum));
        }
        let (mut sum, mut distance) = (0u64, 0.0f64);
        self.grid.visit(|i, j, value| {
            sum = sum.wrapping_add(problem.part(i, j, value));
            let off = (value - problem.solution(i, j)).abs();
            // Written so that not-a-number stays.
            distance = if off <= distance { distance } else { off };
        });
        (check.sum, check.compared) = (sum, false);
        // Neither method ever moves away from the solution, but for rounding.
        #[allow(clippy::cast_precision_loss)] // at most 200,000
        let rounding = 1e-15 * (self.made + 10) as f64;
        if distance.is_nan() || distance > check.distance + rounding {
            return Err(check_failed(format!(
                "after {} sweeps a point is {distance:e} from the solution, before it was at most {:e}",
                self.swept, check.distance
            )));
        }
        check.distance = distance;
        // The other variant takes longer: it follows the first iterations, ever fewer later ones, and the last.
        if self.iterations.is_power_of_two() || self.complete {
            check.compare(problem, self.made, self.residual)?;
        }
        Ok(CheckValue::Checksum(sum))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.restart();
        self.huge_pages = self.grid.huge_pages();
        (self.settled, self.iterations, self.spent_ns) = (true, 0, 0);
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        (self.termination != Termination::Window).then_some(self.complete)
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([
            ("simd".to_owned(), self.simd.name().to_owned()),
            ("huge_pages".to_owned(), self.huge_pages.to_owned()),
        ])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(match &mut self.check {
            Some(check) => {
                if !check.compared {
                    check.compare(&self.problem, self.made, self.residual)?;
                }
                CheckValue::Checksum(check.sum)
            }
            None => CheckValue::Count(0),
        })
    }

    fn extras(&mut self) -> Extras {
        let extras = Extras::default();
        if self.check.is_none() {
            return extras;
        }
        let extras = extras.measure("residual", "1", self.residual, Merge::Max);
        if !self.complete {
            return extras;
        }
        #[allow(clippy::cast_precision_loss)] // at most 200,000 sweeps; nanoseconds of a run that somebody waits for
        let (sweeps, seconds) = (self.swept as f64, self.spent_ns as f64 * 1e-9);
        extras.measure("sweeps", "1", sweeps, Merge::Max).measure("time-to-solution", "s", seconds, Merge::Max)
    }
}
