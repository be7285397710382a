//! The sweeps as partdiff's loops write them, by one thread: what the fast ones are compared with, in speed and in
//! bits.

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs

use super::grid::Grid;
use super::method::{larger, Method};
use super::problem::Problem;
use crate::buffer::Buffer;
use crate::simd::{for_each_simd, Simd};
use std::sync::Arc;
use virtometer_protocol::Failure;
use virtometer_sampling::PanicGuard;

/// A grid by rows: one matrix for Gauss-Seidel, two for Jacobi.
pub(super) struct Naive {
    problem: Arc<Problem>,
    simd: Simd,
    now: Buffer,
    next: Option<Buffer>,
}

impl Naive {
    pub(super) fn new(problem: Arc<Problem>, method: Method, simd: Simd) -> Result<Self, Failure> {
        let side = problem.intervals + 1;
        let matrix = || {
            let mut buffer = Buffer::new(side * side * 8)?;
            buffer.request_huge_pages(true);
            Ok(buffer)
        };
        let next = if method == Method::Jacobi { Some(matrix()?) } else { None };
        Ok(Naive { now: matrix()?, next, problem, simd })
    }
}

impl Grid for Naive {
    fn put(&mut self, i: usize, j: usize, value: f64) {
        let at = i * (self.problem.intervals + 1) + j;
        self.now.doubles_mut()[at] = value;
        if let Some(next) = &mut self.next {
            next.doubles_mut()[at] = value;
        }
    }

    fn fill(&mut self, value: impl Fn(usize, usize) -> f64) {
        let side = self.problem.intervals + 1;
        for matrix in [Some(&mut self.now), self.next.as_mut()].into_iter().flatten() {
            for (i, row) in matrix.doubles_mut().chunks_exact_mut(side).enumerate() {
                row.iter_mut().enumerate().for_each(|(j, point)| *point = value(i, j));
            }
        }
    }

    fn visit(&self, mut each: impl FnMut(usize, usize, f64)) {
        for (i, row) in self.now.doubles().chunks_exact(self.problem.intervals + 1).enumerate() {
            row.iter().enumerate().for_each(|(j, value)| each(i, j, *value));
        }
    }

    fn sweep(&mut self, most: u64, until: Option<f64>) -> Result<(u64, f64), Failure> {
        let problem = self.problem.clone();
        for sweep in 1..=most {
            let judged = until.is_some() || sweep == most;
            let residual = match &mut self.next {
                None => gauss_seidel(&problem, self.now.doubles_mut(), judged),
                Some(next) => {
                    let residual = jacobi(self.simd, &problem, self.now.doubles(), next.doubles_mut(), judged);
                    std::mem::swap(&mut self.now, next);
                    residual
                }
            };
            if sweep == most || until.is_some_and(|until| residual < until) {
                return Ok((sweep, residual));
            }
        }
        Ok((0, 0.0))
    }

    fn guard(&self) -> Option<PanicGuard> {
        None
    }

    fn huge_pages(&self) -> &'static str {
        self.now.huge_pages()
    }

    fn simd(&self) -> Simd {
        self.simd
    }
}

/// One sweep in place, each point from what its neighbours have become by then. Its largest change where it is
/// `judged`.
fn gauss_seidel(problem: &Problem, points: &mut [f64], judged: bool) -> f64 {
    match (problem.sine, judged) {
        (false, false) => gauss_seidel_as::<false, false>(problem, points),
        (false, true) => gauss_seidel_as::<false, true>(problem, points),
        (true, false) => gauss_seidel_as::<true, false>(problem, points),
        (true, true) => gauss_seidel_as::<true, true>(problem, points),
    }
}

fn gauss_seidel_as<const SINE: bool, const JUDGED: bool>(problem: &Problem, points: &mut [f64]) -> f64 {
    let n = problem.intervals;
    let mut largest = 0.0;
    for i in 1..n {
        let (above, rest) = points[(i - 1) * (n + 1)..].split_at_mut(n + 1);
        let (row, below) = rest.split_at_mut(n + 1);
        let (below, sines, factor) = (&below[..=n], &problem.sines[..=n], problem.factors[i]);
        for j in 1..n {
            let mut star = 0.25 * (above[j] + row[j - 1] + row[j + 1] + below[j]);
            if SINE {
                star += factor * sines[j];
            }
            if JUDGED {
                largest = larger(largest, (row[j] - star).abs());
            }
            row[j] = star;
        }
    }
    largest
}

for_each_simd! {
    /// One sweep from one matrix into the other. Its largest change where it is `judged`.
    jacobi = jacobi_with(problem: &Problem, from: &[f64], to: &mut [f64], judged: bool) -> f64
}

#[inline(always)]
fn jacobi_with<const FUSED: bool>(problem: &Problem, from: &[f64], to: &mut [f64], judged: bool) -> f64 {
    let n = problem.intervals;
    let mut largest = 0.0;
    for i in 1..n {
        let rows = &from[(i - 1) * (n + 1)..(i + 2) * (n + 1)];
        let (above, row, below) = (&rows[1..n], &rows[n + 1..2 * (n + 1)], &rows[2 * (n + 1) + 1..][..n - 1]);
        let (left, right) = (&row[..n - 1], &row[2..]);
        let target = &mut to[i * (n + 1) + 1..][..n - 1];
        let (sines, factor) = (&problem.sines[1..n], problem.factors[i]);
        if problem.sine {
            for j in 0..n - 1 {
                target[j] = 0.25 * (above[j] + left[j] + right[j] + below[j]) + factor * sines[j];
            }
        } else {
            for j in 0..n - 1 {
                target[j] = 0.25 * (above[j] + left[j] + right[j] + below[j]);
            }
        }
        if judged {
            let changes = row[1..n].iter().zip(&*target).map(|(old, new)| (old - new).abs());
            largest = changes.fold(largest, larger);
        }
    }
    largest
}
