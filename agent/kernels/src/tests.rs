#![allow(clippy::unwrap_used)]
use super::*;
use std::sync::Arc;
use virtometer_protocol::Scalar;
use virtometer_sampling::Control;

/// Defaults in words: what is done depends on other parameters or on the machine.
const WORDS: [&str; 7] = [
    "48-bit; published: 16-bit where regular",
    "size",
    "one size",
    "none",
    "one without a name",
    "the agent",
    "in memory",
];

fn in_force(kernel: &str, op: &str, given: &[(&str, Scalar)]) -> Parameters {
    let parameters = Parameters(given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
    let control = Arc::new(Control::default());
    let task = Task { op: op.to_owned(), parameters, threads: 1, cpus: None, seconds: 0.05, control };
    let (kernel, op) = find(kernel, op).unwrap();
    make_and_tell(kernel, op, &task).map(|(_, parameters)| parameters).unwrap()
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
            (Preset::Value(value), ParameterKind::Integer) => assert!(quantity(value).is_some(), "{value}"),
            (Preset::Value(value), ParameterKind::Boolean) => assert!(["true", "false"].contains(&value), "{value}"),
            (Preset::Value(value), ParameterKind::Text) => assert!(!value.contains(' '), "{value}"),
        }
    }
}

#[test]
fn the_defaults_that_a_kernel_takes_are_those_of_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    std::fs::write(&path, vec![0; 8192]).unwrap();
    let file = path.to_str().unwrap();
    let new = folder.path().join("new");
    // What holds follows from others.
    let beside = ["iterations", "precision", "generator"];
    for (kernel, op) in KERNELS.iter().flat_map(|kernel| kernel.ops.iter().map(move |op| (kernel, op))) {
        if cfg!(windows) && ["os", "disk"].contains(&kernel.name) {
            continue;
        }
        let missing = op.parameters.iter().filter(|parameter| parameter.preset == Preset::Missing);
        let given: Vec<(&str, Scalar)> = missing
            .map(|parameter| match parameter.name {
                "file" if op.parameters.iter().any(|known| known.name == "engine" || known.name == "overwrite") => {
                    ("file", text(file))
                }
                "file" | "folder" => (parameter.name, text(new.to_str().unwrap())),
                "peer" => ("peer", text("127.0.0.1:9")),
                "listen" => ("listen", text("127.0.0.1:0")),
                other => (other, text("true")),
            })
            .collect();
        let all = in_force(kernel.name, op.name, &given);
        for parameter in op.parameters.iter().filter(|parameter| !beside.contains(&parameter.name)) {
            let told = all.0.get(parameter.name);
            let name = format!("{} {} {}", kernel.name, op.name, parameter.name);
            match (parameter.preset, parameter.kind) {
                (Preset::Value(value), ParameterKind::Integer) => {
                    let value = i64::try_from(quantity(value).unwrap()).unwrap();
                    assert_eq!(told, Some(&Scalar::Integer(value)), "{name}");
                }
                (Preset::Value(value), ParameterKind::Boolean) => {
                    assert_eq!(told, Some(&Scalar::Boolean(value == "true")), "{name}");
                }
                (Preset::Value(value), ParameterKind::Text) => assert_eq!(told, Some(&text(value)), "{name}"),
                (Preset::Missing, _) => assert!(told.is_some(), "{name}"),
                (Preset::Otherwise(_), ParameterKind::Integer) => assert!(told.is_some(), "{name}"),
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
