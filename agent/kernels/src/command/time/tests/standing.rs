//! As whom a command runs, within which limits, and at a terminal.

use super::*;
use sha2::{Digest, Sha256};

/// Another user can be taken on by root alone.
fn root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The conditions of a script whose output has to be `expected`, in two runs.
fn shows(script: &str, given: &[(&str, Scalar)], expected: &str) -> virtometer_protocol::Conditions {
    let mut worker = worker(&shell(script, given)).unwrap();
    (0..2).for_each(|_| once(worker.as_mut()).map(drop).unwrap());
    let found = worker.conditions();
    let digest = Sha256::digest(expected);
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(found["answer"], digest, "{script} does not print {expected:?}");
    found
}

#[test]
fn a_command_runs_as_its_user_with_the_groups_of_the_user() {
    if !root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap(); // closed to others: only what runs as the agent can write here
    let log = folder.path().join("log");
    let line = text(&serde_json::to_string(&["sh", "-c", &format!("id -u >> {}", log.display())]).unwrap());
    let ids = "id -u; id -g; id -G; echo to all > /dev/stdout; echo also > /dev/stderr";
    let given = [("user", text("4711:4712")), ("prepare", line.clone()), ("conclude", line)];
    let found = shows(ids, &given, "4711\n4712\n4712\nto all\n");
    assert_eq!(found["user"], "4711:4712");
    assert!(std::fs::read_to_string(log).unwrap().lines().all(|uid| uid == "0"));
    let real = Command::new("id").args(["-G", "daemon"]).output().unwrap().stdout;
    shows("id -G", &[("user", text("daemon"))], &String::from_utf8(real).unwrap());
    // What it has left is ended, though it is another user's.
    shows("sleep 1000.375 & setsid sleep 1000.375 & echo x", &[("user", text("4711:4712"))], "x\n");
    assert_eq!(running("1000.375"), 0);
}

#[test]
fn a_command_of_another_user_ends_with_the_agent() {
    let script =
        "exec python3 -c 'import ctypes; x = ctypes.c_int(); ctypes.CDLL(None).prctl(2, ctypes.byref(x)); print(x.value)'";
    if Command::new("python3").arg("-V").output().is_ok() && root() {
        shows(script, &[("user", text("4711:4712"))], "9\n");
    }
}

#[test]
fn a_command_has_its_limits_and_gets_no_more_privileges() {
    let given =
        [("limits", text(r#"{"nofile":[256,512],"core":[0,0]}"#)), ("no-new-privileges", Scalar::Boolean(true))];
    let script = "ulimit -n; ulimit -Hn; ulimit -c; sed -n 's/NoNewPrivs:\t//p' /proc/self/status";
    let found = shows(script, &given, "256\n512\n0\n1\n");
    assert_eq!((found["limits"].as_str(), found["no_new_privileges"].as_str()), ("core=0:0 nofile=256:512", "yes"));
    assert_eq!(failure("while :; do :; done", &[("limits", text(r#"{"cpu":[1,1]}"#))]).code, Code::CheckFailed);
    let plain = shows("echo x", &[], "x\n");
    assert!(!plain.contains_key("limits") && plain["no_new_privileges"] != "yes", "{plain:?}");
}

#[test]
fn a_limit_that_the_system_refuses_is_named() {
    let beyond: u64 = std::fs::read_to_string("/proc/sys/fs/nr_open").unwrap().trim().parse::<u64>().unwrap() + 1;
    let failed = failure(":", &[("limits", text(&format!(r#"{{"nofile":[8,{beyond}]}}"#)))]);
    assert_eq!(failed.code, Code::NotPermitted);
    assert!(failed.message.contains(&format!("nofile=8:{beyond}")), "{failed}");
    let failed = failure(":", &[("user", text("no-such-user"))]);
    assert_eq!((failed.code, failed.message.as_str()), (Code::NotSupported, "there is no user no-such-user here"));
}

#[test]
fn a_command_at_a_terminal_has_it_for_all_its_streams_and_reads_its_end() {
    let terminal = [("terminal", Scalar::Boolean(true))];
    let script = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size && cat && echo typed > /dev/tty && echo error >&2";
    let found = shows(script, &terminal, "24 80\r\ntyped\r\nerror\r\n");
    assert_eq!(found["terminal"], "yes");
    let failed = failure("echo why; exit 3", &terminal);
    assert!(failed.message.ends_with("status 3: why"), "{failed}");
    if root() {
        let user = [terminal[0].clone(), ("user", text("4711:4712"))];
        shows("echo x > /dev/stdout; echo y > $(tty)", &user, "x\r\ny\r\n");
    }
}

#[test]
fn all_that_a_terminal_shows_is_read_also_at_the_end() {
    let expected: String = (0..20_000).map(|number| format!("{number}\r\n")).collect();
    shows(
        "i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done",
        &[("terminal", Scalar::Boolean(true))],
        &expected,
    );
}

#[test]
fn a_command_at_a_terminal_that_never_ends_is_ended() {
    let given = [("terminal", Scalar::Boolean(true)), ("limit-ms", Scalar::Integer(200))];
    let failed = failure("trap '' HUP; sleep 1000.75 & stty raw; cat", &given);
    assert_eq!(failed.code, Code::TimedOut);
    assert_eq!(running("1000.75"), 0);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let terminal = ("terminal", Scalar::Boolean(true));
    for given in [
        vec![terminal.clone(), ("input", text("/dev/null"))],
        vec![terminal, ("output", text("null"))],
        vec![("limits", text("{}x"))],
        vec![("limits", text(r#"{"files":[1,1]}"#))],
        vec![("limits", text(r#"{"nofile":[2,1]}"#))],
        vec![("limits", text(r#"{"nofile":[null,1]}"#))],
        vec![("limits", text(r#"{"nofile":1}"#))],
        vec![("user", text("a:b:c"))],
        vec![("user", text("99999999999"))],
    ] {
        assert_eq!(failure(":", &given).code, Code::BadArguments, "{given:?}");
    }
}
