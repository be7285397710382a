//! A file of a worker's own: it loses its name as soon as it is made, so that nothing is left of it however the agent
//! ends.

use super::flags::Flags;
use super::open::agree;
use super::system::flags_of;
use rustix::fs::{fcntl_getfl, fcntl_setfl, Mode, OFlags};
use std::fs::File;
use std::io;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::os_failure;

/// How it is to be used.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// A name that nothing has yet.
    pub(super) path: String,
    /// Past the page cache, where that works.
    pub(super) direct: bool,
    /// Every write is on the medium when it ends (O_DSYNC).
    pub(super) synchronous: bool,
}

impl Place {
    /// Make an empty file. `not-permitted` where the name is taken.
    pub(super) fn create(&self) -> Result<File, Failure> {
        let path = &self.path;
        let failed = |cause: &io::Error| os_failure(&format!("cannot make {path}"), cause);
        let mut flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::LARGEFILE;
        if self.synchronous {
            flags |= OFlags::DSYNC;
        }
        let file = rustix::fs::open(path.as_str(), flags, Mode::from_raw_mode(0o600)).map(File::from);
        let file = file.map_err(|errno| match errno {
            rustix::io::Errno::EXIST => {
                let message = format!("{path} exists; the operation makes a file of its own, give a name that is free");
                Failure::new(Code::NotPermitted, message)
            }
            errno => failed(&errno.into()),
        })?;
        std::fs::remove_file(path).map_err(|cause| failed(&cause))?;
        Ok(file)
    }

    /// Have `file` used past the page cache where that is wanted, and say how it is used.
    pub(super) fn set_up(&self, file: &File) -> Result<Conditions, Failure> {
        let mut conditions = Conditions::new();
        let (io, reason) = match (self.direct, self.direct.then(|| go_past_cache(file))) {
            (false, _) => ("buffered", "direct was not asked for"),
            (true, Some(Err(rustix::io::Errno::INVAL))) => ("buffered", "O_DIRECT refused: EINVAL"),
            (true, Some(Err(errno))) => {
                return Err(os_failure(&format!("cannot use {} past the page cache", self.path), &errno.into()))
            }
            (true, _) => ("direct", ""),
        };
        let found =
            flags_of(file).map_err(|cause| os_failure(&format!("cannot ask how {} is open", self.path), &cause))?;
        agree(&self.path, Flags { direct: io == "direct", synchronous: self.synchronous, ..Flags::default() }, found)?;
        conditions.insert("io".into(), io.into());
        if !reason.is_empty() {
            conditions.insert("io_reason".into(), reason.into());
        }
        Ok(conditions)
    }
}

fn go_past_cache(file: &File) -> rustix::io::Result<()> {
    fcntl_setfl(file, fcntl_getfl(file)? | OFlags::DIRECT)
}

/// Have the medium hold all that was written, and count it.
pub(super) fn flush(file: &File, flushes: &mut u64) -> io::Result<()> {
    file.sync_all()?;
    *flushes += 1;
    Ok(())
}

/// Have `body` use `file` past the page cache where that works, and leave it as it was.
pub(super) fn past_cache<T>(file: &File, body: impl FnOnce(&File) -> T) -> io::Result<T> {
    let before = fcntl_getfl(file)?;
    // Where it is refused the page cache answers.
    let _ = fcntl_setfl(file, before | OFlags::DIRECT);
    let outcome = body(file);
    fcntl_setfl(file, before)?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::disk::page_cache::dirty_bytes;
    use std::io::Write;

    #[test]
    fn a_flush_waits_for_the_medium_and_is_counted() {
        let mut flushes = 0;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 100_000]).unwrap();
        flush(&file, &mut flushes).unwrap();
        assert_eq!(flushes, 1);
        // Linux before 6.5 does not tell.
        assert_eq!(dirty_bytes(&file).unwrap_or(0), 0);
        // A pipe has no medium: the system refuses to wait for it, which only shows where it is asked to.
        let (pipe, _end) = rustix::pipe::pipe().unwrap();
        assert_eq!(flush(&File::from(pipe), &mut flushes).unwrap_err().raw_os_error(), Some(libc::EINVAL));
        assert_eq!(flushes, 1);
    }

    #[test]
    fn a_file_is_used_past_the_cache_only_for_a_while() {
        let file = tempfile::tempfile().unwrap();
        let direct = |file: &File| fcntl_getfl(file).unwrap().contains(OFlags::DIRECT);
        let refused = fcntl_setfl(&file, fcntl_getfl(&file).unwrap() | OFlags::DIRECT).is_err();
        fcntl_setfl(&file, OFlags::empty()).unwrap();
        assert_eq!(past_cache(&file, direct).unwrap(), !refused);
        assert!(!direct(&file));
    }
}
