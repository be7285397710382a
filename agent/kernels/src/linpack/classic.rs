//! A system a thread, solved by columns.

use super::reference_times::{Part, ReferenceTimes, TARGET_NS};
use super::system::{singular, Scale, System};
use super::watch::{self, Limit, Parts, Watch};
use super::{columns, groups};
use crate::buffer::Buffer;
use crate::simd::Simd;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, reading_cost_ns, CheckValue, Extras, Merge, Stretch, Worker};

/// In which order the columns are worked on, and by which loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// By groups of four columns, each of which gets all that the columns left of it have to give. No published
    /// LINPACK.
    LeftLooking,
    /// As published, with rolled loops.
    Rolled,
    /// As published, with unrolled loops.
    Unrolled,
}

impl Variant {
    /// Factor the matrix. False where a pivot is zero.
    pub(super) fn factor(self, simd: Simd, matrix: &mut [f64], ld: usize, pivots: &mut [usize]) -> bool {
        match self {
            Variant::LeftLooking => groups::factor(simd, matrix, ld, 0, pivots.len(), pivots),
            Variant::Rolled => columns::factor_rolled(simd, matrix, ld, pivots),
            Variant::Unrolled => columns::factor_unrolled(simd, matrix, ld, pivots),
        }
    }

    /// Solve with the factors.
    pub(super) fn solve(self, simd: Simd, matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64]) {
        match self {
            Variant::LeftLooking => groups::solve(simd, matrix, ld, groups::GROUP, pivots, right),
            Variant::Rolled => columns::solve_rolled(simd, matrix, ld, pivots, right),
            Variant::Unrolled => columns::solve_unrolled(simd, matrix, ld, pivots, right),
        }
    }
}

pub(super) struct Classic {
    simd: Simd,
    system: System,
    /// A repeat is a system for each of these.
    variants: &'static [Variant],
    /// Copies of the system, one after the other: those of the first variant, then those of the next.
    copies: usize,
    pub(super) work: Buffer,
    /// Of as many systems as are factored before they are solved.
    pivots: Vec<usize>,
    /// Which iteration this is: systems differ from one to the next.
    turn: u64,
    /// Copies that the iteration works on.
    used: usize,
    /// Operations that the iteration counted.
    pub(super) counted: u64,
    /// Cost of a reading of the clock.
    reading_ns: u64,
    parts: Parts,
    huge_pages: &'static str,
    limit: Limit,
    /// One for each of the variants.
    watches: Vec<Watch>,
    reference_times: Option<ReferenceTimes>,
    worst: f64,
}

impl Classic {
    /// Map the memory for `copies` copies of `system`, at least one for each variant.
    pub(super) fn new(
        simd: Simd,
        system: System,
        variants: &'static [Variant],
        copies: usize,
        limit: Limit,
        reference_times: Option<ReferenceTimes>,
    ) -> Result<Self, Failure> {
        let work = Buffer::aligned(copies * system.length() * 8, true)?;
        let pivots = vec![0; system.n * watch::tail(system, copies / variants.len())];
        let watches = vec![Watch::default(); variants.len()];
        let (reading_ns, huge_pages) = (reading_cost_ns(), "unknown");
        let (turn, used, counted, worst) = (0, 0, 0, 0.0);
        Ok(Classic {
            simd,
            system,
            variants,
            copies,
            work,
            pivots,
            turn,
            used,
            counted,
            reading_ns,
            parts: Parts::of(variants.len()),
            huge_pages,
            limit,
            watches,
            reference_times,
            worst,
        })
    }

    /// One more system for each variant, with readings of the reference clock around its parts, and its residual.
    fn solve_timed_by_reference(&mut self) -> Result<f64, Failure> {
        let (simd, system, pivots) = (self.simd, self.system, &mut self.pivots[..self.system.n]);
        let used = self.variants.len() * system.length();
        if let Some(reference_times) =
            self.reference_times.as_mut().filter(|reference_times| reference_times.in_window())
        {
            self.turn += 1;
            let copies = self.work.doubles_mut().chunks_exact_mut(system.length());
            for (index, (copy, variant)) in copies.zip(self.variants).enumerate() {
                reference_times.around(Part::Generate, || system.generate(copy, Scale::of(self.turn, index)));
                let (matrix, right) = system.parts(copy);
                if !reference_times.around(Part::Factor, || variant.factor(simd, matrix, system.ld, pivots)) {
                    return Err(singular());
                }
                reference_times.around(Part::Solve, || variant.solve(simd, matrix, system.ld, pivots, right));
            }
            reference_times.sound()?;
            return system.verify(&mut self.work.doubles_mut()[..used], self.turn);
        }
        Ok(0.0)
    }
}

impl Classic {
    /// Readings of the clock in an iteration: at its begin, and for each variant after factoring and after solving.
    fn most_readings(&self) -> u64 {
        1 + 2 * self.variants.len() as u64
    }
}

impl Worker for Classic {
    /// A long solution would be as long again only to tell its length. Its pages are touched by making the system.
    fn calibrated(&self) -> bool {
        !self.system.is_long(self.variants.len(), 1)
    }

    fn most_repeats(&self) -> u64 {
        (self.copies / self.variants.len()) as u64
    }

    fn target_ns(&self) -> u64 {
        let clock = watch::target_ns(self.most_readings(), self.reading_ns);
        self.reference_times.as_ref().map_or(clock, |_| TARGET_NS.max(clock))
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.limit.begin();
        self.turn += 1;
        self.used = usize::try_from(repeats).unwrap_or(usize::MAX).saturating_mul(self.variants.len()).min(self.copies);
        let copies = &mut self.work.doubles_mut()[..self.used * self.system.length()];
        self.watches[0].generate(self.used, || self.system.generate_all(copies, self.turn));
        Ok(())
    }

    /// The systems of each variant are solved one after the other, but the last ones first factored and then solved,
    /// which tells how long solving takes. The clock is read once at the begin and up to twice for each variant.
    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let (simd, system, pivots) = (self.simd, self.system, &mut self.pivots);
        let (n, ld, length) = (system.n, system.ld, system.length());
        let each = self.used / self.variants.len();
        let tail = if self.parts.next() { watch::tail(system, each) } else { 0 };
        let copies = self.work.doubles_mut()[..self.used * length].chunks_exact_mut(each * length);
        let factor = |variant: Variant, copy: &mut [f64], pivots: &mut [usize]| {
            let regular = variant.factor(simd, system.parts(copy).0, ld, pivots);
            regular.then_some(()).ok_or_else(singular)
        };
        let solve = |variant: Variant, copy: &mut [f64], pivots: &[usize]| {
            let (matrix, right) = system.parts(copy);
            variant.solve(simd, matrix, ld, pivots, right);
        };
        let opened = self.reference_times.as_mut().and_then(ReferenceTimes::open);
        let start_ns = now_ns();
        let mut end_ns = start_ns;
        for ((copies, variant), watch) in copies.zip(self.variants).zip(&mut self.watches) {
            let begun_ns = end_ns;
            let (first, last) = copies.split_at_mut((each - tail) * length);
            for copy in first.chunks_exact_mut(length) {
                factor(*variant, copy, &mut pivots[..n])?;
                solve(*variant, copy, &pivots[..n]);
            }
            for (copy, pivots) in last.chunks_exact_mut(length).zip(pivots.chunks_exact_mut(n)) {
                factor(*variant, copy, pivots)?;
            }
            let factored_ns = if tail > 0 { now_ns() } else { 0 };
            for (copy, pivots) in last.chunks_exact_mut(length).zip(pivots.chunks_exact(n)) {
                solve(*variant, copy, pivots);
            }
            end_ns = now_ns();
            watch.whole(each, begun_ns, end_ns);
            if tail > 0 {
                watch.solve(tail, factored_ns, end_ns, self.reading_ns);
            }
        }
        self.parts.took(end_ns.saturating_sub(start_ns), self.most_readings(), self.reading_ns);
        let stretch = Stretch { start_ns, end_ns, work: system.operations() * self.used as u64 };
        self.counted = stretch.work;
        if let Some(reference_times) = &mut self.reference_times {
            reference_times.close(opened, &stretch);
        }
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let length = self.system.length();
        let copies = &mut self.work.doubles_mut()[..self.used * length];
        self.system.check_count(self.counted, copies)?;
        let residual = self.system.verify(copies, self.turn)?;
        self.worst = self.worst.max(residual).max(self.solve_timed_by_reference()?);
        self.limit.count();
        Ok(CheckValue::Residual(residual))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.limit.reset_after_calibration();
        self.parts.reset_after_calibration();
        self.watches.fill(Watch::default());
        if self.used == 0 {
            touch(&mut self.work.doubles_mut()[..self.system.length()]);
        }
        self.huge_pages = self.work.huge_pages();
        self.reference_times.as_mut().map_or(Ok(()), ReferenceTimes::reset_after_calibration)
    }

    fn complete(&self) -> Option<bool> {
        self.limit.complete()
    }

    fn conditions(&self) -> Conditions {
        self.system.conditions(self.simd, self.huge_pages)
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Residual(self.worst))
    }

    fn extras(&mut self) -> Extras {
        #[allow(clippy::cast_precision_loss)] // an integer far below 2^53, as in the value
        let rate = |watch: &Watch| self.system.operations() as f64 / watch.mean_s();
        let extras = match self.watches.as_slice() {
            [rolled, unrolled] => rolled
                .with(*unrolled)
                .extras()
                .measure("rolled-rate", "FLOP/s", rate(rolled), Merge::Sum)
                .measure("unrolled-rate", "FLOP/s", rate(unrolled), Merge::Sum),
            _ => self.watches[0].extras(),
        };
        match &self.reference_times {
            Some(reference_times) => reference_times.extras(extras),
            None => extras,
        }
    }
}

/// Touch the pages of memory that nothing has been written to yet.
pub(super) fn touch(copy: &mut [f64]) {
    copy.iter_mut().step_by(512).for_each(|number| *number = 1.0);
}
