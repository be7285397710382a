//! Memory bandwidth: simple operations on arrays of doubles, after McCalpin's STREAM and RAMspeed.
//!
//! The arrays are divided among the threads; each thread allocates and touches its own part. Bytes are counted as the
//! program reads and writes them: a cache that fetches a line before it is overwritten moves more, and that is not counted.
//! The values are small integers, so that every right result is exact in any order of evaluation.

#![allow(unsafe_code)] // functions compiled for instructions that are detected when the program runs; a volatile read

use crate::buffer::{ensure_memory, Buffer};
use crate::settings::{check_failed, wrong};
use crate::simd::{for_each_simd, Simd};
use crate::ParameterKind::Integer;
use crate::{parameter, Op, Parameter, Settings};
use std::sync::Arc;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{timed, CheckValue, Maker, Stretch, Task, Worker};

static SIZE: &[Parameter] = &[parameter("size", Integer, "64 MiB", "bytes of each array")];

macro_rules! op {
    ($name:literal, $work:literal) => {
        Op { name: $name, unit: Unit::BytePerSecond, work: $work, parameters: SIZE }
    };
}

pub(crate) static OPS: &[Op] = &[
    op!("copy", "bytes of 2 arrays: c = a"),
    op!("scale", "bytes of 2 arrays: c = 3 a"),
    op!("add", "bytes of 3 arrays: c = a + b"),
    op!("triad", "bytes of 3 arrays: c = a + 3 b"),
    op!("read", "bytes of 1 array: the sum of a"),
    op!("write", "bytes of 1 array: c = 3"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Copy,
    Scale,
    Add,
    Triad,
    Read,
    Write,
}

impl Action {
    /// Whether a, b and c are used.
    fn arrays(self) -> (bool, bool, bool) {
        match self {
            Action::Copy | Action::Scale => (true, false, true),
            Action::Add | Action::Triad => (true, true, true),
            Action::Read => (true, false, false),
            Action::Write => (false, false, true),
        }
    }

    fn count(self) -> u64 {
        let (a, b, c) = self.arrays();
        u64::from(a) + u64::from(b) + u64::from(c)
    }

    /// What belongs into c[i].
    fn result(self, i: usize) -> f64 {
        match self {
            Action::Copy => first(i),
            Action::Scale => FACTOR * first(i),
            Action::Add => first(i) + second(i),
            Action::Triad => first(i) + FACTOR * second(i),
            Action::Read | Action::Write => FACTOR,
        }
    }
}

const FACTOR: f64 = 3.0;

/// Every so many elements of the result are spoiled before each iteration and looked at after it.
const PROBE: usize = 509;

#[allow(clippy::cast_precision_loss)] // below 7
fn first(i: usize) -> f64 {
    1.0 + (i % 7) as f64
}

#[allow(clippy::cast_precision_loss)] // below 5
fn second(i: usize) -> f64 {
    2.0 + (i % 5) as f64
}

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    let action = match task.op.as_str() {
        "copy" => Action::Copy,
        "scale" => Action::Scale,
        "add" => Action::Add,
        "triad" => Action::Triad,
        "read" => Action::Read,
        _ => Action::Write,
    };
    let size = settings.integer("size", 64 << 20, 8..=1 << 50)?;
    let threads = task.threads;
    if size % 8 != 0 || size / 8 < threads as u64 {
        return Err(wrong(format!("size is {size}, not a multiple of 8 with at least 8 bytes for each thread")));
    }
    ensure_memory(size * action.count(), &format!("{} arrays of {size} bytes", action.count()))?;
    let length = usize::try_from(size / 8).map_err(|_| wrong("size is too large for this processor"))?;
    Ok(Arc::new(move |index| {
        let part = length / threads + usize::from(index < length % threads);
        Ok(Box::new(Arrays::new(action, part)?))
    }))
}

struct Arrays {
    action: Action,
    simd: Simd,
    length: usize,
    a: Option<Buffer>,
    b: Option<Buffer>,
    c: Option<Buffer>,
    huge_pages: &'static str,
    sum: f64,
    expected_sum: f64,
}

impl Arrays {
    fn new(action: Action, length: usize) -> Result<Self, Failure> {
        let (a, b, c) = action.arrays();
        let array = |used: bool, value: &dyn Fn(usize) -> f64| -> Result<Option<Buffer>, Failure> {
            if !used {
                return Ok(None);
            }
            let mut buffer = Buffer::new(length * 8)?;
            buffer.wish_huge_pages(true);
            for (i, element) in buffer.doubles_mut().iter_mut().enumerate() {
                *element = value(i);
            }
            Ok(Some(buffer))
        };
        let (a, b, c) = (array(a, &first)?, array(b, &second)?, array(c, &|_| f64::NAN)?);
        // Any array speaks for all: they are alike.
        let huge_pages = a.as_ref().or(c.as_ref()).map_or("unknown", Buffer::huge_pages);
        let expected_sum = (0..length).map(first).sum();
        Ok(Arrays { action, simd: Simd::detect(), length, a, b, c, huge_pages, sum: 0.0, expected_sum })
    }

    fn check(&self, step: usize) -> Result<(), Failure> {
        let result = self.c.as_ref().map_or(&[][..], Buffer::doubles);
        for (i, value) in result.iter().enumerate().step_by(step) {
            let right = self.action.result(i);
            // Written so that not-a-number fails as well.
            if !(*value == right) {
                return Err(check_failed(format!("element {i} of the result is {value}, not {right}")));
            }
        }
        Ok(())
    }
}

/// The same value, of which the compiler knows nothing: it may not merge or move repeats.
fn opaque<T: Copy>(value: T) -> T {
    // SAFETY: a reference is valid to read from.
    unsafe { std::ptr::read_volatile(&value) }
}

impl Worker for Arrays {
    fn before(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.sum = f64::NAN;
        if let Some(c) = &mut self.c {
            c.doubles_mut().iter_mut().step_by(PROBE).for_each(|probe| *probe = f64::NAN);
        }
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let (action, simd) = (self.action, self.simd);
        let a = self.a.as_ref().map_or(&[][..], Buffer::doubles);
        let b = self.b.as_ref().map_or(&[][..], Buffer::doubles);
        let c = self.c.as_mut().map_or(&mut [][..], Buffer::doubles_mut);
        let sum = &mut self.sum;
        let work = self.action.count() * self.length as u64 * 8 * repeats;
        timed(work, || {
            for _ in 0..repeats {
                let (a, b, factor) = (opaque(a), opaque(b), opaque(FACTOR));
                match action {
                    Action::Copy => copy(simd, c, a),
                    Action::Scale => scale(simd, c, a, factor),
                    Action::Add => add(simd, c, a, b),
                    Action::Triad => triad(simd, c, a, b, factor),
                    Action::Read => *sum = total(simd, a),
                    Action::Write => write(simd, c, factor),
                }
            }
            Ok(())
        })
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        if self.action == Action::Read {
            if !(self.sum == self.expected_sum) {
                return Err(check_failed(format!("the sum is {}, not {}", self.sum, self.expected_sum)));
            }
            return Ok(CheckValue::Checksum(self.sum.to_bits()));
        }
        self.check(PROBE)?;
        let result = self.c.as_ref().map_or(&[][..], Buffer::doubles);
        let probes = result.iter().step_by(PROBE).map(|value| value.to_bits());
        Ok(CheckValue::Checksum(probes.fold(0, |sum, bits| sum.rotate_left(1) ^ bits)))
    }

    fn conditions(&self) -> Conditions {
        Conditions::from([
            ("simd".to_owned(), self.simd.name().to_owned()),
            ("huge_pages".to_owned(), self.huge_pages.to_owned()),
        ])
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.check(1)?;
        self.after()
    }
}

for_each_simd!(copy = copy_with(c: &mut [f64], a: &[f64]));
for_each_simd!(scale = scale_with(c: &mut [f64], a: &[f64], factor: f64));
for_each_simd!(add = add_with(c: &mut [f64], a: &[f64], b: &[f64]));
for_each_simd!(triad = triad_with(c: &mut [f64], a: &[f64], b: &[f64], factor: f64));
for_each_simd!(total = total_with(a: &[f64]) -> f64);
for_each_simd!(write = write_with(c: &mut [f64], factor: f64));

#[inline(always)]
fn copy_with<const FUSED: bool>(c: &mut [f64], a: &[f64]) {
    c.copy_from_slice(a);
}

#[inline(always)]
fn scale_with<const FUSED: bool>(c: &mut [f64], a: &[f64], factor: f64) {
    for (c, a) in c.iter_mut().zip(a) {
        *c = factor * *a;
    }
}

#[inline(always)]
fn add_with<const FUSED: bool>(c: &mut [f64], a: &[f64], b: &[f64]) {
    for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
        *c = *a + *b;
    }
}

#[inline(always)]
fn triad_with<const FUSED: bool>(c: &mut [f64], a: &[f64], b: &[f64], factor: f64) {
    for ((c, a), b) in c.iter_mut().zip(a).zip(b) {
        *c = if FUSED { factor.mul_add(*b, *a) } else { *a + factor * *b };
    }
}

/// Many sums side by side: one would wait for each addition.
#[inline(always)]
fn total_with<const FUSED: bool>(a: &[f64]) -> f64 {
    const LANES: usize = 32;
    let mut sums = [0.0f64; LANES];
    let chunks = a.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += value;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[inline(always)]
fn write_with<const FUSED: bool>(c: &mut [f64], factor: f64) {
    for c in c.iter_mut() {
        *c = factor;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    const ACTIONS: [Action; 6] = [Action::Copy, Action::Scale, Action::Add, Action::Triad, Action::Read, Action::Write];

    #[test]
    fn every_operation_has_its_known_result() {
        for simd in [Simd::Baseline, Simd::detect()] {
            for action in ACTIONS {
                for length in [1, 31, 32, 1000] {
                    let mut arrays = Arrays::new(action, length).unwrap();
                    arrays.simd = simd;
                    arrays.before(2).unwrap();
                    assert_eq!(arrays.run(2).unwrap().work, 2 * 8 * length as u64 * action.count());
                    arrays.after().unwrap();
                    arrays.finish().unwrap();
                    let element = length - 1;
                    if let Some(c) = &arrays.c {
                        let (a, b) = (1.0 + (element % 7) as f64, 2.0 + (element % 5) as f64);
                        let right = match action {
                            Action::Copy => a,
                            Action::Scale => 3.0 * a,
                            Action::Add => a + b,
                            Action::Triad => a + 3.0 * b,
                            _ => 3.0,
                        };
                        assert_eq!(c.doubles()[element], right);
                    }
                }
            }
        }
        let mut read = Arrays::new(Action::Read, 14).unwrap();
        read.run(1).unwrap();
        assert_eq!(read.sum, 56.0);
    }

    #[test]
    fn a_planted_wrong_result_is_reported() {
        for action in ACTIONS {
            let mut arrays = Arrays::new(action, 1000).unwrap();
            arrays.before(1).unwrap();
            arrays.run(1).unwrap();
            match &mut arrays.c {
                Some(c) => c.doubles_mut()[PROBE] += 1.0,
                None => arrays.sum += 1.0,
            }
            assert_eq!(arrays.after().unwrap_err().code, Code::CheckFailed);
        }
    }

    #[test]
    fn a_wrong_element_between_the_probes_is_reported_at_the_end() {
        let mut arrays = Arrays::new(Action::Triad, 1000).unwrap();
        arrays.before(1).unwrap();
        arrays.run(1).unwrap();
        arrays.c.as_mut().unwrap().doubles_mut()[3] = 0.0;
        arrays.after().unwrap();
        assert_eq!(arrays.finish().unwrap_err().code, Code::CheckFailed);
    }

    #[test]
    fn an_iteration_that_does_nothing_is_reported() {
        for action in ACTIONS {
            let mut arrays = Arrays::new(action, 1000).unwrap();
            arrays.before(1).unwrap();
            assert_eq!(arrays.after().unwrap_err().code, Code::CheckFailed);
        }
    }
}
