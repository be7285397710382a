//! The operating system's errors in the protocol's words.

use std::io;
use virtometer_protocol::{Code, Failure};

/// A failure for an error of the operating system. `doing` is the beginning of the sentence, for example
/// `cannot open /dev/vdb`.
pub fn os_failure(doing: &str, cause: &io::Error) -> Failure {
    let code = match cause.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => Code::NotFound,
        Some(libc::EACCES | libc::EPERM | libc::EROFS) => Code::NotPermitted,
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG) => Code::NoSpace,
        Some(libc::ENOMEM) => Code::OutOfMemory,
        Some(libc::ENOSYS | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO) => Code::NotSupported,
        _ => Code::IoError,
    };
    // "Permission denied (os error 13)": the number helps nobody.
    let said = cause.to_string();
    let said = said.split(" (os error").next().unwrap_or("");
    Failure::new(code, format!("{doing}: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_has_the_system_s_words_and_no_number() {
        let failure = os_failure("cannot open /x", &io::Error::from_raw_os_error(libc::EROFS));
        assert_eq!(failure.code, Code::NotPermitted);
        assert_eq!(failure.message, "cannot open /x: Read-only file system");
    }
}
