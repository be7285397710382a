#![allow(clippy::unwrap_used, clippy::type_complexity)]

mod engines;
#[cfg(unix)]
mod lost_writes;
#[cfg(unix)]
mod operations;
#[cfg(unix)]
mod own_files;
#[cfg(unix)]
mod timed;

#[cfg(unix)]
use super::open::open;
use super::*;
use crate::pattern;
use crate::{find, make as make_kernel};
use std::io::Write;
use std::sync::Arc;
use virtometer_protocol::{Code, Parameters, Scalar};
use virtometer_sampling::{prepare, Control, Outcome, RawSample, Worker};

const SPAN: i64 = 1 << 20;
/// The same, for counting bytes in memory.
const BYTES: usize = 1 << 20;

fn task(op: &str, file: &std::path::Path, more: &[(&str, Scalar)]) -> Task {
    task_on("file", op, file, more)
}

/// A task whose file or folder is given by the parameter of that name.
fn task_on(parameter: &str, op: &str, path: &std::path::Path, more: &[(&str, Scalar)]) -> Task {
    let mut parameters = Parameters::default();
    parameters.0.insert(parameter.into(), Scalar::Text(path.to_str().unwrap().into()));
    for (name, value) in more {
        parameters.0.insert((*name).into(), value.clone());
    }
    Task { op: op.into(), parameters, threads: 1, cpus: None, seconds: 0.03, control: Arc::new(Control::default()) }
}

fn run(task: &Task) -> Result<(Outcome, u64), Failure> {
    let (kernel, op) = find("disk", &task.op)?;
    let factory = make_kernel(kernel, op, task)?;
    let mut work = 0;
    let outcome = prepare(task, op.unit, &factory)?
        .run(&mut |samples| work += samples.iter().map(|sample: &RawSample| sample.sample().work).sum::<u64>())?;
    Ok((outcome, work))
}

fn worker(task: &Task) -> Box<dyn Worker> {
    let (kernel, op) = find("disk", &task.op).unwrap();
    make_kernel(kernel, op, task).unwrap()(0).unwrap()
}

fn filled() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    let (_, work) = run(&task("fill", &file, &[("span", Scalar::Integer(SPAN + 4096))])).unwrap();
    assert_eq!(work, (SPAN + 4096) as u64);
    (folder, file)
}

#[test]
fn fill_writes_the_pattern_and_every_operation_keeps_it() {
    let (_folder, file) = filled();
    let expected: Vec<u8> = (0..(SPAN as u64 + 4096) / 8).flat_map(|k| pattern::word(k).to_le_bytes()).collect();
    assert_eq!(std::fs::read(&file).unwrap(), expected);
    for direct in [true, false] {
        for op in ["sequential-read", "random-read", "sequential-write", "random-write"] {
            for threads in [1, 2] {
                let mut task = task(op, &file, &[("direct", Scalar::Boolean(direct)), ("size", Scalar::Integer(8192))]);
                task.threads = threads;
                let (outcome, work) = run(&task).unwrap();
                assert!(outcome.count >= 1 && work > 0, "{op}");
                assert!(["direct", "buffered"].contains(&outcome.conditions["io"].as_str()));
            }
        }
    }
    assert_eq!(std::fs::read(&file).unwrap(), expected);
}

#[test]
fn pauses_are_made_between_bursts_and_count() {
    let (_folder, file) = filled();
    let parameters = [("think", Scalar::Integer(3000)), ("burst", Scalar::Integer(4))];
    let mut worker = worker(&task("random-read", &file, &parameters));
    worker.setup(10).unwrap();
    let stretch = worker.run(10).unwrap();
    assert!(stretch.end_ns - stretch.start_ns >= 9_000_000, "three pauses");
    assert_eq!(stretch.work, 10);
}

#[test]
fn a_planted_wrong_byte_is_reported_wherever_it_is() {
    // The first byte of a block, the middle, the last byte of the file.
    for at in [8192u64, 8192 + 17, SPAN as u64 + 4095] {
        let (_folder, file) = filled();
        let mut handle = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
        std::io::Seek::seek(&mut handle, std::io::SeekFrom::Start(at)).unwrap();
        handle.write_all(&[0xEE]).unwrap();
        drop(handle);
        // One block as large as the whole span is compared in full.
        let size = SPAN + 4096;
        let failure = run(&task("sequential-read", &file, &[("size", Scalar::Integer(size))])).unwrap_err();
        assert_eq!(failure.code, Code::CheckFailed, "{failure}");
        assert!(failure.message.contains(&format!("byte {}", at / 8 * 8)), "{failure}");
    }
}

/// Every operation that writes, on a file that is `content`, is refused and leaves it as it is.
fn assert_untouched(content: &[u8], operations: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("foreign");
    std::fs::write(&file, content).unwrap();
    for op in operations {
        for threads in [1, 2] {
            let mut task = task(op, &file, &[]);
            if *op == "fill" {
                // More than the file has: it is not extended either.
                task.parameters.0.insert("span".into(), Scalar::Integer(2 * SPAN));
            } else {
                task.parameters.0.insert("size".into(), Scalar::Integer(8));
                task.parameters.0.insert("direct".into(), Scalar::Boolean(false));
                task.threads = threads;
            }
            let failure = run(&task).map(|_| ()).unwrap_err();
            assert_eq!(failure.code, Code::NotPermitted, "{op}: {failure}");
            assert!(failure.message.contains("does not hold the pattern of fill"), "{failure}");
            assert!(std::fs::read(&file).unwrap() == content, "{op} has changed the file");
        }
    }
}

const WRITING: &[&str] = &["sequential-write", "random-write", "fill"];

#[test]
fn what_holds_something_else_is_never_written_to() {
    let mut pattern = vec![0; BYTES];
    pattern::fill(&mut pattern, 0);
    assert_untouched(&vec![0; BYTES], WRITING);
    assert_untouched(b"A letter to somebody.", WRITING);
    assert_untouched(b"note", &["fill"]);
    // A pattern that begins elsewhere, wrong only at the end, at the beginning, in an eighth in the middle.
    assert_untouched(&pattern[4096..], WRITING);
    for wrong in [BYTES - 1..BYTES, 0..1, BYTES / 2..BYTES / 8 * 5] {
        let mut partly = pattern.clone();
        partly[wrong].iter_mut().for_each(|byte| *byte ^= 0xFF);
        assert_untouched(&partly, WRITING);
    }
    // What has no length has content all the same; writing there changes nothing even if it were tried.
    #[cfg(unix)]
    {
        let proc = task("fill", std::path::Path::new("/proc/version"), &[("span", Scalar::Integer(4096))]);
        assert_eq!(run(&proc).unwrap_err().code, Code::NotPermitted);
    }
}

#[test]
fn what_holds_the_pattern_or_nothing_is_filled_and_the_rest_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    let mut pattern = vec![0; 2 * BYTES];
    pattern::fill(&mut pattern, 0);
    let fill = |span, more: &[(&str, Scalar)]| {
        let mut task = task("fill", &file, more);
        task.parameters.0.insert("span".into(), Scalar::Integer(span));
        run(&task).map(|_| ())
    };
    // Empty; the same again; longer, after a fill that ended within a word; the beginning alone.
    std::fs::write(&file, []).unwrap();
    fill(SPAN, &[]).unwrap();
    fill(SPAN, &[]).unwrap();
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(SPAN as u64 - 3).unwrap();
    fill(2 * SPAN, &[]).unwrap();
    fill(4096, &[]).unwrap();
    assert!(std::fs::read(&file).unwrap() == pattern);

    std::fs::write(&file, vec![7; 3 * BYTES]).unwrap();
    assert_eq!(fill(2 * SPAN, &[("overwrite", Scalar::Boolean(false))]).unwrap_err().code, Code::NotPermitted);
    fill(2 * SPAN, &[("overwrite", Scalar::Boolean(true))]).unwrap();
    let content = std::fs::read(&file).unwrap();
    assert!(content[..2 * BYTES] == pattern[..]);
    assert!(content[2 * BYTES..].iter().all(|byte| *byte == 7), "beyond the span");
    // The span alone has to hold the pattern.
    run(&task("random-write", &file, &[("span", Scalar::Integer(2 * SPAN))])).unwrap();
    assert_eq!(run(&task("random-write", &file, &[])).unwrap_err().code, Code::NotPermitted);
    assert!(std::fs::read(&file).unwrap() == content);
}

#[test]
fn a_write_that_another_overwrites_is_reported() {
    let (_folder, file) = filled();
    let mut worker = worker(&task("random-write", &file, &[]));
    worker.setup(4).unwrap();
    worker.run(4).unwrap();
    worker.verify().unwrap();
    std::fs::write(&file, vec![0; (1 << 20) + 4096]).unwrap();
    assert_eq!(worker.finish().unwrap_err().code, Code::CheckFailed);
}

#[cfg(unix)]
#[test]
fn where_o_direct_is_refused_the_file_is_used_buffered_and_the_conditions_say_so() {
    // Files of /proc refuse O_DIRECT when they are opened, on every machine.
    let access = Access { write: false, create: false, direct: true, synchronous: false };
    let opened = open("/proc/version", access, 8, &[]).unwrap();
    assert_eq!(opened.conditions["io"], "buffered");
    assert_eq!(opened.conditions["io_reason"], "O_DIRECT refused: EINVAL");
}

#[cfg(unix)]
#[test]
fn a_file_is_open_as_its_results_say() {
    use rustix::fs::{fcntl_getfl, OFlags};
    let (_folder, file) = filled();
    let path = file.to_str().unwrap();
    for (direct, synchronous) in [(false, false), (false, true), (true, false), (true, true)] {
        let access = Access { write: true, create: false, direct, synchronous };
        let opened = open(path, access, 4096, &[]).unwrap();
        let flags = fcntl_getfl(&opened.file).unwrap();
        assert_eq!(flags.contains(OFlags::DSYNC), synchronous);
        assert_eq!(flags.contains(OFlags::DIRECT), opened.conditions["io"] == "direct");
        // What reads again does not wait for the medium at each write when it restores the pattern.
        assert!(!fcntl_getfl(&opened.reader).unwrap().contains(OFlags::DSYNC));
        let found = system::flags_of(&opened.file).unwrap().unwrap();
        assert_eq!((found.direct, found.synchronous), (flags.contains(OFlags::DIRECT), synchronous));
        let other = flags::Flags { direct: !found.direct, ..found };
        assert_eq!(open::agree(path, other, Some(found)).unwrap_err().code, Code::CheckFailed);
        let failure = open::agree(path, flags::Flags { synchronous: !synchronous, ..found }, Some(found)).unwrap_err();
        assert!(failure.message.contains("O_DSYNC"), "{failure}");
    }
}

#[test]
fn blocks_that_cannot_go_past_the_page_cache_are_refused() {
    let (_folder, file) = filled();
    let size = ("size", Scalar::Integer(1000));
    // No device has blocks of 1000 bytes. A file system in memory may take them all the same.
    for op in ["sequential-read", "random-write"] {
        match run(&task(op, &file, std::slice::from_ref(&size))) {
            Ok((outcome, _)) => assert_eq!(outcome.conditions["io"], "direct"),
            Err(failure) => assert_eq!(failure.code, Code::BadArguments, "{failure}"),
        }
        run(&task(op, &file, &[size.clone(), ("direct", Scalar::Boolean(false))])).unwrap();
    }
}

#[test]
fn bad_input_gets_its_code() {
    let (folder, file) = filled();
    let integer = Scalar::Integer;
    let missing = folder.path().join("missing");
    let cases: &[(&str, &std::path::Path, &[(&str, Scalar)], Code)] = &[
        ("random-read", &missing, &[], Code::NotFound),
        ("random-read", folder.path(), &[], Code::BadArguments),
        #[cfg(unix)]
        ("random-read", std::path::Path::new("/dev/null"), &[], Code::BadArguments),
        ("random-read", file.parent().unwrap(), &[], Code::BadArguments),
        ("random-read", &file, &[("size", integer(0))], Code::BadArguments),
        ("random-read", &file, &[("size", integer(1001))], Code::BadArguments),
        ("random-read", &file, &[("size", integer(1 << 29))], Code::BadArguments),
        ("random-read", &file, &[("span", integer(1 << 40))], Code::BadArguments),
        ("random-read", &file, &[("depth", integer(2))], Code::BadArguments),
        ("random-read", &file, &[("engine", Scalar::Text("posix".into()))], Code::BadArguments),
        (
            "random-read",
            &file,
            &[("engine", Scalar::Text("libaio".into())), ("depth", integer(1025))],
            Code::BadArguments,
        ),
        ("random-read", &file, &[("depth", integer(0))], Code::BadArguments),
        ("random-read", &file, &[("verify", Scalar::Text("some".into()))], Code::BadArguments),
        ("random-read", &file, &[("sync", Scalar::Text("each".into()))], Code::BadArguments),
        ("random-write", &file, &[("sync", Scalar::Text("end".into()))], Code::BadArguments),
        ("access", &file, &[("read", integer(101))], Code::BadArguments),
        ("access", &file, &[("mix", Scalar::Text("4K share=50".into()))], Code::BadArguments),
        ("access", &file, &[("mix", Scalar::Text("4M".into()))], Code::BadArguments),
        ("random-read", &file, &[("direct", integer(1))], Code::BadArguments),
        ("random-write", &file, &[("overwrite", Scalar::Boolean(true))], Code::BadArguments),
        ("fill", &file, &[("overwrite", integer(1))], Code::BadArguments),
        ("fill", &missing, &[], Code::NotFound),
        ("fill", &missing, &[("span", integer(4097))], Code::BadArguments),
    ];
    for (op, path, parameters, code) in cases {
        let failure = run(&task(op, path, parameters)).unwrap_err();
        assert_eq!(failure.code, *code, "{op} {parameters:?}: {failure}");
    }
    assert!(!missing.exists(), "a refused fill must not create the file");
}

#[test]
fn a_span_larger_than_the_file_system_is_no_space() {
    // Refused before anything is written: a fill that ran into the end would take the room from everybody else.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("huge");
    let failure = run(&task("fill", &file, &[("span", Scalar::Integer(1 << 50))])).unwrap_err();
    assert_eq!(failure.code, Code::NoSpace, "{failure}");
    assert!(!file.exists());
}
