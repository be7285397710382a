//! How often something is done that costs a reading of the clock, or more: by the work done since, not by the clock.

use crate::clock_cost::{reading_cost_ns, SHARE};
use virtometer_sampling::now_ns;

/// Work between two events, adapted so that one comes about every `target_ns`.
pub(super) struct Pace {
    target_ns: u64,
    distance: u64,
    last: u64,
    last_ns: u64,
}

impl Pace {
    const WIDEST: u64 = 64 << 20;

    /// Events are as far apart as is aimed at, or farther where a reading of the clock would cost more than an eighth
    /// of that part.
    pub(super) fn new(target_ns: u64) -> Self {
        let target_ns = target_ns.max(8 * SHARE * reading_cost_ns());
        Pace { target_ns, distance: 1, last: 0, last_ns: 0 }
    }

    /// Whether it is time, when so much work is done.
    #[inline]
    pub(super) fn due(&self, work: u64) -> bool {
        work.saturating_sub(self.last) >= self.distance
    }

    /// It has happened; the time, ns.
    pub(super) fn happened(&mut self, work: u64) -> u64 {
        let now = now_ns();
        let took_ns = now.saturating_sub(self.last_ns).max(1);
        if took_ns < self.target_ns / 2 || took_ns > self.target_ns * 2 {
            let right = u128::from(work.saturating_sub(self.last)) * u128::from(self.target_ns) / u128::from(took_ns);
            // A burst tells little of what follows it.
            let most = self.distance.saturating_mul(16).min(Self::WIDEST);
            self.distance = u64::try_from(right).unwrap_or(most).clamp(1, most);
        }
        (self.last, self.last_ns) = (work, now);
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
        // The first events, which are close together, find the distance: 64 Mi needs 7 of them.
        assert!((2..=7 + 50).contains(&events), "{events}");
    }
}
