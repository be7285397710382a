//! Child processes that are always reaped and never outlive the agent.

#![allow(unsafe_code)] // fork, and what a forked child of a threaded program may do: system calls and nothing else

use std::io;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// Held (shared) while a worker has children, so that nobody else reaps them.
static CHILDREN: RwLock<()> = RwLock::new(());

/// Proof that nobody else reaps this worker's children.
pub(crate) struct Parent {
    _held: RwLockReadGuard<'static, ()>,
}

impl Parent {
    pub(crate) fn new() -> Self {
        Parent { _held: CHILDREN.read().unwrap_or_else(PoisonError::into_inner) }
    }
}

/// Reap processes that became children of process 1 because their own parent ended. Does nothing while kernels have
/// children of their own.
pub fn reap_orphans() {
    if let Ok(_nobody) = CHILDREN.try_write() {
        // SAFETY: waitpid with a null status only reaps.
        while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
    }
}

/// A child process.
pub(super) struct Child {
    pid: libc::pid_t,
}

impl Child {
    /// Fork. `body` runs in the child, and its value is the exit status. Nothing that it owns or borrows is dropped.
    ///
    /// # Safety
    ///
    /// `body` does nothing but system calls, arithmetic and accesses to memory that is there: it allocates nothing,
    /// takes no lock and does not panic. Other threads of the agent may have held locks, of the allocator for example,
    /// when the process was copied, and nobody in the child will ever release them.
    pub(super) unsafe fn fork(body: impl FnOnce() -> i32) -> io::Result<Child> {
        // SAFETY: the child does what the caller promises, and leaves with _exit.
        unsafe {
            let parent = libc::getpid();
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => {
                    libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                    // The parent may have ended before the line above.
                    let status = if libc::getppid() == parent { body() } else { 1 };
                    libc::_exit(status)
                }
                pid => Ok(Child { pid }),
            }
        }
    }

    /// Fork a child that ends at once, with nothing in between.
    pub(super) fn fork_and_exit(status: i32) -> io::Result<Child> {
        // SAFETY: the child only leaves with _exit.
        unsafe {
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => libc::_exit(status),
                pid => Ok(Child { pid }),
            }
        }
    }

    /// Its number, which is its own until it is waited for.
    pub(super) fn pid(&self) -> libc::pid_t {
        self.pid
    }

    /// End it at once, as a fault would.
    #[cfg(test)]
    pub(super) fn kill(&self) {
        // SAFETY: the process is our child and not reaped yet, so the number is still its own.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
    }

    /// Wait for the end; the exit status, or `None` when a signal ended it.
    pub(super) fn wait(self) -> io::Result<Option<i32>> {
        let status = wait_for(self.pid);
        std::mem::forget(self);
        let status = status?;
        Ok(libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status)))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // SAFETY: the process is our child and not reaped yet, so the number is still its own.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        let _ = wait_for(self.pid);
    }
}

fn wait_for(pid: libc::pid_t) -> io::Result<i32> {
    let mut status = 0;
    loop {
        // SAFETY: status is valid to write to.
        if unsafe { libc::waitpid(pid, &mut status, 0) } == pid {
            return Ok(status);
        }
        let cause = io::Error::last_os_error();
        if cause.kind() != io::ErrorKind::Interrupted {
            return Err(cause);
        }
    }
}

/// A failure to make a process.
pub(super) fn cannot_fork(cause: &io::Error) -> Failure {
    os_failure("cannot make a process", cause)
}

/// Close the copy that a forked child has of a descriptor.
///
/// # Safety
///
/// The caller is the body of [`Child::fork`], which leaves the owner undropped, and does not use the descriptor again.
pub(super) unsafe fn close(fd: &std::os::unix::io::OwnedFd) {
    use std::os::unix::io::AsRawFd;
    // SAFETY: nobody else closes or uses this copy.
    unsafe { libc::close(fd.as_raw_fd()) };
}
