//! What a record holds. Its first word is the pattern's word at its offset in the file, the last one tells how often it was
//! changed, and the others are the pattern's words 1, 2, ...: every record is written from the same memory, as iozone and
//! Bonnie do, and yet its place can be told.

use crate::pattern;

/// Give a record the first word of its offset.
#[inline]
pub(super) fn stamp(record: &mut [u8], offset: u64) {
    record[..8].copy_from_slice(&pattern::word(offset / 8).to_le_bytes());
}

/// Give a record another last word.
#[inline]
pub(super) fn change(record: &mut [u8], generation: u64) {
    let last = record.len() - 8;
    record[last..].copy_from_slice(&generation.to_le_bytes());
}

/// The last word of a record of `size` bytes that was changed so often.
pub(super) fn last_word(size: usize, generation: u64) -> u64 {
    match generation {
        0 => pattern::word(size as u64 / 8 - 1),
        generation => generation,
    }
}

/// The checksum `before` with one more word.
#[inline]
pub(super) fn folded(before: u64, word: u64) -> u64 {
    before.rotate_left(1).wrapping_add(word)
}

/// The checksum `before` with the first word of a record.
#[inline]
pub(super) fn noted(before: u64, record: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&record[..8]);
    folded(before, u64::from_le_bytes(word))
}

/// The first byte of the record at `offset` of the file that is not as it should be; whether its last word may be what it
/// is, `right` says.
pub(super) fn first_fault(record: &[u8], offset: u64, right: impl FnOnce(u64) -> bool) -> Option<u64> {
    let word = |at: usize| record[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or(0);
    if word(0) != pattern::word(offset / 8) {
        return Some(0);
    }
    let last = record.len() - 8;
    match pattern::first_fault(&record[8..last], 8) {
        None if !right(word(last)) => Some(last as u64),
        fault => fault,
    }
}
