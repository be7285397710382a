//! The threads of a kernel: each with its own worker, beginning every iteration at the same time.

use crate::worker::{CheckValue, Stretch, Task, Worker, WorkerFactory};
use crate::{pin_to, Barrier, Control, Extras};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Arc;
use std::thread::{sleep, JoinHandle};
use std::time::Duration;
use virtometer_protocol::{Code, Conditions, Failure, Iteration};

/// How long a thread sleeps after it has reported the end of an iteration.
const YIELD_TIME: Duration = Duration::from_millis(2);

/// What an iteration does for the laboratory that releases or times it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReleaseMode {
    /// Nothing: the guest times it.
    None,
    /// It waits for its release, after a null iteration, and reports its end.
    Single,
    /// The same, and the next one follows on from it.
    First,
    /// It follows on without a release, and reports its end.
    Next,
    /// The guest times it. It waits for its release, and begins with those of other guests.
    Together,
}

#[derive(Clone, Copy)]
enum Command {
    Iterate(u64, ReleaseMode),
    ResetAfterCalibration,
    Describe,
    Finish,
}

enum Reply {
    Iterated(Stretch, CheckValue),
    Described(Description),
    Ready,
    Finished(CheckValue, Extras),
}

/// The properties of the workers.
pub(crate) struct Description {
    pub(crate) calibrated: bool,
    pub(crate) most_repeats: u64,
    pub(crate) target_ns: u64,
    pub(crate) continuous: bool,
    pub(crate) complete: Option<bool>,
    pub(crate) conditions: Conditions,
}

impl Description {
    fn of(worker: &dyn Worker) -> Self {
        Description {
            calibrated: worker.calibrated(),
            most_repeats: worker.most_repeats(),
            target_ns: worker.target_ns(),
            continuous: worker.continuous(),
            complete: worker.complete(),
            conditions: worker.conditions(),
        }
    }

    fn with(self, other: Description) -> Self {
        Description {
            calibrated: self.calibrated && other.calibrated,
            most_repeats: self.most_repeats.min(other.most_repeats),
            target_ns: self.target_ns.max(other.target_ns),
            continuous: self.continuous || other.continuous,
            complete: self.complete.and_then(|one| other.complete.map(|two| one && two)),
            conditions: agreed(self.conditions, other.conditions),
        }
    }
}

impl ReleaseMode {
    fn enter(self, control: &Control) {
        if self.waits() {
            if self.is_timed() {
                control.null_iteration();
            }
            control.wait_for_release(self.iteration());
        }
    }

    /// When the iteration began, where that was before its work.
    fn begin(self, control: &Control) -> Option<u64> {
        (self == ReleaseMode::Together).then(|| control.begin())
    }

    fn leave(self, control: &Control) {
        if self.is_timed() {
            control.report_end(self.iteration());
        }
    }

    fn iteration(self) -> Iteration {
        match self {
            ReleaseMode::First => Iteration::WarmUp,
            ReleaseMode::Together => Iteration::Window,
            ReleaseMode::None | ReleaseMode::Single | ReleaseMode::Next => Iteration::Work,
        }
    }

    /// Leave the processor to the process that receives the report: it may have to run on this one.
    fn yield_cpu(self) {
        if self == ReleaseMode::Single {
            sleep(YIELD_TIME);
        }
    }

    fn waits(self) -> bool {
        matches!(self, ReleaseMode::Single | ReleaseMode::First | ReleaseMode::Together)
    }

    fn is_timed(self) -> bool {
        matches!(self, ReleaseMode::Single | ReleaseMode::First | ReleaseMode::Next)
    }
}

/// One thread and the channels to it.
pub(crate) struct WorkerHandle {
    commands: Sender<Command>,
    replies: Receiver<Result<Reply, Failure>>,
    thread: Option<JoinHandle<()>>,
}

/// All workers of one run. One worker lives on the calling thread; several have a thread each, so that the
/// calling thread sleeps while they work.
pub(crate) enum ThreadGroup {
    Single(Box<dyn Worker>, Arc<Control>),
    Multiple(Vec<WorkerHandle>),
}

impl ThreadGroup {
    /// Build the workers, each on its pinned thread.
    pub(crate) fn assemble(task: &Task, factory: &WorkerFactory) -> Result<ThreadGroup, Failure> {
        let cpu_of = |index: usize| task.cpus.as_ref().map(|cpus| cpus[index % cpus.len()]);
        if task.threads == 1 {
            return guarded(|| make(factory, 0, cpu_of(0)))
                .map(|worker| ThreadGroup::Single(worker, task.control.clone()));
        }
        let barrier = Barrier::new(task.threads);
        let mut handles = Vec::with_capacity(task.threads);
        for index in 0..task.threads {
            let (commands, inbox) = channel();
            let (outbox, replies) = channel();
            let (factory, barrier, cpu, control) =
                (factory.clone(), barrier.clone(), cpu_of(index), task.control.clone());
            let thread = std::thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn(move || serve(&inbox, &outbox, &barrier, &control, || make(&factory, index, cpu)))
                .map_err(|cause| crate::os_failure("cannot start a thread", &cause))?;
            handles.push(WorkerHandle { commands, replies, thread: Some(thread) });
        }
        let group = ThreadGroup::Multiple(handles);
        // Each thread reports once that its worker is ready.
        group.collect()?;
        Ok(group)
    }

    /// One iteration of all: from the first worker's start to the last worker's end, the work of all.
    pub(crate) fn iterate(&mut self, repeats: u64, mode: ReleaseMode) -> Result<(Stretch, CheckValue), Failure> {
        if let ThreadGroup::Single(worker, control) = self {
            return guarded(|| {
                worker.setup(repeats)?;
                mode.enter(control);
                let began_ns = mode.begin(control);
                let stretch = worker.run(repeats);
                mode.leave(control);
                mode.yield_cpu();
                Ok((stretch?.beginning_at(began_ns), worker.verify()?))
            });
        }
        self.send(Command::Iterate(repeats, mode));
        let mut all: Option<(Stretch, CheckValue)> = None;
        let mut stretches = Vec::new();
        for reply in self.collect()? {
            if let Reply::Iterated(stretch, check) = reply {
                stretches.push(stretch);
                all = Some(match all {
                    None => (stretch, check),
                    Some((whole, checks)) => (
                        Stretch {
                            start_ns: whole.start_ns.min(stretch.start_ns),
                            end_ns: whole.end_ns.max(stretch.end_ns),
                            work: whole.work + stretch.work,
                        },
                        checks.with(check),
                    ),
                });
            }
        }
        let (whole, check) = all.ok_or_else(|| Failure::new(Code::Internal, "a thread group without workers"))?;
        let within = |one: &Stretch| whole.start_ns <= one.start_ns && one.end_ns <= whole.end_ns;
        if !stretches.iter().all(within) || whole.work != stretches.iter().map(|one| one.work).sum::<u64>() {
            return Err(Failure::new(
                Code::CheckFailed,
                "the iteration of all threads leaves out part of one thread's",
            ));
        }
        Ok((whole, check))
    }

    pub(crate) fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        if let ThreadGroup::Single(worker, _) = self {
            return guarded(|| worker.reset_after_calibration());
        }
        self.send(Command::ResetAfterCalibration);
        self.collect().map(drop)
    }

    pub(crate) fn describe(&mut self) -> Result<Description, Failure> {
        if let ThreadGroup::Single(worker, _) = self {
            return Ok(Description::of(worker.as_ref()));
        }
        self.send(Command::Describe);
        let mut all: Option<Description> = None;
        for reply in self.collect()? {
            if let Reply::Described(one) = reply {
                all = Some(match all {
                    None => one,
                    Some(whole) => whole.with(one),
                });
            }
        }
        all.ok_or_else(|| Failure::new(Code::Internal, "a thread group without workers"))
    }

    pub(crate) fn finish(mut self) -> Result<(CheckValue, Extras), Failure> {
        if let ThreadGroup::Single(worker, _) = &mut self {
            return guarded(|| finish(worker.as_mut()));
        }
        self.send(Command::Finish);
        let mut all: Option<(CheckValue, Extras)> = None;
        for reply in self.collect()? {
            if let Reply::Finished(check, extras) = reply {
                all = Some(match all {
                    None => (check, extras),
                    Some((checks, known)) => (checks.with(check), known.with(extras)),
                });
            }
        }
        all.ok_or_else(|| Failure::new(Code::Internal, "a thread group without workers"))
    }

    fn handles(&self) -> &[WorkerHandle] {
        match self {
            ThreadGroup::Single(..) => &[],
            ThreadGroup::Multiple(handles) => handles,
        }
    }

    fn send(&self, command: Command) {
        for handle in self.handles() {
            // The reply of a thread that has ended is missing, which `collect` reports.
            let _ = handle.commands.send(command);
        }
    }

    /// One reply of every thread; the first failure where there is one.
    fn collect(&self) -> Result<Vec<Reply>, Failure> {
        let replies: Vec<_> = self
            .handles()
            .iter()
            .map(|handle| {
                let gone = Failure::new(Code::Internal, "a thread of the kernel ended without an answer");
                handle.replies.recv().unwrap_or(Err(gone))
            })
            .collect();
        replies.into_iter().collect()
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        // A thread ends when its channel of commands is closed.
        let (closed, _) = channel();
        self.commands = closed;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Conditions of two threads: where they differ, both are named.
fn agreed(mut whole: Conditions, other: Conditions) -> Conditions {
    for (name, value) in other {
        whole
            .entry(name)
            .and_modify(|known| {
                if !known.split(" and ").any(|one| one == value) {
                    *known = format!("{known} and {value}");
                }
            })
            .or_insert(value);
    }
    whole
}

fn make(factory: &WorkerFactory, index: usize, cpu: Option<usize>) -> Result<Box<dyn Worker>, Failure> {
    if let Some(cpu) = cpu {
        pin_to(cpu)?;
    }
    factory(index)
}

fn finish(worker: &mut dyn Worker) -> Result<(CheckValue, Extras), Failure> {
    let check = worker.finish()?;
    Ok((check, worker.extras()))
}

fn serve(
    inbox: &Receiver<Command>,
    outbox: &Sender<Result<Reply, Failure>>,
    barrier: &Arc<Barrier>,
    control: &Control,
    make: impl FnOnce() -> Result<Box<dyn Worker>, Failure>,
) {
    let mut worker = match guarded(make) {
        Ok(worker) => worker,
        Err(failure) => {
            let _ = outbox.send(Err(failure));
            return;
        }
    };
    if outbox.send(Ok(Reply::Ready)).is_err() {
        return;
    }
    // What the worker does is guarded. A panic beside it ends this thread, for which the others then do not wait.
    let _guard = barrier.guard();
    while let Ok(command) = inbox.recv() {
        let reply = match command {
            Command::Iterate(repeats, mode) => iterate(worker.as_mut(), repeats, barrier, mode, control),
            Command::ResetAfterCalibration => guarded(|| worker.reset_after_calibration()).map(|()| Reply::Ready),
            Command::Finish => {
                guarded(|| finish(worker.as_mut())).map(|(check, extras)| Reply::Finished(check, extras))
            }
            Command::Describe => Ok(Reply::Described(Description::of(worker.as_ref()))),
        };
        if outbox.send(reply).is_err() {
            return;
        }
    }
}

/// Every thread passes both barriers whatever happens to its worker: otherwise the others would wait for ever. The
/// second one keeps one thread's verification out of another's timed stretch. Threads wait asleep, because the wait
/// lasts as long as the work of the slowest thread, or the time until the release.
///
/// Of an iteration that somebody else releases one thread waits for all, and one reports the end of all. Where it is
/// released for a moment each thread sleeps until then on its own: waking the others would take time.
fn iterate(
    worker: &mut dyn Worker,
    repeats: u64,
    barrier: &Barrier,
    mode: ReleaseMode,
    control: &Control,
) -> Result<Reply, Failure> {
    let ready = guarded(|| worker.setup(repeats));
    if mode.waits() && barrier.wait_asleep()? {
        mode.enter(control);
    }
    barrier.wait_asleep()?;
    let began_ns = mode.begin(control);
    let stretch = ready.and_then(|()| guarded(|| worker.run(repeats)));
    if barrier.wait_asleep()? {
        mode.leave(control);
    }
    mode.yield_cpu();
    let stretch = stretch?.beginning_at(began_ns);
    Ok(Reply::Iterated(stretch, guarded(|| worker.verify())?))
}

/// A panic of a kernel is a failure of its run, not of the agent.
fn guarded<T>(body: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Failure::new(Code::Internal, format!("the kernel panicked: {said}")))
    })
}
