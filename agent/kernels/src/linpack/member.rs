//! One thread's part in the blocked elimination.

#![allow(unsafe_code)] // one matrix shared by threads

use super::asked::{Asked, Part, AIM_NS};
use super::blocked::{Blocked, End};
use super::groups;
use super::panel::Room;
use super::watch::{Limit, Watch};
use super::SINGULAR;
use crate::settings::check_failed;
use std::sync::Arc;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Extras, Stretch, Worker};

pub(super) struct Member {
    shared: Arc<Blocked>,
    /// All threads factor the systems; the first one also makes, solves and checks them.
    rank: usize,
    copies: usize,
    /// Copies that the iteration works on.
    used: usize,
    room: Room,
    limit: Limit,
    watch: Watch,
    /// Whether an outside clock is asked, by the first thread, which has it.
    questions: bool,
    asked: Option<Asked>,
    settled: bool,
    worst: f64,
}

impl Member {
    pub(super) fn new(shared: Arc<Blocked>, rank: usize, copies: usize, limit: Limit) -> Self {
        let (room, watch) = (shared.room(), Watch::default());
        let (questions, asked, settled) = (false, None, false);
        Member { shared, rank, copies, used: 0, room, limit, watch, questions, asked, settled, worst: 0.0 }
    }

    /// With an outside clock, which the first thread asks.
    #[must_use]
    pub(super) fn asking(mut self, asked: Option<Asked>) -> Self {
        self.questions = true;
        self.asked = asked;
        self
    }

    /// The first `count` systems, between iterations.
    #[cfg(test)]
    pub(super) fn systems(&mut self, count: usize) -> &mut [f64] {
        // SAFETY: as in `after`.
        unsafe { self.shared.copies(count) }
    }

    fn solve_all(&mut self) -> Result<(), Failure> {
        let Member { shared, rank, used, room, watch, .. } = self;
        let system = shared.system;
        for index in 0..*used {
            regular(watch.factor(|| shared.factor(index, *rank, room)))?;
            if *rank == 0 {
                // SAFETY: the matrix is factored, and the other threads are done with it and with the pivots.
                let (copy, pivots) = unsafe { (shared.copy(index), shared.pivots()) };
                let (matrix, right) = system.parts(copy);
                watch.solve(|| groups::solve(shared.simd, matrix, system.ld, shared.width(), pivots, right));
            }
        }
        Ok(())
    }

    /// One more system, with questions to the outside clock around its parts. All threads call it at the same time.
    fn solve_asked(&mut self) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let system = shared.system;
        let asked = match &mut self.asked {
            Some(asked) => asked,
            None => {
                shared.factor(0, self.rank, &mut self.room);
                return Ok(());
            }
        };
        // SAFETY: the other threads wait until this one has begun to factor.
        let copy = unsafe { shared.copy(0) };
        asked.around(Part::Generate, || system.generate(copy));
        let room = &mut self.room;
        regular(asked.around(Part::Factor, || shared.factor(0, 0, room)))?;
        // SAFETY: as in `solve_all`.
        let (copy, pivots) = unsafe { (shared.copy(0), shared.pivots()) };
        let (matrix, right) = system.parts(copy);
        asked.around(Part::Solve, || groups::solve(shared.simd, matrix, system.ld, shared.width(), pivots, right));
        asked.sound()?;
        // SAFETY: as in `after`.
        self.worst = self.worst.max(system.verify(unsafe { shared.copies(1) })?);
        Ok(())
    }
}

impl Worker for Member {
    /// As in `classic`: a long solution is not made twice.
    fn calibrated(&self) -> bool {
        !self.shared.is_long()
    }

    fn most_repeats(&self) -> u64 {
        self.copies as u64
    }

    fn aim_ns(&self) -> u64 {
        self.asked.as_ref().map_or(0, |_| AIM_NS)
    }

    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        let shared = self.shared.clone();
        let _attendance = shared.attend();
        self.limit.begin();
        self.used = usize::try_from(repeats).unwrap_or(usize::MAX).min(self.copies);
        if self.rank == 0 {
            for index in 0..self.used {
                // SAFETY: only the first thread uses the systems before the iteration begins.
                let copy = unsafe { shared.copy(index) };
                self.watch.generate(|| shared.system.generate(copy));
            }
        }
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let shared = self.shared.clone();
        let _attendance = shared.attend();
        // The work of all is counted once.
        let systems = if self.rank == 0 { self.used as u64 } else { 0 };
        let opened = self.asked.as_mut().and_then(Asked::open);
        let stretch = timed(shared.system.operations() * systems, || self.solve_all())?;
        if let Some(asked) = &mut self.asked {
            asked.close(opened, &stretch);
        }
        Ok(stretch)
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        let shared = self.shared.clone();
        let _attendance = shared.attend();
        self.limit.count();
        let mut verified = Ok(0.0);
        if self.rank == 0 {
            // SAFETY: the iteration is over, and only the first thread uses the systems until the next.
            verified = shared.system.verify(unsafe { shared.copies(self.used) });
        }
        // Whatever was found: the other threads count on the first one.
        let solved = if self.questions && self.settled { self.solve_asked() } else { Ok(()) };
        self.worst = self.worst.max(verified?);
        solved?;
        Ok(CheckValue::Residual(self.worst))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.limit.settle();
        self.watch = Watch::default();
        self.settled = true;
        self.asked.as_mut().map_or(Ok(()), Asked::settle)
    }

    fn complete(&self) -> Option<bool> {
        self.limit.complete()
    }

    fn conditions(&self) -> Conditions {
        self.shared.system.conditions(self.shared.simd)
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Residual(self.worst))
    }

    fn extras(&mut self) -> Extras {
        match &self.asked {
            _ if self.rank != 0 => Extras::default(),
            Some(asked) => asked.extras(self.watch.extras()),
            None => self.watch.extras(),
        }
    }
}

fn regular(end: End) -> Result<(), Failure> {
    match end {
        End::Regular => Ok(()),
        End::Singular => Err(check_failed(SINGULAR)),
        End::Deserted => Err(Failure::new(Code::Internal, "a thread of the kernel is gone")),
    }
}
