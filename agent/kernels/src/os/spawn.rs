//! Making processes: fork alone, fork with exec, and the shell that starts a program.

#![allow(unsafe_code)] // execve in a forked child

use super::child::{cannot_fork, Child, Parent};
use super::endings::{Endings, EXIT_ARGUMENT, EXIT_STATUS};
use super::operation::Operation;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use virtometer_protocol::{Code, Failure};

/// Status with which forked children end, and status with which the agent ends when it is executed as `exit`. Neither
/// is what a failed exec or a crash would give.
const FORKED: i32 = 7;

/// The shell of every Unix.
const SHELL: &str = "/bin/sh";

/// Makes processes one after the other.
pub(super) struct Spawn {
    /// Path and arguments, each ended by a zero byte; empty: only fork.
    words: Vec<CString>,
    endings: Endings,
    _parent: Parent,
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
        Spawn { words: Vec::new(), endings: Endings::of(FORKED), _parent: Parent::new() }
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
        Ok(Spawn { words, endings: Endings::of(EXIT_STATUS), _parent: Parent::new() })
    }
}

impl Operation for Spawn {
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.endings.expect(repeats);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let mut pointers: Vec<_> = self.words.iter().map(|word| word.as_ptr()).collect();
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
            let status = child.and_then(Child::wait).map_err(|cause| cannot_fork(&cause))?;
            self.endings.note(status.map(i64::from));
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        self.endings.counted()
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
