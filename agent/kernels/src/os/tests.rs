#![allow(clippy::unwrap_used)]

use super::*;
use crate::{find, make as make_kernel};
use virtometer_protocol::{Code, Parameters, Scalar};
use virtometer_sampling::{prepare, CheckValue, Control, Outcome};

fn run(op: &str, parameters: &[(&str, i64)], threads: usize) -> Result<Outcome, Failure> {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), Scalar::Integer(*value))).collect();
    let control = Arc::new(Control::default());
    let task = Task { op: op.into(), parameters: Parameters(parameters), threads, cpus: None, seconds: 0.02, control };
    let (kernel, op) = find("os", op)?;
    prepare(&task, op.unit, &make_kernel(kernel, op, &task)?)?.run(&mut |_| ())
}

#[test]
fn every_operation_counts_what_it_did() {
    for op in ["context-switch", "fork", "page-fault", "pipe", "system-call"] {
        for threads in [1, 2] {
            let outcome = run(op, &[], threads).unwrap();
            assert!(outcome.value > 0.0 && outcome.value < 1.0, "{op}: {} s", outcome.value);
            assert!(matches!(outcome.check, CheckValue::Count(1..)), "{op}: {:?}", outcome.check);
        }
    }
    for (processes, size) in [(2, 0), (3, 4096), (16, 65_536)] {
        let outcome = run("context-switch", &[("processes", processes), ("size", size)], 1).unwrap();
        assert!(["yes", "no"].contains(&outcome.conditions["pinned"].as_str()));
    }
}

#[test]
fn the_processor_time_of_the_children_is_counted() {
    let outcome = run("pipe", &[], 1).unwrap();
    // Both processes work for 20 ms in turn.
    assert!(outcome.cpu.user_ns + outcome.cpu.system_ns > 0);
}

#[test]
fn a_program_that_ends_otherwise_is_reported() {
    let mut wrong = spawn::Spawn::exec_of(Pinning::none(), b"/bin/true", "").unwrap();
    wrong.before(3).unwrap();
    wrong.run(3).unwrap();
    let failure = wrong.after().unwrap_err();
    assert_eq!(failure.code, Code::CheckFailed);
    assert_eq!(failure.message, "of 3 processes 0 ended as they should, others with status 0");
    let mut missing = spawn::Spawn::exec_of(Pinning::none(), b"/nonexistent/program", "").unwrap();
    missing.before(1).unwrap();
    missing.run(1).unwrap();
    assert!(missing.after().unwrap_err().message.contains("status 126"));
}

#[test]
fn a_planted_wrong_token_is_reported() {
    let pinning = Pinning::none();
    let mut ring = ring::Ring::new(3, 0, pinning.clone()).unwrap();
    ring.run(5).unwrap();
    assert_eq!(ring.after().unwrap(), CheckValue::Count(15));
    ring.spoil();
    ring.run(1).unwrap();
    assert_eq!(ring.after().unwrap_err().code, Code::CheckFailed);
    let mut trip = ring::RoundTrip::new(pinning).unwrap();
    trip.run(300).unwrap();
    assert_eq!(trip.after().unwrap(), CheckValue::Count(300));
    trip.spoil();
    trip.run(1).unwrap();
    assert_eq!(trip.after().unwrap_err().code, Code::CheckFailed);
}

#[test]
fn refused_pinning_is_a_condition_with_its_reason() {
    let conditions = Pinning { refused: Some("cannot".into()) }.conditions();
    assert_eq!(conditions["pinned"], "no");
    assert_eq!(conditions["pinned_reason"], "cannot");
}

#[test]
fn bad_input_gets_its_code() {
    for parameters in [[("processes", 1)], [("processes", 5000)], [("size", -1)], [("depth", 1)]] {
        assert_eq!(run("context-switch", &parameters, 1).unwrap_err().code, Code::BadArguments);
    }
    assert_eq!(run("fork", &[("size", 1)], 1).unwrap_err().code, Code::BadArguments);
    assert_eq!(
        run("context-switch", &[("processes", 1024), ("size", 1 << 30)], 1).unwrap_err().code,
        Code::OutOfMemory
    );
}
