//! The start of an empty program: what any command takes at least in this place.
//!
//! It is the agent itself, told to end at once: the same file in every place, static, whatever else is there.

use super::group::OF_AGENT;
use super::look_up::Line;
use super::start::{Order, Stack};
use crate::os::{Parent, EXIT_ARGUMENT, EXIT_STATUS};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use virtometer_sampling::{timed, Stretch};

/// At least so many, unless the window ends before, and at most so many before one run of the command.
const FEWEST: usize = 3;
const MOST_AT_ONCE: usize = 10;

/// Part of the command's own time that they may take beyond the fewest.
const SHARE: u64 = 20;

/// Starts it beside the runs of a command, and keeps how long each took.
pub(super) struct Empty {
    order: Order,
    nothing: File,
    nowhere: File,
    took_ns: Vec<u64>,
}

impl Empty {
    /// variables: of the command. `None` where the agent cannot execute its own file. One that is not kept has warmed
    /// its caches.
    pub(super) fn new(variables: &[String], stack: &mut Stack) -> Option<Self> {
        // Process 1 of a machine may have another root directory than that in which its file is.
        let own = std::env::current_exe().ok().filter(|path| path.exists());
        let path = own.as_deref().map_or(Some("/proc/self/exe"), std::path::Path::to_str)?.to_owned();
        let order = Line::new(vec![path, EXIT_ARGUMENT.to_owned()], None)
            .ok()?
            .order(variables, &[OF_AGENT.to_owned()], 0)
            .ok()?;
        let nowhere = File::options().write(true).open("/dev/null").ok()?;
        let made = Empty { order, nothing: File::open("/dev/null").ok()?, nowhere, took_ns: Vec::new() };
        made.start(stack).ok().flatten()?;
        Some(made)
    }

    /// Start it until it has taken its share of the time of the command so far, in ns.
    pub(super) fn beside(&mut self, command_ns: u64, stack: &mut Stack) {
        for _ in 0..MOST_AT_ONCE {
            let spent_ns = self.took_ns.iter().sum::<u64>();
            if self.took_ns.len() >= FEWEST && spent_ns.saturating_mul(SHARE) >= command_ns {
                return;
            }
            match self.start(stack) {
                Ok(Some(Stretch { start_ns, end_ns, .. })) => self.took_ns.push(end_ns.saturating_sub(start_ns)),
                _ => return,
            }
        }
    }

    /// The median of them, s.
    pub(super) fn median_s(&self) -> Option<f64> {
        let mut sorted = self.took_ns.clone();
        sorted.sort_unstable();
        let middle = |at: usize| sorted.get(at).copied();
        let (low, high) = (middle(sorted.len().checked_sub(1)? / 2)?, middle(sorted.len() / 2)?);
        #[allow(clippy::cast_precision_loss)] // far below 2^53 ns
        Some((low + high) as f64 * 0.5e-9)
    }

    /// `None` where it ended otherwise than it should.
    fn start(&self, stack: &mut Stack) -> io::Result<Option<Stretch>> {
        let _parent = Parent::new();
        let nowhere = self.nowhere.as_fd();
        let mut ended = None;
        let stretch = timed(1, || {
            let process =
                self.order.start([self.nothing.as_fd(), nowhere, nowhere], stack).map_err(|refused| refused.cause)?;
            process.wait()?;
            ended = Some(process);
            io::Result::Ok(())
        })?;
        let status = ended.map(super::start::Process::reap).transpose()?.and_then(|ended| ended.status.code());
        Ok((status == Some(EXIT_STATUS)).then_some(stretch))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A shell that ends as the agent would.
    fn ends_with(status: i32) -> Empty {
        let words = ["/bin/sh", "-c", &format!("exit {status}")].map(str::to_owned);
        let order = Line::new(words.to_vec(), None).unwrap().order(&[], &[], 0).unwrap();
        let null = || File::options().read(true).write(true).open("/dev/null").unwrap();
        Empty { order, nothing: null(), nowhere: null(), took_ns: Vec::new() }
    }

    #[test]
    fn a_few_are_started_beside_any_command_and_more_beside_a_long_one() {
        let (mut made, mut stack) = (ends_with(EXIT_STATUS), Stack::new());
        assert_eq!(made.median_s(), None);
        made.beside(0, &mut stack);
        assert_eq!(made.took_ns.len(), FEWEST);
        made.beside(0, &mut stack);
        assert_eq!(made.took_ns.len(), FEWEST);
        made.beside(u64::MAX, &mut stack);
        assert_eq!(made.took_ns.len(), FEWEST + MOST_AT_ONCE);
        assert!(made.median_s().unwrap() > 1e-5);
    }

    #[test]
    fn what_ends_otherwise_is_no_empty_program() {
        let mut made = ends_with(EXIT_STATUS + 1);
        made.beside(u64::MAX, &mut Stack::new());
        assert_eq!(made.took_ns, [0_u64; 0]);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let mut made = ends_with(0);
        made.took_ns = vec![9_000, 1_000, 2_000];
        assert!((made.median_s().unwrap() - 2e-6).abs() < 1e-15);
        made.took_ns.push(4_000);
        assert!((made.median_s().unwrap() - 3e-6).abs() < 1e-15);
    }
}
