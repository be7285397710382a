//! Generators of reproducible numbers.

/// The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
pub(crate) fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Increment of splitmix64's state.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// splitmix64.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A number below `bound`, by multiplication; the bias is below bound / 2^64.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(bound);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Bring `items` into an order of which all are equally likely (R. Durstenfeld: Algorithm 235, 1964).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            #[allow(clippy::cast_possible_truncation)] // at most the last index
            let chosen = self.below(last as u64 + 1) as usize;
            items.swap(last, chosen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_with_seed_0_gives_its_published_sequence() {
        let mut random = Random::new(0);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_all_of_it() {
        let mut random = Random::new(7);
        let mut seen = [false; 10];
        for _ in 0..1000 {
            seen[usize::try_from(random.below(10)).unwrap_or(99)] = true;
        }
        assert_eq!(seen, [true; 10]);
    }

    #[test]
    fn shuffling_keeps_every_item_and_reaches_every_order() {
        let mut random = Random::new(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            seen.insert(items);
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3]);
        }
        assert_eq!(seen.len(), 24);
    }
}
