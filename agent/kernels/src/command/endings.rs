//! How programs end, in words.

use crate::settings::check_failed;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use virtometer_protocol::Failure;

/// A status in a word: its number, or that of the signal.
pub(super) fn status_word(status: ExitStatus) -> String {
    let signal = || format!("signal {}", status.signal().unwrap_or(0));
    status.code().map_or_else(signal, |code| code.to_string())
}

/// How a program ended, in words.
pub(super) fn ended_how(status: ExitStatus) -> String {
    let how = if status.code().is_some() { "with status" } else { "by" };
    format!("{how} {}", status_word(status))
}

/// The last line of a program's errors.
pub(super) fn last_words(errors: &[u8]) -> String {
    let said = String::from_utf8_lossy(errors).trim().to_owned();
    said.lines().last().unwrap_or("it said nothing").chars().take(300).collect()
}

/// The failure of a program that did not succeed.
pub(super) fn ended_badly(program: &str, status: ExitStatus, errors: &[u8]) -> Failure {
    check_failed(format!("{program} ended {}: {}", ended_how(status), last_words(errors)))
}
