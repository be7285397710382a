//! A write that does not happen is found, whatever writes; what was stamped is recognised, and the pattern is back in
//! the end.

#![allow(clippy::unwrap_used)]

use super::engines::{offered, WAYS};
use super::own_files::nameless;
use super::{filled, run, task, worker, Control, BYTES};
use crate::disk::stamp::{self, Worker as Stamper};
use crate::pattern;
use std::sync::Arc;
use virtometer_protocol::{Code, Failure, Scalar};
use virtometer_sampling::Task;

fn text(value: &str) -> Scalar {
    Scalar::Text(value.into())
}

/// What the file holds when it is filled.
fn whole_pattern() -> Vec<u8> {
    let mut whole = vec![0; BYTES + 4096];
    pattern::fill(&mut whole, 0);
    whole
}

/// Every way in which requests write: operation, and parameters.
fn ways() -> Vec<(&'static str, Vec<(&'static str, Scalar)>)> {
    let mut ways = Vec::new();
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        for op in ["sequential-write", "random-write", "access"] {
            for direct in [true, false] {
                for sync in ["none", "each"] {
                    for verify in ["sample", "full"] {
                        let mut parameters = vec![
                            ("engine", text(engine)),
                            ("depth", Scalar::Integer(*depth)),
                            ("direct", Scalar::Boolean(direct)),
                            ("sync", text(sync)),
                            ("verify", text(verify)),
                        ];
                        if op == "access" {
                            parameters.push(("mix", text("4K share=50 read=50, 64K share=50 read=20 random=50")));
                        }
                        ways.push((op, parameters));
                    }
                }
            }
        }
    }
    ways
}

fn assert_lost(outcome: Result<(), Failure>, what: &str) {
    let failure = outcome.expect_err(what);
    assert_eq!(failure.code, Code::CheckFailed, "{what}: {failure}");
}

#[test]
fn requests_that_write_nothing_are_found() {
    for (op, parameters) in ways() {
        let (_folder, file) = filled();
        let mut worker = worker(&task(op, &file, &parameters));
        worker.setup(40).unwrap();
        worker.run(40).unwrap();
        worker.verify().unwrap();
        worker.setup(40).unwrap();
        let before = std::fs::read(&file).unwrap();
        worker.run(40).unwrap();
        assert!(std::fs::read(&file).unwrap() != before, "{op} {parameters:?} has changed nothing");
        std::fs::write(&file, before).unwrap();
        assert_lost(worker.verify().map(drop), &format!("{op} {parameters:?}"));
        drop(worker);
        assert!(std::fs::read(&file).unwrap() == whole_pattern(), "{op} {parameters:?} leaves stamps");
    }
}

#[test]
fn a_last_write_that_is_lost_is_found() {
    let (_folder, file) = filled();
    let parameters = [("span", Scalar::Integer(4096)), ("verify", text("full"))];
    let mut worker = worker(&task("sequential-write", &file, &parameters));
    // The same block in every request: what an earlier one has written is no excuse.
    worker.setup(3).unwrap();
    worker.run(3).unwrap();
    let kept = std::fs::read(&file).unwrap();
    worker.verify().unwrap();
    worker.setup(3).unwrap();
    worker.run(3).unwrap();
    worker.verify().unwrap();
    std::fs::write(&file, kept).unwrap();
    assert_lost(worker.verify().map(drop), "the content of an earlier iteration");
}

#[test]
fn whole_files_that_are_not_written_are_found() {
    for (op, repeats) in [
        ("write", 1),
        ("rewrite", 2),
        ("pwrite", 2),
        ("repwrite", 1),
        ("char-write", 1),
        ("read-rewrite", 1),
        ("seeks", 500),
    ] {
        for (direct, sync) in [(false, "none"), (false, "end"), (true, "none"), (false, "each"), (true, "each")] {
            for verify in ["sample", "full"] {
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("own");
                let parameters = [
                    ("span", Scalar::Integer(65536)),
                    ("direct", Scalar::Boolean(direct)),
                    ("sync", text(sync)),
                    ("verify", text(verify)),
                ];
                let mut worker = worker(&task(op, &file, &parameters));
                worker.setup(repeats).unwrap();
                worker.run(repeats).unwrap();
                worker.verify().unwrap();
                worker.setup(repeats).unwrap();
                let files = nameless(&file);
                let before: Vec<Vec<u8>> = files.iter().map(content).collect();
                worker.run(repeats).unwrap();
                for (file, before) in files.iter().zip(&before) {
                    file.set_len(before.len() as u64).unwrap();
                    std::os::unix::fs::FileExt::write_all_at(file, before, 0).unwrap();
                }
                assert_lost(worker.verify().map(drop), &format!("{op} {direct} {sync} {verify}"));
            }
        }
    }
}

fn content(file: &std::fs::File) -> Vec<u8> {
    let mut content = vec![0; usize::try_from(file.metadata().unwrap().len()).unwrap()];
    std::os::unix::fs::FileExt::read_exact_at(file, &mut content, 0).unwrap();
    content
}

#[test]
fn a_fill_that_writes_nothing_is_found() {
    for direct in [true, false] {
        let (folder, file) = filled();
        let mut worker = worker(&task("fill", &file, &[("direct", Scalar::Boolean(direct))]));
        for _ in 0..2 {
            worker.setup(1).unwrap();
            let before = std::fs::read(&file).unwrap();
            assert!(before != whole_pattern(), "what is there already is no excuse");
            worker.run(1).unwrap();
            std::fs::write(&file, &before).unwrap();
        }
        assert_lost(worker.finish().map(drop), "fill");
        drop(worker);
        // A new file that stays empty.
        let new = folder.path().join("new");
        let parameters = [("span", Scalar::Integer(8192)), ("direct", Scalar::Boolean(direct))];
        let mut worker = super::worker(&task("fill", &new, &parameters));
        worker.setup(1).unwrap();
        worker.run(1).unwrap();
        std::fs::write(&new, []).unwrap();
        assert_lost(worker.finish().map(drop), "fill of a new file");
    }
}

/// A file in which an agent was killed that had written in the first half.
fn stamped() -> (tempfile::TempDir, std::path::PathBuf) {
    let (folder, file) = filled();
    let mut content = whole_pattern();
    let killed = Stamper::new();
    for (block, count) in content[..BYTES / 2].chunks_mut(4096).zip(0u64..) {
        stamp::fill(block, count * 4096, killed.stamp(count * 7));
    }
    std::fs::write(&file, content).unwrap();
    (folder, file)
}

#[test]
fn what_a_killed_agent_leaves_is_read_overwritten_and_filled() {
    let (_folder, file) = stamped();
    let left = std::fs::read(&file).unwrap();
    for op in ["sequential-read", "random-read"] {
        run(&task(op, &file, &[("verify", text("full"))])).unwrap();
    }
    assert!(std::fs::read(&file).unwrap() == left);
    for op in ["random-write", "sequential-write"] {
        for verify in ["sample", "full"] {
            run(&task(op, &file, &[("verify", text(verify))])).unwrap();
        }
    }
    let after = std::fs::read(&file).unwrap();
    let pattern = whole_pattern();
    assert!(after
        .chunks(8)
        .zip(left.chunks(8))
        .zip(pattern.chunks(8))
        .all(|((is, was), ought)| is == ought || is == was));
    run(&task("fill", &file, &[])).unwrap();
    assert!(std::fs::read(&file).unwrap() == pattern);
}

#[test]
fn writes_that_do_not_happen_are_found_in_what_a_killed_agent_leaves() {
    for verify in ["sample", "full"] {
        let (_folder, file) = stamped();
        let parameters = [("span", Scalar::Integer(65536)), ("verify", text(verify))];
        let mut worker = worker(&task("random-write", &file, &parameters));
        worker.setup(40).unwrap();
        let before = std::fs::read(&file).unwrap();
        worker.run(40).unwrap();
        std::fs::write(&file, before).unwrap();
        assert_lost(worker.verify().map(drop), verify);
    }
}

#[test]
fn agents_that_write_to_the_same_file_at_once_find_nothing_wrong() {
    for op in ["random-write", "sequential-write", "access"] {
        let (_folder, file) = filled();
        let parameters =
            [("verify", text("full")), ("span", Scalar::Integer(256 << 10)), ("size", Scalar::Integer(8192))];
        let mut parameters = parameters.to_vec();
        if op == "access" {
            parameters.push(("read", Scalar::Integer(50)));
        }
        let agents: Vec<_> = (0..3)
            .map(|seed| {
                let mut parameters = parameters.clone();
                parameters.push(("seed", Scalar::Integer(seed)));
                let mut task = task(op, &file, &parameters);
                task.seconds = 0.2;
                task.threads = 2;
                std::thread::spawn(move || run(&task).map(drop))
            })
            .collect();
        for agent in agents {
            agent.join().unwrap().unwrap();
        }
        assert!(std::fs::read(&file).unwrap() == whole_pattern(), "{op}");
    }
}

/// A task in slices of 5 ms, which nobody releases: its worker is called as the slices would.
fn in_slices(op: &str, file: &std::path::Path, parameters: &[(&str, Scalar)]) -> Task {
    Task { control: Arc::new(Control::in_slices(5_000_000, |_| {})), ..task(op, file, parameters) }
}

#[test]
fn agents_that_take_turns_in_the_same_file_find_nothing_wrong_and_leave_the_pattern() {
    for op in ["sequential-write", "random-write", "access"] {
        for (direct, sync) in [(true, "none"), (true, "each"), (false, "each")] {
            let (_folder, file) = filled();
            let parameters = [
                ("span", Scalar::Integer(65536)),
                ("direct", Scalar::Boolean(direct)),
                ("sync", text(sync)),
                ("verify", text("full")),
            ];
            let mut agents: Vec<_> = (0..3).map(|_| worker(&in_slices(op, &file, &parameters))).collect();
            for round in 0..4 {
                for turn in 0..3 {
                    let agent = &mut agents[(turn + round) % 3];
                    agent.setup(16).unwrap();
                    agent.run(16).unwrap();
                    agent.verify().unwrap();
                }
            }
            // Each finds at its end what those before it have left, which is the pattern where they were the last.
            for agent in &mut agents {
                agent.finish().unwrap();
            }
            assert!(std::fs::read(&file).unwrap() == whole_pattern(), "{op} {direct} {sync}");
        }
    }
}

#[test]
fn a_write_that_is_lost_within_a_slice_is_found() {
    for verify in ["sample", "full"] {
        let (_folder, file) = filled();
        let parameters = [("span", Scalar::Integer(65536)), ("verify", text(verify))];
        let (mut one, mut other) = (
            worker(&in_slices("sequential-write", &file, &parameters)),
            worker(&in_slices("sequential-write", &file, &parameters)),
        );
        for agent in [&mut other, &mut one] {
            agent.setup(16).unwrap();
            agent.run(16).unwrap();
            agent.verify().unwrap();
        }
        let before = std::fs::read(&file).unwrap();
        other.setup(16).unwrap();
        other.run(16).unwrap();
        std::fs::write(&file, before).unwrap();
        assert_lost(other.verify().map(drop), verify);
    }
}

#[test]
fn the_clock_is_read_no_more_often_than_the_work_affords() {
    let (_folder, file) = filled();
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        let parameters =
            [("engine", text(engine)), ("depth", Scalar::Integer(*depth)), ("direct", Scalar::Boolean(false))];
        let (outcome, work) = run(&task("random-read", &file, &parameters)).unwrap();
        let timed: u64 = outcome.extras.histograms()["latency"].counts.iter().map(|(_, count)| count).sum();
        let share = outcome.extras.measures()["clock-share"].value;
        assert!(timed > 0 && timed <= work && share > 0.0, "{timed} of {work}, {share}");
    }
}
