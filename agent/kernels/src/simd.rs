//! Which instructions are used: found out when the program runs, so that no processor meets one that it does not know.

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simd {
    /// What every processor of this target has.
    Baseline,
    /// 256-bit vectors with fused multiply-add.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2,
    /// 512-bit vectors with fused multiply-add, beside those of `Avx2`.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512,
}

impl Simd {
    /// The best that this processor and its operating system support.
    pub(crate) fn detect() -> Self {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if Self::compiled() == Simd::Avx2 && is_x86_feature_detected!("avx512f") {
            return Simd::Avx512;
        }
        Self::compiled()
    }

    /// The best of those that [`for_each_simd`] compiles for. Loops over 512-bit vectors are written in assembly.
    pub(crate) fn compiled() -> Self {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Simd::Avx2;
        }
        Simd::Baseline
    }

    /// All that this processor and its operating system support.
    #[cfg(test)]
    pub(crate) fn all() -> Vec<Self> {
        let mut all = vec![Simd::Baseline, Self::compiled(), Self::detect()];
        all.dedup();
        all
    }

    /// Its name, as a condition of a result.
    pub(crate) fn name(self) -> &'static str {
        match self {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Simd::Avx2 => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Simd::Avx512 => "avx512",
            #[cfg(target_feature = "sse2")]
            Simd::Baseline => "sse2",
            #[cfg(target_arch = "aarch64")]
            Simd::Baseline => "neon",
            #[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
            Simd::Baseline => "none",
        }
    }
}

/// Compile a function once for every set of instructions and choose between them when it is called.
///
/// The body is an inlined function with a first generic parameter that says whether multiply-add is fused.
macro_rules! for_each_simd {
    ($(#[$doc:meta])* $name:ident = $body:ident ( $($arg:ident : $type:ty),* ) $(-> $result:ty)?) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name(simd: $crate::simd::Simd, $($arg: $type),*) $(-> $result)? {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            {
                #[target_feature(enable = "avx2,fma")]
                unsafe fn avx2($($arg: $type),*) $(-> $result)? {
                    $body::<true>($($arg),*)
                }
                if simd != $crate::simd::Simd::Baseline {
                    // SAFETY: others than `Baseline` exist only where the processor was found to have AVX2 and FMA.
                    return unsafe { avx2($($arg),*) };
                }
            }
            let _ = simd;
            $body::<false>($($arg),*)
        }
    };
}
pub(crate) use for_each_simd;

/// Which registers a loop uses that is written out for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// One element at a time.
    Scalar,
    /// 128-bit vectors: SSE2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse,
    /// 256-bit vectors: AVX2.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx,
    /// 512-bit vectors: AVX-512F.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512,
    /// The vectors that every processor of this target has.
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    Common,
}

impl Width {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    const KNOWN: &'static [Self] = &[Width::Scalar, Width::Sse, Width::Avx, Width::Avx512];
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    const KNOWN: &'static [Self] = &[Width::Scalar, Width::Common];

    /// All that this processor and its operating system support, the widest last.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        Self::KNOWN.iter().copied().filter(|width| width.available())
    }

    /// Whether this processor and its operating system support it.
    pub(crate) fn available(self) -> bool {
        match self {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Width::Sse => is_x86_feature_detected!("sse2"),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Width::Avx => is_x86_feature_detected!("avx2"),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Width::Avx512 => is_x86_feature_detected!("avx512f"),
            _ => true,
        }
    }

    /// Whether there are stores that go past the caches.
    pub(crate) fn streams(self) -> bool {
        // Those of single elements need a 64-bit processor.
        cfg!(target_arch = "x86_64") || (cfg!(target_arch = "x86") && self != Width::Scalar)
    }

    /// The one that a user names, or what is wrong with that name. `auto` is the widest.
    pub(crate) fn parse(name: &str) -> Result<Self, String> {
        const NAMES: [&str; 6] = ["auto", "scalar", "sse", "avx", "avx512", "neon"];
        if name == "auto" {
            return Ok(Self::all().last().unwrap_or(Width::Scalar));
        }
        if !NAMES.contains(&name) {
            return Err(format!("simd is {name:?}, not {}", NAMES.join(" or ")));
        }
        let found = Self::all().find(|width| [width.name(), width.name().trim_end_matches('2')].contains(&name));
        found.ok_or_else(|| format!("simd is {name}, which this processor or its operating system lacks"))
    }

    /// Its name, as a condition of a result.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Width::Scalar => "scalar",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Width::Sse => "sse2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Width::Avx => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Width::Avx512 => "avx512",
            #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
            Width::Common => Simd::Baseline.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_width_is_given_where_the_processor_can_and_refused_in_a_sentence_elsewhere() {
        assert_eq!(Width::parse("auto").unwrap(), Width::all().last().unwrap());
        assert_eq!(Width::parse("scalar").unwrap(), Width::Scalar);
        let lacking = if cfg!(target_arch = "aarch64") { "avx" } else { "neon" };
        let sentence = format!("simd is {lacking}, which this processor or its operating system lacks");
        assert_eq!(Width::parse(lacking).unwrap_err(), sentence);
        assert!(Width::parse("sse3").unwrap_err().starts_with("simd is \"sse3\", not auto or scalar or"));
        #[cfg(target_arch = "x86_64")]
        assert_eq!(Width::parse("sse").unwrap(), Width::Sse);
    }
}
