//! The loops over arrays for every processor: one element at a time, or with the vectors that the compiler chooses.

#![allow(unsafe_code)] // volatile accesses, which the compiler may not join into vectors

use super::action::{Action, Kind};
use super::pass::{Operands, PassResult, SPOILED};
use std::ptr::{read_volatile, write_volatile};

/// Make passes of an action, one element at a time.
pub(super) fn scalar(kind: Kind, action: Action, arrays: &mut Operands<'_>, passes: u64) -> PassResult {
    match kind {
        Kind::Float => each_scalar(Kind::Float, action, arrays, passes),
        Kind::Int => each_scalar(Kind::Int, action, arrays, passes),
    }
}

#[inline(always)]
fn each_scalar(kind: Kind, action: Action, arrays: &mut Operands<'_>, passes: u64) -> PassResult {
    let factor = kind.factor();
    // SAFETY: references are valid to read from and to write to.
    let (get, put) =
        (|from: &u64| unsafe { read_volatile(from) }, |to: &mut u64, value: u64| unsafe { write_volatile(to, value) });
    let Operands { a, b, c, spoiled } = arrays;
    let mut sums = [0u64; 8];
    let mut made = 0;
    for pass in 1..=passes {
        if let (Some(at), true) = (*spoiled, pass == passes) {
            put(&mut c[at], SPOILED);
        }
        match action {
            Action::Copy => c.iter_mut().zip(*a).for_each(|(c, a)| put(c, get(a))),
            Action::Scale => c.iter_mut().zip(*a).for_each(|(c, a)| put(c, kind.times(factor, get(a)))),
            Action::Add => {
                c.iter_mut().zip(*a).zip(*b).for_each(|((c, a), b)| put(c, kind.plus(get(a), get(b))));
            }
            Action::Triad => c
                .iter_mut()
                .zip(*a)
                .zip(*b)
                .for_each(|((c, a), b)| put(c, kind.plus(get(a), kind.times(factor, get(b))))),
            Action::Read => {
                // Sums side by side: one would wait for each addition.
                let groups = a.chunks_exact(sums.len());
                sums[0] = groups.remainder().iter().fold(sums[0], |sum, a| kind.plus(sum, get(a)));
                for group in groups {
                    for (sum, a) in sums.iter_mut().zip(group) {
                        *sum = kind.plus(*sum, get(a));
                    }
                }
            }
            Action::Write => c.iter_mut().for_each(|c| put(c, factor)),
            Action::ReadWrite => c.iter_mut().for_each(|c| put(c, kind.plus(get(c), factor))),
        }
        made += 1;
    }
    PassResult { sum: sums.iter().fold(0, |total, sum| kind.plus(total, *sum)), passes: made, loops: None }
}

/// Make passes of an action with the vectors that every processor of this target has.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
pub(super) fn vectors(kind: Kind, action: Action, arrays: &mut Operands<'_>, passes: u64) -> PassResult {
    match kind {
        Kind::Float => each_vector(Kind::Float, action, arrays, passes),
        Kind::Int => each_vector(Kind::Int, action, arrays, passes),
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
#[inline(always)]
fn each_vector(kind: Kind, action: Action, arrays: &mut Operands<'_>, passes: u64) -> PassResult {
    let factor = kind.factor();
    let mut sums = [0u64; 32];
    let mut made = 0;
    for pass in 1..=passes {
        // SAFETY: references are valid to read from. The compiler, which knows nothing of the value that comes back,
        // may not merge passes.
        let (a, b) = unsafe { (read_volatile(&arrays.a), read_volatile(&arrays.b)) };
        let c: &mut [u64] = arrays.c;
        if let (Some(at), true) = (arrays.spoiled, pass == passes) {
            // SAFETY: references are valid to write to.
            unsafe { write_volatile(&mut c[at], SPOILED) };
        }
        match action {
            Action::Copy => c.copy_from_slice(a),
            Action::Scale => c.iter_mut().zip(a).for_each(|(c, a)| *c = kind.times(factor, *a)),
            Action::Add => c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = kind.plus(*a, *b)),
            Action::Triad => {
                c.iter_mut().zip(a).zip(b).for_each(|((c, a), b)| *c = kind.plus(*a, kind.times(factor, *b)));
            }
            Action::Read => {
                let groups = a.chunks_exact(sums.len());
                sums[0] = groups.remainder().iter().fold(sums[0], |sum, a| kind.plus(sum, *a));
                for group in groups {
                    sums.iter_mut().zip(group).for_each(|(sum, a)| *sum = kind.plus(*sum, *a));
                }
            }
            Action::Write => {
                c.fill(factor);
                // SAFETY: as above.
                let _ = unsafe { read_volatile(&c) };
            }
            Action::ReadWrite => {
                c.iter_mut().for_each(|c| *c = kind.plus(*c, factor));
                // SAFETY: as above.
                let _ = unsafe { read_volatile(&c) };
            }
        }
        // SAFETY: as above, and what is counted is a pass, not a product.
        made = unsafe { read_volatile(&made) } + 1;
    }
    PassResult { sum: sums.iter().fold(0, |total, sum| kind.plus(total, *sum)), passes: made, loops: None }
}
