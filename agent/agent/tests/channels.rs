//! The channels other than standard input and output, and what happens to processes when a channel ends.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]
#![allow(unsafe_code)] // openpty

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::io::FromRawFd;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

mod program;

use program::{converse, HELLO};

fn agent(words: &[&str]) -> Command {
    let mut command = program::agent();
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_serial_line_is_made_raw_and_waited_for() {
    let (mut master, mut slave) = (0, 0);
    let mut name = [0; 64];
    // SAFETY: all three are valid to write to, and the name of a terminal is shorter than 64 bytes.
    let (master, _slave, name) = unsafe {
        let done =
            libc::openpty(&mut master, &mut slave, name.as_mut_ptr(), std::ptr::null_mut(), std::ptr::null_mut());
        assert_eq!(done, 0);
        let name = std::ffi::CStr::from_ptr(name.as_ptr()).to_str().unwrap().to_owned();
        (File::from_raw_fd(master), File::from_raw_fd(slave), name)
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("port");
    let mut child = agent(&["serial", path.to_str().unwrap()]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    std::os::unix::fs::symlink(name, &path).unwrap();
    // A terminal that is not raw would echo the greeting and end lines with a carriage return.
    converse(master.try_clone().unwrap(), master);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_descriptor_that_is_left_open_is_a_channel() {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let program = program::agent().get_program().to_owned();
    let mut child = Command::new("sh")
        .args(["-c", "exec \"$0\" descriptor 3 3<&0 </dev/null"])
        .arg(program)
        .stdin(Stdio::from(std::os::unix::io::OwnedFd::from(theirs)))
        .spawn()
        .unwrap();
    converse(ours.try_clone().unwrap(), ours);
    assert!(child.wait().unwrap().success());
}

fn stat_of(pid: &str) -> Option<(String, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(") ").next()?.split(' ');
    Some((fields.next()?.to_owned(), fields.next()?.to_owned()))
}

/// Processes whose parent is `parent`, dead ones included.
fn children_of(parent: u32) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|pid| stat_of(pid).is_some_and(|(_, of)| of == parent.to_string()))
        .collect()
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// An agent whose ring of eight processes turns for an hour.
fn with_a_ring() -> (Child, Vec<String>) {
    let mut child = agent(&["stdio"]).spawn().unwrap();
    let input = child.stdin.as_mut().unwrap();
    input.write_all(HELLO).unwrap();
    input
        .write_all(
            b"{\"id\":1,\"command\":\"prepare\",\"arguments\":{\"run\":\"r\",\"kernel\":\"os\",\"op\":\"context-switch\",\
            \"parameters\":{\"processes\":8},\"threads\":1,\"cpus\":null,\"seconds\":3600}}\n",
        )
        .unwrap();
    let mut output = BufReader::new(child.stdout.as_mut().unwrap());
    let mut line = String::new();
    while !line.contains("\"ready\"") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0);
    }
    child
        .stdin
        .as_mut()
        .unwrap()
        .write_all(b"{\"id\":2,\"command\":\"start\",\"arguments\":{\"run\":\"r\"}}\n")
        .unwrap();
    let children = children_of(child.id());
    assert_eq!(children.len(), 7);
    (child, children)
}

#[test]
fn no_child_outlives_an_agent_that_is_killed() {
    let (mut agent, children) = with_a_ring();
    agent.kill().unwrap();
    agent.wait().unwrap();
    let gone = |pid: &String| stat_of(pid).is_none_or(|(state, _)| state == "Z" || state == "X");
    eventually("children live on", || children.iter().all(gone));
}

#[test]
fn a_run_that_is_stopped_leaves_no_child() {
    let (mut agent, children) = with_a_ring();
    agent
        .stdin
        .as_mut()
        .unwrap()
        .write_all(b"{\"id\":3,\"command\":\"stop\",\"arguments\":{\"run\":\"r\"}}\n")
        .unwrap();
    let mut lines = BufReader::new(agent.stdout.as_mut().unwrap()).lines();
    let last = lines.find(|line| line.as_ref().unwrap().contains("\"event\":\"done\"")).unwrap().unwrap();
    assert!(last.contains("\"stopped\":true"), "{last}");
    assert!(children.iter().all(|pid| stat_of(pid).is_none()), "{children:?}");
    drop(agent.stdin.take());
    assert!(agent.wait().unwrap().success());
}

#[test]
fn a_channel_that_closes_ends_agent_and_children() {
    let (mut agent, children) = with_a_ring();
    drop(agent.stdin.take());
    assert!(agent.wait().unwrap().success());
    // Reaped by the agent itself: not even a dead one is left.
    assert!(children.iter().all(|pid| stat_of(pid).is_none()), "{children:?}");
}

#[test]
fn process_1_of_a_namespace_reaps_orphans_and_ends_when_asked() {
    if program::runner().is_some() {
        eprintln!("skipped: the first process of the namespace would be the runner");
        return;
    }
    let mut unshare = Command::new("unshare");
    unshare.args(["-p", "-f", "--kill-child"]).arg(env!("CARGO_BIN_EXE_virtometer-agent")).arg("stdio");
    let mut outer = unshare.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut greeting = String::new();
    BufReader::new(outer.stdout.as_mut().unwrap()).read_line(&mut greeting).unwrap();
    if greeting.is_empty() {
        eprintln!("skipped: no process namespace can be made here (not root)");
        outer.wait().unwrap();
        return;
    }
    let inner: PathBuf = children_of(outer.id()).remove(0).into();
    let inner = inner.to_str().unwrap();
    // The shell ends at once, and its child becomes the agent's, which it reaps when it ends as well.
    let entered = Command::new("nsenter").args(["-t", inner, "-p", "sh", "-c", "sleep 0.2 & exit 0"]).status().unwrap();
    assert!(entered.success());
    let number: u32 = inner.parse().unwrap();
    let mut was_there = false;
    eventually("an orphan was not reaped", || {
        let orphans = children_of(number);
        was_there |= !orphans.is_empty();
        was_there && orphans.is_empty()
    });
    assert!(Command::new("kill").args(["-TERM", inner]).status().unwrap().success());
    eventually("process 1 did not end", || stat_of(inner).is_none());
    outer.wait().unwrap();
}
