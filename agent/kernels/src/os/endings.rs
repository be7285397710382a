//! How processes ended that ought to end all alike.

use crate::settings::check_failed;
use virtometer_protocol::Failure;

/// The agent's hidden argument, with which the operation `exec` executes it, and the status that it then ends with.
pub const EXIT_ARGUMENT: &str = "exit";
/// See [`EXIT_ARGUMENT`].
pub const EXIT_STATUS: i32 = 17;

/// The processes of one iteration.
pub(super) struct Endings {
    expected: i64,
    asked: u64,
    right: u64,
    /// How the last one ended that ended otherwise: `None` when a signal ended it.
    wrong: Option<Option<i64>>,
}

impl Endings {
    /// Of processes that ought to end with this status.
    pub(super) fn of(expected: i32) -> Self {
        Endings { expected: i64::from(expected), asked: 0, right: 0, wrong: None }
    }

    /// So many are about to be made.
    pub(super) fn expect(&mut self, asked: u64) {
        (self.asked, self.right, self.wrong) = (asked, 0, None);
    }

    /// One has ended with a status, or by a signal.
    #[inline]
    pub(super) fn note(&mut self, status: Option<i64>) {
        if status == Some(self.expected) {
            self.right += 1;
        } else {
            self.wrong = Some(status);
        }
    }

    /// How many ended as they should, unless one did not.
    pub(super) fn counted(&self) -> Result<u64, Failure> {
        let how = match self.wrong {
            None => return Ok(self.right),
            Some(Some(status)) => format!("status {status}"),
            Some(None) => "a signal".to_owned(),
        };
        let Endings { asked, right, .. } = self;
        Err(check_failed(format!("of {asked} processes {right} ended as they should, others with {how}")))
    }
}
