#![allow(clippy::unwrap_used, unsafe_code)] // the personality of a thread

mod standing;

use crate::command::{make, OPS};
use crate::settings::Settings;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Code, Failure, Parameters, Scalar};
use virtometer_sampling::planted_clock::looking;
use virtometer_sampling::{prepare, CheckValue, Control, Moment, Outcome, RawSample, Stretch, Task, Worker};

/// A shell that runs a script, and more parameters.
fn shell(script: &str, given: &[(&str, Scalar)]) -> Task {
    let arguments = serde_json::to_string(&["-c", script]).unwrap();
    let all = [("program", text("/bin/sh")), ("arguments", text(&arguments))];
    task(&[&all, given].concat())
}

fn task(given: &[(&str, Scalar)]) -> Task {
    let parameters = Parameters(given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
    let control = Arc::new(Control::default());
    Task { op: "time".into(), parameters, threads: 1, cpus: None, seconds: 0.05, control }
}

fn text(word: &str) -> Scalar {
    Scalar::Text(word.into())
}

fn worker(task: &Task) -> Result<Box<dyn Worker>, Failure> {
    make(task, &Settings::new(&OPS[1], &task.parameters).unwrap())?(0)
}

fn once(worker: &mut dyn Worker) -> Result<Stretch, Failure> {
    worker.setup(1)?;
    let stretch = worker.run(1)?;
    worker.verify()?;
    Ok(stretch)
}

/// The failure of the first run that fails, of three.
fn failure(script: &str, given: &[(&str, Scalar)]) -> Failure {
    let three = |mut worker: Box<dyn Worker>| (0..3).try_for_each(|_| once(worker.as_mut()).map(drop));
    worker(&shell(script, given)).and_then(three).unwrap_err()
}

fn ms(stretch: Stretch) -> u64 {
    (stretch.end_ns - stretch.start_ns) / 1_000_000
}

/// A whole run, and its samples.
fn whole(task: &Task) -> Result<(Outcome, Vec<virtometer_protocol::Sample>), Failure> {
    let factory = make(task, &Settings::new(&OPS[1], &task.parameters).unwrap())?;
    let prepared = prepare(task, OPS[1].unit, &factory)?;
    let mut samples = Vec::new();
    let outcome = prepared.run(&mut |some| samples.extend(some.iter().map(RawSample::sample)))?;
    Ok((outcome, samples))
}

/// Processes whose command line has `word` in it.
fn running(word: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
    lines.filter(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).contains(word)).count()
}

#[test]
fn each_run_is_a_sample_and_one_more_has_set_the_answer() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("echo run >> '{}'; sleep 0.01; echo same", file.path().display());
    let (outcome, samples) = whole(&shell(&script, &[])).unwrap();
    let made = std::fs::read_to_string(file.path()).unwrap().lines().count();
    assert_eq!(samples.len() + 1, made);
    assert!(samples.iter().all(|one| one.work == 1 && one.end_ns - one.start_ns >= 10_000_000));
    assert_eq!(outcome.check, CheckValue::Count(samples.len() as u64));
    // SHA-256 of "same\n" by sha256sum.
    assert_eq!(outcome.conditions["answer"], "a6328afc76e9db71");
    assert_eq!(outcome.conditions["status"], "0");
    let measures = outcome.extras.measures();
    assert_eq!((measures["user"].unit, measures["system"].unit), ("s", "s"));
    assert!(measures["user"].value + measures["system"].value < outcome.value, "a sleep takes no processor time");
}

#[test]
fn the_time_ends_with_the_process_not_with_its_output() {
    let mut worker = worker(&shell("sleep 1000.03125 & echo hi", &[])).unwrap();
    worker.setup(1).unwrap();
    let (clock, seen) = looking(|| {
        std::thread::sleep(Duration::from_millis(50)); // what was started shows its command line only after a while
        running("1000.03125")
    });
    let stretch = worker.run(1).unwrap();
    drop(clock);
    // The clock is read twice: before there is anything, and while what was left is still there.
    assert_eq!((stretch.start_ns, stretch.end_ns), (1000, 2000));
    assert_eq!(*seen.borrow(), [0, 1]);
    worker.verify().unwrap();
    assert_eq!(running("1000.03125"), 0);
    // Of "hi\n", which was printed before.
    assert_eq!(worker.conditions()["answer"], "98ea6e4f216f2fb4");
}

#[test]
fn what_leaves_the_group_or_daemonises_is_gone_after_each_run() {
    let daemon = "(setsid sh -c 'sleep 1000.125 & sleep 1000.125' >/dev/null 2>&1 &)";
    for script in ["setsid sleep 1000.125 & :", daemon, "trap '' TERM HUP; (trap '' TERM; sleep 1000.125) &"] {
        let mut worker = worker(&shell(script, &[])).unwrap();
        once(worker.as_mut()).unwrap();
        assert_eq!(running("1000.125"), 0, "{script}");
    }
}

#[test]
fn a_command_that_never_ends_is_ended_at_its_limit() {
    for script in ["sleep 1000.25", "trap '' TERM; while :; do :; done", "setsid sleep 1000.25 & sleep 1000.25"] {
        let failed = failure(script, &[("limit-ms", Scalar::Integer(200))]);
        assert_eq!((failed.code, failed.message.as_str()), (Code::TimedOut, "/bin/sh did not end within 200 ms"));
    }
    assert_eq!(running("1000.25"), 0);
    assert!(whole(&shell("sleep 0.01", &[("limit-ms", Scalar::Integer(60_000))])).is_ok());
}

#[test]
fn a_command_goes_on_for_a_while_after_its_run_was_stopped_and_no_longer() {
    let task = shell("sleep 0.2", &[]);
    task.control.stop();
    assert!(ms(once(worker(&task).unwrap().as_mut()).unwrap()) >= 200);
    let task = shell("sleep 1000.5", &[]);
    task.control.stop();
    assert_eq!(worker(&task).err().unwrap().message, "/bin/sh was stopped before its end");
    assert_eq!(running("1000.5"), 0);
}

#[test]
fn output_of_any_size_is_compared_and_another_one_is_no_result() {
    let long = "yes 0123456789 | head -c 10000000";
    once(worker(&shell(long, &[])).unwrap().as_mut()).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let grows = format!("echo x >> '{0}'; yes | head -c 1000000; wc -l < '{0}'", file.path().display());
    let failed = failure(&grows, &[]);
    assert_eq!(failed.code, Code::CheckFailed);
    assert!(failed.message.starts_with("/bin/sh printed something else than in its first run ("), "{failed}");
    assert!(failure("echo $$", &[]).message.contains("something else"));
    for given in [("output-may-differ", Scalar::Boolean(true)), ("output", text("null"))] {
        let mut worker = worker(&shell("echo $$", &[given])).unwrap();
        once(worker.as_mut()).unwrap();
        assert!(!worker.conditions().contains_key("answer"));
    }
}

#[test]
fn what_nobody_waited_for_is_counted_too() {
    // The parent ends at once; the child computes until it is ended, a moment later.
    let computes = "i=0; while :; do i=$((i + 1)); done";
    let orphan = format!("(sh -c '{computes}' & echo begun); sleep 0.5");
    let mut worker = worker(&shell(&orphan, &[])).unwrap();
    once(worker.as_mut()).unwrap();
    let user_s = worker.extras().measures()["user"].value;
    assert!(user_s > 0.05 && user_s < 5.0, "{user_s}");
}

#[test]
fn output_that_goes_to_a_file_is_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out");
    let into = |path: &std::path::Path| ("output-file", text(path.to_str().unwrap()));
    let mut same = worker(&shell("echo words; echo errors >&2", &[into(&file)])).unwrap();
    once(same.as_mut()).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "words\n", "each run begins a new file");
    let found = same.conditions();
    assert_eq!(found["standard_output"], "file");
    assert!(found.contains_key("files"), "{found:?}");
    let said = failure("echo $$", &[into(&file)]).message;
    assert!(said.contains(file.to_str().unwrap()), "{said}");
    let accepted = [into(&file), ("output-may-differ", Scalar::Boolean(true))];
    once(worker(&shell("echo $$", &accepted)).unwrap().as_mut()).unwrap();
    assert!(failure("echo errors >&2; exit 1", &[into(&file)]).message.contains("errors"));
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for other in [folder.path().join("none/out"), pipe, folder.path().into(), "/dev/null".into()] {
        assert!(failure("true", &[into(&other)]).message.starts_with("cannot write to "), "{other:?}");
    }
    for other in [("output", text("null")), ("keep-output", Scalar::Boolean(true))] {
        assert!(failure("true", &[into(&file), other]).message.starts_with("output-file takes the output"));
    }
}

#[test]
fn output_goes_nowhere_where_nobody_wants_it() {
    let discarded = [("output", text("null"))];
    once(
        worker(&shell("[ /dev/null -ef /dev/stdout ] && [ /dev/null -ef /dev/stderr ]", &discarded)).unwrap().as_mut(),
    )
    .unwrap();
    assert!(failure("echo words >&2; exit 1", &discarded).message.ends_with("status 1: it said nothing"));
}

#[test]
fn a_bad_end_is_no_result_unless_it_is_accepted() {
    let failed = failure("echo first >&2; echo last words >&2; exit 3", &[]);
    assert_eq!((failed.code, failed.message.as_str()), (Code::CheckFailed, "/bin/sh ended with status 3: last words"));
    assert!(failure("kill -SEGV $$", &[]).message.starts_with("/bin/sh ended by signal 11"));
    let accepted = [("ignore-failure", Scalar::Boolean(true))];
    for (script, status) in [("exit 3", "3"), ("kill -9 $$", "signal 9")] {
        let mut worker = worker(&shell(script, &accepted)).unwrap();
        once(worker.as_mut()).unwrap();
        assert_eq!(worker.conditions()["status"], status);
    }
    // But it must be the same in each run.
    let folder = tempfile::tempdir().unwrap();
    let script = format!("mkdir '{}/x' 2>/dev/null || {{ echo again >&2; exit 4; }}", folder.path().display());
    let failed = failure(&script, &accepted);
    assert_eq!(failed.message, "/bin/sh ended with status 4, but with status 0 in its first run: again");
}

#[test]
fn what_cannot_be_started_is_told() {
    let message = |given: &[(&str, Scalar)]| {
        let failed = worker(&task(given)).err().unwrap();
        (failed.code, failed.message)
    };
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/nonexistent/interpreter\n").unwrap();
    assert!(Command::new("chmod").arg("755").arg(&script).status().unwrap().success());
    let script = script.to_str().unwrap();
    let missing = |name: &str| (Code::NotSupported, format!("there is no program {name} here"));
    assert_eq!(message(&[("program", text("/nonexistent/x"))]), missing("/nonexistent/x"));
    assert_eq!(message(&[("program", text("no-such-program"))]), missing("no-such-program"));
    assert_eq!(message(&[("program", text("ls")), ("variables", text(r#"{"PATH":"/nonexistent"}"#))]), missing("ls"));
    let here = format!("{script} is here, but not the interpreter or the loader that it needs");
    assert_eq!(message(&[("program", text(script))]), (Code::NotSupported, here));
    assert_eq!(message(&[("program", text("/etc"))]).0, Code::NotPermitted);
    let nowhere = [("program", text("/bin/true")), ("directory", text("/nonexistent"))];
    assert_eq!(message(&nowhere), (Code::NotSupported, "there is no directory /nonexistent here".into()));
    assert_eq!(message(&[("program", text("true")), ("input", text("/nonexistent"))]).0, Code::NotFound);
    for bad in [
        ("variables", "[]"),
        ("variables", r#"{"a=b":"c"}"#),
        ("prepare", "[]"),
        ("conclude", "true"),
        ("arguments", r#"["\u0000"]"#),
    ] {
        assert_eq!(message(&[("program", text("true")), (bad.0, text(bad.1))]).0, Code::BadArguments, "{bad:?}");
    }
}

#[test]
fn a_command_has_what_it_was_given_and_nothing_else_of_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    std::fs::write(&input, "from a file\n").unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let path = folder.path().join("in").to_str().unwrap().to_owned();
    // Neither ignored nor blocked signals, a group of its own, no open files, no variables but those of Virtometer.
    let script = r#"cat; pwd; grep SigBlk /proc/self/status; sh -c 'kill -PIPE $$; echo ignored'; ls /proc/self/fd | wc -l
        [ $(ps -o pgid= -p $$) = $$ ] && env | grep -vE '^(VIRTOMETER_.*|PWD|OLDPWD|SHLVL|_)=' | sort"#;
    let shown =
        format!(r#"x=$({script}); [ "$x" = "$(cat ../expected)" ] || {{ echo "$x" | tr '\n' '|' >&2; exit 1; }}"#);
    let expected = format!("from a file\n{path}\nSigBlk:\t0000000000000000\n4\nA=b c\nPATH=/usr/bin:/bin\n");
    std::fs::write(folder.path().join("expected"), expected).unwrap();
    let given = [
        ("input", text(input.to_str().unwrap())),
        ("directory", text(&path)),
        ("variables", text(r#"{"A":"b c","PATH":"/usr/bin:/bin"}"#)),
    ];
    once(worker(&shell(&shown, &given)).unwrap().as_mut()).unwrap();
}

/// Without the system's own random addresses: where the stack begins, in each of some runs, and the variables.
fn stacks(program: &str, padding: i64) -> Vec<(u64, String)> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().display();
    let script = format!("read -r x < /proc/$$/stat; echo ${{x##*) }} >> '{path}'; env | sort | tr '\\n' ' ' >> '{path}'; echo >> '{path}'");
    let arguments = serde_json::to_string(&["-c", &script]).unwrap();
    let given =
        [("program", text(program)), ("arguments", text(&arguments)), ("variables", text(r#"{"PATH":"/bin"}"#))];
    let task = task(&[&given[..], &[("padding", Scalar::Integer(padding))]].concat());
    // On a thread of its own: what it starts inherits the personality, and no other test is to.
    let run = move || {
        // SAFETY: it takes a number.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        let mut worker = worker(&task).unwrap();
        (0..11).for_each(|_| once(worker.as_mut()).map(drop).unwrap());
    };
    std::thread::spawn(run).join().unwrap();
    let lines: Vec<String> = std::fs::read_to_string(file.path()).unwrap().lines().map(str::to_owned).collect();
    // The 28th field of all, of which two stand before the state.
    let stack = |line: &str| line.split_whitespace().nth(25).unwrap().parse().unwrap();
    lines.chunks(2).map(|pair| (stack(&pair[0]), pair[1].clone())).collect()
}

#[test]
fn the_place_of_the_stack_differs_from_run_to_run_and_the_program_sees_nothing_of_it() {
    let found = stacks("/bin/sh", 4096);
    let different: std::collections::BTreeSet<u64> = found.iter().map(|(stack, _)| *stack).collect();
    assert!(different.len() > 8, "{different:?}");
    assert!(different.last().unwrap() - different.first().unwrap() <= 4096 + 16);
    // Beside other programs of this process it has a mark, which is that of its run.
    let own = |variables: &str| variables.split(' ').filter(|one| !one.starts_with("VIRTOMETER_PROGRAM=")).count();
    assert!(found.iter().all(|(_, variables)| own(variables) == own(&found[0].1) && !variables.contains("PADDING")));
    let fixed = stacks("/bin/sh", 0);
    for marked in [false, true] {
        let some = fixed.iter().filter(|(_, variables)| variables.contains("VIRTOMETER_PROGRAM=") == marked);
        let places: std::collections::BTreeSet<u64> = some.map(|(stack, _)| *stack).collect();
        assert!(places.len() <= 1, "{fixed:?}");
    }
}

#[test]
fn a_script_sees_its_own_path_and_has_a_variable_instead() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/bin/sh\necho $0 ${#VIRTOMETER_PADDING} >> log\n").unwrap();
    assert!(Command::new("chmod").arg("755").arg(&script).status().unwrap().success());
    let (script, here) = (script.to_str().unwrap(), folder.path().to_str().unwrap());
    let given = [("program", text(script)), ("directory", text(here))];
    let mut worker = worker(&task(&given)).unwrap();
    (0..9).for_each(|_| once(worker.as_mut()).map(drop).unwrap());
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap();
    let different: std::collections::BTreeSet<&str> = log.lines().collect();
    assert!(different.len() > 7 && different.iter().all(|line| line.starts_with(&format!("{script} "))), "{log}");
}

#[test]
fn one_run_is_made_where_its_output_is_taken_and_its_time_stands_beside() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("echo >> '{0}'; head -c 10000 /dev/zero; wc -l < '{0}'", file.path().display());
    let (outcome, samples) =
        whole(&shell(&script, &[("keep-output", Scalar::Boolean(true)), ("output-may-differ", Scalar::Boolean(true))]))
            .unwrap();
    // The first run has shown what it answers; of the second one the end is taken, without zeros.
    assert_eq!(samples.len(), 1);
    let printed = outcome.extras.text().unwrap();
    assert!(printed.ends_with("2\n") && !printed.contains('\0'), "{printed:?}");
    assert!((outcome.extras.measures()["wall"].value / outcome.value - 1.0).abs() < 1e-6);
    let refused = failure("true", &[("keep-output", Scalar::Boolean(true)), ("output", text("null"))]);
    assert_eq!(refused.code, Code::BadArguments);
}

#[test]
fn files_that_a_command_writes_belong_to_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let given = |files: &str| [("directory", text(folder.path().to_str().unwrap())), ("check-files", text(files))];
    let mut same = worker(&shell("echo a > one; echo b > two", &given(r#"["one","two"]"#))).unwrap();
    once(same.as_mut()).unwrap();
    assert_eq!(same.conditions()["files"].len(), 16);
    let failed = failure("echo >> one", &given(r#"["one"]"#));
    assert_eq!(failed.code, Code::CheckFailed);
    assert!(failed.message.contains("/one") && failed.message.contains("first run"), "{failed}");
    assert!(failure("true", &given(r#"["none"]"#)).message.ends_with("/none"));
    // A bad end is said first.
    assert!(failure("exit 3", &given(r#"["none"]"#)).message.contains("status 3"));
}

#[test]
fn a_run_that_is_ended_because_its_time_is_over_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("[ -e {0}/there ] && sleep 1000.85; touch {0}/there", folder.path().display());
    let mut task = shell(&script, &[]);
    task.seconds = 1000.0;
    let control = task.control.clone();
    let run = std::thread::spawn(move || whole(&task));
    while running("1000.85") == 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    control.stop();
    let (outcome, samples) = run.join().unwrap().unwrap();
    assert!(outcome.stopped);
    assert_eq!(samples.len(), 1);
    assert_eq!(running("1000.85"), 0);
}

#[test]
fn an_input_that_nobody_writes_to_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    for input in [path.as_path(), folder.path()] {
        let refused = failure("cat", &[("input", text(input.to_str().unwrap()))]);
        assert_eq!(refused.code, Code::BadArguments);
    }
}

#[test]
fn a_run_that_was_stopped_before_its_window_has_no_measures() {
    let mut worker = worker(&shell(":", &[])).unwrap();
    worker.reset_after_calibration().unwrap();
    assert!(worker.extras().measures().is_empty());
}

#[test]
fn a_command_before_and_one_after_each_run_are_not_timed_and_must_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    let line = |script: &str| text(&serde_json::to_string(&["sh", "-c", script]).unwrap());
    let before = line(&format!("touch {path}/there; echo before >> {path}/log"));
    let after = line(&format!("rm {path}/there; echo after >> {path}/log"));
    let script = format!("[ -e {path}/there ] && echo run >> {path}/log");
    let mut worker = worker(&shell(&script, &[("prepare", before), ("conclude", after)])).unwrap();
    let log = folder.path().join("log");
    std::fs::write(&log, "").unwrap();
    let (clock, seen) = looking(move || std::fs::read_to_string(&log).unwrap());
    once(worker.as_mut()).unwrap();
    drop(clock);
    // As the clock is read: at the begin and at the end.
    assert_eq!(*seen.borrow(), ["before\n", "before\nrun\n"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("log")).unwrap(), "before\nrun\nafter\n");
    for name in ["prepare", "conclude"] {
        let failed = failure(":", &[(name, line("echo bad >&2; exit 7"))]);
        assert_eq!(failed.message, "sh ended with status 7: bad", "{name}");
        assert_eq!(
            failure(":", &[(name, line("sleep 1000")), ("limit-ms", Scalar::Integer(100))]).code,
            Code::TimedOut
        );
    }
}

#[test]
fn runs_are_done_in_slices_and_a_slice_has_one_that_is_longer_than_it() {
    let (tell, told) = std::sync::mpsc::channel();
    let mut task = shell("sleep 0.02", &[]);
    task.control = Arc::new(Control::in_slices(5_000_000, move |moment| {
        let _ = tell.send(moment);
    }));
    let control = task.control.clone();
    let run = std::thread::spawn(move || whole(&task));
    for _ in 0..3 {
        assert!(matches!(told.recv().unwrap(), Moment::Waiting(_)));
        control.release();
    }
    assert!(matches!(told.recv().unwrap(), Moment::Waiting(_)));
    control.stop();
    let (outcome, samples) = run.join().unwrap().unwrap();
    assert_eq!((outcome.stopped, samples.len()), (true, 3));
}

/// What starts a program shares the agent's memory until that is executed, so that none of it is copied.
/// Two runs, and one of an empty program.
#[test]
fn a_program_is_started_without_a_copy_of_the_agent() {
    let calls = crate::tests::system_calls::system_calls(|| {
        let mut worker = worker(&shell(":", &[])).unwrap();
        once(worker.as_mut()).unwrap();
    });
    let Some(calls) = calls else { return };
    let flags: Vec<u64> =
        calls.iter().filter(|call| call.number == libc::SYS_clone).map(|call| call.arguments[0]).collect();
    let wanted = u64::try_from(libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD).unwrap();
    assert_eq!(flags.iter().filter(|flags| **flags == wanted).count(), 3, "{flags:x?}");
    assert!(!calls.iter().any(|call| [libc::SYS_fork, libc::SYS_vfork].contains(&call.number)));
}

/// A shell script whose words go to a file, as a parameter beside the command, and what the file has.
fn words_to(file: &std::path::Path, word: &str) -> Scalar {
    text(&serde_json::to_string(&["/bin/sh", "-c", &format!("echo {word} >> '{}'", file.display())]).unwrap())
}

fn written(file: &std::path::Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn set_up_and_clean_up_are_made_once_around_as_many_runs_as_are_wanted() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("words");
    let given = [
        ("setup", words_to(&file, "begin")),
        ("prepare", words_to(&file, "before")),
        ("conclude", words_to(&file, "after")),
        ("cleanup", words_to(&file, "end")),
        ("warm-ups", Scalar::Integer(2)),
        ("runs", Scalar::Integer(3)),
    ];
    let (outcome, samples) = whole(&shell(&format!("echo run >> '{}'", file.display()), &given)).unwrap();
    assert_eq!((samples.len(), outcome.check), (3, CheckValue::Count(3)));
    let mut expected = vec!["begin"];
    expected.extend(["before", "run", "after"].repeat(5));
    expected.push("end");
    assert_eq!(written(&file), expected);
}

#[test]
fn what_was_set_up_is_cleaned_up_after_a_failure_too() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("words");
    let cleanup = ("cleanup", words_to(&file, "end"));
    // The first run works, and the next one does not.
    let script = format!("test ! -e '{0}'; status=$?; echo run >> '{0}'; exit $status", file.display());
    let failed = failure(&script, std::slice::from_ref(&cleanup));
    assert_eq!((failed.code, written(&file)), (Code::CheckFailed, vec!["run".into(), "run".into(), "end".into()]));
    for (name, word) in [("setup", "exit 3"), ("prepare", "exit 4")] {
        std::fs::remove_file(&file).unwrap();
        let fails = text(&serde_json::to_string(&["/bin/sh", "-c", word]).unwrap());
        let failed = failure("true", &[(name, fails), cleanup.clone()]);
        assert!(failed.message.contains(word.trim_start_matches("exit ")), "{failed}");
        assert_eq!(written(&file), ["end"]);
    }
}

#[test]
fn what_was_set_up_and_never_started_is_cleaned_up_once() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("words");
    let given = [("setup", words_to(&file, "begin")), ("cleanup", words_to(&file, "end"))];
    drop(worker(&shell("true", &given)).unwrap());
    assert_eq!(written(&file), ["begin", "end"]);
    std::fs::remove_file(&file).unwrap();
    let mut finished = worker(&shell("true", &given)).unwrap();
    finished.finish().unwrap();
    drop(finished);
    assert_eq!(written(&file), ["begin", "end"]);
}

#[test]
fn a_clean_up_goes_on_where_its_run_was_stopped() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("words");
    let slow = format!("sleep 2.5; echo end >> '{}'", file.display());
    let cleanup = text(&serde_json::to_string(&["/bin/sh", "-c", &slow]).unwrap());
    let task = shell("true", &[("cleanup", cleanup)]);
    let mut worker = worker(&task).unwrap();
    task.control.stop();
    worker.finish().unwrap();
    assert_eq!(written(&file), ["end"]);
}

#[test]
fn a_run_right_before_each_timed_one_does_not_count() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let given = [("warm-each", Scalar::Boolean(true)), ("runs", Scalar::Integer(4))];
    let (outcome, samples) = whole(&shell(&format!("echo run >> '{}'", file.path().display()), &given)).unwrap();
    assert_eq!((samples.len(), outcome.check), (4, CheckValue::Count(4)));
    assert_eq!(written(file.path()).len(), 1 + 2 * 4);
}

#[test]
fn what_the_first_run_printed_is_reported_where_it_is_wanted() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("echo x >> '{0}'; wc -l < '{0}'; echo oh >&2", file.path().display());
    let differs = ("output-may-differ", Scalar::Boolean(true));
    let (outcome, _) = whole(&shell(&script, std::slice::from_ref(&differs))).unwrap();
    assert_eq!(outcome.extras.text(), None);
    let made = written(file.path()).len();
    let (outcome, _) = whole(&shell(&script, &[differs, ("show-output", Scalar::Boolean(true))])).unwrap();
    assert_eq!(
        outcome.extras.text().map(|text| text.replace(char::is_whitespace, "")),
        Some(format!("{}oh", made + 1))
    );
}

#[test]
fn where_the_first_run_counts_none_precedes_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("echo run >> '{}'", file.path().display());
    let mut task = shell(&script, &[("first-counts", Scalar::Boolean(true))]);
    task.seconds = 1e-6;
    let (outcome, samples) = whole(&task).unwrap();
    assert_eq!((samples.len(), std::fs::read_to_string(file.path()).unwrap().as_str()), (1, "run\n"));
    assert!(outcome.conditions.contains_key("answer") && outcome.conditions.contains_key("program_digest"));
}

/// Pages of a file that are in memory.
fn resident(path: &std::path::Path) -> String {
    let output = Command::new("fincore").args(["--noheadings", "--output", "PAGES"]).arg(path).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn files_leave_the_page_cache_before_each_run() {
    let folder = tempfile::tempdir_in(std::env::current_exe().unwrap().parent().unwrap()).unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    assert_eq!(resident(&path), "256");
    let files = serde_json::to_string(&[path.to_str().unwrap(), "/no/such", "/dev/null", "/"]).unwrap();
    let mut worker = worker(&task(&[
        ("program", text("cat")),
        ("arguments", text(&format!("[{:?}]", path))),
        ("evict", text(&files)),
    ]))
    .unwrap();
    assert_eq!(worker.conditions()["page_cache"], "cold");
    assert_eq!(worker.conditions()["page_cache_left"], "0 %");
    assert_eq!(resident(&path), "256");
    worker.setup(1).unwrap();
    assert_eq!(resident(&path), "0");
    worker.run(1).unwrap();
    worker.verify().unwrap();
    assert_eq!(resident(&path), "256");
}
