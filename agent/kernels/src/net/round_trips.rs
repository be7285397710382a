//! What round trips of every kind share: their account and the timing of single ones.

use super::account::Account;
use crate::clock_cost::{reading_cost_ns, SHARE};
use crate::settings::check_failed;
use virtometer_protocol::Failure;
use virtometer_sampling::{now_ns, Extras, Stretch as Timed, Times};

/// The round trips of one worker: their account, and which are timed one by one: so few that reading the clock costs
/// below
/// 0.5 % of the time.
pub(super) struct RoundTrips {
    account: Account,
    /// Every how many trips one is timed; before the window none is, so that its length is the trips' own. Rarer after
    /// an iteration that was quicker than all before.
    every: u64,
    reading_ns: u64,
    /// Trips since one was timed.
    untimed: u64,
    times: Times,
    /// Trips that were chosen to be timed and have ended.
    timed: u64,
    last: Option<Timed>,
}

impl RoundTrips {
    /// To a peer with so many processors; its account begins.
    pub(super) fn new(remote_cpus: u64) -> Self {
        RoundTrips {
            account: Account::new("s", remote_cpus),
            every: u64::MAX,
            reading_ns: 1,
            untimed: 0,
            times: Times::default(),
            timed: 0,
            last: None,
        }
    }

    /// The window begins: choose from the last iteration of the calibration, and forget what was timed so far.
    pub(super) fn reset_after_calibration(&mut self) {
        self.times.clear();
        self.timed = 0;
        self.reading_ns = reading_cost_ns();
        self.every = self.last.map_or(u64::MAX, |last| self.affordable(last));
        self.untimed = 0;
        self.account.reset_after_calibration();
    }

    /// How far apart trips as quick as those of an iteration may be timed, in trips. Four times as far as the share
    /// asks: the iteration has readings of its own, and others may have held it up.
    fn affordable(&self, iteration: Timed) -> u64 {
        let trip_ns = iteration.end_ns.saturating_sub(iteration.start_ns) / iteration.work.max(1);
        (8 * self.reading_ns * SHARE / trip_ns.max(1)).saturating_add(1)
    }

    /// An iteration of round trips one after the other.
    #[inline]
    pub(super) fn make(
        &mut self,
        repeats: u64,
        mut round_trip: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Timed, Failure> {
        let start_ns = now_ns();
        if self.every > repeats {
            // Less than one of an iteration: now and then its last, which ends with the iteration, so that one reading
            // is enough.
            self.untimed = self.untimed.saturating_add(repeats);
            (1..repeats).try_for_each(|_| round_trip())?;
            let begun = (self.untimed >= self.every).then(now_ns);
            self.timed += u64::from(begun.is_some());
            round_trip()?;
            let end_ns = now_ns();
            if let Some(begun) = begun {
                self.times.record(end_ns.saturating_sub(begun));
                self.untimed = 0;
            }
            return self.add(Timed { start_ns, end_ns, work: repeats });
        }
        self.untimed = 0;
        for _ in 0..repeats {
            if !self.next_is_timed() {
                round_trip()?;
                continue;
            }
            let begun = now_ns();
            round_trip()?;
            self.times.record(now_ns().saturating_sub(begun));
        }
        let stretch = Timed { start_ns, end_ns: now_ns(), work: repeats };
        self.add(stretch)
    }

    /// Whether the trip that begins now is one of those that are timed one by one.
    #[inline]
    pub(super) fn next_is_timed(&mut self) -> bool {
        self.untimed += 1;
        if self.untimed < self.every {
            return false;
        }
        self.untimed = 0;
        self.timed += 1;
        true
    }

    /// A trip that was chosen to be timed has ended after `ns`.
    #[inline]
    pub(super) fn ended(&mut self, ns: u64) {
        self.times.record(ns);
    }

    /// A trip that was chosen to be timed has no time: a pause came between its begin and its end.
    pub(super) fn leave_out(&mut self) {
        self.timed -= 1;
    }

    /// All trips that were chosen to be timed are recorded.
    fn verify(&self) -> Result<(), Failure> {
        match self.times.count() == self.timed {
            true => Ok(()),
            false => {
                Err(check_failed(format!("{} trips were timed, and {} are recorded", self.timed, self.times.count())))
            }
        }
    }

    /// An iteration of round trips one after the other has been made.
    fn add(&mut self, stretch: Timed) -> Result<Timed, Failure> {
        self.verify()?;
        self.adapt(stretch);
        Ok(self.account.add(stretch))
    }

    /// An iteration of round trips over several connections, which flow on from one to the next.
    pub(super) fn follow(&mut self, stretch: Timed) -> Result<Timed, Failure> {
        self.adapt(stretch);
        self.account.follow(stretch)
    }

    fn adapt(&mut self, stretch: Timed) {
        self.last = Some(stretch);
        if self.every < u64::MAX {
            self.every = self.every.max(self.affordable(stretch));
        }
    }

    /// The connections have ended: `total` round trips were made over them, for which the peer used `remote_ns`.
    pub(super) fn close(&mut self, total: u64, remote_ns: u64) -> Result<(), Failure> {
        self.verify()?;
        self.account.close(total, remote_ns)
    }

    /// The account, and the times of those that were timed.
    pub(super) fn extras(&mut self) -> Extras {
        self.account.extras().histogram("latency", std::mem::take(&mut self.times))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;

    /// An iteration of trips of 2 ms: begin and end of each by a clock of their own, the iteration, and the recorded
    /// times.
    fn iteration(every: u64, untimed: u64, repeats: u64) -> (Vec<(u64, u64)>, Timed, Vec<u64>) {
        let mut round_trips = RoundTrips::new(1);
        (round_trips.every, round_trips.untimed) = (every, untimed);
        let mut made = Vec::new();
        let stretch = round_trips.make(repeats, || {
            let begun = now_ns();
            std::thread::sleep(Duration::from_millis(2));
            made.push((begun, now_ns()));
            Ok(())
        });
        let times = round_trips.extras().histograms();
        let counts = times.get("latency").map_or(&[][..], |times| &times.counts);
        let recorded = counts.iter().flat_map(|(ns, count)| (0..*count).map(move |_| *ns)).collect();
        (made, stretch.unwrap(), recorded)
    }

    #[test]
    fn an_iteration_reaches_from_before_its_first_trip_to_after_its_last() {
        for every in [1, 3, 10, 100, u64::MAX] {
            let (made, stretch, _) = iteration(every, 0, 10);
            assert_eq!((made.len(), stretch.work), (10, 10));
            assert!(stretch.start_ns <= made[0].0 && made[9].1 <= stretch.end_ns, "{every}: {stretch:?} {made:?}");
        }
    }

    #[test]
    fn the_time_of_a_trip_holds_that_trip_alone() {
        // Every third trip; the last, because it is long since one was timed.
        for (every, untimed, timed) in [(3, 0, vec![2, 5, 8]), (11, 5, vec![9]), (11, 0, vec![])] {
            let (made, stretch, recorded) = iteration(every, untimed, 10);
            assert_eq!(recorded.len(), timed.len(), "{every}");
            // A time begins after the trip before it has ended, and ends before the one after it begins.
            let next = |index: usize| made.get(index + 1).map_or(stretch.end_ns, |next| next.0);
            let least: u64 = timed.iter().map(|index: &usize| made[*index].1 - made[*index].0).sum();
            let most: u64 = timed.iter().map(|index| next(*index) - made[*index - 1].1).sum();
            let found: u64 = recorded.iter().sum();
            // A recorded time is right to 1 %.
            assert!((least / 100 * 98..=most / 100 * 102).contains(&found), "{every}: {recorded:?} {made:?}");
        }
    }
}
