//! Signals: installing a handler, and catching a signal that the thread sends to itself.

#![allow(unsafe_code)] // handlers

use super::operation::{each_takes, Operation};
use crate::settings::check_failed;
use std::cell::Cell;
use std::io;
use std::os::raw::c_int;
use std::sync::{Mutex, MutexGuard, PoisonError};
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// Nobody else in the agent uses this signal.
const SIGNAL: c_int = libc::SIGUSR1;

thread_local! {
    /// Signals that this thread has caught.
    static CAUGHT: Cell<u64> = const { Cell::new(0) };
}

extern "C" fn handler(_signal: c_int) {
    // Needs no initialisation and no destructor, so that it may be used here.
    CAUGHT.with(|caught| caught.set(caught.get() + 1));
}

fn action() -> libc::sigaction {
    // SAFETY: the structure is plain numbers, for which zero is a value; the mask is made empty.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigemptyset(&mut action.sa_mask);
        action.sa_flags = libc::SA_RESTART;
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action
    }
}

fn install(action: &libc::sigaction) -> io::Result<()> {
    // SAFETY: the action is valid, and its handler does only what a handler may.
    match unsafe { libc::sigaction(SIGNAL, action, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn installed() -> io::Result<libc::sigaction> {
    let mut found = action();
    // SAFETY: only the action in force is asked for, into a structure that is valid to write to.
    match unsafe { libc::sigaction(SIGNAL, std::ptr::null(), &mut found) } {
        0 => Ok(found),
        _ => Err(io::Error::last_os_error()),
    }
}

fn no_handler(cause: &io::Error) -> Failure {
    os_failure("cannot install a handler for a signal", cause)
}

/// How many workers need the handler, and what was there before the first.
static HOLDERS: Mutex<(usize, Option<libc::sigaction>)> = Mutex::new((0, None));

fn holders() -> MutexGuard<'static, (usize, Option<libc::sigaction>)> {
    HOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives the handler is installed.
struct Installed;

impl Installed {
    fn new() -> Result<Self, Failure> {
        let mut holders = holders();
        if holders.0 == 0 {
            holders.1 = Some(installed().map_err(|cause| no_handler(&cause))?);
        }
        install(&action()).map_err(|cause| no_handler(&cause))?;
        holders.0 += 1;
        Ok(Installed)
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let mut holders = holders();
        holders.0 -= 1;
        if let (0, Some(before)) = *holders {
            // What was there can be there again.
            let _ = install(&before);
        }
    }
}

/// Installs the handler again and again.
pub(super) struct Install {
    done: u64,
    _installed: Installed,
}

impl Install {
    pub(super) fn new() -> Result<Self, Failure> {
        Ok(Install { done: 0, _installed: Installed::new()? })
    }
}

impl Operation for Install {
    fn before(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.done = 0;
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let action = action();
        for _ in 0..repeats {
            install(&action).map_err(|cause| no_handler(&cause))?;
            self.done += 1;
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        let found = installed().map_err(|cause| no_handler(&cause))?;
        if found.sa_sigaction != action().sa_sigaction {
            return Err(check_failed("another handler is in force than the one that was installed"));
        }
        Ok(self.done)
    }
}

/// Sends signals to its own thread and catches them.
pub(super) struct Catch {
    before: u64,
    overhead: f64,
    _installed: Installed,
}

/// Send `signal` to the calling thread; 0 sends nothing, but goes the same way.
#[inline]
fn send(signal: c_int, process: c_int, thread: libc::c_long) -> Result<(), Failure> {
    // SAFETY: tgkill takes numbers only.
    match unsafe { libc::syscall(libc::SYS_tgkill, process, thread, signal) } {
        0 => Ok(()),
        _ => Err(os_failure("cannot send a signal", &io::Error::last_os_error())),
    }
}

fn own() -> (c_int, libc::c_long) {
    // SAFETY: both only tell numbers.
    unsafe { (libc::getpid(), libc::syscall(libc::SYS_gettid)) }
}

impl Catch {
    pub(super) fn new() -> Result<Self, Failure> {
        let catch = Catch { before: 0, overhead: 0.0, _installed: Installed::new()? };
        // SAFETY: the set is initialised before it is used. Unblocking concerns only this thread, which is the run's own.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            libc::sigaddset(&mut set, SIGNAL);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        }
        Ok(catch)
    }
}

impl Operation for Catch {
    fn before(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.before = CAUGHT.with(Cell::get);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let (process, thread) = own();
        (0..repeats).try_for_each(|_| send(SIGNAL, process, thread))
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        Ok(CAUGHT.with(Cell::get) - self.before)
    }

    fn settle(&mut self) -> Result<(), Failure> {
        let (process, thread) = own();
        self.overhead = each_takes(1, || send(0, process, thread))?;
        Ok(())
    }

    fn overhead(&self) -> Option<f64> {
        Some(self.overhead)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use virtometer_protocol::Code;

    fn ignore() {
        let mut ignored = action();
        ignored.sa_sigaction = libc::SIG_IGN;
        install(&ignored).unwrap();
    }

    /// One test, because the handler is the whole process's.
    #[test]
    fn signals_are_counted_and_a_handler_that_is_not_in_force_is_noticed() {
        let before = installed().unwrap().sa_sigaction;
        let (mut install, mut catch) = (Install::new().unwrap(), Catch::new().unwrap());
        for _ in 0..2 {
            install.before(5).unwrap();
            install.repeat(5).unwrap();
            assert_eq!(install.counted(), Ok(5));
            catch.before(5).unwrap();
            catch.repeat(5).unwrap();
            assert_eq!(catch.counted(), Ok(5));
            ignore();
            assert_eq!(install.counted().unwrap_err().code, Code::CheckFailed);
            catch.before(5).unwrap();
            catch.repeat(5).unwrap();
            assert_eq!(catch.counted(), Ok(0));
        }
        drop(install);
        catch.settle().unwrap();
        assert!(catch.overhead().unwrap() > 0.0);
        drop(catch);
        assert_eq!(installed().unwrap().sa_sigaction, before);
    }
}
