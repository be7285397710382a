//! Processor time, in a process in which nothing else works.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used)]

use std::process::Command;
use virtometer_sampling::CpuClock;

#[test]
fn the_processor_time_of_children_counts() {
    let clock = CpuClock::start();
    let loops = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
    assert!(Command::new("/bin/sh").args(["-c", loops]).status().unwrap().success());
    // This process itself only waits.
    let used = clock.elapsed();
    assert!(used.user_ns > 20_000_000, "{used:?}");
}
