//! Whether requests go where they should: in order, or anywhere in the file.

use super::super::specification::Request;

/// Fewer requests than this do not show whether they go anywhere.
const FEW_REQUESTS: u64 = 1000;

/// How far requests are from those before them.
#[derive(Default)]
pub(super) struct Distances {
    /// Requests that have one before them, those of them that neither follow it nor begin anew, and the sum of their
    /// distances, bytes.
    pub(super) count: u64,
    pub(super) elsewhere: u64,
    sum: u128,
}

impl Distances {
    /// Requests at offsets that are multiples of `align`.
    pub(super) fn add(&mut self, requests: &[Request], align: u64) {
        for pair in requests.windows(2) {
            let end = pair[0].offset + pair[0].length as u64;
            let follows = pair[1].offset == end.div_ceil(align) * align;
            self.count += 1;
            self.elsewhere += u64::from(!follows && pair[1].offset > 0);
            self.sum += u128::from(pair[1].offset.abs_diff(pair[0].offset));
        }
    }

    /// Whether they go where `random` percent of them should go, in a file of `span` bytes. At random the mean distance
    /// is a third of it.
    pub(super) fn are(&self, random: u64, span: u64) -> bool {
        match random {
            0 => self.elsewhere == 0,
            100 => self.count < FEW_REQUESTS || self.sum * 100 >= u128::from(self.count) * u128::from(span) * 29,
            _ => true,
        }
    }
}
