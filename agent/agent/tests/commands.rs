//! Commands of a user's: what they see, what they cost, and that nothing is left of them.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)]

mod program;

use serde_json::Value;
use std::process::Command;

fn measured(words: &[&str]) -> Value {
    let output = program::agent().args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Processes whose command line has this word, but the agents.
fn sleeping(word: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    let words = format!("sleep\0{word}\0").into_bytes();
    lines.filter(|path| std::fs::read(path).unwrap_or_default() == words).count()
}

#[test]
fn a_command_sees_its_own_variables_and_no_other() {
    let words = ["measure", "command", "--op", "time", "--program", "/usr/bin/env", "--variables", r#"{"A":"b"}"#];
    let found = measured(&[&words[..], &["--seconds", "0.05", "--json"]].concat());
    // Of "A=b" and the end of its line, by sha256sum.
    assert_eq!(found["conditions"]["answer"], "e414bc8cb26600ad");
}

#[test]
fn what_a_kept_program_leaves_behind_ends_with_it_and_with_the_parent() {
    let leaves = |word: &str, end: &str| {
        format!("(setsid sleep {word} &); (env -i setsid sh -c 'sleep {word} & exec sleep {word}' &); sleep 0.2; {end}")
    };
    for (end, status) in [("exit 7", 7), ("kill -9 $$", 137)] {
        let kept = program::agent().args(["keep", "/bin/sh", "-c", &leaves("1000.375", end)]).status().unwrap();
        assert_eq!(kept.code(), Some(status));
        assert_eq!(sleeping("1000.375"), 0);
    }
    // A shell that is killed: whoever keeps has asked to be told of that, and the program is in a session of its own.
    let path = program::agent().get_program().to_str().unwrap().to_owned();
    let script = leaves("1000.4375", "exec sleep 1000.4375");
    let mut parent =
        Command::new("/bin/sh").args(["-c", "\"$0\" keep /bin/sh -c \"$1\"; :", &path, &script]).spawn().unwrap();
    while sleeping("1000.4375") < 4 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    parent.kill().unwrap();
    parent.wait().unwrap();
    let begun = std::time::Instant::now();
    while sleeping("1000.4375") > 0 && begun.elapsed().as_secs() < 10 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(sleeping("1000.4375"), 0);
    assert_eq!(program::agent().arg("keep").status().unwrap().code(), Some(2));
}

/// What the agent reports of a program that is given a script, in a process of its own.
fn timed(program: &str, script: &str, seconds: &str) -> serde_json::Value {
    let arguments = serde_json::to_string(&["-c", script]).unwrap();
    let words = ["measure", "command", "--op", "time", "--program", program, "--arguments", &arguments];
    measured(&[&words[..], &["--seconds", seconds, "--json"]].concat())
}

/// In a process of its own: the agent's own memory is below that of the command.
#[test]
fn a_command_is_timed_run_by_run_with_its_processor_time_and_its_peak_memory() {
    let script = "i=0; while [ $i -lt 9999 ]; do i=$((i+1)); done; head -c 64m /dev/zero | tail -n 1 | wc -c";
    let report = timed("/bin/sh", script, "0.3");
    assert_eq!((report["unit"].as_str(), report["better"].as_str()), (Some("s"), Some("lower")));
    // `tail` keeps its only line.
    let measures = &report["measures"];
    let peak = measures["peak-memory"]["value"].as_f64().unwrap();
    assert!((64e6..200e6).contains(&peak), "{measures}");
    assert!(measures["user"]["value"].as_f64().unwrap() > 0.001, "{measures}");
    assert!(measures["system"]["value"].as_f64().unwrap() > 0.0, "{measures}");
    assert_eq!(report["conditions"]["status"], "0");
}

/// A program that starts others shares its memory with each until that is executed: it counts once.
#[test]
fn memory_that_is_shared_for_a_moment_counts_once() {
    let script = "import subprocess\nx = bytearray(100 << 20)\nfor _ in range(150): subprocess.run(['true'])";
    let report = timed("python3", script, "0.1");
    let held = report["measures"]["held-memory"]["value"].as_f64().unwrap();
    assert!((100e6..180e6).contains(&held), "{held}");
}

/// Three processes that hold 32 MiB each: what they hold at once is more than any of them does.
#[test]
fn memory_of_a_command_is_that_of_all_its_processes_at_once() {
    let holds = "(head -c 32m /dev/zero; sleep 0.5) | tail -n 1 | wc -c";
    let script = format!("for i in 1 2 3; do ({holds}) & done; wait");
    let report = timed("/bin/sh", &script, "0.1");
    let held = report["measures"]["held-memory"]["value"].as_f64().unwrap();
    let largest = report["measures"]["peak-memory"]["value"].as_f64().unwrap();
    assert!((96e6..160e6).contains(&held), "{held}");
    assert!((32e6..80e6).contains(&largest), "{largest}");
}
