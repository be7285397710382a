//! One thread's part in the blocked elimination.

#![allow(unsafe_code)] // one matrix shared by threads

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
    worst: f64,
}

impl Member {
    pub(super) fn new(shared: Arc<Blocked>, rank: usize, copies: usize, limit: Limit) -> Self {
        let room = shared.room();
        Member { shared, rank, copies, used: 0, room, limit, watch: Watch::default(), worst: 0.0 }
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
            match watch.factor(|| shared.factor(index, *rank, room)) {
                End::Regular => (),
                End::Singular => return Err(check_failed(SINGULAR)),
                End::Deserted => return Err(Failure::new(Code::Internal, "a thread of the kernel is gone")),
            }
            if *rank == 0 {
                // SAFETY: the matrix is factored, and the other threads are done with it and with the pivots.
                let (copy, pivots) = unsafe { (shared.copy(index), shared.pivots()) };
                let (matrix, right) = system.parts(copy);
                watch.solve(|| groups::solve(shared.simd, matrix, system.ld, shared.width(), pivots, right));
            }
        }
        Ok(())
    }
}

impl Worker for Member {
    fn most_repeats(&self) -> u64 {
        self.copies as u64
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
        timed(shared.system.operations() * systems, || self.solve_all())
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        self.limit.count();
        if self.rank == 0 {
            // SAFETY: the iteration is over, and only the first thread uses the systems until the next.
            let copies = unsafe { self.shared.copies(self.used) };
            self.worst = self.worst.max(self.shared.system.verify(copies)?);
        }
        Ok(CheckValue::Residual(self.worst))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.limit.settle();
        self.watch = Watch::default();
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        self.limit.complete()
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("simd".to_owned(), self.shared.simd.name().to_owned())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Residual(self.worst))
    }

    fn extras(&mut self) -> Extras {
        if self.rank == 0 {
            self.watch.extras()
        } else {
            Extras::default()
        }
    }
}
