//! Ends whatever a program has left behind, also where the laboratory or the program is killed.
//!
//! The program and all that it starts are descendants of this process, whatever sessions and groups they make: Linux
//! hands those whose parents have ended to the nearest ancestor that asked for them (`PR_SET_CHILD_SUBREAPER`).

#![allow(unsafe_code)] // fork, exec and signals

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// How long descendants may take to end.
const LIMIT: Duration = Duration::from_secs(10);

/// How long to wait between two looks at what is left.
const PAUSE: Duration = Duration::from_millis(2);

/// What a shell says of a program that cannot be executed.
const NOT_EXECUTED: libc::c_int = 126;

/// Run a program, with the streams and descriptors of this process. When it has ended, or when the parent of this
/// process has, all descendants are killed. Returns the program's status, 128 and its number for a signal.
pub(crate) fn keep(words: &[OsString]) -> Result<u8, Failure> {
    let all: Result<Vec<CString>, _> = words.iter().map(|word| CString::new(word.clone().into_vec())).collect();
    let all = all.map_err(|_| Failure::new(Code::BadArguments, "a word has a zero byte"))?;
    let Some(program) = all.first() else {
        return Err(Failure::new(Code::BadArguments, "keep takes a program with its words; see --help"));
    };
    let pointers: Vec<_> = all.iter().map(|word| word.as_ptr()).chain([null()]).collect();
    // SAFETY: this process has one thread. The child makes system calls only, on memory that it has a copy of.
    let (pid, watched) = unsafe {
        libc::prctl(libc::PR_SET_NAME, c"virtometer-keep".as_ptr()); // who looks for the agent is to find one
        let parent = libc::getppid();
        let (mut watched, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut watched);
        libc::sigaddset(&mut watched, libc::SIGTERM);
        libc::sigaddset(&mut watched, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &watched, &mut before);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        // The parent ordered SIGKILL, which would leave no time to end what the program has started.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
        if libc::getppid() != parent {
            return Ok(1); // it ended before: nothing is begun
        }
        let own = libc::getpid();
        match libc::fork() {
            -1 => return Err(os_failure("cannot start a process", &std::io::Error::last_os_error())),
            0 => {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                if libc::getppid() == own {
                    libc::sigprocmask(libc::SIG_SETMASK, &before, null_mut());
                    libc::execv(program.as_ptr(), pointers.as_ptr());
                }
                libc::_exit(NOT_EXECUTED)
            }
            pid => (pid, watched),
        }
    };
    let status = watch(pid, &watched);
    end_descendants();
    Ok(status)
}

/// Wait until the program has ended, or the parent. Ends of others are taken note of, so that nothing stays a zombie.
fn watch(pid: libc::pid_t, signals: &libc::sigset_t) -> u8 {
    // Nobody waits for the end of a channel that is open here too.
    // SAFETY: plain system calls on numbers.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0);
        libc::close(0);
        libc::close(1);
    }
    loop {
        let mut status = 0;
        // SAFETY: the status is valid to write to, the set to read from.
        unsafe {
            loop {
                match libc::waitpid(-1, &mut status, libc::WNOHANG) {
                    ended if ended == pid => return word_of(status),
                    ended if ended > 0 => {}
                    _ => break,
                }
            }
            if libc::sigwaitinfo(signals, null_mut()) == libc::SIGTERM {
                return word_of(libc::SIGTERM);
            }
        }
    }
}

fn word_of(status: libc::c_int) -> u8 {
    let number = if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 128 + libc::WTERMSIG(status) };
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// Kill all descendants until there are none.
fn end_descendants() {
    let begun = Instant::now();
    loop {
        let left = descendants();
        for pid in &left {
            // SAFETY: a descendant that is not this process's child yet may end meanwhile; its number is not given
            // away before its parent has reaped it, and its parent is killed with it.
            unsafe { libc::kill(*pid, libc::SIGKILL) };
        }
        // SAFETY: a null status is allowed.
        while unsafe { libc::waitpid(-1, null_mut(), libc::WNOHANG) } > 0 {}
        if left.is_empty() || begun.elapsed() > LIMIT {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// All descendants that have not been reaped, by /proc.
fn descendants() -> Vec<libc::pid_t> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let all: Vec<(libc::pid_t, libc::pid_t)> = entries
        .filter_map(|entry| {
            let pid = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
            // The name before it may hold anything.
            let stat = String::from_utf8_lossy(&stat).into_owned();
            Some((pid, stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?))
        })
        .collect();
    // SAFETY: it only tells a number.
    let own = unsafe { libc::getpid() };
    let mut found: Vec<libc::pid_t> = Vec::new();
    loop {
        let new = |(pid, parent): &&(libc::pid_t, libc::pid_t)| {
            !found.contains(pid) && (*parent == own || found.contains(parent))
        };
        let more: Vec<_> = all.iter().filter(new).map(|(pid, _)| *pid).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}
