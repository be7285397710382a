//! The clocks themselves: what a reading costs, how fine it is, whether it ever goes back, and how late timers are.
//!
//! A sample times readings of the monotonic clock. Between samples every other source is read too, and the thread
//! sleeps: what was found is told as measures and as the histogram `timer-lateness`. How far the clock is from the
//! host's is not for the agent to say: the laboratory compares them.

mod sources;

use crate::settings::check_failed;
use crate::ParameterKind::Integer;
use crate::{parameter, Op, Settings};
use sources::Source;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{now_ns, timed, CheckValue, Extras, Maker, Merge, Stretch, Task, Times, Worker};

/// Readings of a source between two samples.
const READINGS: u64 = 2_000;

/// Sleeps between two samples.
const SLEEPS: u32 = 2;

pub(crate) static OPS: &[Op] = &[Op {
    name: "watch",
    unit: Unit::Second,
    work: "readings of the monotonic clock",
    parameters: &[parameter("sleep", Integer, "1000", "microseconds that a timer is asked for")],
}];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(_task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    let sleep_us = settings.integer("sleep", 1000, 1..=1_000_000)?;
    // The latest reading of any thread, by source: a clock must not go back from one processor to another either.
    let sources = sources::all();
    let latest: Arc<Vec<AtomicU64>> = Arc::new(sources.iter().map(|_| AtomicU64::new(0)).collect());
    Ok(Arc::new(move |_| Ok(Box::new(Watch::new(sources.clone(), latest.clone(), Duration::from_micros(sleep_us))))))
}

/// What was found of one source.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Shortest time of one reading over a row of them, ns of the monotonic clock.
    cost_ns: f64,
    /// Smallest advance between two readings, in the source's own units.
    step: u64,
    backward: u64,
    readings: u64,
    /// Of all readings, so that the compiler leaves none out.
    sum: u64,
}

struct Watch {
    sources: Vec<Source>,
    latest: Arc<Vec<AtomicU64>>,
    found: Vec<Found>,
    sleep: Duration,
    lateness: Times,
    /// Whether the last iteration's readings rose.
    rose: bool,
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

impl Watch {
    fn new(sources: Vec<Source>, latest: Arc<Vec<AtomicU64>>, sleep: Duration) -> Self {
        let found = vec![Found::default(); sources.len()];
        Watch {
            sources,
            latest,
            found,
            sleep,
            lateness: Times::default(),
            rose: true,
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

    /// Read every source in a row of readings.
    fn look(&mut self) {
        for ((source, found), latest) in self.sources.iter().zip(&mut self.found).zip(self.latest.iter()) {
            let read = source.read;
            let begun = now_ns();
            let mut sink = 0u64;
            for _ in 0..READINGS {
                sink ^= read();
            }
            let cost_ns = precise(now_ns() - begun) / precise(READINGS);
            found.sum ^= sink;
            if found.cost_ns == 0.0 || cost_ns < found.cost_ns {
                found.cost_ns = cost_ns;
            }
            let mut before = latest.fetch_max(read(), Ordering::AcqRel);
            for _ in 0..READINGS {
                let known = latest.load(Ordering::Acquire);
                let reading = read();
                // What another thread had published before this reading began must not be later than it.
                if reading < before.max(known) {
                    found.backward += 1;
                } else if reading > before {
                    let step = reading - before;
                    if before > 0 && (found.step == 0 || step < found.step) {
                        found.step = step;
                    }
                }
                before = reading;
                latest.fetch_max(reading, Ordering::AcqRel);
            }
            found.readings += READINGS + 1;
        }
    }

    /// How far the wall clock jumped against the monotonic one since the last look.
    fn compare(&mut self) {
        let apart = match sources::real_minus_monotonic() {
            Some(apart) => apart,
            None => return,
        };
        if let Some(before) = self.apart {
            self.jump_ns = self.jump_ns.max(u64::try_from((apart - before).unsigned_abs()).unwrap_or(u64::MAX));
        }
        self.apart = Some(apart);
    }

    fn sleep(&mut self) {
        for _ in 0..SLEEPS {
            let begun = now_ns();
            std::thread::sleep(self.sleep);
            let slept = Duration::from_nanos(now_ns() - begun);
            let late = slept.checked_sub(self.sleep).unwrap_or(Duration::ZERO);
            self.lateness.record(u64::try_from(late.as_nanos()).unwrap_or(u64::MAX));
        }
    }
}

impl Worker for Watch {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        self.repeats = repeats;
        let mut last = now_ns();
        let mut rose = true;
        let stretch = timed(repeats, || {
            for _ in 0..repeats {
                let reading = now_ns();
                rose &= reading >= last;
                last = reading;
            }
            Ok(())
        });
        self.rose = rose;
        stretch
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        if !self.rose {
            // The monotonic clock of POSIX may stand, but not go back: no duration on it means anything.
            return Err(check_failed("the monotonic clock went back"));
        }
        self.readings += self.repeats;
        self.look();
        self.compare();
        self.sleep();
        Ok(CheckValue::Count(self.repeats))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.found.iter_mut().for_each(|found| *found = Found::default());
        self.lateness.clear();
        self.jump_ns = 0;
        self.apart = None;
        self.readings = 0;
        self.began = self.counter().map(|counter| (counter, now_ns()));
        self.steal = sources::cpu_times();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([("clock_source".to_owned(), sources::name())])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        if let (Some((counter, ns)), Some(now)) = (self.began, self.counter()) {
            self.counter_hz = precise(now.saturating_sub(counter)) / precise((now_ns() - ns).max(1)) * 1e9;
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
            extras = extras.measure(source.cost, "s", found.cost_ns * 1e-9, Merge::Min).measure(
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

#[allow(clippy::cast_precision_loss)] // times and counts of one run, far below 2^53
fn precise(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests;
