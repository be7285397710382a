//! The benchmark's system of equations: how it is made, and how a solution of it is checked.

use crate::settings::check_failed;
use crate::simd::Simd;
use virtometer_protocol::{Conditions, Failure};

/// Residuals of right solutions grow as the order does, because they are divided by the largest element and not by a
/// norm of the matrix: 1.2 at 100, 9.4 at 1000, 20 at 2000. A wrong solution is off by many orders of magnitude.
fn largest_residual(n: f64) -> f64 {
    (n / 10.0).max(16.0)
}

/// Operations of which a thread makes no more in a tenth of a second: 100 GFLOP/s.
const LONG: u64 = 10_000_000_000;

/// Period of the 16-bit generator.
const PERIOD_16: usize = 1 << 14;

/// Where the elements of the matrix come from: the benchmark has had two generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generator {
    /// Modulus 2^48, multiplier 33952834046453, values within ±0.5 (the Fortran program since 1992, LAPACK's dlaran; G.
    /// S. Fishman: Multiplicative congruential random number generators with modulus 2^b, 1990). Seeds 1, 2, 3, 1325.
    Bits48,
    /// Modulus 2^16, multiplier 3125, values within ±2 (the C program). Seed 1325. It repeats itself after 16,384
    /// numbers, which gives matrices of some orders equal columns.
    Bits16,
}

impl Generator {
    /// Its name as a parameter.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Generator::Bits48 => "48-bit",
            Generator::Bits16 => "16-bit",
        }
    }

    /// Whether the matrix of this order has two equal columns and so no solution.
    pub(crate) fn is_singular(self, order: usize) -> bool {
        let power = 1usize << order.trailing_zeros().min(14);
        self == Generator::Bits16 && PERIOD_16 / power < order
    }

    /// Fill the first `n` elements of each column with the numbers, in order, each times `scale`, a power of two.
    #[inline(always)]
    fn numbers(self, columns: std::slice::ChunksExactMut<'_, f64>, n: usize, scale: f64) {
        match self {
            Generator::Bits48 => {
                let mut state = (1u64 << 36) + (2 << 24) + (3 << 12) + 1325;
                for a in columns.flat_map(|column| &mut column[..n]) {
                    state = state.wrapping_mul(33_952_834_046_453) & ((1 << 48) - 1);
                    #[allow(clippy::cast_precision_loss, clippy::cast_possible_wrap)] // 48 bits fit
                    let whole = state as i64 as f64;
                    *a = (whole / (1u64 << 48) as f64 - 0.5) * scale;
                }
            }
            Generator::Bits16 => {
                let mut state = 1325u32;
                for a in columns.flat_map(|column| &mut column[..n]) {
                    state = 3125 * state % 65_536;
                    *a = (f64::from(state) - 32_768.0) / 16_384.0 * scale;
                }
            }
        }
    }
}

/// By which powers of two a system differs from the benchmark's own: its matrix, and its solution. Multiplying by a
/// power of two is exact, so that factors, solution and normalised residual are those of the benchmark's system, bit
/// for bit, but for the powers. A factorisation or solution that is copied from another system has the wrong ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(super) matrix: f64,
    pub(super) solution: f64,
}

impl Scale {
    /// The benchmark's own system.
    #[cfg(test)]
    pub(super) const ONE: Scale = Scale { matrix: 1.0, solution: 1.0 };

    /// Of system `index` of iteration `turn`: another one than those of its neighbours and than in the iterations
    /// before and after. The solution is never that of the benchmark's own system.
    pub(crate) fn of(turn: u64, index: usize) -> Self {
        let number = |step: u64, range: u64| ((turn % range) * step + index as u64) % range;
        let power = |exponent: u64| (1u64 << exponent) as f64;
        Scale { matrix: power(number(5, 29)) / power(14), solution: power(number(7, 30) + 1) }
    }
}

/// A system of order `n` whose matrix lies by columns, each `ld` elements after the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System {
    pub(crate) n: usize,
    pub(crate) ld: usize,
    pub(crate) generator: Generator,
}

impl System {
    /// A system whose columns start at cache lines and are not a multiple of 4 KiB apart, because such columns would
    /// compete for the same places in a cache.
    pub(crate) fn spaced(n: usize, generator: Generator) -> Self {
        let ld = n.next_multiple_of(8);
        System { n, ld: if ld.is_multiple_of(512) { ld + 8 } else { ld }, generator }
    }

    /// Floating-point operations of a solution, as the benchmark counts them, truncated once.
    pub(crate) fn operations(&self) -> u64 {
        let n = self.n as u64;
        2 * n * n * n / 3 + 2 * n * n
    }

    /// Whether solving `repeats` of them is a sample for certain: each thread has a tenth of a second's work or more.
    pub(crate) fn is_long(&self, repeats: usize, threads: usize) -> bool {
        self.operations() * repeats as u64 / threads as u64 >= LONG
    }

    /// Numbers of one copy: the matrix and, after it, the right-hand side.
    pub(crate) fn length(&self) -> usize {
        self.ld * (self.n + 1)
    }

    /// Bytes of one copy. May be more than a 32-bit machine can address.
    pub(crate) fn bytes(&self) -> u64 {
        self.ld as u64 * (self.n as u64 + 1) * 8
    }

    /// A copy as matrix and right-hand side (which has `n` numbers).
    pub(crate) fn parts<'a>(&self, copy: &'a mut [f64]) -> (&'a mut [f64], &'a mut [f64]) {
        let (matrix, right) = copy.split_at_mut(self.ld * self.n);
        (matrix, &mut right[..self.n])
    }

    /// Make the matrix, and the right-hand side whose solution is all ones (the sums of the rows), both times powers of
    /// two.
    pub(crate) fn generate(&self, copy: &mut [f64], scale: Scale) {
        let (matrix, right) = self.parts(copy);
        self.generator.numbers(matrix.chunks_exact_mut(self.ld), self.n, scale.matrix);
        right.fill(0.0);
        for column in matrix.chunks_exact(self.ld) {
            for (sum, a) in right.iter_mut().zip(column) {
                *sum += a;
            }
        }
        right.iter_mut().for_each(|sum| *sum *= scale.solution);
    }

    /// Make the systems of iteration `turn`.
    pub(crate) fn generate_all(&self, copies: &mut [f64], turn: u64) {
        for (index, copy) in copies.chunks_exact_mut(self.length()).enumerate() {
            self.generate(copy, Scale::of(turn, index));
        }
    }

    /// The solution that a worked-on copy holds.
    pub(crate) fn solution<'a>(&self, copy: &'a [f64]) -> &'a [f64] {
        &copy[self.ld * self.n..][..self.n]
    }

    /// Verify the solutions of all systems of iteration `turn`, of which the first is made anew. The normalised
    /// residual.
    pub(crate) fn verify(&self, copies: &mut [f64], turn: u64) -> Result<f64, Failure> {
        let (first, others) = copies.split_at_mut(self.length());
        let solution = self.solution(first).to_vec();
        let scale = Scale::of(turn, 0);
        // But for the powers of two the solutions are equal, bit for bit: one residual stands for all.
        let differs = |(index, other): (usize, &[f64])| {
            let ratio = Scale::of(turn, index + 1).solution / scale.solution;
            self.solution(other).iter().zip(&solution).any(|(other, one)| *other != one * ratio)
        };
        if others.chunks_exact(self.length()).enumerate().any(differs) {
            return Err(check_failed("two solutions of the same system differ"));
        }
        self.generate(first, scale);
        let (matrix, right) = self.parts(first);
        let residual = self.residual(matrix, right, &solution);
        let largest = largest_residual(self.order());
        if residual.is_nan() || residual >= largest {
            let message = format!("the normalised residual is {residual:e}, a right solution has less than {largest}");
            return Err(check_failed(message));
        }
        Ok(residual)
    }

    /// Compare the operations that an iteration counted with the systems that were worked on.
    pub(crate) fn check_count(&self, counted: u64, copies: &[f64]) -> Result<(), Failure> {
        let solved = (copies.len() / self.length()) as u64;
        if counted != solved * self.operations() {
            return Err(check_failed(format!("{counted} operations were counted for {solved} solutions")));
        }
        Ok(())
    }

    /// max |Ax - b| / (n × max |A| × max |x| × epsilon), the benchmark's normalisation. `right` becomes Ax - b.
    pub(super) fn residual(&self, matrix: &[f64], right: &mut [f64], solution: &[f64]) -> f64 {
        right.iter_mut().for_each(|b| *b = -*b);
        let mut norm = 0.0f64;
        for (column, x) in matrix.chunks_exact(self.ld).zip(solution) {
            for (r, a) in right.iter_mut().zip(column) {
                *r += a * x;
                norm = if a.abs() <= norm { norm } else { a.abs() };
            }
        }
        largest(right) / (self.order() * norm * largest(solution) * f64::EPSILON)
    }

    /// What decides whether its results may be compared.
    pub(crate) fn conditions(&self, simd: Simd, huge_pages: &str) -> Conditions {
        [("simd", simd.name()), ("generator", self.generator.name()), ("huge_pages", huge_pages)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into()
    }

    fn order(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // the order of a matrix that fits into memory
        let n = self.n as f64;
        n
    }
}

/// A factorisation has met a column whose elements are all zero.
pub(super) fn singular() -> Failure {
    check_failed("the matrix turned out singular")
}

/// The largest magnitude. f64::max would hide not-a-number.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0f64, |max, v| if v.abs() <= max { max } else { v.abs() })
}
