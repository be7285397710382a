//! Lines that leave the agent, one at a time whoever sends them.

use crate::system::{wait_writable, Stream};
use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long to wait for a line that is stuck when the conversation ends, and how often to look.
const PATIENCE: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The channel's output.
pub(crate) struct Outbox {
    file: Mutex<Option<Stream>>,
}

impl Outbox {
    pub(crate) fn new(file: Stream) -> Self {
        Outbox { file: Mutex::new(Some(file)) }
    }

    /// Send a whole line. After a failure, and after `close`, lines are dropped: there is nobody to tell.
    pub(crate) fn send(&self, line: &[u8]) -> bool {
        self.send_made(|| line.to_vec())
    }

    /// Send a line that is made when it is its turn, so that a time in it is the time of sending.
    pub(crate) fn send_made(&self, make: impl FnOnce() -> Vec<u8>) -> bool {
        let mut file = self.lock();
        let sent = file.as_mut().is_some_and(|file| write_whole(file, &make()).is_ok());
        if !sent {
            *file = None;
        }
        sent
    }

    /// Send a last line, if there is one, and nothing more. Gives up when another line has been stuck for a second: the
    /// other side does not read any more, and the agent has to end all the same.
    pub(crate) fn close(&self, last: Option<&[u8]>) {
        for _ in 0..PATIENCE.as_millis() / POLL_INTERVAL.as_millis() {
            match self.file.try_lock() {
                Ok(mut file) => {
                    if let (Some(file), Some(last)) = (file.as_mut(), last) {
                        let _ = write_whole(file, last);
                    }
                    *file = None;
                    return;
                }
                Err(_) => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Stream>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write_whole(file: &mut Stream, mut rest: &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => rest = &rest[written..],
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            // Whoever shares the stream with us may have switched it to non-blocking.
            Err(cause) if cause.kind() == ErrorKind::WouldBlock => wait_writable(file)?,
            Err(cause) => return Err(cause),
        }
    }
    Ok(())
}
