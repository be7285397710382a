//! Blocked elimination to the right: a panel of columns is factored, the rest of the matrix is updated with it, and
//! while that goes on, the next panel is factored as soon as it is up to date (J. J. Dongarra, P. Luszczek, A. Petitet:
//! The LINPACK benchmark: past, present and future, Concurrency Computat. Pract. Exper. 15 (2003) 803-820).

#![allow(unsafe_code)] // one matrix shared by threads, each with columns of its own

use super::packed::{pack, packed_length, update, Factors};
use super::panel::{factor, Workspace};
use super::system::{singular, System};
use crate::buffer::Buffer;
use crate::shared_array::SharedArray;
use crate::simd::Simd;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use virtometer_protocol::Failure;
use virtometer_sampling::{Barrier, PanicGuard};

/// What the threads of one elimination share.
pub(super) struct Blocked {
    pub(super) simd: Simd,
    pub(super) system: System,
    barrier: Arc<Barrier>,
    /// Copies of the system, one after the other.
    copies: SharedArray<f64>,
    pivots: SharedArray<usize>,
    /// The packed panel that is being used and the one that is being made.
    packed: SharedArray<f64>,
    /// For each panel, the next block of columns to be updated with it.
    next: Vec<AtomicUsize>,
    /// The panel in which a pivot is zero, or `REGULAR`.
    singular: AtomicUsize,
    threads: usize,
    /// Columns of a panel, and of a block that is updated at a time.
    width: usize,
}

impl Blocked {
    /// Map the memory for `copies` copies of `system`.
    pub(super) fn new(simd: Simd, system: System, copies: usize, threads: usize) -> Result<Self, Failure> {
        let width = panel_width(system.n);
        let panels = system.n.div_ceil(width);
        let buffer = Buffer::aligned(copies * system.length() * 8, true)?;
        let mut packed = Buffer::aligned(2 * packed_length(simd, system.n, width) * 8, true)?;
        // The matrix is touched by making it, this only by the work.
        packed.doubles_mut().fill(0.0);
        Ok(Blocked {
            simd,
            system,
            barrier: Barrier::new(threads),
            copies: SharedArray::over(buffer),
            pivots: SharedArray::zeroed(system.n, false)?,
            packed: SharedArray::over(packed),
            next: (0..panels).map(|_| AtomicUsize::new(0)).collect(),
            singular: AtomicUsize::new(REGULAR),
            threads,
            width,
        })
    }

    /// Bytes that [`Blocked::new`] and the rooms of all threads take.
    pub(super) fn bytes(system: System, copies: usize, threads: usize) -> u64 {
        let (n, ld, width) = (system.n as u64, system.ld as u64, panel_width(system.n) as u64);
        let workspace = (2 * BLOCK as u64 + ld / 2) * width + 8 * ld;
        8 * (copies as u64 * ld * (n + 1) + 2 * (n + 32) * width + threads as u64 * workspace)
    }

    /// Room for one thread's work.
    pub(super) fn workspace(&self) -> Workspace {
        Workspace::new(self.simd, self.system.ld, self.width, BLOCK)
    }

    /// Whether one solution is a sample for certain.
    pub(super) fn is_long(&self) -> bool {
        self.system.is_long(1, self.threads)
    }

    /// Columns over which exchanges reach.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Whether the copies that were touched are on huge pages, in a word.
    pub(super) fn huge_pages(&self) -> &'static str {
        self.copies.huge_pages()
    }

    /// While the guard lives, a panic of this thread releases the threads that wait for it.
    pub(super) fn guard(&self) -> PanicGuard {
        self.barrier.guard()
    }

    /// Copy `index` of the system.
    ///
    /// # Safety
    ///
    /// As for [`SharedArray::slice_mut`].
    #[allow(clippy::mut_from_ref)] // as for SharedArray::slice_mut
    pub(super) unsafe fn copy(&self, index: usize) -> &mut [f64] {
        let length = self.system.length();
        self.copies.slice_mut(index * length..(index + 1) * length)
    }

    /// The first `count` copies of the system.
    ///
    /// # Safety
    ///
    /// As for [`SharedArray::slice_mut`].
    #[allow(clippy::mut_from_ref)] // as for SharedArray::slice_mut
    pub(super) unsafe fn copies(&self, count: usize) -> &mut [f64] {
        self.copies.slice_mut(0..count * self.system.length())
    }

    /// The pivots of the matrix that was factored last.
    ///
    /// # Safety
    ///
    /// As for [`SharedArray::slice`].
    pub(super) unsafe fn pivots(&self) -> &[usize] {
        self.pivots.slice(0..self.system.n)
    }

    /// One thread's part in factoring copy `index`. All threads call it at the same time. `check-failed` where a pivot
    /// is zero, `internal` where another thread has panicked.
    pub(super) fn factor(&self, index: usize, rank: usize, workspace: &mut Workspace) -> Result<(), Failure> {
        #[cfg(test)]
        FACTORED.with(|calls| calls.set(calls.get() + 1));
        if rank == 0 {
            self.next.iter().for_each(|next| next.store(0, Ordering::Relaxed));
            self.singular.store(REGULAR, Ordering::Relaxed);
            self.factor_panel(index, 0, workspace);
        }
        for step in 0..self.next.len() {
            self.barrier.wait()?;
            // Some threads may already know that the next panel is singular; all end at the same barrier.
            if self.singular.load(Ordering::Relaxed) == step {
                return Err(singular());
            }
            self.update_with(index, step, workspace);
        }
        Ok(())
    }

    /// Update what lies to the right of panel `step`, block by block with the other threads.
    fn update_with(&self, index: usize, step: usize, workspace: &mut Workspace) {
        let n = self.system.n;
        let panel = self.panel(step);
        let following = self.panel(step + 1);
        if following.is_empty() {
            // The first thread goes on to the next copy without waiting: nothing of this one may be borrowed here.
            return;
        }
        let rest = n - following.end;
        // Enough blocks for all threads, so that none waits long for the last.
        // Whole tiles, whose columns divide 24.
        let block = (rest / (3 * self.threads) / 24 * 24).clamp(48, BLOCK);
        let blocks = rest.div_ceil(block);
        let packed = packed_length(self.simd, n - panel.start, self.width);
        // SAFETY: nobody writes this panel's pivots or packed factors before the next barrier.
        let (pivots, packed) =
            unsafe { (self.pivots.slice(panel.clone()), &self.packed.slice(self.half(step))[..packed]) };
        let factors = Factors { packed, pivots, top: panel.start, n };
        loop {
            let task = self.next[step].fetch_add(1, Ordering::Relaxed);
            if task > blocks {
                return;
            }
            if task == 0 {
                self.update_columns(index, following.clone(), factors, workspace);
                self.factor_panel(index, step + 1, workspace);
                continue;
            }
            let start = following.end + (task - 1) * block;
            self.update_columns(index, start..n.min(start + block), factors, workspace);
        }
    }

    fn update_columns(&self, index: usize, columns: Range<usize>, factors: Factors<'_>, workspace: &mut Workspace) {
        // SAFETY: each task has columns of its own, and each task is done by one thread.
        let columns = unsafe { self.columns(index, columns) };
        update(self.simd, factors, columns, self.system.ld, &mut workspace.scratch);
    }

    /// Factor a panel that is up to date, and pack it unless it is the last.
    fn factor_panel(&self, index: usize, step: usize, workspace: &mut Workspace) {
        let (n, ld, range) = (self.system.n, self.system.ld, self.panel(step));
        // SAFETY: one thread factors the panel, and nobody else uses it, its pivots and this half of the packed factors
        // before the next barrier.
        let (panel, pivots, packed) = unsafe {
            (
                self.columns(index, range.clone()),
                self.pivots.slice_mut(range.clone()),
                self.packed.slice_mut(self.half(step)),
            )
        };
        if !factor(self.simd, panel, ld, range.start, n, pivots, workspace) {
            self.singular.store(step, Ordering::Relaxed);
        } else if range.end < n {
            pack(self.simd, panel, ld, range.start, n, packed);
        }
    }

    fn panel(&self, step: usize) -> Range<usize> {
        let n = self.system.n;
        n.min(step * self.width)..n.min((step + 1) * self.width)
    }

    fn half(&self, step: usize) -> Range<usize> {
        let length = packed_length(self.simd, self.system.n, self.width);
        let start = step % 2 * length;
        start..start + length
    }

    /// Columns of copy `index`.
    ///
    /// # Safety
    ///
    /// As for [`SharedArray::slice_mut`].
    #[allow(clippy::mut_from_ref)] // as for SharedArray::slice_mut
    unsafe fn columns(&self, index: usize, range: Range<usize>) -> &mut [f64] {
        let start = index * self.system.length();
        self.copies.slice_mut(start + range.start * self.system.ld..start + range.end * self.system.ld)
    }
}

/// No panel is singular.
const REGULAR: usize = usize::MAX;

#[cfg(test)]
thread_local! {
    /// Blocked factorizations that this thread has taken part in: results do not tell how they were made.
    pub(super) static FACTORED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Most columns that are updated at a time: their packed rows stay in the caches.
const BLOCK: usize = 96;

/// Columns of a panel: a multiple of eight. Wide ones need less memory bandwidth, narrow ones less work outside the
/// tiles.
fn panel_width(n: usize) -> usize {
    match n {
        0..=767 => 48,
        768..=1535 => 96,
        _ => 128,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::linpack::system::{Generator, Scale};

    #[test]
    fn panels_are_wide_enough_to_use_what_was_loaded_again() {
        assert_eq!([1, 500, 1000, 3000].map(panel_width), [48, 48, 96, 128]);
    }

    /// One thread that takes no work but the first panel, which is the first thread's.
    #[test]
    fn a_thread_does_whatever_the_others_leave() {
        let system = System::spaced(200, Generator::Bits48);
        let solved = |threads: usize| {
            let shared = Blocked::new(Simd::detect(), system, 1, threads).unwrap();
            // SAFETY: there is no other thread yet.
            system.generate(unsafe { shared.copy(0) }, Scale::ONE);
            if threads == 1 {
                shared.factor(0, 0, &mut shared.workspace()).unwrap();
            } else {
                std::thread::scope(|scope| {
                    shared.factor_panel(0, 0, &mut shared.workspace());
                    let second = scope.spawn(|| shared.factor(0, 1, &mut shared.workspace()));
                    shared.next.iter().for_each(|_| shared.barrier.wait().unwrap());
                    second.join().unwrap().unwrap();
                });
            }
            // SAFETY: there is no other thread any more.
            unsafe { shared.copy(0) }.to_vec()
        };
        assert!(solved(2) == solved(1));
    }
}
