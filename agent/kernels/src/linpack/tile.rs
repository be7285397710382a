//! The innermost loop of the blocked elimination: a tile of the matrix stays in registers while products are added to
//! it.

#![allow(unsafe_code)] // vector instructions that are detected when the program runs

use super::steps::multiply_add;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use super::wide;
use crate::simd::{for_each_simd, Simd};

/// Rows of the smallest tile; the rows of others are a multiple.
pub(super) const ROWS: usize = 8;

/// Most rows of a tile.
pub(super) const MOST_ROWS: usize = 24;

/// Most columns of a tile.
pub(super) const MOST_COLUMNS: usize = 8;

/// Rows and columns of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The tile that fits the registers of `simd`.
pub(super) fn shape(simd: Simd) -> Shape {
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => Shape { rows: 24, columns: 8 },
        _ => Shape { rows: ROWS, columns: 6 },
    }
}

/// Add the product of `a` (by columns of the shape's rows) and `b` (by rows of its columns), both `depth` long, to the
/// tile at the start of `c`, whose columns are `ld` apart. Each element gets its products one after the other,
/// beginning with the first. `depth` is a multiple of 8.
#[inline]
pub(super) fn add_product(simd: Simd, depth: usize, a: &[f64], b: &[f64], c: &mut [f64], ld: usize) {
    let Shape { rows, columns } = shape(simd);
    assert!(a.len() >= depth * rows && b.len() >= depth * columns && c.len() >= (columns - 1) * ld + rows);
    assert!(depth.is_multiple_of(ROWS));
    match simd {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        // SAFETY: `Avx512` exists only where the processor was found to have it; the lengths have been checked.
        Simd::Avx512 => unsafe { wide::add_product(depth, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), ld) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `Avx2` exists only where the processor was found to have it; the lengths have been checked.
        Simd::Avx2 => unsafe { avx2(depth, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), ld) },
        _ => in_halves(simd, depth, a, b, c, ld),
    }
}

/// # Safety
///
/// `a` has depth × 8 numbers, `b` depth × 6, `c` 5 × ld + 8; the processor has AVX2 and FMA.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(depth: usize, mut a: *const f64, mut b: *const f64, c: *mut f64, ld: usize) {
    use std::arch::x86_64::{
        _mm256_broadcast_sd, _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_setzero_pd, _mm256_storeu_pd, _mm_prefetch,
        _MM_HINT_T0,
    };
    let mut sums = [[_mm256_setzero_pd(); ROWS / 4]; 6];
    for (j, column) in sums.iter_mut().enumerate() {
        for (i, sum) in column.iter_mut().enumerate() {
            *sum = _mm256_loadu_pd(c.add(j * ld + 4 * i));
        }
        // The tile below is next. An address after the end does no harm.
        _mm_prefetch(c.wrapping_add(j * ld + ROWS).cast(), _MM_HINT_T0);
    }
    for _ in 0..depth {
        let left = [_mm256_loadu_pd(a), _mm256_loadu_pd(a.add(4))];
        for (j, column) in sums.iter_mut().enumerate() {
            let factor = _mm256_broadcast_sd(&*b.add(j));
            for (sum, left) in column.iter_mut().zip(left) {
                *sum = _mm256_fmadd_pd(left, factor, *sum);
            }
        }
        a = a.add(ROWS);
        b = b.add(6);
    }
    for (j, column) in sums.iter().enumerate() {
        for (i, sum) in column.iter().enumerate() {
            _mm256_storeu_pd(c.add(j * ld + 4 * i), *sum);
        }
    }
}

for_each_simd! {
    /// The same in halves of a tile of 8 rows and 6 columns, which fit into the registers of other processors: sixteen
    /// of
    /// 128 bits, or eight of 256 bits in 32-bit programs.
    in_halves = in_halves_with(depth: usize, a: &[f64], b: &[f64], c: &mut [f64], ld: usize)
}

#[inline(always)]
fn in_halves_with<const FUSED: bool>(depth: usize, a: &[f64], b: &[f64], c: &mut [f64], ld: usize) {
    const PART: usize = 4;
    const COLUMNS: usize = 6;
    for part in (0..ROWS).step_by(PART) {
        let mut sums = [[0.0; PART]; COLUMNS];
        for (j, column) in sums.iter_mut().enumerate() {
            column.copy_from_slice(&c[j * ld + part..][..PART]);
        }
        for (left, factors) in a.chunks_exact(ROWS).zip(b.chunks_exact(COLUMNS)).take(depth) {
            let left = &left[part..part + PART];
            for (column, factor) in sums.iter_mut().zip(factors) {
                for (sum, left) in column.iter_mut().zip(left) {
                    *sum = multiply_add::<FUSED>(*left, *factor, *sum);
                }
            }
        }
        for (j, column) in sums.iter().enumerate() {
            c[j * ld + part..][..PART].copy_from_slice(column);
        }
    }
}
