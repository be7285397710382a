//! Programs of the place: one that reports its own result is run once, and its output is read; a command is timed run by run.

mod accounts;
mod circumstances;
mod collector;
mod empty;
mod endings;
mod evict;
mod files;
mod given;
mod group;
mod held;
mod look_up;
mod memory_kills;
mod specification;
mod standing;
mod start;
mod terminal;
mod time;
mod watchdog;

use self::collector::MOST_OUTPUT;
use self::endings::ended_badly;
use self::given::{own_variables, texts};
use self::look_up::Line;
use self::standing::Standing;
use self::start::{Process, Stack};
use crate::operation::ParameterKind::Text;
use crate::operation::{optional, parameter, Op};
use crate::settings::Settings;
use crate::settings::{check_failed, wrong};
use rustix::pipe::{pipe_with, PipeFlags};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process::ExitStatus;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Code, Failure, Unit};
use virtometer_sampling::{os_failure, timed, CheckValue, Control, Extras, Stretch, Task, Worker, WorkerFactory};

/// How often a running program's worker looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

pub(crate) static OPS: &[Op] = &[
    Op {
        name: "run",
        unit: Unit::Second,
        work: "runs of the program: one, whatever the window",
        parameters: &[
            parameter("program", Text, "", "path, or name that is looked up on the PATH"),
            optional("arguments", Text, "none", "a JSON array of texts, such as [\"-n\",\"100\"]"),
        ],
        measures: &[],
        arrays: None,
        judged: None,
    },
    Op {
        name: "time",
        unit: Unit::Second,
        work: "runs of the command",
        parameters: specification::PARAMETERS,
        measures: specification::MEASURES,
        arrays: None,
        judged: None,
    },
];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    if task.threads != 1 {
        return Err(wrong("a program is run by one thread; give the program's own option for threads"));
    }
    let control = task.control.clone();
    if task.op == "time" {
        let what = Arc::new(specification::Specification::new(settings)?);
        return Ok(Arc::new(move |_| Ok(Box::new(time::Timed::new(what.clone(), control.clone())?))));
    }
    let mut words = vec![settings.text("program")?.to_owned()];
    words.extend(texts(settings, "arguments")?);
    let line = Line::new(words, None)?;
    Ok(Arc::new(move |_| {
        let (line, control, stack) = (line.clone(), control.clone(), Stack::new());
        Ok(Box::new(Run { line, control, stack, output: String::new(), runs: 0, made: 0 }))
    }))
}

struct Run {
    line: Line,
    control: Arc<Control>,
    stack: Stack,
    /// What the last run printed.
    output: String,
    runs: u64,
    /// Runs since the window began.
    made: u64,
}

/// What a program printed: `None` where it was more than is kept.
type Printed = Option<Vec<u8>>;

impl Run {
    /// Wait until the program has ended and all of its output is read; end it, and everything that it started, where
    /// the run is stopped.
    fn wait(&self, family: &Family, process: &Process, done: &Receiver<()>) -> io::Result<()> {
        loop {
            match done.recv_timeout(POLL_INTERVAL) {
                Err(RecvTimeoutError::Timeout) => {
                    if self.control.stopped() {
                        family.end_all_of(process.pid());
                    } else if process.has_ended()? {
                        // It has left something behind that holds its output open.
                        return Ok(());
                    }
                }
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return process.wait(),
            }
        }
    }

    fn conclude(&mut self, program: &str, status: ExitStatus, out: Printed, err: Printed) -> Result<(), Failure> {
        if self.control.stopped() {
            return Err(Failure::new(Code::CheckFailed, format!("{program} was stopped before its end")));
        }
        if !status.success() {
            return Err(ended_badly(program, status, err.as_deref().unwrap_or_default()));
        }
        let text = out.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let fits = |text: &String| serde_json::to_string(text).is_ok_and(|json| json.len() <= MOST_OUTPUT);
        self.output = text.filter(fits).ok_or_else(|| {
            check_failed(format!("{program} printed more than the {MOST_OUTPUT} bytes that a message holds"))
        })?;
        self.runs += 1;
        self.made += 1;
        Ok(())
    }
}

/// Read to the end on a thread of its own, whose end `tell` tells. Ends when the pipe is closed.
fn collect(from: OwnedFd, tell: Option<Sender<()>>) -> std::thread::JoinHandle<Printed> {
    std::thread::spawn(move || {
        let (_tell, mut from) = (tell, File::from(from));
        let mut kept = Vec::new();
        let mut block = [0; 4096];
        let mut too_much = false;
        while let Ok(read) = from.read(&mut block) {
            if read == 0 {
                break;
            }
            too_much |= kept.len() + read > MOST_OUTPUT;
            if !too_much {
                kept.extend_from_slice(&block[..read]);
            }
        }
        (!too_much).then_some(kept)
    })
}

impl Worker for Run {
    fn calibrated(&self) -> bool {
        false
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let _parent = crate::os::Parent::new();
        let family = Family::begin();
        let program = self.line.program().to_owned();
        let failed = |cause: io::Error| os_failure(&format!("cannot run {program}"), &cause);
        // Numbers are to be printed alike everywhere.
        let variables = own_variables().into_iter().filter(|one| !one.starts_with("LC_ALL=")).collect::<Vec<_>>();
        let added: Vec<String> = family.variable().into_iter().chain(["LC_ALL=C".to_owned()]).collect();
        let order = self.line.order(&variables, &added, 0)?;
        let nothing = File::open("/dev/null").map_err(failed)?;
        let pipe = || pipe_with(PipeFlags::CLOEXEC).map_err(|cause| failed(cause.into()));
        let ((out, output), (err, errors)) = (pipe()?, pipe()?);
        let (tell, done) = channel();
        let (out, err) = (collect(out, Some(tell)), collect(err, None));
        let mut finished = None;
        let stretch = timed(1, || {
            let started = order.start([nothing.as_fd(), output.as_fd(), errors.as_fd()], &mut self.stack);
            drop((output, errors));
            let process = started.map_err(|refused| self.line.not_started(&refused, &Standing::default()))?;
            self.wait(&family, &process, &done).map_err(failed)?;
            finished = Some(process);
            Ok(())
        })?;
        if let Some(process) = finished {
            // Outside of what is timed: looking for what is left takes milliseconds.
            family.end_all_of(process.pid());
            let status = process.reap().map_err(failed)?.status;
            self.conclude(&program, status, out.join().ok().flatten(), err.join().ok().flatten())?;
        }
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.runs))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.made = 0;
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        Some(self.made > 0)
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.made))
    }

    fn extras(&mut self) -> Extras {
        Extras::default().output(std::mem::take(&mut self.output))
    }
}

pub use group::Family;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::{Command, Stdio};
    use virtometer_protocol::{Parameters, Scalar};
    use virtometer_sampling::planted_clock::looking;
    use virtometer_sampling::{allowed_cpus, prepare, Outcome, RawSample};

    fn task(program: &str, arguments: &str, threads: usize) -> Task {
        let mut parameters = Parameters::default();
        parameters.0.insert("program".into(), Scalar::Text(program.into()));
        parameters.0.insert("arguments".into(), Scalar::Text(arguments.into()));
        let control = Arc::new(Control::default());
        Task { op: "run".into(), parameters, threads, cpus: None, seconds: 0.1, control }
    }

    fn made(program: &str, arguments: &str) -> Result<Box<dyn Worker>, Failure> {
        let task = task(program, arguments, 1);
        make(&task, &Settings::new(&OPS[0], &task.parameters).unwrap())?(0)
    }

    fn failure(program: &str, arguments: &str) -> Failure {
        made(program, arguments).and_then(|mut worker| worker.run(1).map(|_| ())).unwrap_err()
    }

    #[test]
    fn what_a_program_prints_is_its_result() {
        let mut worker = made("/bin/echo", r#"["a","b c"]"#).unwrap();
        worker.reset_after_calibration().unwrap();
        let stretch = worker.run(1).unwrap();
        assert_eq!(stretch.work, 1);
        assert_eq!(worker.verify().unwrap(), CheckValue::Count(1));
        assert_eq!(worker.finish().unwrap(), CheckValue::Count(1));
        assert_eq!(worker.extras().text(), Some("a b c\n"));
    }

    #[test]
    fn the_time_of_a_program_is_all_of_it() {
        let mut worker = made("/bin/sleep", r#"["0.05"]"#).unwrap();
        let stretch = worker.run(1).unwrap();
        // A sleep is never shorter than it was asked to be.
        assert!(stretch.end_ns - stretch.start_ns >= 50_000_000, "{stretch:?}");
    }

    /// Processes of this program whose command line has `word` in it.
    fn running(word: &str) -> usize {
        let lines = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path().join("cmdline"));
        lines.filter(|path| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).contains(word)).count()
    }

    #[test]
    fn a_program_is_started_within_its_time_and_what_it_leaves_behind_is_ended_after_it() {
        let mut worker = made("/bin/sh", r#"["-c","sleep 1000.0625 >/dev/null 2>&1 & :"]"#).unwrap();
        let (clock, seen) = looking(|| {
            std::thread::sleep(Duration::from_millis(50)); // what was started shows its command line only after a while
            running("1000.0625")
        });
        let stretch = worker.run(1).unwrap();
        drop(clock);
        // The clock is read twice: before there is anything, and while what was left is still there.
        assert_eq!((stretch.start_ns, stretch.end_ns), (1000, 2000));
        assert_eq!(*seen.borrow(), [0, 1]);
        assert_eq!(running("1000.0625"), 0);
    }

    #[test]
    fn no_other_program_stands_between_the_agent_and_the_program() {
        let mut worker = made("/bin/sh", r#"["-c","echo $PPID $#","x","$HOME *"]"#).unwrap();
        worker.run(1).unwrap();
        assert_eq!(worker.extras().text(), Some(format!("{} 1\n", std::process::id()).as_str()));
    }

    /// A whole run, and the length of its samples in seconds.
    fn whole(task: &Task) -> (Outcome, Vec<f64>) {
        let factory = make(task, &Settings::new(&OPS[0], &task.parameters).unwrap()).unwrap();
        let prepared = prepare(task, OPS[0].unit, &factory).unwrap();
        let mut samples = Vec::new();
        let outcome = prepared.run(&mut |some| samples.extend(some.iter().map(RawSample::sample))).unwrap();
        (outcome, samples.iter().map(|one| (one.end_ns - one.start_ns) as f64 * 1e-9).collect())
    }

    #[test]
    fn a_window_has_one_run_of_the_program() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let arguments = format!(r#"["-c","echo run >> '{}'"]"#, file.path().display());
        let (outcome, lengths) = whole(&task("/bin/sh", &arguments, 1));
        assert_eq!((outcome.count, outcome.check), (1, CheckValue::Count(1)));
        // Neither before the window nor within it has it run once more.
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "run\n");
        // The value is in seconds.
        assert!((outcome.value / lengths[0] - 1.0).abs() < 1e-9, "{} {lengths:?}", outcome.value);
    }

    #[test]
    fn all_of_a_long_output_is_kept() {
        let mut worker =
            made("/bin/sh", r#"["-c","i=1000; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done"]"#).unwrap();
        worker.run(1).unwrap();
        let expected: String = (1000..3000).map(|number| format!("{number}\n")).collect();
        assert_eq!(worker.extras().text(), Some(expected.as_str()));
    }

    /// The priority, the variables and the processor of the thread that starts it are the program's.
    #[test]
    fn a_program_runs_as_the_agent_does() {
        let cpu = *allowed_cpus().last().unwrap();
        let line = "nice; echo $PATH; grep Cpus_allowed_list /proc/self/status";
        let mut task = task("/bin/sh", &format!(r#"["-c","{line}"]"#), 1);
        task.cpus = Some(vec![cpu]);
        // On a thread of its own: the pinning of a test's thread may not outlive it.
        let (outcome, _) = std::thread::spawn(move || whole(&task)).join().unwrap();
        let own = Command::new("nice").output().unwrap();
        let path = std::env::var("PATH").unwrap();
        let expected = format!("{}{path}\nCpus_allowed_list:\t{cpu}\n", String::from_utf8(own.stdout).unwrap());
        assert_eq!(outcome.extras.text(), Some(expected.as_str()));
        assert_eq!(outcome.conditions["pinned"], "yes");
    }

    #[test]
    fn numbers_are_printed_alike_everywhere() {
        let mut worker = made("/bin/sh", r#"["-c","echo $LC_ALL"]"#).unwrap();
        worker.run(1).unwrap();
        assert_eq!(worker.extras().text(), Some("C\n"));
    }

    #[test]
    fn a_program_that_fails_gives_no_result() {
        let failed = failure("/bin/sh", r#"["-c","echo first >&2; echo last words >&2; exit 3"]"#);
        assert_eq!(failed.code, Code::CheckFailed);
        assert_eq!(failed.message, "/bin/sh ended with status 3: last words");
        assert!(failure("/bin/sh", r#"["-c","kill -9 $$"]"#).message.contains("by signal 9"));
        assert!(failure("/bin/sh", r#"["-c","yes | head -c 100000"]"#).message.contains("printed more than"));
        assert!(failure("/bin/sh", r#"["-c","yes | tr -d '\\n' | head -c 100000"]"#)
            .message
            .contains("printed more than"));
        assert!(failure("/bin/sh", r#"["-c","head -c 20000 /dev/zero"]"#).message.contains("printed more than"));
    }

    #[test]
    fn what_cannot_be_run_is_told() {
        assert_eq!(failure("/nonexistent/x", "[]").code, Code::NotSupported);
        assert_eq!(failure("/etc", "[]").code, Code::NotPermitted);
        for bad in ["-n 100", "[1]", "{}", "[\"a\""] {
            assert_eq!(failure("/bin/true", bad).code, Code::BadArguments, "{bad}");
        }
        let two = task("/bin/true", "[]", 2);
        assert!(make(&two, &Settings::new(&OPS[0], &two.parameters).unwrap()).is_err());
    }

    #[test]
    fn what_a_program_leaves_behind_ends_with_it() {
        let mut worker = made("/bin/sh", r#"["-c","sleep 1000 & echo $!"]"#).unwrap();
        worker.run(1).unwrap();
        let pid: i32 = worker.extras().text().unwrap().trim().parse().unwrap();
        assert!(ends(pid));
    }

    /// Whether a process is gone, or will be soon.
    fn ends(pid: i32) -> bool {
        let gone = || std::fs::read_to_string(format!("/proc/{pid}/stat")).map_or(true, |stat| stat.contains(") Z "));
        let begun = std::time::Instant::now();
        while !gone() && begun.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        gone()
    }

    #[test]
    fn a_process_that_leaves_the_program_s_group_and_session_ends_with_it() {
        for body in ["setsid sleep 1000 & echo $!", "(setsid sleep 1000 & echo $!) & wait"] {
            let arguments = format!(r#"["-c","({body}) 2>&1; sleep 0.3"]"#);
            let mut worker = made("/bin/sh", &arguments.replace("sleep 1000 &", "sleep 1000 >/dev/null &")).unwrap();
            worker.run(1).unwrap();
            let pid: i32 = worker.extras().text().unwrap().trim().parse().unwrap();
            assert!(ends(pid), "{body}");
        }
    }

    #[test]
    fn a_daemon_that_holds_no_output_ends_with_the_program() {
        let mut worker = made("/bin/sh", r#"["-c","setsid sleep 60 >/dev/null 2>&1 & echo $!; sleep 0.3"]"#).unwrap();
        worker.run(1).unwrap();
        let pid: i32 = worker.extras().text().unwrap().trim().parse().unwrap();
        assert!(ends(pid));
    }

    #[test]
    fn a_program_that_ends_leaves_those_of_other_runs_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // Its own session, and no parent of its run's: it ends when the other program has ended.
        let orphan =
            format!("touch {0}/is; while [ ! -e {0}/go ]; do sleep 0.01; done; touch {0}/did", folder.path().display());
        let line = format!("(setsid sh -c '{orphan}' >/dev/null 2>&1 &); i=0; while [ ! -e {}/did ]; do i=$((i+1)); [ $i -lt 2000 ] || exit 1; sleep 0.01; done", folder.path().display());
        let first = std::thread::spawn(move || {
            made("/bin/sh", &serde_json::to_string(&["-c", line.as_str()]).unwrap()).unwrap().run(1).map(|_| ())
        });
        while !path("is").exists() && !first.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        made("/bin/true", "[]").unwrap().run(1).unwrap();
        std::fs::write(path("go"), "").unwrap();
        assert_eq!(first.join().unwrap(), Ok(()));
    }

    /// As a step of tuning may leave a daemon.
    #[test]
    fn what_a_program_has_left_running_before_is_left_alone() {
        let family = Family::begin();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "setsid sleep 60 >/dev/null 2>&1 & echo $!"]).stdout(Stdio::piped());
        family.own_group(&mut command);
        let printed = command.spawn().unwrap().wait_with_output().unwrap().stdout;
        let pid: i32 = String::from_utf8(printed).unwrap().trim().parse().unwrap();
        drop(family);
        made("/bin/true", "[]").unwrap().run(1).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        assert!(!stat.contains(") Z "), "{stat}");
        assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
        assert!(ends(pid));
    }

    #[test]
    fn a_run_that_is_stopped_ends_its_program() {
        let task = task("/bin/sleep", r#"["1000"]"#, 1);
        let mut worker = make(&task, &Settings::new(&OPS[0], &task.parameters).unwrap()).unwrap()(0).unwrap();
        task.control.stop();
        assert_eq!(worker.run(1).unwrap_err().message, "/bin/sleep was stopped before its end");
    }
}
