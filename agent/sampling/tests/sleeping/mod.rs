//! An iteration without work, for workers of several test files.

use std::time::Duration;
use virtometer_protocol::Failure;
use virtometer_sampling::{timed, Stretch};

/// One repeat that sleeps for 11 ms: longer than the windows of 10 ms here.
pub(crate) fn stretch() -> Result<Stretch, Failure> {
    timed(1, || {
        std::thread::sleep(Duration::from_millis(11));
        Ok(())
    })
}
