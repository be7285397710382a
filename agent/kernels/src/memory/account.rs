//! What belongs to each iteration, counted apart from the cursor that the work follows.
//!
//! The account knows only how many stretches were asked for since the beginning: the v-th of them is stretch v modulo
//! their number. A cursor that stands still, skips, overlaps or begins anew therefore disagrees with it.

use super::stretches::Layout;
use crate::settings::check_failed;
use std::ops::Range;
use virtometer_protocol::Failure;

/// Elements of the arrays that were worked on without a break, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Covered {
    pub(super) elements: Range<usize>,
    pub(super) passes: u64,
}

/// How often each stretch was due until now, and in the last iteration.
#[derive(Debug)]
pub(super) struct Account {
    layout: Layout,
    /// Stretches that were due before the last iteration, and with it.
    before: u64,
    due: u64,
}

impl Account {
    pub(super) fn new(layout: Layout) -> Self {
        Account { layout, before: 0, due: 0 }
    }

    /// The next iteration is of so many stretches.
    pub(super) fn begin(&mut self, repeats: u64) {
        self.before = self.due;
        self.due += repeats;
    }

    /// How many stretches the last iteration has.
    pub(super) fn repeats(&self) -> u64 {
        self.due - self.before
    }

    /// The stretches of the last iteration, each once.
    #[allow(clippy::cast_possible_truncation)] // less than the stretches, which are in memory
    pub(super) fn stretches(&self) -> impl Iterator<Item = usize> {
        let (before, count) = (self.before, self.layout.count() as u64);
        (0..self.repeats().min(count)).map(move |number| ((before + number) % count) as usize)
    }

    /// The elements of a stretch.
    pub(super) fn elements(&self, stretch: usize) -> Range<usize> {
        self.layout.elements(stretch..stretch + 1)
    }

    /// How often a stretch was due in the last iteration.
    pub(super) fn passes(&self, stretch: usize) -> u64 {
        self.visits(stretch, self.due) - self.visits(stretch, self.before)
    }

    /// How often a stretch was due in all iterations.
    pub(super) fn all_passes(&self, stretch: usize) -> u64 {
        self.visits(stretch, self.due)
    }

    /// How often a stretch is among the first so many.
    fn visits(&self, stretch: usize, first: u64) -> u64 {
        let count = self.layout.count() as u64;
        (first + count - 1 - stretch as u64) / count
    }

    /// Elements of the last iteration, each as often as it was due.
    pub(super) fn all_elements(&self) -> u64 {
        self.stretches().map(|stretch| self.passes(stretch) * self.elements(stretch).len() as u64).sum()
    }

    /// What was covered is what was due, no more, no less and nothing else.
    pub(super) fn compare(&self, covered: &[Covered]) -> Result<(), Failure> {
        for stretch in self.stretches() {
            let due = self.elements(stretch);
            let holds = |one: &&Covered| one.elements.start <= due.start && due.end <= one.elements.end;
            let passes: u64 = covered.iter().filter(holds).map(|one| one.passes).sum();
            if passes != self.passes(stretch) {
                let Range { start, end } = due;
                let message = format!("elements {start} to {end} were covered {passes} times, not ");
                return Err(check_failed(message + &self.passes(stretch).to_string()));
            }
        }
        let elements: u64 = covered.iter().map(|one| one.passes * one.elements.len() as u64).sum();
        let due = self.all_elements();
        if elements != due {
            return Err(check_failed(format!("{elements} elements were covered, not {due}")));
        }
        Ok(())
    }
}
