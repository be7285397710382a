//! Whether rows are used again while they are in a cache: several sweeps that are made at once come to a row soon after
//! each other, and sweeps that are made one by one come to it only after all others.

use super::method::GROUP;
use crate::settings::check_failed;
use virtometer_protocol::Failure;

/// Visits between two to the same rows that follow each other: no more than the sweeps under way at once.
const SOON: u64 = GROUP as u64 + 1;

/// Visits of one thread to its rows.
#[derive(Clone, Debug)]
pub(super) struct Reuse {
    /// Number of the last visit to each, from 1.
    last: Vec<u64>,
    visits: u64,
    /// Visits soon after one to the same rows.
    soon: u64,
}

impl Reuse {
    /// Of so many rows or strips of them.
    pub(super) fn of(places: usize) -> Self {
        Reuse { last: vec![0; places], visits: 0, soon: 0 }
    }

    /// A call begins.
    pub(super) fn begin(&mut self) {
        self.last.fill(0);
        (self.visits, self.soon) = (0, 0);
    }

    #[inline]
    pub(super) fn visit(&mut self, place: usize) {
        self.visits += 1;
        let last = std::mem::replace(&mut self.last[place], self.visits);
        self.soon += u64::from(last > 0 && self.visits - last <= SOON);
    }

    /// Of sweeps of which up to `depth` are made at once all but the first of each group find their rows soon. Threads
    /// leave out the rows beside those of others, and come back to them later: half of all is enough.
    pub(super) fn check(&self, sweeps: u64, depth: usize) -> Result<(), Failure> {
        let depth = depth as u64;
        let (groups, own) = (sweeps.div_ceil(depth), self.visits / sweeps.max(1));
        let wanted = (sweeps - groups) * own / 2;
        if own > 4 * SOON && self.soon < wanted {
            let message = format!("{} of {} visits to rows came soon after the one before", self.soon, self.visits);
            return Err(check_failed(format!("{message}, not {wanted}: the sweeps were made one by one")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// What the fast variants are fast by.
    #[test]
    fn several_sweeps_and_several_rows_are_worked_on_at_once() {
        assert_eq!([1, 3, 4, 9].map(super::super::method::at_once), [1, 3, 4, 4]);
        assert_eq!((GROUP, super::super::strips::K), (4, 16));
    }

    #[test]
    fn sweeps_that_are_made_one_by_one_are_reported() {
        let made = |order: &mut dyn Iterator<Item = usize>| {
            let mut reuse = Reuse::of(100);
            reuse.begin();
            order.for_each(|place| reuse.visit(place));
            reuse.check(8, GROUP)
        };
        let waves =
            (0..2).flat_map(|_| (0..100 + GROUP - 1).flat_map(|front| (0..GROUP).map(move |behind| (front, behind))));
        let mut at_once = waves.filter(|(front, behind)| (0..100).contains(&front.wrapping_sub(*behind)));
        assert_eq!(made(&mut at_once.by_ref().map(|(front, behind)| front - behind)), Ok(()));
        assert!(made(&mut (0..8).flat_map(|_| 0..100))
            .unwrap_err()
            .message
            .ends_with("the sweeps were made one by one"));
        // Few rows are all soon.
        let mut few = Reuse::of(10);
        (0..8).flat_map(|_| 0..10).for_each(|place| few.visit(place));
        assert_eq!(few.check(8, GROUP), Ok(()));
    }
}
