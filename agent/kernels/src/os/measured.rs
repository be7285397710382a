//! An operation that is measured: what its samples hold is compared with what it has done.

#[cfg(unix)]
use super::expected::Expected;
use super::operation::{each, median, Operation};
use super::pinning::Pinning;
use crate::settings::check_failed;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{timed, CheckValue, Extras, Merge, Stretch, Worker};

/// An operation as a worker.
pub(super) struct Measured {
    operation: Box<dyn Operation>,
    pinning: Pinning,
    unit: Unit,
    /// The plural of what is counted.
    noun: &'static str,
    asked: u64,
    /// Work of the last stretch, as its sample has it.
    told: u64,
    all: u64,
    /// Seconds of each unit of work, by iteration.
    times: Vec<f64>,
    #[cfg(unix)]
    expected: Option<Expected>,
}

impl Measured {
    pub(super) fn new(operation: Box<dyn Operation>, pinning: Pinning, unit: Unit, noun: &'static str) -> Self {
        Measured {
            operation,
            pinning,
            unit,
            noun,
            asked: 0,
            told: 0,
            all: 0,
            times: Vec::new(),
            #[cfg(unix)]
            expected: None,
        }
    }

    /// With what the operation is compared with before and after the window.
    #[cfg(unix)]
    #[must_use]
    pub(super) fn expecting(self, expected: Expected) -> Self {
        Measured { expected: Some(expected), ..self }
    }

    fn value(&self, count: u64) -> CheckValue {
        match self.unit {
            Unit::BytePerSecond => CheckValue::Bytes(count),
            _ => CheckValue::Count(count),
        }
    }
}

impl Worker for Measured {
    fn most_repeats(&self) -> u64 {
        self.operation.most_repeats()
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.asked = repeats.saturating_mul(self.operation.work());
        self.operation.setup(repeats)
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let stretch = timed(self.asked, || self.operation.repeat(repeats))?;
        self.told = stretch.work;
        self.times.push(each(stretch, stretch.work));
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let counted = self.operation.counted()?;
        if let Some(wrong) = [self.asked, self.told].iter().find(|work| **work != counted) {
            return Err(check_failed(format!("counted {counted} {}, not {wrong}", self.noun)));
        }
        self.all += counted;
        Ok(self.value(counted))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.all = 0;
        self.times.clear();
        #[cfg(unix)]
        if let Some(expected) = &self.expected {
            expected.compare_process(self.operation.as_ref())?;
        }
        self.operation.reset_after_calibration()
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = self.pinning.conditions();
        self.operation.conditions(&mut conditions);
        conditions
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        #[cfg(unix)]
        if let Some(expected) = &self.expected {
            expected.compare(self.operation.as_ref())?;
        }
        self.operation.finish();
        Ok(self.value(self.all))
    }

    fn extras(&mut self) -> Extras {
        let extras = self.operation.extras();
        let Some(overhead) = self.operation.overhead() else {
            return extras;
        };
        // As the agent's own value: of the median iteration.
        let whole = median(&mut self.times);
        extras.measure("overhead", "s", overhead, Merge::Mean).measure(
            "without-overhead",
            "s",
            (whole - overhead).max(0.0),
            Merge::Mean,
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    /// Loses an operation where it is told to.
    struct Forgetful {
        done: u64,
        forgets: bool,
    }

    impl Operation for Forgetful {
        fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
            self.done = repeats;
            Ok(())
        }

        fn counted(&mut self) -> Result<u64, Failure> {
            Ok(self.done - u64::from(self.forgets))
        }

        fn overhead(&self) -> Option<f64> {
            Some(1e-12)
        }
    }

    #[test]
    fn what_was_not_counted_is_no_number() {
        for forgets in [false, true] {
            let operation = Box::new(Forgetful { done: 0, forgets });
            let mut measured = Measured::new(operation, Pinning::as_it_is(), Unit::Second, "things");
            measured.setup(5).unwrap();
            measured.run(5).unwrap();
            if forgets {
                let failure = measured.verify().unwrap_err();
                assert_eq!((failure.code, failure.message.as_str()), (Code::CheckFailed, "counted 4 things, not 5"));
            } else {
                assert_eq!(measured.verify().unwrap(), CheckValue::Count(5));
                assert_eq!(measured.finish().unwrap(), CheckValue::Count(5));
                let measures = measured.extras().measures();
                assert!(measures["overhead"].value > 0.0 && measures["without-overhead"].value >= 0.0);
            }
        }
    }

    #[test]
    fn a_sample_that_holds_other_work_than_was_counted_is_reported() {
        let mut measured =
            Measured::new(Box::new(Forgetful { done: 0, forgets: false }), Pinning::as_it_is(), Unit::Second, "things");
        measured.setup(5).unwrap();
        assert_eq!(measured.run(5).unwrap().work, 5);
        measured.told = 10;
        assert_eq!(measured.verify().unwrap_err().message, "counted 5 things, not 10");
    }
}
