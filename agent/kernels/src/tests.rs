#![allow(clippy::unwrap_used)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) mod system_calls;

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use virtometer_protocol::{Scalar, Unit};
use virtometer_sampling::{prepare, Control, Outcome};

/// Defaults in words: what is done depends on other parameters or on the machine.
const WORDS: [&str; 11] = [
    "the window",
    "48-bit; published: 16-bit where regular",
    "size",
    "one size",
    "none",
    "one without a name",
    "the agent",
    "in memory",
    "nothing",
    "that of the agent",
    "those of the agent",
];

/// Whether all combinations are tried: `make test-all` asks for them. Otherwise each value of a parameter is.
pub(crate) fn thorough() -> bool {
    std::env::var_os("VIRTOMETER_THOROUGH").is_some()
}

fn in_force(kernel: &str, op: &str, given: &[(&str, Scalar)]) -> Parameters {
    attempt(kernel, op, given).unwrap()
}

fn attempt(kernel: &str, op: &str, given: &[(&str, Scalar)]) -> Result<Parameters, Failure> {
    let (kernel, known) = find(kernel, op).unwrap();
    make_with_parameters(kernel, known, &task(op, given)).map(|(_, parameters)| parameters)
}

fn task(op: &str, given: &[(&str, Scalar)]) -> Task {
    let parameters = Parameters(given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
    let control = Arc::new(Control::default());
    Task { op: op.to_owned(), parameters, threads: 1, cpus: None, seconds: 0.05, control }
}

fn text(word: &str) -> Scalar {
    Scalar::Text(word.to_owned())
}

#[test]
fn every_default_is_what_the_command_line_takes_or_one_of_a_few_words() {
    for parameter in KERNELS.iter().flat_map(|kernel| kernel.ops).flat_map(|op| op.parameters) {
        match (parameter.preset, parameter.kind) {
            (Preset::Missing, _) => {}
            (Preset::Otherwise(then), _) => assert!(WORDS.contains(&then), "{}: {then}", parameter.name),
            (Preset::Value(value), ParameterKind::Integer { least, most, .. }) => {
                assert!(quantity(value).is_some_and(|value| (least..=most).contains(&value)), "{value}");
            }
            (Preset::Value(value), ParameterKind::Boolean) => assert!(["true", "false"].contains(&value), "{value}"),
            (Preset::Value(value), ParameterKind::Choice(words)) => assert!(words.contains(&value), "{value}"),
            (Preset::Value(value), ParameterKind::Text) => assert!(!value.contains(' '), "{value}"),
        }
    }
}

/// Run an operation. Panics where it reports a measure that its table lacks, or has in another unit.
pub(crate) fn run(kernel: &str, task: &Task) -> Result<Outcome, Failure> {
    let (kernel, op) = find(kernel, &task.op)?;
    let outcome = prepare(task, op.unit, &make(kernel, op, task)?)?.run(&mut |_| ())?;
    for (name, found) in outcome.extras.measures() {
        assert!(op.reports(&name, found.unit), "{} {}: no {name} in {}", kernel.name, op.name, found.unit);
    }
    Ok(outcome)
}

#[test]
fn what_a_run_reports_stands_in_its_table() {
    let integer = |name, value| (name, Scalar::Integer(value));
    let cases = [
        ("linpack", "classic", vec![("convention", text("published")), integer("size", 40)]),
        ("linpack", "blocked", vec![integer("size", 40)]),
        ("memory", "triad", vec![integer("size", 4096)]),
        ("memory", "latency", vec![integer("size", 4096)]),
        ("pde", "jacobi", vec![integer("interlines", 2), integer("iterations", 10)]),
        ("os", "procedure", vec![]),
        ("clock", "watch", vec![]),
    ];
    for (kernel, op, given) in cases {
        let outcome = run(kernel, &task(op, &given)).unwrap();
        assert_eq!(outcome.extras.measures().is_empty(), kernel == "os", "{kernel} {op}");
    }
}

#[test]
fn a_measure_means_the_same_wherever_it_is_reported() {
    let mut meanings = BTreeMap::new();
    for (kernel, op) in KERNELS.iter().flat_map(|kernel| kernel.ops.iter().map(move |op| (kernel, op))) {
        let mut names = BTreeSet::new();
        for measure in op.measures {
            let name = format!("{} {} {}", kernel.name, op.name, measure.name);
            assert!(names.insert(measure.name), "{name} is there twice");
            assert!(!measure.unit.is_empty() && !measure.meaning.is_empty(), "{name}");
            assert_eq!(*meanings.entry(measure.name).or_insert(measure.meaning), measure.meaning, "{name}");
        }
    }
    assert!(meanings.len() > 25);
}

#[test]
fn only_the_memory_has_arrays_and_counts_those_that_it_names() {
    for (kernel, op) in KERNELS.iter().flat_map(|kernel| kernel.ops.iter().map(move |op| (kernel, op))) {
        let counted = |arrays: Arrays| arrays.held > 0 && (arrays.moved > 0) == (op.unit == Unit::BytePerSecond);
        assert_eq!(op.arrays.map(counted), (kernel.name == "memory").then_some(true), "{} {}", kernel.name, op.name);
    }
    let of = |op| find("memory", op).unwrap().1.arrays;
    assert_eq!(of("triad"), Some(Arrays { held: 3, moved: 3 }));
    assert_eq!(of("read-write"), Some(Arrays { held: 1, moved: 2 }));
    assert_eq!(of("latency"), Some(Arrays { held: 1, moved: 0 }));
}

/// All operations that this system has.
fn operations() -> impl Iterator<Item = (&'static Kernel, &'static Op)> {
    let here = |kernel: &&Kernel| !(cfg!(windows) && ["os", "disk"].contains(&kernel.name));
    KERNELS.iter().filter(here).flat_map(|kernel| kernel.ops.iter().map(move |op| (kernel, op)))
}

/// Values of the parameters that must be given. `folder` has a file `data` and no `new`.
fn required(op: &Op, folder: &std::path::Path) -> Vec<(&'static str, Scalar)> {
    let (file, new) = (folder.join("data"), folder.join("new"));
    std::fs::write(&file, vec![0; 8192]).unwrap();
    let missing = op.parameters.iter().filter(|parameter| parameter.preset == Preset::Missing);
    let value = |name| match name {
        "file" if op.parameters.iter().any(|known| known.name == "engine" || known.name == "overwrite") => {
            text(file.to_str().unwrap())
        }
        "file" | "folder" => text(new.to_str().unwrap()),
        "peer" => text("127.0.0.1:9"),
        "listen" => text("127.0.0.1:0"),
        _ => text("true"),
    };
    missing.map(|parameter| (parameter.name, value(parameter.name))).collect()
}

#[test]
fn values_beyond_the_bounds_of_the_table_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (kernel, op) in operations() {
        for parameter in op.parameters {
            let wrong: Vec<Scalar> = match parameter.kind {
                ParameterKind::Integer { least, most, .. } => [least.checked_sub(1), Some(most + 1)]
                    .iter()
                    .flatten()
                    .map(|value| Scalar::Integer(i64::try_from(*value).unwrap()))
                    .chain([Scalar::Integer(-1), text("x"), Scalar::Boolean(true)])
                    .collect(),
                ParameterKind::Boolean => vec![Scalar::Integer(1), text("true")],
                ParameterKind::Choice(_) => vec![text("x"), text(""), Scalar::Integer(1)],
                ParameterKind::Text => vec![text(""), Scalar::Integer(1), Scalar::Boolean(true)],
            };
            for value in wrong {
                let mut given = required(op, folder.path());
                given.retain(|(name, _)| *name != parameter.name);
                given.push((parameter.name, value.clone()));
                let failure = attempt(kernel.name, op.name, &given).map(|_| ()).unwrap_err();
                let name = format!("{} {} {} {value:?}", kernel.name, op.name, parameter.name);
                assert_eq!(failure.code, Code::BadArguments, "{name}: {failure}");
                assert!(failure.message.contains(parameter.name), "{name}: {failure}");
            }
        }
    }
}

#[test]
fn a_measure_with_a_time_in_its_unit_names_the_clock_of_this_time() {
    for (kernel, op) in operations() {
        for measure in op.measures {
            let timed = measure.unit == "s" || measure.unit.starts_with("s/") || measure.unit.ends_with("/s");
            let name = format!("{} {} {}", kernel.name, op.name, measure.name);
            if !timed {
                assert_eq!(measure.timed_by, TimedBy::Nothing, "{name}");
            } else if measure.unit != "s/s" {
                assert_ne!(measure.timed_by, TimedBy::Nothing, "{name}");
            }
        }
    }
}

#[test]
fn what_an_operation_is_judged_by_is_in_its_row() {
    let judged: Vec<_> = operations().filter(|(_, op)| op.judged.is_some()).collect();
    assert_eq!(judged.iter().map(|(kernel, op)| (kernel.name, op.name)).collect::<Vec<_>>(), [("net", "open-loop")]);
    for (_, op) in judged {
        let wanted = op.judged.unwrap().wanted;
        assert!(op.measures.iter().any(|known| (known.name, known.unit) == (wanted, op.unit.name())), "{wanted}");
    }
}

#[test]
fn a_number_of_bytes_is_one_by_its_meaning_too() {
    for (kernel, op) in operations() {
        for parameter in op.parameters {
            if let ParameterKind::Integer { unit, .. } = parameter.kind {
                let name = format!("{} {} {}", kernel.name, op.name, parameter.name);
                let bytes = parameter.meaning.contains("bytes") && parameter.name != "rate";
                let same = parameter.name == "receive-buffer"; // its meaning is that of the buffer before it
                assert_eq!(unit == Some("B"), bytes || same, "{name}");
            }
        }
    }
}

#[test]
fn every_word_of_the_table_has_a_meaning() {
    let folder = tempfile::tempdir().unwrap();
    for (kernel, op) in operations() {
        for parameter in op.parameters {
            let words = match parameter.kind {
                ParameterKind::Choice(words) => words,
                _ => continue,
            };
            for word in words {
                let mut given = required(op, folder.path());
                given.push((parameter.name, text(word)));
                // What another parameter or this machine forbids is another sentence.
                if let Err(failure) = attempt(kernel.name, op.name, &given) {
                    let unknown = format!("{} is {word:?}, not ", parameter.name);
                    assert!(!failure.message.starts_with(&unknown), "{} {}: {failure}", kernel.name, op.name);
                }
            }
        }
    }
}

#[test]
fn the_defaults_that_a_kernel_takes_are_those_of_its_table() {
    let folder = tempfile::tempdir().unwrap();
    // What holds follows from others.
    let beside = ["iterations", "precision", "generator"];
    for (kernel, op) in operations() {
        let all = in_force(kernel.name, op.name, &required(op, folder.path()));
        for parameter in op.parameters.iter().filter(|parameter| !beside.contains(&parameter.name)) {
            let told = all.0.get(parameter.name);
            let name = format!("{} {} {}", kernel.name, op.name, parameter.name);
            match (parameter.preset, parameter.kind) {
                (Preset::Value(value), ParameterKind::Integer { .. }) => {
                    let value = i64::try_from(quantity(value).unwrap()).unwrap();
                    assert_eq!(told, Some(&Scalar::Integer(value)), "{name}");
                }
                (Preset::Value(value), ParameterKind::Boolean) => {
                    assert_eq!(told, Some(&Scalar::Boolean(value == "true")), "{name}");
                }
                (Preset::Value(value), ParameterKind::Text | ParameterKind::Choice(_)) => {
                    assert_eq!(told, Some(&text(value)), "{name}");
                }
                (Preset::Missing, _) => assert!(told.is_some(), "{name}"),
                (Preset::Otherwise(_), ParameterKind::Integer { .. }) => assert!(told.is_some(), "{name}"),
                (Preset::Otherwise(_), _) => assert_eq!(told, None, "{name}"),
            }
        }
        assert!(all.0.keys().all(|name| op.parameters.iter().any(|known| known.name == name)));
    }
}

#[test]
fn parameters_that_follow_from_others_are_told_as_they_are() {
    let peer = ("peer", text("127.0.0.1:9"));
    let sizes = in_force("net", "request-response", &[peer, ("size", Scalar::Integer(7))]);
    assert_eq!((&sizes.0["request"], &sizes.0["response"]), (&Scalar::Integer(7), &Scalar::Integer(7)));
    let window = in_force("pde", "jacobi", &[]).0;
    assert_eq!(window["termination"], text("window"));
    assert!(!window.contains_key("iterations") && !window.contains_key("precision"));
    let implied = in_force("pde", "jacobi", &[("precision", Scalar::Integer(3))]).0;
    assert_eq!(implied["termination"], text("precision"));
    let ended = in_force("pde", "jacobi", &[("termination", text("iterations"))]).0;
    assert_eq!(ended["iterations"], Scalar::Integer(8000));
    let published = in_force("linpack", "classic", &[("convention", text("published"))]).0;
    assert!(!published.contains_key("variant"));
    assert_eq!(published["generator"], text("16-bit"));
    for op in ["classic", "left-looking", "blocked"] {
        assert_eq!(in_force("linpack", op, &[]).0["generator"], text("48-bit"));
    }
}
