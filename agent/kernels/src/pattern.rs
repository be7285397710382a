//! What the disk's file contains: the word at byte offset 8k is mix((k + 1) × 0x9E3779B97F4A7C15).

use crate::random::{mix, GOLDEN};

/// The word at byte offset `8 * index`.
pub(crate) fn word(index: u64) -> u64 {
    mix(index.wrapping_add(1).wrapping_mul(GOLDEN))
}

/// Fill `block` with what belongs at byte `offset` of the file. Both are multiples of 8.
pub(crate) fn fill(block: &mut [u8], offset: u64) {
    fill_with(block, offset, word);
}

/// Fill `block`, which begins at byte `offset` of the file, with words: `word` says which one belongs at an index.
/// Both are multiples of 8.
// Without optimization, as tests are built, adapters take several times as long as a plain loop.
#[allow(clippy::explicit_counter_loop)]
pub(crate) fn fill_with(block: &mut [u8], offset: u64, word: impl Fn(u64) -> u64) {
    let mut index = offset / 8;
    for bytes in block.as_chunks_mut::<8>().0 {
        *bytes = word(index).to_le_bytes();
        index += 1;
    }
}

/// Byte offset in the file of the first word in `block` that does not belong at byte `offset`, or `None`.
/// Of the last word there may be only a part.
pub(crate) fn first_fault(block: &[u8], offset: u64) -> Option<u64> {
    let (words, rest) = block.as_chunks::<8>();
    let mut index = offset / 8;
    for bytes in words {
        if *bytes != word(index).to_le_bytes() {
            return Some(index * 8);
        }
        index += 1;
    }
    (*rest != word(index).to_le_bytes()[..rest.len()]).then_some(index * 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_the_contract_s() {
        // Computed from the formula in KERNELS.md with Python's integers.
        assert_eq!(word(0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(word(1), 0x6E78_9E6A_A1B9_65F4);
        let mut block = [0u8; 16];
        fill(&mut block, 8);
        assert_eq!(block[..8], 0x6E78_9E6A_A1B9_65F4u64.to_le_bytes());
        assert_eq!(first_fault(&block, 8), None);
        assert_eq!(first_fault(&block[..13], 8), None);
        block[15] ^= 1;
        assert_eq!(first_fault(&block, 8), Some(16));
        assert_eq!(first_fault(&block[..15], 8), None);
        block[8] ^= 1;
        assert_eq!(first_fault(&block[..9], 8), Some(16));
    }
}
