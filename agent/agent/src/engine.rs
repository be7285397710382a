//! The conversation with the laboratory: one loop that reads requests, one thread for each run.

use crate::channel::Channel;
use crate::outbox::Outbox;
use crate::system::{configure_network, facts, is_gone, tune, Stream, Waiter};
use crate::VERSION;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use virtometer_kernels::{find, make, KERNELS};
use virtometer_protocol::{
    greeting_line, log_line, parse_greeting, parse_request, reply_error_line, reply_line, samples_lines, Check, Code,
    Command, Conditions, Done, Event, Failure, Fatal, Go, LineBuffer, Pong, Prepare, Released, Sample, Timing,
    MAX_LEAD_NS, MAX_RUNS,
};
use virtometer_sampling::{now_ns, os_failure, Control, Moment, Outcome, RawSample, Task, WorkerFactory};

/// How long runs that are under way may take to end when the conversation has ended.
const ENDING_TIME: Duration = Duration::from_secs(2);

/// Bytes read at once.
const BLOCK: usize = 16 << 10;

/// How a conversation ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// The laboratory said `bye`.
    Bye,
    /// The stream ended.
    Closed,
    /// A fault that ends the connection.
    Fatal(Failure),
}

/// Greet, obey requests until the end, then end all runs. `notes` are sent as warnings after the greetings. `alone`:
/// the agent is all that there is in a guest, whose network is its own to configure.
pub(crate) fn converse(channel: Channel, notes: &[String], alone: bool) -> Ending {
    let outbox = Outbox::new(channel.output);
    let session = Arc::new(Session { outbox, alone, runs: Mutex::default(), ended: Condvar::new() });
    let ending = session.listen(channel.input, notes).unwrap_or_else(Ending::Fatal);
    let last = match &ending {
        Ending::Fatal(failure) => Some(Fatal { fatal: failure.clone() }.line()),
        Ending::Bye | Ending::Closed => None,
    };
    session.outbox.close(last.as_deref());
    session.end_runs();
    ending
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Preparing,
    Ready,
    Started,
}

struct Run {
    control: Arc<Control>,
    phase: Phase,
}

/// The reply to a command, and what follows once it is sent.
struct Then {
    reply: Released,
    act: Box<dyn FnOnce()>,
}

impl Then {
    fn new(act: impl FnOnce() + 'static) -> Self {
        Then { reply: Released::default(), act: Box::new(act) }
    }
}

struct Session {
    outbox: Outbox,
    alone: bool,
    runs: Mutex<BTreeMap<String, Run>>,
    /// Signalled when a run has ended.
    ended: Condvar,
}

/// Lines of the channel, each with the time at which the read that completed it returned.
struct Lines {
    input: Stream,
    waiter: Waiter,
    buffer: LineBuffer,
    read_ns: u64,
}

impl Lines {
    /// The next line, or `None` at the end of the stream.
    fn next(&mut self) -> Result<Option<(Vec<u8>, u64)>, Failure> {
        let mut block = [0; BLOCK];
        loop {
            if let Some(line) = self.buffer.next_line()? {
                return Ok(Some((line, self.read_ns)));
            }
            if !self.waiter.wait(&self.input) {
                return Ok(None);
            }
            match self.input.read(&mut block) {
                Ok(0) => return Ok(None),
                Ok(read) => {
                    self.read_ns = now_ns();
                    self.buffer.push(&block[..read]);
                }
                Err(cause) if matches!(cause.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
                Err(cause) if is_gone(&cause) => return Ok(None),
                Err(cause) => return Err(os_failure("cannot read the channel", &cause)),
            }
        }
    }
}

impl Session {
    fn listen(self: &Arc<Self>, input: Stream, notes: &[String]) -> Result<Ending, Failure> {
        let names: Vec<&str> = KERNELS.iter().map(|kernel| kernel.name).collect();
        if !self.outbox.send(&greeting_line(VERSION, &names)) {
            return Ok(Ending::Closed);
        }
        let mut lines = Lines { input, waiter: Waiter::new(), buffer: LineBuffer::new(), read_ns: 0 };
        match lines.next()? {
            Some((line, _)) => parse_greeting(&line)?,
            None => return Ok(Ending::Closed),
        };
        for note in notes {
            self.outbox.send(&log_line("warning", note));
        }
        while let Some((line, read_ns)) = lines.next()? {
            let request = parse_request(&line)?;
            let id = request.id;
            let sent = match request.command {
                Ok(Command::Bye) => {
                    self.outbox.send(&reply_line(id, &Released::default()));
                    return Ok(Ending::Bye);
                }
                Ok(Command::Ping) => {
                    self.outbox.send_made(|| reply_line(id, &Pong { received_ns: read_ns, sent_ns: now_ns() }))
                }
                Ok(Command::Facts) => self.outbox.send(&reply_line(id, &facts())),
                Ok(Command::Tune(change)) => match tune(&change) {
                    Ok(tuned) => self.outbox.send(&reply_line(id, &tuned)),
                    Err(failure) => self.outbox.send(&reply_error_line(id, &failure)),
                },
                Ok(command) => self.obey(id, command),
                Err(failure) => self.outbox.send(&reply_error_line(id, &failure)),
            };
            if !sent {
                return Ok(Ending::Closed);
            }
        }
        Ok(Ending::Closed)
    }

    /// Commands that answer with nothing, or with a failure. What follows from them begins after the reply is sent.
    fn obey(self: &Arc<Self>, id: u64, command: Command) -> bool {
        let then: Result<Then, Failure> = match command {
            Command::Prepare(request) => self.admit(request),
            Command::Start(run) => self.with_run(&run, |known| match known.phase {
                Phase::Ready => {
                    known.phase = Phase::Started;
                    let control = known.control.clone();
                    Ok(Then::new(move || control.start()))
                }
                Phase::Preparing => Err(Failure::new(Code::NotReady, format!("the run {run} is not ready yet"))),
                Phase::Started => Err(Failure::new(Code::NotReady, format!("the run {run} was started before"))),
            }),
            Command::Go(go) => self.with_run(&go.run, |known| release(&go, &known.control)),
            Command::Stop(run) => self.with_run(&run, |known| {
                let control = known.control.clone();
                Ok(Then::new(move || control.stop()))
            }),
            Command::ConfigureNetwork(_) if !self.alone => Err(Failure::new(
                Code::NotPermitted,
                "the network is configured only by an agent that is process 1 of a guest of its own; here it would be the host's",
            )),
            Command::ConfigureNetwork(config) => configure_network(&config).map(|()| Then::new(|| ())),
            // Answered by the loop.
            Command::Ping | Command::Facts | Command::Tune(_) | Command::Bye => Ok(Then::new(|| ())),
        };
        match then {
            Ok(then) => {
                let sent = self.outbox.send(&reply_line(id, &then.reply));
                (then.act)();
                sent
            }
            Err(failure) => self.outbox.send(&reply_error_line(id, &failure)),
        }
    }

    fn with_run<T>(&self, name: &str, act: impl FnOnce(&mut Run) -> Result<T, Failure>) -> Result<T, Failure> {
        match self.runs().get_mut(name) {
            Some(run) => act(run),
            None => Err(Failure::new(Code::NoSuchRun, format!("there is no run {name}; it may have ended"))),
        }
    }

    /// How the run is given orders. Where the laboratory releases its work, every moment is reported at once.
    fn control_of(self: &Arc<Self>, request: &Prepare) -> Control {
        let (session, name) = (Arc::downgrade(self), request.run.clone());
        let tell = move |moment| {
            if let Some(session) = session.upgrade() {
                let run = name.clone();
                let event = match moment {
                    Moment::Waiting(iteration) => Event::Waiting { run, iteration },
                    Moment::Done { iteration, released, began_ns, ended_ns } => {
                        Event::IterationDone { run, iteration, released, began_ns, ended_ns }
                    }
                };
                session.outbox.send(&event.line());
            }
        };
        match (request.timing, request.slice_s) {
            (Timing::Laboratory, _) => Control::host_timed(tell),
            (Timing::Agent, Some(slice_s)) => Control::in_slices(nanoseconds(slice_s), tell),
            (Timing::Agent, None) if request.together => Control::together(tell),
            (Timing::Agent, None) => Control::default(),
        }
    }

    /// Refuse what the request alone shows to be wrong; the rest is found out on the run's own thread.
    fn admit(self: &Arc<Self>, request: Prepare) -> Result<Then, Failure> {
        let (kernel, op) = find(&request.kernel, &request.op)?;
        let control = Arc::new(self.control_of(&request));
        let task = Task {
            op: request.op,
            parameters: request.parameters,
            threads: request.threads,
            cpus: request.cpus,
            seconds: request.seconds,
            control: control.clone(),
        };
        {
            let runs = self.runs();
            if runs.contains_key(&request.run) {
                return Err(Failure::new(Code::Busy, format!("the run {} has not ended yet", request.run)));
            }
            if runs.len() >= MAX_RUNS {
                return Err(Failure::new(Code::Busy, format!("{MAX_RUNS} runs have not ended yet")));
            }
        }
        let factory = make(kernel, op, &task)?;
        self.runs().insert(request.run.clone(), Run { control, phase: Phase::Preparing });
        let (session, name, unit) = (self.clone(), request.run, op.unit);
        Ok(Then::new(move || {
            let here = session.clone();
            let run = name.clone();
            let thread = std::thread::Builder::new().name("run".into()).spawn(move || {
                let conducted = catch_unwind(AssertUnwindSafe(|| here.conduct(&run, &task, unit, &factory)))
                    .unwrap_or_else(|_| Err(Failure::new(Code::Internal, "the agent panicked in this run")));
                let event = match conducted {
                    Ok(done) => Event::Done { run: run.clone(), done },
                    Err(error) => Event::Failed { run: run.clone(), error },
                };
                here.conclude(&run, &event);
            });
            if let Err(cause) = thread {
                let error = os_failure("cannot start a thread", &cause);
                session.conclude(&name, &Event::Failed { run: name.clone(), error });
            }
        }))
    }

    /// The life of a run, on its own thread.
    fn conduct(
        &self,
        run: &str,
        task: &Task,
        unit: virtometer_protocol::Unit,
        factory: &WorkerFactory,
    ) -> Result<Done, Failure> {
        let prepared = virtometer_sampling::prepare(task, unit, factory)?;
        let conditions: Conditions = prepared.conditions().clone();
        self.with_run(run, |known| {
            known.phase = Phase::Ready;
            Ok(())
        })?;
        if !task.control.stopped() {
            self.outbox.send(&Event::Ready { run: run.to_owned(), conditions }.line());
        }
        if !task.control.wait_for_start() {
            return Err(Failure::new(Code::NotReady, "the run was stopped before it was started"));
        }
        let mut sink = |samples: &[RawSample]| {
            let samples: Vec<Sample> = samples.iter().map(RawSample::sample).collect();
            for line in samples_lines(run, &samples) {
                self.outbox.send(&line);
            }
        };
        prepared.run(&mut sink).map(done)
    }

    /// The run's name is free before its last event is sent.
    fn conclude(&self, run: &str, event: &Event) {
        self.runs().remove(run);
        self.outbox.send(&event.line());
        self.ended.notify_all();
    }

    fn end_runs(&self) {
        let runs = self.runs();
        runs.values().for_each(|run| run.control.stop());
        // A run that hangs in the system is left to the end of the process; its children end with it.
        let _ = self.ended.wait_timeout_while(runs, ENDING_TIME, |runs| !runs.is_empty());
    }

    fn runs(&self) -> MutexGuard<'_, BTreeMap<String, Run>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the request has checked its bounds
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

/// Let what waits in a run begin, at once or at a moment.
fn release(go: &Go, control: &Arc<Control>) -> Result<Then, Failure> {
    let run = &go.run;
    let wrong = |message| Err(Failure::new(Code::BadArguments, message));
    if !control.waits() {
        return Err(Failure::new(Code::NotReady, format!("the run {run} does not wait for go")));
    }
    if go.slice_s.is_some() && !control.is_in_slices() {
        return wrong(format!("the run {run} has no slices"));
    }
    if go.at_ns.is_some() && !control.is_together() {
        return wrong(format!("the run {run} does not begin at an agreed moment"));
    }
    let now_ns = now_ns();
    if go.at_ns.is_some_and(|at_ns| at_ns.saturating_sub(now_ns) > MAX_LEAD_NS) {
        return wrong(format!("at_ns is more than {} s ahead", MAX_LEAD_NS / 1_000_000_000));
    }
    let (control, slice_s, at_ns) = (control.clone(), go.slice_s, go.at_ns);
    let reply = Released { late_ns: at_ns.map(|at_ns| now_ns.saturating_sub(at_ns)) };
    let act = move || match (slice_s, at_ns) {
        (Some(slice_s), _) => control.release_slice(nanoseconds(slice_s)),
        (None, Some(at_ns)) => control.release_at(at_ns),
        (None, None) => control.release(),
    };
    Ok(Then { reply, act: Box::new(act) })
}

/// The outcome of a run in the contract's form.
pub(crate) fn done(outcome: Outcome) -> Done {
    Done {
        unit: outcome.unit,
        better: outcome.unit.better(),
        value: outcome.value,
        check: Check { kind: outcome.check.kind(), value: outcome.check.to_string(), passed: true },
        count: outcome.count,
        stopped: outcome.stopped,
        cpu: outcome.cpu,
        measures: outcome.extras.measures(),
        histograms: outcome.extras.histograms(),
        output: outcome.extras.text().map(str::to_owned),
        conditions: outcome.conditions,
    }
}
