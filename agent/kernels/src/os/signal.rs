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

/// The workers that need the handler.
struct Holders {
    now: usize,
    /// How many there have been.
    ever: u64,
    /// What was there before the first.
    before: Option<libc::sigaction>,
}

static HOLDERS: Mutex<Holders> = Mutex::new(Holders { now: 0, ever: 0, before: None });

fn holders() -> MutexGuard<'static, Holders> {
    HOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this lives the handler is installed.
struct Installed;

impl Installed {
    fn new() -> Result<Self, Failure> {
        let mut holders = holders();
        if holders.now == 0 {
            holders.before = Some(installed().map_err(|cause| no_handler(&cause))?);
        }
        install(&action()).map_err(|cause| no_handler(&cause))?;
        holders.now += 1;
        holders.ever += 1;
        Ok(Installed)
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        let mut holders = holders();
        holders.now -= 1;
        if let (0, Some(before)) = (holders.now, holders.before) {
            // What was there can be there again.
            let _ = install(&before);
        }
    }
}

/// Where an action's mask has a number: in the bits of signals 41 to 64, which nobody uses.
const NUMBER: usize = 5;

/// Numbers that the mask tells apart.
const NUMBERS: u64 = 1 << 24;

/// Give an action a number, so that the one in force shows how often it was installed.
#[inline]
fn set_number(action: &mut libc::sigaction, number: u64) {
    let bytes = number.to_le_bytes();
    let mask = std::ptr::addr_of_mut!(action.sa_mask).cast::<u8>();
    // SAFETY: a mask has eight bytes or more, of which these three are the last of the first eight.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), mask.add(NUMBER), 3) };
}

fn number(action: &libc::sigaction) -> u64 {
    let mut bytes = [0; 8];
    let mask = std::ptr::addr_of!(action.sa_mask).cast::<u8>();
    // SAFETY: as above.
    unsafe { std::ptr::copy_nonoverlapping(mask.add(NUMBER), bytes.as_mut_ptr(), 3) };
    u64::from_le_bytes(bytes)
}

/// Installs the handler again and again.
pub(super) struct Install {
    done: u64,
    /// Workers that have needed the handler before the stretch.
    ever: u64,
    _installed: Installed,
}

impl Install {
    pub(super) fn new() -> Result<Self, Failure> {
        Ok(Install { done: 0, ever: 0, _installed: Installed::new()? })
    }
}

impl Operation for Install {
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.done = 0;
        self.ever = holders().ever;
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let mut action = action();
        for _ in 0..repeats {
            self.done += 1;
            set_number(&mut action, self.done);
            install(&action).map_err(|cause| no_handler(&cause))?;
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        let holders = holders();
        let found = installed().map_err(|cause| no_handler(&cause))?;
        if found.sa_sigaction != action().sa_sigaction {
            return Err(check_failed("another handler is in force than the one that was installed"));
        }
        // The handler is the whole process's: another worker installs it as well.
        let alone = holders.now == 1 && holders.ever == self.ever;
        if alone && number(&found) != self.done % NUMBERS {
            let message = format!("the handler in force is number {}, not {}", number(&found), self.done % NUMBERS);
            return Err(check_failed(message));
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
        // SAFETY: the set is initialised before it is used. Unblocking concerns only this thread, which is the run's
        // own.
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
    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
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

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
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

    #[test]
    fn an_action_has_a_number() {
        for count in [0, 1, 255, 256, 0x0012_3456, NUMBERS + 7] {
            let mut numbered = action();
            set_number(&mut numbered, count);
            assert_eq!((number(&numbered), numbered.sa_sigaction), (count % NUMBERS, action().sa_sigaction));
        }
    }

    /// One test, because the handler is the whole process's.
    #[test]
    fn signals_are_counted_and_a_handler_that_is_not_in_force_is_noticed() {
        let before = installed().unwrap().sa_sigaction;
        let (mut install, mut catch) = (Install::new().unwrap(), Catch::new().unwrap());
        for _ in 0..2 {
            install.setup(5).unwrap();
            install.repeat(5).unwrap();
            assert_eq!(install.counted(), Ok(5));
            catch.setup(5).unwrap();
            catch.repeat(5).unwrap();
            assert_eq!(catch.counted(), Ok(5));
            ignore();
            assert_eq!(install.counted().unwrap_err().code, Code::CheckFailed);
            catch.setup(5).unwrap();
            catch.repeat(5).unwrap();
            assert_eq!(catch.counted(), Ok(0));
        }
        drop(install);
        catch.reset_after_calibration().unwrap();
        assert!(catch.overhead().unwrap() > 0.0);
        drop(catch);
        assert_eq!(installed().unwrap().sa_sigaction, before);
    }
}
