#![allow(clippy::unwrap_used)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod system_calls;

use super::*;
use crate::find;
use virtometer_protocol::{Code, Parameters, Scalar};
#[cfg(unix)]
use virtometer_sampling::allowed_cpus;
use virtometer_sampling::{CheckValue, Control, Outcome};

#[cfg(unix)]
fn number(value: i64) -> Scalar {
    Scalar::Integer(value)
}

#[cfg(unix)]
fn text(value: &str) -> Scalar {
    Scalar::Text(value.into())
}

fn task(op: &str, parameters: &[(&str, Scalar)], threads: usize) -> Task {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let control = Arc::new(Control::default());
    Task { op: op.into(), parameters: Parameters(parameters), threads, cpus: None, seconds: 0.02, control }
}

fn outcome(task: &Task) -> Result<Outcome, Failure> {
    crate::tests::run("os", task)
}

fn run(op: &str, parameters: &[(&str, Scalar)], threads: usize) -> Result<Outcome, Failure> {
    outcome(&task(op, parameters, threads))
}

#[test]
fn every_operation_counts_what_it_did() {
    for op in OPS {
        // What these execute is the agent, which is tested as a program.
        if ["exec", "shell"].contains(&op.name) {
            continue;
        }
        if cfg!(windows) && op.name != "procedure" {
            assert_eq!(run(op.name, &[], 1).unwrap_err().code, Code::NotSupported);
            continue;
        }
        for threads in [1, 2] {
            let outcome = run(op.name, &[], threads).unwrap();
            assert!(outcome.value > 0.0, "{}", op.name);
            match (op.unit, outcome.check) {
                (Unit::Second, CheckValue::Count(1..)) => assert!(outcome.value < 1.0, "{}", op.name),
                (Unit::BytePerSecond, CheckValue::Bytes(1..)) => assert!(outcome.value > 1e4, "{}", op.name),
                other => panic!("{}: {other:?}", op.name),
            }
            assert!(["yes", "no"].contains(&outcome.conditions["pinned"].as_str()));
        }
    }
}

#[cfg(unix)]
#[test]
fn every_variant_counts_what_it_did() {
    let variants: &[(&str, &str, &[&str])] = &[
        ("page-fault", "mapping", &["anonymous", "file"]),
        ("file-reread", "way", &["io-only", "open-to-close", "mmap"]),
        ("system-call", "call", &["null", "read", "write", "stat", "fstat", "open"]),
        ("select", "of", &["file", "tcp"]),
        ("pipe", "pin", &["one", "none"]),
    ];
    for (op, name, values) in variants {
        for value in *values {
            let outcome = run(op, &[(name, text(value))], 1);
            assert!(outcome.is_ok(), "{op} {name} {value}: {outcome:?}");
        }
        let failure = run(op, &[(name, text("quantum"))], 1).unwrap_err();
        assert_eq!(failure.code, Code::BadArguments);
        assert!(failure.message.starts_with(&format!("{name} is \"quantum\", not ")), "{failure:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_word_chooses_what_it_says() {
    use calls::Call;
    use select::Of;
    let chosen = |op: &str, name: &str, word: &str, is: &dyn Fn(&Settings<'_>) -> bool| {
        let task = task(op, &[(name, text(word))], 1);
        let (_, op) = find("os", op).unwrap();
        assert!(is(&Settings::new(op, &task.parameters).unwrap()), "{name} {word}");
    };
    for (word, call) in [
        ("null", Call::Null),
        ("read", Call::Read),
        ("write", Call::Write),
        ("stat", Call::Stat),
        ("fstat", Call::Fstat),
        ("open", Call::Open),
    ] {
        chosen("system-call", "call", word, &|settings| Call::read(settings) == Ok(call));
    }
    for (word, of) in [("file", Of::File), ("tcp", Of::Tcp)] {
        chosen("select", "of", word, &|settings| Of::read(settings) == Ok(of));
    }
    let ways = [
        ("io-only", reread::ReadMethod::IoOnly),
        ("open-to-close", reread::ReadMethod::OpenToClose),
        ("mmap", reread::ReadMethod::Mapped),
    ];
    for (word, way) in ways {
        chosen("file-reread", "way", word, &|settings| reread::ReadMethod::read(settings) == Ok(way));
    }
}

#[cfg(unix)]
#[test]
fn processes_run_apart_where_there_are_processors() {
    let cpus = allowed_cpus().len();
    let outcome = run("context-switch", &[("pin", text("apart")), ("processes", number(5))], 1);
    if cpus > 1 {
        assert_eq!(outcome.unwrap().conditions["pinned"], "apart");
    } else {
        assert_eq!(outcome.unwrap_err().code, Code::NotSupported);
    }
}

#[cfg(unix)]
#[test]
fn what_lmbench_subtracts_is_a_measure() {
    for op in ["context-switch", "signal-catch"] {
        let measures = run(op, &[], 2).unwrap().extras.measures();
        assert!(measures["overhead"].value > 0.0, "{op}: {measures:?}");
        assert_eq!(measures["without-overhead"].unit, "s");
    }
    let measures = run("page-fault", &[("mapping", text("file"))], 1).unwrap().extras.measures();
    assert!(measures["pages-per-fault"].value > 0.0);
}

#[cfg(unix)]
#[test]
fn the_processor_time_of_the_children_is_counted() {
    let outcome = run("pipe", &[], 1).unwrap();
    // Both processes work for 20 ms in turn.
    assert!(outcome.cpu.user_ns + outcome.cpu.system_ns > 0);
}

#[cfg(unix)]
#[test]
fn bad_input_gets_its_code() {
    let cases: &[(&str, &[(&str, Scalar)])] = &[
        ("context-switch", &[("processes", number(1))]),
        ("context-switch", &[("processes", number(5000))]),
        ("context-switch", &[("size", number(-1))]),
        ("context-switch", &[("depth", number(1))]),
        ("fork", &[("size", number(1))]),
        ("pipe-bandwidth", &[("size", number(0))]),
        ("pipe-bandwidth", &[("size", number(100))]),
        ("unix-bandwidth", &[("size", text("much"))]),
        ("file-reread", &[("size", number(0))]),
        ("file-reread", &[("size", number(4097))]),
        ("file-reread", &[("block", number(0))]),
        ("file-reread", &[("block", number(9))]),
        ("file-reread", &[("file", text("/x")), ("directory", text("/tmp"))]),
        ("mmap", &[("size", number(0))]),
        ("page-fault", &[("size", number(0))]),
        ("select", &[("descriptors", number(0))]),
        ("select", &[("descriptors", number(1001))]),
    ];
    for (op, parameters) in cases {
        assert_eq!(run(op, parameters, 1).unwrap_err().code, Code::BadArguments, "{op} {parameters:?}");
    }
    let too_much: &[(&str, &[(&str, Scalar)])] = &[
        ("context-switch", &[("processes", number(1024)), ("size", number(1 << 30))]),
        ("file-reread", &[("size", number(1 << 40))]),
        ("mmap", &[("size", number(1 << 40))]),
    ];
    for (op, parameters) in too_much {
        let failure = run(op, parameters, 1).unwrap_err();
        assert_eq!(failure.code, Code::OutOfMemory, "{op}: {failure:?}");
    }
    let mut pinned = task("pipe", &[("pin", text("none"))], 1);
    pinned.cpus = Some(vec![0]);
    assert_eq!(outcome(&pinned).unwrap_err().message, "cpus pins the threads already; leave out pin");
    let failure = run("mmap", &[("directory", text("/nonexistent"))], 1).unwrap_err();
    assert_eq!(failure.code, Code::NotFound);
}
