//! Waiting for the channel, and as process 1 for orphans as well.

#![allow(unsafe_code)] // signal masks and descriptors, which rustix does not offer

use rustix::event::{poll, PollFd, PollFlags};
use std::fs::File;
use std::io::Read;
use std::mem::MaybeUninit;
use std::os::unix::io::FromRawFd;

/// Waits until the channel can be read. As process 1 it meanwhile takes care of processes whose parents have ended.
pub(crate) struct Waiter {
    /// Readable when a child has ended. `None` where the agent is not process 1.
    signals: Option<File>,
}

impl Waiter {
    pub(crate) fn new() -> Self {
        let init = rustix::process::getpid().is_init();
        Waiter { signals: if init { signal_file(&[libc::SIGCHLD, libc::SIGTERM, libc::SIGINT]) } else { None } }
    }

    /// Block until `channel` can be read, or reading tells what is wrong with it (true), or the agent is asked to end
    /// (false). Only process 1 hears of the latter here: everybody else is ended by the signal.
    pub(crate) fn wait(&mut self, channel: &File) -> bool {
        let Some(signals) = &mut self.signals else {
            return true; // the read itself waits
        };
        loop {
            let mut watched = [PollFd::new(channel, PollFlags::IN), PollFd::new(signals, PollFlags::IN)];
            if poll(&mut watched, None).is_err() {
                continue;
            }
            let (channel_ready, signalled) = (!watched[0].revents().is_empty(), !watched[1].revents().is_empty());
            if signalled {
                // A description of the signal has 128 bytes and begins with its number.
                let mut signal = [0; 128];
                let _ = signals.read(&mut signal);
                let number = [signal[0], signal[1], signal[2], signal[3]];
                match i32::from_ne_bytes(number) {
                    libc::SIGTERM | libc::SIGINT => return false,
                    _ => virtometer_kernels::reap_orphans(),
                }
            }
            if channel_ready {
                return true;
            }
        }
    }
}

/// Block signals in this thread and those that it will start, and return a descriptor that gives them instead.
fn signal_file(signals: &[libc::c_int]) -> Option<File> {
    let mask = blocked(signals);
    // SAFETY: the mask is initialised; the descriptor that comes back is new and nobody else's.
    unsafe {
        let fd = libc::signalfd(-1, &mask, libc::SFD_CLOEXEC);
        (fd >= 0).then(|| File::from_raw_fd(fd))
    }
}

fn blocked(signals: &[libc::c_int]) -> libc::sigset_t {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: sigemptyset initialises the mask before anything else uses it.
    unsafe {
        libc::sigemptyset(mask.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(mask.as_mut_ptr(), *signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, mask.as_ptr(), std::ptr::null_mut());
        mask.assume_init()
    }
}

/// A write beyond the limit on the size of files (`ulimit -f`) fails, as others do, instead of ending the agent by
/// SIGXFSZ.
///
/// A handler does it and not SIG_IGN, which programs that the agent executes would inherit.
pub(crate) fn outlive_file_limit() {
    extern "C" fn nothing(_signal: libc::c_int) {}
    // SAFETY: sigaction is plain data, for which zero is a value; the handler does nothing.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGXFSZ, &action, std::ptr::null_mut());
    }
}

/// Call `then` on a thread of its own when SIGINT or SIGTERM comes. Call it before other threads are started.
pub(crate) fn on_interrupt(then: impl FnOnce() + Send + 'static) {
    let mask = blocked(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP]);
    let waiting = std::thread::Builder::new().name("signals".into()).spawn(move || {
        let mut signal = 0;
        // SAFETY: both are valid; the signals are blocked in every thread.
        unsafe { libc::sigwait(&mask, &mut signal) };
        then();
    });
    // Without the thread the signals do nothing; SIGKILL remains.
    drop(waiting);
}
