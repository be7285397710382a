//! Calls of a procedure that the compiler cannot see through. Needs nothing of the operating system.

#![allow(unsafe_code)] // a read that the compiler must not foresee

use super::operation::Operation;
use virtometer_protocol::Failure;

/// A procedure that the caller knows only by its address.
type Step = extern "C" fn(u64) -> u64;

extern "C" fn add_one(count: u64) -> u64 {
    count.wrapping_add(1)
}

static STEP: Step = add_one;

/// Calls, each of which needs the result of the one before.
pub(super) struct Procedure {
    step: &'static Step,
    count: u64,
}

impl Procedure {
    pub(super) fn new() -> Self {
        Procedure { step: &STEP, count: 0 }
    }
}

impl Operation for Procedure {
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.count = 0;
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        // SAFETY: a reference is valid to read from. Because the read is volatile, the call stays one.
        let step = unsafe { std::ptr::read_volatile(self.step) };
        let mut count = self.count;
        for _ in 0..repeats {
            count = step(count);
        }
        self.count = count;
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        Ok(self.count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    extern "C" fn forget(_count: u64) -> u64 {
        0
    }

    #[test]
    fn every_call_is_made() {
        static MADE: AtomicU64 = AtomicU64::new(0);
        extern "C" fn note(count: u64) -> u64 {
            MADE.fetch_add(1, Ordering::Relaxed);
            count + 1
        }
        static NOTE: Step = note;
        let mut procedure = Procedure { step: &NOTE, count: 0 };
        procedure.repeat(1000).unwrap();
        assert_eq!((procedure.counted(), MADE.load(Ordering::Relaxed)), (Ok(1000), 1000));
    }

    #[test]
    fn calls_are_counted_by_what_is_called() {
        static FORGET: Step = forget;
        for (step, counted) in [(&STEP, 1000), (&FORGET, 0)] {
            let mut procedure = Procedure { step, count: 0 };
            procedure.setup(1000).unwrap();
            procedure.repeat(1000).unwrap();
            assert_eq!(procedure.counted().unwrap(), counted);
        }
    }
}
