//! System calls that are as short as system calls can be.

#![allow(unsafe_code)] // the body of a forked child

use super::child::{Child, Parent};
use super::operation::Operation;
use super::spawn::own_file;
use crate::settings::{check_failed, wrong, Settings};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{fstat, open, openat, statat, AtFlags, FileType, Mode, OFlags};
use rustix::io::{read, write, Errno};
use std::ffi::{CStr, CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::os_failure;

/// Which call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// getppid, which no C library answers without the kernel.
    Null,
    /// One byte from /dev/zero.
    Read,
    /// One byte to /dev/null.
    Write,
    /// Of a file by its name.
    Stat,
    /// Of an open file.
    Fstat,
    /// Open a file by its name and close it: two calls.
    Open,
}

impl Call {
    pub(super) fn read(settings: &Settings<'_>) -> Result<Self, Failure> {
        let calls = [
            ("null", Call::Null),
            ("read", Call::Read),
            ("write", Call::Write),
            ("stat", Call::Stat),
            ("fstat", Call::Fstat),
            ("open", Call::Open),
        ];
        settings.choice("call", &calls)
    }

    fn of_file(self) -> bool {
        matches!(self, Call::Stat | Call::Fstat | Call::Open)
    }
}

/// What the calls are made on: an open file, or a folder and the name of a file in it, so that the length of the path
/// makes no difference between one environment and another.
struct Object {
    place: OwnedFd,
    name: CString,
    path: PathBuf,
}

/// Makes calls and adds up what they return.
pub(super) struct SystemCalls {
    call: Call,
    object: Option<Object>,
    /// What a right call returns.
    expected: u64,
    sum: u64,
    calls: u64,
}

fn parent() -> u64 {
    // 0 where the parent is outside of this process namespace.
    rustix::process::getppid().map_or(0, |pid| u64::from(pid.as_raw_nonzero().get().unsigned_abs()))
}

/// The same by another way than the call that is measured, where there is one.
fn parent_by_file() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let number = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
    number.unwrap_or_else(parent)
}

fn cannot_open(path: &Path, cause: Errno) -> Failure {
    let device = path.starts_with("/dev") && cause == Errno::NOENT;
    let failure = os_failure(&format!("cannot open {}", path.display()), &cause.into());
    if device {
        return Failure::new(Code::NotSupported, failure.message);
    }
    failure
}

impl SystemCalls {
    /// `file`: what `stat`, `fstat` and `open` are called on; without one, the agent's own file.
    pub(super) fn new(call: Call, file: Option<&str>) -> Result<Self, Failure> {
        let path = match (call, file) {
            (Call::Null, _) => None,
            (Call::Read, _) => Some(PathBuf::from("/dev/zero")),
            (Call::Write, _) => Some(PathBuf::from("/dev/null")),
            (_, Some(file)) => Some(PathBuf::from(file)),
            (_, None) => Some(PathBuf::from(OsString::from_vec(own_file()?))),
        };
        let object = path.map(|path| Object::open(call, path)).transpose()?;
        let mut calls = SystemCalls { call, object, expected: 0, sum: 0, calls: 0 };
        calls.expected = calls.right()?;
        if call == Call::Null {
            calls.verify_in_child()?;
        }
        Ok(calls)
    }

    /// In a child of this process the calls return this process: an answer that was kept, or that no call gives, is
    /// another.
    fn verify_in_child(&mut self) -> Result<(), Failure> {
        let _parent = Parent::new();
        // What keeps an answer has one by then.
        self.repeat(1)?;
        let own = u64::from(std::process::id());
        let mut body = || i32::from(self.repeat(3).is_err() || self.sum != 3 * own);
        // SAFETY: the calls of this child are all getppid, which cannot fail: no failure is put into words.
        let child = unsafe { Child::fork(&mut body) };
        match child.and_then(Child::wait) {
            // Where there may be no further process nothing is seen of this.
            Err(_) | Ok(Some(0)) => Ok(()),
            _ => Err(check_failed("the calls of a child of this process do not return its parent: none are made")),
        }
    }

    /// What one call returns now, found out in another way where there is one.
    fn right(&self) -> Result<u64, Failure> {
        match (self.call, &self.object) {
            (Call::Read | Call::Write, _) => Ok(1),
            (_, Some(object)) => object.inode(),
            (_, None) => Ok(parent_by_file()),
        }
    }
}

impl Object {
    fn open(call: Call, path: PathBuf) -> Result<Self, Failure> {
        let found = rustix::fs::stat(&path).map_err(|errno| cannot_open(&path, errno))?;
        let kind = FileType::from_raw_mode(found.st_mode);
        // Anything else may wait when it is opened.
        if call.of_file() && !matches!(kind, FileType::RegularFile | FileType::Directory) {
            return Err(wrong(format!("{} is neither a regular file nor a folder", path.display())));
        }
        let by_name = matches!(call, Call::Stat | Call::Open);
        let (folder, name) = match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) if by_name && folder.as_os_str().is_empty() => (Path::new("."), name),
            (Some(folder), Some(name)) if by_name => (folder, name),
            _ => (path.as_path(), OsStr::new(".")),
        };
        let flags = OFlags::CLOEXEC | if call == Call::Write { OFlags::WRONLY } else { OFlags::RDONLY };
        let place = open(folder, flags, Mode::empty()).map_err(|errno| cannot_open(folder, errno))?;
        let name = CString::new(name.as_bytes()).map_err(|_| wrong("the file's name has a zero byte"))?;
        let object = Object { place, name, path };
        if call == Call::Open {
            // Opening may be refused where looking is not.
            openat(&object.place, object.name.as_c_str(), flags, Mode::empty())
                .map_err(|errno| cannot_open(&object.path, errno))?;
        }
        Ok(object)
    }

    /// The file's number, by its whole path.
    fn inode(&self) -> Result<u64, Failure> {
        let found = rustix::fs::stat(&self.path).map_err(|errno| cannot_open(&self.path, errno))?;
        Ok(found.st_ino)
    }
}

/// Add up what `repeats` calls return.
fn total(repeats: u64, mut call: impl FnMut() -> Result<u64, Errno>) -> Result<u64, Errno> {
    let mut sum = 0u64;
    for _ in 0..repeats {
        sum = sum.wrapping_add(call()?);
    }
    Ok(sum)
}

fn make_calls(call: Call, place: BorrowedFd<'_>, name: &CStr, repeats: u64) -> Result<u64, Errno> {
    let mut byte = [0; 1];
    match call {
        Call::Null => total(repeats, || Ok(parent())),
        Call::Read => total(repeats, || Ok(read(place, &mut byte)? as u64)),
        Call::Write => total(repeats, || Ok(write(place, &byte)? as u64)),
        Call::Stat => total(repeats, || Ok(statat(place, name, AtFlags::empty())?.st_ino)),
        Call::Fstat => total(repeats, || Ok(fstat(place)?.st_ino)),
        // A count: that it is the right file is seen afterwards.
        Call::Open => {
            total(repeats, || openat(place, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map(|_closed| 1))
        }
    }
}

impl Operation for SystemCalls {
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.calls = repeats;
        self.sum = 0;
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let done = match &self.object {
            None => total(repeats, || Ok(parent())),
            Some(object) => make_calls(self.call, object.place.as_fd(), &object.name, repeats),
        };
        self.sum = done.map_err(|errno| os_failure("a call failed", &errno.into()))?;
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        let now = self.right()?;
        let each = if self.call == Call::Open { 1 } else { self.expected };
        // The parent may end in the middle of a run, and process 1 take its place; then the next iteration is right
        // again.
        let changed = now != self.expected;
        if changed && self.call == Call::Null {
            self.expected = now;
        } else if changed || self.sum != each.wrapping_mul(self.calls) {
            let SystemCalls { calls, sum, .. } = self;
            return Err(check_failed(format!("{calls} calls returned {sum} in sum, not {calls} times {each}")));
        }
        Ok(self.calls)
    }

    fn conditions(&self, conditions: &mut Conditions) {
        if let (true, Some(object)) = (self.call.of_file(), &self.object) {
            conditions.insert("file_reason".into(), object.path.display().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ALL: [Call; 6] = [Call::Null, Call::Read, Call::Write, Call::Stat, Call::Fstat, Call::Open];

    #[test]
    fn every_call_is_made() {
        let mut made = 0;
        let sum = total(5, || {
            made += 1;
            Ok(3)
        });
        assert_eq!((made, sum), (5, Ok(15)));
    }

    #[test]
    fn calls_return_what_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for call in ALL {
            for path in [file.as_path(), folder.path(), Path::new("/"), Path::new("src"), Path::new("src/..")] {
                let mut calls = SystemCalls::new(call, path.to_str()).unwrap();
                calls.setup(10).unwrap();
                calls.repeat(10).unwrap();
                assert_eq!(calls.counted(), Ok(10), "{call:?} {}", path.display());
                calls.sum = calls.sum.wrapping_sub(1);
                assert_eq!(calls.counted().unwrap_err().code, Code::CheckFailed, "{call:?}");
            }
            assert!(SystemCalls::new(call, None).is_ok(), "{call:?}");
        }
    }

    #[test]
    fn another_file_of_the_same_name_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("file"), folder.path().join("other"));
        for call in [Call::Stat, Call::Open] {
            std::fs::write(&file, "x").unwrap();
            let mut calls = SystemCalls::new(call, file.to_str()).unwrap();
            std::fs::write(&other, "x").unwrap();
            std::fs::rename(&other, &file).unwrap();
            calls.setup(10).unwrap();
            calls.repeat(10).unwrap();
            assert_eq!(calls.counted().unwrap_err().code, Code::CheckFailed, "{call:?}");
        }
    }

    #[test]
    fn what_cannot_be_opened_is_one_sentence() {
        let failure = |file| SystemCalls::new(Call::Open, Some(file)).map(drop).unwrap_err();
        assert_eq!(failure("/nonexistent/file").message, "cannot open /nonexistent/file: No such file or directory");
        assert_eq!(failure("/dev/tty").message, "/dev/tty is neither a regular file nor a folder");
        assert_eq!(failure("/dev/tty").code, Code::BadArguments);
    }
}
