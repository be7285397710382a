//! The operations that Windows has: making a process, and those that need nothing of the system.

#![allow(unsafe_code)] // making processes

use super::endings::{Endings, EXIT_ARGUMENT, EXIT_STATUS};
use super::operation::{build, Choose, Operation};
use super::procedure::Procedure;
use crate::operation::Op;
use std::ffi::OsStr;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::null;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::{count_child, os_failure};
use windows_sys::Win32::Foundation::WAIT_OBJECT_0;
use windows_sys::Win32::System::Threading::{
    CreateProcessW, GetExitCodeProcess, WaitForSingleObject, INFINITE, PROCESS_INFORMATION, STARTUPINFOW,
};

/// For each row of the table what builds the operation.
pub(super) fn choices(ops: &[Op]) -> impl Iterator<Item = Choose> + '_ {
    ops.iter().map(|op| -> Choose {
        match op.name {
            "procedure" => |_, _| build(|_| Ok(Procedure::new())),
            "exec" => |_, _| build(|_| Exec::new(EXIT_ARGUMENT)),
            _ => |_, _| Err(Failure::new(Code::NotSupported, "on Windows the kernel os measures exec and procedure")),
        }
    })
}

/// Makes processes of the agent, which end at once, one after the other.
struct Exec {
    /// The command line, which ends with zero. The system may write to it.
    words: Vec<u16>,
    endings: Endings,
}

impl Exec {
    fn new(argument: &str) -> Result<Self, Failure> {
        let unknown = |_| Failure::new(Code::NotSupported, "the agent does not know its own file");
        let own = std::env::current_exe().map_err(unknown)?;
        // A path has no quotation marks in it.
        let words = [OsStr::new("\""), own.as_os_str(), OsStr::new("\" "), OsStr::new(argument)];
        let words = words.iter().flat_map(|word| word.encode_wide()).chain([0]).collect();
        Ok(Exec { words, endings: Endings::of(EXIT_STATUS) })
    }

    /// Make one process and wait for its end; its status.
    fn once(&mut self) -> io::Result<u32> {
        let length = u32::try_from(std::mem::size_of::<STARTUPINFOW>()).unwrap_or(0);
        let startup = STARTUPINFOW { cb: length, ..STARTUPINFOW::default() };
        let mut made = PROCESS_INFORMATION::default();
        let words = self.words.as_mut_ptr();
        // SAFETY: the words end with zero and may be written to, and both structures live here.
        let done = unsafe { CreateProcessW(null(), words, null(), null(), 0, 0, null(), null(), &startup, &mut made) };
        if done == 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: both handles are new and nobody else's.
        let (process, _thread) =
            unsafe { (OwnedHandle::from_raw_handle(made.hProcess), OwnedHandle::from_raw_handle(made.hThread)) };
        let mut status = 0;
        // SAFETY: the process's handle is open, and one number is written.
        let ended = unsafe {
            WaitForSingleObject(process.as_raw_handle(), INFINITE) == WAIT_OBJECT_0
                && GetExitCodeProcess(process.as_raw_handle(), &mut status) != 0
        };
        if !ended {
            return Err(io::Error::last_os_error());
        }
        count_child(&process);
        Ok(status)
    }
}

impl Operation for Exec {
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.endings.expect(repeats);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        for _ in 0..repeats {
            let status = self.once().map_err(|cause| os_failure("cannot make a process", &cause))?;
            self.endings.note(Some(i64::from(status)));
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

    #[test]
    fn a_process_that_ends_otherwise_is_reported() {
        // The program of the tests knows no such option, and ends with a status of its own.
        let mut exec = Exec::new("--no-such-option").unwrap();
        exec.setup(2).unwrap();
        exec.repeat(2).unwrap();
        let failure = exec.counted().unwrap_err();
        assert_eq!(failure.code, Code::CheckFailed);
        assert!(failure.message.starts_with("of 2 processes 0 ended as they should, others with status "), "{failure}");
    }
}
