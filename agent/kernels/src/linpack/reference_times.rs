//! The times of the solutions by the reference clock, which is outside of this system.
//!
//! The clock is read before and after each iteration's stretch, never in it: that gives the rate. After the iteration
//! one more system is made, factored and solved with a reading around each part, as in the published studies.

use super::reference_clock::ReferenceClock;
use virtometer_protocol::Failure;
use virtometer_sampling::{Extras, Merge, Stretch, Times};

/// Length of an iteration, ns: a reading takes a thousandth of it or less.
pub(super) const TARGET_NS: u64 = 100_000_000;

/// A part of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Generate,
    Factor,
    Solve,
}

/// Sum of durations by the reference clock.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    us: u64,
    count: u64,
}

impl Sum {
    fn mean_s(self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // times of a run, far below 2^53
        let mean = self.us as f64 / self.count as f64;
        mean * 1e-6
    }
}

/// One thread's reference clock, and the times that it has given since the window began.
pub(super) struct ReferenceTimes {
    clock: ReferenceClock,
    in_window: bool,
    /// What went wrong: the clock is not read any more, and the iteration fails when it is over.
    fault: Option<Failure>,
    work: u64,
    reference_us: u64,
    own_ns: u64,
    parts: [Sum; 3],
    round_trips: Times,
}

impl ReferenceTimes {
    pub(super) fn new(clock: ReferenceClock) -> Self {
        let (parts, round_trips) = ([Sum::default(); 3], Times::default());
        ReferenceTimes { clock, in_window: false, fault: None, work: 0, reference_us: 0, own_ns: 0, parts, round_trips }
    }

    /// The window begins: from here on the clock is read.
    pub(super) fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.in_window = true;
        self.clock.start()
    }

    /// Whether the window has begun.
    pub(super) fn in_window(&self) -> bool {
        self.in_window
    }

    /// Read before a stretch: twice, because two readings in a row also give the round trip by the reference clock.
    pub(super) fn open(&mut self) -> Option<u64> {
        let (first, second) = (self.reading()?, self.reading()?);
        self.round_trips.record((second - first).saturating_mul(1000));
        Some(second)
    }

    /// Read after the stretch: the clock must have gone on.
    pub(super) fn close(&mut self, opened: Option<u64>, stretch: &Stretch) {
        if let (Some(from), Some(to)) = (opened, self.reading()) {
            if to == from {
                self.fault = Some(self.clock.stood_still());
            }
            self.reference_us += to - from;
            self.own_ns += stretch.end_ns.saturating_sub(stretch.start_ns);
            self.work += stretch.work;
        }
    }

    /// Do a part of a solution between two readings.
    pub(super) fn around<T>(&mut self, part: Part, body: impl FnOnce() -> T) -> T {
        let from = self.reading();
        let result = body();
        if let (Some(from), Some(to)) = (from, self.reading()) {
            let sum = &mut self.parts[part as usize];
            *sum = Sum { us: sum.us + to - from, count: sum.count + 1 };
        }
        result
    }

    /// What went wrong with the clock. It is asked for when an iteration is over: threads would wait for one that ends
    /// in the middle of it.
    pub(super) fn sound(&self) -> Result<(), Failure> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// The measures by the reference clock. A measure without a reading is left out.
    pub(super) fn extras(&self, known: Extras) -> Extras {
        #[allow(clippy::cast_precision_loss)] // sums of a run and a median, far below 2^53
        let (work, reference_s, own_s, trip_s) = (
            self.work as f64,
            self.reference_us as f64 * 1e-6,
            self.own_ns as f64 * 1e-9,
            self.round_trips.quantile(0.5) as f64 * 1e-9,
        );
        let part = |part: Part| self.parts[part as usize].mean_s();
        known
            .measure("guest-rate", "FLOP/s", work / own_s, Merge::Sum)
            .measure("reference-rate", "FLOP/s", work / reference_s, Merge::Sum)
            .measure("reference-generate", "s", part(Part::Generate), Merge::Mean)
            .measure("reference-factor", "s", part(Part::Factor), Merge::Mean)
            .measure("reference-solve", "s", part(Part::Solve), Merge::Mean)
            .measure("reference-round-trip", "s", trip_s, Merge::Mean)
    }

    fn reading(&mut self) -> Option<u64> {
        if !self.in_window || self.fault.is_some() {
            return None;
        }
        self.clock.time_us().unwrap_or_else(|fault| {
            self.fault = Some(fault);
            None
        })
    }
}
