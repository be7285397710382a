//! The threads of a kernel: each with its own worker, beginning every iteration together.

use crate::worker::{CheckValue, Maker, Stretch, Task, Worker};
use crate::{pin_to, Control, Extras};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Barrier};
use std::thread::{sleep, JoinHandle};
use std::time::Duration;
use virtometer_protocol::{Code, Conditions, Failure};

/// How long a processor is left to others once the end of an iteration has been told.
const BREATH: Duration = Duration::from_millis(2);

/// Where an iteration waits and tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// Nowhere: nobody else times it.
    Free,
    /// It waits to be let go, once without work, and tells its end.
    Gate,
    /// The same, and the next one follows on from it.
    Flow,
    /// It tells its end.
    End,
}

#[derive(Clone, Copy)]
enum Order {
    Iterate(u64, Passage),
    Settle,
    Describe,
    Finish,
}

enum Answer {
    Iterated(Stretch, CheckValue),
    Described(Description),
    Settled,
    Finished(CheckValue, Extras),
}

/// What the workers say of themselves.
pub(crate) struct Description {
    pub(crate) calibrated: bool,
    pub(crate) most_repeats: u64,
    pub(crate) aim_ns: u64,
    pub(crate) flows: bool,
    pub(crate) complete: Option<bool>,
    pub(crate) conditions: Conditions,
}

impl Description {
    fn of(worker: &dyn Worker) -> Self {
        Description {
            calibrated: worker.calibrated(),
            most_repeats: worker.most_repeats(),
            aim_ns: worker.aim_ns(),
            flows: worker.flows(),
            complete: worker.complete(),
            conditions: worker.conditions(),
        }
    }

    fn with(self, other: Description) -> Self {
        Description {
            calibrated: self.calibrated && other.calibrated,
            most_repeats: self.most_repeats.min(other.most_repeats),
            aim_ns: self.aim_ns.max(other.aim_ns),
            flows: self.flows || other.flows,
            complete: self.complete.and_then(|one| other.complete.map(|two| one && two)),
            conditions: agreed(self.conditions, other.conditions),
        }
    }
}

impl Passage {
    fn enter(self, control: &Control) {
        if self.waits() {
            control.rehearse();
            control.enter();
        }
    }

    fn leave(self, control: &Control) {
        if self != Passage::Free {
            control.leave();
        }
    }

    /// Who is told may have to run on this processor, and would wait for what comes after the work.
    fn breathe(self) {
        if self == Passage::Gate {
            sleep(BREATH);
        }
    }

    fn waits(self) -> bool {
        matches!(self, Passage::Gate | Passage::Flow)
    }
}

/// One thread and the way to it.
pub(crate) struct Member {
    orders: Sender<Order>,
    answers: Receiver<Result<Answer, Failure>>,
    thread: Option<JoinHandle<()>>,
}

/// All workers of one run. One worker lives on the calling thread; several have a thread each, so that the
/// calling thread sleeps while they work.
pub(crate) enum Team {
    Alone(Box<dyn Worker>, Arc<Control>),
    Several(Vec<Member>),
}

impl Team {
    /// Build the workers, each on its pinned thread.
    pub(crate) fn assemble(task: &Task, maker: &Maker) -> Result<Team, Failure> {
        let cpu_of = |index: usize| task.cpus.as_ref().map(|cpus| cpus[index % cpus.len()]);
        if task.threads == 1 {
            return guarded(|| make(maker, 0, cpu_of(0))).map(|worker| Team::Alone(worker, task.control.clone()));
        }
        let barrier = Arc::new(Barrier::new(task.threads));
        let mut members = Vec::with_capacity(task.threads);
        for index in 0..task.threads {
            let (orders, inbox) = channel();
            let (outbox, answers) = channel();
            let (maker, barrier, cpu, control) = (maker.clone(), barrier.clone(), cpu_of(index), task.control.clone());
            let thread = std::thread::Builder::new()
                .name(format!("worker-{index}"))
                .spawn(move || serve(&inbox, &outbox, &barrier, &control, || make(&maker, index, cpu)))
                .map_err(|cause| crate::os_failure("cannot start a thread", &cause))?;
            members.push(Member { orders, answers, thread: Some(thread) });
        }
        let team = Team::Several(members);
        // Each thread reports once that its worker stands.
        team.collect()?;
        Ok(team)
    }

    /// One iteration of all: from the first worker's start to the last worker's end, the work of all.
    pub(crate) fn iterate(&mut self, repeats: u64, passage: Passage) -> Result<(Stretch, CheckValue), Failure> {
        if let Team::Alone(worker, control) = self {
            return guarded(|| {
                worker.before(repeats)?;
                passage.enter(control);
                let stretch = worker.run(repeats);
                passage.leave(control);
                passage.breathe();
                Ok((stretch?, worker.after()?))
            });
        }
        self.order(Order::Iterate(repeats, passage));
        let mut all: Option<(Stretch, CheckValue)> = None;
        let mut stretches = Vec::new();
        for answer in self.collect()? {
            if let Answer::Iterated(stretch, check) = answer {
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
        let (whole, check) = all.ok_or_else(|| Failure::new(Code::Internal, "a team without members"))?;
        let within = |one: &Stretch| whole.start_ns <= one.start_ns && one.end_ns <= whole.end_ns;
        if !stretches.iter().all(within) || whole.work != stretches.iter().map(|one| one.work).sum::<u64>() {
            return Err(Failure::new(
                Code::CheckFailed,
                "the iteration of all threads leaves out part of one thread's",
            ));
        }
        Ok((whole, check))
    }

    pub(crate) fn settle(&mut self) -> Result<(), Failure> {
        if let Team::Alone(worker, _) = self {
            return guarded(|| worker.settle());
        }
        self.order(Order::Settle);
        self.collect().map(drop)
    }

    pub(crate) fn describe(&mut self) -> Result<Description, Failure> {
        if let Team::Alone(worker, _) = self {
            return Ok(Description::of(worker.as_ref()));
        }
        self.order(Order::Describe);
        let mut all: Option<Description> = None;
        for answer in self.collect()? {
            if let Answer::Described(one) = answer {
                all = Some(match all {
                    None => one,
                    Some(whole) => whole.with(one),
                });
            }
        }
        all.ok_or_else(|| Failure::new(Code::Internal, "a team without members"))
    }

    pub(crate) fn finish(mut self) -> Result<(CheckValue, Extras), Failure> {
        if let Team::Alone(worker, _) = &mut self {
            return guarded(|| finish(worker.as_mut()));
        }
        self.order(Order::Finish);
        let mut all: Option<(CheckValue, Extras)> = None;
        for answer in self.collect()? {
            if let Answer::Finished(check, extras) = answer {
                all = Some(match all {
                    None => (check, extras),
                    Some((checks, known)) => (checks.with(check), known.with(extras)),
                });
            }
        }
        all.ok_or_else(|| Failure::new(Code::Internal, "a team without members"))
    }

    fn members(&self) -> &[Member] {
        match self {
            Team::Alone(..) => &[],
            Team::Several(members) => members,
        }
    }

    fn order(&self, order: Order) {
        for member in self.members() {
            // A member that is gone shows when its answer is missing.
            let _ = member.orders.send(order);
        }
    }

    /// One answer of every member; the first failure when there is one.
    fn collect(&self) -> Result<Vec<Answer>, Failure> {
        let answers: Vec<_> = self
            .members()
            .iter()
            .map(|member| {
                let gone = Failure::new(Code::Internal, "a thread of the kernel ended without an answer");
                member.answers.recv().unwrap_or(Err(gone))
            })
            .collect();
        answers.into_iter().collect()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // Closing the channel of orders ends the thread.
        let (closed, _) = channel();
        self.orders = closed;
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

fn make(maker: &Maker, index: usize, cpu: Option<usize>) -> Result<Box<dyn Worker>, Failure> {
    if let Some(cpu) = cpu {
        pin_to(cpu)?;
    }
    maker(index)
}

fn finish(worker: &mut dyn Worker) -> Result<(CheckValue, Extras), Failure> {
    let check = worker.finish()?;
    Ok((check, worker.extras()))
}

fn serve(
    inbox: &Receiver<Order>,
    outbox: &Sender<Result<Answer, Failure>>,
    barrier: &Barrier,
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
    if outbox.send(Ok(Answer::Settled)).is_err() {
        return;
    }
    while let Ok(order) = inbox.recv() {
        let answer = match order {
            Order::Iterate(repeats, passage) => iterate(worker.as_mut(), repeats, barrier, passage, control),
            Order::Settle => guarded(|| worker.settle()).map(|()| Answer::Settled),
            Order::Finish => guarded(|| finish(worker.as_mut())).map(|(check, extras)| Answer::Finished(check, extras)),
            Order::Describe => Ok(Answer::Described(Description::of(worker.as_ref()))),
        };
        if outbox.send(answer).is_err() {
            return;
        }
    }
}

/// Every thread passes both barriers whatever happens to it: otherwise the others would wait for ever. The second one
/// keeps one thread's verification out of another's timed stretch.
///
/// At a gate one thread waits for all, and one tells the end of all.
fn iterate(
    worker: &mut dyn Worker,
    repeats: u64,
    barrier: &Barrier,
    passage: Passage,
    control: &Control,
) -> Result<Answer, Failure> {
    let before = guarded(|| worker.before(repeats));
    if passage.waits() && barrier.wait().is_leader() {
        passage.enter(control);
    }
    barrier.wait();
    let stretch = before.and_then(|()| guarded(|| worker.run(repeats)));
    if barrier.wait().is_leader() {
        passage.leave(control);
    }
    passage.breathe();
    let stretch = stretch?;
    Ok(Answer::Iterated(stretch, guarded(|| worker.after())?))
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
