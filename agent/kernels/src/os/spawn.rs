//! Making processes: fork alone, and fork with exec.

#![allow(unsafe_code)] // execve in a forked child

use super::child::{cannot_fork, Child, Parent};
use super::Pinning;
use crate::settings::check_failed;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Stretch, Worker};

/// Status with which forked children end, and status with which the agent ends when it is executed as `exit`. Neither
/// is what a failed exec or a crash would give.
const FORKED: i32 = 7;

/// The agent's hidden argument, and the status that it then ends with.
pub const EXIT_ARGUMENT: &str = "exit";
/// See [`EXIT_ARGUMENT`].
pub const EXIT_STATUS: i32 = 17;

struct Program {
    path: CString,
    argument: CString,
}

/// Makes processes one after the other.
pub(super) struct Spawn {
    pinning: Pinning,
    _parent: Parent,
    program: Option<Program>,
    wrong: Option<String>,
    asked: u64,
    ended: u64,
    all: u64,
}

impl Spawn {
    pub(super) fn fork(pinning: Pinning) -> Self {
        Spawn { pinning, _parent: Parent::new(), program: None, wrong: None, asked: 0, ended: 0, all: 0 }
    }

    pub(super) fn exec(pinning: Pinning) -> Result<Self, Failure> {
        // The file itself rather than /proc/self/exe: a root file system without /proc has it as well.
        let path = std::env::current_exe()
            .ok()
            .or_else(|| std::env::args_os().next().map(Into::into))
            .ok_or_else(|| Failure::new(Code::NotSupported, "the agent does not know its own file"))?;
        Self::exec_of(pinning, path.as_os_str().as_bytes(), EXIT_ARGUMENT)
    }

    pub(super) fn exec_of(pinning: Pinning, path: &[u8], argument: &str) -> Result<Self, Failure> {
        let zero = |_| Failure::new(Code::NotSupported, "the agent's path has a zero byte");
        let program =
            Program { path: CString::new(path).map_err(zero)?, argument: CString::new(argument).map_err(zero)? };
        Ok(Spawn { program: Some(program), ..Self::fork(pinning) })
    }

    fn make(&self) -> std::io::Result<Child> {
        let program = match &self.program {
            None => return Child::fork_and_exit(FORKED),
            Some(program) => program,
        };
        let arguments = [program.path.as_ptr(), program.argument.as_ptr(), std::ptr::null()];
        let environment = [std::ptr::null()];
        Child::fork(|| {
            // SAFETY: all three point to zero-terminated texts or arrays that end with null; on success it does not return.
            unsafe { libc::execve(program.path.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
            126
        })
    }
}

impl Worker for Spawn {
    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        self.asked = repeats;
        self.ended = 0;
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let expected = if self.program.is_some() { EXIT_STATUS } else { FORKED };
        let mut ended = 0;
        let mut wrong = None;
        let stretch = timed(repeats, || {
            for _ in 0..repeats {
                match self.make()?.wait()? {
                    Some(status) if status == expected => ended += 1,
                    other => wrong = Some(other),
                }
            }
            Ok(())
        });
        self.ended = ended;
        self.wrong = wrong.map(|status| match status {
            Some(status) => format!("status {status}"),
            None => "a signal".to_owned(),
        });
        stretch.map_err(|cause: std::io::Error| cannot_fork(&cause))
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        if self.ended != self.asked {
            let how = self.wrong.as_deref().unwrap_or("nothing");
            return Err(check_failed(format!(
                "of {} processes {} ended as they should, others with {how}",
                self.asked, self.ended
            )));
        }
        self.all += self.ended;
        Ok(CheckValue::Count(self.ended))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.all = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.pinning.conditions()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        Ok(CheckValue::Count(self.all))
    }
}
