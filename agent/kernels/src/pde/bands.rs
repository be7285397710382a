//! Jacobi, several sweeps at once: row i of one sweep is followed by row i - 1 of the next, for which everything is
//! there by then, so that memory is read once for all of them. Each point is computed by the same operations on the
//! same numbers as in the naive order, and hence to the same bits.
//!
//! With several threads each has a band of rows. First all work inside their bands, one row less at each inner side
//! with every further sweep; then each makes up for what is missing around its upper side (trapezoidal tiling: M.
//! Frigo, V. Strumpen, "Cache oblivious stencil computations", ICS 2005).

#![allow(unsafe_code)] // parts of shared memory; functions compiled for instructions that are detected

use super::grid::Grid;
use super::method::{at_once, larger, GROUP};
use super::problem::Problem;
use super::ranks::{Rank, Ranks};
use super::reuse::Reuse;
use crate::shared_array::SharedArray;
use crate::simd::{for_each_simd, Simd};
use std::ops::Range;
use std::sync::Arc;
use virtometer_protocol::Failure;
use virtometer_sampling::PanicGuard;

/// What the threads share.
pub(super) struct Shared {
    problem: Arc<Problem>,
    ranks: Arc<Ranks>,
    /// Two matrices by rows, in turns the one that is read and the one that is written.
    planes: [SharedArray<f64>; 2],
}

impl Shared {
    pub(super) fn new(problem: Arc<Problem>, threads: usize) -> Result<Self, Failure> {
        let points = (problem.intervals + 1) * stride(problem.intervals);
        Ok(Shared {
            ranks: Ranks::new(threads),
            planes: [SharedArray::zeroed(points, true)?, SharedArray::zeroed(points, true)?],
            problem,
        })
    }
}

/// Numbers before column 0 of a row, so that the inner points of all rows begin at a cache line.
const LEAD: usize = 7;

/// Numbers from one row to the next, a multiple of a cache line.
fn stride(n: usize) -> usize {
    (LEAD + n + 8) / 8 * 8
}

/// One thread's share.
pub(super) struct Bands {
    shared: Arc<Shared>,
    rank: Rank,
    simd: Simd,
    /// Sweeps made since the beginning: the matrix to read is the first after an even number.
    swept: u64,
    reuse: Reuse,
}

/// One of several sweeps that are made at once.
#[derive(Clone, Copy)]
struct Sweep {
    number: u64,
    judged: bool,
}

impl Bands {
    pub(super) fn new(shared: Arc<Shared>, index: usize, simd: Simd) -> Self {
        let rank = Rank::new(shared.ranks.clone(), index);
        let reuse = Reuse::of(shared.problem.intervals);
        Bands { shared, rank, simd, swept: 0, reuse }
    }

    /// Inner rows of a thread.
    fn band(&self, index: usize) -> Range<usize> {
        let (inner, threads) = (self.shared.problem.intervals - 1, self.rank.threads());
        1 + inner * index / threads..1 + inner * (index + 1) / threads
    }

    /// Most sweeps at once: the parts around two sides of a band must not meet.
    fn deepest(&self) -> usize {
        match self.rank.threads() {
            1 => GROUP,
            threads => ((self.shared.problem.intervals - 1) / threads / 2).clamp(1, GROUP),
        }
    }

    /// Make `sweeps` one after the other, closely. The largest change in those that are judged.
    fn group(&mut self, sweeps: &[Sweep]) -> Result<f64, Failure> {
        let (index, threads) = (self.rank.index(), self.rank.threads());
        let band = self.band(index);
        let mut largest = 0.0;
        for front in band.start..band.end + sweeps.len() - 1 {
            for (behind, sweep) in sweeps.iter().enumerate() {
                let first = band.start + if index == 0 { 0 } else { behind };
                let end = if index + 1 == threads { band.end } else { band.end.saturating_sub(behind) };
                if front >= behind && (first..end).contains(&(front - behind)) {
                    self.reuse.visit(front - behind);
                    largest = larger(largest, self.row(front - behind, *sweep));
                }
            }
        }
        self.rank.wait()?;
        if threads > 1 && sweeps.len() > 1 {
            if index > 0 {
                for (distance, sweep) in sweeps.iter().enumerate().skip(1) {
                    for i in band.start - distance..band.start + distance {
                        largest = larger(largest, self.row(i, *sweep));
                    }
                }
            }
            self.rank.wait()?;
        }
        Ok(largest)
    }

    fn row(&self, i: usize, sweep: Sweep) -> f64 {
        let problem = &*self.shared.problem;
        let (n, stride) = (problem.intervals, stride(problem.intervals));
        let even = sweep.number.is_multiple_of(2);
        let (from, to) = if even { (0, 1) } else { (1, 0) };
        let first = i * stride + LEAD + 1;
        // SAFETY: within a phase between two barriers each row of a sweep is one thread's, and the rows that it is
        // computed from are those of the sweep before: nobody writes them before the next barrier, because other
        // threads' rows keep a distance that grows with the sweeps.
        let (rows, target) = unsafe {
            let rows = self.shared.planes[from].slice((i - 1) * stride..(i + 2) * stride);
            (rows, self.shared.planes[to].slice_mut(first..first + n - 1))
        };
        let disturbance = problem.sine.then(|| (problem.factors[i], &problem.sines[1..n]));
        relax(self.simd, rows, target, disturbance, sweep.judged)
    }
}

impl Grid for Bands {
    fn put(&mut self, i: usize, j: usize, value: f64) {
        let at = i * stride(self.shared.problem.intervals) + LEAD + j;
        for plane in &self.shared.planes {
            // SAFETY: between iterations only the thread that owns the point writes, and nobody reads.
            let point = unsafe { plane.slice_mut(at..at + 1) };
            point[0] = value;
        }
    }

    fn fill(&mut self, value: impl Fn(usize, usize) -> f64) {
        let n = self.shared.problem.intervals;
        let (index, band) = (self.rank.index(), self.band(self.rank.index()));
        let first = if index == 0 { 0 } else { band.start };
        let last = if index + 1 == self.rank.threads() { n } else { band.end - 1 };
        for i in first..=last {
            for j in 0..=n {
                self.put(i, j, value(i, j));
            }
        }
    }

    fn visit(&self, mut each: impl FnMut(usize, usize, f64)) {
        let (side, stride) = (self.shared.problem.intervals + 1, stride(self.shared.problem.intervals));
        let plane = &self.shared.planes[usize::from(self.swept % 2 == 1)];
        for i in 0..side {
            // SAFETY: between iterations nobody writes.
            let row = unsafe { plane.slice(i * stride + LEAD..i * stride + LEAD + side) };
            row.iter().enumerate().for_each(|(j, value)| each(i, j, *value));
        }
    }

    fn sweep(&mut self, most: u64, until: Option<f64>) -> Result<(u64, f64), Failure> {
        let mut made = 0;
        self.reuse.begin();
        loop {
            let depth = if until.is_some() { 1 } else { at_once(most - made).min(self.deepest()) };
            let mut sweeps = [Sweep { number: 0, judged: false }; GROUP];
            for (sweep, number) in sweeps.iter_mut().zip(made..) {
                *sweep = Sweep { number: self.swept + number - made, judged: until.is_some() || number + 1 == most };
            }
            let largest = self.group(&sweeps[..depth])?;
            made += depth as u64;
            self.swept += depth as u64;
            if until.is_none() && made < most {
                continue;
            }
            let residual = self.rank.maximum(largest)?;
            if made == most || until.is_some_and(|until| residual < until) {
                return Ok((made, residual));
            }
        }
    }

    fn check_order(&self, sweeps: u64) -> Result<(), Failure> {
        self.reuse.check(sweeps, self.deepest())
    }

    fn guard(&self) -> Option<PanicGuard> {
        Some(self.rank.guard())
    }

    fn huge_pages(&self) -> &'static str {
        self.shared.planes[0].huge_pages()
    }

    fn simd(&self) -> Simd {
        self.simd
    }
}

for_each_simd! {
    /// The inner points `target` of a row from `rows`, the whole rows above, at and below it; `disturbance` is the
    /// row's factor and the sines of the columns. The largest change where it is `judged`, otherwise 0.
    relax = relax_with(rows: &[f64], target: &mut [f64], disturbance: Option<(f64, &[f64])>, judged: bool) -> f64
}

/// Nothing is fused even where it could be: every rounding of the naive order is kept.
#[inline(always)]
fn relax_with<const FUSED: bool>(
    rows: &[f64],
    target: &mut [f64],
    disturbance: Option<(f64, &[f64])>,
    judged: bool,
) -> f64 {
    let (inner, stride) = (target.len(), rows.len() / 3);
    let (above, row, below) = (&rows[LEAD..stride], &rows[stride + LEAD..2 * stride], &rows[2 * stride + LEAD..]);
    let (left, old, right) = (&row[..inner], &row[1..][..inner], &row[2..][..inner]);
    let (above, below) = (&above[1..][..inner], &below[1..][..inner]);
    match disturbance {
        None => {
            for j in 0..inner {
                target[j] = 0.25 * (above[j] + left[j] + right[j] + below[j]);
            }
        }
        Some((factor, sines)) => {
            let sines = &sines[..inner];
            for j in 0..inner {
                target[j] = 0.25 * (above[j] + left[j] + right[j] + below[j]) + factor * sines[j];
            }
        }
    }
    // Also the maximum over lanes takes time: of short rows as much as the row itself.
    if !judged {
        return 0.0;
    }
    let mut largest = [0.0; LANES];
    let (mut new, mut old) = (target.chunks_exact(LANES), old.chunks_exact(LANES));
    for (new, old) in new.by_ref().zip(old.by_ref()) {
        for lane in 0..LANES {
            largest[lane] = larger(largest[lane], (old[lane] - new[lane]).abs());
        }
    }
    for (new, old) in new.remainder().iter().zip(old.remainder()) {
        largest[0] = larger(largest[0], (old - new).abs());
    }
    largest.iter().fold(0.0, |all, one| larger(all, *one))
}

/// Maxima that are taken side by side, so that they can be taken by vectors.
const LANES: usize = 16;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pde::problem::Start;
    use crate::pde::tests::panic_with;

    #[test]
    fn bands_are_alike_and_a_thread_sweeps_its_own_and_no_other() {
        for (n, threads) in [(65, 2), (65, 1), (70, 3), (40, 4)] {
            let problem = Arc::new(Problem::new(n, false, Start::Noise));
            let shared = Arc::new(Shared::new(problem.clone(), threads).unwrap());
            let mut swept = 0;
            for index in 0..threads {
                let mut own = Bands::new(shared.clone(), index, Simd::compiled());
                own.fill(|i, j| problem.first(i, j));
                // Nobody waits for the others.
                own.guard().into_iter().for_each(panic_with);
                let _ = own.sweep(1, None);
                let changed = |i: &usize| {
                    let row = i * stride(n)..(i + 1) * stride(n);
                    // SAFETY: there is no other thread.
                    unsafe { shared.planes[0].slice(row.clone()) != shared.planes[1].slice(row) }
                };
                let rows: Vec<usize> = (0..=n).filter(changed).collect();
                let before = swept;
                swept = (n - 1) * (index + 1) / threads;
                assert_eq!(
                    rows,
                    (before + 1..=swept).collect::<Vec<_>>(),
                    "thread {index} of {threads}, {n} intervals"
                );
                // For the next thread they are as they were.
                Bands::new(shared.clone(), index, Simd::compiled()).fill(|i, j| problem.first(i, j));
            }
        }
    }
}
