//! Work in slices: each is released, its samples come before the next one waits, and only a stop ends the run.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use virtometer_protocol::{Code, Failure, Iteration, Parameters, Sample, Unit};
use virtometer_sampling::{
    prepare, timed, CheckValue, Control, Moment, Outcome, RawSample, Stretch, Task, Worker, WorkerFactory,
};

const SLICE_NS: u64 = 25_000_000;

/// Each repeat lasts about 1 ms.
#[derive(Clone, Default)]
struct Repeats {
    continuous: bool,
    complete: Option<bool>,
}

impl Worker for Repeats {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        timed(repeats, || {
            std::thread::sleep(Duration::from_millis(repeats));
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }

    fn continuous(&self) -> bool {
        self.continuous
    }

    fn complete(&self) -> Option<bool> {
        self.complete
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }
}

/// What happens in a run, in order: a slice waits, or so many samples are handed over.
#[derive(Clone, Debug, PartialEq)]
enum Step {
    Waits,
    Samples(Vec<Sample>),
}

fn task(control: Arc<Control>, threads: usize) -> Task {
    Task { op: String::new(), parameters: Parameters::default(), threads, cpus: None, seconds: 0.01, control }
}

/// Run so many slices and stop the run while the next one waits.
fn run(threads: usize, slices: usize) -> (Outcome, Vec<Step>) {
    let steps = Arc::new(Mutex::new(Vec::new()));
    let (tell, told) = channel();
    let (seen, tell) = (steps.clone(), Mutex::new(tell));
    let control = Arc::new(Control::in_slices(SLICE_NS, move |moment| {
        assert_eq!(moment, Moment::Waiting(Iteration::Slice));
        seen.lock().unwrap().push(Step::Waits);
        tell.lock().unwrap().send(()).unwrap();
    }));
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Repeats::default()) as Box<dyn Worker>));
    let prepared = prepare(&task(control.clone(), threads), Unit::PerSecond, &factory).unwrap();
    let conductor = std::thread::spawn(move || {
        for number in 0..=slices {
            let waits = told.recv_timeout(Duration::from_secs(10)).is_ok() && control.waits();
            if waits && number < slices {
                control.release();
            } else {
                control.stop(); // also where no slice waits: otherwise the run never ends
            }
            assert!(waits, "slice {number} does not wait");
        }
    });
    let handed = steps.clone();
    let mut sink = |new: &[RawSample]| {
        handed.lock().unwrap().push(Step::Samples(new.iter().map(RawSample::sample).collect()));
    };
    let outcome = prepared.run(&mut sink).unwrap();
    conductor.join().unwrap();
    let steps = steps.lock().unwrap().clone();
    (outcome, steps)
}

#[test]
fn each_slice_waits_and_hands_its_samples_over_before_the_next_one_waits() {
    for threads in [1, 3] {
        let (outcome, steps) = run(threads, 4);
        assert!(outcome.stopped);
        assert!(!outcome.conditions.contains_key("timing"));
        let (mut count, mut worked_ns) = (0, 0);
        for pair in steps.chunks(2).take(4) {
            let [Step::Waits, Step::Samples(samples)] = pair else { panic!("{pair:?}") };
            assert!(!samples.is_empty());
            count += samples.len();
            worked_ns += samples.iter().map(|one| one.end_ns - one.start_ns).sum::<u64>();
        }
        assert_eq!(steps[8], Step::Waits);
        assert_eq!(outcome.count, count as u64);
        // The window of the task is shorter than one slice, and ends nothing. No slice ends half an iteration early.
        assert!(worked_ns >= 4 * SLICE_NS * 3 / 4, "{worked_ns} ns");
    }
}

/// A slice of 25 ms has five iterations of 5 ms: the first of them does not count, and one alone would leave none. Sleeps
/// last longer than they should, so that there are a few less.
#[test]
fn a_slice_has_several_iterations() {
    for threads in [1, 2] {
        let (_, steps) = run(threads, 8);
        let counts: Vec<usize> = steps
            .iter()
            .filter_map(|step| match step {
                Step::Samples(samples) if !samples.is_empty() => Some(samples.len()),
                _ => None,
            })
            .collect();
        let several = counts.iter().filter(|count| (3..=8).contains(*count)).count();
        assert!(several > counts.len() / 2, "{counts:?}");
    }
}

#[test]
fn a_slice_may_have_a_length_of_its_own() {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let control = Arc::new(Control::in_slices(1, move |_| tell.lock().unwrap().send(()).unwrap_or_default()));
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Repeats::default()) as Box<dyn Worker>));
    let prepared = prepare(&task(control.clone(), 1), Unit::PerSecond, &factory).unwrap();
    let conductor = std::thread::spawn(move || {
        for length_ns in [None, Some(100_000_000), None] {
            told.recv().unwrap();
            length_ns.map_or_else(|| control.release(), |length_ns| control.release_slice(length_ns));
        }
        told.recv().unwrap();
        control.stop();
    });
    let mut counts = Vec::new();
    prepared.run(&mut |new| counts.push(new.len())).unwrap();
    conductor.join().unwrap();
    // The last hand-over is that of the end, which has nothing left.
    assert_eq!((counts[0], counts[2], counts[3]), (1, 1, 0));
    assert!((2..=100).contains(&counts[1]), "{counts:?}");
}

#[test]
fn a_slice_has_one_iteration_at_least() {
    let control = Arc::new(Control::in_slices(1, |_| ()));
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Repeats::default()) as Box<dyn Worker>));
    let prepared = prepare(&task(control.clone(), 1), Unit::PerSecond, &factory).unwrap();
    let conductor = std::thread::spawn(move || {
        while !control.waits() {
            std::thread::yield_now();
        }
        control.release();
        while !control.waits() {
            std::thread::yield_now();
        }
        control.stop();
    });
    let mut count = 0;
    assert_eq!(prepared.run(&mut |new| count += new.len()).unwrap().count, 1);
    conductor.join().unwrap();
    assert_eq!(count, 1);
}

#[test]
fn work_that_cannot_pause_or_has_an_end_is_refused() {
    for (worker, what) in [
        (Repeats { continuous: true, ..Repeats::default() }, "continuous work"),
        (Repeats { complete: Some(false), ..Repeats::default() }, "work that runs to completion"),
    ] {
        let factory: WorkerFactory = Arc::new(move |_| Ok(Box::new(worker.clone()) as Box<dyn Worker>));
        let control = Arc::new(Control::in_slices(SLICE_NS, |_| ()));
        let refused = prepare(&task(control, 1), Unit::PerSecond, &factory).err().unwrap();
        assert_eq!((refused.code, refused.message), (Code::BadArguments, format!("{what} cannot be done in slices")));
    }
}
