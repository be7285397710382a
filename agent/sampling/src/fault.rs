//! The operating system's errors in the protocol's words.

use crate::system;
use std::io;
use virtometer_protocol::{Code, Failure};

/// A failure for an error of the operating system. `doing` is the beginning of the sentence, for example
/// `cannot open /dev/vdb`.
pub fn os_failure(doing: &str, cause: &io::Error) -> Failure {
    let code = cause.raw_os_error().and_then(system::code).unwrap_or(Code::IoError);
    // "Permission denied (os error 13)": the number helps nobody. Windows ends its sentences with a full stop.
    let said = cause.to_string();
    let said = said.split(" (os error").next().unwrap_or("").trim_end().trim_end_matches('.');
    Failure::new(code, format!("{doing}: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_has_the_system_s_words_and_no_number() {
        let failure = os_failure("cannot open /x", &io::Error::from_raw_os_error(system::READ_ONLY));
        assert_eq!(failure.code, Code::NotPermitted);
        let said = failure.message.strip_prefix("cannot open /x: ").unwrap_or("");
        assert!(!said.is_empty() && !said.contains("os error") && !said.ends_with('.'), "{failure}");
        #[cfg(unix)]
        assert_eq!(said, "Read-only file system");
    }
}
