//! Making processes: fork alone, fork with exec, and the shell that starts a program.

#![allow(unsafe_code)] // execve in a forked child, and looking at one that has ended

use super::child::{cannot_fork, Child, Parent};
use super::endings::{Endings, EXIT_ARGUMENT, EXIT_STATUS};
use super::operation::Operation;
use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use virtometer_protocol::{Code, Failure};

/// Status with which forked children end, and status with which the agent ends when it is executed as `exit`. Neither
/// is what a failed exec or a crash would give.
const FORKED: i32 = 7;

/// The shell of every Unix.
pub(super) const SHELL: &str = "/bin/sh";

/// Makes processes one after the other.
pub(super) struct Spawn {
    /// Path and arguments, each ended by a zero byte; empty: only fork.
    words: Vec<CString>,
    endings: Endings,
    /// Whether the system says of a process that it has executed a program.
    witness: bool,
    _parent: Parent,
}

/// Bit of a process's flags: it was forked and has executed no program since (`PF_FORKNOEXEC` of linux/sched.h).
const FORKED_ONLY: u64 = 0x40;

/// Wait until a process has ended, without reaping it. Whether it has executed a program; `None` where the system does
/// not say so.
fn executed(child: &Child) -> Option<bool> {
    let pid = child.pid();
    let id = libc::id_t::try_from(pid).ok()?;
    // SAFETY: the information is plain numbers, for which zero is a value; the process is our child and not reaped.
    unsafe {
        let mut ended: libc::siginfo_t = std::mem::zeroed();
        while libc::waitid(libc::P_PID, id, &mut ended, libc::WEXITED | libc::WNOWAIT) != 0 {
            if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                return None;
            }
        }
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything.
    let flags: u64 = stat.rsplit(')').next()?.split_whitespace().nth(6)?.parse().ok()?;
    Some(flags & FORKED_ONLY == 0)
}

/// The agent's own file.
pub(super) fn own_file() -> Result<Vec<u8>, Failure> {
    // The file itself rather than /proc/self/exe: a root file system without /proc has it as well.
    std::env::current_exe()
        .ok()
        .or_else(|| std::env::args_os().next().map(Into::into))
        .map(|path| path.as_os_str().as_bytes().to_owned())
        .ok_or_else(|| Failure::new(Code::NotSupported, "the agent does not know its own file"))
}

/// `path` as one word of the shell.
fn quoted(path: &[u8]) -> Vec<u8> {
    let mut word = vec![b'\''];
    for byte in path {
        match byte {
            b'\'' => word.extend(br"'\''"),
            other => word.push(*other),
        }
    }
    word.push(b'\'');
    word
}

impl Spawn {
    pub(super) fn fork() -> Self {
        Self::of(Vec::new(), FORKED)
    }

    /// Processes that end with `status`.
    fn of(words: Vec<CString>, status: i32) -> Self {
        let parent = Parent::new();
        let known = Child::fork_and_exit(status).ok().and_then(|forked| executed(&forked));
        Spawn { words, endings: Endings::of(status), witness: known == Some(false), _parent: parent }
    }

    /// Make processes one after the other; `end` waits for each.
    #[inline]
    fn make(words: &[CString], repeats: u64, mut end: impl FnMut(Child) -> io::Result<()>) -> Result<(), Failure> {
        let mut pointers: Vec<_> = words.iter().map(|word| word.as_ptr()).collect();
        pointers.push(std::ptr::null());
        let environment = [std::ptr::null()];
        let (path, arguments) = (pointers[0], pointers.as_ptr());
        for _ in 0..repeats {
            let child = if path.is_null() {
                Child::fork_and_exit(FORKED)
            } else {
                // SAFETY: one system call. All three point to zero-terminated texts or arrays that end with null; on
                // success it does not return.
                unsafe {
                    Child::fork(|| {
                        libc::execve(path, arguments, environment.as_ptr());
                        126
                    })
                }
            };
            child.and_then(&mut end).map_err(|cause| cannot_fork(&cause))?;
        }
        Ok(())
    }

    /// Execute the agent, which ends at once.
    pub(super) fn exec() -> Result<Self, Failure> {
        Self::program(&[&own_file()?, EXIT_ARGUMENT.as_bytes()])
    }

    /// Execute a shell that executes the agent.
    pub(super) fn shell() -> Result<Self, Failure> {
        if !std::path::Path::new(SHELL).exists() {
            return Err(Failure::new(Code::NotSupported, format!("there is no shell {SHELL} here to be started")));
        }
        Self::shell_with(&own_file()?)
    }

    /// Execute a shell that executes `file`.
    fn shell_with(file: &[u8]) -> Result<Self, Failure> {
        let mut line = quoted(file);
        line.extend(format!(" {EXIT_ARGUMENT}").bytes());
        Self::program(&[SHELL.as_bytes(), b"-c", &line])
    }

    pub(super) fn program(words: &[&[u8]]) -> Result<Self, Failure> {
        let words: Result<_, _> = words.iter().map(|word| CString::new(*word)).collect();
        let words = words.map_err(|_| Failure::new(Code::NotSupported, "the agent's path has a zero byte"))?;
        Ok(Self::of(words, EXIT_STATUS))
    }
}

impl Operation for Spawn {
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.endings.expect(repeats);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let Spawn { words, endings, .. } = self;
        Self::make(words, repeats, |child| {
            endings.note(child.wait()?.map(i64::from));
            Ok(())
        })
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        self.endings.counted()
    }

    fn program(&self) -> Option<&[u8]> {
        self.words.first().map(|path| path.as_bytes())
    }

    fn executes(&self) -> Result<Option<bool>, Failure> {
        let mut found = None;
        if self.witness {
            Self::make(&self.words, 1, |child| {
                found = executed(&child);
                child.wait().map(drop)
            })?;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn outcome(words: &[&[u8]]) -> Result<u64, Failure> {
        let mut spawn = Spawn::program(words)?;
        spawn.setup(3)?;
        spawn.repeat(3)?;
        spawn.counted()
    }

    #[test]
    fn a_program_that_ends_otherwise_is_reported() {
        assert_eq!(outcome(&[b"/bin/sh", b"-c", b"exit 17"]), Ok(3));
        for (words, how) in [
            (&[b"/bin/true" as &[u8]] as &[&[u8]], "status 0"),
            (&[b"/nonexistent/program"], "status 126"),
            (&[b"/bin/sh", b"-c", b"kill -9 $$"], "a signal"),
        ] {
            let failure = outcome(words).unwrap_err();
            assert_eq!(failure.code, Code::CheckFailed);
            assert_eq!(failure.message, format!("of 3 processes 0 ended as they should, others with {how}"));
        }
    }

    #[test]
    fn the_system_says_whether_a_process_has_executed_a_program() {
        let (forks, executes) = (Spawn::fork(), Spawn::program(&[b"/bin/true"]).unwrap());
        if cfg!(target_os = "linux") && std::path::Path::new("/proc/self/stat").exists() {
            assert!(forks.witness && executes.witness);
            assert_eq!((forks.executes(), executes.executes()), (Ok(Some(false)), Ok(Some(true))));
        }
        assert_eq!((forks.program(), executes.program()), (None, Some(b"/bin/true" as &[u8])));
    }

    #[test]
    fn the_shell_executes_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (program, trace) = (folder.path().join("a program"), folder.path().join("trace"));
        std::fs::write(&program, format!("#!/bin/sh\necho $* >> '{}'\nexit 17\n", trace.display())).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o700)).unwrap();
        let mut spawn = Spawn::shell_with(program.as_os_str().as_bytes()).unwrap();
        spawn.setup(3).unwrap();
        spawn.repeat(3).unwrap();
        assert_eq!(spawn.counted(), Ok(3));
        assert_eq!(std::fs::read_to_string(trace).unwrap(), "exit\n".repeat(3));
    }

    #[test]
    fn any_path_is_one_word_of_the_shell() {
        for path in ["/a b/it's", "/$HOME/*", "''"] {
            let mut line = b"test \"$0\" = ".to_vec();
            line.extend(quoted(path.as_bytes()));
            line.extend(b" && exit 17");
            assert_eq!(outcome(&[b"/bin/sh", b"-c", &line, path.as_bytes()]), Ok(3), "{path}");
        }
    }
}
