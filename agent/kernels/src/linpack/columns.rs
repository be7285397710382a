//! dgefa and dgesl as published: column by column to the right, each step one daxpy (J. J. Dongarra, C. B. Moler, J. R.
//! Bunch, G. W. Stewart: LINPACK Users' Guide, 1979; the loops `rolled`, or `unrolled` by four and five as in the
//! benchmark).

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs

use super::steps::{daxpy, idamax, multiply_add};
use crate::simd::for_each_simd;

for_each_simd! {
    /// dgefa with rolled loops. False where a pivot is zero.
    factor_rolled = factor_rolled_with(matrix: &mut [f64], ld: usize, pivots: &mut [usize]) -> bool
}

for_each_simd! {
    /// dgefa with unrolled loops. False where a pivot is zero.
    factor_unrolled = factor_unrolled_with(matrix: &mut [f64], ld: usize, pivots: &mut [usize]) -> bool
}

for_each_simd! {
    /// dgesl with rolled loops: `right` becomes the solution.
    solve_rolled = solve_rolled_with(matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64])
}

for_each_simd! {
    /// dgesl with unrolled loops: `right` becomes the solution.
    solve_unrolled = solve_unrolled_with(matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64])
}

#[inline(always)]
fn factor_rolled_with<const FUSED: bool>(matrix: &mut [f64], ld: usize, pivots: &mut [usize]) -> bool {
    factor(matrix, ld, pivots, daxpy::<FUSED>, |t, x| x.iter_mut().for_each(|a| *a *= t))
}

#[inline(always)]
fn factor_unrolled_with<const FUSED: bool>(matrix: &mut [f64], ld: usize, pivots: &mut [usize]) -> bool {
    factor(matrix, ld, pivots, daxpy_by_four::<FUSED>, dscal_by_five)
}

#[inline(always)]
fn solve_rolled_with<const FUSED: bool>(matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64]) {
    solve(matrix, ld, pivots, right, daxpy::<FUSED>);
}

#[inline(always)]
fn solve_unrolled_with<const FUSED: bool>(matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64]) {
    solve(matrix, ld, pivots, right, daxpy_by_four::<FUSED>);
}

/// The multipliers that replace the lower triangle are negative, as in dgefa.
#[inline(always)]
fn factor(
    matrix: &mut [f64],
    ld: usize,
    pivots: &mut [usize],
    daxpy: impl Fn(f64, &[f64], &mut [f64]),
    dscal: impl Fn(f64, &mut [f64]),
) -> bool {
    let n = pivots.len();
    for k in 0..n {
        let (left, rest) = matrix.split_at_mut((k + 1) * ld);
        let column = &mut left[k * ld..][..n];
        let pivot = k + idamax(&column[k..]);
        pivots[k] = pivot;
        if column[pivot] == 0.0 {
            return false;
        }
        column.swap(k, pivot);
        let scale = -1.0 / column[k];
        dscal(scale, &mut column[k + 1..]);
        let multipliers = &column[k + 1..];
        for other in rest.chunks_exact_mut(ld) {
            other.swap(k, pivot);
            let t = other[k];
            daxpy(t, multipliers, &mut other[k + 1..n]);
        }
    }
    true
}

#[inline(always)]
fn solve(matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64], daxpy: impl Fn(f64, &[f64], &mut [f64])) {
    let n = pivots.len();
    for k in 0..n {
        right.swap(k, pivots[k]);
        let t = right[k];
        daxpy(t, &matrix[k * ld + k + 1..k * ld + n], &mut right[k + 1..]);
    }
    for k in (0..n).rev() {
        right[k] /= matrix[k * ld + k];
        let t = -right[k];
        daxpy(t, &matrix[k * ld..k * ld + k], &mut right[..k]);
    }
}

#[cfg(test)]
thread_local! {
    /// Calls of the unrolled loops by this thread: results do not tell which loops ran.
    pub(super) static UNROLLED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// y += t x: the odd ones first, then by four.
#[inline(always)]
fn daxpy_by_four<const FUSED: bool>(t: f64, x: &[f64], y: &mut [f64]) {
    #[cfg(test)]
    UNROLLED.with(|calls| calls.set(calls.get() + 1));
    let odd = y.len() % 4;
    let (first, rest) = y.split_at_mut(odd);
    daxpy::<FUSED>(t, &x[..odd], first);
    for (y, x) in rest.chunks_exact_mut(4).zip(x[odd..].chunks_exact(4)) {
        y[0] = multiply_add::<FUSED>(t, x[0], y[0]);
        y[1] = multiply_add::<FUSED>(t, x[1], y[1]);
        y[2] = multiply_add::<FUSED>(t, x[2], y[2]);
        y[3] = multiply_add::<FUSED>(t, x[3], y[3]);
    }
}

/// x *= t: the odd ones first, then by five.
#[inline(always)]
fn dscal_by_five(t: f64, x: &mut [f64]) {
    let odd = x.len() % 5;
    let (first, rest) = x.split_at_mut(odd);
    first.iter_mut().for_each(|a| *a *= t);
    for x in rest.chunks_exact_mut(5) {
        x[0] *= t;
        x[1] *= t;
        x[2] *= t;
        x[3] *= t;
        x[4] *= t;
    }
}
