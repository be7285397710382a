//! The iterations of a relaxation, and the comparison of each with what the other variant makes of the same start.

use super::any_grid::AnyGrid;
use super::grid::Grid;
use super::method::GROUP;
use super::problem::Problem;
use super::termination::{Termination, MOST_SWEEPS};
use crate::settings::check_failed;
use std::sync::Arc;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Extras, Merge, Stretch, Worker};

/// One thread's share of a relaxation. The first thread also checks it, with a grid of the other variant.
pub(super) struct Relaxation {
    problem: Arc<Problem>,
    termination: Termination,
    grid: AnyGrid,
    check: Option<Check>,
    huge_pages: &'static str,
    /// Whether the iterations for calibration are over.
    in_window: bool,
    /// Sweeps since the start, and in the last iteration.
    swept: u64,
    made: u64,
    /// Largest change in the last sweep.
    residual: f64,
    iterations: u64,
    complete: bool,
    spent_ns: u64,
    /// Updates that the last iteration counted.
    counted: u64,
}

/// What the results are compared with.
struct Check {
    grid: AnyGrid,
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
    pub(super) fn new(problem: Arc<Problem>, termination: Termination, grid: AnyGrid, other: Option<AnyGrid>) -> Self {
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
            huge_pages: "unknown",
            in_window: false,
            swept: 0,
            made: 0,
            residual: 0.0,
            iterations: 0,
            complete: false,
            spent_ns: 0,
            counted: 0,
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
        let (right, _) = checksum(problem, &self.grid);
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

/// Checksum of all points, and the last row.
fn checksum(problem: &Problem, grid: &AnyGrid) -> (u64, usize) {
    let (mut sum, mut last) = (0u64, 0);
    grid.visit(|i, j, value| {
        sum = sum.wrapping_add(problem.part(i, j, value));
        last = last.max(i);
    });
    (sum, last)
}

/// Compare the updates that an iteration counted with those that its sweeps make in a grid whose last row and column
/// are `last`: all points but the border.
fn check_count(counted: u64, sweeps: u64, last: usize) -> Result<(), Failure> {
    let inner = (last as u64).saturating_sub(1);
    let expected = sweeps * inner * inner;
    if counted != expected {
        return Err(check_failed(format!("{counted} updates were counted, but {sweeps} sweeps make {expected}")));
    }
    Ok(())
}

impl Worker for Relaxation {
    fn most_repeats(&self) -> u64 {
        match self.termination {
            Termination::Window => u64::MAX,
            Termination::Iterations(sweeps) => (sweeps / GROUP as u64).max(1),
            Termination::Precision(_) => MOST_SWEEPS / GROUP as u64,
        }
    }

    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        let _guard = self.grid.guard();
        let window = self.termination == Termination::Window;
        let fresh = window || !self.in_window;
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
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let _guard = self.grid.guard();
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
            self.counted = stretch.work;
        }
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let problem = &*self.problem;
        if !matches!(self.termination, Termination::Precision(_)) {
            self.grid.check_order(self.made)?;
        }
        let Some(check) = &mut self.check else {
            return Ok(CheckValue::Count(0));
        };
        if self.termination == Termination::Window {
            let (sum, last) = checksum(problem, &self.grid);
            check.sum = sum;
            check_count(self.counted, self.made, last)?;
            check.compare(problem, self.made, self.residual)?;
            return Ok(CheckValue::Checksum(check.sum));
        }
        let (mut sum, mut distance, mut last) = (0u64, 0.0f64, 0);
        self.grid.visit(|i, j, value| {
            sum = sum.wrapping_add(problem.part(i, j, value));
            let off = (value - problem.solution(i, j)).abs();
            // Written so that not-a-number stays.
            distance = if off <= distance { distance } else { off };
            last = last.max(i);
        });
        check_count(self.counted, self.made, last)?;
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

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.restart();
        self.huge_pages = self.grid.huge_pages();
        (self.in_window, self.iterations, self.spent_ns) = (true, 0, 0);
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        (self.termination != Termination::Window).then_some(self.complete)
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([
            ("simd".to_owned(), self.grid.simd().name().to_owned()),
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

#[cfg(test)]
mod tests;
