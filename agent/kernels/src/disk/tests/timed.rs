//! What is timed is all the work, and the time of a request is its own.

#![allow(clippy::unwrap_used)]

use super::engines::{offered, WAYS};
use super::own_files::nameless;
use super::{filled, task, task_on, worker, SPAN};
use crate::disk::engine::{Engine, Job, Memory, Notes, Psync};
use crate::disk::page_cache::dirty_bytes;
use crate::disk::queue::{Queue, Queued, Transfer};
use crate::disk::specification::Request;
use std::collections::VecDeque;
use std::io::{self, Read};
use virtometer_protocol::Scalar;
use virtometer_sampling::planted_clock::{self, looking};
use virtometer_sampling::Worker;

/// The work of an iteration lies between the first and the last reading of the clock.
fn assert_timed(
    worker: &mut dyn Worker,
    repeats: u64,
    mut observe: impl FnMut() -> Vec<u8> + Clone + 'static,
    what: &str,
) {
    let before = observe();
    let (clock, seen) = looking(observe.clone());
    let stretch = worker.run(repeats).unwrap();
    drop(clock);
    let (seen, after) = (seen.borrow(), observe());
    assert!(before != after, "{what} has changed nothing");
    assert!(seen[0] == before, "{what} works before the clock is read");
    assert!(*seen.last().unwrap() == after, "{what} works after the clock was read");
    assert_eq!((stretch.start_ns, stretch.end_ns), (1000, seen.len() as u64 * 1000), "{what}");
    worker.verify().unwrap();
}

#[test]
fn the_clock_is_read_before_the_first_request_and_after_the_last() {
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        for op in ["sequential-write", "random-write"] {
            let (_folder, file) = filled();
            let parameters = [
                ("engine", Scalar::Text((*engine).into())),
                ("depth", Scalar::Integer(*depth)),
                ("direct", Scalar::Boolean(false)),
            ];
            let mut worker = worker(&task(op, &file, &parameters));
            worker.setup(20).unwrap();
            assert_timed(worker.as_mut(), 20, move || std::fs::read(&file).unwrap(), &format!("{op} {engine}"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    let mut worker = worker(&task("fill", &file, &[("span", Scalar::Integer(SPAN))]));
    worker.setup(1).unwrap();
    assert_timed(worker.as_mut(), 1, move || std::fs::read(&file).unwrap(), "fill");
}

#[test]
fn the_clock_is_read_before_the_first_record_and_after_the_last() {
    for op in ["write", "rewrite", "pwrite", "repwrite", "char-write", "read-rewrite", "seeks"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own");
        let mut worker = worker(&task(op, &file, &[("span", Scalar::Integer(65536))]));
        let repeats = if op == "seeks" { 100 } else { 3 };
        worker.setup(repeats).unwrap();
        let observe = move || {
            let mut all = Vec::new();
            for mut file in nameless(&file) {
                file.read_to_end(&mut all).unwrap();
            }
            all
        };
        assert_timed(worker.as_mut(), repeats, observe, op);
    }
}

#[test]
fn an_fsync_at_the_end_of_a_pass_is_timed() {
    // Beside the program: a folder for temporary files may be a file system that has no other place for its files.
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let dirty_at_the_end = |sync: &str| {
        let file = folder.path().join("own");
        let given = [("span", Scalar::Integer(1 << 20)), ("sync", Scalar::Text(sync.into()))];
        let mut worker = worker(&task("write", &file, &given));
        worker.setup(1).unwrap();
        let own = nameless(&file).pop().unwrap();
        let (clock, seen) = looking(move || dirty_bytes(&own).map_or(vec![], |dirty| dirty.to_le_bytes().to_vec()));
        worker.run(1).unwrap();
        drop(clock);
        let last = seen.borrow().last().unwrap().clone();
        last.try_into().ok().map(u64::from_le_bytes)
    };
    // Linux before 6.5 does not tell, and a file system may keep pages in its journal.
    if let (Some(without), Some(with)) = (dirty_at_the_end("none"), dirty_at_the_end("end")) {
        assert!(with < without || without == 0, "{with} bytes of {without}");
    }
}

#[test]
fn the_clock_is_read_before_the_first_file_and_after_the_last() {
    for op in ["create-sequential", "create-random", "delete-sequential", "delete-random"] {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("many");
        let mut worker = worker(&task_on("folder", op, &folder, &[("files", Scalar::Integer(20))]));
        worker.setup(1).unwrap();
        let observe = move || vec![0; std::fs::read_dir(&folder).unwrap().count()];
        assert_timed(worker.as_mut(), 1, observe, op);
    }
}

/// A queue that completes one transfer at each wait, in the order in which they came.
#[derive(Default)]
struct InOrder {
    under_way: VecDeque<(usize, i64)>,
    complete: Option<(usize, i64)>,
}

impl Queue for InOrder {
    fn push(&mut self, transfer: &Transfer<'_>) {
        self.under_way.push_back((transfer.slot, i64::try_from(transfer.length).unwrap()));
    }

    fn submit(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn submit_and_wait(&mut self) -> io::Result<()> {
        self.complete = self.under_way.pop_front();
        Ok(())
    }

    fn withdraw(&mut self) -> usize {
        0
    }

    fn pop(&mut self) -> Option<(usize, i64)> {
        self.complete.take()
    }
}

/// A job of `count` reads, of which `timed` are timed.
fn job(count: usize, timed: u64, slots: usize) -> Job {
    let (_folder, file) = filled();
    let request = |place: usize| Request { offset: place as u64 * 512, length: 512, write: false, place: None };
    let mut notes = Notes::new(false);
    notes.clear(count, timed);
    let requests = (0..count).map(request).collect();
    let memory = Memory::new(slots, 512, false).unwrap();
    Job { file: std::fs::File::open(file).unwrap(), requests, memory, notes }
}

/// Carry out a job with a clock that shows one microsecond more at each reading.
fn carry_out(engine: &mut dyn Engine, job: &mut Job) {
    let mut ns = 0;
    let _clock = planted_clock::show(move || {
        ns += 1000;
        ns
    });
    engine.carry_out(job, 0..job.requests.len()).unwrap();
}

#[test]
fn the_latency_of_a_request_under_way_ends_when_it_is_complete() {
    for depth in [1, 2, 8] {
        let mut job = job(16, 16, depth);
        carry_out(&mut Queued::new(InOrder::default(), depth), &mut job);
        // Each wait takes a microsecond, and as many requests wait as are under way.
        let right: Vec<u64> = (1..=16).map(|wait| 1000 * wait.min(depth as u64)).collect();
        assert_eq!(job.notes.latencies, right, "depth {depth}");
        assert_eq!((job.notes.deepest, job.notes.complete, job.notes.moved), (depth, 16, 16 * 512));
    }
}

#[test]
fn the_latency_of_a_request_is_without_those_before_it() {
    // Every second request is timed: at its begin and at its end.
    let mut some = job(6, 3, 1);
    carry_out(&mut Psync, &mut some);
    assert_eq!((some.notes.latencies.as_slice(), some.notes.readings), ([1000; 3].as_slice(), 6));
    // Where all are, the end of one is the begin of the next.
    let mut all = job(6, 6, 1);
    carry_out(&mut Psync, &mut all);
    assert_eq!((all.notes.latencies.as_slice(), all.notes.readings), ([1000; 6].as_slice(), 7));
    assert_eq!((all.notes.deepest, all.notes.complete), (1, 6));
}
