//! One thread's part in the blocked elimination.

#![allow(unsafe_code)] // one matrix shared by threads

use super::blocked::Blocked;
use super::classic::touch;
use super::groups;
use super::panel::Workspace;
use super::reference_times::{Part, ReferenceTimes, TARGET_NS};
use super::system::Scale;
use super::watch::{self, Limit, Parts, Watch};
use std::sync::Arc;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, reading_cost_ns, CheckValue, Extras, Stretch, Worker};

/// Readings of the clock in an iteration: at its begin, after factoring and after solving.
const READINGS: u64 = 3;

pub(super) struct BlockedWorker {
    shared: Arc<Blocked>,
    /// All threads factor the systems; the first one also makes, solves and checks them.
    rank: usize,
    copies: usize,
    /// Copies that the iteration works on.
    used: usize,
    /// Operations that the iteration counted.
    pub(super) counted: u64,
    /// Which iteration this is: systems differ from one to the next.
    turn: u64,
    /// Pivots of the systems that are factored before they are solved, of the first thread.
    pivots: Vec<usize>,
    /// Cost of a reading of the clock.
    reading_ns: u64,
    parts: Parts,
    huge_pages: Option<&'static str>,
    workspace: Workspace,
    limit: Limit,
    watch: Watch,
    /// Whether the first thread has a reference clock.
    has_reference_clock: bool,
    reference_times: Option<ReferenceTimes>,
    in_window: bool,
    worst: f64,
}

impl BlockedWorker {
    pub(super) fn new(shared: Arc<Blocked>, rank: usize, copies: usize, limit: Limit) -> Self {
        let (workspace, watch) = (shared.workspace(), Watch::default());
        let (has_reference_clock, reference_times, in_window) = (false, None, false);
        let solves = if rank == 0 { watch::tail(shared.system, copies) } else { 0 };
        let pivots = vec![0; solves * shared.system.n];
        let (reading_ns, huge_pages) = (reading_cost_ns(), None);
        let (turn, used, counted, worst) = (0, 0, 0, 0.0);
        BlockedWorker {
            shared,
            rank,
            copies,
            used,
            counted,
            turn,
            pivots,
            reading_ns,
            parts: Parts::of(1),
            huge_pages,
            workspace,
            limit,
            watch,
            has_reference_clock,
            reference_times,
            in_window,
            worst,
        }
    }

    /// With a reference clock, which the first thread reads.
    #[must_use]
    pub(super) fn with_reference_clock(mut self, reference_times: Option<ReferenceTimes>) -> Self {
        self.has_reference_clock = true;
        self.reference_times = reference_times;
        self
    }

    /// The first `count` systems, between iterations.
    #[cfg(test)]
    pub(super) fn systems(&mut self, count: usize) -> &mut [f64] {
        // SAFETY: as in `verify`.
        unsafe { self.shared.copies(count) }
    }

    /// All systems of the iteration. The first thread solves each as soon as it is factored, but the last `tail` after
    /// all are factored; it says when that was, where there are any.
    fn solve_all(&mut self, tail: usize) -> Result<Option<u64>, Failure> {
        let BlockedWorker { shared, rank, used, workspace, pivots: kept, .. } = self;
        let n = shared.system.n;
        let solved_at_once = *used - tail;
        let mut kept = kept.chunks_exact_mut(n);
        for index in 0..*used {
            shared.factor(index, *rank, workspace)?;
            if *rank == 0 {
                // SAFETY: the matrix is factored, and nobody writes pivots before this thread factors the next one.
                let pivots = unsafe { shared.pivots() };
                match index.checked_sub(solved_at_once).and_then(|_| kept.next()) {
                    Some(kept) => kept.copy_from_slice(pivots),
                    None => solve(shared, index, pivots),
                }
            }
        }
        if *rank != 0 || tail == 0 {
            return Ok(None);
        }
        let factored_ns = now_ns();
        for (index, pivots) in (solved_at_once..*used).zip(self.pivots.chunks_exact(n)) {
            solve(shared, index, pivots);
        }
        Ok(Some(factored_ns))
    }

    /// One more system, with readings of the reference clock around its parts. All threads call it at the same time.
    fn solve_timed_by_reference(&mut self) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let system = shared.system;
        let Some(reference_times) = &mut self.reference_times else {
            return shared.factor(0, self.rank, &mut self.workspace);
        };
        // SAFETY: the other threads wait until this one has begun to factor.
        let copy = unsafe { shared.copy(0) };
        self.turn += 1;
        reference_times.around(Part::Generate, || system.generate(copy, Scale::of(self.turn, 0)));
        let workspace = &mut self.workspace;
        reference_times.around(Part::Factor, || shared.factor(0, 0, workspace))?;
        // SAFETY: as in `solve_all`.
        let (copy, pivots) = unsafe { (shared.copy(0), shared.pivots()) };
        let (matrix, right) = system.parts(copy);
        reference_times
            .around(Part::Solve, || groups::solve(shared.simd, matrix, system.ld, shared.width(), pivots, right));
        reference_times.sound()?;
        // SAFETY: as in `verify`.
        self.worst = self.worst.max(system.verify(unsafe { shared.copies(1) }, self.turn)?);
        Ok(())
    }
}

impl Worker for BlockedWorker {
    /// As in `classic`: a long solution is not made twice.
    fn calibrated(&self) -> bool {
        !self.shared.is_long()
    }

    fn most_repeats(&self) -> u64 {
        self.copies as u64
    }

    fn target_ns(&self) -> u64 {
        let clock = watch::target_ns(READINGS, self.reading_ns);
        self.reference_times.as_ref().map_or(clock, |_| TARGET_NS.max(clock))
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let _guard = shared.guard();
        self.limit.begin();
        self.used = usize::try_from(repeats).unwrap_or(usize::MAX).min(self.copies);
        if self.rank == 0 {
            self.turn += 1;
            // SAFETY: only the first thread uses the systems before the iteration begins.
            let copies = unsafe { shared.copies(self.used) };
            self.watch.generate(self.used, || shared.system.generate_all(copies, self.turn));
        }
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let shared = self.shared.clone();
        let _guard = shared.guard();
        // The work of all is counted once.
        let systems = if self.rank == 0 { self.used as u64 } else { 0 };
        let opened = self.reference_times.as_mut().and_then(ReferenceTimes::open);
        let tail = if self.parts.next() { watch::tail(shared.system, self.used) } else { 0 };
        let start_ns = now_ns();
        let factored_ns = self.solve_all(tail)?;
        let end_ns = now_ns();
        self.parts.took(end_ns.saturating_sub(start_ns), READINGS, self.reading_ns);
        self.watch.whole(self.used, start_ns, end_ns);
        if let Some(factored_ns) = factored_ns {
            self.watch.solve(tail, factored_ns, end_ns, self.reading_ns);
        }
        let stretch = Stretch { start_ns, end_ns, work: shared.system.operations() * systems };
        self.counted = stretch.work;
        if let Some(reference_times) = &mut self.reference_times {
            reference_times.close(opened, &stretch);
        }
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let shared = self.shared.clone();
        let _guard = shared.guard();
        self.limit.count();
        let mut verified = Ok(0.0);
        // SAFETY: the iteration is over, and only the first thread uses the systems until the next.
        let copies = if self.rank == 0 { unsafe { shared.copies(self.used) } } else { &mut [] };
        let counted = shared.system.check_count(self.counted, copies);
        if self.rank == 0 {
            verified = shared.system.verify(copies, self.turn);
        }
        // Whatever was found: the other threads count on the first one.
        let solved = if self.has_reference_clock && self.in_window { self.solve_timed_by_reference() } else { Ok(()) };
        self.worst = self.worst.max(verified?);
        counted?;
        solved?;
        Ok(CheckValue::Residual(self.worst))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.limit.reset_after_calibration();
        self.watch = Watch::default();
        self.parts.reset_after_calibration();
        self.in_window = true;
        if self.rank == 0 {
            if self.used == 0 {
                // SAFETY: as in `setup`.
                touch(unsafe { self.shared.copy(0) });
            }
            self.huge_pages = Some(self.shared.huge_pages());
        }
        self.reference_times.as_mut().map_or(Ok(()), ReferenceTimes::reset_after_calibration)
    }

    fn complete(&self) -> Option<bool> {
        self.limit.complete()
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = self.shared.system.conditions(self.shared.simd, self.huge_pages.unwrap_or("unknown"));
        if self.rank != 0 {
            // The first thread says it for all.
            conditions.remove("huge_pages");
        }
        conditions
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Residual(self.worst))
    }

    fn extras(&mut self) -> Extras {
        match &self.reference_times {
            _ if self.rank != 0 => Extras::default(),
            Some(reference_times) => reference_times.extras(self.watch.extras()),
            None => self.watch.extras(),
        }
    }
}

/// Solve a factored system, on the first thread.
fn solve(shared: &Blocked, index: usize, pivots: &[usize]) {
    let system = shared.system;
    // SAFETY: the matrix is factored, and the other threads are done with it.
    let (matrix, right) = system.parts(unsafe { shared.copy(index) });
    groups::solve(shared.simd, matrix, system.ld, shared.width(), pivots, right);
}
