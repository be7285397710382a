//! The shape that all operations share: what lies inside the timed stretch, and how many were counted afterwards.

use super::pinning::Pinning;
use crate::settings::Settings;
#[cfg(unix)]
use rustix::fd::BorrowedFd;
use virtometer_protocol::{Conditions, Failure};
#[cfg(any(unix, test))]
use virtometer_sampling::timed;
use virtometer_sampling::{Extras, Stretch};

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
    /// can be measured alone.
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
pub(super) fn each(stretch: Stretch, work: u64) -> f64 {
    #[allow(clippy::cast_precision_loss)] // times and work of one iteration, far below 2^53
    let (ns, work) = ((stretch.end_ns - stretch.start_ns) as f64, work as f64);
    ns * 1e-9 / work
}

/// The middle one; not-a-number where there is none.
pub(super) fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

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
