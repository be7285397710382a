//! A user's command, run again and again: each run is one sample, from its start to the end of the process itself.

use super::circumstances;
use super::collector::{Collector, Printed};
use super::empty::Empty;
use super::endings::{ended_badly, ended_how, last_words, status_word};
use super::evict::evict;
use super::group::Family;
use super::look_up::Line;
use super::specification::Specification;
use super::start::{Ended, Order, Process, Stack};
use super::watchdog::{Watchdog, Why};
use crate::os::Parent;
use crate::random::{mix, Random};
use crate::settings::{check_failed, wrong};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{os_failure, timed, CheckValue, Control, Extras, Merge, Stretch, Worker};

/// Fills the environment of each run with another number of bytes.
const PADDING: &str = "VIRTOMETER_PADDING=";

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
}

/// A command that is ready to be started.
struct Ready {
    order: Order,
    family: Family,
    input: OwnedFd,
    /// Reads what it prints; where nobody does, it prints to `nowhere`.
    collector: Option<Collector>,
    nowhere: OwnedFd,
    _parent: Parent,
}

/// What the runs since the window began have used.
#[derive(Default)]
struct Used {
    runs: u32,
    user_s: f64,
    system_s: f64,
    peak_memory: u64,
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
    /// `None` where the agent cannot start itself.
    empty: Option<Empty>,
    /// Of all runs so far, ns.
    took_ns: u64,
    circumstances: Conditions,
    /// What the page cache held before the last run.
    cache: &'static str,
    used: Used,
}

impl Timed {
    /// Runs the command once, unless the first run counts: what it answers then is what it must always answer.
    pub(super) fn new(what: Arc<Specification>, control: Arc<Control>) -> Result<Self, Failure> {
        forget_peak_memory();
        let mut worker = Timed {
            circumstances: Conditions::new(),
            cache: "as it is",
            empty: None,
            took_ns: 0,
            what,
            watchdog: Watchdog::new(control)?,
            stack: Stack::new(),
            ready: None,
            ended: None,
            answer: None,
            used: Used::default(),
        };
        if !worker.what.first_counts {
            worker.make_all_ready()?;
            worker.run(1)?;
            worker.verify()?;
            worker.empty = Empty::new(&worker.what.variables, &mut worker.stack);
        }
        Ok(worker)
    }

    /// Everything that one run of a line needs. `kept`: whether somebody reads what it prints.
    fn make_ready(&self, line: &Line, input: &str, kept: bool) -> Result<Ready, Failure> {
        let what = &self.what;
        let parent = Parent::new();
        let family = Family::begin();
        let seed = mix(SEED.wrapping_add(RUNS.fetch_add(1, Ordering::Relaxed)));
        let length = usize::try_from(Random::new(seed).below(what.padding + 1)).unwrap_or(0);
        let padding = (what.padding > 0).then(|| format!("{PADDING}{}", "x".repeat(length)));
        let added: Vec<String> = padding.into_iter().chain([family.variable()]).collect();
        let null = File::options().write(true).open("/dev/null");
        Ok(Ready {
            order: line.order(&what.variables, &added)?,
            family,
            input: opened(input)?.into(),
            collector: if kept { Some(Collector::begin()?) } else { None },
            nowhere: null.map_err(|cause| os_failure("cannot open /dev/null", &cause))?.into(),
            _parent: parent,
        })
    }

    fn begin_empty(&mut self) {
        if let Some(empty) = &mut self.empty {
            empty.beside(self.took_ns, &mut self.stack);
        }
    }

    /// What precedes each run of the command.
    fn make_all_ready(&mut self) -> Result<(), Failure> {
        let what = self.what.clone();
        if let Some(line) = &what.prepare {
            self.run_beside(line)?;
        }
        if let Some(files) = &what.evicted {
            self.cache = evict(files.iter());
        }
        self.ready = Some(self.make_ready(&what.command, &what.input, what.kept)?);
        Ok(())
    }

    /// Run a line that is not timed to its end, which has to be a good one.
    fn run_beside(&mut self, line: &Line) -> Result<(), Failure> {
        let ready = self.make_ready(line, "/dev/null", true)?;
        let process = ready.start(line, &mut self.stack)?;
        let why = process.wait_watched(&self.watchdog, &self.what);
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

    /// The first answer is what all others must be.
    fn compare(&mut self, found: Answer, errors: &[u8]) -> Result<(), Failure> {
        let program = self.what.command.program();
        if !found.status.success() && !self.what.ignore_failure {
            return Err(ended_badly(program, found.status, errors));
        }
        let first = *self.answer.get_or_insert(found);
        if first.status != found.status {
            let (now, before) = (ended_how(found.status), ended_how(first.status));
            let last = last_words(errors);
            return Err(check_failed(format!("{program} ended {now}, but {before} in its first run: {last}")));
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
}

impl Ready {
    fn start(&self, line: &Line, stack: &mut Stack) -> Result<Process, Failure> {
        let nowhere = self.nowhere.as_fd();
        let output = self.collector.as_ref().map_or(nowhere, Collector::output);
        let errors = self.collector.as_ref().map_or(nowhere, Collector::errors);
        let started = self.order.start([self.input.as_fd(), output, errors], stack);
        started.map_err(|cause| line.not_started(&cause))
    }
}

impl Process {
    /// Wait for the end, which the watchdog may bring. Returns why, where it did.
    fn wait_watched(&self, watchdog: &Watchdog, what: &Specification) -> Result<Option<Why>, Failure> {
        watchdog.guard(self.pid(), what.limit);
        let waited = self.wait();
        let why = watchdog.release();
        waited.map(|()| why).map_err(|cause| os_failure("cannot wait for the command", &cause))
    }
}

/// End what a run has left behind, take all of its output, and reap it.
fn finish(ready: Ready, process: Process) -> Result<(Ended, Option<Printed>), Failure> {
    ready.family.end_all_of(process.pid());
    let printed = ready.collector.map(Collector::end).transpose()?;
    let ended = process.reap().map_err(|cause| os_failure("cannot learn how the command ended", &cause))?;
    Ok((ended, printed))
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
        self.make_all_ready()
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let unprepared = || Failure::new(Code::Internal, "a run that was not prepared");
        let ready = self.ready.take().ok_or_else(unprepared)?;
        let mut ended = None;
        let stretch = timed(1, || {
            let process = ready.start(&self.what.command, &mut self.stack)?;
            let why = process.wait_watched(&self.watchdog, &self.what)?;
            ended = Some((process, why));
            Ok(())
        })?;
        self.took_ns += stretch.end_ns.saturating_sub(stretch.start_ns);
        self.ended = ended.map(|(process, why)| (ready, process, why));
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let what = self.what.clone();
        if let Some((ready, process, why)) = self.ended.take() {
            let (ended, printed) = finish(ready, process)?;
            self.in_time(&what.command, why)?;
            let digest = printed.as_ref().filter(|_| !what.may_differ).map(|printed| printed.digest);
            self.compare(Answer { status: ended.status, digest }, &errors_of(printed.as_ref()))?;
            self.used.runs += 1;
            self.used.user_s += ended.user_s;
            self.used.system_s += ended.system_s;
            self.used.peak_memory = self.used.peak_memory.max(ended.peak_memory);
            if self.circumstances.is_empty() {
                self.circumstances = circumstances::of(&what);
            }
        }
        if let Some(line) = &what.conclude {
            self.run_beside(line)?;
        }
        Ok(CheckValue::Count(u64::from(self.used.runs)))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.used = Used::default();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        let mut found = self.circumstances.clone();
        found.insert("page_cache".into(), self.cache.into());
        if let Some(answer) = self.answer {
            found.insert("status".into(), status_word(answer.status));
            if let Some(digest) = answer.digest {
                found.insert("answer".into(), short(&digest));
            }
        }
        found
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        if self.what.first_counts {
            // Only now, so that the command is the first one that this agent starts.
            self.empty = Empty::new(&self.what.variables, &mut self.stack);
            self.begin_empty();
        }
        Ok(CheckValue::Count(u64::from(self.used.runs)))
    }

    fn extras(&mut self) -> Extras {
        let Used { runs, user_s, system_s, peak_memory } = self.used;
        if runs == 0 {
            return Extras::default();
        }
        let found = Extras::default().measure("user", "s", user_s / f64::from(runs), Merge::Mean).measure(
            "system",
            "s",
            system_s / f64::from(runs),
            Merge::Mean,
        );
        let found = match self.empty.as_ref().and_then(Empty::median_s) {
            Some(empty_s) => found.measure("empty", "s", empty_s, Merge::Mean),
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
