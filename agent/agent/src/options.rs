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

/// A number of things or bytes, with an optional K, M, G or T (or KB, KiB ...) for powers of 1024.
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
    fn quantities_are_those_of_the_contract() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/sizes.json");
        let cases: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let (valid, invalid) = (cases["valid"].as_object().unwrap(), cases["invalid"].as_array().unwrap());
        assert!(valid.len() > 20 && invalid.len() > 20);
        for (text, bytes) in valid {
            assert_eq!(quantity("size", text).unwrap(), bytes.as_i64().unwrap(), "{text}");
        }
        for text in invalid {
            let text = text.as_str().unwrap();
            assert_eq!(quantity("size", text).unwrap_err().code, Code::BadArguments, "{text}");
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
