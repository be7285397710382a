//! Calibration, and iterations for a window of time.

use crate::clock::{reading_cost_ns, Passed};
use crate::thread_group::{ReleaseMode, ThreadGroup};
use crate::worker::{CheckValue, Task, WorkerFactory};
use crate::{Control, CpuClock, Extras};
use std::sync::Arc;
use virtometer_protocol::{Code, Conditions, CpuTime, Failure, Iteration, Sample, Unit, NULL_ITERATIONS};

/// Shortest iteration that the contract allows, ns.
const SHORTEST_NS: f64 = 10e6;

/// What calibration aims at: above the shortest, so that an iteration that happens to be quick is still long enough.
const TARGET_NS: f64 = 12.5e6;

/// Iterations of a slice. The first one does not count, and is to be short.
const IN_SLICE: f64 = 5.0;

/// Shortest iteration that calibration aims at in a slice, ns.
const SHORTEST_IN_SLICE_NS: f64 = 1e6;

/// So many readings of the clock fit into the shortest iteration of a slice: the one within it costs 0.5 % of it.
const READINGS_IN_SLICE: f64 = 200.0;

/// What calibration aims at where each iteration is timed from outside. The iterations themselves are longer, so that
/// what does not belong to them is small.
const GATE_TARGET_NS: f64 = 250e6;

/// Iterations of a window where the work flows on: it waits once, however many there are, and needs one to get going.
const CONTINUOUS: f64 = 4.0;

/// Iterations of a long window grow so that there are at most this many: raw samples have to fit on the channel.
const MOST_ITERATIONS: f64 = 20_000.0;

/// Calibration stops trying after this time, ns: a kernel that gets no faster with more repeats is taken as it is.
const CALIBRATION_LIMIT_NS: u64 = 5_000_000_000;

/// Calibration stops trying at so many iterations in which the clock went back.
const MOST_STEPS_BACK: usize = 8;

/// Samples are handed over at most this often, ns.
const HAND_OVER_NS: u64 = 500_000_000;

/// Room for samples between two hand-overs, allocated before the window begins.
const ROOM: usize = 4096;

/// Whether the work is done in slices in which iterations aim at less than in a window.
pub fn has_short_iterations(control: &Control) -> bool {
    control.is_in_slices() && precise(control.usual_slice_ns()) / IN_SLICE < TARGET_NS
}

/// A sample before it is put into words.
#[derive(Clone, Copy, Debug)]
pub struct RawSample {
    start_ns: u64,
    end_ns: u64,
    work: u64,
    check: CheckValue,
}

impl RawSample {
    /// The sample in the contract's form.
    pub fn sample(&self) -> Sample {
        Sample { start_ns: self.start_ns, end_ns: self.end_ns, work: self.work, check: self.check.to_string() }
    }
}

/// A run that needs only to be started.
pub struct Prepared {
    group: ThreadGroup,
    unit: Unit,
    repeats: u64,
    target_ns: f64,
    seconds: f64,
    control: Arc<Control>,
    /// Whether the task pins the threads.
    pinned: bool,
    conditions: Conditions,
    samples: Vec<RawSample>,
    rates: Vec<f64>,
}

/// The result of a run whose check passed.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What the value counts.
    pub unit: Unit,
    /// Median over the samples of work per second, or of seconds per work where the unit is `s`.
    pub value: f64,
    /// Check of the whole run.
    pub check: CheckValue,
    /// Number of samples.
    pub count: u64,
    /// Whether the run was stopped before its window ended.
    pub stopped: bool,
    /// Processor time over the window.
    pub cpu: CpuTime,
    /// What decides whether two results may be compared.
    pub conditions: Conditions,
    /// What was found besides the value.
    pub extras: Extras,
}

/// Build the workers and find out how many repeats make an iteration.
///
/// An iteration is to last 12.5 ms (10 ms at least), or the window divided by 20,000 where that is more; in slices a
/// fifth of the slice where that is less, as far as the clock is cheap to read. A kernel whose single repeat lasts
/// longer has longer iterations. A run that somebody else times has one for the whole window, or four where the work
/// flows on. Where an iteration of the window turns out shorter than four fifths of that, the next are longer; if
/// somebody else times them each is as long as what is left of the window.
pub fn prepare(task: &Task, unit: Unit, factory: &WorkerFactory) -> Result<Prepared, Failure> {
    let mut group = ThreadGroup::assemble(task, factory)?;
    let limits = group.describe()?;
    if task.control.is_in_slices() && (limits.continuous || limits.complete.is_some()) {
        let what = if limits.continuous { "continuous work" } else { "work that runs to completion" };
        return Err(Failure::new(Code::BadArguments, format!("{what} cannot be done in slices")));
    }
    let window_ns = task.seconds * 1e9;
    let share_ns = match task.control.is_host_timed() {
        true if limits.continuous => window_ns / CONTINUOUS,
        true => window_ns,
        false => 0.0,
    };
    let usual_ns = match task.control.is_in_slices() {
        true => {
            let shortest_ns = SHORTEST_IN_SLICE_NS.max(precise(reading_cost_ns()) * READINGS_IN_SLICE).min(TARGET_NS);
            (precise(task.control.usual_slice_ns()) / IN_SLICE).clamp(shortest_ns, TARGET_NS)
        }
        false => TARGET_NS,
    };
    let target_ns = (window_ns / MOST_ITERATIONS).max(usual_ns).max(precise(limits.target_ns)).max(share_ns);
    let most = limits.most_repeats;
    let repeats = match limits.calibrated {
        true if share_ns > GATE_TARGET_NS => {
            let (repeats, took_ns) = calibrate(&mut group, most, GATE_TARGET_NS, &task.control)?;
            match took_ns >= GATE_TARGET_NS * SHORTEST_NS / TARGET_NS {
                true => lasting(repeats, took_ns, target_ns, most),
                false => next_repeats(repeats, took_ns, target_ns, most),
            }
        }
        true => calibrate(&mut group, most, target_ns, &task.control)?.0,
        false => 1,
    };
    group.reset_after_calibration()?;
    let pinned = task.cpus.is_some();
    let conditions = told(group.describe()?.conditions, pinned, &task.control);
    Ok(Prepared {
        group,
        unit,
        repeats,
        target_ns,
        seconds: task.seconds,
        control: task.control.clone(),
        pinned,
        conditions,
        samples: Vec::with_capacity(ROOM),
        rates: Vec::with_capacity(ROOM),
    })
}

/// The workers' conditions, whether the threads are pinned where the workers do not say it themselves, and who times
/// the iterations where that is not the agent.
fn told(mut conditions: Conditions, pinned: bool, control: &Control) -> Conditions {
    if control.is_host_timed() {
        conditions.insert("timing".into(), "laboratory".into());
    }
    conditions.entry("pinned".into()).or_insert_with(|| (if pinned { "yes" } else { "no" }).into());
    conditions
}

/// How many repeats last about `target_ns`, and how long they took, ns.
fn calibrate(group: &mut ThreadGroup, most: u64, target_ns: f64, control: &Control) -> Result<(u64, f64), Failure> {
    let mut passed = Passed::start();
    let mut steps_back = 0;
    let mut repeats = 1u64;
    // The first iteration of a length also warms caches and files: only a second one tells its time.
    let mut confirmed = false;
    loop {
        if control.stopped() {
            return Ok((repeats, target_ns));
        }
        let (stretch, _) = group.iterate(repeats, ReleaseMode::None)?;
        if stretch.end_ns < stretch.start_ns {
            // That tells nothing of how long it took.
            steps_back += 1;
            if steps_back == MOST_STEPS_BACK {
                return Ok((repeats, target_ns));
            }
            continue;
        }
        let took_ns = precise(stretch.end_ns - stretch.start_ns).max(1.0);
        let enough = took_ns >= target_ns * SHORTEST_NS / TARGET_NS;
        if enough && (confirmed || took_ns >= 4.0 * target_ns) && (repeats == 1 || took_ns < 4.0 * target_ns) {
            return Ok((repeats, took_ns));
        }
        if passed.read() > CALIBRATION_LIMIT_NS || (repeats >= most && confirmed && !enough) {
            return Ok((repeats, took_ns));
        }
        confirmed = enough || repeats >= most;
        repeats = next_repeats(repeats, took_ns, target_ns, most);
    }
}

/// How many repeats would have lasted as long as is aimed at. Short stretches tell little about long ones, therefore
/// at most sixteen times as many.
fn next_repeats(repeats: u64, took_ns: f64, target_ns: f64, most: u64) -> u64 {
    lasting(repeats, took_ns, target_ns, most).min(repeats.saturating_mul(16))
}

/// How many repeats would have lasted as long as is aimed at, as far as these can tell.
fn lasting(repeats: u64, took_ns: f64, target_ns: f64, most: u64) -> u64 {
    whole((precise(repeats) * target_ns / took_ns).ceil()).clamp(1, most.max(1))
}

/// What is left of a slice after an iteration, ns. None begins for less than half of its length.
fn after_iteration(left_ns: u64, took_ns: u64) -> u64 {
    let left_ns = left_ns.saturating_sub(took_ns);
    if left_ns < took_ns / 2 {
        0
    } else {
        left_ns
    }
}

impl Prepared {
    /// What decides whether two results may be compared.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Make iterations until the window is over, the work is complete or the run is stopped. `sink` gets the samples
    /// between iterations, at most twice a second and at the end. Work in slices has no window: it ends when the run
    /// is stopped, and `sink` gets the samples of each slice at its end.
    pub fn run(mut self, sink: &mut dyn FnMut(&[RawSample])) -> Result<Outcome, Failure> {
        let cpu = CpuClock::start();
        let mut passed = Passed::start();
        let host_timed = self.control.is_host_timed();
        // Iterations that share the window may be a little shorter than their share.
        let window_ns = whole(self.seconds * if host_timed { 1e9 * SHORTEST_NS / TARGET_NS } else { 1e9 });
        let mut handed_over_ns = 0;
        let mut count = 0u64;
        let limits = self.group.describe()?;
        let has_end = limits.complete.is_some();
        let calibrated = (limits.calibrated, limits.most_repeats);
        let mut mode = match host_timed {
            true => ReleaseMode::Single,
            false if self.control.is_together() => ReleaseMode::Together,
            false => ReleaseMode::None,
        };
        let (mut worked_ns, mut ended_ns) = (0, 0);
        if host_timed {
            (0..NULL_ITERATIONS).for_each(|_| self.control.null_iteration());
            if limits.continuous {
                // Getting into flow is not the work that is measured: iterations follow on from where that has ended.
                self.group.iterate(self.repeats, ReleaseMode::First)?;
                mode = ReleaseMode::Next;
            }
        }
        let in_slices = self.control.is_in_slices();
        let mut slice_left_ns = 0;
        let stopped = loop {
            if in_slices && slice_left_ns == 0 {
                if !self.samples.is_empty() {
                    sink(&self.samples);
                    self.samples.clear();
                }
                self.control.wait_for_release(Iteration::Slice);
                if self.control.stopped() {
                    break true;
                }
                slice_left_ns = self.control.slice_ns();
            }
            let (mut stretch, check) = self.group.iterate(self.repeats, mode)?;
            if mode == ReleaseMode::Together {
                // The window is as long as those of the guests that did not have to wait.
                passed = Passed::since(stretch.start_ns);
                mode = ReleaseMode::None;
            }
            if limits.continuous {
                // Threads end at different moments, and each goes on at once: samples of all follow on from each other.
                stretch.start_ns = stretch.start_ns.max(ended_ns);
                ended_ns = stretch.end_ns;
            }
            worked_ns += stretch.end_ns.saturating_sub(stretch.start_ns);
            self.record(stretch.start_ns, stretch.end_ns, stretch.work, check)?;
            let took_ns = precise(stretch.end_ns - stretch.start_ns);
            let left_ns = self.seconds * 1e9 - precise(worked_ns);
            if host_timed && calibrated.0 && !has_end && left_ns > 0.0 {
                // What is left of the window, no more.
                self.repeats = next_repeats(self.repeats, took_ns, self.target_ns.min(left_ns), calibrated.1);
            } else if took_ns < self.target_ns * SHORTEST_NS / TARGET_NS && calibrated.0 {
                // The work has become quicker than it was while it was calibrated: the next iterations are longer.
                self.repeats = next_repeats(self.repeats, took_ns, self.target_ns, calibrated.1);
            }
            count += 1;
            let now_ns = passed.read();
            // While an iteration waits for its release, this clock may run as it likes.
            let spent_ns = if host_timed { worked_ns } else { now_ns };
            // Short iterations that cannot have more repeats are too many for a long window.
            let enough = !calibrated.0 && precise(count) >= MOST_ITERATIONS;
            let over = match has_end {
                _ if in_slices => false,
                true => self.group.describe()?.complete == Some(true),
                false => spent_ns >= window_ns || enough,
            };
            let left_ns = if enough { 0 } else { slice_left_ns };
            slice_left_ns = after_iteration(left_ns, stretch.end_ns - stretch.start_ns);
            let stopped = self.control.stopped() && !over;
            if over || stopped {
                break stopped;
            }
            if now_ns - handed_over_ns >= HAND_OVER_NS || self.samples.len() == ROOM {
                sink(&self.samples);
                self.samples.clear();
                handed_over_ns = now_ns;
            }
        };
        // Children are reaped by finishing, so that their processor time is counted.
        let conditions = told(self.group.describe()?.conditions, self.pinned, &self.control);
        let finished = self.group.finish();
        let cpu = cpu.elapsed();
        sink(&self.samples);
        let (check, extras) = finished?;
        Ok(Outcome { unit: self.unit, value: median(&mut self.rates), check, count, stopped, cpu, conditions, extras })
    }

    fn record(&mut self, start_ns: u64, end_ns: u64, work: u64, check: CheckValue) -> Result<(), Failure> {
        if end_ns <= start_ns {
            let message = "the clock did not advance during an iteration";
            return Err(Failure::new(Code::CheckFailed, message));
        }
        let seconds = precise(end_ns - start_ns) * 1e-9;
        let rate = precise(work) / seconds;
        self.rates.push(if self.unit == Unit::Second { 1.0 / rate } else { rate });
        self.samples.push(RawSample { start_ns, end_ns, work, check });
        Ok(())
    }
}

/// The median; not-a-number does not occur because every duration and every work is positive or the rate zero.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[allow(clippy::cast_precision_loss)] // times and work of one iteration, far below 2^53
fn precise(value: u64) -> f64 {
    value as f64
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the cast saturates; negative times do not occur
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests;
