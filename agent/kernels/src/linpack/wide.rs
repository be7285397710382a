//! Tiles by 512-bit vectors, in assembly: the oldest compiler that builds the agent has no other way to use them.

#![allow(unsafe_code)] // assembly, chosen for instructions that are detected when the program runs

use std::arch::asm;

/// What is done with one column of a tile of 24 rows: its registers, and its address or the offset of its factor.
#[cfg(target_arch = "x86_64")]
macro_rules! column {
    (load $r:literal $s:literal $t:literal $address:literal) => {
        concat!(
            "vmovupd zmm",
            $r,
            ", [",
            $address,
            "]\n",
            "vmovupd zmm",
            $s,
            ", [",
            $address,
            " + 64]\n",
            "vmovupd zmm",
            $t,
            ", [",
            $address,
            " + 128]\n",
            // The tile below is next. An address after the end does no harm.
            "prefetcht0 [",
            $address,
            " + 192]\n",
            "prefetcht0 [",
            $address,
            " + 256]\n",
            "prefetcht0 [",
            $address,
            " + 320]",
        )
    };
    (store $r:literal $s:literal $t:literal $address:literal) => {
        concat!(
            "vmovupd [",
            $address,
            "], zmm",
            $r,
            "\n",
            "vmovupd [",
            $address,
            " + 64], zmm",
            $s,
            "\n",
            "vmovupd [",
            $address,
            " + 128], zmm",
            $t,
        )
    };
    (multiply $r:literal $s:literal $t:literal $offset:literal) => {
        concat!(
            "vbroadcastsd zmm3, [r9 + \\k*64 + ",
            $offset,
            "]\n",
            "vfmadd231pd zmm",
            $r,
            ", zmm0, zmm3\n",
            "vfmadd231pd zmm",
            $s,
            ", zmm1, zmm3\n",
            "vfmadd231pd zmm",
            $t,
            ", zmm2, zmm3",
        )
    };
}

/// Add a product to a tile of 24 rows and 8 columns.
///
/// # Safety
///
/// `a` has depth × 24 numbers, `b` depth × 8, `c` 7 × ld + 24; `depth` is a multiple of 4; the processor has AVX-512F.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub(super) unsafe fn add_product(depth: usize, a: *const f64, b: *const f64, c: *mut f64, ld: usize) {
    if depth == 0 {
        return;
    }
    asm!(
        "lea r11, [rdi + 4*rsi]",
        "lea rax, [rsi + 2*rsi]",
        column!(load 8 9 10 "rdi"),
        column!(load 11 12 13 "rdi + rsi"),
        column!(load 14 15 16 "rdi + 2*rsi"),
        column!(load 17 18 19 "rdi + rax"),
        column!(load 20 21 22 "r11"),
        column!(load 23 24 25 "r11 + rsi"),
        column!(load 26 27 28 "r11 + 2*rsi"),
        column!(load 29 30 31 "r11 + rax"),
        ".p2align 5",
        "2:",
        ".irp k,0,1,2,3",
        "vmovupd zmm0, [r8 + \\k*192]",
        "vmovupd zmm1, [r8 + \\k*192 + 64]",
        "vmovupd zmm2, [r8 + \\k*192 + 128]",
        "prefetcht0 [r8 + \\k*192 + 1536]",
        "prefetcht0 [r8 + \\k*192 + 1600]",
        "prefetcht0 [r8 + \\k*192 + 1664]",
        column!(multiply 8 9 10 0),
        column!(multiply 11 12 13 8),
        column!(multiply 14 15 16 16),
        column!(multiply 17 18 19 24),
        column!(multiply 20 21 22 32),
        column!(multiply 23 24 25 40),
        column!(multiply 26 27 28 48),
        column!(multiply 29 30 31 56),
        ".endr",
        "add r8, 768",
        "add r9, 256",
        "dec r10",
        "jnz 2b",
        column!(store 8 9 10 "rdi"),
        column!(store 11 12 13 "rdi + rsi"),
        column!(store 14 15 16 "rdi + 2*rsi"),
        column!(store 17 18 19 "rdi + rax"),
        column!(store 20 21 22 "r11"),
        column!(store 23 24 25 "r11 + rsi"),
        column!(store 26 27 28 "r11 + 2*rsi"),
        column!(store 29 30 31 "r11 + rax"),
        "vzeroupper",
        inout("r8") a => _,
        inout("r9") b => _,
        inout("r10") depth / 4 => _,
        out("r11") _,
        out("rax") _,
        in("rdi") c,
        in("rsi") ld * 8,
        clobber_abi("sysv64"),
        options(nostack),
    );
}

/// Solve eight rows of a unit lower triangle for eight columns, whose rows lie one after the other in `rows`: the rows
/// from `before` on are solved with those before them and with each other. `triangle` has the eight rows of the
/// triangle by columns of 8.
#[cfg(target_arch = "x86_64")]
pub(super) fn solve_rows(before: usize, triangle: &[f64], rows: &mut [f64]) {
    assert!(triangle.len() >= (before + 8) * 8 && rows.len() >= (before + 8) * 8);
    // SAFETY: the lengths have been checked; the caller chose what the processor has.
    unsafe {
        asm!(
            ".irp k,0,1,2,3,4,5,6,7",
            "vmovupd zmm\\k, [r11 + \\k*64]",
            ".endr",
            "test r10, r10",
            "jz 3f",
            "2:",
            "vmovupd zmm8, [r8]",
            ".irp k,0,1,2,3,4,5,6,7",
            "vfmadd231pd zmm\\k, zmm8, qword ptr [r9 + \\k*8]{{1to8}}",
            ".endr",
            "add r8, 64",
            "add r9, 64",
            "dec r10",
            "jnz 2b",
            "3:",
            ".irp q,0,1,2,3,4,5,6",
            ".irp k,1,2,3,4,5,6,7",
            ".if \\k > \\q",
            "vfmadd231pd zmm\\k, zmm\\q, qword ptr [r9 + \\q*64 + \\k*8]{{1to8}}",
            ".endif",
            ".endr",
            ".endr",
            ".irp k,0,1,2,3,4,5,6,7",
            "vmovupd [r11 + \\k*64], zmm\\k",
            ".endr",
            "vzeroupper",
            inout("r8") rows.as_ptr() => _,
            inout("r9") triangle.as_ptr() => _,
            inout("r10") before => _,
            in("r11") rows.as_mut_ptr().add(before * 8),
            clobber_abi("sysv64"),
            options(nostack),
        );
    }
}

/// Add a product to a tile of 8 rows and 6 columns, in the registers that 32-bit programs have.
///
/// # Safety
///
/// `a` has depth × 8 numbers, `b` depth × 6, `c` 5 × ld + 8; the processor has AVX-512F.
#[cfg(target_arch = "x86")]
#[inline(never)]
pub(super) unsafe fn add_product(depth: usize, a: *const f64, b: *const f64, c: *mut f64, ld: usize) {
    if depth == 0 {
        return;
    }
    asm!(
        "vmovupd zmm0, [{c}]",
        "vmovupd zmm1, [{c} + {ld}]",
        "vmovupd zmm2, [{c} + 2*{ld}]",
        "lea {c}, [{c} + 2*{ld}]",
        "vmovupd zmm3, [{c} + {ld}]",
        "vmovupd zmm4, [{c} + 2*{ld}]",
        "lea {c}, [{c} + 2*{ld}]",
        "vmovupd zmm5, [{c} + {ld}]",
        "2:",
        "vmovupd zmm6, [{a}]",
        ".irp k,0,1,2,3,4,5",
        "vfmadd231pd zmm\\k, zmm6, qword ptr [{b} + \\k*8]{{1to8}}",
        ".endr",
        "add {a}, 64",
        "add {b}, 48",
        "dec {depth}",
        "jnz 2b",
        "vmovupd [{c} + {ld}], zmm5",
        "vmovupd [{c}], zmm4",
        "neg {ld}",
        "vmovupd [{c} + {ld}], zmm3",
        "vmovupd [{c} + 2*{ld}], zmm2",
        "lea {c}, [{c} + 2*{ld}]",
        "vmovupd [{c} + {ld}], zmm1",
        "vmovupd [{c} + 2*{ld}], zmm0",
        "vzeroupper",
        a = inout(reg) a => _,
        b = inout(reg) b => _,
        c = inout(reg) c => _,
        depth = inout(reg) depth => _,
        ld = inout(reg) ld * 8 => _,
        out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _,
        out("xmm4") _, out("xmm5") _, out("xmm6") _, out("xmm7") _,
        options(nostack),
    );
}
