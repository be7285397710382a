//! A panel of columns, factored recursively: its left half, then with that the right half (S. Toledo: Locality of
//! reference in LU decomposition with partial pivoting, SIAM J. Matrix Anal. Appl. 18 (1997) 1065-1081).

use super::groups::{self, GROUP};
use super::packed::{pack, packed_length, update, Factors, Scratch};
use super::steps::exchange;
use super::tile::ROWS;
use crate::simd::Simd;

/// Columns up to which groups of four are faster than halves.
const NARROW: usize = 16;

/// Room for factoring panels of a matrix.
pub(super) struct Workspace {
    pub(super) scratch: Scratch,
    packed: Vec<f64>,
}

impl Workspace {
    /// Room for panels of up to `width` columns, and for updates of up to `columns` columns by panels of `width`.
    pub(super) fn new(simd: Simd, ld: usize, width: usize, columns: usize) -> Self {
        Workspace {
            scratch: Scratch::new(ld, width, columns.max(width)),
            packed: vec![0.0; packed_length(simd, ld, width / 2 + ROWS)],
        }
    }
}

/// Factor `panel`, whose diagonal begins at row `top`, down to row `n`. `pivots`, one a column, are counted from row 0.
/// Exchanges are made in the whole panel. False where a pivot is zero.
pub(super) fn factor(
    simd: Simd,
    panel: &mut [f64],
    ld: usize,
    top: usize,
    n: usize,
    pivots: &mut [usize],
    workspace: &mut Workspace,
) -> bool {
    let width = pivots.len();
    if width <= NARROW {
        let regular = groups::factor(simd, panel, ld, top, n, pivots);
        for start in (GROUP..width).step_by(GROUP) {
            let end = width.min(start + GROUP);
            exchange(&mut panel[..start * ld], ld, top + start, &pivots[start..end]);
        }
        return regular;
    }
    let half = (width / 2).next_multiple_of(ROWS);
    let (left, right) = panel.split_at_mut(half * ld);
    let (first, second) = pivots.split_at_mut(half);
    if !factor(simd, left, ld, top, n, first, workspace) {
        return false;
    }
    pack(simd, left, ld, top, n, &mut workspace.packed);
    update(simd, Factors { packed: &workspace.packed, pivots: first, top, n }, right, ld, &mut workspace.scratch);
    if !factor(simd, right, ld, top + half, n, second, workspace) {
        return false;
    }
    exchange(left, ld, top + half, second);
    true
}
