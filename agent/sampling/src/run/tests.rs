//! Runs whose clock goes back.

use super::*;
use crate::clock::planted;
use crate::{now_ns, timed, Stretch, Worker};
use std::time::Duration;
use virtometer_protocol::Parameters;

const HOUR_NS: u64 = 3_600_000_000_000;

/// When the clock goes back by an hour.
#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// In the iteration of this number.
    In(u64),
    /// After the iteration of this number.
    After(u64),
    /// In every iteration, by a second.
    Always,
}

/// Each repeat lasts about 0.2 ms.
struct Sleeper {
    step: Step,
    made: u64,
}

impl Worker for Sleeper {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        self.made += 1;
        timed(repeats, || {
            std::thread::sleep(Duration::from_micros(200 * repeats));
            if self.step == Step::Always {
                planted::step_back(1_000_000_000);
            } else if self.step == Step::In(self.made) {
                planted::step_back(HOUR_NS);
            }
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        if self.step == Step::After(self.made) {
            planted::step_back(HOUR_NS);
        }
        Ok(CheckValue::Count(self.made))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.made))
    }
}

/// A run of 0.1 s, and its samples.
fn run(step: Step) -> (Result<Outcome, Failure>, Vec<Sample>) {
    let control = Arc::new(Control::default());
    let task =
        Task { op: String::new(), parameters: Parameters::default(), threads: 1, cpus: None, seconds: 0.1, control };
    let factory: WorkerFactory = Arc::new(move |_| Ok(Box::new(Sleeper { step, made: 0 })));
    let mut samples = Vec::new();
    let outcome = prepare(&task, Unit::PerSecond, &factory)
        .and_then(|prepared| prepared.run(&mut |new| samples.extend(new.iter().map(RawSample::sample))));
    (outcome, samples)
}

#[test]
fn the_median_is_in_the_middle() {
    for (mut values, middle) in [(vec![9.0, 1.0, 2.0], 2.0), (vec![9.0, 1.0, 4.0, 2.0], 3.0), (vec![7.0], 7.0)] {
        assert!((median(&mut values) - middle).abs() < 1e-12, "{values:?}");
    }
}

#[test]
fn between_two_iterations_the_run_goes_on_and_ends_in_time() {
    // The first few are for calibration; it may go back there as well.
    for number in 1..=9 {
        let (outcome, samples) = run(Step::After(number));
        assert_eq!(outcome.map(|found| found.stopped), Ok(false), "{number}");
        let worked: u64 = samples.iter().map(|one| one.end_ns - one.start_ns).sum();
        assert!((80_000_000..1_000_000_000).contains(&worked), "{number}: {samples:?}");
    }
}

#[test]
fn in_an_iteration_of_the_window_the_run_fails() {
    let (outcome, _) = run(Step::In(7));
    let failure = outcome.err().map(|failure| (failure.code, failure.message));
    assert_eq!(failure, Some((Code::CheckFailed, "the clock did not advance during an iteration".into())));
}

#[test]
fn in_an_iteration_of_calibration_it_is_made_again() {
    let (outcome, samples) = run(Step::In(2));
    assert_eq!(outcome.map(|found| found.stopped), Ok(false));
    assert!(samples.iter().all(|one| one.end_ns - one.start_ns >= 10_000_000), "{samples:?}");
}

#[test]
fn in_every_iteration_calibration_ends_and_the_run_fails() {
    let (outcome, _) = run(Step::Always);
    assert_eq!(outcome.err().map(|failure| failure.code), Some(Code::CheckFailed));
}

/// An iteration of it cannot have more repeats, and is short.
struct Short;

impl Worker for Short {
    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let begin = now_ns();
        timed(1, || {
            while now_ns() == begin {}
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }
}

/// A run of short iterations, whose window would last a week. Returns how many samples were handed over each time.
fn run_short(control: Arc<Control>) -> (Result<Outcome, Failure>, Vec<usize>) {
    let seconds = 600_000.0;
    let task = Task { op: String::new(), parameters: Parameters::default(), threads: 1, cpus: None, seconds, control };
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Short)));
    let mut handed_over = Vec::new();
    let outcome = prepare(&task, Unit::Second, &factory)
        .and_then(|prepared| prepared.run(&mut |new| handed_over.push(new.len())));
    (outcome, handed_over)
}

#[test]
fn iterations_that_cannot_be_longer_end_a_window_before_they_are_too_many() {
    let (outcome, _) = run_short(Arc::default());
    assert_eq!(outcome.map(|found| (found.count, found.stopped)), Ok((20_000, false)));
}

#[test]
fn slices_have_one_iteration_each_when_there_are_many() {
    let (tell, told) = std::sync::mpsc::channel();
    let control = Arc::new(Control::in_slices(HOUR_NS, move |_| {
        let _ = tell.send(());
    }));
    let own = control.clone();
    let orders = std::thread::spawn(move || {
        for _ in 0..3 {
            let _ = told.recv();
            own.release();
        }
        let _ = told.recv();
        own.stop();
    });
    let (outcome, handed_over) = run_short(control);
    assert!(orders.join().is_ok());
    assert_eq!(outcome.map(|found| found.count), Ok(20_002));
    let some: Vec<usize> = handed_over.into_iter().filter(|count| *count > 0).collect();
    assert_eq!(some.last_chunk(), Some(&[1, 1]));
}
