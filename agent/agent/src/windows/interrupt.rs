//! Waiting for the channel, and hearing Ctrl-C.

#![allow(unsafe_code)] // the console's handler

use super::Stream;
use std::sync::{Mutex, PoisonError};
use windows_sys::core::BOOL;
use windows_sys::Win32::System::Console::SetConsoleCtrlHandler;

/// On Windows there are no orphans to take care of: the read itself waits.
pub(crate) struct Waiter;

impl Waiter {
    pub(crate) fn new() -> Self {
        Waiter
    }

    /// Always true: the channel is to be read.
    pub(crate) fn wait(&mut self, _channel: &Stream) -> bool {
        true
    }
}

/// What to do at Ctrl-C; taken by whoever does it.
static THEN: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Call `then` on a thread of its own when Ctrl-C or Ctrl-Break comes, or the console is closed. Only the first time:
/// then the system's way of ending the process is in force again.
pub(crate) fn on_interrupt(then: impl FnOnce() + Send + 'static) {
    *THEN.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(then));
    // SAFETY: the handler lives as long as the process. Where it is refused Ctrl-C ends the process.
    unsafe { SetConsoleCtrlHandler(Some(heard), 1) };
}

/// The system calls this on a thread that it makes.
unsafe extern "system" fn heard(_event: u32) -> BOOL {
    let then = THEN.lock().unwrap_or_else(PoisonError::into_inner).take();
    then.map_or(0, |then| {
        then();
        1
    })
}
