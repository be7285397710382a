//! Words of the command line.

use virtometer_protocol::{Code, Failure};

/// A fault of the command line.
pub(crate) fn usage(sentence: &str) -> Failure {
    Failure::new(Code::BadArguments, sentence)
}

/// No words are allowed.
pub(crate) fn none(words: &[String]) -> Result<(), Failure> {
    match words.first() {
        None => Ok(()),
        Some(word) => Err(usage(&format!("the argument {word:?} is not understood; see --help"))),
    }
}

/// Exactly one word.
pub(crate) fn one(words: &[String], form: &str) -> Result<String, Failure> {
    match words {
        [word] => Ok(word.clone()),
        _ => Err(usage(&format!("give exactly one argument: {form}"))),
    }
}

/// A number of things or bytes, with an optional K, M, G or T (or KiB, MiB ...) for powers of 1024.
pub(crate) fn quantity(name: &str, text: &str) -> Result<i64, Failure> {
    virtometer_kernels::quantity(text)
        .and_then(|number| i64::try_from(number).ok())
        .ok_or_else(|| usage(&format!("--{name} is {text:?}, not a number with an optional K, M, G or T")))
}

/// A list of processors such as `0,2-3`.
pub(crate) fn cpu_list(text: &str) -> Result<Vec<usize>, Failure> {
    let wrong = || usage(&format!("--cpus is {text:?}, not a list such as 0,2-3"));
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let low: usize = low.parse().map_err(|_| wrong())?;
        let high: usize = high.parse().map_err(|_| wrong())?;
        if high < low || high - low > 4096 {
            return Err(wrong());
        }
        cpus.extend(low..=high);
    }
    Ok(cpus)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quantities_have_binary_suffixes() {
        assert_eq!(quantity("size", "4K").unwrap(), 4096);
        assert_eq!(quantity("size", "64m").unwrap(), 64 << 20);
        assert_eq!(quantity("size", "64MiB").unwrap(), 64 << 20);
        assert_eq!(quantity("size", "2kib").unwrap(), 2048);
        assert_eq!(quantity("size", "0").unwrap(), 0);
        for bad in [
            "",
            "K",
            "iB",
            "KiB",
            "4iB",
            "4i",
            "4xiB",
            "4BiB",
            "4 KiB",
            "64 MiB",
            "4KB",
            "-1",
            "1.5M",
            "x",
            "99999999999T",
            "4é",
        ] {
            assert_eq!(quantity("size", bad).unwrap_err().code, Code::BadArguments, "{bad}");
        }
    }

    #[test]
    fn processors_are_numbers_and_ranges() {
        assert_eq!(cpu_list("0,2-3").unwrap(), [0, 2, 3]);
        for bad in ["", "a", "3-2", "1,", "-1", "0-99999999"] {
            assert!(cpu_list(bad).is_err(), "{bad}");
        }
    }
}
