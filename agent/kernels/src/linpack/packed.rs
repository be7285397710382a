//! The update of the blocked elimination, from factors that are packed into the order in which they are read
//! (K. Goto, R. A. van de Geijn: Anatomy of high-performance matrix multiplication, ACM TOMS 34 (2008) 12).

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs

use super::steps::{exchange, multiply_add};
use super::tile::{add_product, shape, Shape, MOST_COLUMNS, MOST_ROWS, ROWS};
#[cfg(target_arch = "x86_64")]
use super::wide;
use crate::simd::{for_each_simd, Simd};

/// Bytes of packed factors that are used again and again from the second-level cache.
const CACHED: usize = 512 << 10;

/// Most numbers that [`pack`] writes for `width` columns of a matrix with `rows` rows.
pub(super) fn packed_length(simd: Simd, rows: usize, width: usize) -> usize {
    (rows + ROWS - 1 + shape(simd).rows) * width
}

/// Numbers of the packed rows below the panel's triangle.
fn packed_below(simd: Simd, rows: usize, width: usize) -> usize {
    let each = shape(simd).rows;
    rows.next_multiple_of(each) * width
}

/// Pack the factored columns `panel`, whose diagonal begins at row `top`, down to row `n`: the square with the diagonal
/// in slivers of eight rows, what is below it in slivers of a tile's rows. `top` and the number of columns are
/// multiples of eight; `ld` reaches to the end of the last eight rows, after which a sliver has zeroes, as on and above
/// the diagonal.
pub(super) fn pack(simd: Simd, panel: &[f64], ld: usize, top: usize, n: usize, packed: &mut [f64]) {
    let width = panel.len() / ld;
    let (square, below) = packed.split_at_mut(width * width);
    for (start, sliver) in (0..).step_by(ROWS).zip(square.chunks_exact_mut(ROWS * width)) {
        copy(panel, ld, top + start, ROWS, sliver);
        for (q, to) in sliver[start * ROWS..].chunks_exact_mut(ROWS).take(ROWS).enumerate() {
            to[..=q].fill(0.0);
        }
    }
    let each = shape(simd).rows;
    for (row, sliver) in (top + width..n).step_by(each).zip(below.chunks_exact_mut(each * width)) {
        copy(panel, ld, row, each, sliver);
    }
}

/// A sliver: each column's `each` numbers from `row` on, as far as there are.
#[inline]
fn copy(panel: &[f64], ld: usize, row: usize, each: usize, sliver: &mut [f64]) {
    let there = each.min(ld - row);
    for (column, to) in panel.chunks_exact(ld).zip(sliver.chunks_exact_mut(each)) {
        to[..there].copy_from_slice(&column[row..row + there]);
        to[there..].fill(0.0);
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
    /// An incomplete group of columns, made up to a tile's.
    group: Vec<f64>,
}

impl Scratch {
    /// Scratch for updates of up to `columns` columns by panels of `width` columns.
    pub(super) fn new(ld: usize, width: usize, columns: usize) -> Self {
        Scratch { rows: vec![0.0; (columns + MOST_COLUMNS) * width], group: vec![0.0; MOST_COLUMNS * ld] }
    }
}

/// Exchange the rows of `columns`, solve with the panel's triangle and take the panel's columns out of the rest.
pub(super) fn update(simd: Simd, factors: Factors<'_>, columns: &mut [f64], ld: usize, scratch: &mut Scratch) {
    let each = shape(simd).columns * ld;
    let (whole, rest) = columns.split_at_mut(columns.len() / each * each);
    update_groups(simd, factors, whole, ld, &mut scratch.rows);
    if !rest.is_empty() {
        let group = &mut scratch.group[..each];
        group[..rest.len()].copy_from_slice(rest);
        group[rest.len()..].fill(0.0);
        update_groups(simd, factors, group, ld, &mut scratch.rows);
        rest.copy_from_slice(&group[..rest.len()]);
    }
}

fn update_groups(simd: Simd, factors: Factors<'_>, columns: &mut [f64], ld: usize, rows: &mut [f64]) {
    let Shape { rows: high, columns: wide } = shape(simd);
    let width = factors.pivots.len();
    let (triangle, below) = factors.packed.split_at(width * width);
    for (group, rows) in columns.chunks_exact_mut(wide * ld).zip(rows.chunks_exact_mut(wide * width)) {
        exchange(group, ld, factors.top, factors.pivots);
        solve_group(simd, triangle, group, ld, factors.top, rows);
    }
    let first = factors.top + width;
    let slivers = (CACHED / (width * high * 8)).max(1);
    let below = &below[..packed_below(simd, factors.n - first, width)];
    for (block, part) in below.chunks(slivers * high * width).enumerate() {
        for (group, rows) in columns.chunks_exact_mut(wide * ld).zip(rows.chunks_exact(wide * width)) {
            let top = first + block * slivers * high;
            for (index, sliver) in part.chunks_exact(high * width).enumerate() {
                let row = top + index * high;
                if row + high <= ld {
                    add_product(simd, width, sliver, rows, &mut group[row..], ld);
                } else {
                    add_to_last(simd, width, sliver, rows, &mut group[row..], ld, ld - row);
                }
            }
        }
    }
}

/// The last tile of a group of columns, of which the matrix has only so many rows.
fn add_to_last(simd: Simd, depth: usize, a: &[f64], b: &[f64], c: &mut [f64], ld: usize, there: usize) {
    let Shape { rows, columns } = shape(simd);
    let mut tile = [0.0; MOST_ROWS * MOST_COLUMNS];
    for (to, column) in tile.chunks_exact_mut(rows).zip(c.chunks(ld)).take(columns) {
        to[..there].copy_from_slice(&column[..there]);
    }
    add_product(simd, depth, a, b, &mut tile, rows);
    for (from, column) in tile.chunks_exact(rows).zip(c.chunks_mut(ld)).take(columns) {
        column[..there].copy_from_slice(&from[..there]);
    }
}

/// Solve with the panel's triangle in a group of columns from row `top` on, and pack the solution by rows.
fn solve_group(simd: Simd, triangle: &[f64], group: &mut [f64], ld: usize, top: usize, rows: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    if simd == Simd::Avx512 {
        let columns = shape(simd).columns;
        gather(simd, &group[top..], ld, rows);
        let width = rows.len() / columns;
        for (before, sliver) in (0..).step_by(ROWS).zip(triangle.chunks_exact(ROWS * width)) {
            wide::solve_rows(before, sliver, rows);
        }
        scatter(simd, rows, &mut group[top..], ld);
        return;
    }
    let columns = shape(simd).columns;
    let width = rows.len() / columns;
    for (index, sliver) in triangle.chunks_exact(ROWS * width).enumerate() {
        let (known, new) = rows.split_at_mut(index * ROWS * columns);
        let tile = &mut group[top + index * ROWS..];
        add_product(simd, index * ROWS, sliver, known, tile, ld);
        solve_tile(simd, &sliver[index * ROWS * ROWS..][..ROWS * ROWS], tile, ld, &mut new[..ROWS * columns]);
    }
}

for_each_simd! {
    /// Solve a tile with a unit lower triangle (by columns, zero on and above the diagonal), and pack it by rows.
    solve_tile = solve_tile_with(triangle: &[f64], tile: &mut [f64], ld: usize, rows: &mut [f64])
}

#[inline(always)]
fn solve_tile_with<const FUSED: bool>(triangle: &[f64], tile: &mut [f64], ld: usize, rows: &mut [f64]) {
    const COLUMNS: usize = 6;
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

#[cfg(target_arch = "x86_64")]
for_each_simd! {
    /// Eight columns by rows.
    gather = gather_with(columns: &[f64], ld: usize, rows: &mut [f64])
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn gather_with<const FUSED: bool>(columns: &[f64], ld: usize, rows: &mut [f64]) {
    for (start, square) in (0..).step_by(8).zip(rows.chunks_exact_mut(64)) {
        let mut numbers = [[0.0; 8]; 8];
        for (to, column) in numbers.iter_mut().zip(columns.chunks(ld)) {
            to.copy_from_slice(&column[start..start + 8]);
        }
        for (q, row) in square.chunks_exact_mut(8).enumerate() {
            for (to, column) in row.iter_mut().zip(&numbers) {
                *to = column[q];
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
for_each_simd! {
    /// Rows by columns, of which there are eight.
    scatter = scatter_with(rows: &[f64], columns: &mut [f64], ld: usize)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn scatter_with<const FUSED: bool>(rows: &[f64], columns: &mut [f64], ld: usize) {
    for (start, square) in (0..).step_by(8).zip(rows.chunks_exact(64)) {
        let mut numbers = [[0.0; 8]; 8];
        for (q, row) in square.chunks_exact(8).enumerate() {
            for (to, from) in numbers.iter_mut().zip(row) {
                to[q] = *from;
            }
        }
        for (column, from) in columns.chunks_mut(ld).zip(&numbers) {
            column[start..start + 8].copy_from_slice(from);
        }
    }
}
