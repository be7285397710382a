//! Files and block devices of Linux.

pub(super) use super::page_cache::evict;
pub(super) use std::os::unix::fs::FileExt;

use super::flags::Flags;
use rustix::fs::{fadvise, fcntl_getfl, statvfs, Advice, Mode, OFlags};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

pub(super) fn open(path: &str, flags: Flags) -> io::Result<File> {
    let mut system = if flags.write { OFlags::RDWR } else { OFlags::RDONLY };
    for (requested, flag) in
        [(flags.create, OFlags::CREATE), (flags.direct, OFlags::DIRECT), (flags.synchronous, OFlags::DSYNC)]
    {
        system.set(flag, requested);
    }
    let mode = Mode::from_raw_mode(0o644);
    let file = rustix::fs::open(path, system | OFlags::CLOEXEC | OFlags::LARGEFILE, mode)?;
    Ok(File::from(file))
}

/// How a file is open, of what `open` can ask for; `None` where the system does not tell.
pub(super) fn flags_of(file: &File) -> io::Result<Option<Flags>> {
    let found = fcntl_getfl(file)?;
    let write = found.contains(OFlags::RDWR);
    let (direct, synchronous) = (found.contains(OFlags::DIRECT), found.contains(OFlags::DSYNC));
    Ok(Some(Flags { write, create: false, direct, synchronous }))
}

/// Length of a block device; `None` for everything else.
pub(super) fn device_length(path: &str) -> Option<io::Result<u64>> {
    let is_device = std::fs::metadata(path).ok()?.file_type().is_block_device();
    // The end of a block device is where seeking to its end leads.
    is_device.then(|| open(path, Flags::default())?.seek(SeekFrom::End(0)))
}

/// Bytes that `path` holds on its file system, and bytes that are free there; `None` where it does not tell.
pub(super) fn free_bytes(path: &str) -> Option<(u64, u64)> {
    let held = std::fs::metadata(path).map_or(0, |meta| if meta.is_file() { meta.blocks() * 512 } else { u64::MAX });
    let folder = Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
    let system = statvfs(folder.unwrap_or_else(|| Path::new("."))).ok()?;
    // A file system without a size, such as /proc, does not tell either.
    (system.f_blocks > 0).then(|| (held, system.f_bavail.saturating_mul(system.f_frsize)))
}

/// The name of an error that says that the page cache cannot be avoided, or not with blocks of this size.
pub(super) fn refusal(cause: &io::Error) -> Option<&'static str> {
    match cause.raw_os_error()? {
        libc::EINVAL => Some("EINVAL"),
        libc::EOPNOTSUPP => Some("EOPNOTSUPP"),
        _ => None,
    }
}

/// Whether an error says that the system does not have, or does not allow, an engine.
pub(super) fn lacks(cause: &io::Error) -> bool {
    matches!(cause.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EACCES | libc::EINVAL | libc::EOPNOTSUPP))
}

/// Nothing that is not read is to come into the page cache. Where there is no such advice it is not needed.
pub(super) fn read_no_more(file: &File) {
    let _ = fadvise(file, 0, None, Advice::Random);
}
