#![allow(clippy::unwrap_used)]
use super::*;
use crate::command::OPS;
use crate::settings::Settings;
use std::os::unix::fs::PermissionsExt;
use virtometer_protocol::{Parameters, Scalar};

fn told(given: &[(&str, &str)]) -> Conditions {
    let parameters = given.iter().map(|(name, value)| ((*name).to_owned(), Scalar::Text((*value).into())));
    let parameters = Parameters(parameters.collect());
    of(&Specification::new(&Settings::new(&OPS[1], &parameters).unwrap()).unwrap())
}

/// What another program says of a file: here the system's own.
fn sha256sum(path: &str) -> String {
    let output = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().chars().take(16).collect()
}

#[test]
fn a_program_is_named_with_its_digest_and_those_of_what_loads_it() {
    let found = told(&[("program", "sh"), ("variables", r#"{"PATH":"/usr/bin:/bin","LANG":"C","LC_TIME":"C"}"#)]);
    let path = Path::new(&found["program_path"]);
    assert_eq!(path, Path::new("/bin/sh").canonicalize().unwrap());
    assert!(found["program_digest"].starts_with(&sha256sum("/bin/sh")), "{found:?}");
    let length = std::fs::metadata("/bin/sh").unwrap().len();
    assert!(found["program_digest"].ends_with(&format!("({length} bytes)")));
    // The loader says itself where the library is that it loads.
    let output = std::process::Command::new("ldd").arg("/bin/sh").output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    for (word, key) in [("libc.so.6 =>", "c_library_digest"), ("/ld-linux", "loader_digest")] {
        let line = listed.lines().find(|line| line.contains(word)).unwrap();
        let file = line.split_whitespace().find(|word| word.starts_with('/')).unwrap();
        assert!(found[key].starts_with(&sha256sum(file)), "{key}: {found:?}");
    }
    assert_eq!(found["locale"], "LANG=C LC_TIME=C");
    assert!(!found.contains_key("interpreter_digest"));
}

#[test]
fn a_script_has_its_interpreters_and_their_loader() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "#! /bin/sh -e\n:\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = told(&[("program", "./script"), ("directory", folder.path().to_str().unwrap())]);
    assert!(found["interpreter_digest"].starts_with(&sha256sum("/bin/sh")));
    assert!(found["program_digest"].ends_with("(16 bytes)"));
    assert!(found.contains_key("loader_digest"));
    // A script that interprets itself has no end.
    std::fs::write(&script, format!("#!{}\n", script.display())).unwrap();
    assert_eq!(interpreters(&script).len(), MOST_INTERPRETERS);
}

#[test]
fn files_that_are_no_programs_have_no_loader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let whole = std::fs::read("/bin/sh").unwrap();
    for bytes in [&b""[..], b"#!", b"\x7fELF", &whole[..64], &whole[..100], &[0xff; 4096][..]] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(loader(&path), None);
        assert_eq!(named_interpreter(&path), None);
    }
    assert_eq!(digest(folder.path()), None);
    assert_eq!(digest(&folder.path().join("none")), None);
}

#[test]
fn a_reading_of_the_clock_costs_some_nanoseconds() {
    let found = told(&[("program", "true")]);
    let ns: f64 = found["clock_reading"].strip_suffix(" ns").unwrap().parse().unwrap();
    assert!(ns > 0.5 && ns < 100_000.0, "{found:?}");
}

#[test]
fn streams_and_limits_are_told() {
    let found = told(&[("program", "true"), ("output", "null"), ("input", "/etc/passwd")]);
    assert_eq!((found["standard_input"].as_str(), found["standard_output"].as_str()), ("file", "null"));
    let found = told(&[("program", "true")]);
    assert_eq!((found["standard_input"].as_str(), found["standard_output"].as_str()), ("null", "pipe"));
    let said = std::process::Command::new("sh").args(["-c", "ulimit -n; nproc; id -u"]).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(found["limit_open_files"].split(',').next(), Some(said[0]));
    assert_eq!(found["processors_seen"], said[1]);
    assert_eq!(found["user"].split(':').next(), Some(said[2]));
    assert!(found.keys().all(|key| key.len() < 40) && found.len() < 40);
}

#[test]
fn what_a_status_says_is_put_into_words() {
    let status =
        "Name:\tx\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\nSpeculation_Store_Bypass:\tthread vulnerable\n";
    let said = |name| of_status(status, name);
    assert_eq!(said("NoNewPrivs").as_deref(), Some("yes"));
    assert_eq!(said("Seccomp").as_deref(), Some("filter"));
    assert_eq!(said("Seccomp_filters").as_deref(), Some("3"));
    assert_eq!(said("Speculation_Store_Bypass").as_deref(), Some("thread vulnerable"));
    assert_eq!(said("SpeculationIndirectBranch"), None);
}

#[test]
fn a_directory_is_in_the_last_and_innermost_of_the_mounts_around_it() {
    let lines = "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n\
                 2 1 0:5 / /srv ro,nosuid shared:1 - overlay overlay rw,lowerdir=/a\n\
                 3 1 0:6 / /srv/a\\040b rw - tmpfs tmpfs ro,size=1k\n\
                 4 1 0:7 / /srv rw - xfs /dev/sdb rw\nnonsense\n";
    let told = |path: &str| of_mounts(lines, Path::new(path)).unwrap();
    assert_eq!(told("/home"), "ext4, writable");
    assert_eq!(told("/srv/x"), "xfs, writable");
    assert_eq!(told("/srv/a b/c"), "tmpfs, read-only");
    assert_eq!(told("/srvx"), "ext4, writable");
    assert_eq!(
        of_mounts("2 1 0:5 / /srv ro - overlay o rw\n", Path::new("/srv")).as_deref(),
        Some("overlay, read-only")
    );
    assert!(mount(Path::new("/")).is_some());
}
