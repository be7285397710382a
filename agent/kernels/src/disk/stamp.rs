//! Stamps: what tells one write of a block from every other write of it.
//!
//! A worker writes the pattern, each word of it changed by exclusive or with the stamp of the write. The pattern is
//! known, so each word alone tells whether it holds the pattern, which worker wrote it and in which request, or whether
//! somebody else's data stand there. Two writes of one block never have the same content.

use crate::pattern;
use crate::random::{mix, GOLDEN};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// Bits of a stamp: the lowest count the writes of a worker, the next ones name the worker, the highest confirm the
/// others.
const COUNT_BITS: u32 = 26;
const WORKER_BITS: u32 = 18;
const NAMED_BITS: u32 = COUNT_BITS + WORKER_BITS;

/// What a word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The pattern.
    Pattern,
    /// A write of this worker: how many writes it had made before, within the bits of the count.
    Own(u64),
    /// A write of another worker, of this agent or another one.
    Other,
    /// Nothing that an agent writes.
    Foreign,
}

/// The stamps of one worker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker {
    name: u64,
}

impl Worker {
    /// A name that no other worker is likely to have, on this system or another one that shares the file.
    pub(super) fn new() -> Self {
        // The library draws the keys of its hashes from the system's random numbers.
        let random = RandomState::new().build_hasher().finish();
        Worker { name: (random % ((1 << WORKER_BITS) - 1)) + 1 }
    }

    /// The stamp of the write number `count`.
    pub(super) fn stamp(self, count: u64) -> u64 {
        let named = (self.name << COUNT_BITS) | (count % (1 << COUNT_BITS));
        (confirmation(named) << NAMED_BITS) | named
    }

    /// What a word means that differs from the pattern by `difference`.
    pub(super) fn meaning(self, difference: u64) -> Word {
        if difference == 0 {
            Word::Pattern
        } else if !is_stamp(difference) {
            Word::Foreign
        } else if (difference % (1 << NAMED_BITS)) >> COUNT_BITS == self.name {
            Word::Own(difference % (1 << COUNT_BITS))
        } else {
            Word::Other
        }
    }
}

/// How many writes the write `later` came after the write `earlier`, both within the bits of the count.
pub(super) fn writes_between(earlier: u64, later: u64) -> u64 {
    later.wrapping_sub(earlier) % (1 << COUNT_BITS)
}

fn confirmation(named: u64) -> u64 {
    mix(named.wrapping_mul(GOLDEN)) >> NAMED_BITS
}

fn is_stamp(difference: u64) -> bool {
    let named = difference % (1 << NAMED_BITS);
    named >> COUNT_BITS != 0 && difference >> NAMED_BITS == confirmation(named)
}

/// By what the word at byte `offset` of the file differs from the pattern.
pub(super) fn difference(word: u64, offset: u64) -> u64 {
    word ^ pattern::word(offset / 8)
}

/// Whether the word at byte `offset` of the file is the pattern's or that of a stamped write.
pub(super) fn belongs(word: u64, offset: u64) -> bool {
    let difference = difference(word, offset);
    difference == 0 || is_stamp(difference)
}

/// Fill `block`, which begins at byte `offset` of the file, with the pattern under a stamp; 0 leaves the pattern as it
/// is.
pub(super) fn fill(block: &mut [u8], offset: u64, stamp: u64) {
    pattern::fill_with(block, offset, |index| pattern::word(index) ^ stamp);
}

/// The words of `block`, which begins at byte `offset` of the file: the offset of each, and by what it differs from the
/// pattern. An incomplete word at the end is left out.
pub(super) fn differences(block: &[u8], offset: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
    block.as_chunks::<8>().0.iter().zip((offset..).step_by(8)).map(|(bytes, at)| {
        let word = u64::from_le_bytes(*bytes);
        (at, difference(word, at))
    })
}

/// Byte offset in the file of the first word in `block` that is neither the pattern's nor that of a stamped write, or
/// `None`. Of the last word there may be only a part, which has to be the pattern's.
pub(super) fn first_foreign(block: &[u8], offset: u64) -> Option<u64> {
    let (words, rest) = block.as_chunks::<8>();
    let mut at = offset;
    for bytes in words {
        if !belongs(u64::from_le_bytes(*bytes), at) {
            return Some(at);
        }
        at += 8;
    }
    pattern::first_fault(rest, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_tells_who_wrote_it_and_when() {
        let (one, two) = (Worker { name: 5 }, Worker { name: (1 << WORKER_BITS) - 1 });
        let last = (1 << COUNT_BITS) - 1;
        for count in [0, 1, last] {
            assert_eq!(one.meaning(one.stamp(count)), Word::Own(count));
            assert_eq!(two.meaning(one.stamp(count)), Word::Other);
            assert_eq!(one.meaning(two.stamp(count)), Word::Other);
        }
        assert_eq!(one.meaning(0), Word::Pattern);
        assert_eq!(writes_between(last, one.stamp(last + 1) % (1 << COUNT_BITS)), 1);
        assert_eq!((writes_between(3, 7), writes_between(7, 7)), (4, 0));
    }

    #[test]
    fn what_differs_by_anything_but_a_stamp_is_foreign() {
        let worker = Worker::new();
        let stamp = worker.stamp(77);
        assert!(
            (0..64).all(|bit| worker.meaning(stamp ^ (1 << bit)) == Word::Foreign || bit < COUNT_BITS + WORKER_BITS)
        );
        assert!((0..64).all(|bit| worker.meaning(1 << bit) == Word::Foreign), "one bit of the pattern");
        let foreign = (0..100_000u64).filter(|number| worker.meaning(mix(*number)) == Word::Foreign).count();
        assert!(foreign > 99_990, "{foreign} of 100000 words of somebody else's");
    }

    #[test]
    fn a_block_holds_the_stamp_in_every_word() {
        let worker = Worker::new();
        let mut block = [0; 40];
        fill(&mut block, 64, worker.stamp(9));
        let found: Vec<_> = differences(&block, 64).collect();
        assert_eq!(found, [64, 72, 80, 88, 96].map(|at| (at, worker.stamp(9))));
        assert_eq!(first_foreign(&block, 64), None);
        assert_eq!(first_foreign(&block[..37], 64), Some(96), "a part of a word must be the pattern's");
        block[17] ^= 1;
        assert_eq!(first_foreign(&block, 64), Some(80));
        fill(&mut block, 64, 0);
        assert_eq!(pattern::first_fault(&block, 64), None);
    }
}
