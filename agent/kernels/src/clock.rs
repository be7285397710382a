//! The clocks themselves: what a reading costs, how fine it is, whether it ever goes back, and how late timers are.
//!
//! A sample times readings of the monotonic clock. Between samples every other source is read too, and the thread
//! sleeps: what was found is told as measures and as the histogram `timer-lateness`. How far the clock is from the
//! host's is not for the agent to say: the laboratory compares them.
//!
//! A clock that goes back, stands or ticks coarsely is what this looks for: it is counted, and the run goes on as long
//! as its samples have a length.

mod sources;

use crate::operation::TimedBy::{GuestAtWork, Nothing};
use crate::operation::{integer, measure, parameter, Op};
use crate::recorded_times::Taken;
use crate::settings::check_failed;
use crate::settings::Settings;
use sources::{precise, Source};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{now_ns, CheckValue, Extras, Merge, Stretch, Task, Times, Worker, WorkerFactory};

/// Readings of a source between two samples.
const READINGS: u64 = 2_000;

/// Sleeps between two samples.
const SLEEPS: u32 = 2;

/// How often a stretch is made that ends before it began: a clock that steps back does so once.
const TRIES: u32 = 3;

pub(crate) static OPS: &[Op] = &[Op {
    name: "watch",
    unit: Unit::Second,
    work: "readings of the monotonic clock",
    parameters: &[parameter("sleep", integer(1, 1_000_000), "1000", "microseconds that a timer is asked for")],
    measures: &[
        measure("cost-monotonic", "s", GuestAtWork, "what one reading of the monotonic clock costs"),
        measure("cost-monotonic-raw", "s", GuestAtWork, "what one reading of the raw monotonic clock costs"),
        measure("cost-realtime", "s", GuestAtWork, "what one reading of the real-time clock costs"),
        measure("cost-counter", "s", GuestAtWork, "what one reading of the processor's counter costs"),
        measure("resolution-monotonic", "s", GuestAtWork, "the smallest advance seen of the monotonic clock"),
        measure("resolution-monotonic-raw", "s", GuestAtWork, "the smallest advance seen of the raw monotonic clock"),
        measure("resolution-realtime", "s", GuestAtWork, "the smallest advance seen of the real-time clock"),
        measure("resolution-counter", "s", GuestAtWork, "the smallest advance seen of the processor's counter"),
        measure("backward-monotonic", "1", Nothing, "readings of the monotonic clock that were below the one before"),
        measure(
            "backward-monotonic-raw",
            "1",
            Nothing,
            "readings of the raw monotonic clock that were below the one before",
        ),
        measure("backward-realtime", "1", Nothing, "readings of the real-time clock that were below the one before"),
        measure("backward-counter", "1", Nothing, "readings of the processor's counter that were below the one before"),
        measure("readings", "1", Nothing, "how often clocks were read, over all sources"),
        measure("counter-rate", "1/s", GuestAtWork, "how fast the processor's counter counts, by the guest's clock"),
        measure("realtime-jump", "s", GuestAtWork, "the largest jump of the real-time clock against the monotonic one"),
        measure("steal", "1", Nothing, "share of the time that others had the processor, by the guest's own account"),
    ],
    arrays: None,
    judged: None,
}];

/// Shorter timers may be over before the thread sleeps.
const SHORTEST_WAIT: Duration = Duration::from_micros(50);

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(_task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let sleep_us = settings.integer("sleep")?;
    let sources = sources::all();
    sources::check_counter(&sources)?;
    Ok(watches(now_ns, sources, Duration::from_micros(sleep_us)))
}

/// What builds the workers, which read these clocks.
fn watches(clock: fn() -> u64, sources: Vec<Source>, sleep: Duration) -> WorkerFactory {
    // The latest reading of any thread, by source: a clock must not go back from one processor to another either.
    let latest: Arc<Vec<AtomicU64>> = Arc::new(sources.iter().map(|_| AtomicU64::new(0)).collect());
    Arc::new(move |_| Ok(Box::new(Watch::new(clock, sources.clone(), latest.clone(), sleep))))
}

/// What was found of one source.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Rows of readings, the shortest of them and their sum, ns of the monotonic clock.
    rows: u64,
    shortest_ns: u64,
    rows_ns: u64,
    /// Smallest advance between two readings, in the source's own units.
    step: u64,
    backward: u64,
    readings: u64,
    /// Of all readings, so that the compiler leaves none out.
    sum: u64,
}

impl Found {
    fn row(&mut self, ns: u64) {
        self.shortest_ns = if self.rows == 0 { ns } else { self.shortest_ns.min(ns) };
        self.rows += 1;
        self.rows_ns += ns;
    }

    /// Cost of a reading in ns: of the quickest row, or of all where the clock is too coarse for one. Not a number
    /// where it stood.
    fn cost_ns(&self) -> f64 {
        match (self.shortest_ns, self.rows_ns) {
            (0, 0) => f64::NAN,
            (0, all) => precise(all) / precise(self.rows * READINGS),
            (shortest, _) => precise(shortest) / precise(READINGS),
        }
    }

    fn stepped(&mut self, step: u64) {
        if self.step == 0 || step < self.step {
            self.step = step;
        }
    }
}

/// Timers that were waited for in the window, and how often the thread gave its processor away meanwhile, as the system
/// counts it.
#[derive(Clone, Copy, Debug, Default)]
struct Waits {
    timers: u64,
    switches: u64,
}

impl Waits {
    /// Where the system counts this at all, which one wait shows.
    fn where_counted() -> Option<Self> {
        let before = sources::switches()?;
        std::thread::sleep(SHORTEST_WAIT);
        (sources::switches()? > before).then(Waits::default)
    }

    /// A thread that waits gives its processor away. Not each time: a timer may be over before the thread sleeps.
    fn check(self) -> Result<(), Failure> {
        let Waits { timers, switches } = self;
        if 2 * switches < timers {
            return Err(check_failed(format!(
                "{timers} timers were waited for, and the thread slept {switches} times"
            )));
        }
        Ok(())
    }
}

/// `clock` is the monotonic one, which is also the first of the sources.
struct Watch<C> {
    clock: C,
    real: fn() -> u64,
    nap: fn(Duration),
    sources: Vec<Source>,
    latest: Arc<Vec<AtomicU64>>,
    found: Vec<Found>,
    sleep: Duration,
    lateness: Times,
    /// The same, counted and added up apart from it.
    late: Taken,
    /// None where the system does not count, or the timers are too short.
    waits: Option<Waits>,
    repeats: u64,
    readings: u64,
    /// Real time minus monotonic time, ns, at the first and at the last look, and the largest jump between two looks.
    apart: Option<i128>,
    jump_ns: u64,
    /// The counter and the monotonic clock when the window began.
    began: Option<(u64, u64)>,
    counter_hz: f64,
    steal: Option<sources::CpuTimes>,
    stolen: Option<f64>,
}

impl<C: Fn() -> u64> Watch<C> {
    fn new(clock: C, sources: Vec<Source>, latest: Arc<Vec<AtomicU64>>, sleep: Duration) -> Self {
        let found = vec![Found::default(); sources.len()];
        Watch {
            clock,
            real: sources::real_ns,
            nap: std::thread::sleep,
            sources,
            latest,
            found,
            sleep,
            lateness: Times::default(),
            late: Taken::default(),
            waits: Waits::where_counted().filter(|_| sleep >= SHORTEST_WAIT),
            repeats: 0,
            readings: 0,
            apart: None,
            jump_ns: 0,
            began: None,
            counter_hz: 0.0,
            steal: None,
            stolen: None,
        }
    }

    fn counter(&self) -> Option<u64> {
        self.sources.iter().find(|source| source.is_counter).map(|source| (source.read)())
    }

    /// The monotonic clock, which is the first source, was earlier than before.
    fn went_back(&mut self, times: u64) {
        self.found[0].backward += times;
    }

    /// Read every source in a row of readings.
    fn look(&mut self) {
        let mut back = 0;
        for ((source, found), latest) in self.sources.iter().zip(&mut self.found).zip(self.latest.iter()) {
            let read = source.read;
            let begun = (self.clock)();
            let mut sink = 0u64;
            for _ in 0..READINGS {
                sink ^= read();
            }
            match (self.clock)().checked_sub(begun) {
                Some(ns) => found.row(ns),
                None => back += 1,
            }
            found.sum ^= sink;
            let mut before = latest.fetch_max(read(), Ordering::AcqRel);
            for _ in 0..READINGS {
                let known = latest.load(Ordering::Acquire);
                let reading = read();
                // What another thread had published before this reading began must not be later than it.
                if reading < before.max(known) {
                    found.backward += 1;
                } else if reading > before && before > 0 {
                    found.stepped(reading - before);
                }
                before = reading;
                latest.fetch_max(reading, Ordering::AcqRel);
            }
            found.readings += READINGS + 1;
        }
        self.went_back(back);
    }

    /// How far the wall clock jumped against the monotonic one since the last look.
    fn compare(&mut self) {
        let Some(apart) = sources::apart(&self.clock, self.real) else {
            return;
        };
        if let Some(before) = self.apart {
            self.jump_ns = self.jump_ns.max(u64::try_from((apart - before).unsigned_abs()).unwrap_or(u64::MAX));
        }
        self.apart = Some(apart);
    }

    /// How late timers are. A clock that went back meanwhile does not know.
    fn sleep(&mut self) {
        let asked_ns = u64::try_from(self.sleep.as_nanos()).unwrap_or(u64::MAX);
        let before = sources::switches();
        for _ in 0..SLEEPS {
            let begun = (self.clock)();
            (self.nap)(self.sleep);
            match (self.clock)().checked_sub(begun) {
                None => self.went_back(1),
                Some(slept) => {
                    self.late.count += 1;
                    self.late.sum_ns = self.late.sum_ns.saturating_add(slept.saturating_sub(asked_ns));
                    self.lateness.record(slept.saturating_sub(asked_ns));
                    if slept > 0 {
                        // So that the ticks of a clock are found which are longer than a look.
                        self.found[0].stepped(slept);
                    }
                }
            }
        }
        if let (Some(waits), Some(before), Some(now)) = (&mut self.waits, before, sources::switches()) {
            waits.timers += u64::from(SLEEPS);
            waits.switches += now.saturating_sub(before);
        }
    }

    /// Readings in a row, and how many of them were earlier than the one before.
    fn read(&self, repeats: u64) -> (Stretch, u64) {
        let start_ns = (self.clock)();
        let (mut last, mut back) = (start_ns, 0);
        for _ in 0..repeats {
            let reading = (self.clock)();
            back += u64::from(reading < last);
            last = reading;
        }
        let end_ns = (self.clock)();
        (Stretch { start_ns, end_ns, work: repeats }, back + u64::from(end_ns < last))
    }
}

impl<C: Fn() -> u64 + Send> Worker for Watch<C> {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        self.repeats = repeats;
        for _ in 0..TRIES {
            let (stretch, back) = self.read(repeats);
            self.found[0].readings += repeats;
            self.went_back(back);
            if stretch.end_ns >= stretch.start_ns {
                return Ok(stretch);
            }
        }
        Err(check_failed("the monotonic clock goes back all the time"))
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        self.readings += self.repeats;
        self.look();
        self.compare();
        self.sleep();
        Ok(CheckValue::Count(self.repeats))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.found.iter_mut().for_each(|found| *found = Found::default());
        self.lateness.clear();
        self.late = Taken::default();
        self.waits = self.waits.map(|_| Waits::default());
        self.jump_ns = 0;
        self.apart = None;
        self.readings = 0;
        self.began = self.counter().map(|counter| (counter, (self.clock)()));
        self.steal = sources::cpu_times();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("clock_source".to_owned(), sources::name())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.late.compare(&self.lateness)?;
        self.waits.map_or(Ok(()), Waits::check)?;
        if let (Some((counter, ns)), Some(now)) = (self.began, self.counter()) {
            let passed_ns = (self.clock)().saturating_sub(ns);
            if passed_ns > 0 {
                self.counter_hz = precise(now.saturating_sub(counter)) / precise(passed_ns) * 1e9;
            }
        }
        if let (Some(before), Some(now)) = (self.steal, sources::cpu_times()) {
            self.stolen = before.stolen_until(now);
        }
        Ok(CheckValue::Count(self.readings))
    }

    fn extras(&mut self) -> Extras {
        let mut extras = Extras::default().histogram("timer-lateness", self.lateness.clone());
        for (source, found) in self.sources.iter().zip(&self.found) {
            let tick_s = if source.is_counter {
                if self.counter_hz > 0.0 {
                    1.0 / self.counter_hz
                } else {
                    f64::NAN
                }
            } else {
                1e-9
            };
            extras = extras.measure(source.cost, "s", found.cost_ns() * 1e-9, Merge::Min).measure(
                source.backward,
                "1",
                precise(found.backward),
                Merge::Sum,
            );
            if found.step > 0 {
                extras = extras.measure(source.resolution, "s", precise(found.step) * tick_s, Merge::Min);
            }
        }
        let readings = self.found.iter().map(|found| found.readings).sum::<u64>();
        extras = extras.measure("readings", "1", precise(readings), Merge::Sum);
        if self.apart.is_some() {
            extras = extras.measure("realtime-jump", "s", precise(self.jump_ns) * 1e-9, Merge::Max);
        }
        if self.counter_hz > 0.0 {
            extras = extras.measure("counter-rate", "1/s", self.counter_hz, Merge::Mean);
        }
        match self.stolen {
            Some(stolen) => extras.measure("steal", "1", stolen, Merge::Mean),
            None => extras,
        }
    }
}

#[cfg(test)]
mod tests;
