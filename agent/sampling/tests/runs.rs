//! Calibration, the window, stopping and failures, with workers whose behaviour is known.
#![allow(missing_docs, clippy::unwrap_used)]

mod sleeping;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Code, Conditions, Failure, Parameters, Sample, Unit};
use virtometer_sampling::{
    allowed_cpus, now_ns, prepare, timed, CheckValue, Control, Extras, Merge, Outcome, RawSample, Stretch, Task,
    Worker, WorkerFactory,
};

/// Each repeat lasts about 0.2 ms.
struct Sleeper {
    made: Arc<AtomicU64>,
    fail_in: &'static str,
    in_window: bool,
    total: u64,
}

impl Sleeper {
    fn phase(&self, name: &str) -> Result<(), Failure> {
        if self.fail_in == name {
            return Err(Failure::new(Code::CheckFailed, name));
        }
        assert_ne!(self.fail_in.strip_prefix("panic-"), Some(name), "planted");
        Ok(())
    }
}

impl Worker for Sleeper {
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.phase("before")
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        self.phase("run")?;
        self.total += repeats;
        timed(repeats, || {
            std::thread::sleep(Duration::from_micros(200) * u32::try_from(repeats).unwrap());
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        self.made.fetch_add(1, Ordering::Relaxed);
        self.phase("after").map(|()| CheckValue::Count(self.total))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.in_window = true;
        self.total = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("settled".to_owned(), self.in_window.to_string())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.phase("finish").map(|()| CheckValue::Count(self.total))
    }
}

fn task(threads: usize, seconds: f64) -> Task {
    let control = Arc::new(Control::default());
    Task { op: String::new(), parameters: Parameters::default(), threads, cpus: None, seconds, control }
}

fn sleepers(fail_in: &'static str) -> (WorkerFactory, Arc<AtomicU64>) {
    let made = Arc::new(AtomicU64::new(0));
    let shared = made.clone();
    let factory: WorkerFactory = Arc::new(move |_| {
        let made = shared.clone();
        Ok(Box::new(Sleeper { made, fail_in, in_window: false, total: 0 }))
    });
    (factory, made)
}

fn run(task: &Task, factory: &WorkerFactory, unit: Unit) -> Result<(Outcome, Vec<Sample>), Failure> {
    let mut samples = Vec::new();
    let outcome = prepare(task, unit, factory)?
        .run(&mut |new: &[RawSample]| samples.extend(new.iter().map(RawSample::sample)))?;
    Ok((outcome, samples))
}

#[test]
fn samples_are_long_enough_in_order_and_all_there() {
    for threads in [1, 3] {
        let (factory, _) = sleepers("");
        let (outcome, samples) = run(&task(threads, 0.1), &factory, Unit::PerSecond).unwrap();
        assert_eq!(outcome.count, samples.len() as u64);
        assert!(!outcome.stopped);
        assert_eq!(outcome.conditions["settled"], "true");
        assert_eq!(outcome.conditions["pinned"], "no");
        // Sleeps of a busy host are longer than those after them: a single sample may be a little short.
        let mut lengths: Vec<u64> = samples.iter().map(|sample| sample.end_ns - sample.start_ns).collect();
        lengths.sort_unstable();
        assert!(lengths[0] >= 5_000_000 && lengths[lengths.len() / 2] >= 10_000_000, "{samples:?}");
        assert!(samples.windows(2).all(|pair| pair[0].end_ns <= pair[1].start_ns));
        let last = samples.last().unwrap();
        assert!(last.end_ns - samples[0].start_ns >= 90_000_000);
        // What was done for calibration is not in the check.
        let work: u64 = samples.iter().map(|sample| sample.work).sum();
        assert_eq!(outcome.check, CheckValue::Count(work));
    }
}

#[test]
fn the_value_is_the_median_of_the_samples_rates() {
    for (unit, inverse) in [(Unit::PerSecond, false), (Unit::Second, true)] {
        let (factory, _) = sleepers("");
        let (outcome, samples) = run(&task(1, 0.06), &factory, unit).unwrap();
        let mut rates: Vec<f64> = samples
            .iter()
            .map(|sample| {
                let rate = sample.work as f64 / ((sample.end_ns - sample.start_ns) as f64 * 1e-9);
                if inverse {
                    1.0 / rate
                } else {
                    rate
                }
            })
            .collect();
        rates.sort_by(f64::total_cmp);
        let middle = (rates[(rates.len() - 1) / 2] + rates[rates.len() / 2]) / 2.0;
        assert!((outcome.value / middle - 1.0).abs() < 1e-12, "{} {middle}", outcome.value);
    }
}

#[test]
fn a_run_that_is_stopped_at_once_has_one_iteration() {
    let (factory, _) = sleepers("");
    let task = task(1, 3600.0);
    let prepared = prepare(&task, Unit::PerSecond, &factory).unwrap();
    task.control.stop();
    let outcome = prepared.run(&mut |_| ()).unwrap();
    assert_eq!((outcome.count, outcome.stopped), (1, true));
}

#[test]
fn start_counts_even_when_stop_follows_at_once() {
    let control = Control::default();
    control.start();
    control.stop();
    assert!(control.wait_for_start());
    let never = Control::default();
    never.stop();
    assert!(!never.wait_for_start());
}

#[test]
fn a_fault_in_any_phase_fails_the_run_and_nothing_hangs() {
    for threads in [1, 2] {
        for phase in ["before", "run", "after", "finish"] {
            let (factory, _) = sleepers(phase);
            let failure = run(&task(threads, 0.02), &factory, Unit::PerSecond).err().unwrap();
            assert_eq!((failure.code, failure.message.as_str()), (Code::CheckFailed, phase));
        }
    }
}

#[test]
fn a_panic_of_a_kernel_is_a_failure_of_its_run() {
    for threads in [1, 2] {
        for phase in ["panic-before", "panic-run", "panic-after", "panic-finish"] {
            let (factory, _) = sleepers(phase);
            let failure = run(&task(threads, 0.02), &factory, Unit::PerSecond).err().unwrap();
            assert_eq!(failure.code, Code::Internal, "{failure}");
        }
    }
}

#[test]
fn one_thread_that_cannot_be_built_fails_all() {
    let factory: WorkerFactory = Arc::new(|index| match index {
        1 => Err(Failure::new(Code::OutOfMemory, "no room")),
        _ => sleepers("").0(index),
    });
    let failure = run(&task(3, 0.02), &factory, Unit::PerSecond).err().unwrap();
    assert_eq!(failure.code, Code::OutOfMemory);
}

/// Says on which processor it runs.
struct Where(AtomicU64);

impl Worker for Where {
    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let start_ns = now_ns();
        std::thread::sleep(Duration::from_millis(11));
        let cpus = allowed_cpus();
        assert_eq!(cpus.len(), 1);
        self.0.store(cpus[0] as u64, Ordering::Relaxed);
        Ok(Stretch { start_ns, end_ns: now_ns(), work: 1 })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.0.load(Ordering::Relaxed)))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.verify()
    }
}

#[test]
fn threads_run_where_they_are_told_to() {
    let all = std::thread::spawn(allowed_cpus).join().unwrap();
    // The last one first: where a thread happens to run is no proof.
    let cpus: Vec<usize> = all.into_iter().rev().collect();
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Where(AtomicU64::new(0)))));
    for threads in [1, 3] {
        let mut task = task(threads, 0.01);
        task.cpus = Some(cpus.clone());
        let expected: usize = (0..threads).map(|index| cpus[index % cpus.len()]).sum();
        let factory = factory.clone();
        let outcome =
            std::thread::spawn(move || prepare(&task, Unit::PerSecond, &factory).unwrap().run(&mut |_| ()).unwrap());
        let outcome = outcome.join().unwrap();
        assert_eq!(outcome.check, CheckValue::Count(expected as u64), "{threads} threads");
        assert_eq!(outcome.conditions["pinned"], "yes");
    }
    let mut task = task(3, 0.01);
    for missing in [4095, 1 << 20] {
        task.cpus = Some(vec![missing]);
        let failure = prepare(&task, Unit::PerSecond, &factory).err().unwrap();
        assert_eq!(failure.code, Code::BadArguments, "{failure}");
    }
}

/// Says who it is, with a condition and a measure.
struct Named(usize);

impl Worker for Named {
    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        sleeping::stretch()
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("thread".to_owned(), self.0.to_string()), ("kind".to_owned(), "same".to_owned())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.verify()
    }

    fn extras(&mut self) -> Extras {
        Extras::default().measure("threads", "1", 1.0, Merge::Sum)
    }
}

#[test]
fn conditions_and_measures_of_all_threads_are_reported() {
    let factory: WorkerFactory = Arc::new(|index| Ok(Box::new(Named(index))));
    let (outcome, _) = run(&task(3, 0.01), &factory, Unit::PerSecond).unwrap();
    assert_eq!(outcome.conditions["thread"], "0 and 1 and 2");
    assert_eq!(outcome.conditions["kind"], "same");
    assert!((outcome.extras.measures()["threads"].value - 3.0).abs() < 1e-9);
}

#[test]
fn checks_of_threads_become_one() {
    use CheckValue::{Bytes, Checksum, Count, Residual};
    for (one, two, both) in [
        (Residual(0.5), Residual(3.0), Residual(3.0)),
        (Residual(3.0), Residual(0.5), Residual(3.0)),
        (Bytes(2), Bytes(3), Bytes(5)),
        (Count(2), Count(3), Count(5)),
    ] {
        assert_eq!(one.with(two), both);
    }
    assert_ne!(Checksum(1).with(Checksum(2)), Checksum(1));
    assert_ne!(Checksum(1).with(Checksum(2)), Checksum(1).with(Checksum(3)));
}

/// Its stretches are planted: a repeat lasts 4 us while it is calibrated, and 1 us in the window of three iterations.
struct Quicker {
    in_window: bool,
    made: u64,
}

impl Worker for Quicker {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let (start_ns, each_ns) = (now_ns(), if self.in_window { 1_000 } else { 4_000 });
        self.made += u64::from(self.in_window);
        Ok(Stretch { start_ns, end_ns: start_ns + each_ns * repeats, work: repeats })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.made))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.in_window = true;
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        Some(self.made >= 3)
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.verify()
    }
}

#[test]
fn iterations_of_work_that_became_quicker_are_lengthened() {
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Quicker { in_window: false, made: 0 })));
    let (_, samples) = run(&task(1, 0.01), &factory, Unit::PerSecond).unwrap();
    let lengths: Vec<u64> = samples.iter().map(|sample| sample.end_ns - sample.start_ns).collect();
    assert!(
        matches!(lengths[..], [first, second, third] if first < 10_000_000 && second.min(third) >= 10_000_000),
        "{lengths:?}"
    );
}

/// Reports a planted stretch of its own, and fails where another thread prepares or verifies while it works.
struct Planted {
    stretch: Stretch,
    /// Threads that have prepared, and those that have worked, in all iterations.
    prepared: Arc<AtomicU64>,
    worked: Arc<AtomicU64>,
    iterations: u64,
}

const TOGETHER: usize = 3;

impl Worker for Planted {
    fn calibrated(&self) -> bool {
        false
    }

    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.iterations += 1;
        // The later a thread is, the longer it prepares, and the shorter it works.
        std::thread::sleep(Duration::from_millis(self.stretch.work));
        self.prepared.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        assert_eq!(
            self.prepared.load(Ordering::SeqCst),
            self.iterations * TOGETHER as u64,
            "works before all are ready"
        );
        std::thread::sleep(Duration::from_millis(20 / self.stretch.work));
        self.worked.fetch_add(1, Ordering::SeqCst);
        Ok(self.stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        assert_eq!(
            self.worked.load(Ordering::SeqCst),
            self.iterations * TOGETHER as u64,
            "verifies before all are done"
        );
        Ok(CheckValue::Count(self.stretch.work))
    }

    fn complete(&self) -> Option<bool> {
        Some(true)
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.verify()
    }
}

#[test]
fn an_iteration_of_several_threads_lasts_from_the_first_begin_to_the_last_end() {
    let (prepared, worked) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let factory: WorkerFactory = Arc::new(move |index| {
        // The second begins first, the first ends last.
        let (start_ns, end_ns) = [(2_000, 9_000), (1_000, 5_000), (3_000, 6_000)][index];
        let stretch = Stretch { start_ns, end_ns, work: 1 << index };
        Ok(Box::new(Planted { stretch, prepared: prepared.clone(), worked: worked.clone(), iterations: 0 }))
    });
    let (outcome, samples) = run(&task(TOGETHER, 0.01), &factory, Unit::PerSecond).unwrap();
    let found: Vec<_> = samples.iter().map(|sample| (sample.start_ns, sample.end_ns, sample.work)).collect();
    assert_eq!(found, [(1_000, 9_000, 7)]);
    assert!((outcome.value / (7.0 / 8e-6) - 1.0).abs() < 1e-12, "{}", outcome.value);
    assert_eq!(outcome.check, CheckValue::Count(7));
}

#[test]
fn a_long_run_hands_over_every_sample_once() {
    let (factory, _) = sleepers("");
    let mut calls = Vec::new();
    let task = task(1, 1.2);
    let outcome = prepare(&task, Unit::PerSecond, &factory).unwrap().run(&mut |new| {
        calls.push(new.iter().map(RawSample::sample).collect::<Vec<_>>());
    });
    let (outcome, samples) = (outcome.unwrap(), calls.concat());
    assert!(calls.len() >= 2, "they are handed over while the run goes on");
    assert_eq!(outcome.count, samples.len() as u64);
    assert!(samples.windows(2).all(|pair| pair[0].end_ns <= pair[1].start_ns));
    assert_eq!(outcome.check, CheckValue::Count(samples.iter().map(|sample| sample.work).sum()));
}
