//! Every engine does the same, whatever is asked for, and finds what is wrong.

#![allow(clippy::unwrap_used)]

use super::{filled, run, task, worker, BYTES};
use crate::disk::stamp;
use crate::pattern;
use crate::tests::thorough;
use virtometer_protocol::{Code, Scalar};

/// Every engine, with a depth that it has.
pub(super) const WAYS: &[(&str, i64)] =
    &[("psync", 1), ("libaio", 1), ("libaio", 8), ("io_uring", 1), ("io_uring", 8), ("io_uring", 100)];

/// Whether this system has an engine: where it has not, it says so in one sentence.
pub(super) fn offered(engine: &str) -> bool {
    let (_folder, file) = filled();
    match run(&task("random-read", &file, &[("engine", Scalar::Text(engine.into()))])) {
        Ok(_) => true,
        Err(failure) => {
            assert_eq!(failure.code, Code::NotSupported, "{failure}");
            assert!(failure.message.contains("does not offer the engine"), "{failure}");
            false
        }
    }
}

#[test]
fn every_engine_moves_the_pattern_whatever_the_mix() {
    let (_folder, file) = filled();
    let before = std::fs::read(&file).unwrap();
    let mix = "4K share=40 read=50 random=50, 512 share=30 align=4K, 64K share=30 read=20 random=100";
    let mut clock_shares = Vec::new();
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        for direct in [true, false] {
            for (verify, threads) in [("none", 1), ("sample", 2), ("full", 1)] {
                // Direct with one full check, buffered with two threads.
                if [(true, "full"), (false, "sample")].iter().all(|one| *one != (direct, verify)) && !thorough() {
                    continue;
                }
                let mut task = task(
                    "access",
                    &file,
                    &[
                        ("engine", Scalar::Text((*engine).into())),
                        ("depth", Scalar::Integer(*depth)),
                        ("direct", Scalar::Boolean(direct)),
                        ("verify", Scalar::Text(verify.into())),
                        ("mix", Scalar::Text(mix.into())),
                    ],
                );
                task.threads = threads;
                let (outcome, work) = run(&task).unwrap();
                let extras = (outcome.extras.measures(), outcome.extras.histograms());
                let noted: u64 = extras.1["latency"].counts.iter().map(|(_, count)| count).sum();
                assert!(noted > 0 && noted <= work, "{noted} of {work} requests are in the histogram");
                clock_shares.push(extras.0["clock-share"].value);
                assert!(extras.0["throughput"].value > 0.0);
                // Windows counts processor time in steps that are about as long as the run.
                assert!(extras.0.get("cpu-per-io").map_or(cfg!(windows), |each| each.value > 0.0));
            }
        }
    }
    assert!(std::fs::read(&file).unwrap() == before);
    // Where reading the clock costs too much only some requests are timed. How many is decided from
    // the work before, which a busy host slows down: a single run says little.
    clock_shares.sort_by(f64::total_cmp);
    assert!(clock_shares[0] > 0.0 && clock_shares[clock_shares.len() / 2] < 0.02, "{clock_shares:?}");
}

/// Reads of a block by one call each, and the calls of the two queues of the system.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn every_engine_makes_the_system_calls_that_its_name_says() {
    use crate::tests::system_calls::system_calls;
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        let (_folder, file) = filled();
        let parameters = [("engine", Scalar::Text((*engine).into())), ("depth", Scalar::Integer(*depth))];
        let task = task("random-read", &file, &parameters);
        let calls = system_calls(|| {
            let mut worker = worker(&task);
            worker.setup(400).unwrap();
            worker.run(400).unwrap();
        });
        let count = |number| {
            let known = |calls: &Vec<_>| {
                calls.iter().filter(|call: &&crate::tests::system_calls::Call| call.number == number).count()
            };
            calls.as_ref().map(known)
        };
        let numbers = [libc::SYS_pread64, libc::SYS_io_submit, libc::SYS_io_getevents, libc::SYS_io_uring_enter];
        let [reads, submits, events, enters] = numbers.map(count);
        let few = |count: Option<usize>| count.is_none_or(|count| count < 100);
        let many = |count: Option<usize>| count.is_none_or(|count| count >= 400 / usize::try_from(*depth).unwrap());
        let right = match *engine {
            "psync" => many(reads) && few(submits) && few(events) && few(enters),
            "libaio" => few(reads) && many(submits) && many(events) && few(enters),
            _ => few(reads) && few(submits) && few(events) && many(enters),
        };
        assert!(right, "{engine} {depth}: {reads:?} {submits:?} {events:?} {enters:?}");
    }
}

#[test]
fn every_engine_really_writes() {
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        for sync in ["none", "each"] {
            let (_folder, file) = filled();
            let parameters = [
                ("engine", Scalar::Text((*engine).into())),
                ("depth", Scalar::Integer(*depth)),
                ("sync", Scalar::Text(sync.into())),
            ];
            let mut worker = worker(&task("sequential-write", &file, &parameters));
            // Zeroes, which every block written replaces.
            std::fs::write(&file, vec![0; BYTES + 4096]).unwrap();
            worker.setup(257).unwrap();
            let stretch = worker.run(257).unwrap();
            let stamped = std::fs::read(&file).unwrap();
            assert_eq!(stamp::first_foreign(&stamped, 0), None);
            assert!(stamp::differences(&stamped, 0).all(|(_, difference)| difference != 0), "a stamp in every word");
            worker.verify().unwrap();
            worker.finish().unwrap();
            let mut expected = vec![0; BYTES + 4096];
            pattern::fill(&mut expected, 0);
            // An iteration has at least four rounds: here the file is then written more than once.
            assert_eq!(stretch.work, 4096 * 257.max(4 * u64::try_from(*depth).unwrap()));
            assert!(std::fs::read(&file).unwrap() == expected, "{engine} {depth}");
        }
    }
}

#[test]
fn every_engine_reports_a_planted_wrong_word_and_a_file_that_became_shorter() {
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        for direct in [true, false] {
            let (_folder, file) = filled();
            let parameters = [
                ("engine", Scalar::Text((*engine).into())),
                ("depth", Scalar::Integer(*depth)),
                ("direct", Scalar::Boolean(direct)),
            ];
            let mut worker = worker(&task("sequential-read", &file, &parameters));
            worker.setup(257).unwrap();
            worker.run(257).unwrap();
            worker.verify().unwrap();
            let mut wrong = std::fs::read(&file).unwrap();
            wrong[40960] ^= 1;
            std::fs::write(&file, &wrong).unwrap();
            worker.setup(257).unwrap();
            worker.run(257).unwrap();
            let failure = worker.verify().unwrap_err();
            assert_eq!(failure.code, Code::CheckFailed, "{failure}");
            assert!(failure.message.contains("at byte 40960"), "{failure}");
            std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(100_000).unwrap();
            worker.setup(257).unwrap();
            assert_eq!(worker.run(257).unwrap_err().code, Code::IoError);
            // Nothing is under way any more: what is made ready next is carried out.
            std::fs::write(&file, vec![0; BYTES + 4096]).unwrap();
            worker.setup(257).unwrap();
            worker.run(257).unwrap();
        }
    }
}

#[test]
fn a_wrong_byte_within_a_block_is_found_by_full_verification() {
    for (engine, depth) in WAYS.iter().filter(|(engine, _)| offered(engine)) {
        for op in ["sequential-read", "sequential-write"] {
            let (_folder, file) = filled();
            let parameters = [
                ("engine", Scalar::Text((*engine).into())),
                ("depth", Scalar::Integer(*depth)),
                ("verify", Scalar::Text("full".into())),
            ];
            let mut worker = worker(&task(op, &file, &parameters));
            let plant = || {
                let mut wrong = std::fs::read(&file).unwrap();
                wrong[40960 + 1234] ^= 1;
                std::fs::write(&file, &wrong).unwrap();
            };
            worker.setup(257).unwrap();
            if op == "sequential-read" {
                plant();
                worker.run(257).unwrap();
            } else {
                worker.run(257).unwrap();
                plant();
            }
            let failure = worker.verify().unwrap_err();
            assert!(failure.message.contains(&format!("at byte {}", 40960 + 1232)), "{failure}");
        }
    }
}
