//! A system a thread, solved by columns.

use super::asked::{Asked, Part, AIM_NS};
use super::system::System;
use super::watch::{Limit, Watch};
use super::{columns, groups};
use crate::buffer::Buffer;
use crate::settings::check_failed;
use crate::simd::Simd;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Extras, Merge, Stretch, Worker};

/// In which order the columns are worked on, and by which loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// By groups of four columns.
    Fast,
    /// As published, with rolled loops.
    Rolled,
    /// As published, with unrolled loops.
    Unrolled,
}

impl Variant {
    /// Factor the matrix. False where a pivot is zero.
    pub(super) fn factor(self, simd: Simd, matrix: &mut [f64], ld: usize, pivots: &mut [usize]) -> bool {
        match self {
            Variant::Fast => groups::factor(simd, matrix, ld, 0, pivots.len(), pivots),
            Variant::Rolled => columns::factor_rolled(simd, matrix, ld, pivots),
            Variant::Unrolled => columns::factor_unrolled(simd, matrix, ld, pivots),
        }
    }

    /// Solve with the factors.
    pub(super) fn solve(self, simd: Simd, matrix: &[f64], ld: usize, pivots: &[usize], right: &mut [f64]) {
        match self {
            Variant::Fast => groups::solve(simd, matrix, ld, groups::GROUP, pivots, right),
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
    /// Copies of the system, one after the other.
    copies: usize,
    pub(super) work: Buffer,
    pivots: Vec<usize>,
    /// Copies that the iteration works on.
    used: usize,
    limit: Limit,
    /// One for each of the variants.
    watches: Vec<Watch>,
    asked: Option<Asked>,
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
        asked: Option<Asked>,
    ) -> Result<Self, Failure> {
        let mut work = Buffer::new(copies * system.length() * 8)?;
        work.wish_huge_pages(true);
        let pivots = vec![0; system.n];
        let watches = vec![Watch::default(); variants.len()];
        Ok(Classic { simd, system, variants, copies, work, pivots, used: 0, limit, watches, asked, worst: 0.0 })
    }

    /// One more system for each variant, with questions to the outside clock around its parts, and its residual.
    fn solve_asked(&mut self) -> Result<f64, Failure> {
        let (simd, system, pivots) = (self.simd, self.system, &mut self.pivots);
        let used = self.variants.len() * system.length();
        if let Some(asked) = self.asked.as_mut().filter(|asked| asked.settled()) {
            let copies = self.work.doubles_mut().chunks_exact_mut(system.length());
            for (copy, variant) in copies.zip(self.variants) {
                asked.around(Part::Generate, || system.generate(copy));
                let (matrix, right) = system.parts(copy);
                if !asked.around(Part::Factor, || variant.factor(simd, matrix, system.ld, pivots)) {
                    return Err(check_failed(super::SINGULAR));
                }
                asked.around(Part::Solve, || variant.solve(simd, matrix, system.ld, pivots, right));
            }
            asked.sound()?;
            return system.verify(&mut self.work.doubles_mut()[..used]);
        }
        Ok(0.0)
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

    fn aim_ns(&self) -> u64 {
        self.asked.as_ref().map_or(0, |_| AIM_NS)
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        self.limit.begin();
        self.used = usize::try_from(repeats).unwrap_or(usize::MAX).saturating_mul(self.variants.len()).min(self.copies);
        let copies = self.work.doubles_mut().chunks_exact_mut(self.system.length());
        for copy in copies.take(self.used) {
            self.watches[0].generate(|| self.system.generate(copy));
        }
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let (simd, system, pivots) = (self.simd, self.system, &mut self.pivots);
        let copies = self.work.doubles_mut().chunks_exact_mut(system.length()).take(self.used);
        let (variants, watches) = (self.variants, &mut self.watches);
        let opened = self.asked.as_mut().and_then(Asked::open);
        let stretch = timed(system.operations() * self.used as u64, || {
            for (index, copy) in copies.enumerate() {
                let turn = index % variants.len();
                let (variant, watch) = (variants[turn], &mut watches[turn]);
                let (matrix, right) = system.parts(copy);
                if !watch.factor(|| variant.factor(simd, matrix, system.ld, pivots)) {
                    return Err(check_failed(super::SINGULAR));
                }
                watch.solve(|| variant.solve(simd, matrix, system.ld, pivots, right));
            }
            Ok(())
        })?;
        if let Some(asked) = &mut self.asked {
            asked.close(opened, &stretch);
        }
        Ok(stretch)
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        let length = self.system.length();
        let residual = self.system.verify(&mut self.work.doubles_mut()[..self.used * length])?;
        self.worst = self.worst.max(residual).max(self.solve_asked()?);
        self.limit.count();
        Ok(CheckValue::Residual(residual))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.limit.settle();
        self.watches.fill(Watch::default());
        self.asked.as_mut().map_or(Ok(()), Asked::settle)
    }

    fn complete(&self) -> Option<bool> {
        self.limit.complete()
    }

    fn conditions(&self) -> Conditions {
        self.system.conditions(self.simd)
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
        match &self.asked {
            Some(asked) => asked.extras(extras),
            None => extras,
        }
    }
}
