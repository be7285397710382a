//! The command line: results, help and bad input.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

mod program;

use serde_json::{json, Value};
use std::process::Output;
#[cfg(unix)]
use std::process::{Command, Stdio};
use virtometer_kernels::KERNELS;

fn agent(words: &[&str]) -> Output {
    program::agent().args(words).output().unwrap()
}

fn measured(words: &[&str]) -> Value {
    let output = agent(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_json_of_a_measurement_has_everything() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&["linpack", "--size", "60"], "FLOP/s", "higher"),
        (&["linpack", "--op", "blocked", "--size", "200", "--threads", "2"], "FLOP/s", "higher"),
        (&["linpack", "--convention", "published", "--size", "200", "--runs", "3"], "FLOP/s", "higher"),
        (&["memory", "--op", "triad", "--size", "64K", "--threads", "2"], "B/s", "higher"),
        (
            &["memory", "--op", "copy", "--size", "1M", "--type", "int", "--simd", "scalar", "--pages", "small"],
            "B/s",
            "higher",
        ),
        (&["memory", "--op", "latency", "--size", "64K", "--stride", "128", "--order", "page"], "s", "lower"),
        (&["pde", "--interlines", "2", "--threads", "2"], "1/s", "higher"),
        (&["pde", "--op", "jacobi", "--function", "sine", "--iterations", "90", "--interlines", "9"], "1/s", "higher"),
        (&["os", "--op", "system-call", "--cpus", "0"], "s", "lower"),
        (&["os", "--op", "exec"], "s", "lower"),
        (&["os", "--op", "shell", "--pin", "none"], "s", "lower"),
        (&["os", "--op", "file-reread", "--size", "1M", "--sum"], "B/s", "higher"),
    ];
    for (words, unit, better) in cases {
        // Windows has only exec; an agent that needs a runner cannot execute itself.
        let executes = words.contains(&"exec") || words.contains(&"shell");
        if words[0] == "os" && ((cfg!(windows) && words[2] != "exec") || (program::runner().is_some() && executes)) {
            continue;
        }
        let mut all = vec!["measure"];
        all.extend(*words);
        all.extend(["--seconds", "0.05", "--json"]);
        let report = measured(&all);
        assert_eq!((report["unit"].as_str(), report["better"].as_str()), (Some(*unit), Some(*better)));
        assert_eq!(report["kernel"], words[0]);
        assert_eq!(report["check"]["passed"], true);
        assert_eq!(report["params"]["seconds"], 0.05);
        assert!(report["value"].as_f64().unwrap() > 0.0);
        assert!(!report["facts"]["kernel"].as_str().unwrap().is_empty());
        let samples = report["samples"].as_array().unwrap();
        assert!(!samples.is_empty());
        for sample in samples {
            assert!(sample["end_ns"].as_u64() > sample["start_ns"].as_u64());
            assert!(sample["work"].as_u64() > Some(0));
        }
    }
}

#[test]
fn a_filled_file_is_measured_and_a_foreign_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    let file = file.to_str().unwrap();
    measured(&["measure", "disk", "--op", "fill", "--file", file, "--span", "1M", "--json"]);
    let words =
        ["measure", "disk", "--op", "random-read", "--file", file, "--size", "4K", "--seconds", "0.05", "--json"];
    let report = measured(&words);
    assert_eq!(report["params"]["size"], 4096);
    std::fs::write(file, vec![7; 1 << 20]).unwrap();
    let output = agent(&words);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("other content than the pattern"));
}

#[test]
fn a_deep_queue_and_a_mix_are_measured_with_times_of_single_requests() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("data");
    let file = file.to_str().unwrap();
    measured(&["measure", "disk", "--op", "fill", "--file", file, "--span", "4M", "--json"]);
    let common = ["--file", file, "--size", "4K", "--seconds", "0.1", "--json"];
    for engine in ["libaio", "io_uring"] {
        for (op, more) in
            [("random-read", &["--verify", "full"][..]), ("access", &["--mix", "4K share=50 read=0, 64K share=50"])]
        {
            let mut words = vec!["measure", "disk", "--op", op, "--depth", "32", "--engine", engine, "--direct"];
            words.extend(common);
            words.extend(more);
            let output = agent(&words);
            let said = String::from_utf8_lossy(&output.stderr);
            if said.contains("does not offer the engine") {
                assert_eq!(output.status.code(), Some(1), "{said}");
                continue;
            }
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["unit"], "IO/s");
            assert_eq!(report["params"]["depth"], 32);
            assert!(report["measures"]["cpu-per-io"]["value"].as_f64() > Some(0.0), "{report}");
            assert!(!report["histograms"]["latency"]["counts"].as_array().unwrap().is_empty());
        }
    }
}

#[test]
fn a_file_with_other_content_is_overwritten_only_by_a_fill_that_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("precious");
    let content = vec![7; 1 << 16];
    std::fs::write(&file, &content).unwrap();
    let name = file.to_str().unwrap();
    let refused = |op: &str, remedy: &str| {
        let output = agent(&["measure", "disk", "--op", op, "--file", name, "--seconds", "0.05"]);
        let doing = if op == "fill" { "filling" } else { "writing" };
        let sentence = format!(
            "virtometer-agent: {name} does not hold the pattern of fill, and {doing} would destroy what it holds; {remedy}\n"
        );
        assert_eq!(String::from_utf8(output.stderr).unwrap(), sentence);
        assert_eq!(output.status.code(), Some(1));
        assert!(std::fs::read(&file).unwrap() == content, "{op} has changed the file");
    };
    refused("random-write", "run fill first");
    refused("sequential-write", "run fill first");
    refused("fill", "name a new file, or give overwrite");
    let output = agent(&["measure", "disk", "--op", "random-write", "--file", name, "--overwrite"]);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let report = measured(&["measure", "disk", "--overwrite", "--op", "fill", "--file", name, "--json"]);
    assert_eq!(report["params"]["overwrite"], true);
    measured(&["measure", "disk", "--op", "random-write", "--file", name, "--seconds", "0.05", "--json"]);
    assert!(std::fs::read(&file).unwrap() != content);
}

#[test]
fn bad_input_is_one_sentence_and_a_status() {
    let cases: &[(i32, &[&str])] = &[
        (2, &[]),
        (2, &["measure"]),
        (2, &["measure", "whetstone"]),
        (2, &["measure", "linpack", "--size", "0"]),
        (2, &["measure", "linpack", "--size", "many"]),
        (2, &["measure", "linpack", "--size", "-1"]),
        (2, &["measure", "linpack", "--size"]),
        (2, &["measure", "linpack", "500"]),
        (2, &["measure", "linpack", "--order", "500"]),
        (2, &["measure", "linpack", "--op", "quantum"]),
        (2, &["measure", "linpack", "--op", "blocked", "--variant", "fast"]),
        (2, &["measure", "linpack", "--variant", "quick"]),
        (2, &["measure", "linpack", "--convention", "published", "--size", "501"]),
        (2, &["measure", "linpack", "--generator", "16-bit", "--size", "512"]),
        (2, &["measure", "linpack", "--runs", "many"]),
        (2, &["measure", "linpack", "--time-server", "clock.example:5005"]),
        (1, &["measure", "linpack", "--time-server", "127.0.0.1:1"]),
        (2, &["measure", "linpack", "--op", "blocked", "--size", "100001"]),
        (1, &["measure", "linpack", "--op", "blocked", "--size", "100000", "--threads", "64"]),
        (2, &["measure", "linpack", "--threads", "0"]),
        (2, &["measure", "linpack", "--cpus", "4095"]),
        (2, &["measure", "linpack", "--cpus", "a"]),
        (2, &["measure", "linpack", "--seconds", "NaN"]),
        (1, &["measure", "memory", "--size", "8192G"]),
        (2, &["measure", "memory", "--size", "0"]),
        (2, &["measure", "memory", "--size", "1001"]),
        (2, &["measure", "memory", "--simd", "mmx"]),
        (2, &["measure", "memory", "--op", "read", "--store", "non-temporal"]),
        (2, &["measure", "memory", "--op", "latency", "--stride", "12"]),
        (2, &["measure", "pde", "--interlines", "10001"]),
        (2, &["measure", "pde", "--function", "cosine"]),
        (2, &["measure", "pde", "--variant", "naive", "--threads", "2"]),
        (2, &["measure", "pde", "--iterations", "0"]),
        (2, &["measure", "pde", "--iterations", "8", "--precision", "4"]),
        (2, &["measure", "pde", "--op", "jacobi", "--cpus", "4095", "--threads", "2"]),
        (2, &["measure", "disk"]),
        (1, &["measure", "disk", "--file", "/nonexistent/file"]),
        #[cfg(unix)]
        (2, &["measure", "disk", "--file", "/dev/zero"]),
        (2, &["measure", "disk", "--file", "/"]),
        (2, &["measure", "disk", "--file", "/etc/passwd", "--depth", "32"]),
        (2, &["measure", "disk", "--file", "/etc/passwd", "--depth", "1025", "--engine", "libaio"]),
        (2, &["measure", "disk", "--file", "/etc/passwd", "--engine", "posixaio"]),
        (2, &["measure", "disk", "--file", "/etc/passwd", "--size", "0"]),
        (2, &["measure", "disk", "--file", "/etc/passwd", "--size", "1G"]),
        (2, &["measure", "disk", "--op", "access", "--file", "/etc/passwd", "--mix", "4K share=10"]),
        (1, &["measure", "disk", "--op", "write", "--file", "/etc/passwd"]),
        (2, &["measure", "disk", "--op", "write", "--file", "/nonexistent/file", "--span", "1000"]),
        (1, &["measure", "disk", "--op", "stat-random", "--folder", "/etc"]),
        (2, &["measure", "net"]),
        (2, &["measure", "net", "--peer", "somewhere:5000"]),
        (1, &["measure", "net", "--peer", "127.0.0.1:1"]),
        (1, &["measure", "net", "--peer", "127.0.0.1:1", "--op", "udp-stream"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--size", "65M"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--direction", "up"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--connections", "0"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--op", "udp-stream", "--size", "15"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--op", "udp-stream", "--rate", "1000"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--op", "open-loop", "--arrivals", "uniform"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--op", "connect", "--connections", "2"]),
        (2, &["measure", "net", "--peer", "127.0.0.1:1", "--cpus", "4096"]),
        (2, &["measure", "os", "--op", "pipe", "--pin", "everywhere"]),
        (2, &["measure", "os", "--op", "pipe", "--pin", "apart", "--cpus", "0"]),
        (2, &["measure", "os", "--op", "select", "--descriptors", "0"]),
        (2, &["measure", "os", "--op", "file-reread", "--size", "100M", "--file", "/dev/zero"]),
        (1, &["measure", "os", "--op", "file-reread", "--file", "/nonexistent/file"]),
        (1, &["measure", "os", "--op", "mmap", "--directory", "/nonexistent"]),
        (2, &["serve", "disk"]),
        (2, &["stdio", "please"]),
        (2, &["serial"]),
        (2, &["descriptor", "1"]),
        (1, &["descriptor", "999"]),
        (2, &["connect", "nowhere"]),
        (1, &["connect", "127.0.0.1:1"]),
        (2, &["init"]),
    ];
    for (status, words) in cases {
        let output = agent(words);
        let said = String::from_utf8(output.stderr).unwrap();
        // Windows refuses what it has not before it looks at most parameters.
        let lacking = cfg!(windows) && ["os", "write", "stat-random"].iter().any(|word| words.contains(word));
        let status = if lacking && said.starts_with("virtometer-agent: on Windows the kernel ") { 1 } else { *status };
        assert_eq!(output.status.code(), Some(status), "{words:?}: {said}");
        assert!(said.starts_with("virtometer-agent: ") && said.matches('\n').count() == 1, "{words:?}: {said:?}");
        assert!(!said.contains("os error") && !said.contains("panicked"), "{words:?}: {said:?}");
        assert!(output.stdout.is_empty(), "{words:?}");
    }
}

/// Start a measurement, wait until `begun` is true, send a signal and wait for the end.
#[cfg(unix)]
fn ended_by(signal: &str, words: &[&str], begun: impl Fn() -> bool) {
    let mut child = program::agent().args(words).spawn().unwrap();
    for _ in 0..1000 {
        if begun() || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(child.try_wait().unwrap().is_none(), "{words:?} ended by itself");
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    assert!(!child.wait().unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_agent_that_is_killed_leaves_no_file() {
    let outer = tempfile::tempdir().unwrap();
    let entries = |path: &std::path::Path| std::fs::read_dir(path).map_or(0, Iterator::count);
    let path = outer.path().join("own");
    let own = path.to_str().unwrap();
    let begun = std::time::Instant::now();
    ended_by(
        "-KILL",
        &["measure", "disk", "--op", "rewrite", "--file", own, "--span", "1M", "--seconds", "60"],
        || begun.elapsed().as_millis() > 300,
    );
    assert_eq!(entries(outer.path()), 0);
    for signal in ["-TERM", "-INT", "-HUP"] {
        let words =
            ["measure", "disk", "--op", "create-random", "--folder", own, "--files", "20000", "--seconds", "60"];
        ended_by(signal, &words, || entries(&path) > 100);
        assert_eq!(entries(outer.path()), 0, "{signal}");
    }
}

/// Ctrl-C at a terminal reaches the agent only: what it started is in groups and sessions of its own.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_is_interrupted_ends_the_program_and_all_that_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("pids");
    let body = format!(
        r#"(setsid sleep 1000 >/dev/null 2>&1 & echo $! ; sleep 1000 & echo $! ; echo $$) > {0}.new; mv {0}.new {0}; sleep 1000"#,
        list.display()
    );
    let arguments = serde_json::to_string(&["-c", body.as_str()]).unwrap();
    for signal in ["-INT", "-TERM", "-HUP"] {
        ended_by(signal, &["measure", "command", "--program", "/bin/sh", "--arguments", &arguments], || list.exists());
        let text = std::fs::read_to_string(&list).unwrap();
        let pids: Vec<i32> = text.lines().map(|pid| pid.parse().unwrap()).collect();
        assert_eq!(pids.len(), 3, "{text}");
        for pid in pids {
            let stat =
                || std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "));
            assert!(
                (0..500).any(|_| {
                    std::thread::sleep(std::time::Duration::from_millis(10));
                    stat()
                }),
                "{signal}: process {pid} of {text} is left"
            );
        }
        std::fs::remove_file(&list).unwrap();
    }
}

/// That may be the laboratory's next request.
#[cfg(unix)]
#[test]
fn a_program_does_not_read_what_is_sent_to_the_agent() {
    let words = ["measure", "command", "--program", "/bin/sh", "--arguments", r#"["-c","! read line"]"#];
    let mut agent = program::agent();
    let mut agent = agent.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    std::io::Write::write_all(&mut agent.stdin.take().unwrap(), b"a line\n").unwrap();
    assert!(agent.wait().unwrap().success());
}

#[test]
fn an_option_may_carry_its_value_and_none_is_given_twice() {
    let separate = measured(&["measure", "memory", "--op", "read", "--size", "4K", "--seconds", "0.02", "--json"]);
    let joined = measured(&["measure", "memory", "--op=read", "--size=4K", "--seconds=0.02", "--json"]);
    assert_eq!(joined["params"], separate["params"]);
    let help = String::from_utf8(agent(&["measure", "memory", "--op=read", "--help"]).stdout).unwrap();
    assert_eq!(help.as_bytes(), agent(&["measure", "memory", "--op", "read", "--help"]).stdout);
    for (words, sentence) in [
        (&["--seconds", "1", "--seconds=2"][..], "--seconds is given twice"),
        (&["--op", "read", "--op", "read"], "--op is given twice"),
        (&["--threads=1", "--threads", "1"], "--threads is given twice"),
        (&["--cpus=0", "--cpus=0"], "--cpus is given twice"),
        (&["--json", "--json"], "--json is given twice"),
        (&["--size=4K", "--size", "8K"], "--size is given twice"),
        (&["--json=yes"], "--json takes no value; give it without ="),
        (&["--size="], "--size is \"\", not a number with an optional K, M, G or T"),
    ] {
        let output = agent(&[&["measure", "memory"], words].concat());
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("virtometer-agent: {sentence}\n"));
    }
}

#[test]
fn the_processors_of_the_place_are_told_however_few_the_measurement_is_pinned_to() {
    let words = ["measure", "memory", "--op", "read", "--size", "4K", "--seconds", "0.02", "--json"];
    let free = measured(&words);
    let first = if cfg!(target_os = "linux") {
        let allowed = rustix::thread::sched_getaffinity(None).unwrap();
        (0..1024).find(|cpu| allowed.is_set(*cpu)).unwrap()
    } else {
        0
    };
    let pinned = measured(&[&words[..], &["--cpus", &first.to_string()]].concat());
    assert_eq!(pinned["facts"]["cpus_allowed"], free["facts"]["cpus_allowed"]);
}

#[test]
fn a_person_is_told_how_far_samples_spread() {
    let said = |words: &[&str]| String::from_utf8(agent(words).stdout).unwrap();
    let text = said(&["measure", "memory", "--op", "read", "--size", "4K", "--seconds", "0.2"]);
    assert!(text.contains("\n  quartiles ") && text.contains("B/s, range "), "{text}");
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_one_sentence() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, [0; 8192]).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_virtometer-agent"));
    command.args(["measure", "disk", "--op", "random-read", "--file", file.to_str().unwrap()]);
    if folder.path().metadata().unwrap().uid() == 0 {
        // Permissions do not bind root.
        command.uid(65534);
    }
    let output = match command.output() {
        Ok(output) => output,
        Err(cause) => return eprintln!("skipped: the agent cannot be run as somebody else: {cause}"),
    };
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Permission denied") && said.matches('\n').count() == 1, "{said}");
}

#[test]
fn help_names_every_kernel_operation_unit_and_parameter() {
    let output = agent(&["--help"]);
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    for kernel in KERNELS {
        assert!(help.contains(&format!("\n{}: ", kernel.name)));
        for op in kernel.ops {
            assert!(help.contains(&format!("--op {:<20} {}", op.name, op.unit.name())), "{}", op.name);
            for parameter in op.parameters {
                assert!(help.contains(&format!("--{} ", parameter.name)), "{}", parameter.name);
            }
        }
    }
    for word in ["-h", "help"] {
        assert_eq!(agent(&[word]).stdout, help.as_bytes());
    }
    let version = String::from_utf8(agent(&["--version"]).stdout).unwrap();
    assert_eq!(version, format!("virtometer-agent {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_is_given_for_a_command_a_kernel_and_an_operation() {
    let said = |words: &[&str]| {
        let output = agent(words);
        assert!(output.status.success() && output.stderr.is_empty(), "{words:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = said(&["--help"]);
    for words in [&["measure", "--help"][..], &["measure", "-h"], &["stdio", "--help"], &["connect", "-h"]] {
        assert_eq!(said(words), whole);
    }
    let memory = said(&["measure", "memory", "--help"]);
    assert!(whole.contains(&memory) && memory.starts_with("memory: "), "{memory}");
    assert_eq!(said(&["measure", "memory", "--size", "4K", "-h"]), memory);
    assert!(memory
        .contains("  all but latency:\n    --size N                 bytes of each array (8 to 1024T; default 64M)\n"));
    assert!(
        memory.contains("  latency:\n    --size N                 bytes of memory (8 to 1024T; default 64M)\n"),
        "{memory}"
    );
    // Every parameter stands under its operations, and once.
    let net = said(&["measure", "net", "--help"]);
    assert_eq!(net.matches("--size N").count(), 4);
    assert!(net.contains("  all but serve:\n    --peer TEXT"), "{net}");
    let disk = said(&["measure", "disk", "-h"]);
    assert!(disk.contains("  sequential-read to access, write to seeks:\n    --verify WORD"), "{disk}");
    let stream = said(&["measure", "net", "--op", "stream", "--help"]);
    assert!(stream.contains("--size N                 bytes of a message (1 to 64M; default 128K)"), "{stream}");
    assert!(stream.contains("(send, receive, both; default send)"), "{stream}");
    assert!(stream.contains("--peer") && !stream.contains("--rate"), "{stream}");
    for words in [&["serve", "net", "--help"][..], &["serve", "--help"], &["serve", "net", "--listen", "x", "-h"]] {
        assert!(said(words).contains("--listen TEXT"));
    }
    for words in [&["measure", "whetstone", "--help"][..], &["measure", "net", "--op", "quantum", "--help"]] {
        assert_eq!(agent(words).status.code(), Some(2));
    }
}

#[test]
fn the_table_of_kernels_is_there_for_people_and_for_programs() {
    let table = measured(&["kernels", "--json"]);
    let names: Vec<&str> =
        table["kernels"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, KERNELS.iter().map(|kernel| kernel.name).collect::<Vec<_>>());
    let of = |kernel: &str, operation: &str| {
        let rows = |of: &Value, name: &str| of[name].as_array().unwrap().clone();
        let found = rows(&table, "kernels").into_iter().find(|row| row["name"] == kernel).unwrap();
        rows(&found, "operations").into_iter().find(|row| row["name"] == operation).unwrap()
    };
    let stream = of("net", "stream");
    assert_eq!((&stream["unit"], &stream["better"]), (&"B/s".into(), &"higher".into()));
    let parameters = stream["parameters"].as_array().unwrap();
    assert_eq!(
        parameters[..3],
        [
            json!({"name": "peer", "type": "text", "required": true,
                "meaning": "HOST:PORT of the agent that serves"}),
            json!({"name": "size", "type": "integer", "unit": "B", "required": false, "default": 131_072, "minimum": 1,
                "maximum": 67_108_864, "meaning": "bytes of a message"}),
            json!({"name": "direction", "type": "choice", "required": false, "default": "send",
                "choices": ["send", "receive", "both"], "meaning": "seen from the agent that connects"}),
        ]
    );
    assert_eq!(of("os", "pipe")["better"], "lower");
    assert_eq!((stream.get("arrays"), &of("memory", "read-write")["arrays"]), (None, &json!({"held": 1, "moved": 2})));
    let measures = of("disk", "random-read")["measures"].clone();
    let throughput = json!({"name": "throughput", "unit": "B/s", "timed_by": "guest", "meaning": "bytes a second"});
    assert_eq!(measures[2], throughput);
    let latency = json!({"metric": "mean latency at the offered rate", "histogram": "latency", "wanted": "offered"});
    assert_eq!((&of("net", "open-loop")["judged"], stream.get("judged")), (&latency, None));
    let request = of("net", "connect")["parameters"][2].clone();
    assert_eq!((&request["otherwise"], request.get("default")), (&"size".into(), None));
    let text = String::from_utf8(agent(&["kernels"]).stdout).unwrap();
    assert!(text.starts_with("linpack: ") && String::from_utf8(agent(&["--help"]).stdout).unwrap().ends_with(&text));
    for words in [&["kernels", "--xml"][..], &["kernels", "--json", "net"]] {
        assert_eq!(agent(words).status.code(), Some(2));
    }
}

#[test]
fn a_stored_result_tells_every_parameter_and_whether_threads_were_pinned() {
    let report = measured(&["measure", "memory", "--size", "64KiB", "--seconds", "0.05", "--json"]);
    let params = json!({
        "size": 65536, "type": "float", "simd": "auto", "store": "auto", "pages": "auto", "threads": 1, "cpus": null,
        "seconds": 0.05,
    });
    assert_eq!(report["params"], params);
    assert_eq!(report["conditions"]["pinned"], "no");
    let cpus = ["measure", "linpack", "--size", "50", "--cpus", "0", "--seconds", "0.05", "--json"];
    assert_eq!(measured(&cpus)["conditions"]["pinned"], "yes");
}

#[cfg(unix)]
#[test]
fn a_server_says_what_it_received_and_nothing_where_it_was_not_used() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    for used in [false, true] {
        let mut child = program::agent();
        child.args(["serve", "net", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split(' ').nth(2).unwrap();
        if used {
            measured(&["measure", "net", "--peer", address, "--seconds", "0.05", "--json"]);
        }
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(said.is_empty(), !used, "{said}");
        assert!(!used || (said.starts_with("received ") && said.ends_with(" s\n")), "{said}");
    }
}

/// Run a script with file systems of its own, or say why not.
#[cfg(unix)]
fn with_own_mounts(script: &str) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-r", "-m", "sh", "-c"])
        .arg(format!("mount -t tmpfs -o size=256k none \"$1\" || exit 99; {script}"))
        .arg("sh")
        .arg(folder.path())
        .env("AGENT", format!("{} {}", program::runner().unwrap_or_default(), env!("CARGO_BIN_EXE_virtometer-agent")))
        .output();
    let refused = |output: &Output| output.status.code() == Some(99) || output.stderr.starts_with(b"unshare");
    match output {
        Ok(output) if !refused(&output) => Some(output),
        other => {
            eprintln!("skipped: no mount namespace of our own can be made here: {other:?}");
            None
        }
    }
}

#[cfg(unix)]
#[test]
fn a_full_or_read_only_file_system_is_one_sentence() {
    let full = "$AGENT measure disk --op fill --file $1/data --span 1M --buffered";
    // A file with a hole where nothing is looked at beforehand: the write itself is refused.
    let holes = "$AGENT measure disk --op fill --file $1/data --span 200K --buffered > /dev/null &&
        fallocate --punch-hole --offset 48K --length 4K $1/data || exit 99;
        head -c 200k /dev/zero > $1/other 2> /dev/null;
        $AGENT measure disk --op sequential-write --file $1/data --size 4K --buffered";
    let read_only = "$AGENT measure disk --op fill --file $1/data --span 64K --buffered > /dev/null &&
        mount -o remount,ro $1 && $AGENT measure disk --op random-write --file $1/data";
    let own = "$AGENT measure disk --op write --file $1/own --span 1M";
    let names = "$AGENT measure disk --op create-random --folder $1/many --files 300 --size 4096";
    let own_read_only = "mount -o remount,ro $1; $AGENT measure disk --op reread --file $1/own --span 64K";
    let names_read_only = "mount -o remount,ro $1; $AGENT measure disk --op stat-random --folder $1/many";
    for (script, words) in [
        (full, "has only"),
        (holes, "No space left on device"),
        (read_only, "Read-only file system"),
        (own, "has only"),
        (names, "No space left on device"),
        (own_read_only, "Read-only file system"),
        (names_read_only, "Read-only file system"),
    ] {
        if let Some(output) = with_own_mounts(script) {
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{said}");
            assert!(said.contains(words) && said.matches('\n').count() == 1, "{said}");
        }
    }
}
