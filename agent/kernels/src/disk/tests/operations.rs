//! Every operation does what its name and its parameters say.

#![allow(clippy::unwrap_used)]

use super::own_files::nameless;
use super::{filled, run, task, task_on, worker, SPAN};
use crate::disk::FILE_OPS;
use crate::pattern;
use crate::tests::thorough;
use std::os::unix::fs::FileExt;
use std::path::Path;
use virtometer_protocol::Scalar;
use virtometer_sampling::CheckValue;

/// One iteration: its check, and which blocks of 4096 bytes of the file it has changed.
fn iteration(op: &str, repeats: u64, more: &[(&str, Scalar)]) -> (CheckValue, Vec<usize>) {
    let (_folder, file) = filled();
    let before = std::fs::read(&file).unwrap();
    let mut worker = worker(&task(op, &file, more));
    worker.setup(repeats).unwrap();
    assert_eq!(worker.run(repeats).unwrap().work, repeats * if op.starts_with("seq") { 4096 } else { 1 });
    let after = std::fs::read(&file).unwrap();
    let changed = before.chunks(4096).zip(after.chunks(4096)).enumerate().filter(|(_, (one, other))| one != other);
    (worker.verify().unwrap(), changed.map(|(block, _)| block).collect())
}

#[test]
fn requests_read_or_write_in_order_or_anywhere_as_their_operation_says() {
    // The checksum that KERNELS.md defines, over the first words of the blocks in their order.
    let in_order = (0..8u64).fold(0u64, |sum, block| sum.rotate_left(1) ^ pattern::word(block * 512));
    assert_eq!(iteration("sequential-read", 8, &[]), (CheckValue::Checksum(in_order), vec![]));
    let (check, changed) = iteration("random-read", 8, &[]);
    assert!(matches!(check, CheckValue::Checksum(sum) if sum != in_order) && changed.is_empty());
    assert_eq!(iteration("sequential-write", 8, &[]), (CheckValue::Count(8), (0..8).collect()));
    let (check, changed) = iteration("random-write", 200, &[]);
    // Of 257 blocks.
    assert!(check == CheckValue::Count(200) && (100..200).contains(&changed.len()), "{}", changed.len());
}

#[test]
fn the_offsets_follow_from_the_seed_and_the_alignment() {
    let seed = |seed| iteration("random-read", 8, &[("seed", Scalar::Integer(seed))]).0;
    assert_eq!(seed(1), seed(1));
    assert_ne!(seed(1), seed(2));
    let folder = tempfile::tempdir().unwrap();
    let seeks = |seed| {
        let given = [("seed", Scalar::Integer(seed)), ("span", Scalar::Integer(SPAN))];
        let mut worker = worker(&task("seeks", &folder.path().join("own"), &given));
        worker.setup(9).unwrap();
        worker.run(9).unwrap();
        worker.verify().unwrap()
    };
    assert_eq!(seeks(1), seeks(1));
    assert_ne!(seeks(1), seeks(2));
    let names = |seed| {
        let many = folder.path().join("many");
        let given = [("seed", Scalar::Integer(seed)), ("files", Scalar::Integer(9))];
        let mut worker = worker(&task_on("folder", "stat-random", &many, &given));
        worker.setup(1).unwrap();
        let names = std::fs::read_dir(&many).unwrap().map(|entry| entry.unwrap().file_name());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(1), names(1));
    assert_ne!(names(1), names(2));
    let align = ("align", Scalar::Integer(65536));
    let (_, changed) = iteration("random-write", 100, std::slice::from_ref(&align));
    assert!(changed.len() > 8 && changed.iter().all(|block| block % 16 == 0), "{changed:?}");
}

#[test]
fn requests_go_through_the_page_cache_where_that_is_asked_for() {
    let (folder, file) = filled();
    let new = folder.path().join("new");
    for (op, file, span) in [("random-read", &file, 0), ("random-write", &file, 0), ("fill", &new, SPAN)] {
        let given = [("direct", Scalar::Boolean(false)), ("span", Scalar::Integer(span))];
        let conditions = run(&task(op, file, &given)).unwrap().0.conditions;
        assert_eq!([&conditions["io"], &conditions["io_reason"]], ["buffered", "direct was not asked for"], "{op}");
        let conditions = run(&task(op, file, &[("span", Scalar::Integer(span))])).unwrap().0.conditions;
        assert!(conditions["io"] == "direct" || conditions["io_reason"].contains("refused"), "{op}");
    }
}

#[test]
fn blocks_lie_on_the_pages_that_are_asked_for() {
    let (_folder, file) = filled();
    let huge_pages = |op, verify: &str, pages: Option<&str>| {
        let mut given = vec![("size", Scalar::Integer(1 << 18)), ("verify", Scalar::Text(verify.into()))];
        given.extend(pages.map(|pages| ("pages", Scalar::Text(pages.into()))));
        run(&task(op, &file, &given)).map(|(outcome, _)| outcome.conditions["huge_pages"].clone())
    };
    for op in ["sequential-read", "sequential-write"] {
        // With `full` all blocks of an iteration are kept: the memory grows.
        for verify in ["sample", "full"] {
            if (op == "sequential-read") != (verify == "full") && !thorough() {
                continue;
            }
            for small in [None, Some("small")] {
                let found = huge_pages(op, verify, small).unwrap();
                assert!(["no", "unknown"].contains(&found.as_str()), "{op} {verify} {small:?}: {found}");
            }
            match huge_pages(op, verify, Some("huge")) {
                Ok(found) => assert!(["yes", "unknown"].contains(&found.as_str()), "{op} {verify}: {found}"),
                // This system does not give them, or not now.
                Err(failure) => assert!(failure.message.starts_with("pages is huge, and"), "{failure}"),
            }
        }
    }
}

#[test]
fn rates_beside_the_value_are_those_of_the_samples() {
    let (_folder, file) = filled();
    for (op, name, factor) in [("random-read", "throughput", 8192.0), ("sequential-read", "io-rate", 1.0 / 8192.0)] {
        let task = task(op, &file, &[("size", Scalar::Integer(8192))]);
        let (kernel, known) = crate::find("disk", op).unwrap();
        let factory = crate::make(kernel, known, &task).unwrap();
        let (mut work, mut ns) = (0, 0);
        let outcome = virtometer_sampling::prepare(&task, known.unit, &factory)
            .unwrap()
            .run(&mut |samples| {
                for sample in samples.iter().map(|sample| sample.sample()) {
                    work += sample.work;
                    ns += sample.end_ns - sample.start_ns;
                }
            })
            .unwrap();
        #[allow(clippy::cast_precision_loss)] // small
        let right = work as f64 * factor / (ns as f64 * 1e-9);
        let told = outcome.extras.measures()[name].value;
        assert!((told / right - 1.0).abs() < 1e-9, "{op}: {told} and not {right}");
    }
}

/// Where the file position of the one file is that was made under `path` and has lost its name.
fn position(path: &Path) -> u64 {
    let wanted = format!("{} (deleted)", path.display());
    let all = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let own = all.filter(|one| std::fs::read_link(one.path()).is_ok_and(|to| to.to_string_lossy() == wanted));
    let told: Vec<String> = own.map(|one| one.path().to_string_lossy().replace("/fd/", "/fdinfo/")).collect();
    assert_eq!(told.len(), 1);
    let told = std::fs::read_to_string(&told[0]).unwrap();
    told.lines().find_map(|line| line.strip_prefix("pos:")).unwrap().trim().parse().unwrap()
}

/// How an operation goes through a file of 32 records.
#[derive(Clone, Copy)]
enum Pattern {
    Forward,
    Backward,
    /// Every 17th record, and then those behind them.
    Stride,
    Anywhere,
}

#[test]
fn whole_files_are_used_as_their_operation_says() {
    use Pattern::{Anywhere, Backward, Forward, Stride};
    // Operation; whether the file is empty, cold or warm at first; whether the file position moves; the order of reads.
    let known: [(&str, &str, bool, Option<Pattern>); 14] = [
        ("write", "empty", true, None),
        ("rewrite", "warm", true, None),
        ("read", "cold", true, Some(Forward)),
        ("reread", "warm", true, Some(Forward)),
        ("pwrite", "empty", false, None),
        ("repwrite", "warm", false, None),
        ("pread", "cold", false, Some(Forward)),
        ("repread", "warm", false, Some(Forward)),
        ("backward-read", "warm", false, Some(Backward)),
        ("stride-read", "warm", false, Some(Stride)),
        ("char-write", "empty", true, None),
        ("char-read", "cold", true, Some(Forward)),
        ("read-rewrite", "cold", true, Some(Forward)),
        ("seeks", "cold", true, Some(Anywhere)),
    ];
    assert!(known.iter().map(|one| one.0).eq(FILE_OPS.iter().map(|file_op| file_op.op)));
    let stride: Vec<u64> = (0..17).flat_map(|first| [first, first + 17]).filter(|record| *record < 32).collect();
    for (op, begin, moves, reads) in known {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("own");
        let mut worker = worker(&task(op, &file, &[("span", Scalar::Integer(32 * 4096))]));
        worker.setup(1).unwrap();
        assert_eq!(worker.conditions().contains_key("page_cache"), begin == "cold", "{op}");
        let length = nameless(&file)[0].metadata().unwrap().len();
        assert_eq!((length, position(&file)), (if begin == "empty" { 0 } else { 32 * 4096 }, 0), "{op}");
        worker.run(1).unwrap();
        assert_eq!(position(&file) > 0, moves, "{op}");
        let order: Vec<u64> = match reads {
            Some(Forward) => (0..32).collect(),
            Some(Backward) => (0..32).rev().collect(),
            Some(Stride) => stride.clone(),
            Some(Anywhere) | None => continue,
        };
        let sum = order.iter().fold(0u64, |sum, record| sum.rotate_left(1).wrapping_add(pattern::word(record * 512)));
        assert_eq!(worker.verify().unwrap(), CheckValue::Checksum(sum), "{op}");
    }
}

#[test]
fn records_have_the_size_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    for op in ["read", "repread", "char-read", "read-rewrite"] {
        let file = folder.path().join("own");
        let size = ("size", Scalar::Integer(8192));
        let given = [("span", Scalar::Integer(65536)), size];
        let mut worker = worker(&task(op, &file, &given[..if op == "char-read" { 1 } else { 2 }]));
        worker.setup(1).unwrap();
        assert_eq!(worker.run(1).unwrap().work, 65536);
        // The first words of all records; bytes go through a buffer of 4096.
        let words = if op == "char-read" { 512 } else { 1024 };
        let firsts = (0..65536 / 8 / words).map(|record| pattern::word(record * words));
        let sum = firsts.fold(0u64, |sum, word| sum.rotate_left(1).wrapping_add(word));
        assert_eq!(worker.verify().unwrap(), CheckValue::Checksum(sum), "{op}");
    }
}

#[test]
fn files_have_the_number_and_the_size_that_are_asked_for() {
    for op in ["create-sequential", "stat-random", "delete-sequential"] {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("many");
        let given = [("files", Scalar::Integer(30)), ("size", Scalar::Integer(100))];
        let mut worker = worker(&task_on("folder", op, &folder, &given));
        worker.setup(1).unwrap();
        let lengths = || -> Vec<u64> {
            let entries = std::fs::read_dir(&folder).unwrap();
            entries.map(|entry| entry.unwrap().metadata().unwrap().len()).collect()
        };
        assert_eq!(lengths(), if op.starts_with("create") { vec![] } else { vec![100; 30] }, "{op}");
        worker.run(1).unwrap();
        assert_eq!(lengths(), if op.starts_with("delete") { vec![] } else { vec![100; 30] }, "{op}");
    }
}

#[test]
fn one_of_ten_records_that_are_read_at_random_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own");
    let mut worker = worker(&task("seeks", &file, &[("span", Scalar::Integer(1 << 20))]));
    worker.setup(200).unwrap();
    worker.run(200).unwrap();
    let (own, mut content) = (&nameless(&file)[0], vec![0; 1 << 20]);
    own.read_exact_at(&mut content, 0).unwrap();
    // The second word of a record tells the pass in which it was written.
    let changed = content.chunks(4096).filter(|record| record[8..16] == 1u64.to_le_bytes()).count();
    // Twenty of 256, some of them twice.
    assert!((14..=20).contains(&changed), "{changed}");
}

#[test]
fn names_have_their_numbers_first_or_last() {
    for (op, random) in [("stat-sequential", false), ("stat-random", true)] {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("many");
        let mut worker = worker(&task_on("folder", op, &folder, &[("files", Scalar::Integer(200))]));
        worker.setup(1).unwrap();
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let digits = names.filter(|name| name.to_string_lossy().starts_with(|one: char| one.is_ascii_digit())).count();
        // One random name of thirteen has no letters.
        assert!(if random { digits < 60 } else { digits == 200 }, "{op}: {digits}");
        drop(worker);
    }
}
