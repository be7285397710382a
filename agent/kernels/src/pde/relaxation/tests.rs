//! Planted faults.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::pde::any_grid::Shared;
use crate::pde::naive::Naive;
use crate::pde::problem::Start;
use crate::pde::tests::{alone, points, METHODS};
use crate::pde::Method;
use crate::simd::Simd;

#[test]
fn a_planted_wrong_point_is_reported() {
    for method in METHODS {
        for fault in [f64::from_bits(1.0f64.to_bits() + 1), 0.0, f64::NAN] {
            let problem = Arc::new(Problem::new(40, false, Start::Noise));
            let grid = Shared::new(&problem, method, 1).unwrap().share(0, Simd::compiled());
            let check = AnyGrid::Naive(Naive::new(problem.clone(), method, Simd::Baseline).unwrap());
            let mut worker = Relaxation::new(problem, Termination::Window, grid, Some(check));
            for planted in [false, true] {
                worker.setup(2).unwrap();
                assert_eq!(worker.run(2).unwrap().work, 8 * 39 * 39);
                if !planted {
                    worker.verify().unwrap();
                    continue;
                }
                let side = 41;
                let value = points(&worker.problem, &worker.grid)[20 * side + 7];
                worker.grid.put(20, 7, value * fault);
                assert_eq!(worker.verify().unwrap_err().code, Code::CheckFailed, "{method:?} {fault}");
            }
        }
    }
}

#[test]
fn a_planted_wrong_residual_is_reported() {
    for variant in ["fast", "naive"] {
        let mut worker = alone(Method::GaussSeidel, variant, &[]);
        worker.setup(1).unwrap();
        worker.run(1).unwrap();
        worker.verify().unwrap();
        worker.finish().unwrap();
    }
    let problem = Arc::new(Problem::new(40, true, Start::Noise));
    let grid = Shared::new(&problem, Method::Jacobi, 1).unwrap().share(0, Simd::compiled());
    let check = AnyGrid::Naive(Naive::new(problem.clone(), Method::Jacobi, Simd::Baseline).unwrap());
    let mut worker = Relaxation::new(problem, Termination::Window, grid, Some(check));
    worker.setup(1).unwrap();
    worker.run(1).unwrap();
    worker.residual *= 1.000_001;
    assert_eq!(worker.verify().unwrap_err().code, Code::CheckFailed);
}

#[test]
fn updates_that_were_counted_and_not_made_are_reported() {
    for termination in [Termination::Window, Termination::Iterations(8000)] {
        let start = if termination == Termination::Window { Start::Noise } else { Start::Zero };
        let problem = Arc::new(Problem::new(40, false, start));
        let grid = Shared::new(&problem, Method::Jacobi, 1).unwrap().share(0, Simd::detect());
        let check = AnyGrid::Naive(Naive::new(problem.clone(), Method::Jacobi, Simd::Baseline).unwrap());
        let mut worker = Relaxation::new(problem, termination, grid, Some(check));
        worker.reset_after_calibration().unwrap();
        worker.setup(2).unwrap();
        worker.run(2).unwrap();
        worker.verify().unwrap();
        worker.counted *= 2;
        let failure = worker.verify().unwrap_err();
        assert!(failure.code == Code::CheckFailed && failure.message.contains("updates were counted"), "{failure:?}");
    }
}

#[test]
fn a_grid_that_moves_away_from_the_solution_is_reported_in_any_iteration() {
    let problem = Arc::new(Problem::new(40, false, Start::Zero));
    let grid = Shared::new(&problem, Method::GaussSeidel, 1).unwrap().share(0, Simd::compiled());
    let check = AnyGrid::Naive(Naive::new(problem.clone(), Method::GaussSeidel, Simd::Baseline).unwrap());
    let mut worker = Relaxation::new(problem, Termination::Iterations(8000), grid, Some(check));
    worker.reset_after_calibration().unwrap();
    for _ in 0..6 {
        worker.setup(3).unwrap();
        worker.run(3).unwrap();
        worker.verify().unwrap();
    }
    // The seventh is not compared with the other variant.
    worker.setup(3).unwrap();
    worker.run(3).unwrap();
    worker.grid.put(20, 20, 3.0);
    let failure = worker.verify().unwrap_err();
    assert!(failure.code == Code::CheckFailed && failure.message.contains("from the solution"), "{failure:?}");
    // A small fault in the last one is, when the run ends.
    worker.grid.put(20, 20, 0.5 + 1e-15);
    worker.verify().unwrap();
    assert_eq!(worker.finish().unwrap_err().code, Code::CheckFailed);
}
