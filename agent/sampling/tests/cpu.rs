//! Processor time, in a process in which nothing else works.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

mod sleeping;

use std::process::Command;
use std::sync::{Arc, Mutex};
use virtometer_protocol::{Failure, Parameters, Unit};
use virtometer_sampling::{prepare, CheckValue, Control, CpuClock, Stretch, Task, Worker, WorkerFactory};

/// Held by the test that runs.
static ALONE: Mutex<()> = Mutex::new(());

/// A child that needs more than 20 ms of a processor. This process itself only waits for its end.
fn child_works() {
    let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    assert!(Command::new("/bin/sh").args(["-c", loops]).status().unwrap().success());
}

#[test]
fn the_processor_time_of_children_counts() {
    let _alone = ALONE.lock().unwrap();
    let clock = CpuClock::start();
    child_works();
    let used = clock.elapsed();
    assert!(used.user_ns > 20_000_000, "{used:?}");
}

/// Its child works, and ends with the run.
struct Parent;

impl Worker for Parent {
    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        sleeping::stretch()
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(1))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        child_works();
        self.verify()
    }
}

#[test]
fn the_processor_time_of_children_that_end_with_the_run_counts() {
    let _alone = ALONE.lock().unwrap();
    let control = Arc::new(Control::default());
    let task =
        Task { op: String::new(), parameters: Parameters::default(), threads: 1, cpus: None, seconds: 0.01, control };
    let factory: WorkerFactory = Arc::new(|_| Ok(Box::new(Parent)));
    let outcome = prepare(&task, Unit::PerSecond, &factory).unwrap().run(&mut |_| ()).unwrap();
    assert!(outcome.cpu.user_ns > 20_000_000, "{:?}", outcome.cpu);
}
