//! The sum of a block's words, as fast as memory gives them.
//!
//! The block may be memory that others write at the same time, such as a mapping of a file: each vector is a volatile
//! read of its own, and no reference to the memory exists. The instructions are those of an ordinary loop.

#![allow(unsafe_code)] // vectors, and reads of memory that others may write

use crate::simd::Simd;
#[cfg(target_arch = "x86")]
use std::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64 as arch;

/// Words that are added up side by side.
const LANES: usize = 16;

/// Blocks begin at multiples of this many bytes: it is the largest vector's.
const ALIGNMENT: usize = 32;

/// A sum by vectors of one kind: its attributes and name, the kind, its zero and its addition.
macro_rules! sum_of_vectors {
    ($(#[$attribute:meta])* $name:ident, $vector:ty, $zero:expr, $plus:expr) => {
        $(#[$attribute])*
        unsafe fn $name(block: *const u8, bytes: usize) -> u64 {
            const LINE: usize = LANES * size_of::<u64>();
            let mut sums = [$zero; LINE / size_of::<$vector>()];
            for line in 0..bytes / LINE {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: the caller's block has this line, and is aligned for its vectors.
                    let vector = unsafe { block.add(line * LINE).cast::<$vector>().add(lane).read_volatile() };
                    *sum = $plus(*sum, vector);
                }
            }
            let rest = bytes / LINE * LANES..bytes / size_of::<u64>();
            // SAFETY: the caller's block has these words.
            let rest = rest.map(|word| unsafe { block.cast::<u64>().add(word).read_volatile() });
            // SAFETY: the vectors are as many words, and aligned for them.
            let sums = unsafe { sums.as_ptr().cast::<[u64; LANES]>().read() };
            sums.into_iter().chain(rest).fold(0, u64::wrapping_add)
        }
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
sum_of_vectors! {
    #[target_feature(enable = "avx2")]
    sum_avx2, arch::__m256i, arch::_mm256_setzero_si256(), arch::_mm256_add_epi64
}

#[cfg(target_feature = "sse2")]
sum_of_vectors! {
    #[target_feature(enable = "sse2")]
    sum_baseline, arch::__m128i, arch::_mm_setzero_si128(), arch::_mm_add_epi64
}

#[cfg(not(target_feature = "sse2"))]
sum_of_vectors! { sum_baseline, u64, 0, u64::wrapping_add }

/// The sum of the words of `block`, which begins at a page, modulo 2^64. Bytes after the last whole word do not count.
#[inline]
pub(super) fn sum(simd: Simd, block: &[u8]) -> u64 {
    assert_eq!(block.as_ptr().align_offset(ALIGNMENT), 0, "a block that begins within a vector");
    // SAFETY: the block can be read, and is aligned.
    unsafe { sum_shared(simd, block.as_ptr(), block.len()) }
}

/// As [`sum`], of `bytes` bytes at `block`.
///
/// # Safety
///
/// The bytes can be read, though others may write them at the same time, and `block` is aligned for 32 bytes, as every
/// page is.
pub(super) unsafe fn sum_shared(simd: Simd, block: *const u8, bytes: usize) -> u64 {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if simd != Simd::Baseline {
        // SAFETY: others than `Baseline` exist only where the processor was found to have AVX2.
        return unsafe { sum_avx2(block, bytes) };
    }
    let _ = simd;
    // SAFETY: the caller promises the same.
    unsafe { sum_baseline(block, bytes) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::buffer::Buffer;

    #[test]
    fn every_word_counts_once() {
        for words in [0, 1, 15, 16, 17, 100] {
            let all = (1..=words).map(|word: u64| word << 56 | word);
            let mut buffer = Buffer::new(1024).unwrap();
            for (place, word) in buffer.bytes_mut().chunks_exact_mut(8).zip(all.clone()) {
                place.copy_from_slice(&word.to_ne_bytes());
            }
            let right = all.fold(0, u64::wrapping_add);
            for simd in [Simd::Baseline, Simd::detect()] {
                // Seven bytes more are no whole word.
                let block = &buffer.bytes()[..8 * usize::try_from(words).unwrap() + 7];
                assert_eq!(sum(simd, block), right);
            }
        }
    }
}
