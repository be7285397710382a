//! Starting a program without a copy of the agent's memory, as vfork does: what it costs does not grow with the agent.
//!
//! The standard library leaves this way where a program has a working directory or ends with its parent.

#![allow(unsafe_code)] // clone, and what a child that shares the agent's memory may do: system calls and nothing else

use super::group::Usage;
use super::standing::{Part, Standing};
use std::ffi::{c_char, c_int, c_uint, c_void, CString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// Bytes of the child's stack before it executes the program. Its few frames need much less, also without optimising.
const STACK: usize = 1 << 16;

/// Numbers of signals end here on Linux.
const SIGNALS: c_int = 64;

/// A program with all that it is started with. Everything is laid out beforehand: [`Order::start`] allocates nothing.
pub(super) struct Order {
    path: CString,
    directory: Option<CString>,
    _texts: Vec<CString>,
    words: Vec<*const c_char>,
    variables: Vec<*const c_char>,
    /// Signals that do not have their default action in the agent.
    reset: Vec<c_int>,
    standing: Arc<Standing>,
    /// Whether what it takes on is read back.
    checked: bool,
    terminal: bool,
}

/// A part of what a program is started with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Program,
    Terminal,
    Standing(Part),
}

/// A program that was not executed: because of what, and why.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) step: Step,
    pub(super) cause: io::Error,
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
    words: *const *const c_char,
    variables: *const *const c_char,
    reset: *const [c_int],
    streams: [c_int; 3],
    standing: *const Standing,
    checked: bool,
    terminal: bool,
    error: c_int,
    step: Step,
}

impl Order {
    /// words: from the program's name on. The agent's own directory holds where there is none.
    pub(super) fn new(path: CString, words: Vec<CString>, variables: Vec<CString>, directory: Option<CString>) -> Self {
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).chain([null()]).collect();
        let (words_at, variables_at) = (pointers(&words), pointers(&variables));
        Order {
            path,
            directory,
            words: words_at,
            variables: variables_at,
            _texts: words.into_iter().chain(variables).collect(),
            reset: handled(),
            standing: Arc::default(),
            checked: false,
            terminal: false,
        }
    }

    /// With what the program takes on before it is executed. `checked`: that is read back. `terminal`: its first stream
    /// is one, and controls its session.
    pub(super) fn with(self, standing: Arc<Standing>, checked: bool, terminal: bool) -> Self {
        Order { standing, checked, terminal, ..self }
    }

    /// Start it, as the leader of a group of its own, which ends with this thread. `streams`: input, output, errors.
    pub(super) fn start(&self, streams: [BorrowedFd<'_>; 3], stack: &mut Stack) -> Result<Process, Refused> {
        let mut shared = Shared {
            path: self.path.as_ptr(),
            directory: self.directory.as_ref().map_or(null(), |path| path.as_ptr()),
            words: self.words.as_ptr(),
            variables: self.variables.as_ptr(),
            reset: self.reset.as_slice(),
            streams: streams.map(|stream| stream.as_raw_fd()),
            standing: Arc::as_ptr(&self.standing),
            checked: self.checked,
            terminal: self.terminal,
            error: 0,
            step: Step::Program,
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
                return Err(Refused { step: Step::Program, cause });
            }
            pid
        };
        let process = Process { pid };
        match shared.error {
            0 => Ok(process),
            // It is reaped where it is dropped.
            error => Err(Refused { step: shared.step, cause: io::Error::from_raw_os_error(error) }),
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
        (shared.step, shared.error) = execute(shared);
        libc::_exit(127)
    }
}

/// Execute the program. Returns what cannot be done, and the number of the error.
///
/// # Safety
///
/// Only in a process of its own; all pointers lead to what they say.
unsafe fn execute(shared: &Shared) -> (Step, c_int) {
    // SAFETY: system calls on numbers and on texts that end with zero.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        for signal in &*shared.reset {
            libc::sigaction(*signal, &action, null_mut());
        }
        if shared.terminal {
            libc::setsid(); // it then leads its group too, which makes the next call a refused one
        }
        libc::setpgid(0, 0);
        // None of the agent's descriptors that are given away is one of the first three.
        for (number, stream) in (0..).zip(shared.streams) {
            if libc::dup2(stream, number) < 0 {
                return error(Step::Program);
            }
        }
        if shared.terminal && libc::ioctl(0, libc::TIOCSCTTY, 0) != 0 {
            return error(Step::Terminal);
        }
        // Those that whoever started the agent has left open; an old system leaves them open here too.
        #[cfg(target_os = "linux")]
        libc::syscall(libc::SYS_close_range, 3, c_uint::MAX, 0);
        if !shared.directory.is_null() && libc::chdir(shared.directory) != 0 {
            return error(Step::Program);
        }
        if let Err(part) = (*shared.standing).take_on(shared.checked) {
            return error(Step::Standing(part));
        }
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL); // another user would lose it
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, null_mut());
        libc::execve(shared.path, shared.words, shared.variables);
        error(Step::Program)
    }
}

fn error(step: Step) -> (Step, c_int) {
    (step, io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL))
}

/// A process that was started. It is ended and reaped where it is dropped.
pub(super) struct Process {
    pid: libc::pid_t,
}

/// How a process ended, and what it has used, with those that it has waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) used: Usage,
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
        Ok(Ended { status: ExitStatus::from_raw(status), used: Usage::new(&used) })
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
