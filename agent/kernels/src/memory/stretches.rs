//! Stretches of arrays, and the cursor that says on which of them an iteration works.
//!
//! A pass over arrays far larger than the caches takes longer than a short slice. An iteration therefore works on as
//! many stretches as it has repeats, from where the one before it ended, round and round: every element is reached as
//! often as by whole passes, and in the same order. Arrays of one stretch are passed over whole.

use std::ops::Range;

/// Bytes of a stretch of each array, at most.
const STRETCH: usize = 512 << 10;

/// Elements of which a stretch is a multiple: whole lines of the cache, and whole turns of every loop.
const WHOLE: usize = 64;

/// How an array is divided: into stretches of the same length, of which the last may be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Elements of the array.
    length: usize,
    /// Elements of a stretch.
    each: usize,
}

impl Layout {
    /// Of an array of so many elements, where the thread with most of them has `most`: threads have stretches of the
    /// same length, so that their iterations take the same time.
    pub(super) fn new(length: usize, most: usize) -> Self {
        let count = parts(most.max(1), STRETCH / 8);
        let each = parts(parts(most.max(1), count), WHOLE) * WHOLE;
        Layout { length, each }
    }

    /// With stretches of so many elements.
    #[cfg(test)]
    pub(super) fn of(length: usize, each: usize) -> Self {
        Layout { length, each }
    }

    /// How many stretches there are, at least one.
    pub(super) fn count(self) -> usize {
        parts(self.length, self.each).max(1)
    }

    /// The elements of some stretches that follow each other.
    pub(super) fn elements(self, stretches: Range<usize>) -> Range<usize> {
        let bound = |stretch: usize| stretch.saturating_mul(self.each).min(self.length);
        bound(stretches.start)..bound(stretches.end)
    }

    /// The stretch in which an element lies.
    pub(super) fn stretch_of(self, element: usize) -> usize {
        element / self.each
    }
}

/// How many parts of this size hold so many.
fn parts(whole: usize, size: usize) -> usize {
    whole / size + usize::from(!whole.is_multiple_of(size))
}

/// The element of a range that lies so many thousandths after its beginning.
pub(super) fn within(range: &Range<usize>, thousandths: usize) -> usize {
    range.start + range.len() / 1000 * thousandths + range.len() % 1000 * thousandths / 1000
}

/// What an iteration works on without a break: stretches that follow each other, so many times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    pub(super) stretches: Range<usize>,
    pub(super) passes: u64,
}

/// Where the next iteration begins. It stays between iterations and between slices.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    pub(super) count: usize,
    pub(super) at: usize,
}

impl Cursor {
    /// At the first of so many stretches.
    pub(super) fn new(count: usize) -> Self {
        Cursor { count, at: 0 }
    }

    /// The next so many stretches: those up to the end, whole passes, and those from the beginning. Some are empty.
    #[allow(clippy::cast_possible_truncation)] // less than the stretches, which are in memory
    pub(super) fn advance(&mut self, repeats: u64) -> [Sweep; 3] {
        let count = self.count as u64;
        let to_end = if self.at == 0 { 0 } else { repeats.min(count - self.at as u64) };
        let (passes, rest) = ((repeats - to_end) / count, (repeats - to_end) % count);
        let end = self.at + to_end as usize;
        let sweeps = [
            Sweep { stretches: self.at..end, passes: 1 },
            Sweep { stretches: 0..self.count, passes },
            Sweep { stretches: 0..rest as usize, passes: 1 },
        ];
        self.at = if to_end == repeats { end % self.count } else { rest as usize };
        sweeps
    }
}

impl Sweep {
    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.passes == 0 || self.stretches.is_empty()
    }
}
