//! Operations on files of their own: every one does what it says, reports what is wrong, and leaves nothing.

#![allow(clippy::unwrap_used, clippy::type_complexity)]

use super::{run, task, task_on, worker, SPAN};
use crate::disk::FILE_OPS;
use crate::pattern;
use crate::tests::thorough;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use virtometer_protocol::{Code, Scalar};

fn text(value: &str) -> Scalar {
    Scalar::Text(value.into())
}

fn left_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

/// Another way to files that have lost their names: those of this process that were made under `path`.
pub(super) fn nameless(path: &Path) -> Vec<std::fs::File> {
    let wanted = format!("{} (deleted)", path.display());
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let found = descriptors
        .filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target.to_string_lossy() == wanted));
    found.map(|entry| std::fs::OpenOptions::new().read(true).write(true).open(entry.path()).unwrap()).collect()
}

#[test]
fn a_file_has_the_whole_records_that_fit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own");
    let parameters = [("span", Scalar::Integer(10_240)), ("size", Scalar::Integer(4096)), ("verify", text("full"))];
    for op in ["write", "rewrite", "read", "backward-read", "stride-read"] {
        let (_, work) = run(&task(op, &file, &parameters)).unwrap();
        assert!(work > 0 && work % 8192 == 0, "{op}: {work}");
    }
}

#[test]
fn every_operation_on_a_file_counts_its_bytes_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own");
    let ways = [
        (false, "none", "sample", 1),
        (false, "end", "full", 2),
        (true, "each", "full", 1),
        (false, "none", "none", 1),
    ];
    for (number, file_op) in FILE_OPS.iter().enumerate() {
        for (way, (direct, sync, verify, threads)) in ways.into_iter().enumerate() {
            // The first and the third, then the others.
            if number % 2 != way % 2 && !thorough() {
                continue;
            }
            let (span, direct, verify) = (Scalar::Integer(SPAN), Scalar::Boolean(direct), text(verify));
            let parameters = [("span", span), ("direct", direct), ("sync", text(sync)), ("verify", verify)];
            let mut task = task(file_op.op, &file, &parameters);
            task.threads = threads;
            let (outcome, work) = run(&task).unwrap_or_else(|failure| panic!("{}: {failure}", file_op.op));
            assert!(outcome.value > 0.0);
            if file_op.op != "seeks" {
                assert_eq!(work % u64::try_from(SPAN).unwrap(), 0, "{}", file_op.op);
            }
            assert!(outcome.extras.measures()["cpu-per-io"].value > 0.0);
            assert_eq!(left_in(folder.path()), 0, "{}", file_op.op);
        }
    }
}

/// Bytes of the file after one iteration of `op` with records of 4096 bytes.
fn content_after(op: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own");
    let mut worker = worker(&task(op, &file, &[("span", Scalar::Integer(65536))]));
    worker.setup(1).unwrap();
    let stretch = worker.run(1).unwrap();
    assert_eq!(stretch.work, 65536);
    worker.verify().unwrap();
    let mut content = Vec::new();
    let mut file = nameless(&file).pop().unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut content).unwrap();
    content
}

#[test]
fn what_is_written_is_known() {
    let record = |number: u64| -> Vec<u8> {
        let words = (0..512).map(|place| match place {
            0 => pattern::word(number * 512),
            // The first pass.
            1 => 1,
            place => pattern::word(place),
        });
        words.flat_map(u64::to_le_bytes).collect()
    };
    let written: Vec<u8> = (0..16).flat_map(record).collect();
    for op in ["write", "rewrite", "pwrite", "repwrite", "char-write", "read-rewrite"] {
        assert!(content_after(op) == written, "{op}");
    }
}

#[test]
fn a_planted_wrong_byte_is_reported_by_every_operation_that_reads_or_writes_it() {
    use std::os::unix::fs::FileExt;
    for file_op in FILE_OPS {
        for (at, verify) in [(8 * 4096, "sample"), (8 * 4096 + 100, "full")] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("own");
            let span = Scalar::Integer(65536);
            let mut worker = worker(&task(file_op.op, &file, &[("span", span), ("verify", text(verify))]));
            let plant = || nameless(&file).iter().for_each(|file| file.write_all_at(&[0xEE], at).unwrap());
            let repeats = if file_op.op == "seeks" { 500 } else { 1 };
            worker.setup(repeats).unwrap();
            let writes = ["write", "rewrite", "pwrite", "repwrite", "char-write"].contains(&file_op.op);
            // What is read must be wrong before; what is written is looked at afterwards.
            if !writes {
                plant();
            }
            worker.run(repeats).unwrap();
            if writes {
                plant();
            }
            let found = worker.verify().and_then(|_| worker.finish());
            if verify == "full" || !writes {
                let failure = found.unwrap_err();
                assert_eq!(failure.code, Code::CheckFailed, "{}: {failure}", file_op.op);
                assert!(failure.message.contains(&format!("at byte {}", at / 8 * 8)), "{}: {failure}", file_op.op);
            }
        }
    }
}

#[test]
fn files_are_open_as_asked_and_nothing_of_those_that_are_read_cold_is_in_the_page_cache() {
    use crate::disk::page_cache::{cached_bytes, evict};
    use rustix::fs::{fcntl_getfl, OFlags};
    // Beside the program: a folder for temporary files may be a file system that has no other place for its files.
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let file = folder.path().join("own");
    for (direct, sync) in [(false, "none"), (false, "each"), (true, "each"), (true, "none")] {
        for (op, cold) in [("read", true), ("reread", false), ("read-rewrite", true), ("write", false), ("seeks", true)]
        {
            let span = ("span", Scalar::Integer(65536));
            let parameters = [span, ("direct", Scalar::Boolean(direct)), ("sync", text(sync))];
            let mut worker = worker(&task(op, &file, &parameters));
            worker.setup(1).unwrap();
            let conditions = worker.conditions();
            let ours = format!("{} (deleted)", file.display());
            let all = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
            let own = all.filter(|one| std::fs::read_link(one.path()).is_ok_and(|to| to.to_string_lossy() == ours));
            let mut count = 0;
            for entry in own {
                let information = entry.path().to_string_lossy().replace("/fd/", "/fdinfo/");
                let information = std::fs::read_to_string(information).unwrap();
                let octal = information.lines().find_map(|line| line.strip_prefix("flags:")).unwrap().trim();
                let flags = OFlags::from_bits_retain(u32::from_str_radix(octal, 8).unwrap());
                assert_eq!(flags.contains(OFlags::DSYNC), sync == "each", "{op} {direct} {sync}");
                assert_eq!(flags.contains(OFlags::DIRECT), conditions["io"] == "direct", "{op} {direct} {sync}");
                count += 1;
            }
            assert_eq!(count, 1, "{op}");
            let other = &nameless(&file)[0];
            assert!(!fcntl_getfl(other).unwrap().contains(OFlags::DSYNC));
            assert_eq!(conditions.contains_key("page_cache"), cold, "{op}");
            if cold {
                let before = cached_bytes(other).unwrap();
                evict(other).unwrap();
                let evictable = cached_bytes(other) == Some(0);
                assert_eq!(before == 0, evictable, "{op}: {before} bytes are in the page cache");
                assert_eq!(conditions["page_cache"], if evictable { "empty" } else { "holds the file" });
            }
        }
    }
}

#[test]
fn a_pass_that_ends_with_fsync_leaves_nothing_to_be_written_back() {
    use crate::disk::page_cache::dirty_bytes;
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let file = folder.path().join("own");
    let dirty_after = |sync: &str| {
        let parameters = [("span", Scalar::Integer(1 << 20)), ("sync", text(sync)), ("verify", text("none"))];
        let mut worker = worker(&task("write", &file, &parameters));
        worker.setup(1).unwrap();
        worker.run(1).unwrap();
        let dirty = nameless(&file).iter().map(dirty_bytes).next().unwrap();
        worker.verify().unwrap();
        dirty
    };
    // Linux before 6.5 does not tell, and a file system may keep pages in its journal: then the check counts calls
    // alone.
    if let (Some(without), Some(with)) = (dirty_after("none"), dirty_after("end")) {
        assert!(with < without || without == 0, "{with} bytes of {without}");
    }
    assert!(dirty_after("each").unwrap_or(0) == dirty_after("end").unwrap_or(0));
}

#[test]
fn a_file_that_is_shorter_than_it_should_be_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own");
    for op in ["write", "reread", "char-read"] {
        let mut worker = worker(&task(op, &file, &[("span", Scalar::Integer(65536))]));
        worker.setup(1).unwrap();
        if op == "write" {
            worker.run(1).unwrap();
            nameless(&file)[0].set_len(65535).unwrap();
            assert_eq!(worker.verify().unwrap_err().code, Code::CheckFailed);
        } else {
            nameless(&file)[0].set_len(65535).unwrap();
            assert_eq!(worker.run(1).unwrap_err().code, Code::IoError);
        }
    }
}

const NAMES: &[&str] =
    &["create-sequential", "stat-sequential", "delete-sequential", "create-random", "stat-random", "delete-random"];

#[test]
fn files_are_made_and_removed_and_nothing_is_left() {
    for existing in [false, true] {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("many");
        if existing {
            std::fs::create_dir(&folder).unwrap();
        }
        for op in NAMES {
            for (size, threads) in [(0, 1), (100, 2)] {
                let mut task =
                    task_on("folder", op, &folder, &[("files", Scalar::Integer(100)), ("size", Scalar::Integer(size))]);
                task.threads = threads;
                let (_, work) = run(&task).unwrap();
                assert!(work >= 100 && work % 100 == 0, "{op}");
                assert_eq!(left_in(outer.path()), usize::from(existing), "{op}");
            }
        }
    }
}

#[test]
fn planted_wrong_files_are_reported() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("many");
    for (op, wrong) in [
        ("create-sequential", "content"),
        ("create-random", "missing"),
        ("stat-random", "content"),
        ("delete-sequential", "more"),
    ] {
        let mut worker =
            worker(&task_on("folder", op, &folder, &[("files", Scalar::Integer(10)), ("size", Scalar::Integer(64))]));
        worker.setup(1).unwrap();
        let plant = || {
            let one = std::fs::read_dir(&folder).unwrap().flatten().next();
            match wrong {
                "content" => std::fs::write(one.unwrap().path(), [7; 63]).unwrap(),
                "missing" => std::fs::remove_file(one.unwrap().path()).unwrap(),
                _ => std::fs::write(folder.join("somebody's"), []).unwrap(),
            }
        };
        if op.starts_with("stat") {
            plant();
        }
        worker.run(1).unwrap();
        if !op.starts_with("stat") {
            plant();
        }
        let failure = worker.verify().unwrap_err();
        assert_eq!(failure.code, Code::CheckFailed, "{op}: {failure}");
        drop(worker);
        // What somebody else has put there stays.
        assert_eq!(left_in(outer.path()), usize::from(wrong == "more"));
        let _ = std::fs::remove_file(folder.join("somebody's"));
        let _ = std::fs::remove_dir(&folder);
    }
}

#[test]
fn nothing_that_exists_is_touched_and_bad_input_gets_its_code() {
    let folder = tempfile::tempdir().unwrap();
    let taken = folder.path().join("taken");
    std::fs::write(&taken, b"a letter").unwrap();
    let free = folder.path().join("free");
    let nowhere = folder.path().join("no/where");
    let integer = Scalar::Integer;
    let cases: &[(&str, &str, &Path, &[(&str, Scalar)], Code)] = &[
        ("write", "file", &taken, &[], Code::NotPermitted),
        ("reread", "file", &taken, &[], Code::NotPermitted),
        ("seeks", "file", folder.path(), &[], Code::NotPermitted),
        ("write", "file", &nowhere, &[], Code::NotFound),
        ("write", "file", &free, &[("size", integer(0))], Code::BadArguments),
        ("write", "file", &free, &[("size", integer(1000))], Code::BadArguments),
        ("write", "file", &free, &[("span", integer(0))], Code::BadArguments),
        ("write", "file", &free, &[("span", integer(4096 - 512))], Code::BadArguments),
        ("write", "file", &free, &[("size", integer(512)), ("direct", Scalar::Boolean(true))], Code::BadArguments),
        ("write", "file", &free, &[("sync", text("often"))], Code::BadArguments),
        ("write", "file", &free, &[("depth", integer(2))], Code::BadArguments),
        ("write", "file", &free, &[("span", integer(1 << 50))], Code::NoSpace),
        ("char-write", "file", &free, &[("size", integer(4096))], Code::BadArguments),
        ("create-random", "folder", folder.path(), &[], Code::NotPermitted),
        ("create-random", "folder", &taken, &[], Code::NotFound),
        ("create-random", "folder", &nowhere, &[], Code::NotFound),
        ("create-random", "folder", &free, &[("files", integer(0))], Code::BadArguments),
        ("stat-random", "folder", &free, &[("size", integer(1 << 30))], Code::BadArguments),
    ];
    for (op, parameter, path, parameters, code) in cases {
        let failure = run(&task_on(parameter, op, path, parameters)).unwrap_err();
        assert_eq!(failure.code, *code, "{op} {parameters:?}: {failure}");
    }
    assert_eq!(std::fs::read(&taken).unwrap(), b"a letter");
    assert_eq!(left_in(folder.path()), 1);
}
