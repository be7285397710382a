//! The cheapest system call.

use super::Pinning;
use crate::settings::check_failed;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Stretch, Worker};

/// Calls of getppid, which no C library answers by itself.
pub(super) struct SystemCalls {
    pinning: Pinning,
    expected: u64,
    /// Sum of what the calls returned.
    sum: u64,
    calls: u64,
    all: u64,
}

impl SystemCalls {
    pub(super) fn new(pinning: Pinning) -> Self {
        SystemCalls { pinning, expected: parent(), sum: 0, calls: 0, all: 0 }
    }
}

fn parent() -> u64 {
    // 0 where the parent is outside of this process namespace.
    rustix::process::getppid().map_or(0, |pid| u64::from(pid.as_raw_nonzero().get().unsigned_abs()))
}

impl Worker for SystemCalls {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        self.calls = repeats;
        let mut sum = 0u64;
        let stretch = timed(repeats, || {
            for _ in 0..repeats {
                sum = sum.wrapping_add(parent());
            }
            Ok(())
        });
        self.sum = sum;
        stretch
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        // The parent may end in the middle of a run, and process 1 take its place; then the next iteration is right again.
        let right = self.expected.wrapping_mul(self.calls);
        let now = parent();
        if self.sum != right && now == self.expected {
            return Err(check_failed(format!("{} calls returned {} in sum, not {right}", self.calls, self.sum)));
        }
        self.expected = now;
        self.all += self.calls;
        Ok(CheckValue::Count(self.calls))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.all = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.pinning.conditions()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.all))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    #[test]
    fn a_wrong_answer_of_the_system_is_reported() {
        let mut calls = SystemCalls::new(Pinning::none());
        calls.run(10).unwrap();
        assert_eq!(calls.after().unwrap(), CheckValue::Count(10));
        calls.run(10).unwrap();
        calls.sum += 1;
        assert_eq!(calls.after().unwrap_err().code, Code::CheckFailed);
    }
}
