//! A file of a worker's own: it loses its name as soon as it is made, so that nothing is left of it however the agent ends.

use rustix::fs::{fadvise, fcntl_getfl, fcntl_setfl, Advice, Mode, OFlags};
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

/// Write back what the page cache has of `file`, and drop it from there.
pub(super) fn evict(file: &File) -> io::Result<()> {
    file.sync_data()?;
    // A file system without such a cache ignores the advice.
    let _ = fadvise(file, 0, None, Advice::DontNeed);
    Ok(())
}
