//! The loops over arrays for x86, in assembly: what is measured is exactly these instructions, whatever the compiler.
//!
//! Every loop works on whole turns and repeats its pass as often as asked, so that calling it costs nothing even where
//! a pass takes a few cycles. Registers 0 to 7 suffice, so that the vector loops serve 32-bit processors too.

#![allow(unsafe_code)] // assembly, chosen for instructions that are detected when the program runs

use super::action::{Action, Kind};
use super::pass::{Operands, PassConfig, PassResult};
use super::portable::scalar;
use crate::simd::Width;
use std::arch::asm;

/// Bytes of a line of the cache, and of the widest vector.
const LINE: usize = 64;

/// What a loop needs to know beside its three arrays. The offsets are written out in the assembly.
#[repr(C, align(64))]
struct Frame {
    /// The constant, in every lane of the widest vector. Offset 0.
    factor: [u64; 8],
    /// What a reading loop leaves: the sum of each lane. Offset 64.
    sums: [u64; 8],
    /// Minus the bytes of each array. Offset 128.
    from: i64,
    /// Passes to make, which a loop counts down at the end of each. Offset 136.
    passes: u32,
    /// The same places on 32-bit processors. Offset 140.
    _even: u32,
    /// The word that the last pass spoils before it begins. Offset 144.
    spoiled: *mut u64,
}

/// Operands as the loops take them: the *ends* of the arrays, of which those that the action does not use are ignored.
#[derive(Clone, Copy)]
struct Ends {
    a: *const u64,
    b: *const u64,
    c: *mut u64,
}

/// Most passes of one call of a loop.
const MOST_PASSES: u64 = 1 << 30;

/// Make passes over whole arrays. What does not fill a turn is done one element at a time.
///
/// Those arrays that the action uses must be equally long and begin at a line of the cache; the processor must have the
/// width's instructions.
pub(super) fn sweep(config: PassConfig, arrays: Operands<'_>, passes: u64) -> PassResult {
    let PassConfig { action, kind, width, streaming, .. } = config;
    let Operands { a, b, c, spoiled } = arrays;
    let length = a.len().max(c.len());
    let (uses_a, uses_b, uses_c) = action.arrays();
    let parts = [(uses_a, a.as_ptr(), a.len()), (uses_b, b.as_ptr(), b.len()), (uses_c, c.as_ptr(), c.len())];
    for (_, start, own) in parts.into_iter().filter(|(used, ..)| *used) {
        assert!(
            own == length && (start as usize).is_multiple_of(LINE),
            "an array is shorter than others or not aligned"
        );
    }
    assert!(width.available(), "the processor lacks what was chosen");
    let whole = length - length % turn(width, action);
    let mut swept = PassResult { sum: kind.bits(0), passes, loops: None };
    if whole > 0 {
        let ends = Ends {
            a: a.as_ptr().wrapping_add(whole),
            b: b.as_ptr().wrapping_add(whole),
            c: c.as_mut_ptr().wrapping_add(whole),
        };
        let spoiled = spoiled.filter(|at| *at < whole).map(|at| c.as_mut_ptr().wrapping_add(at));
        let chosen = chosen(width, kind, streaming);
        // SAFETY: the processor has the instructions; the arrays that are used are this long and aligned.
        let (lanes, made, loops) = unsafe { turns(chosen, action, ends, whole * 8, kind, passes, spoiled) };
        let sum = lanes.into_iter().fold(swept.sum, |sum, lane| kind.plus(sum, lane));
        swept = PassResult { sum, passes: made, loops: Some(loops) };
    }
    if whole < length {
        let rest = |array: &'_ [u64]| array.len().min(whole);
        let (from_a, from_b, from_c) = (rest(a), rest(b), rest(c));
        let spoiled = spoiled.and_then(|at| at.checked_sub(whole));
        let mut rest = Operands { a: &a[from_a..], b: &b[from_b..], c: &mut c[from_c..], spoiled };
        let rest = scalar(kind, action, &mut rest, passes);
        swept = PassResult { sum: kind.plus(swept.sum, rest.sum), passes: swept.passes.min(rest.passes), ..swept };
    }
    swept
}

/// Elements that a turn of a loop works on.
fn turn(width: Width, action: Action) -> usize {
    let lanes = match width {
        Width::Scalar => 1,
        Width::Sse => 2,
        Width::Avx => 4,
        Width::Avx512 => 8,
    };
    lanes * if action == Action::Read { 8 } else { 4 }
}

/// Make passes over whole turns and return the sums of the lanes of a reading action, how many passes there were, and
/// the name of the loops.
///
/// # Safety
///
/// The processor must have the instructions of `loops`; `bytes` must be whole turns and not 0; the arrays that the
/// action uses must be this long and begin at a line of the cache.
unsafe fn turns(
    loops: Loops,
    action: Action,
    ends: Ends,
    bytes: usize,
    kind: Kind,
    passes: u64,
    spoiled: Option<*mut u64>,
) -> ([u64; 8], u64, &'static str) {
    #[allow(clippy::cast_possible_wrap)] // the length of an array
    let from = -(bytes as i64);
    // Spoiled where no element may be.
    let mut spare = 0u64;
    let spoiled = spoiled.unwrap_or(&mut spare);
    let mut frame = Frame { factor: [kind.factor(); 8], sums: [0; 8], from, passes: 0, _even: 0, spoiled };
    let (mut total, mut made, mut name) = ([0u64; 8], 0, "");
    let mut left = passes;
    while left > 0 {
        #[allow(clippy::cast_possible_truncation)] // at most 2^30
        let now = left.min(MOST_PASSES) as u32;
        left -= u64::from(now);
        frame.passes = now;
        name = loops(action, ends, &mut frame);
        made += u64::from(now - frame.passes.min(now));
        for (total, sum) in total.iter_mut().zip(frame.sums) {
            *total = kind.plus(*total, sum);
        }
    }
    (total, made, name)
}

/// Loops, which return their own name.
type Loops = unsafe fn(Action, Ends, &mut Frame) -> &'static str;

fn chosen(width: Width, kind: Kind, streaming: bool) -> Loops {
    match (width, kind, streaming) {
        #[cfg(target_arch = "x86_64")]
        (Width::Scalar, Kind::Float, false) => scalar_float,
        #[cfg(target_arch = "x86_64")]
        (Width::Scalar, Kind::Float, true) => scalar_float_streaming,
        #[cfg(target_arch = "x86_64")]
        (Width::Scalar, Kind::Int, false) => scalar_int,
        #[cfg(target_arch = "x86_64")]
        (Width::Scalar, Kind::Int, true) => scalar_int_streaming,
        (Width::Sse, Kind::Float, false) => sse_float,
        (Width::Sse, Kind::Float, true) => sse_float_streaming,
        (Width::Sse, Kind::Int, false) => sse_int,
        (Width::Sse, Kind::Int, true) => sse_int_streaming,
        (Width::Avx, Kind::Float, false) => avx_float,
        (Width::Avx, Kind::Float, true) => avx_float_streaming,
        (Width::Avx, Kind::Int, false) => avx_int,
        (Width::Avx, Kind::Int, true) => avx_int_streaming,
        (Width::Avx512, Kind::Float, false) => avx512_float,
        (Width::Avx512, Kind::Float, true) => avx512_float_streaming,
        (Width::Avx512, Kind::Int, false) => avx512_int,
        (Width::Avx512, Kind::Int, true) => avx512_int_streaming,
        #[cfg(not(target_arch = "x86_64"))]
        (Width::Scalar, _, _) => unreachable!("the scalar loops of 32-bit processors are the portable ones"),
    }
}

/// All passes over all turns: `i` counts from minus the arrays' bytes up to zero.
macro_rules! passes {
    ($frame:ident, $step:literal, [$($first:expr,)*], [$($body:expr,)*], [$($last:expr,)*], $($operand:tt)*) => {
        asm!(
            $($first,)*
            "2:",
            "cmp dword ptr [{p} + 136], 1",
            "jne 4f",
            // The upper half of a word that is no result: not-a-number, and as an integer far too large.
            "mov {i}, [{p} + 144]",
            "mov dword ptr [{i} + 4], 0x7FF80000",
            "4:",
            "mov {i}, [{p} + 128]",
            ".p2align 5",
            "3:",
            $($body,)*
            concat!("add {i}, ", $step),
            "jnz 3b",
            "dec dword ptr [{p} + 136]",
            "jnz 2b",
            $($last,)*
            i = out(reg) _,
            p = in(reg) $frame,
            $($operand)*
        )
    };
}

/// The loops of one width, one kind of numbers and one kind of stores: four registers a turn where something is
/// written, all that are summed in where it is only read. Lines of the cache are fetched 8 KiB ahead of the latter, if
/// so many a turn are asked for. Instructions are for register `\k`, up to their memory operand.
macro_rules! loops {
    ($name:ident: $bytes:literal bytes, $step:literal a turn, clobber [$($clobber:tt),*],
     load $load:literal, add $add:literal, multiply $multiply:literal, increase $increase:literal, factor $factor:literal,
     store $prepare:literal $store:literal $source:literal, constant $prepare_constant:literal $constant:literal,
     sum $sums:literal, $stride:literal a turn, clear $clear:literal, fold $others:literal $fold:literal,
     keep $keep:literal, end $fence:literal $end:literal, lines ahead $lines:literal) => {
        // SAFETY: only `sweep` calls it, with the conditions of its own.
        unsafe fn $name(action: Action, ends: Ends, frame: &mut Frame) -> &'static str {
            let Ends { a, b, c } = ends;
            match action {
                Action::Copy => passes!(frame, $step, [],
                    [".irp k,0,1,2,3",
                     concat!($load, " [{a} + {i} + \\k*", $bytes, "]"),
                     $prepare, concat!($store, " [{c} + {i} + \\k*", $bytes, "], ", $source),
                     ".endr",],
                    [$fence, $end,],
                    a = in(reg) a, c = in(reg) c, $(out($clobber) _,)*),
                Action::Scale => passes!(frame, $step, [concat!($factor, " [{p}]"),],
                    [".irp k,0,1,2,3",
                     concat!($load, " [{a} + {i} + \\k*", $bytes, "]"),
                     $multiply,
                     $prepare, concat!($store, " [{c} + {i} + \\k*", $bytes, "], ", $source),
                     ".endr",],
                    [$fence, $end,],
                    a = in(reg) a, c = in(reg) c, $(out($clobber) _,)*),
                Action::Add => passes!(frame, $step, [],
                    [".irp k,0,1,2,3",
                     concat!($load, " [{a} + {i} + \\k*", $bytes, "]"),
                     concat!($add, " [{b} + {i} + \\k*", $bytes, "]"),
                     $prepare, concat!($store, " [{c} + {i} + \\k*", $bytes, "], ", $source),
                     ".endr",],
                    [$fence, $end,],
                    a = in(reg) a, b = in(reg) b, c = in(reg) c, $(out($clobber) _,)*),
                Action::Triad => passes!(frame, $step, [concat!($factor, " [{p}]"),],
                    [".irp k,0,1,2,3",
                     concat!($load, " [{b} + {i} + \\k*", $bytes, "]"),
                     $multiply,
                     concat!($add, " [{a} + {i} + \\k*", $bytes, "]"),
                     $prepare, concat!($store, " [{c} + {i} + \\k*", $bytes, "], ", $source),
                     ".endr",],
                    [$fence, $end,],
                    a = in(reg) a, b = in(reg) b, c = in(reg) c, $(out($clobber) _,)*),
                Action::Write => passes!(frame, $step, [concat!($factor, " [{p}]"), $prepare_constant,],
                    [".irp k,0,1,2,3",
                     concat!($store, " [{c} + {i} + \\k*", $bytes, "], ", $constant),
                     ".endr",],
                    [$fence, $end,],
                    c = in(reg) c, $(out($clobber) _,)*),
                Action::ReadWrite => passes!(frame, $step, [concat!($factor, " [{p}]"),],
                    [".irp k,0,1,2,3",
                     concat!($load, " [{c} + {i} + \\k*", $bytes, "]"),
                     $increase,
                     $prepare, concat!($store, " [{c} + {i} + \\k*", $bytes, "], ", $source),
                     ".endr",],
                    [$fence, $end,],
                    c = in(reg) c, $(out($clobber) _,)*),
                Action::Read => passes!(frame, $stride,
                    [concat!(".irp k,", $sums), $clear, ".endr",],
                    [".irp k,0,1,2,3,4,5,6,7",
                     concat!(".if \\k < ", $lines), "prefetcht0 [{a} + {i} + \\k*64 + 8192]", ".endif",
                     ".endr",
                     concat!(".irp k,", $sums), concat!($add, " [{a} + {i} + \\k*", $bytes, "]"), ".endr",],
                    [concat!(".irp k,", $others), $fold, ".endr", $keep, $end,],
                    a = in(reg) a, $(out($clobber) _,)*),
            }
            stringify!($name)
        }
    };
}

loops!(sse_float: "16" bytes, "64" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "movapd xmm\\k,", add "addpd xmm\\k,", multiply "mulpd xmm\\k, xmm7", increase "addpd xmm\\k, xmm7", factor "movapd xmm7,",
    store "" "movapd" "xmm\\k", constant "" "xmm7",
    sum "0,1,2,3,4,5,6,7", "128" a turn, clear "pxor xmm\\k, xmm\\k", fold "1,2,3,4,5,6,7" "addpd xmm0, xmm\\k",
    keep "movapd [{p} + 64], xmm0", end "" "", lines ahead "0");
loops!(sse_int: "16" bytes, "64" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "movdqa xmm\\k,", add "paddq xmm\\k,", multiply "pmuludq xmm\\k, xmm7", increase "paddq xmm\\k, xmm7", factor "movdqa xmm7,",
    store "" "movdqa" "xmm\\k", constant "" "xmm7",
    sum "0,1,2,3,4,5,6,7", "128" a turn, clear "pxor xmm\\k, xmm\\k", fold "1,2,3,4,5,6,7" "paddq xmm0, xmm\\k",
    keep "movdqa [{p} + 64], xmm0", end "" "", lines ahead "0");
loops!(avx_float: "32" bytes, "128" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovapd ymm\\k,", add "vaddpd ymm\\k, ymm\\k,", multiply "vmulpd ymm\\k, ymm\\k, ymm7", increase "vaddpd ymm\\k, ymm\\k, ymm7", factor "vmovapd ymm7,",
    store "" "vmovapd" "ymm\\k", constant "" "ymm7",
    sum "0,1,2,3,4,5,6,7", "256" a turn, clear "vpxor ymm\\k, ymm\\k, ymm\\k", fold "1,2,3,4,5,6,7" "vaddpd ymm0, ymm0, ymm\\k",
    keep "vmovapd [{p} + 64], ymm0", end "" "vzeroupper", lines ahead "0");
loops!(avx_int: "32" bytes, "128" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovdqa ymm\\k,", add "vpaddq ymm\\k, ymm\\k,", multiply "vpmuludq ymm\\k, ymm\\k, ymm7", increase "vpaddq ymm\\k, ymm\\k, ymm7", factor "vmovdqa ymm7,",
    store "" "vmovdqa" "ymm\\k", constant "" "ymm7",
    sum "0,1,2,3,4,5,6,7", "256" a turn, clear "vpxor ymm\\k, ymm\\k, ymm\\k", fold "1,2,3,4,5,6,7" "vpaddq ymm0, ymm0, ymm\\k",
    keep "vmovdqa [{p} + 64], ymm0", end "" "vzeroupper", lines ahead "0");
loops!(avx512_float: "64" bytes, "256" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovapd zmm\\k,", add "vaddpd zmm\\k, zmm\\k,", multiply "vmulpd zmm\\k, zmm\\k, zmm7", increase "vaddpd zmm\\k, zmm\\k, zmm7", factor "vmovapd zmm7,",
    store "" "vmovapd" "zmm\\k", constant "" "zmm7",
    sum "0,1,2,3,4,5,6,7", "512" a turn, clear "vpxorq zmm\\k, zmm\\k, zmm\\k", fold "1,2,3,4,5,6,7" "vaddpd zmm0, zmm0, zmm\\k",
    keep "vmovapd [{p} + 64], zmm0", end "" "vzeroupper", lines ahead "0");
loops!(avx512_int: "64" bytes, "256" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovdqa64 zmm\\k,", add "vpaddq zmm\\k, zmm\\k,", multiply "vpmuludq zmm\\k, zmm\\k, zmm7", increase "vpaddq zmm\\k, zmm\\k, zmm7", factor "vmovdqa64 zmm7,",
    store "" "vmovdqa64" "zmm\\k", constant "" "zmm7",
    sum "0,1,2,3,4,5,6,7", "512" a turn, clear "vpxorq zmm\\k, zmm\\k, zmm\\k", fold "1,2,3,4,5,6,7" "vpaddq zmm0, zmm0, zmm\\k",
    keep "vmovdqa64 [{p} + 64], zmm0", end "" "vzeroupper", lines ahead "0");
#[cfg(target_arch = "x86_64")]
loops!(scalar_float: "8" bytes, "32" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "rax"],
    load "movsd xmm\\k,", add "addsd xmm\\k,", multiply "mulsd xmm\\k, xmm7", increase "addsd xmm\\k, xmm7", factor "movsd xmm7,",
    store "" "movsd" "xmm\\k", constant "" "xmm7",
    sum "0,1,2,3,4,5,6,7", "64" a turn, clear "pxor xmm\\k, xmm\\k", fold "1,2,3,4,5,6,7" "addsd xmm0, xmm\\k",
    keep "movsd [{p} + 64], xmm0", end "" "", lines ahead "0");
#[cfg(target_arch = "x86_64")]
loops!(scalar_int: "8" bytes, "32" a turn, clobber ["rax", "r9", "r10", "r11", "r12", "r13"],
    load "mov r1\\k,", add "add r1\\k,", multiply "imul r1\\k, r9", increase "add r1\\k, r9", factor "mov r9,",
    store "" "mov" "r1\\k", constant "" "r9",
    sum "0,1,2,3", "32" a turn, clear "xor r1\\k, r1\\k", fold "1,2,3" "add r10, r1\\k",
    keep "mov [{p} + 64], r10", end "" "", lines ahead "0");
loops!(sse_float_streaming: "16" bytes, "64" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "movapd xmm\\k,", add "addpd xmm\\k,", multiply "mulpd xmm\\k, xmm7", increase "addpd xmm\\k, xmm7", factor "movapd xmm7,",
    store "" "movntpd" "xmm\\k", constant "" "xmm7",
    sum "0,1,2,3,4,5,6,7", "128" a turn, clear "pxor xmm\\k, xmm\\k", fold "1,2,3,4,5,6,7" "addpd xmm0, xmm\\k",
    keep "movapd [{p} + 64], xmm0", end "sfence" "", lines ahead "2");
loops!(sse_int_streaming: "16" bytes, "64" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "movdqa xmm\\k,", add "paddq xmm\\k,", multiply "pmuludq xmm\\k, xmm7", increase "paddq xmm\\k, xmm7", factor "movdqa xmm7,",
    store "" "movntdq" "xmm\\k", constant "" "xmm7",
    sum "0,1,2,3,4,5,6,7", "128" a turn, clear "pxor xmm\\k, xmm\\k", fold "1,2,3,4,5,6,7" "paddq xmm0, xmm\\k",
    keep "movdqa [{p} + 64], xmm0", end "sfence" "", lines ahead "2");
loops!(avx_float_streaming: "32" bytes, "128" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovapd ymm\\k,", add "vaddpd ymm\\k, ymm\\k,", multiply "vmulpd ymm\\k, ymm\\k, ymm7", increase "vaddpd ymm\\k, ymm\\k, ymm7", factor "vmovapd ymm7,",
    store "" "vmovntpd" "ymm\\k", constant "" "ymm7",
    sum "0,1,2,3,4,5,6,7", "256" a turn, clear "vpxor ymm\\k, ymm\\k, ymm\\k", fold "1,2,3,4,5,6,7" "vaddpd ymm0, ymm0, ymm\\k",
    keep "vmovapd [{p} + 64], ymm0", end "sfence" "vzeroupper", lines ahead "4");
loops!(avx_int_streaming: "32" bytes, "128" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovdqa ymm\\k,", add "vpaddq ymm\\k, ymm\\k,", multiply "vpmuludq ymm\\k, ymm\\k, ymm7", increase "vpaddq ymm\\k, ymm\\k, ymm7", factor "vmovdqa ymm7,",
    store "" "vmovntdq" "ymm\\k", constant "" "ymm7",
    sum "0,1,2,3,4,5,6,7", "256" a turn, clear "vpxor ymm\\k, ymm\\k, ymm\\k", fold "1,2,3,4,5,6,7" "vpaddq ymm0, ymm0, ymm\\k",
    keep "vmovdqa [{p} + 64], ymm0", end "sfence" "vzeroupper", lines ahead "4");
loops!(avx512_float_streaming: "64" bytes, "256" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovapd zmm\\k,", add "vaddpd zmm\\k, zmm\\k,", multiply "vmulpd zmm\\k, zmm\\k, zmm7", increase "vaddpd zmm\\k, zmm\\k, zmm7", factor "vmovapd zmm7,",
    store "" "vmovntpd" "zmm\\k", constant "" "zmm7",
    sum "0,1,2,3,4,5,6,7", "512" a turn, clear "vpxorq zmm\\k, zmm\\k, zmm\\k", fold "1,2,3,4,5,6,7" "vaddpd zmm0, zmm0, zmm\\k",
    keep "vmovapd [{p} + 64], zmm0", end "sfence" "vzeroupper", lines ahead "8");
loops!(avx512_int_streaming: "64" bytes, "256" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"],
    load "vmovdqa64 zmm\\k,", add "vpaddq zmm\\k, zmm\\k,", multiply "vpmuludq zmm\\k, zmm\\k, zmm7", increase "vpaddq zmm\\k, zmm\\k, zmm7", factor "vmovdqa64 zmm7,",
    store "" "vmovntdq" "zmm\\k", constant "" "zmm7",
    sum "0,1,2,3,4,5,6,7", "512" a turn, clear "vpxorq zmm\\k, zmm\\k, zmm\\k", fold "1,2,3,4,5,6,7" "vpaddq zmm0, zmm0, zmm\\k",
    keep "vmovdqa64 [{p} + 64], zmm0", end "sfence" "vzeroupper", lines ahead "8");
#[cfg(target_arch = "x86_64")]
loops!(scalar_float_streaming: "8" bytes, "32" a turn, clobber ["xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "rax"],
    load "movsd xmm\\k,", add "addsd xmm\\k,", multiply "mulsd xmm\\k, xmm7", increase "addsd xmm\\k, xmm7", factor "movsd xmm7,",
    store "movq rax, xmm\\k" "movnti" "rax", constant "movq rax, xmm7" "rax",
    sum "0,1,2,3,4,5,6,7", "64" a turn, clear "pxor xmm\\k, xmm\\k", fold "1,2,3,4,5,6,7" "addsd xmm0, xmm\\k",
    keep "movsd [{p} + 64], xmm0", end "sfence" "", lines ahead "1");
#[cfg(target_arch = "x86_64")]
loops!(scalar_int_streaming: "8" bytes, "32" a turn, clobber ["rax", "r9", "r10", "r11", "r12", "r13"],
    load "mov r1\\k,", add "add r1\\k,", multiply "imul r1\\k, r9", increase "add r1\\k, r9", factor "mov r9,",
    store "" "movnti" "r1\\k", constant "" "r9",
    sum "0,1,2,3", "32" a turn, clear "xor r1\\k, r1\\k", fold "1,2,3" "add r10, r1\\k",
    keep "mov [{p} + 64], r10", end "sfence" "", lines ahead "0");
