//! How often something is done that costs a reading of the clock, or more: by the work done since, not by the clock.

use crate::clock_cost::{affordable, reading_cost_ns, SHARE};
use virtometer_sampling::now_ns;

/// Work between two events, adapted so that one comes about every `target_ns`.
pub(super) struct Pace {
    reading_ns: u64,
    target_ns: u64,
    distance: u64,
    /// Most work between two events, so that work that becomes slow has one soon.
    widest: u64,
    last: u64,
    last_ns: u64,
    /// When the iteration began, ns, and the events in it.
    begun_ns: u64,
    events: u64,
}

impl Pace {
    const WIDEST: u64 = 64 << 20;

    /// Events are `aim_ns` apart, or farther where a reading of the clock would cost more than an eighth of that part.
    pub(super) fn new(aim_ns: u64) -> Self {
        Self::with_readings_of(reading_cost_ns(), aim_ns)
    }

    fn with_readings_of(reading_ns: u64, aim_ns: u64) -> Self {
        let target_ns = aim_ns.max(8 * SHARE * reading_ns);
        let widest = Self::WIDEST.saturating_mul(target_ns / aim_ns);
        Pace { reading_ns, target_ns, distance: 1, widest, last: 0, last_ns: 0, begun_ns: 0, events: 0 }
    }

    /// An iteration begins with the last event.
    pub(super) fn iterate(&mut self) {
        (self.begun_ns, self.events) = (self.last_ns, 0);
    }

    /// Whether the iteration may end with the last event: it lasted `least_ns`, and its events cost at most half of
    /// what readings of the clock may cost. Where work comes in bursts, events are closer to each other than planned.
    pub(super) fn may_end(&self, least_ns: u64) -> bool {
        let lasted_ns = self.last_ns.saturating_sub(self.begun_ns);
        lasted_ns >= least_ns && self.events <= affordable(2 * self.reading_ns, lasted_ns)
    }

    /// Whether it is time, when so much work is done.
    #[inline]
    pub(super) fn due(&self, work: u64) -> bool {
        work.saturating_sub(self.last) >= self.distance
    }

    /// Work goes on after a pause, which tells nothing of how fast work is; the time, ns.
    pub(super) fn resumed(&mut self, work: u64) -> u64 {
        (self.last, self.last_ns) = (work, now_ns());
        self.last_ns
    }

    /// It has happened; the time, ns.
    pub(super) fn happened(&mut self, work: u64) -> u64 {
        let now = now_ns();
        let took_ns = now.saturating_sub(self.last_ns).max(1);
        if took_ns < self.target_ns / 2 || took_ns > self.target_ns * 2 {
            let right = u128::from(work.saturating_sub(self.last)) * u128::from(self.target_ns) / u128::from(took_ns);
            // A burst tells little of what follows it.
            let most = self.distance.saturating_mul(16).min(self.widest);
            self.distance = u64::try_from(right).unwrap_or(most).clamp(1, most);
        }
        (self.last, self.last_ns) = (work, now);
        self.events += 1;
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_rarely_however_fast_the_work_is() {
        let mut pace = Pace::new(2_000_000);
        let (mut work, mut events) = (0, 0u64);
        let begun = now_ns();
        while now_ns() - begun < 50_000_000 {
            work += 1;
            if pace.due(work) {
                pace.happened(work);
                events += 1;
            }
        }
        // The first events, which are close to each other, find the distance: 64 Mi needs 7 of them.
        assert!((2..=7 + 50).contains(&events), "{events}");
    }

    #[test]
    fn a_pause_is_no_slow_work() {
        let mut pace = Pace::with_readings_of(25, 2_000_000);
        (pace.distance, pace.last_ns) = (1000, now_ns());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let now = pace.resumed(5);
        assert!(!pace.due(1004) && pace.due(1005));
        assert!(pace.happened(1005) >= now);
    }

    #[test]
    fn an_iteration_is_as_long_as_its_readings_need() {
        let mut pace = Pace::with_readings_of(50_000, 2_000_000);
        pace.resumed(0);
        pace.iterate();
        assert!(!pace.may_end(1));
        for work in 1..=3 {
            pace.happened(work);
        }
        // Half of 0.5 % of 60 ms are three readings of 50 us.
        pace.last_ns = pace.begun_ns + 59_999_999;
        assert!(!pace.may_end(10_000_000));
        pace.last_ns += 1;
        assert!(pace.may_end(10_000_000) && pace.may_end(60_000_000) && !pace.may_end(60_000_001));
    }

    #[test]
    fn events_of_the_fastest_work_are_far_enough_apart_for_the_dearest_clock() {
        for reading_ns in [25, 5_000, 50_000, 1_000_000] {
            let mut pace = Pace::with_readings_of(reading_ns, 2_000_000);
            for work in (1..=40).map(|event| event << 40) {
                pace.last_ns = now_ns(); // so quick that nothing but the widest distance holds it
                pace.happened(work);
            }
            // 33 GB/s, of which `may_end` needs a quarter.
            let lasted_ns = u128::from(pace.distance) * 1_000_000_000 / 33_000_000_000;
            assert!(lasted_ns > u128::from(2 * SHARE * reading_ns), "{reading_ns}: {lasted_ns}");
        }
    }
}
