//! Gauss-Seidel as a wavefront: the points of a diagonal over sixteen rows depend only on the diagonal before, so they
//! are computed at once, each by the same operations on the same numbers as in the naive order, and hence to the same
//! bits.
//!
//! The inner rows are cut into strips of [`K`] rows. A strip is stored by diagonals: its vector t holds the points (row
//! k, column t - k). What a strip needs of its neighbours, their last and first row, each keeps as a row beside it.
//!
//! Several sweeps are under way at once: strip s of one sweep follows strip s + 1 of the sweep before, so that memory
//! is read once for all of them. With several threads, strip s is thread s modulo threads' own, and each waits for the
//! blocks of diagonals that it needs. The order of the dependencies is that of the naive loops, whatever the number of
//! threads.

#![allow(unsafe_code)] // parts of shared memory; functions compiled for instructions that are detected

use super::grid::Grid;
use super::method::{at_once, larger, GROUP};
use super::problem::Problem;
use super::ranks::{Counter, Rank, Ranks};
use super::reuse::Reuse;
use crate::shared_array::SharedArray;
use crate::simd::{for_each_simd, Simd};
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use virtometer_protocol::Failure;
use virtometer_sampling::PanicGuard;

/// Rows of a strip.
pub(super) const K: usize = 16;

/// Diagonals between two looks at what the neighbours have done. At least `K`.
const BLOCK: usize = 128;

/// What the threads share.
pub(super) struct Shared {
    problem: Arc<Problem>,
    ranks: Arc<Ranks>,
    /// The strips one after the other.
    cells: SharedArray<f64>,
    /// For s from 0: the row above strip s, and the first row of strip s. Column j is at K + j.
    edges: SharedArray<f64>,
    /// For each strip how many blocks it has done in all sweeps.
    progress: Vec<Counter>,
    /// For each column whether it is an inner one, 1 or 0, and its sine: both from right to left, column j at N + K -
    /// j.
    inside: Vec<f64>,
    sines: Vec<f64>,
}

impl Shared {
    pub(super) fn new(problem: Arc<Problem>, threads: usize) -> Result<Self, Failure> {
        let n = problem.intervals;
        let strips = (n - 1).div_ceil(K);
        let reversed = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..n + 2 * K).map(|at| (n + K).checked_sub(at).filter(|j| *j <= n).map_or(0.0, value)).collect()
        };
        Ok(Shared {
            ranks: Ranks::new(threads),
            cells: SharedArray::zeroed(strips * (n + K + 1) * K, true)?,
            edges: SharedArray::zeroed(2 * (strips + 1) * width(n), true)?,
            progress: (0..strips).map(|_| Counter::default()).collect(),
            inside: reversed(&|j| if (1..n).contains(&j) { 1.0 } else { 0.0 }),
            sines: reversed(&|j| problem.sines[j]),
            problem,
        })
    }

    fn strips(&self) -> usize {
        self.progress.len()
    }

    /// Where the point of lane `k` in vector `t` of strip `s` is.
    fn at(&self, s: usize, t: usize, k: usize) -> usize {
        (s * (self.problem.intervals + K + 1) + t) * K + k
    }
}

/// Numbers of one row beside a strip, a multiple of a cache line.
fn width(n: usize) -> usize {
    (n + 2 * K + 8) / 8 * 8
}

/// One thread's share.
pub(super) struct Strips {
    shared: Arc<Shared>,
    rank: Rank,
    simd: Simd,
    /// Sweeps made since the beginning.
    swept: u64,
    reuse: Reuse,
}

impl Strips {
    pub(super) fn new(shared: Arc<Shared>, index: usize, simd: Simd) -> Self {
        let rank = Rank::new(shared.ranks.clone(), index);
        let reuse = Reuse::of(shared.strips());
        Strips { shared, rank, simd, swept: 0, reuse }
    }

    /// Sweep number `sweep` over strip `s`.
    fn strip(&self, s: usize, sweep: u64, judged: bool) -> Result<f64, Failure> {
        let shared = &*self.shared;
        let n = shared.problem.intervals;
        let (width, last) = (width(n), n + K - 2);
        let blocks = last / BLOCK + 1;
        let base = sweep * blocks as u64;
        let several = self.rank.threads() > 1;
        let mut factors = [0.0; K];
        let rows = (n - 1 - s * K).min(K);
        factors[..rows].copy_from_slice(&shared.problem.factors[s * K + 1..][..rows]);
        let mut largest = 0.0;
        for block in 0..blocks {
            let (first, end) = ((block * BLOCK).max(1), ((block + 1) * BLOCK).min(last + 1));
            if several {
                // The row above is new K columns further, the row below is that of the sweep before.
                if s > 0 {
                    self.rank.wait_for(&shared.progress[s - 1], base + (block + 2).min(blocks) as u64)?;
                }
                if s + 1 < shared.strips() {
                    self.rank
                        .wait_for(&shared.progress[s + 1], (base + block as u64 + 1).saturating_sub(blocks as u64))?;
                }
            }
            let edge = |row: usize, from: usize| row * width + from..row * width + from + end - first;
            // SAFETY: the strip's cells and the rows that it writes are this thread's. Of the rows that it reads, the
            // one above is finished up to here in this sweep, and the one below up to here in the sweep before; their
            // owners write at other columns until this block is done, which they wait for.
            let mut part = unsafe {
                Part {
                    first,
                    cells: shared.cells.slice_mut(shared.at(s, first - 1, 0)..shared.at(s, end + 1, 0)),
                    above: shared.edges.slice(edge(2 * s, K + first)),
                    top: shared.edges.slice_mut(edge(2 * s + 1, K + first)),
                    bottom: shared.edges.slice_mut(edge(2 * s + 2, first + 1)),
                    below: shared.edges.slice(edge(2 * s + 3, first + 1)),
                }
            };
            let tables = Tables { n, rows, factors: &factors, inside: &shared.inside, sines: &shared.sines };
            largest = larger(largest, advance(self.simd, &mut part, &tables, shared.problem.sine, judged));
            if several {
                shared.progress[s].0.store(base + block as u64 + 1, Ordering::Release);
            }
        }
        Ok(largest)
    }

    fn own(&self) -> impl Iterator<Item = usize> {
        (self.rank.index()..self.shared.strips()).step_by(self.rank.threads())
    }
}

impl Grid for Strips {
    fn put(&mut self, i: usize, j: usize, value: f64) {
        let shared = &*self.shared;
        let (n, width) = (shared.problem.intervals, width(shared.problem.intervals));
        let set = |array: &SharedArray<f64>, at: usize| {
            // SAFETY: between iterations only the thread that owns the point writes, and nobody reads.
            let point = unsafe { array.slice_mut(at..at + 1) };
            point[0] = value;
        };
        if i == 0 {
            return set(&shared.edges, K + j);
        }
        if i == n {
            set(&shared.edges, (2 * shared.strips() + 1) * width + K + j);
        }
        let (s, k) = ((i - 1) / K, (i - 1) % K);
        if s == shared.strips() {
            return;
        }
        // In the last strip the border follows as one more row.
        set(&shared.cells, shared.at(s, j + k, k));
        if k == 0 {
            set(&shared.edges, (2 * s + 1) * width + K + j);
        }
        if k == K - 1 {
            set(&shared.edges, (2 * s + 2) * width + K + j);
        }
    }

    fn fill(&mut self, value: impl Fn(usize, usize) -> f64) {
        let n = self.shared.problem.intervals;
        for s in self.own().collect::<Vec<_>>() {
            let first = if s == 0 { 0 } else { s * K + 1 };
            let last = if s + 1 == self.shared.strips() { n } else { s * K + K };
            for i in first..=last {
                for j in 0..=n {
                    self.put(i, j, value(i, j));
                }
            }
        }
    }

    fn visit(&self, mut each: impl FnMut(usize, usize, f64)) {
        let shared = &*self.shared;
        let n = shared.problem.intervals;
        for (i, row) in [(0, 0), (n, 2 * shared.strips() + 1)] {
            let from = row * width(n) + K;
            // SAFETY: between iterations nobody writes.
            let row = unsafe { shared.edges.slice(from..from + n + 1) };
            row.iter().enumerate().for_each(|(j, value)| each(i, j, *value));
        }
        for s in 0..shared.strips() {
            let rows = (n - 1 - s * K).min(K);
            // SAFETY: as above.
            let cells = unsafe { shared.cells.slice(shared.at(s, 0, 0)..shared.at(s + 1, 0, 0)) };
            for (t, vector) in cells.chunks_exact(K).enumerate() {
                for (k, value) in vector[..rows].iter().enumerate() {
                    if let Some(j) = t.checked_sub(k).filter(|j| *j <= n) {
                        each(s * K + k + 1, j, *value);
                    }
                }
            }
        }
    }

    fn sweep(&mut self, most: u64, until: Option<f64>) -> Result<(u64, f64), Failure> {
        let (strips, begun) = (self.shared.strips(), self.swept);
        let mut largest = 0.0;
        self.reuse.begin();
        while self.swept - begun < most {
            let left = most - (self.swept - begun);
            let depth = if until.is_some() { 1 } else { at_once(left) };
            for front in 0..strips + depth - 1 {
                for behind in (0..depth).filter(|behind| *behind <= front) {
                    let s = front - behind;
                    if s < strips && s % self.rank.threads() == self.rank.index() {
                        let judged = until.is_some() || behind as u64 + 1 == left;
                        self.reuse.visit(s);
                        largest = larger(largest, self.strip(s, self.swept + behind as u64, judged)?);
                    }
                }
            }
            self.swept += depth as u64;
            if let Some(until) = until {
                let residual = self.rank.maximum(largest)?;
                if residual < until || self.swept - begun == most {
                    return Ok((self.swept - begun, residual));
                }
                largest = 0.0;
            }
        }
        Ok((most, self.rank.maximum(largest)?))
    }

    fn check_order(&self, sweeps: u64) -> Result<(), Failure> {
        self.reuse.check(sweeps, GROUP)
    }

    fn guard(&self) -> Option<PanicGuard> {
        Some(self.rank.guard())
    }

    fn huge_pages(&self) -> &'static str {
        self.shared.cells.huge_pages()
    }

    fn simd(&self) -> Simd {
        self.simd
    }
}

/// The vectors of one block, from the one before the first to the one after the last, and the rows beside them.
pub(crate) struct Part<'a> {
    first: usize,
    cells: &'a mut [f64],
    above: &'a [f64],
    top: &'a mut [f64],
    bottom: &'a mut [f64],
    below: &'a [f64],
}

pub(crate) struct Tables<'a> {
    n: usize,
    rows: usize,
    factors: &'a [f64; K],
    inside: &'a [f64],
    sines: &'a [f64],
}

for_each_simd! {
    /// Make the steps of a block. The largest change of a point where it is `judged`, otherwise 0.
    advance = advance_with(part: &mut Part<'_>, tables: &Tables<'_>, sine: bool, judged: bool) -> f64
}

/// Nothing is fused even where it could be: every rounding of the naive order is kept.
#[inline(always)]
fn advance_with<const FUSED: bool>(part: &mut Part<'_>, tables: &Tables<'_>, sine: bool, judged: bool) -> f64 {
    match (sine, judged) {
        (false, false) => advance_as::<false, false>(part, tables),
        (false, true) => advance_as::<false, true>(part, tables),
        (true, false) => advance_as::<true, false>(part, tables),
        (true, true) => advance_as::<true, true>(part, tables),
    }
}

#[inline(always)]
fn advance_as<const SINE: bool, const JUDGED: bool>(part: &mut Part<'_>, tables: &Tables<'_>) -> f64 {
    let steps = part.above.len();
    let step_of = |t: usize| t.clamp(part.first, part.first + steps) - part.first;
    // From diagonal K to n - 1 every lane is at an inner point, if the strip has all its rows.
    let (low, high) = if tables.rows == K { (step_of(K), step_of(tables.n)) } else { (steps, steps) };
    let high = high.max(low);
    let largest = diagonals::<SINE, JUDGED, true>(part, tables, 0..low);
    let largest = larger(largest, diagonals::<SINE, JUDGED, false>(part, tables, low..high));
    larger(largest, diagonals::<SINE, JUDGED, true>(part, tables, high..steps))
}

#[inline(always)]
fn diagonals<const SINE: bool, const JUDGED: bool, const MASKED: bool>(
    part: &mut Part<'_>,
    tables: &Tables<'_>,
    steps: Range<usize>,
) -> f64 {
    let mut largest = [0.0; K];
    let mut held = [1.0; K];
    held[tables.rows..].fill(0.0);
    let mut previous = vector(part.cells, steps.start);
    for step in steps {
        let next = vector(part.cells, step + 2);
        let (above, below) = (part.above[step], part.below[step]);
        // Column t - k is at n + K - t + k of the reversed tables.
        let column = tables.n + K - (part.first + step);
        let mut star = [0.0; K];
        for k in 0..K {
            let up = if k == 0 { above } else { previous[k - 1] };
            let down = if k == K - 1 { below } else { next[k + 1] };
            star[k] = 0.25 * (up + previous[k] + next[k] + down);
        }
        if SINE {
            let sines = &tables.sines[column..column + K];
            for k in 0..K {
                star[k] += tables.factors[k] * sines[k];
            }
        }
        if MASKED {
            let (old, inside) = (vector(part.cells, step + 1), &tables.inside[column..column + K]);
            for k in 0..K {
                star[k] = if inside[k] * held[k] == 0.0 { old[k] } else { star[k] };
            }
        }
        if JUDGED {
            let old = vector(part.cells, step + 1);
            for k in 0..K {
                largest[k] = larger(largest[k], (old[k] - star[k]).abs());
            }
        }
        part.cells[(step + 1) * K..(step + 2) * K].copy_from_slice(&star);
        part.top[step] = star[0];
        part.bottom[step] = star[K - 1];
        previous = star;
    }
    largest.iter().fold(0.0, |all, one| larger(all, *one))
}

#[inline(always)]
fn vector(cells: &[f64], at: usize) -> [f64; K] {
    let mut vector = [0.0; K];
    vector.copy_from_slice(&cells[at * K..(at + 1) * K]);
    vector
}
