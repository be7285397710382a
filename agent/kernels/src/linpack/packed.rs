//! The update of the blocked elimination, from factors that are packed into the order in which they are read
//! (K. Goto, R. A. van de Geijn: Anatomy of high-performance matrix multiplication, ACM TOMS 34 (2008) 12).

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs

use super::steps::{exchange, multiply_add};
use super::tile::{add_product, COLUMNS, ROWS};
use crate::simd::{for_each_simd, Simd};

/// Bytes of packed factors that are used again and again from the second-level cache.
const CACHED: usize = 384 << 10;

/// Numbers that [`pack`] writes for `width` columns of a matrix with `rows` rows.
pub(super) fn packed_length(rows: usize, width: usize) -> usize {
    (rows + ROWS - 1) / ROWS * ROWS * width
}

/// Pack the factored columns `panel`, whose diagonal begins at row `top`, down to row `n`, in slivers of eight rows.
/// `top` and the number of columns are multiples of eight; `ld` reaches to the end of the last sliver. On and above the
/// diagonal there are zeroes.
pub(super) fn pack(panel: &[f64], ld: usize, top: usize, n: usize, packed: &mut [f64]) {
    let width = panel.len() / ld;
    let slivers = packed.chunks_exact_mut(ROWS * width);
    for (row, sliver) in (top..n).step_by(ROWS).zip(slivers) {
        for (column, to) in panel.chunks_exact(ld).zip(sliver.chunks_exact_mut(ROWS)) {
            to.copy_from_slice(&column[row..row + ROWS]);
        }
        if row - top < width {
            let diagonal = &mut sliver[(row - top) * ROWS..][..ROWS * ROWS];
            for (q, to) in diagonal.chunks_exact_mut(ROWS).enumerate() {
                to[..=q].fill(0.0);
            }
        }
    }
}

/// Packed factors of a panel, and what exchanges they come with.
#[derive(Clone, Copy)]
pub(super) struct Factors<'a> {
    pub(super) packed: &'a [f64],
    pub(super) pivots: &'a [usize],
    /// The row at which the panel's diagonal begins.
    pub(super) top: usize,
    /// Rows of the matrix.
    pub(super) n: usize,
}

/// What an update needs besides.
pub(super) struct Scratch {
    /// Packed rows of the columns that are updated.
    rows: Vec<f64>,
    /// An incomplete group of columns, made up to six.
    group: Vec<f64>,
}

impl Scratch {
    /// Scratch for updates of up to `columns` columns by panels of `width` columns.
    pub(super) fn new(ld: usize, width: usize, columns: usize) -> Self {
        Scratch { rows: vec![0.0; (columns + COLUMNS) * width], group: vec![0.0; COLUMNS * ld] }
    }
}

/// Exchange the rows of `columns`, solve with the panel's triangle and take the panel's columns out of the rest.
pub(super) fn update(simd: Simd, factors: Factors<'_>, columns: &mut [f64], ld: usize, scratch: &mut Scratch) {
    let (whole, rest) = columns.split_at_mut(columns.len() / (COLUMNS * ld) * (COLUMNS * ld));
    update_groups(simd, factors, whole, ld, &mut scratch.rows);
    if !rest.is_empty() {
        scratch.group[..rest.len()].copy_from_slice(rest);
        scratch.group[rest.len()..].fill(0.0);
        update_groups(simd, factors, &mut scratch.group, ld, &mut scratch.rows);
        rest.copy_from_slice(&scratch.group[..rest.len()]);
    }
}

fn update_groups(simd: Simd, factors: Factors<'_>, columns: &mut [f64], ld: usize, rows: &mut [f64]) {
    let width = factors.pivots.len();
    let (triangle, below) = factors.packed.split_at(width * width);
    for (group, rows) in columns.chunks_exact_mut(COLUMNS * ld).zip(rows.chunks_exact_mut(COLUMNS * width)) {
        exchange(group, ld, factors.top, factors.pivots);
        for (index, sliver) in triangle.chunks_exact(ROWS * width).enumerate() {
            let (known, new) = rows.split_at_mut(index * ROWS * COLUMNS);
            let tile = &mut group[factors.top + index * ROWS..];
            add_product(simd, index * ROWS, sliver, known, tile, ld);
            solve_tile(simd, &sliver[index * ROWS * ROWS..][..ROWS * ROWS], tile, ld, &mut new[..ROWS * COLUMNS]);
        }
    }
    let first = factors.top + width;
    let slivers = (CACHED / (width * ROWS * 8)).max(1);
    let below = &below[..packed_length(factors.n - first, width)];
    for (block, part) in below.chunks(slivers * ROWS * width).enumerate() {
        for (group, rows) in columns.chunks_exact_mut(COLUMNS * ld).zip(rows.chunks_exact(COLUMNS * width)) {
            let top = first + block * slivers * ROWS;
            for (index, sliver) in part.chunks_exact(ROWS * width).enumerate() {
                add_product(simd, width, sliver, rows, &mut group[top + index * ROWS..], ld);
            }
        }
    }
}

for_each_simd! {
    /// Solve a tile with a unit lower triangle (by columns, zero on and above the diagonal), and pack it by rows.
    solve_tile = solve_tile_with(triangle: &[f64], tile: &mut [f64], ld: usize, rows: &mut [f64])
}

#[inline(always)]
fn solve_tile_with<const FUSED: bool>(triangle: &[f64], tile: &mut [f64], ld: usize, rows: &mut [f64]) {
    let mut sums = [[0.0; ROWS]; COLUMNS];
    for (sum, column) in sums.iter_mut().zip(tile.chunks(ld)) {
        sum.copy_from_slice(&column[..ROWS]);
    }
    for (q, l) in triangle.chunks_exact(ROWS).enumerate() {
        for sum in &mut sums {
            let t = sum[q];
            for (y, l) in sum.iter_mut().zip(l) {
                *y = multiply_add::<FUSED>(t, *l, *y);
            }
        }
    }
    for (sum, column) in sums.iter().zip(tile.chunks_mut(ld)) {
        column[..ROWS].copy_from_slice(sum);
    }
    for (q, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
        for (to, sum) in row.iter_mut().zip(&sums) {
            *to = sum[q];
        }
    }
}
