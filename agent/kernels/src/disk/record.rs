//! What a record holds. Every record is written from the same memory, as iozone and Bonnie do. In each of its pages the
//! first word is the pattern's word at the page's offset in the file, the second one tells in which pass it was
//! written, and the others are the pattern's words 2, 3, ... of the record: so every page of every pass has a content
//! of its own.

use crate::pattern;

/// Bytes from one pair of such words to the next: what storage compares where it looks for equal blocks.
const PAGE: usize = 4096;

/// Give a record the words of its offset, and of the pass in which it is written.
#[inline]
pub(super) fn stamp(record: &mut [u8], offset: u64, pass: u64) {
    for (page, at) in record.chunks_mut(PAGE).zip((offset..).step_by(PAGE)) {
        page[..8].copy_from_slice(&pattern::word(at / 8).to_le_bytes());
        page[8..16].copy_from_slice(&pass.to_le_bytes());
    }
}

/// Give a record that was read the words of another pass.
#[inline]
pub(super) fn change(record: &mut [u8], pass: u64) {
    record.chunks_mut(PAGE).for_each(|page| page[8..16].copy_from_slice(&pass.to_le_bytes()));
}

/// The checksum `before` with one more word.
#[inline]
pub(super) fn folded(before: u64, word: u64) -> u64 {
    before.rotate_left(1).wrapping_add(word)
}

/// The checksum `before` with the first word of a record.
#[inline]
pub(super) fn noted(before: u64, record: &[u8]) -> u64 {
    folded(before, word(record, 0))
}

/// The first byte of the record at `offset` of the file that is not as it should be; whether it may be of a pass,
/// `right` says.
pub(super) fn first_fault(record: &[u8], offset: u64, right: impl Fn(u64) -> bool) -> Option<u64> {
    for (page, from) in record.chunks(PAGE).zip((0u64..).step_by(PAGE)) {
        if word(page, 0) != pattern::word((offset + from) / 8) {
            return Some(from);
        }
        if !right(word(page, 8)) {
            return Some(from + 8);
        }
        // The rest of the page holds what belongs at its place in the record.
        if let Some(at) = pattern::first_fault(&page[16..], from + 16) {
            return Some(at);
        }
    }
    None
}

fn word(record: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&record[at..at + 8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_of_every_pass_differs_and_every_wrong_byte_is_found() {
        let mut record = vec![0; 3 * PAGE + 512];
        pattern::fill(&mut record, 0);
        stamp(&mut record, 65536, 7);
        assert_eq!(first_fault(&record, 65536, |pass| pass == 7), None);
        assert_eq!(first_fault(&record, 65536, |pass| pass == 8), Some(8));
        assert_eq!(first_fault(&record, 65536 + 512, |pass| pass == 7), Some(0));
        let first = record.clone();
        stamp(&mut record, 65536, 8);
        assert!(first.chunks(PAGE).zip(record.chunks(PAGE)).all(|(one, two)| one != two));
        stamp(&mut record, 131_072, 7);
        assert!(first.chunks(PAGE).zip(record.chunks(PAGE)).all(|(one, two)| one != two));
        for at in [0, 9, 16, PAGE - 1, PAGE, 2 * PAGE + 8, 3 * PAGE + 511] {
            let mut wrong = first.clone();
            wrong[at] ^= 1;
            assert_eq!(first_fault(&wrong, 65536, |pass| pass == 7), Some(at as u64 / 8 * 8));
        }
    }
}
