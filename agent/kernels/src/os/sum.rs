//! The sum of a block's words, as fast as memory gives them.

#![allow(unsafe_code)] // instructions that only some processors have

use crate::simd::for_each_simd;

/// Words that are added up side by side.
const LANES: usize = 16;

#[inline(always)]
fn sum_body<const FUSED: bool>(block: &[u8]) -> u64 {
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word.copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut sums = [0u64; LANES];
    let lines = block.chunks_exact(8 * LANES);
    let rest = lines.remainder();
    for line in lines {
        for (sum, bytes) in sums.iter_mut().zip(line.chunks_exact(8)) {
            *sum = sum.wrapping_add(word(bytes));
        }
    }
    let rest = rest.chunks_exact(8).map(word).fold(0, u64::wrapping_add);
    sums.iter().fold(rest, |sum, lane| sum.wrapping_add(*lane))
}

for_each_simd! {
    /// The sum of the words of `block`, modulo 2^64. Bytes after the last whole word do not count.
    sum = sum_body(block: &[u8]) -> u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Simd;

    #[test]
    fn every_word_counts_once() {
        for words in [0, 1, 15, 16, 17, 100] {
            let bytes: Vec<u8> = (1..=words).flat_map(|word: u64| (word << 56 | word).to_le_bytes()).collect();
            let right = (1..=words).fold(0, |sum: u64, word| sum.wrapping_add(word << 56 | word));
            for simd in [Simd::Baseline, Simd::detect()] {
                assert_eq!(sum(simd, &bytes), right);
            }
        }
    }
}
