//! The steps that all ways of elimination are made of. Each element gets the same operations in the same order
//! whichever way is chosen, so that all ways give the same factors and solutions, bit for bit, with the same
//! instructions.

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs
#![allow(clippy::too_many_arguments)] // separate slices tell the compiler that they do not overlap

use crate::simd::for_each_simd;

/// t × x + y, in one operation where `FUSED` is true or every processor of the target has it.
#[inline(always)]
pub(super) fn multiply_add<const FUSED: bool>(t: f64, x: f64, y: f64) -> f64 {
    if FUSED || cfg!(target_arch = "aarch64") {
        t.mul_add(x, y)
    } else {
        y + t * x
    }
}

/// y += t x.
#[inline(always)]
pub(super) fn daxpy<const FUSED: bool>(t: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = multiply_add::<FUSED>(t, *x, *y);
    }
}

/// idamax: where the element of largest magnitude is, the first of several.
#[inline(always)]
pub(super) fn idamax(x: &[f64]) -> usize {
    // A maximum in lanes first, which needs no branches.
    let mut lanes = [0.0f64; 16];
    let mut chunks = x.chunks_exact(16);
    for chunk in &mut chunks {
        for (lane, a) in lanes.iter_mut().zip(chunk) {
            let a = a.abs();
            *lane = if a > *lane { a } else { *lane };
        }
    }
    let largest =
        lanes.iter().chain(chunks.remainder()).fold(0.0f64, |max, a| if a.abs() > max { a.abs() } else { max });
    x.iter().position(|a| a.abs() == largest).unwrap_or(0)
}

/// Exchange rows as the pivots of rows `top` and following say, in each column.
pub(super) fn exchange(columns: &mut [f64], ld: usize, top: usize, pivots: &[usize]) {
    for column in columns.chunks_exact_mut(ld) {
        for (row, pivot) in (top..).zip(pivots) {
            column.swap(row, *pivot);
        }
    }
}

for_each_simd! {
    /// Four columns get multiples of four others: y[c] += t[c][0] × l0 + ... + t[c][3] × l3, in this order. All have
    /// the same length.
    update_four = update_four_with(
        l0: &[f64], l1: &[f64], l2: &[f64], l3: &[f64],
        y0: &mut [f64], y1: &mut [f64], y2: &mut [f64], y3: &mut [f64],
        t: &[[f64; 4]; 4]
    )
}

#[inline(always)]
fn update_four_with<const FUSED: bool>(
    l0: &[f64],
    l1: &[f64],
    l2: &[f64],
    l3: &[f64],
    y0: &mut [f64],
    y1: &mut [f64],
    y2: &mut [f64],
    y3: &mut [f64],
    t: &[[f64; 4]; 4],
) {
    let n = y0.len();
    let (l0, l1, l2, l3) = (&l0[..n], &l1[..n], &l2[..n], &l3[..n]);
    let (y1, y2, y3) = (&mut y1[..n], &mut y2[..n], &mut y3[..n]);
    for i in 0..n {
        let l = [l0[i], l1[i], l2[i], l3[i]];
        y0[i] = four::<FUSED>(&t[0], &l, y0[i]);
        y1[i] = four::<FUSED>(&t[1], &l, y1[i]);
        y2[i] = four::<FUSED>(&t[2], &l, y2[i]);
        y3[i] = four::<FUSED>(&t[3], &l, y3[i]);
    }
}

for_each_simd! {
    /// One column gets multiples of four others, in this order.
    update_one = update_one_with(l: [&[f64]; 4], y: &mut [f64], t: &[f64; 4])
}

#[inline(always)]
fn update_one_with<const FUSED: bool>(l: [&[f64]; 4], y: &mut [f64], t: &[f64; 4]) {
    let n = y.len();
    let [l0, l1, l2, l3] = l;
    let (l0, l1, l2, l3) = (&l0[..n], &l1[..n], &l2[..n], &l3[..n]);
    for i in 0..n {
        y[i] = four::<FUSED>(t, &[l0[i], l1[i], l2[i], l3[i]], y[i]);
    }
}

#[inline(always)]
fn four<const FUSED: bool>(t: &[f64; 4], l: &[f64; 4], y: f64) -> f64 {
    t.iter().zip(l).fold(y, |y, (t, l)| multiply_add::<FUSED>(*t, *l, y))
}

for_each_simd! {
    /// y += t x.
    update = daxpy(t: f64, x: &[f64], y: &mut [f64])
}

for_each_simd! {
    /// Where the element of largest magnitude is.
    search = search_with(x: &[f64]) -> usize
}

#[inline(always)]
fn search_with<const FUSED: bool>(x: &[f64]) -> usize {
    idamax(x)
}
