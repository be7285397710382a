//! What the operations do with which arrays, on which kind of numbers, and what must come out.

/// The operation on the elements of the arrays a, b and c.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// c = a
    Copy,
    /// c = 3 a
    Scale,
    /// c = a + b
    Add,
    /// c = a + 3 b
    Triad,
    /// the sum of a
    Read,
    /// c = 3
    Write,
    /// c = c + 3
    ReadWrite,
}

/// What the elements are, all of 8 bytes: they decide which registers and arithmetic units are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Doubles.
    Float,
    /// Integers.
    Int,
}

const FACTOR: u32 = 3;

impl Action {
    /// Whether a, b and c are used.
    pub(super) const fn arrays(self) -> (bool, bool, bool) {
        match self {
            Action::Copy | Action::Scale => (true, false, true),
            Action::Add | Action::Triad => (true, true, true),
            Action::Read => (true, false, false),
            Action::Write | Action::ReadWrite => (false, false, true),
        }
    }

    /// How many arrays are used.
    pub(super) const fn count(self) -> u64 {
        let (a, b, c) = self.arrays();
        a as u64 + b as u64 + c as u64
    }

    /// How many arrays are read or written: one that is both counts twice.
    pub(super) const fn accesses(self) -> u64 {
        self.count() + matches!(self, Action::ReadWrite) as u64
    }

    /// Whether anything is written.
    pub(super) fn writes(self) -> bool {
        self.arrays().2
    }

    /// What belongs into c[i] after so many passes.
    pub(super) fn result(self, i: usize, passes: u64) -> u64 {
        let once = match self {
            Action::ReadWrite => return u64::from(first(i)) + u64::from(FACTOR) * passes,
            Action::Copy => first(i),
            Action::Scale => FACTOR * first(i),
            Action::Add => first(i) + second(i),
            Action::Triad => first(i) + FACTOR * second(i),
            Action::Read | Action::Write => FACTOR,
        };
        u64::from(once)
    }
}

impl Kind {
    /// The bits of an element with this value.
    pub(super) fn bits(self, value: u32) -> u64 {
        match self {
            Kind::Float => f64::from(value).to_bits(),
            Kind::Int => u64::from(value),
        }
    }

    /// The bits of the constant that scale, triad, write and read-write use.
    pub(super) fn factor(self) -> u64 {
        self.bits(FACTOR)
    }

    /// The bits of a sum.
    #[inline(always)]
    pub(super) fn plus(self, one: u64, other: u64) -> u64 {
        match self {
            Kind::Float => (f64::from_bits(one) + f64::from_bits(other)).to_bits(),
            Kind::Int => one.wrapping_add(other),
        }
    }

    /// The bits of a product.
    #[inline(always)]
    pub(super) fn times(self, one: u64, other: u64) -> u64 {
        match self {
            Kind::Float => (f64::from_bits(one) * f64::from_bits(other)).to_bits(),
            Kind::Int => one.wrapping_mul(other),
        }
    }

    /// The bits of a sum that was counted exactly.
    #[allow(clippy::cast_precision_loss)] // compared with sums of the same doubles, exact below 2^53
    pub(super) fn total(self, value: u64) -> u64 {
        match self {
            Kind::Float => (value as f64).to_bits(),
            Kind::Int => value,
        }
    }

    /// An element in words.
    pub(super) fn shown(self, bits: u64) -> String {
        match self {
            Kind::Float => f64::from_bits(bits).to_string(),
            Kind::Int => bits.to_string(),
        }
    }
}

/// After so many elements the values of a repeat: a prime, so that stretches of a that lie elsewhere have other values.
const FIRST_PERIOD: usize = 8191;

/// After so many elements the values of b repeat.
const SECOND_PERIOD: usize = 127;

/// The value of a[i]: small, so that every right result is exact in any order of evaluation.
#[allow(clippy::cast_possible_truncation)] // below the period
pub(super) fn first(i: usize) -> u32 {
    1 + (i % FIRST_PERIOD) as u32
}

/// The value of b[i].
#[allow(clippy::cast_possible_truncation)] // below the period
pub(super) fn second(i: usize) -> u32 {
    2 + (i % SECOND_PERIOD) as u32
}

/// The sum of the first so many elements of a.
pub(super) fn first_total(count: usize) -> u64 {
    let (count, period) = (count as u64, FIRST_PERIOD as u64);
    let up_to = |last: u64| last * (last + 1) / 2;
    count / period * up_to(period) + up_to(count % period)
}

/// The elements of a, until they repeat.
pub(super) fn tile_of_first(kind: Kind) -> Vec<u64> {
    (0..FIRST_PERIOD).map(|i| kind.bits(first(i))).collect()
}

/// The elements of b, until they repeat.
pub(super) fn tile_of_second(kind: Kind) -> Vec<u64> {
    (0..SECOND_PERIOD).map(|i| kind.bits(second(i))).collect()
}
