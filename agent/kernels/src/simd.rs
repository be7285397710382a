//! Which instructions are used: found out when the program runs, so that no processor meets one that it does not know.

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Simd {
    /// What every processor of this target has.
    Baseline,
    /// 256-bit vectors with fused multiply-add.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Simd {
    /// The best that this processor and its operating system support.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Simd::Avx2;
        }
        Simd::Baseline
    }

    /// Its name, as a condition of a result.
    pub(crate) fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Simd::Baseline => "sse2",
            #[cfg(target_arch = "aarch64")]
            Simd::Baseline => "neon",
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
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
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                unsafe fn avx2($($arg: $type),*) $(-> $result)? {
                    $body::<true>($($arg),*)
                }
                if simd == $crate::simd::Simd::Avx2 {
                    // SAFETY: `Avx2` exists only where the processor was found to have it.
                    return unsafe { avx2($($arg),*) };
                }
            }
            let _ = simd;
            $body::<false>($($arg),*)
        }
    };
}
pub(crate) use for_each_simd;
