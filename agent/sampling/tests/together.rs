//! Windows that begin with those of others: set up before they wait, at one moment, whatever happens meanwhile.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::mpsc::{channel, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{sleep, spawn, JoinHandle};
use std::time::{Duration, Instant};
use virtometer_protocol::{Failure, Iteration, Parameters, Sample, Unit};
use virtometer_sampling::{
    now_ns, prepare, timed, CheckValue, Control, Moment, Outcome, RawSample, Stretch, Task, Worker, WorkerFactory,
};

const MS: u64 = 1_000_000;

/// What a worker saw of its iterations: when each was set up and began, and the slack of its thread's timers.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(u64, u64, u64)>>>);

struct Sleeper {
    seen: Seen,
    set_up_ns: u64,
}

#[cfg(target_os = "linux")]
fn timer_slack() -> u64 {
    rustix::thread::current_timer_slack().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn timer_slack() -> u64 {
    0
}

impl Worker for Sleeper {
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        sleep(Duration::from_millis(1));
        self.set_up_ns = now_ns();
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let stretch = timed(repeats, || {
            sleep(Duration::from_millis(repeats));
            Ok(())
        })?;
        self.seen.0.lock().unwrap().push((self.set_up_ns, stretch.start_ns, timer_slack()));
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.seen.0.lock().unwrap().clear();
        Ok(())
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }
}

struct Running {
    control: Arc<Control>,
    told: Receiver<Moment>,
    seen: Seen,
    thread: JoinHandle<(Outcome, Vec<Sample>)>,
}

impl Running {
    /// A run with a window of 0.1 s that waits for its release.
    fn waiting(threads: usize) -> Self {
        let (tell, told) = channel();
        let tell = Mutex::new(tell);
        let control = Arc::new(Control::together(move |moment| tell.lock().unwrap().send(moment).unwrap()));
        let seen = Seen::default();
        let all = seen.clone();
        let factory: WorkerFactory = Arc::new(move |_| Ok(Box::new(Sleeper { seen: all.clone(), set_up_ns: 0 })));
        let task = Task {
            op: String::new(),
            parameters: Parameters::default(),
            threads,
            cpus: None,
            seconds: 0.1,
            control: control.clone(),
        };
        let thread = spawn(move || {
            let prepared = prepare(&task, Unit::PerSecond, &factory).unwrap();
            let mut samples = Vec::new();
            let outcome = prepared.run(&mut |some| samples.extend(some.iter().map(RawSample::sample))).unwrap();
            (outcome, samples)
        });
        assert_eq!(told.recv().unwrap(), Moment::Waiting(Iteration::Window));
        assert!(control.waits());
        Running { control, told, seen, thread }
    }

    /// The outcome, the samples, and what the workers saw; nothing but the window has waited.
    fn ended(self) -> (Outcome, Vec<Sample>, Vec<(u64, u64, u64)>) {
        let (outcome, samples) = self.thread.join().unwrap();
        assert_eq!(self.told.try_recv().ok(), None);
        let seen = self.seen.0.lock().unwrap().clone();
        (outcome, samples, seen)
    }
}

#[test]
fn a_window_begins_at_its_moment_in_all_threads() {
    for threads in [1, 3] {
        let running = Running::waiting(threads);
        let waited_ns = now_ns();
        let moment_ns = waited_ns + 80 * MS;
        running.control.release_at(moment_ns);
        let (outcome, samples, seen) = running.ended();
        assert!(!outcome.stopped);
        assert!(samples[0].start_ns >= moment_ns, "{threads} threads");
        let (first, later) = seen.split_at(threads);
        for (set_up_ns, start_ns, slack) in first {
            assert!(*set_up_ns < waited_ns, "what waits is set up");
            assert!(*start_ns >= samples[0].start_ns, "work follows the begin");
            assert_eq!(*slack, timer_slack(), "the work has the usual timers");
        }
        assert!(later.iter().all(|(set_up_ns, ..)| *set_up_ns > moment_ns), "each later iteration is set up in turn");
        assert!(samples.last().unwrap().end_ns >= moment_ns + 100 * MS, "the window begins at the moment");
        assert!(samples[1].start_ns >= samples[0].end_ns);
    }
}

#[test]
fn several_windows_begin_at_one_moment() {
    let all: Vec<_> = (0..4).map(|_| Running::waiting(1)).collect();
    let moment_ns = now_ns() + 50 * MS;
    all.iter().for_each(|one| one.control.release_at(moment_ns));
    for one in all {
        assert!(one.ended().1[0].start_ns >= moment_ns);
    }
}

#[test]
fn a_window_whose_moment_has_passed_begins_at_once() {
    for moment_ns in [0, 1, now_ns() - MS] {
        let running = Running::waiting(1);
        let released_ns = now_ns();
        running.control.release_at(moment_ns);
        assert!(running.ended().1[0].start_ns >= released_ns);
    }
    let running = Running::waiting(2);
    running.control.release();
    assert!(!running.ended().0.stopped);
}

#[test]
fn a_run_that_is_stopped_does_not_sleep_until_its_moment() {
    for released in [false, true] {
        let running = Running::waiting(2);
        let begun = Instant::now();
        if released {
            running.control.release_at(now_ns() + 9000 * MS);
            sleep(Duration::from_millis(20));
        }
        running.control.stop();
        let (outcome, samples, _) = running.ended();
        assert_eq!((outcome.stopped, samples.len()), (true, 1));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}
