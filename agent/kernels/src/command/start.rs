//! Starting a program without a copy of the agent's memory, as vfork does: what it costs does not grow with the agent.
//!
//! The standard library leaves this way where a program has a working directory or ends with its parent.

#![allow(unsafe_code)] // clone, and what a child that shares the agent's memory may do: system calls and nothing else

use super::user::User;
use std::ffi::{c_char, c_int, c_uint, c_void, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr::{null, null_mut};

/// Bytes of the child's stack before it executes the program. Its few frames need much less, also without optimising.
const STACK: usize = 1 << 16;

/// Numbers of signals end here on Linux.
const SIGNALS: c_int = 64;

/// A program with all that it is started with. Everything is laid out beforehand: [`Order::start`] allocates nothing.
pub(super) struct Order {
    path: CString,
    directory: Option<CString>,
    user: Option<User>,
    _texts: Vec<CString>,
    words: Vec<*const c_char>,
    variables: Vec<*const c_char>,
    /// Signals that do not have their default action in the agent.
    reset: Vec<c_int>,
}

/// Where a child works until it executes its program. Kept, so that its memory is there in all runs but the first.
pub(super) struct Stack(Vec<MaybeUninit<u8>>);

impl Stack {
    pub(super) fn new() -> Self {
        Stack(vec![MaybeUninit::uninit(); STACK])
    }
}

/// What the child reads, and where it leaves the error that kept it from executing the program.
struct Shared {
    path: *const c_char,
    directory: *const c_char,
    user: *const User,
    words: *const *const c_char,
    variables: *const *const c_char,
    reset: *const [c_int],
    streams: [c_int; 3],
    error: c_int,
}

impl Order {
    /// words: from the program's name on. The agent's own directory and user hold where there are none.
    pub(super) fn new(
        path: CString,
        words: Vec<CString>,
        variables: Vec<CString>,
        directory: Option<CString>,
        user: Option<User>,
    ) -> Self {
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).chain([null()]).collect();
        let (words_at, variables_at) = (pointers(&words), pointers(&variables));
        Order {
            path,
            directory,
            user,
            words: words_at,
            variables: variables_at,
            _texts: words.into_iter().chain(variables).collect(),
            reset: handled(),
        }
    }

    /// Start it, as the leader of a group of its own, which ends with this thread. `streams`: input, output, errors.
    pub(super) fn start(&self, streams: [BorrowedFd<'_>; 3], stack: &mut Stack) -> io::Result<Process> {
        let mut shared = Shared {
            path: self.path.as_ptr(),
            directory: self.directory.as_ref().map_or(null(), |path| path.as_ptr()),
            user: self.user.as_ref().map_or(null(), std::ptr::from_ref),
            words: self.words.as_ptr(),
            variables: self.variables.as_ptr(),
            reset: self.reset.as_slice(),
            streams: streams.map(|stream| stream.as_raw_fd()),
            error: 0,
        };
        // SAFETY: the stack is the child's alone and ends at a multiple of 16. CLONE_VFORK stops this thread until the
        // child has executed the program or ended, so that what it points to lives, and nobody else uses it meanwhile.
        // All signals are blocked until the child has no handler left: none runs in the memory of both.
        let pid = unsafe {
            let top = stack.0.as_mut_ptr_range().end.cast::<u8>();
            let top = top.sub(top as usize % 16).cast::<c_void>();
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let pid = libc::clone(child, top, flags, (&raw mut shared).cast());
            let cause = io::Error::last_os_error();
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, null_mut());
            if pid < 0 {
                return Err(cause);
            }
            pid
        };
        let process = Process { pid };
        match shared.error {
            0 => Ok(process),
            error => Err(io::Error::from_raw_os_error(error)), // it is reaped where it is dropped
        }
    }
}

/// Signals that are handled or ignored here: a program begins alike everywhere, and ends when it prints to nobody.
fn handled() -> Vec<c_int> {
    let has_action = |signal: &c_int| {
        // SAFETY: with no new action the call only tells the old one.
        unsafe {
            let mut known: libc::sigaction = std::mem::zeroed();
            libc::sigaction(*signal, null(), &mut known) == 0 && known.sa_sigaction != libc::SIG_DFL
        }
    };
    (1..=SIGNALS).filter(has_action).collect()
}

/// The child: it shares the agent's memory until it executes the program.
extern "C" fn child(shared: *mut c_void) -> c_int {
    // SAFETY: the parent waits, and what it points to lives that long. Only system calls are made.
    unsafe {
        let shared = &mut *shared.cast::<Shared>();
        shared.error = execute(shared);
        libc::_exit(127)
    }
}

/// Execute the program. Returns the number of the error where that cannot be done.
///
/// # Safety
///
/// Only in a process of its own; all pointers lead to what they say.
unsafe fn execute(shared: &Shared) -> c_int {
    // SAFETY: system calls on numbers and on texts that end with zero.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        for signal in &*shared.reset {
            libc::sigaction(*signal, &action, null_mut());
        }
        libc::setpgid(0, 0);
        // Before the signal of the parent's end, which another user loses.
        if let Some(user) = shared.user.as_ref() {
            let error = user.become_it();
            if error != 0 {
                return error;
            }
        }
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // None of the agent's descriptors that are given away is one of the first three.
        for (number, stream) in (0..).zip(shared.streams) {
            if libc::dup2(stream, number) < 0 {
                return error();
            }
        }
        // Those that whoever started the agent has left open; an old system leaves them open here too.
        #[cfg(target_os = "linux")]
        libc::syscall(libc::SYS_close_range, 3, c_uint::MAX, 0);
        if !shared.directory.is_null() && libc::chdir(shared.directory) != 0 {
            return error();
        }
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, null_mut());
        libc::execve(shared.path, shared.words, shared.variables);
        error()
    }
}

fn error() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL)
}

/// A process that was started. It is ended and reaped where it is dropped.
pub(super) struct Process {
    pid: libc::pid_t,
}

/// How a process ended, and what it and those whom it waited for have used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) user_s: f64,
    pub(super) system_s: f64,
    /// Of the largest of these processes, bytes.
    pub(super) peak_memory: u64,
}

impl Process {
    pub(super) fn pid(&self) -> libc::pid_t {
        self.pid
    }

    /// Wait for its end. Its number stays its own, and that of its group, until it is reaped.
    pub(super) fn wait(&self) -> io::Result<()> {
        self.look(0).map(drop)
    }

    /// Whether it has ended. It is not reaped.
    pub(super) fn has_ended(&self) -> io::Result<bool> {
        self.look(libc::WNOHANG)
    }

    fn look(&self, options: c_int) -> io::Result<bool> {
        let id = libc::id_t::try_from(self.pid).map_err(io::Error::other)?;
        // SAFETY: the information is plain numbers, for which zero is a value.
        let mut ended: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: it is valid to write to; the process is not reaped yet.
        again(|| unsafe { libc::waitid(libc::P_PID, id, &mut ended, libc::WEXITED | libc::WNOWAIT | options) })?;
        // SAFETY: the call has filled it in, or left the zeros where the process has not ended.
        Ok(unsafe { ended.si_pid() } != 0)
    }

    /// Reap it, where it has ended; else wait for that.
    pub(super) fn reap(self) -> io::Result<Ended> {
        let pid = self.pid;
        std::mem::forget(self);
        let mut status = 0;
        // SAFETY: plain numbers, for which zero is a value.
        let mut used: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both are valid to write to.
        again(|| unsafe { libc::wait4(pid, &mut status, 0, &mut used) })?;
        #[allow(clippy::cast_precision_loss, clippy::unnecessary_cast)] // seconds and microseconds of processor time
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
        Ok(Ended {
            status: ExitStatus::from_raw(status),
            user_s: seconds(used.ru_utime),
            system_s: seconds(used.ru_stime),
            peak_memory: u64::try_from(used.ru_maxrss).unwrap_or(0) << 10,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: the process is not reaped yet, so that the number is still its own; reaping with a null status.
        let _ = unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            again(|| libc::waitpid(self.pid, null_mut(), 0))
        };
    }
}

/// A system call, again where a signal has interrupted it.
fn again(mut call: impl FnMut() -> c_int) -> io::Result<c_int> {
    loop {
        match call() {
            -1 => match io::Error::last_os_error() {
                cause if cause.kind() == io::ErrorKind::Interrupted => {}
                cause => return Err(cause),
            },
            found => return Ok(found),
        }
    }
}
