//! What no transcript can arrange: file systems that are full or may not be written, files and devices that one may not
//! use, a peer that vanishes. Each is one failure with its code, and the agent goes on answering.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]
#![allow(unsafe_code)] // namespaces and users of children

use serde_json::{json, Value};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

mod program;

/// What the laboratory sees of the agent.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    id: u64,
}

impl Agent {
    fn start(mut command: Command) -> Agent {
        command.arg("stdio").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        input.write_all(program::HELLO).unwrap();
        let mut agent = Agent { child, input, output, id: 0 };
        assert_eq!(agent.line()["role"], "agent");
        agent
    }

    fn line(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the agent is gone");
        serde_json::from_str(&line).unwrap()
    }

    fn request(&mut self, command: &str, arguments: &Value) -> Value {
        self.id += 1;
        writeln!(self.input, "{}", json!({"id": self.id, "command": command, "arguments": arguments})).unwrap();
        self.line()
    }

    fn prepare(&mut self, kernel: &str, op: &str, parameters: &Value) -> Value {
        let run = json!({"run": "r", "kernel": kernel, "op": op, "parameters": parameters, "threads": 1, "cpus": null,
            "seconds": 5});
        self.request("prepare", &run)
    }

    /// The code and sentence of the one failure that follows, before which nothing but samples comes. After it the
    /// agent answers, the name of the run is free again, and the agent ends well.
    fn fails(mut self, first: Value) -> (String, String) {
        let mut line = first;
        while line.get("return").is_some() || line["event"] == "samples" || line["event"] == "log" {
            line = self.line();
        }
        let failure = line.get("error").unwrap_or(&line).clone();
        assert!(line["event"] == "failed" || line.get("error").is_some(), "{line}");
        assert!(self.request("ping", &json!({}))["return"]["sent_ns"].is_u64());
        assert_eq!(self.prepare("linpack", "classic", &json!({"size": 10}))["return"], json!({}));
        assert_eq!(self.line()["event"], "ready");
        assert_eq!(self.request("bye", &json!({}))["return"], json!({}));
        assert!(self.child.wait().unwrap().success());
        let text = |name: &str| failure[name].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
        (text("code"), text("message"))
    }
}

/// Whether the tests that need root can be made; where not, it is told.
fn is_root(test: &str) -> bool {
    // SAFETY: a number is asked for.
    let root = unsafe { libc::geteuid() } == 0;
    if !root {
        eprintln!("{test} skipped: only root can mount file systems and become another user");
    }
    root
}

/// The agent in a mount namespace of its own where `folder` is a tmpfs of 1 MiB that the shell's `script` has prepared
/// (`$0` is the folder). `None` where that is refused.
fn in_tmpfs(folder: &Path, script: &str) -> Option<Command> {
    let mount = format!("mount -t tmpfs -o size=1M tmpfs \"$0\" && {script}");
    let works = Command::new("unshare").args(["-m", "sh", "-c", &mount]).arg(folder).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no file system can be mounted here");
        return None;
    }
    let agent = program::agent();
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &format!("{mount} && exec \"$@\"")]).arg(folder).arg(agent.get_program());
    command.args(agent.get_args());
    Some(command)
}

/// Operations that write, each with the parameter that says where.
const WRITERS: [(&str, &str); 4] =
    [("fill", "file"), ("write", "file"), ("char-write", "file"), ("create-sequential", "folder")];

/// Files of `bytes` in total.
fn parameters(op: &str, place: &str, path: &Path, bytes: u64) -> Value {
    let mut parameters = json!({ place: path.to_str().unwrap() });
    if place == "folder" {
        parameters["size"] = json!(bytes / 64);
        parameters["files"] = json!(64);
    } else {
        parameters["span"] = json!(bytes);
    }
    if op == "fill" {
        parameters["direct"] = json!(false);
    }
    parameters
}

/// The failure of an operation: while preparing, or after the start.
fn disk_failure(command: Command, op: &str, parameters: &Value) -> (String, String) {
    let mut agent = Agent::start(command);
    let reply = agent.prepare("disk", op, parameters);
    if reply.get("error").is_some() {
        return agent.fails(reply);
    }
    let event = agent.line();
    if event["event"] != "ready" {
        return agent.fails(event);
    }
    let reply = agent.request("start", &json!({"run": "r"}));
    agent.fails(reply)
}

#[test]
fn a_file_system_that_is_full_is_no_space() {
    if !is_root("a full file system") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (op, place) in WRITERS {
        let Some(command) = in_tmpfs(folder.path(), "head -c 960K /dev/zero > \"$0/ballast\"") else { return };
        let parameters = parameters(op, place, &folder.path().join("new"), 4 << 20);
        let (code, message) = disk_failure(command, op, &parameters);
        assert_eq!(code, "no-space", "{op}: {message}");
    }
}

#[test]
fn a_file_system_that_may_not_be_written_is_not_permitted() {
    if !is_root("a read-only file system") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (op, place) in WRITERS {
        let Some(command) = in_tmpfs(folder.path(), "mount -o remount,ro \"$0\"") else { return };
        let parameters = parameters(op, place, &folder.path().join("new"), 512 << 10);
        let (code, message) = disk_failure(command, op, &parameters);
        assert_eq!(code, "not-permitted", "{op}: {message}");
        assert!(message.contains("ead-only file system"), "{op}: {message}");
    }
}

/// The agent as the user nobody, in a folder that this user can reach.
fn as_nobody(copy: &Path) -> Command {
    let mut command = Command::new(copy);
    command.uid(65_534).gid(65_534);
    command
}

#[test]
fn a_file_or_device_without_permission_is_not_permitted() {
    if !is_root("a file without permission") {
        return;
    }
    if program::runner().is_some() {
        eprintln!("skipped: the program would be the runner, not the copy that another user can reach");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let allow = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    allow(folder.path(), 0o755);
    let copy = folder.path().join("agent");
    // Not by this process: a program is not started while children of other tests hold it open for writing.
    assert!(Command::new("cp").arg(program::agent().get_program()).arg(&copy).status().unwrap().success());
    allow(&copy, 0o755);
    let file = folder.path().join("data");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    allow(&file, 0o600);
    let device = folder.path().join("device");
    let name = std::ffi::CString::new(device.to_str().unwrap()).unwrap();
    // The number of the first loop device: permission is asked before there is anything behind it.
    // SAFETY: the name ends with a zero and is only read.
    let made = unsafe { libc::mknod(name.as_ptr(), libc::S_IFBLK | 0o600, libc::makedev(7, 0)) };
    let mut places = vec![file];
    if made == 0 {
        places.push(device);
    } else {
        eprintln!("a block device without permission skipped: none can be made here");
    }
    for place in &places {
        for op in ["random-read", "sequential-write", "fill"] {
            let parameters = json!({ "file": place.to_str().unwrap() });
            let (code, message) = disk_failure(as_nobody(&copy), op, &parameters);
            assert_eq!(code, "not-permitted", "{op} of {}: {message}", place.display());
            assert!(message.contains("ermission denied"), "{op}: {message}");
        }
    }
    // Nor may a file be made in the folder.
    let parameters = json!({"file": folder.path().join("new").to_str().unwrap(), "span": 1 << 20});
    assert_eq!(disk_failure(as_nobody(&copy), "write", &parameters).0, "not-permitted");
}

#[test]
fn a_limit_on_the_size_of_files_is_no_space() {
    let folder = tempfile::tempdir().unwrap();
    let limited = || {
        let mut command = program::agent();
        // SAFETY: a limit of the child's own is set, by a call that a child may make before it executes.
        unsafe {
            command.pre_exec(|| {
                let limit = libc::rlimit { rlim_cur: 1 << 20, rlim_max: 1 << 20 };
                match libc::setrlimit(libc::RLIMIT_FSIZE, &limit) {
                    0 => Ok(()),
                    _ => Err(std::io::Error::last_os_error()),
                }
            });
        }
        command
    };
    for (op, file) in [("fill", "data"), ("write", "own")] {
        let parameters = json!({"file": folder.path().join(file).to_str().unwrap(), "span": 4 << 20});
        let (code, message) = disk_failure(limited(), op, &parameters);
        assert_eq!(code, "no-space", "{op}: {message}");
        assert!(message.contains("File too large"), "{op}: {message}");
    }
}

/// A server of the kernel `net`, and where it is.
fn server() -> (Agent, String) {
    let mut agent = Agent::start(program::agent());
    assert_eq!(agent.prepare("net", "serve", &json!({"listen": "127.0.0.1:0"}))["return"], json!({}));
    let ready = agent.line();
    let address = ready["conditions"]["address"].as_str().unwrap().to_owned();
    assert_eq!(agent.request("start", &json!({"run": "r"}))["return"], json!({}));
    (agent, address)
}

#[test]
fn a_peer_that_vanishes_during_the_run_is_peer_failed() {
    for op in ["stream", "request-response", "connect", "open-loop"] {
        let (mut peer, address) = server();
        let mut agent = Agent::start(program::agent());
        assert_eq!(agent.prepare("net", op, &json!({ "peer": address }))["return"], json!({}), "{op}");
        assert_eq!(agent.line()["event"], "ready", "{op}");
        let reply = agent.request("start", &json!({"run": "r"}));
        std::thread::sleep(std::time::Duration::from_millis(100));
        peer.child.kill().unwrap();
        peer.child.wait().unwrap();
        let (code, message) = agent.fails(reply);
        assert_eq!(code, "peer-failed", "{op}: {message}");
    }
}

#[test]
fn a_peer_that_closes_every_connection_is_peer_failed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let closing = std::thread::spawn(move || {
        // It takes what comes first and goes.
        let (mut connection, _) = listener.accept().unwrap();
        let _ = connection.read(&mut [0; 64]);
    });
    let mut agent = Agent::start(program::agent());
    let mut reply = agent.prepare("net", "stream", &json!({ "peer": address }));
    if reply.get("return").is_some() {
        reply = agent.line();
    }
    assert_eq!(agent.fails(reply).0, "peer-failed");
    closing.join().unwrap();
}

/// The interface does not exist, so that a network is safe from an agent that obeys all the same.
#[test]
fn an_agent_that_is_not_alone_does_not_configure_the_network() {
    let mut agent = Agent::start(program::agent());
    let wish = json!({"interface": "nosuch0", "address": "192.0.2.1", "prefix": 24});
    let error = &agent.request("configure-network", &wish)["error"];
    assert_eq!(error["code"], "not-permitted", "{error}");
    assert!(error["message"]
        .as_str()
        .unwrap()
        .starts_with("the network is configured only by an agent that is process 1"));
    assert!(agent.request("ping", &json!({}))["return"]["sent_ns"].is_u64());
    drop(agent.input);
    assert!(agent.child.wait().unwrap().success());
}
