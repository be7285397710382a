//! A user's command, run again and again: each run is one sample, from its start to the end of the process itself.

use super::circumstances;
use super::collector::{Collector, Printed, KEPT};
use super::empty::Empty;
use super::endings::{ended_badly, ended_how, last_words, status_word};
use super::evict::{evict, Left};
use super::files;
use super::group::{Family, Usage};
use super::held::Held;
use super::look_up::Line;
use super::memory_kills;
use super::specification::Specification;
use super::standing::Standing;
use super::start::{Ended, Order, Process, Stack};
use super::terminal::Terminal;
use super::watchdog::{Watchdog, Why};
use crate::os::Parent;
use crate::random::{mix, Random};
use crate::settings::{check_failed, wrong};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{os_failure, timed, CheckValue, Control, Extras, Merge, Stretch, Worker};

/// Fills the environment of each run of a script, which sees its own path, with another number of bytes.
const PADDING: &str = "VIRTOMETER_PADDING=";

/// Bytes of the ends of the first run's output that are kept where it is reported.
const SHOWN: usize = 16 << 10;

/// How many runs this agent has made.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Another one in each agent: where a guest makes one run alone, that one has another length in each guest.
static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));

/// What all runs must have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    status: std::process::ExitStatus,
    /// Of the output; `None` where it is not kept, or may differ.
    digest: Option<[u8; 32]>,
    /// Of the files that belong to it.
    files: Option<[u8; 32]>,
}

/// A command that is ready to be started.
struct Ready {
    order: Order,
    family: Family,
    input: OwnedFd,
    /// Reads what it prints; where nobody does, it prints to `nowhere`.
    collector: Option<Collector>,
    nowhere: OwnedFd,
    /// Gets the standard output in place of the collector.
    file: Option<OwnedFd>,
    standing: Arc<Standing>,
    _parent: Parent,
}

/// What the runs since the window began have used.
#[derive(Default)]
struct Used {
    runs: u32,
    processes: Usage,
    wall_s: f64,
    /// The end of the last output, where it is taken.
    output: Option<String>,
}

pub(super) struct Timed {
    what: Arc<Specification>,
    watchdog: Watchdog,
    stack: Stack,
    /// Of the run that is about to begin.
    ready: Option<Ready>,
    /// The run that has ended, and is not verified yet.
    ended: Option<(Ready, Process, Option<Why>)>,
    answer: Option<Answer>,
    /// What the first run printed, where it is reported.
    shown: Option<String>,
    /// The clean-up was not made yet.
    unclean: bool,
    /// Length of the last run.
    wall_s: f64,
    /// Processes that had been killed for memory before the last run.
    killed: Option<u64>,
    /// `None` where the agent cannot start itself.
    empty: Option<Empty>,
    /// Of all runs so far, ns.
    took_ns: u64,
    /// Most memory of all processes at once in a run before those that count, bytes.
    held: Option<u64>,
    circumstances: Conditions,
    /// What the page cache held before the runs.
    cache: Left,
    used: Used,
}

impl Timed {
    /// Runs the command once at least, unless the first run counts: what it answers then is what it must always answer.
    pub(super) fn new(what: Arc<Specification>, control: Arc<Control>) -> Result<Self, Failure> {
        forget_peak_memory();
        let mut worker = Timed {
            circumstances: Conditions::new(),
            cache: Left::default(),
            empty: None,
            took_ns: 0,
            held: None,
            what,
            watchdog: Watchdog::new(control)?,
            stack: Stack::new(),
            ready: None,
            ended: None,
            answer: None,
            shown: None,
            unclean: true,
            wall_s: 0.0,
            killed: memory_kills::count(),
            used: Used::default(),
        };
        let begun = worker.begin();
        worker.or_clean(begun)?;
        Ok(worker)
    }

    /// What comes before all runs that count.
    fn begin(&mut self) -> Result<(), Failure> {
        let what = self.what.clone();
        if let Some(line) = &what.setup {
            self.run_beside(line, false)?;
        }
        if what.first_counts {
            return Ok(());
        }
        (0..what.warm_ups).try_for_each(|_| self.run_untimed(true))?;
        if self.answer.is_none() {
            return Err(check_failed(format!("{} was stopped before its end", what.command.program())));
        }
        self.empty = Empty::new(&what.variables, &mut self.stack);
        forget_peak_memory(); // of finding out the circumstances
        Ok(())
    }

    /// A run that does not count. `looked_at`: its memory is looked at, which takes processor time.
    fn run_untimed(&mut self, looked_at: bool) -> Result<(), Failure> {
        let counted = std::mem::take(&mut self.used);
        self.get_ready()?;
        self.start_and_wait(looked_at)?;
        self.conclude()?;
        self.used = counted;
        Ok(())
    }

    /// Clean up, once.
    fn clean(&mut self) -> Result<(), Failure> {
        let what = self.what.clone();
        match &what.cleanup {
            Some(line) if std::mem::take(&mut self.unclean) => self.run_beside(line, true),
            _ => Ok(()),
        }
    }

    /// A failure ends the run: nothing comes after it but the clean-up.
    fn or_clean<T>(&mut self, done: Result<T, Failure>) -> Result<T, Failure> {
        if done.is_err() {
            let _ = self.clean(); // the first failure is the reason
        }
        done
    }

    /// Everything that one run of a line needs. `kept`: whether somebody reads what it prints.
    fn make_ready(&self, line: &Line, input: &str, kept: bool) -> Result<Ready, Failure> {
        let what = &self.what;
        let parent = Parent::new();
        let family = Family::begin_unseen();
        let seed = mix(SEED.wrapping_add(RUNS.fetch_add(1, Ordering::Relaxed)));
        let length = usize::try_from(Random::new(seed).below(what.padding + 1)).unwrap_or(0);
        // A program does not see the path that it was started by, beside its own words and variables.
        let script = what.padding > 0 && line.is_script(&what.variables);
        let padding = script.then(|| format!("{PADDING}{}", "x".repeat(length)));
        let added: Vec<String> = padding.into_iter().chain(family.variable()).collect();
        let null = File::options().write(true).open("/dev/null");
        Ok(Ready {
            order: line.order(&what.variables, &added, if script { 0 } else { length })?,
            standing: Arc::default(),
            family,
            input: opened(input)?.into(),
            collector: if kept { Some(Collector::begin(kept_bytes(what))?) } else { None },
            nowhere: null.map_err(|cause| os_failure("cannot open /dev/null", &cause))?.into(),
            file: None,
            _parent: parent,
        })
    }

    /// The same for the command itself, which has a user, limits and a terminal of its own.
    fn make_ready_command(&self) -> Result<Ready, Failure> {
        let what = &self.what;
        let mut ready = self.make_ready(&what.command, &what.input, what.kept && !what.terminal)?;
        if what.terminal {
            let terminal = Terminal::open()?;
            ready.input = terminal.inside.try_clone().map_err(|cause| os_failure("cannot share a terminal", &cause))?;
            ready.collector = Some(Collector::of_terminal(terminal, kept_bytes(what))?);
        }
        if let Some(path) = &what.into {
            ready.file = Some(emptied(path)?.into());
        }
        if let (Some(user), Some(collector)) = (&what.standing.user, &ready.collector) {
            collector.hand_to(user.uid, user.gid);
        }
        let checked = self.answer.is_none() && !what.standing.is_plain();
        ready.order = ready.order.with(what.standing.clone(), checked, what.terminal);
        ready.standing = what.standing.clone();
        Ok(ready)
    }

    fn begin_empty(&mut self) {
        if let Some(empty) = &mut self.empty {
            empty.beside(self.took_ns, &mut self.stack);
        }
    }

    /// Run a line that is not timed to its end, which has to be a good one. `goes_on`: also where the run is stopped.
    fn run_beside(&mut self, line: &Line, goes_on: bool) -> Result<(), Failure> {
        let ready = self.make_ready(line, "/dev/null", true)?;
        let process = ready.start(line, &mut self.stack)?;
        let why = process.wait_watched(&self.watchdog, &self.what, goes_on);
        let (ended, printed) = finish(ready, process)?;
        self.in_time(line, why?)?;
        match ended.status.success() {
            true => Ok(()),
            false => Err(ended_badly(line.program(), ended.status, &errors_of(printed.as_ref()))),
        }
    }

    fn in_time(&self, line: &Line, why: Option<Why>) -> Result<(), Failure> {
        let program = line.program();
        match (why, self.what.limit) {
            (None, _) => Ok(()),
            (Some(Why::Late), Some(limit)) => {
                Err(Failure::new(Code::TimedOut, format!("{program} did not end within {} ms", limit.as_millis())))
            }
            (Some(_), _) => Err(check_failed(format!("{program} was stopped before its end"))),
        }
    }

    /// The failure of a command one of whose processes the kernel has killed for memory; `None` for another one.
    fn of_memory(&self, status: std::process::ExitStatus) -> Option<Failure> {
        let (before, now) = (self.killed?, memory_kills::count()?);
        let program = self.what.command.program();
        let who =
            if status.signal() == Some(libc::SIGKILL) { program.into() } else { format!("a process of {program}") };
        (now > before).then(|| Failure::new(Code::OutOfMemory, format!("{who} was killed for memory")))
    }

    /// The first answer is what all others must be.
    fn compare(&mut self, found: Answer, errors: &[u8]) -> Result<(), Failure> {
        let program = self.what.command.program();
        if !found.status.success() && !self.what.ignore_failure {
            return Err(self.of_memory(found.status).unwrap_or_else(|| ended_badly(program, found.status, errors)));
        }
        let first = *self.answer.get_or_insert(found);
        if first.status != found.status {
            let (now, before) = (ended_how(found.status), ended_how(first.status));
            let last = last_words(errors);
            return Err(check_failed(format!("{program} ended {now}, but {before} in its first run: {last}")));
        }
        if first.files != found.files {
            let paths = self.what.files.join(" or ");
            return Err(check_failed(format!("{program} left something else in {paths} than in its first run")));
        }
        match (first.digest, found.digest) {
            (Some(first), Some(found)) if first != found => {
                let (first, found) = (short(&first), short(&found));
                Err(check_failed(format!(
                    "{program} printed something else than in its first run ({found}, not {first})"
                )))
            }
            _ => Ok(()),
        }
    }

    /// All that comes before a run.
    fn get_ready(&mut self) -> Result<(), Failure> {
        let what = self.what.clone();
        if let Some(line) = &what.prepare {
            self.run_beside(line, false)?;
        }
        if let Some(files) = &what.evicted {
            self.cache.add(evict(files.iter()));
        }
        self.killed = memory_kills::count(); // other guests may have had some before
        self.ready = Some(self.make_ready_command()?);
        Ok(())
    }

    fn start_and_wait(&mut self, looked_at: bool) -> Result<Stretch, Failure> {
        let unprepared = || Failure::new(Code::Internal, "a run that was not prepared");
        let ready = self.ready.take().ok_or_else(unprepared)?;
        let mut ended = None;
        let mut held = None;
        let stretch = timed(1, || {
            let process = ready.start(&self.what.command, &mut self.stack)?;
            let looks = if looked_at { Held::begin(ready.family.members(process.pid())) } else { None };
            let why = process.wait_watched(&self.watchdog, &self.what, false);
            held = looks.and_then(Held::end); // before it may be reaped
            let why = why?;
            ended = Some((process, why));
            Ok(())
        })?;
        let took_ns = stretch.end_ns.saturating_sub(stretch.start_ns);
        self.took_ns += took_ns;
        self.held = self.held.max(held);
        self.wall_s = Duration::from_nanos(took_ns).as_secs_f64();
        self.ended = ended.map(|(process, why)| (ready, process, why));
        Ok(stretch)
    }

    /// All that comes after a run.
    fn conclude(&mut self) -> Result<CheckValue, Failure> {
        let what = self.what.clone();
        if let Some((ready, process, why)) = self.ended.take() {
            let (ended, printed) = finish(ready, process)?;
            if why == Some(Why::Stopped) && !what.taken {
                // Its time is over, and that is no fault of its: a load may take longer than what it is a load for.
                return Ok(CheckValue::Count(u64::from(self.used.runs)));
            }
            self.in_time(&what.command, why)?;
            if what.shown && self.shown.is_none() {
                self.shown = printed.as_ref().map(Printed::text);
            }
            let digest = printed.as_ref().filter(|_| !what.may_differ).map(|printed| printed.digest);
            let accepted = ended.status.success() || what.ignore_failure;
            let files = if accepted { files::digest(what.command.program(), &what.files)? } else { None };
            self.compare(Answer { status: ended.status, digest, files }, &errors_of(printed.as_ref()))?;
            self.used.runs += 1;
            self.used.wall_s = self.wall_s;
            self.used.output = printed.filter(|_| what.taken).map(|printed| text_of(&printed.ends[0]));
            self.used.processes.add(ended.used);
            if self.circumstances.is_empty() {
                self.circumstances = circumstances::of(&what);
            }
        }
        if let Some(line) = &what.conclude {
            self.run_beside(line, false)?;
        }
        Ok(CheckValue::Count(u64::from(self.used.runs)))
    }
}

/// A run that was prepared and never started cleans up too: another guest's failure may have ended the trial.
impl Drop for Timed {
    fn drop(&mut self) {
        let _ = self.clean(); // nobody is left to whom it could be reported
    }
}

impl Ready {
    fn start(&self, line: &Line, stack: &mut Stack) -> Result<Process, Failure> {
        let nowhere = self.nowhere.as_fd();
        let collected = self.collector.as_ref().map_or(nowhere, Collector::output);
        let output = self.file.as_ref().map_or(collected, AsFd::as_fd);
        let errors = self.collector.as_ref().map_or(nowhere, Collector::errors);
        let started = self.order.start([self.input.as_fd(), output, errors], stack);
        started.map_err(|refused| line.not_started(&refused, &self.standing))
    }
}

impl Process {
    /// Wait for the end, which the watchdog may bring. Returns why, where it did.
    fn wait_watched(&self, watchdog: &Watchdog, what: &Specification, goes_on: bool) -> Result<Option<Why>, Failure> {
        watchdog.guard(self.pid(), what.limit, goes_on);
        let waited = self.wait();
        let why = watchdog.release();
        waited.map(|()| why).map_err(|cause| os_failure("cannot wait for the command", &cause))
    }
}

/// End what a run has left behind, take all of its output, and reap it.
fn finish(ready: Ready, process: Process) -> Result<(Ended, Option<Printed>), Failure> {
    let left = ready.family.end_all_of(process.pid());
    let printed = ready.collector.map(Collector::end).transpose()?;
    let mut ended = process.reap().map_err(|cause| os_failure("cannot learn how the command ended", &cause))?;
    ended.used.add(left);
    Ok((ended, printed))
}

/// Bytes of the ends of what it prints that are kept.
fn kept_bytes(what: &Specification) -> usize {
    if what.shown {
        SHOWN
    } else {
        KEPT
    }
}

/// The end of an output as a text, without the zeros that no message may have.
fn text_of(end: &[u8]) -> String {
    String::from_utf8_lossy(end).replace('\0', "\u{fffd}")
}

fn errors_of(printed: Option<&Printed>) -> Vec<u8> {
    printed.map_or_else(Vec::new, |printed| printed.ends[1].clone())
}

/// The beginning of a digest: enough to tell answers apart.
fn short(digest: &[u8; 32]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A program's peak begins as the agent's: from now on as what the agent holds, not what it held once.
fn forget_peak_memory() {
    // Where the system cannot do that, small peaks are not known.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The agent's own peak, bytes. `None`: not known.
fn own_peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

impl Worker for Timed {
    fn calibrated(&self) -> bool {
        false
    }

    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.begin_empty();
        let warm = if self.what.warm_each { self.run_untimed(false) } else { Ok(()) };
        let done = warm.and_then(|()| self.get_ready());
        self.or_clean(done)
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let done = self.start_and_wait(false);
        self.or_clean(done)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let done = self.conclude();
        self.or_clean(done)
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.used = Used::default();
        Ok(())
    }

    fn complete(&self) -> Option<bool> {
        let wanted = if self.what.taken { 1 } else { self.what.runs };
        (wanted > 0).then(|| u64::from(self.used.runs) >= wanted)
    }

    fn conditions(&self) -> Conditions {
        let mut found = self.circumstances.clone();
        let (word, left) = self.cache.reported();
        found.insert("page_cache".into(), word.into());
        found.extend(left.map(|share| ("page_cache_left".into(), share)));
        if let Some(answer) = self.answer {
            found.extend(self.what.standing.conditions());
            if self.what.terminal {
                found.insert("terminal".into(), "yes".into());
            }
            found.insert("status".into(), status_word(answer.status));
            if let Some(digest) = answer.digest {
                found.insert("answer".into(), short(&digest));
            }
            if let Some(digest) = answer.files {
                found.insert("files".into(), short(&digest));
            }
        }
        found
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.clean()?;
        if self.what.first_counts {
            // Only now, so that the command is the first one that this agent starts.
            self.empty = Empty::new(&self.what.variables, &mut self.stack);
            self.begin_empty();
        }
        Ok(CheckValue::Count(u64::from(self.used.runs)))
    }

    fn extras(&mut self) -> Extras {
        let Used { runs, processes, wall_s, output } = std::mem::take(&mut self.used);
        let Usage { user_s, system_s, peak_memory } = processes;
        let printed = match self.shown.take() {
            Some(text) => Extras::default().output(text),
            None => Extras::default(),
        };
        if runs == 0 {
            return printed;
        }
        let found = match output {
            Some(output) => Extras::default().measure("wall", "s", wall_s, Merge::Mean).output(output),
            None => printed,
        };
        let found = found.measure("user", "s", user_s / f64::from(runs), Merge::Mean).measure(
            "system",
            "s",
            system_s / f64::from(runs),
            Merge::Mean,
        );
        let found = match self.empty.as_ref().and_then(Empty::median_s) {
            Some(empty_s) => found.measure("empty", "s", empty_s, Merge::Mean),
            None => found,
        };
        #[allow(clippy::cast_precision_loss)] // bytes of memory, far below 2^53
        let found = match self.held {
            Some(held) => found.measure("held-memory", "B", held as f64, Merge::Max),
            None => found,
        };
        // A smaller one hides behind the agent's, which a program has until it is executed.
        match own_peak_memory().is_some_and(|own| peak_memory > own) {
            #[allow(clippy::cast_precision_loss)] // bytes of memory, far below 2^53
            true => found.measure("peak-memory", "B", peak_memory as f64, Merge::Max),
            false => found,
        }
    }
}

/// A file that is made anew. A pipe without a reader would be waited for, without end.
fn emptied(path: &str) -> Result<File, Failure> {
    use std::os::unix::fs::OpenOptionsExt;
    let cannot = |cause: std::io::Error| wrong(format!("cannot write to {path}: {cause}"));
    let mut options = File::options();
    options.write(true).create(true).truncate(true).custom_flags(libc::O_NONBLOCK);
    let file = options.open(path).map_err(cannot)?;
    match file.metadata().map_err(cannot)?.is_file() {
        true => Ok(file),
        false => Err(wrong(format!("cannot write to {path}: it is no file"))),
    }
}

/// A file or a device for reading. A pipe without a writer would be waited for, without end.
fn opened(path: &str) -> Result<File, Failure> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    let failure = |cause| os_failure(&format!("cannot open {path}"), &cause);
    let waits_not = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = File::options().read(true).custom_flags(waits_not).open(path).map_err(failure)?;
    let kind = file.metadata().map_err(failure)?.file_type();
    if !(kind.is_file() || kind.is_char_device() || kind.is_block_device()) {
        return Err(wrong(format!("input is {path}, which is no file")));
    }
    let flags = rustix::fs::fcntl_getfl(&file).map_err(|cause| failure(cause.into()))?;
    rustix::fs::fcntl_setfl(&file, flags - rustix::fs::OFlags::NONBLOCK).map_err(|cause| failure(cause.into()))?;
    Ok(file)
}

#[cfg(test)]
mod tests;
