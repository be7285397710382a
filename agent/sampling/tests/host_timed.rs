//! Iterations that somebody else times: each waits for its release and reports its end.
#![allow(missing_docs, clippy::unwrap_used)]

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver};
use std::sync::Arc;
use std::thread::{sleep, spawn};
use std::time::Duration;
use virtometer_protocol::{Code, Failure, Iteration, Parameters, Sample, Unit, NULL_ITERATIONS};
use virtometer_sampling::{
    now_ns, prepare, timed, CheckValue, Control, Moment, Outcome, Prepared, RawSample, Stretch, Task, Worker,
    WorkerFactory,
};

/// Each repeat lasts 1 ms, but four before the work becomes quick.
struct Sleeper {
    continuous: bool,
    quick: Arc<AtomicBool>,
    total: u64,
}

impl Worker for Sleeper {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        self.total += repeats;
        let each = if self.quick.load(Ordering::Relaxed) { 1 } else { 4 };
        timed(repeats, || {
            sleep(Duration::from_millis(each * repeats));
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        // Verifying takes long as well, and nobody times it.
        sleep(Duration::from_millis(30));
        Ok(CheckValue::Count(self.total))
    }

    fn continuous(&self) -> bool {
        self.continuous
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.total))
    }
}

/// When an iteration was released (`None`: it did not wait), and what it told.
struct TimedIteration {
    iteration: Iteration,
    released: bool,
    gone_ns: Option<u64>,
    began_ns: u64,
    ended_ns: u64,
}

/// The control of a run, and what it tells.
fn host_timed() -> (Arc<Control>, Receiver<Moment>) {
    let (tell, told) = channel();
    let tell = std::sync::Mutex::new(tell);
    (Arc::new(Control::host_timed(move |moment| tell.lock().unwrap().send(moment).unwrap_or_default())), told)
}

fn prepared(control: &Arc<Control>, threads: usize, continuous: bool) -> Prepared {
    prepared_for(0.6, control, threads, continuous, &Arc::new(AtomicBool::new(true)))
}

fn prepared_for(
    seconds: f64,
    control: &Arc<Control>,
    threads: usize,
    continuous: bool,
    quick: &Arc<AtomicBool>,
) -> Prepared {
    let (control, quick) = (control.clone(), quick.clone());
    let factory: WorkerFactory =
        Arc::new(move |_| Ok(Box::new(Sleeper { continuous, quick: quick.clone(), total: 0 })));
    let task = Task { op: String::new(), parameters: Parameters::default(), threads, cpus: None, seconds, control };
    prepare(&task, Unit::PerSecond, &factory).unwrap()
}

/// Run, letting every iteration go a while after it began to wait.
fn run(threads: usize, continuous: bool) -> (Outcome, Vec<Sample>, Vec<TimedIteration>) {
    let (control, told) = host_timed();
    let prepared = prepared(&control, threads, continuous);
    conducted(control, told, prepared)
}

fn conducted(
    control: Arc<Control>,
    told: Receiver<Moment>,
    prepared: Prepared,
) -> (Outcome, Vec<Sample>, Vec<TimedIteration>) {
    // When the run has ended nobody holds the control any more, and nothing more is told.
    let weak = Arc::downgrade(&control);
    drop(control);
    let conductor = spawn(move || {
        let (mut iterations, mut gone_ns) = (Vec::new(), None);
        for moment in told {
            match moment {
                Moment::Waiting(_) => {
                    sleep(Duration::from_millis(5));
                    let control = weak.upgrade().unwrap();
                    assert!(control.waits());
                    gone_ns = Some(now_ns());
                    control.release();
                }
                Moment::Done { iteration, released, began_ns, ended_ns } => {
                    iterations.push(TimedIteration {
                        iteration,
                        released,
                        gone_ns: gone_ns.take(),
                        began_ns,
                        ended_ns,
                    });
                }
            }
        }
        iterations
    });
    let mut samples = Vec::new();
    let outcome = prepared.run(&mut |new: &[RawSample]| samples.extend(new.iter().map(RawSample::sample))).unwrap();
    (outcome, samples, conductor.join().unwrap())
}

#[test]
fn every_iteration_lies_within_its_times_and_a_null_one_goes_before_it() {
    for threads in [1, 3] {
        let (outcome, samples, iterations) = run(threads, false);
        assert_eq!(outcome.conditions["timing"], "laboratory");
        assert_eq!(outcome.count, samples.len() as u64);
        assert_eq!(iterations.len(), NULL_ITERATIONS + 2 * samples.len(), "{threads} threads");
        let (empty, full): (Vec<_>, Vec<_>) =
            iterations.iter().enumerate().partition(|(index, _)| *index < NULL_ITERATIONS || index % 2 == 0);
        for (_, seen) in empty {
            assert_eq!((seen.iteration, seen.released), (Iteration::Null, true));
            assert!(seen.gone_ns.unwrap() <= seen.began_ns && seen.began_ns <= seen.ended_ns);
        }
        for ((_, seen), sample) in full.iter().zip(&samples) {
            assert_eq!((seen.iteration, seen.released), (Iteration::Work, true));
            assert!(seen.gone_ns.unwrap() <= seen.began_ns, "it begins when it is released");
            assert!(seen.began_ns <= sample.start_ns && sample.end_ns <= seen.ended_ns);
            // Long enough for what an empty seen takes to be small; the window is the work's alone.
            assert!(sample.end_ns - sample.start_ns >= 480_000_000, "{samples:?}");
        }
        assert_eq!(samples.len(), 1, "{samples:?}");
    }
}

/// Notes when the first of its verifications begins.
struct Verified(Arc<AtomicU64>);

impl Worker for Verified {
    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        timed(1, || {
            sleep(Duration::from_millis(20));
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        self.0.fetch_min(now_ns(), Ordering::SeqCst);
        Ok(CheckValue::Count(1))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }
}

/// Of one thread. Of several, one tells the end, and the others leave it time for that.
#[test]
fn an_iteration_is_verified_after_its_end_was_told() {
    let (control, told) = host_timed();
    let verified_ns = Arc::new(AtomicU64::new(u64::MAX));
    let shared = verified_ns.clone();
    let factory: WorkerFactory = Arc::new(move |_| Ok(Box::new(Verified(shared.clone()))));
    let task = Task {
        op: String::new(),
        parameters: Parameters::default(),
        threads: 1,
        cpus: None,
        seconds: 0.02,
        control: control.clone(),
    };
    let prepared = prepare(&task, Unit::PerSecond, &factory).unwrap();
    drop((task, factory));
    let (_, samples, iterations) = conducted(control, told, prepared);
    assert_eq!(samples.len(), 1);
    let ended_ns = iterations.last().unwrap().ended_ns;
    assert!(samples[0].end_ns <= ended_ns && ended_ns <= verified_ns.load(Ordering::SeqCst));
}

#[test]
fn a_long_window_is_one_iteration_however_short_the_tried_ones_were() {
    let (control, told) = host_timed();
    let prepared = prepared_for(6.0, &control, 1, false, &Arc::new(AtomicBool::new(true)));
    let (_, samples, _) = conducted(control, told, prepared);
    let worked: Vec<u64> = samples.iter().map(|one| one.end_ns - one.start_ns).collect();
    assert!(matches!(worked[..], [only] if (4_800_000_000..7_200_000_000).contains(&only)), "{worked:?}");
}

#[test]
fn what_was_slow_while_it_was_tried_goes_on_for_what_is_left_of_the_window() {
    let (control, told) = host_timed();
    let quick = Arc::new(AtomicBool::new(false));
    let prepared = prepared_for(1.2, &control, 1, false, &quick);
    quick.store(true, Ordering::Relaxed);
    let (_, samples, _) = conducted(control, told, prepared);
    let worked: Vec<u64> = samples.iter().map(|one| one.end_ns - one.start_ns).collect();
    assert!(worked.len() >= 2, "{worked:?}");
    assert!((960_000_000..1_400_000_000).contains(&worked.iter().sum::<u64>()), "{worked:?}");
}

#[test]
fn work_that_flows_waits_once_and_gets_going_before_it_is_measured() {
    for threads in [1, 2] {
        let (_, samples, iterations) = run(threads, true);
        let waited = iterations.iter().filter(|seen| seen.gone_ns.is_some()).count();
        assert_eq!((waited, iterations.len()), (NULL_ITERATIONS + 2, NULL_ITERATIONS + 2 + samples.len()));
        assert!(samples.len() >= 3, "{samples:?}");
        assert_eq!(iterations[NULL_ITERATIONS + 1].iteration, Iteration::WarmUp);
        for pair in iterations[NULL_ITERATIONS + 1..].windows(2) {
            assert_eq!(pair[1].began_ns, pair[0].ended_ns);
            assert_eq!((pair[1].iteration, pair[1].released), (Iteration::Work, false));
        }
        assert!(iterations.iter().all(|seen| seen.released == seen.gone_ns.is_some()));
        assert!(iterations[NULL_ITERATIONS + 1].ended_ns <= samples[0].start_ns);
    }
}

#[test]
fn a_run_that_is_stopped_at_the_gate_makes_one_iteration() {
    for threads in [1, 2] {
        let (control, told) = host_timed();
        // Of several: the first is shorter than the window, because the work became quicker.
        let quick = Arc::new(AtomicBool::new(false));
        let prepared = prepared_for(0.6, &control, threads, false, &quick);
        quick.store(true, Ordering::Relaxed);
        let weak = Arc::downgrade(&control);
        drop(control);
        let stopper = spawn(move || {
            assert_eq!(told.recv().unwrap(), Moment::Waiting(Iteration::Null));
            weak.upgrade().unwrap().stop();
            told.iter().filter(|moment| matches!(moment, Moment::Done { .. })).count()
        });
        let outcome = prepared.run(&mut |_| ()).unwrap();
        assert_eq!((outcome.count, outcome.stopped), (1, true));
        assert_eq!(stopper.join().unwrap(), NULL_ITERATIONS + 2);
    }
}

#[test]
fn a_panic_of_one_thread_beside_its_work_ends_the_run_of_all() {
    let control = Arc::new(Control::host_timed(|moment| {
        if moment == Moment::Waiting(Iteration::Work) {
            resume_unwind(Box::new("planted"));
        }
    }));
    let prepared = prepared(&control, 3, false);
    control.stop();
    assert_eq!(prepared.run(&mut |_| ()).unwrap_err().code, Code::Internal);
}

#[test]
fn who_has_no_gate_neither_waits_nor_tells() {
    let control = Control::default();
    assert!(!control.waits());
    control.release();
    assert!(!control.waits());
}

/// Goes on where it ended. The first thread's iterations are longer than those of the others.
struct Flowing {
    index: usize,
    ended_ns: u64,
}

impl Worker for Flowing {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let start_ns = if self.ended_ns == 0 { now_ns() } else { self.ended_ns };
        sleep(Duration::from_millis(if self.index == 0 { 14 } else { 13 }));
        self.ended_ns = now_ns();
        Ok(Stretch { start_ns, end_ns: self.ended_ns, work: repeats })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(0))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.ended_ns = 0;
        Ok(())
    }

    fn continuous(&self) -> bool {
        true
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(0))
    }
}

#[test]
fn samples_of_threads_that_flow_on_follow_on_from_each_other() {
    let factory: WorkerFactory = Arc::new(move |index| Ok(Box::new(Flowing { index, ended_ns: 0 })));
    let control = Arc::new(Control::default());
    let task =
        Task { op: String::new(), parameters: Parameters::default(), threads: 3, cpus: None, seconds: 0.3, control };
    let mut samples = Vec::new();
    let prepared = prepare(&task, Unit::PerSecond, &factory).unwrap();
    prepared.run(&mut |some| samples.extend(some.iter().map(RawSample::sample))).unwrap();
    assert!(samples.len() > 3, "{samples:?}");
    for pair in samples.windows(2) {
        assert_eq!(pair[1].start_ns, pair[0].end_ns);
        assert_eq!(pair[1].work % 3, 0);
    }
}
