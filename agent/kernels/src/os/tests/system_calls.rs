//! Every operation makes the system calls that its name says, as many as it counts, on what its name says.
#![allow(unsafe_code)] // descriptors by their numbers
#![allow(clippy::cast_sign_loss)] // flags

use super::*;
use crate::os::expected::Object;
use crate::os::operation::Operation;
use crate::tests::system_calls::{system_calls, Call};
use rustix::fd::BorrowedFd;
use std::collections::BTreeMap;

/// A kind of call: its name, what it is made on, and the length that it is given.
type Kind = (&'static str, String, u64);

/// Names of the calls that operations may make; others are named by their absence.
const NAMES: &[(i64, &str)] = &[
    (libc::SYS_read, "read"),
    (libc::SYS_write, "write"),
    (libc::SYS_lseek, "lseek"),
    (libc::SYS_open, "open"),
    (libc::SYS_openat, "open"),
    (libc::SYS_close, "close"),
    (libc::SYS_stat, "stat"),
    (libc::SYS_newfstatat, "stat"),
    (libc::SYS_statx, "stat"),
    (libc::SYS_fstat, "fstat"),
    (libc::SYS_mmap, "mmap"),
    (libc::SYS_munmap, "munmap"),
    (libc::SYS_getppid, "getppid"),
    (libc::SYS_rt_sigaction, "sigaction"),
    (libc::SYS_rt_sigreturn, "sigreturn"),
    (libc::SYS_tgkill, "tgkill"),
    (libc::SYS_select, "select"),
    (libc::SYS_pselect6, "select"),
    (libc::SYS_fork, "fork"),
    (libc::SYS_wait4, "wait"),
];

/// `clone` that copies the memory is what libraries make of fork.
fn name(call: &Call) -> &'static str {
    let copies = call.number == libc::SYS_clone && call.arguments[0] & libc::CLONE_VM as u64 == 0;
    let known = NAMES.iter().find(|(number, _)| *number == call.number).map(|(_, name)| *name);
    known.unwrap_or(if copies { "fork" } else { "another call" })
}

fn kind(call: &Call) -> Kind {
    let name = name(call);
    let object = match &call.object {
        Some(path) if ["read", "write", "lseek", "close", "fstat"].contains(&name) => {
            let path = path.to_string_lossy();
            match path.split(':').next() {
                Some("pipe") => "pipe".to_owned(),
                // SAFETY: the process that was traced had the number from this one, where it is open.
                Some("socket") => format!(
                    "{:?}",
                    Object::of(unsafe { BorrowedFd::borrow_raw(i32::try_from(call.arguments[0]).unwrap()) })
                ),
                _ if path.starts_with("/memfd") => "memory".to_owned(),
                _ if path.starts_with("/dev/") => path.into_owned(),
                _ => "file".to_owned(),
            }
        }
        _ => String::new(),
    };
    let length = match name {
        "read" | "write" => call.arguments[2],
        "mmap" | "munmap" => call.arguments[1],
        _ => 0,
    };
    (name, object, length)
}

fn built(op: &str, given: &[(&str, Scalar)]) -> Box<dyn Operation> {
    let task = task(op, given, 1);
    let (row, choose) = OPS.iter().zip(CHOICES).find(|(row, _)| row.name == op).unwrap();
    choose(&Settings::new(row, &task.parameters).unwrap(), 1).unwrap()(&Pinning::as_it_is()).unwrap()
}

/// How many calls of each kind so many repeats make.
fn calls(op: &str, given: &[(&str, Scalar)], repeats: u64) -> Option<BTreeMap<Kind, u64>> {
    let mut operation = built(op, given);
    operation.setup(repeats).unwrap();
    let calls = system_calls(|| operation.repeat(repeats).unwrap())?;
    let mut count = BTreeMap::new();
    // Before it closes a descriptor the library looks whether it is open, in programs with debug assertions.
    let looks = |call: &&Call| call.number == libc::SYS_fcntl && call.arguments[1] == libc::F_GETFD as u64;
    let own = calls.iter().filter(|call| !(cfg!(debug_assertions) && looks(call)));
    own.for_each(|call| *count.entry(kind(call)).or_default() += 1);
    Some(count)
}

/// An operation, parameters, and the calls of one repeat: name, object, length, number.
type Row<'a> = (&'a str, Vec<(&'a str, Scalar)>, Vec<(&'static str, &'static str, u64, u64)>);

#[allow(clippy::too_many_lines)] // a table
fn rows() -> Vec<Row<'static>> {
    let call = |name| vec![("call", text(name))];
    let trip = |object| vec![("write", object, 1, 1), ("read", object, 1, 1)];
    let sizes = |size, more: &[(&'static str, Scalar)]| [&[("size", number(size))], more].concat();
    let reread = |way| sizes(65_536, &[("block", number(4096)), ("way", text(way))]);
    vec![
        ("context-switch", vec![("processes", number(3))], vec![("write", "pipe", 8, 1), ("read", "pipe", 8, 1)]),
        ("procedure", vec![], vec![]),
        ("fork", vec![], vec![("fork", "", 0, 1), ("wait", "", 0, 1)]),
        ("page-fault", vec![], vec![]),
        ("page-fault", sizes(1 << 20, &[("mapping", text("file"))]), vec![]),
        ("pipe", vec![], trip("pipe")),
        ("unix", vec![], trip("UnixSocket")),
        ("tcp", vec![], trip("TcpSocket")),
        ("pipe-bandwidth", sizes(4096, &[]), vec![("read", "pipe", 4096, 1)]),
        ("unix-bandwidth", sizes(4096, &[]), vec![("read", "UnixSocket", 4096, 1)]),
        ("file-reread", reread("io-only"), vec![("lseek", "memory", 0, 1), ("read", "memory", 4096, 16)]),
        (
            "file-reread",
            reread("open-to-close"),
            vec![
                ("open", "", 0, 1),
                ("lseek", "memory", 0, 1),
                ("read", "memory", 4096, 16),
                ("close", "memory", 0, 1),
            ],
        ),
        ("file-reread", reread("mmap"), vec![]),
        ("mmap", sizes(1 << 20, &[]), vec![("mmap", "", 1 << 20, 1), ("munmap", "", 1 << 20, 1)]),
        ("system-call", call("null"), vec![("getppid", "", 0, 1)]),
        ("system-call", call("read"), vec![("read", "/dev/zero", 1, 1)]),
        ("system-call", call("write"), vec![("write", "/dev/null", 1, 1)]),
        ("system-call", call("stat"), vec![("stat", "", 0, 1)]),
        ("system-call", call("fstat"), vec![("fstat", "file", 0, 1)]),
        ("system-call", call("open"), vec![("open", "", 0, 1), ("close", "file", 0, 1)]),
        ("signal-install", vec![], vec![("sigaction", "", 0, 1)]),
        ("signal-catch", vec![], vec![("tgkill", "", 0, 1), ("sigreturn", "", 0, 1)]),
        ("select", vec![("descriptors", number(7))], vec![("select", "", 0, 1)]),
        ("select", vec![("of", text("tcp"))], vec![("select", "", 0, 1)]),
    ]
}

#[test]
fn every_operation_makes_the_system_calls_that_its_name_says() {
    let rows = rows();
    // These execute the agent, which this program is not; their processes are looked at when they run.
    let left_out = |op: &&Op| !["exec", "shell"].contains(&op.name);
    assert!(OPS.iter().filter(left_out).all(|op| rows.iter().any(|row| row.0 == op.name)));
    for (op, given, right) in rows {
        let (few, many) = match (calls(op, &given, 1), calls(op, &given, 9)) {
            (Some(few), Some(many)) => (few, many),
            _ => return, // this system lets nobody trace
        };
        let each = many.iter().map(|(kind, count)| (kind.clone(), count - few.get(kind).unwrap_or(&0)));
        let each: BTreeMap<Kind, u64> = each.filter(|(_, count)| *count > 0).collect();
        let right =
            right.into_iter().map(|(name, object, length, count)| ((name, object.to_owned(), length), 8 * count));
        assert_eq!(each, right.collect::<BTreeMap<Kind, u64>>(), "{op} {given:?}");
    }
}

#[test]
fn every_operation_works_on_what_its_settings_say() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for (op, given, descriptors, work, bytes) in [
        ("context-switch", vec![("processes", number(5)), ("size", number(8192))], 2, 5, 8192),
        ("select", vec![("descriptors", number(37))], 37, 1, 0),
        ("select", vec![("descriptors", number(9)), ("of", text("tcp"))], 9, 1, 0),
        ("pipe-bandwidth", vec![("size", number(4000))], 2, 4000, 0),
        ("unix-bandwidth", vec![("size", number(4000))], 2, 4000, 0),
        ("file-reread", vec![("size", number(40_000))], 1, 40_000, 0),
        ("mmap", vec![("size", number(40_000)), ("directory", text(folder))], 1, 1, 40_000),
        ("page-fault", vec![("size", number(40_000)), ("mapping", text("file"))], 1, 1, 40_960),
    ] {
        let operation = built(op, &given);
        let found = (operation.descriptors().len(), operation.work(), operation.bytes());
        assert_eq!(found, (descriptors, work, bytes), "{op}");
        let task = task(op, &given, 1);
        let settings = Settings::new(find("os", op).unwrap().1, &task.parameters).unwrap();
        assert_eq!(expected::Expected::of(op, &settings).unwrap().compare(operation.as_ref()), Ok(()), "{op}");
    }
}
