//! The shape that all operations share: what lies inside the timed stretch, and how many were counted afterwards.

#[cfg(unix)]
use super::expected::Expected;
use super::pinning::Pinning;
use crate::settings::{check_failed, Settings};
#[cfg(unix)]
use rustix::fd::BorrowedFd;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{timed, CheckValue, Extras, Merge, Stretch, Worker};

/// One operation of the operating system, as its file gives it.
pub(super) trait Operation {
    /// Units of work in one repeat.
    fn work(&self) -> u64 {
        1
    }

    /// Most repeats that one iteration may have, for example because each needs memory.
    fn most_repeats(&self) -> u64 {
        u64::MAX
    }

    /// Make ready for `repeats`. Not timed.
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        let _ = repeats;
        Ok(())
    }

    /// Do it `repeats` times. This is the timed stretch.
    fn repeat(&mut self, repeats: u64) -> Result<(), Failure>;

    /// Units of work since [`Operation::setup`], found out independently of how many were asked for. Not timed.
    fn counted(&mut self) -> Result<u64, Failure>;

    /// The descriptors that it works on.
    #[cfg(unix)]
    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        Vec::new()
    }

    /// Bytes of the memory or the file that it works on, where they are a parameter.
    #[cfg(unix)]
    fn bytes(&self) -> u64 {
        0
    }

    /// Path of the program that its processes execute.
    #[cfg(unix)]
    fn program(&self) -> Option<&[u8]> {
        None
    }

    /// Make one more process. Whether it has executed a program, where the system says that.
    #[cfg(unix)]
    fn executes(&self) -> Result<Option<bool>, Failure> {
        Ok(None)
    }

    /// The window is about to begin: processes that worked for calibration make way for new ones.
    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// What decides whether this result may be compared with another, beside the pinning.
    fn conditions(&self, conditions: &mut Conditions) {
        let _ = conditions;
    }

    /// End and reap the processes, so that their processor time is counted.
    fn finish(&mut self) {}

    /// Seconds of each unit of work that are not the operation itself but what it takes to make it happen, where that
    /// can be measured by itself.
    fn overhead(&self) -> Option<f64> {
        None
    }

    /// What else was found since [`Operation::reset_after_calibration`].
    fn extras(&self) -> Extras {
        Extras::default()
    }
}

/// Builds an operation on the thread that will measure it.
pub(super) type Build = Box<dyn Fn(&Pinning) -> Result<Box<dyn Operation>, Failure> + Send + Sync>;

/// Checks the settings of an operation, for so many threads.
pub(super) type Choose = fn(&Settings<'_>, u64) -> Result<Build, Failure>;

/// What [`Choose`] gives, from a closure that builds the operation.
pub(super) fn build<O, F>(make: F) -> Result<Build, Failure>
where
    O: Operation + 'static,
    F: Fn(&Pinning) -> Result<O, Failure> + Send + Sync + 'static,
{
    Ok(Box::new(move |pinning| Ok(Box::new(make(pinning)?))))
}

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

/// Seconds that one of `work` units of `body` takes: the median of several stretches, each long enough to be timed.
#[cfg(any(unix, test))]
pub(super) fn each_takes(work: u64, mut body: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    /// Stretches, and the shortest of them, ns.
    const STRETCHES: usize = 9;
    const SHORTEST_NS: u64 = 500_000;
    let mut times = Vec::with_capacity(STRETCHES);
    let mut repeats = 1u64;
    while times.len() < STRETCHES {
        let stretch = timed(0, || (0..repeats).try_for_each(|_| body()))?;
        let took_ns = stretch.end_ns - stretch.start_ns;
        if took_ns < SHORTEST_NS {
            repeats *= 2;
            continue;
        }
        times.push(each(stretch, repeats * work));
    }
    Ok(median(&mut times))
}

/// Seconds of each of `work` units.
fn each(stretch: Stretch, work: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // times and work of one iteration, far below 2^53
    let (ns, work) = ((stretch.end_ns - stretch.start_ns) as f64, work as f64);
    ns * 1e-9 / work
}

/// The middle one; not-a-number where there is none.
fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
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

    #[test]
    fn the_time_of_a_body_is_that_of_each_unit() {
        let pause = std::time::Duration::from_millis(1);
        let mut bodies = 0.0;
        let all = timed(1, || {
            let each = each_takes(10, || {
                bodies += 1.0;
                std::thread::sleep(pause);
                Ok(())
            })?;
            assert!(each >= 1e-4, "{each}");
            // Of nine stretches of one body, five take as long as the median or longer.
            assert!((bodies - 9.0_f64).abs() < 0.5, "{bodies}");
            bodies = 5.0 * 10.0 * each;
            Ok::<(), Failure>(())
        });
        assert!(bodies <= super::each(all.unwrap(), 1), "{bodies}");
    }
}
