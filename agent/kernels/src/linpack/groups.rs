//! dgefa and dgesl by groups of four columns: a group gets all that the columns left of it have to give, four of them
//! at a time, and is then factored. A number is so fetched once for sixteen multiplications instead of once for one.

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs

use super::steps::{exchange, multiply_add, search, update, update_four, update_one};
use crate::simd::{for_each_simd, Simd};

/// Columns of a group.
pub(super) const GROUP: usize = 4;

#[cfg(test)]
thread_local! {
    /// Factorizations by groups that this thread has made: results do not tell how they were made.
    pub(super) static FACTORED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Factor the columns of `panel`, whose diagonal begins at row `top`, down to row `n`. `pivots`, one a column, are
/// counted from row 0 of the matrix. The exchanges of a group are made in that group and to the right of it, not to the
/// left, as LINPACK does with a column. False where a pivot is zero.
pub(super) fn factor(simd: Simd, panel: &mut [f64], ld: usize, top: usize, n: usize, pivots: &mut [usize]) -> bool {
    #[cfg(test)]
    FACTORED.with(|calls| calls.set(calls.get() + 1));
    let width = pivots.len();
    for start in (0..width).step_by(GROUP) {
        let (left, rest) = panel.split_at_mut(start * ld);
        let end = width.min(start + GROUP);
        let group = &mut rest[..(end - start) * ld];
        for (index, known) in left.chunks_exact(GROUP * ld).enumerate() {
            let row = top + index * GROUP;
            exchange(group, ld, row, &pivots[index * GROUP..][..GROUP]);
            eliminate(simd, known, group, ld, row, n);
        }
        if !factor_group(simd, group, ld, top + start, n, &mut pivots[start..end]) {
            return false;
        }
    }
    true
}

/// Factor a group alone.
fn factor_group(simd: Simd, group: &mut [f64], ld: usize, top: usize, n: usize, pivots: &mut [usize]) -> bool {
    for c in 0..pivots.len() {
        let row = top + c;
        let pivot = row + search(simd, &group[c * ld + row..c * ld + n]);
        pivots[c] = pivot;
        if group[c * ld + pivot] == 0.0 {
            return false;
        }
        exchange(group, ld, row, &[pivot]);
        let (left, rest) = group.split_at_mut((c + 1) * ld);
        let column = &mut left[c * ld..][..n];
        let scale = -1.0 / column[row];
        column[row + 1..].iter_mut().for_each(|a| *a *= scale);
        for other in rest.chunks_exact_mut(ld) {
            let t = other[row];
            update(simd, t, &column[row + 1..], &mut other[row + 1..n]);
        }
    }
    true
}

/// Take the four factored columns `known`, whose diagonal begins at `row`, out of the columns of `group`.
fn eliminate(simd: Simd, known: &[f64], group: &mut [f64], ld: usize, row: usize, n: usize) {
    let below = row + GROUP;
    let l = |q: usize| &known[q * ld + below..q * ld + n];
    let mut t = [[0.0; GROUP]; GROUP];
    for (t, column) in t.iter_mut().zip(group.chunks_exact_mut(ld)) {
        forward(simd, known, ld, row, &mut column[row..below]);
        t.copy_from_slice(&column[row..below]);
    }
    if group.len() == GROUP * ld {
        let (y0, rest) = group.split_at_mut(ld);
        let (y1, rest) = rest.split_at_mut(ld);
        let (y2, y3) = rest.split_at_mut(ld);
        let rows = below..n;
        let (y0, y1) = (&mut y0[rows.clone()], &mut y1[rows.clone()]);
        let (y2, y3) = (&mut y2[rows.clone()], &mut y3[rows]);
        update_four(simd, l(0), l(1), l(2), l(3), y0, y1, y2, y3, &t);
        return;
    }
    for (t, column) in t.iter().zip(group.chunks_exact_mut(ld)) {
        update_one(simd, [l(0), l(1), l(2), l(3)], &mut column[below..n], t);
    }
}

for_each_simd! {
    /// Solve with the unit lower triangle of four columns from `row` on.
    forward = forward_with(known: &[f64], ld: usize, row: usize, y: &mut [f64])
}

#[inline(always)]
fn forward_with<const FUSED: bool>(known: &[f64], ld: usize, row: usize, y: &mut [f64]) {
    for q in 0..y.len() {
        let t = y[q];
        for (i, y) in y.iter_mut().enumerate().skip(q + 1) {
            *y = multiply_add::<FUSED>(t, known[q * ld + row + i], *y);
        }
    }
}

/// dgesl for factors whose exchanges reach over `panel` columns (a multiple of [`GROUP`]): `right` becomes the
/// solution.
pub(super) fn solve(simd: Simd, matrix: &[f64], ld: usize, panel: usize, pivots: &[usize], right: &mut [f64]) {
    let n = right.len();
    for start in (0..n).step_by(GROUP) {
        if start % panel == 0 {
            exchange(right, n, start, &pivots[start..n.min(start + panel)]);
        }
        let end = n.min(start + GROUP);
        let known = &matrix[start * ld..end * ld];
        forward(simd, known, ld, start, &mut right[start..end]);
        if end - start == GROUP {
            let t = [right[start], right[start + 1], right[start + 2], right[start + 3]];
            let l = |q: usize| &known[q * ld + end..q * ld + n];
            update_one(simd, [l(0), l(1), l(2), l(3)], &mut right[end..], &t);
        }
    }
    let mut end = n;
    while end > 0 {
        // From the right: the incomplete group first.
        let start = (end - 1) / GROUP * GROUP;
        let known = &matrix[start * ld..end * ld];
        backward(simd, known, ld, start, &mut right[start..end]);
        let u = |q: usize| &known[q * ld..q * ld + start];
        let (above, group) = right.split_at_mut(start);
        if end - start == GROUP {
            update_one(simd, [u(3), u(2), u(1), u(0)], above, &[-group[3], -group[2], -group[1], -group[0]]);
        } else {
            for q in (0..end - start).rev() {
                update(simd, -group[q], u(q), above);
            }
        }
        end = start;
    }
}

for_each_simd! {
    /// Solve with the upper triangle of a group from `row` on.
    backward = backward_with(known: &[f64], ld: usize, row: usize, y: &mut [f64])
}

#[inline(always)]
fn backward_with<const FUSED: bool>(known: &[f64], ld: usize, row: usize, y: &mut [f64]) {
    for q in (0..y.len()).rev() {
        y[q] /= known[q * ld + row + q];
        let t = -y[q];
        for (i, y) in y.iter_mut().enumerate().take(q) {
            *y = multiply_add::<FUSED>(t, known[q * ld + row + i], *y);
        }
    }
}
