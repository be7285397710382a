//! The system calls that code makes, as the kernel shows them to a tracer.
#![allow(unsafe_code)] // ptrace
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)] // registers

use crate::os::Parent;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::ptr::null_mut;

/// A system call at its begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) number: i64,
    pub(crate) arguments: [u64; 3],
    /// What the first argument leads to, where it is a descriptor.
    pub(crate) object: Option<PathBuf>,
}

/// Result registers at the begin of a call: there is no result yet.
const NO_RESULT: u64 = (-(libc::ENOSYS as i64)) as u64;

/// The system calls of `body`, in a process of its own that is forked for it. `None` where the system does not let one
/// process trace another.
pub(crate) fn system_calls(body: impl FnOnce()) -> Option<Vec<Call>> {
    // Nobody else reaps the process.
    let _parent = Parent::new();
    // SAFETY: the child leaves with _exit. It may allocate: the C library of the tests makes that safe after fork.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: numbers only. A process that nobody traces must not stop.
        unsafe {
            if libc::ptrace(libc::PTRACE_TRACEME, 0, null_mut::<u8>(), null_mut::<u8>()) != 0 {
                libc::_exit(2);
            }
            libc::kill(libc::getpid(), libc::SIGSTOP);
        }
        let failed = catch_unwind(AssertUnwindSafe(body)).is_err();
        // SAFETY: nothing of this copy of the process is to be dropped.
        unsafe { libc::_exit(i32::from(failed)) };
    }
    assert!(pid > 0, "no process");
    let (mut calls, mut begins, mut signal) = (Vec::new(), true, 0);
    let mut traced = false;
    loop {
        let mut status = 0;
        // SAFETY: the process is our child; status is valid to write to.
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, libc::__WALL) }, pid);
        if !libc::WIFSTOPPED(status) {
            let ended = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            assert!(!traced || ended == Some(0), "what was traced ended with {ended:?}");
            return traced.then_some(calls);
        }
        match libc::WSTOPSIG(status) {
            libc::SIGTRAP => {
                // SAFETY: registers are plain numbers, which the call writes.
                let registers = unsafe {
                    let mut registers: libc::user_regs_struct = std::mem::zeroed();
                    libc::ptrace(libc::PTRACE_GETREGS, pid, null_mut::<u8>(), &mut registers);
                    registers
                };
                if begins && registers.rax == NO_RESULT {
                    calls.push(Call {
                        number: registers.orig_rax as i64,
                        arguments: [registers.rdi, registers.rsi, registers.rdx],
                        object: std::fs::read_link(format!("/proc/{pid}/fd/{}", registers.rdi)).ok(),
                    });
                }
                begins = !begins;
            }
            libc::SIGSTOP => traced = true,
            other => signal = other,
        }
        // SAFETY: numbers only.
        unsafe { libc::ptrace(libc::PTRACE_SYSCALL, pid, null_mut::<u8>(), std::mem::take(&mut signal) as usize) };
    }
}

#[test]
fn the_calls_of_a_body_are_seen() {
    let calls = system_calls(|| {
        for _ in 0..3 {
            // SAFETY: both take no arguments.
            unsafe { libc::getppid() };
        }
        std::fs::File::open("/dev/null").unwrap();
    });
    if let Some(calls) = calls {
        let count = |number| calls.iter().filter(|call| call.number == number).count();
        assert_eq!([libc::SYS_getppid, libc::SYS_openat, libc::SYS_close].map(count), [3, 1, 1]);
        let closed = calls.iter().find(|call| call.number == libc::SYS_close).unwrap();
        assert_eq!(closed.object, Some(PathBuf::from("/dev/null")));
    }
}
