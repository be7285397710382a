//! What a pass over the arrays works on, how it is made, and what comes out.

use super::action::{Action, Kind};
use super::block::Pages;
use crate::simd::Width;

/// What no right result is: not-a-number, and as an integer far too large.
pub(super) const SPOILED: u64 = 0x7FF8_0000_0000_0001;

/// How an action is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassConfig {
    pub(super) action: Action,
    pub(super) kind: Kind,
    pub(super) width: Width,
    /// Whether stores go past the caches, and what is only read is fetched ahead of its use.
    pub(super) streaming: bool,
    pub(super) pages: Pages,
}

/// The arrays of an action. Those that it does not use are empty.
pub(super) struct Operands<'a> {
    pub(super) a: &'a [u64],
    pub(super) b: &'a [u64],
    pub(super) c: &'a mut [u64],
    /// Which element of `c` the last pass spoils before it begins, so that a last pass that leaves it out is found.
    pub(super) spoiled: Option<usize>,
}

/// What passes over arrays leave beside what they write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassResult {
    /// The bits of the sum of a reading action.
    pub(super) sum: u64,
    /// Passes that came to their end.
    pub(super) passes: u64,
    /// Name of the loops that were chosen for a processor's vectors, where there are any.
    pub(super) loops: Option<&'static str>,
}

impl PassResult {
    /// Of nothing.
    pub(super) fn none(kind: Kind) -> Self {
        PassResult { sum: kind.bits(0), passes: 0, loops: None }
    }

    /// With what passes over so many stretches left after it. Passes are those over single stretches then.
    pub(super) fn then(self, kind: Kind, later: PassResult, stretches: u64) -> Self {
        let loops = match (self.loops, later.loops) {
            (Some(one), Some(other)) if one != other => Some("of several kinds"),
            (one, other) => one.or(other),
        };
        PassResult { sum: kind.plus(self.sum, later.sum), passes: self.passes + later.passes * stretches, loops }
    }
}
