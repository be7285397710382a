//! LINPACK: solve a dense system of linear equations by Gaussian elimination with partial pivoting.
//!
//! `classic` is dgefa and dgesl of Dongarra, Bunch, Moler, Stewart: LINPACK Users' Guide (1979): column-oriented, built
//! on daxpy. The operation count 2n³/3 + 2n² and the normalised residual are those of the LINPACK benchmark.
//! The matrix comes from the benchmark's 48-bit generator (seeds 1, 2, 3, 1325, values within ±0.5): the older 16-bit one
//! has a period of 16,384, which makes the matrix singular for orders such as 512.

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs

use crate::buffer::{ensure_memory, Buffer};
use crate::settings::check_failed;
use crate::simd::{for_each_simd, Simd};
use crate::ParameterKind::Integer;
use crate::{parameter, Op, Settings};
use std::sync::Arc;
use virtometer_protocol::{Code, Conditions, Failure, Unit};
use virtometer_sampling::{timed, CheckValue, Maker, Stretch, Task, Worker};

pub(crate) static OPS: &[Op] = &[Op {
    name: "classic",
    unit: Unit::FlopPerSecond,
    work: "2n^3/3 + 2n^2 floating-point operations per solution",
    parameters: &[parameter("size", Integer, "500", "order n of the matrix")],
}];

/// Residuals of right solutions are below 1 to 10; a wrong one is off by many orders of magnitude.
const LARGEST_RESIDUAL: f64 = 16.0;

/// Memory for copies of the matrix that one iteration solves, bytes.
const COPIES: usize = 64 << 20;

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    let n = usize::try_from(settings.integer("size", 500, 1..=100_000)?).unwrap_or(0);
    let copies = (COPIES / (n * n * 8)).max(1);
    let each = (copies + 1) as u64 * (n * (n + 2) * 8) as u64;
    ensure_memory(each * task.threads as u64, &format!("matrices of order {n}"))?;
    Ok(Arc::new(move |_| Ok(Box::new(Classic::new(n, copies)?))))
}

struct Classic {
    n: usize,
    simd: Simd,
    /// The matrix by columns, and the right-hand side that makes every element of the solution 1.
    matrix: Vec<f64>,
    right: Vec<f64>,
    norm: f64,
    /// What the iteration works on: copies of both, one after the other.
    copies: usize,
    work: Buffer,
    pivots: Vec<usize>,
    used: usize,
    worst: f64,
}

impl Classic {
    fn new(n: usize, copies: usize) -> Result<Self, Failure> {
        let (matrix, right) = matgen(n);
        let norm = matrix.iter().fold(0.0f64, |norm, a| norm.max(a.abs()));
        let work = Buffer::new(copies * (n * n + n) * 8)?;
        Ok(Classic {
            n,
            simd: Simd::detect(),
            matrix,
            right,
            norm,
            copies,
            work,
            pivots: vec![0; n],
            used: 0,
            worst: 0.0,
        })
    }
}

impl Worker for Classic {
    fn most_repeats(&self) -> u64 {
        self.copies as u64
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        self.used = usize::try_from(repeats).unwrap_or(usize::MAX).min(self.copies);
        let (square, stride) = (self.n * self.n, self.n * self.n + self.n);
        for copy in self.work.doubles_mut().chunks_exact_mut(stride).take(self.used) {
            copy[..square].copy_from_slice(&self.matrix);
            copy[square..].copy_from_slice(&self.right);
        }
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let (n, simd) = (self.n, self.simd);
        let pivots = &mut self.pivots;
        let copies = self.work.doubles_mut().chunks_exact_mut(n * n + n).take(self.used);
        let order = n as u64;
        // Truncated once per solution, as the benchmark's own count is a floating-point number.
        let operations = 2 * order * order * order / 3 + 2 * order * order;
        timed(operations * self.used as u64, || {
            for copy in copies {
                let (matrix, right) = copy.split_at_mut(n * n);
                if !factor_and_solve(simd, matrix, right, pivots) {
                    return Err(Failure::new(Code::CheckFailed, "the matrix turned out singular"));
                }
            }
            Ok(())
        })
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        let (square, stride) = (self.n * self.n, self.n * self.n + self.n);
        let mut worst = 0.0f64;
        let mut first: Option<&[f64]> = None;
        for copy in self.work.doubles().chunks_exact(stride).take(self.used) {
            let solution = &copy[square..];
            // Equal systems have bitwise equal solutions: one residual stands for all.
            match first {
                Some(known) if known == solution => continue,
                Some(_) => return Err(check_failed("two solutions of the same system differ")),
                None => first = Some(solution),
            }
            worst = residual(&self.matrix, &self.right, solution, self.norm);
        }
        if worst.is_nan() || worst >= LARGEST_RESIDUAL {
            return Err(check_failed(format!(
                "the normalised residual is {worst:e}, a right solution has less than {LARGEST_RESIDUAL}"
            )));
        }
        self.worst = self.worst.max(worst);
        Ok(CheckValue::Residual(worst))
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("simd".to_owned(), self.simd.name().to_owned())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Residual(self.worst))
    }
}

/// The benchmark's matrix, by columns, and the sums of its rows.
fn matgen(n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut seeds = [1u64, 2, 3, 1325];
    let matrix: Vec<f64> = (0..n * n).map(|_| ran(&mut seeds) - 0.5).collect();
    let mut sums = vec![0.0; n];
    for column in matrix.chunks_exact(n) {
        for (sum, a) in sums.iter_mut().zip(column) {
            *sum += a;
        }
    }
    (matrix, sums)
}

/// A number in (0, 1): multiplicative congruential with modulus 2^48 and multiplier 33952834046453, in four limbs of
/// 12 bits (Fishman: Multiplicative congruential random number generators with modulus 2^b, 1990; LAPACK's dlaran).
fn ran(seeds: &mut [u64; 4]) -> f64 {
    const MULTIPLIER: u64 = 33_952_834_046_453;
    let state = seeds.iter().fold(0u64, |state, limb| (state << 12) | limb);
    let next = state.wrapping_mul(MULTIPLIER) & ((1 << 48) - 1);
    for (shift, limb) in [36, 24, 12, 0].iter().zip(seeds.iter_mut()) {
        *limb = (next >> shift) & 0xFFF;
    }
    #[allow(clippy::cast_precision_loss)] // 48 bits fit
    let value = next as f64 / (1u64 << 48) as f64;
    value
}

/// max |Ax - b| / (n × max |A| × max |x| × epsilon), the benchmark's normalisation.
fn residual(matrix: &[f64], right: &[f64], solution: &[f64], norm: f64) -> f64 {
    let mut rest: Vec<f64> = right.iter().map(|b| -b).collect();
    for (column, x) in matrix.chunks_exact(solution.len()).zip(solution) {
        for (r, a) in rest.iter_mut().zip(column) {
            *r += a * x;
        }
    }
    // f64::max would hide not-a-number.
    let largest = |values: &[f64]| values.iter().fold(0.0f64, |max, v| if v.abs() <= max { max } else { v.abs() });
    #[allow(clippy::cast_precision_loss)] // the order of a matrix that fits into memory
    let n = solution.len() as f64;
    largest(&rest) / (n * norm * largest(solution) * f64::EPSILON)
}

for_each_simd! {
    /// dgefa and dgesl: replace `matrix` by its factors and `right` by the solution. False where a pivot is zero.
    factor_and_solve = factor_and_solve_with(matrix: &mut [f64], right: &mut [f64], pivots: &mut [usize]) -> bool
}

#[inline(always)]
fn factor_and_solve_with<const FUSED: bool>(matrix: &mut [f64], right: &mut [f64], pivots: &mut [usize]) -> bool {
    let n = right.len();
    for k in 0..n {
        let (left, rest) = matrix.split_at_mut((k + 1) * n);
        let column = &mut left[k * n..];
        let pivot = k + largest_at(&column[k..]);
        pivots[k] = pivot;
        if column[pivot] == 0.0 {
            return false;
        }
        column.swap(k, pivot);
        let scale = -1.0 / column[k];
        for a in &mut column[k + 1..] {
            *a *= scale;
        }
        let multipliers = &column[k + 1..];
        for other in rest.chunks_exact_mut(n) {
            other.swap(k, pivot);
            let t = other[k];
            daxpy::<FUSED>(t, multipliers, &mut other[k + 1..]);
        }
    }
    for k in 0..n {
        right.swap(k, pivots[k]);
        let t = right[k];
        daxpy::<FUSED>(t, &matrix[k * n + k + 1..(k + 1) * n], &mut right[k + 1..]);
    }
    for k in (0..n).rev() {
        right[k] /= matrix[k * n + k];
        let t = -right[k];
        daxpy::<FUSED>(t, &matrix[k * n..k * n + k], &mut right[..k]);
    }
    true
}

/// idamax: where the element of largest magnitude is.
#[inline(always)]
fn largest_at(column: &[f64]) -> usize {
    let mut at = 0;
    let mut largest = -1.0;
    for (index, a) in column.iter().enumerate() {
        if a.abs() > largest {
            largest = a.abs();
            at = index;
        }
    }
    at
}

/// y += t x.
#[inline(always)]
fn daxpy<const FUSED: bool>(t: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = if FUSED { t.mul_add(*x, *y) } else { *y + t * *x };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_small_system_has_its_known_solution() {
        // 2x + y = 5, 4x + 3y = 11 by columns: x = 2, y = 1. Needs an exchange of rows.
        for simd in [Simd::Baseline, Simd::detect()] {
            let mut matrix = [2.0, 4.0, 1.0, 3.0];
            let mut right = [5.0, 11.0];
            assert!(factor_and_solve(simd, &mut matrix, &mut right, &mut [0; 2]));
            assert_eq!(right, [2.0, 1.0]);
        }
    }

    #[test]
    fn the_generator_gives_the_numbers_of_lapack_s_dlaran() {
        // state 1 * 2^36 + 2 * 2^24 + 3 * 2^12 + 1325 times the multiplier modulo 2^48, by Python's integers.
        let mut seeds = [1, 2, 3, 1325];
        let state = (1u128 << 36) + (2 << 24) + (3 << 12) + 1325;
        let expected = (state * 33_952_834_046_453) % (1 << 48);
        let value = ran(&mut seeds);
        assert_eq!(value, expected as f64 / (1u64 << 48) as f64);
    }

    #[test]
    fn the_solution_of_the_benchmark_s_system_is_all_ones() {
        for n in [1, 2, 3, 17, 100, 257, 512] {
            let mut worker = Classic::new(n, 2).unwrap();
            worker.before(2).unwrap();
            let stretch = worker.run(2).unwrap();
            let order = n as u64;
            assert_eq!(stretch.work, 2 * (2 * order.pow(3) / 3 + 2 * order * order));
            worker.after().unwrap();
            let solution = &worker.work.doubles()[n * n..n * n + n];
            assert!(solution.iter().all(|x| (x - 1.0).abs() < 1e-9), "order {n}: {solution:?}");
        }
    }

    #[test]
    fn a_planted_wrong_solution_is_reported() {
        for fault in [1.001, f64::NAN, f64::INFINITY] {
            let mut worker = Classic::new(50, 1).unwrap();
            worker.before(1).unwrap();
            worker.run(1).unwrap();
            worker.work.doubles_mut()[50 * 50 + 7] *= fault;
            assert_eq!(worker.after().unwrap_err().code, Code::CheckFailed);
        }
    }

    #[test]
    fn a_singular_matrix_is_reported() {
        let mut worker = Classic::new(4, 1).unwrap();
        worker.matrix.fill(0.0);
        worker.before(1).unwrap();
        assert_eq!(worker.run(1).unwrap_err().code, Code::CheckFailed);
    }
}
