//! Error codes and the sentence that goes with them.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An error code of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// Not JSON, unknown or missing field, wrong type. Closes the connection.
    BadMessage,
    /// More than [`crate::MAX_LINE`] bytes in a line. Closes the connection.
    MessageTooLong,
    /// Other magic or protocol number. Closes the connection.
    ProtocolMismatch,
    /// A command that the protocol does not have.
    UnknownCommand,
    /// A value out of range, an unknown parameter of a kernel.
    BadArguments,
    /// A kernel that this agent does not have.
    UnknownKernel,
    /// An operation that the kernel does not have.
    UnknownOp,
    /// The run's name is in use, or too many runs are open.
    Busy,
    /// A run that does not exist.
    NoSuchRun,
    /// `start` before `ready`.
    NotReady,
    /// This environment cannot do it.
    NotSupported,
    /// The operating system refused it.
    NotPermitted,
    /// A file or device that does not exist.
    NotFound,
    /// The file system is full.
    NoSpace,
    /// Not enough memory.
    OutOfMemory,
    /// The operating system reported an error of a device or file.
    IoError,
    /// The other end of a network run refused, vanished or counted other bytes.
    PeerFailed,
    /// The result is wrong.
    CheckFailed,
    /// An operation of the kernel's own exceeded its limit.
    TimedOut,
    /// A fault of the agent.
    Internal,
}

impl Code {
    /// Whether the connection ends with this error.
    pub fn closes(self) -> bool {
        matches!(self, Code::BadMessage | Code::MessageTooLong | Code::ProtocolMismatch)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The derived name is the one on the wire.
        self.serialize(f)
    }
}

/// Longest sentence in bytes: it may quote what the other side sent, which has no useful bound.
const MAX_MESSAGE: usize = 500;

/// A code and one sentence for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What kind of fault it is.
    pub code: Code,
    /// One sentence: what is wrong and, where it helps, what is allowed.
    pub message: String,
}

impl Failure {
    /// A failure with this code and sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message: String = message.into();
        // The protocol has no text with NUL, and what the other side sent may be quoted.
        let mut message = message.replace('\0', "\\0");
        if message.len() > MAX_MESSAGE {
            let end = (0..=MAX_MESSAGE).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
            message.truncate(end);
            message.push_str("...");
        }
        Failure { code, message }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
