//! Opening the file or device: past the page cache where that works, through it (and saying so) where it does not.

use crate::settings::wrong;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::os_failure;

/// How a file is to be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) write: bool,
    pub(super) create: bool,
    pub(super) direct: bool,
}

/// An open file.
pub(super) struct Opened {
    /// For the requests.
    pub(super) file: File,
    /// For reading again what was written; the same way past or through the cache.
    pub(super) reader: File,
    pub(super) conditions: Conditions,
}

/// Length of the file or device in bytes; `None` for a file that is yet to be created.
pub(super) fn length(path: &str, access: Access) -> Result<Option<u64>, Failure> {
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound && access.create => return Ok(None),
        Err(cause) => return Err(os_failure(&format!("cannot open {path}"), &cause)),
    };
    let kind = meta.file_type();
    if kind.is_file() {
        return Ok(Some(meta.len()));
    }
    if !kind.is_block_device() {
        return Err(wrong(format!("{path} is neither a file nor a block device")));
    }
    // The end of a block device is where seeking to its end leads.
    let file = open_with(path, OFlags::RDONLY).map_err(|cause| os_failure(&format!("cannot open {path}"), &cause))?;
    rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))
        .map(Some)
        .map_err(|errno| os_failure(&format!("cannot find the size of {path}"), &errno.into()))
}

/// Refuse to fill a file that its file system has no room for, before a byte is written.
pub(super) fn ensure_room(path: &str, span: u64) -> Result<(), Failure> {
    let held = std::fs::metadata(path).map_or(0, |meta| if meta.is_file() { meta.blocks() * 512 } else { u64::MAX });
    let folder = Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
    // A file system that does not tell is left to refuse by itself.
    if let Ok(system) = rustix::fs::statvfs(folder.unwrap_or_else(|| Path::new("."))) {
        let free = system.f_bavail.saturating_mul(system.f_frsize);
        // A file system without a size, such as /proc, does not tell either.
        if system.f_blocks > 0 && span > held.saturating_add(free) {
            let message = format!("{path} is to have {span} bytes, but its file system has only {free} left");
            return Err(Failure::new(Code::NoSpace, message));
        }
    }
    Ok(())
}

pub(super) fn open_with(path: &str, flags: OFlags) -> io::Result<File> {
    let mode = Mode::from_raw_mode(0o644);
    let file = rustix::fs::open(path, flags | OFlags::CLOEXEC | OFlags::LARGEFILE, mode)?;
    Ok(File::from(file))
}

/// Open `path`, and try one request of `block` bytes where O_DIRECT is wanted: some file systems refuse the open, others the request.
pub(super) fn open(path: &str, access: Access, span: u64, block: &mut [u8]) -> Result<Opened, Failure> {
    let mut flags = if access.write { OFlags::RDWR } else { OFlags::RDONLY };
    if access.create {
        flags |= OFlags::CREATE;
    }
    let failed = |cause: &io::Error| os_failure(&format!("cannot open {path}"), cause);
    let mut conditions = Conditions::new();
    if access.direct {
        match try_direct(path, flags, span, block) {
            Ok(file) => {
                conditions.insert("io".into(), "direct".into());
                let reader = file.try_clone().map_err(|cause| failed(&cause))?;
                return Ok(Opened { file, reader, conditions });
            }
            Err(cause) => match cause.raw_os_error() {
                Some(libc::EINVAL) => refused("EINVAL", &mut conditions),
                Some(libc::EOPNOTSUPP) => refused("EOPNOTSUPP", &mut conditions),
                _ => return Err(failed(&cause)),
            },
        }
    } else {
        conditions.insert("io_reason".into(), "direct was not asked for".into());
    }
    conditions.insert("io".into(), "buffered".into());
    let file = open_with(path, flags).map_err(|cause| failed(&cause))?;
    let reader = file.try_clone().map_err(|cause| failed(&cause))?;
    Ok(Opened { file, reader, conditions })
}

fn refused(how: &str, conditions: &mut Conditions) {
    conditions.insert("io_reason".into(), format!("O_DIRECT refused: {how}"));
}

fn try_direct(path: &str, flags: OFlags, span: u64, block: &mut [u8]) -> io::Result<File> {
    let file = open_with(path, flags | OFlags::DIRECT)?;
    let whole = usize::try_from(span).unwrap_or(usize::MAX).min(block.len());
    // Reading changes nothing, and an empty file that is yet to be filled gives 0 bytes or EINVAL all the same.
    file.read_at(&mut block[..whole], 0).map(|_| file)
}
