//! Processor time at both ends, and what a unit of work costs of it: netperf's service demand.

use super::system::thread_cpu_ns;
use crate::settings::check_failed;
use virtometer_protocol::Failure;
use virtometer_sampling::{allowed_cpus, Extras, Merge, Stretch};

/// Keeps account of one worker, beginning when it is made.
pub(super) struct Account {
    /// `s/B`, or `s` where the work is transactions.
    unit: &'static str,
    local_from_ns: u64,
    local_ns: u64,
    remote_ns: u64,
    remote_cpus: u64,
    /// Work over the whole connection, which is what both processor times are for.
    total: u64,
    /// Work of all iterations.
    made: u64,
    /// Work and time of the window's iterations.
    work: u64,
    time_ns: u64,
    /// When the last iteration ended, of work that flows on.
    ended_ns: Option<u64>,
}

impl Account {
    pub(super) fn new(unit: &'static str, remote_cpus: u64) -> Self {
        Account {
            unit,
            local_from_ns: thread_cpu_ns(),
            local_ns: 0,
            remote_ns: 0,
            remote_cpus,
            total: 0,
            made: 0,
            work: 0,
            time_ns: 0,
            ended_ns: None,
        }
    }

    /// The window begins.
    pub(super) fn reset_after_calibration(&mut self) {
        (self.work, self.time_ns) = (0, 0);
        self.ended_ns = None;
    }

    /// One iteration of the window.
    pub(super) fn add(&mut self, stretch: Stretch) -> Stretch {
        self.made += stretch.work;
        self.work += stretch.work;
        self.time_ns += stretch.end_ns - stretch.start_ns;
        stretch
    }

    /// As `add`, of work that flows on. `check-failed` where an iteration does not begin where the one before it ended.
    pub(super) fn follow(&mut self, stretch: Stretch) -> Result<Stretch, Failure> {
        if self.ended_ns.is_some_and(|ended_ns| ended_ns != stretch.start_ns) {
            return Err(check_failed("an iteration does not begin where the one before it ended"));
        }
        self.ended_ns = Some(stretch.end_ns);
        Ok(self.add(stretch))
    }

    /// Work of all iterations.
    pub(super) fn made(&self) -> u64 {
        self.made
    }

    /// The connections have ended: `total` work was done over them, for which the peer used `remote_ns`. `check-failed`
    /// where the iterations counted more than that.
    pub(super) fn close(&mut self, total: u64, remote_ns: u64) -> Result<(), Failure> {
        self.close_with(total, remote_ns, thread_cpu_ns() - self.local_from_ns)
    }

    /// As `close`, where the work was another thread's, which used `local_ns`.
    pub(super) fn close_with(&mut self, total: u64, remote_ns: u64, local_ns: u64) -> Result<(), Failure> {
        (self.total, self.remote_ns, self.local_ns) = (total, remote_ns, local_ns);
        if self.made > total {
            return Err(check_failed(format!(
                "the iterations counted {} of the {total} that both ends counted",
                self.made
            )));
        }
        Ok(())
    }

    /// The measures of both ends. A processor time of zero means that a system does not report it.
    pub(super) fn extras(&self) -> Extras {
        let mut extras = Extras::default();
        let rate = self.rate();
        let ends = [
            (["service-demand-local", "cpu-local", "cpus-local"], self.local_ns, allowed_cpus().len() as u64),
            (["service-demand-remote", "cpu-remote", "cpus-remote"], self.remote_ns, self.remote_cpus),
        ];
        for ([demand, use_, cpus], used_ns, count) in ends {
            if used_ns > 0 && self.total > 0 {
                let each = seconds(used_ns) / precise(self.total);
                extras =
                    extras.measure(demand, self.unit, each, Merge::Mean).measure(use_, "s/s", each * rate, Merge::Sum);
            }
            if count > 0 {
                extras = extras.measure(cpus, "1", precise(count), Merge::Max);
            }
        }
        extras
    }

    /// Work per second over the window.
    pub(super) fn rate(&self) -> f64 {
        precise(self.work) / seconds(self.time_ns)
    }
}

#[allow(clippy::cast_precision_loss)] // times, bytes and operations of one run, below 2^53
pub(super) fn precise(value: u64) -> f64 {
    value as f64
}

pub(super) fn seconds(ns: u64) -> f64 {
    precise(ns) * 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;
    use virtometer_protocol::Code;

    #[test]
    fn the_demand_is_time_per_work_over_the_whole_connection_and_the_use_that_times_the_rate() {
        let mut account = Account::new("s/B", 4);
        account.add(Stretch { start_ns: 0, end_ns: 5, work: 99 });
        account.reset_after_calibration();
        account.add(Stretch { start_ns: 1_000_000_000, end_ns: 2_000_000_000, work: 600 });
        account.add(Stretch { start_ns: 2_000_000_000, end_ns: 3_000_000_000, work: 400 });
        assert_eq!(account.close_with(2000, 500_000_000, 1_000_000_000), Ok(()));
        let found = account.extras().measures();
        let value = |name: &str| found[name].value;
        assert!((value("service-demand-local") - 0.5e-3).abs() < 1e-12);
        assert!((value("service-demand-remote") - 0.25e-3).abs() < 1e-12);
        assert!((value("cpu-local") - 0.25).abs() < 1e-9);
        assert!((value("cpu-remote") - 0.125).abs() < 1e-9);
        assert_eq!((value("cpus-remote"), found["service-demand-local"].unit), (4.0, "s/B"));
        assert!(value("cpus-local") >= 1.0);
    }

    #[test]
    fn iterations_that_count_more_than_both_ends_are_reported() {
        let mut account = Account::new("s", 1);
        account.add(Stretch { start_ns: 0, end_ns: 5, work: 60 });
        account.reset_after_calibration();
        account.add(Stretch { start_ns: 5, end_ns: 10, work: 41 });
        assert_eq!(account.close_with(101, 0, 0), Ok(()));
        assert_eq!(account.close_with(100, 0, 0).map_err(|failure| failure.code), Err(Code::CheckFailed));
    }

    #[test]
    fn iterations_with_a_gap_between_them_are_reported() {
        let mut account = Account::new("s", 1);
        let stretch = |start_ns, end_ns| Stretch { start_ns, end_ns, work: 1 };
        assert!(account.follow(stretch(0, 5)).is_ok() && account.follow(stretch(5, 10)).is_ok());
        let failure = account.follow(stretch(11, 15)).map_err(|failure| failure.code);
        assert_eq!(failure, Err(Code::CheckFailed));
        // Before the window begins there is a pause.
        account.reset_after_calibration();
        assert!(account.follow(stretch(20, 25)).is_ok());
    }

    #[test]
    fn what_a_peer_does_not_tell_is_left_out() {
        let mut account = Account::new("s", 0);
        account.add(Stretch { start_ns: 0, end_ns: 10, work: 1 });
        assert_eq!(account.close_with(1, 0, 5), Ok(()));
        let found = account.extras().measures();
        assert!(found.contains_key("service-demand-local"));
        assert!(!found.contains_key("service-demand-remote") && !found.contains_key("cpus-remote"));
    }
}
