//! The innermost loop of the blocked elimination: a tile of the matrix stays in registers while products are added to it.

#![allow(unsafe_code)] // vector instructions that are detected when the program runs

use super::steps::multiply_add;
use crate::simd::Simd;

/// Rows of a tile.
pub(super) const ROWS: usize = 8;

/// Columns of a tile.
pub(super) const COLUMNS: usize = 6;

/// Add the product of `a` (by columns of 8) and `b` (by rows of 6), both `depth` long, to the tile at the start of `c`,
/// whose columns are `ld` apart. Each element gets its products one after the other, beginning with the first.
#[inline]
pub(super) fn add_product(simd: Simd, depth: usize, a: &[f64], b: &[f64], c: &mut [f64], ld: usize) {
    assert!(a.len() >= depth * ROWS && b.len() >= depth * COLUMNS && c.len() >= (COLUMNS - 1) * ld + ROWS);
    #[cfg(target_arch = "x86_64")]
    if simd == Simd::Avx2 {
        // SAFETY: `Avx2` exists only where the processor was found to have it; the lengths have been checked.
        unsafe { avx2(depth, a.as_ptr(), b.as_ptr(), c.as_mut_ptr(), ld) };
        return;
    }
    let _ = simd;
    portable(depth, a, b, c, ld);
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
    let mut sums = [[_mm256_setzero_pd(); ROWS / 4]; COLUMNS];
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
        b = b.add(COLUMNS);
    }
    for (j, column) in sums.iter().enumerate() {
        for (i, sum) in column.iter().enumerate() {
            _mm256_storeu_pd(c.add(j * ld + 4 * i), *sum);
        }
    }
}

/// The same in halves of a tile, which fit into the sixteen registers of 128 bits that other processors have.
fn portable(depth: usize, a: &[f64], b: &[f64], c: &mut [f64], ld: usize) {
    const PART: usize = 4;
    for part in (0..ROWS).step_by(PART) {
        let mut sums = [[0.0; PART]; COLUMNS];
        for (j, column) in sums.iter_mut().enumerate() {
            column.copy_from_slice(&c[j * ld + part..][..PART]);
        }
        for (left, factors) in a.chunks_exact(ROWS).zip(b.chunks_exact(COLUMNS)).take(depth) {
            let left = &left[part..part + PART];
            for (column, factor) in sums.iter_mut().zip(factors) {
                for (sum, left) in column.iter_mut().zip(left) {
                    *sum = multiply_add::<false>(*left, *factor, *sum);
                }
            }
        }
        for (j, column) in sums.iter().enumerate() {
            c[j * ld + part..][..PART].copy_from_slice(column);
        }
    }
}
