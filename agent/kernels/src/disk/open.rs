//! Opening the file or device: past the page cache where that works, through it (and saying so) where it does not.

use crate::buffer::Buffer;
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
    /// Every write is on the medium when it returns (O_DSYNC).
    pub(super) synchronous: bool,
}

/// Bytes and offset that O_DIRECT allows on every device.
const SURE: usize = 4096;

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

/// Bytes that are left on the file system where `path` is or will be; `None` where it does not tell.
pub(super) fn room(path: &str) -> Option<u64> {
    let folder = Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
    let system = rustix::fs::statvfs(folder.unwrap_or_else(|| Path::new("."))).ok()?;
    // A file system without a size, such as /proc, does not tell either.
    (system.f_blocks > 0).then(|| system.f_bavail.saturating_mul(system.f_frsize))
}

/// Refuse to fill a file that its file system has no room for, before a byte is written.
pub(super) fn ensure_room(path: &str, span: u64) -> Result<(), Failure> {
    let held = std::fs::metadata(path).map_or(0, |meta| if meta.is_file() { meta.blocks() * 512 } else { u64::MAX });
    match room(path) {
        // One that does not tell is left to refuse by itself.
        Some(free) if span > held.saturating_add(free) => {
            let message = format!("{path} is to have {span} bytes, but its file system has only {free} left");
            Err(Failure::new(Code::NoSpace, message))
        }
        _ => Ok(()),
    }
}

pub(super) fn open_with(path: &str, flags: OFlags) -> io::Result<File> {
    let mode = Mode::from_raw_mode(0o644);
    let file = rustix::fs::open(path, flags | OFlags::CLOEXEC | OFlags::LARGEFILE, mode)?;
    Ok(File::from(file))
}

/// Open `path`. Where O_DIRECT is wanted and refused, by the open or by a read, it is used buffered.
///
/// `bad-arguments` where O_DIRECT works and the device cannot do it with one of `blocks`, each a size and the multiple that
/// offsets are of, which are within `span`.
pub(super) fn open(path: &str, access: Access, span: u64, blocks: &[(u64, u64)]) -> Result<Opened, Failure> {
    let mut flags = if access.write { OFlags::RDWR } else { OFlags::RDONLY };
    if access.create {
        flags |= OFlags::CREATE;
    }
    if access.synchronous {
        flags |= OFlags::DSYNC;
    }
    let failed = |cause: &io::Error| os_failure(&format!("cannot open {path}"), cause);
    let mut conditions = Conditions::new();
    if access.direct {
        match try_direct(path, flags) {
            Ok(file) => {
                ensure_blocks(path, &file, span, blocks)?;
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

fn try_direct(path: &str, flags: OFlags) -> io::Result<File> {
    let file = open_with(path, flags | OFlags::DIRECT)?;
    let mut block = AlignedBlock([0; SURE]);
    // Reading changes nothing, and what is too short or empty gives what it has.
    file.read_at(&mut block.0, 0).map(|_| file)
}

#[repr(align(4096))]
struct AlignedBlock([u8; SURE]);

/// Try one read of each size at the smallest offset that is not zero.
fn ensure_blocks(path: &str, file: &File, span: u64, blocks: &[(u64, u64)]) -> Result<(), Failure> {
    for (size, align) in blocks.iter().filter(|(size, align)| size % SURE as u64 != 0 || align % SURE as u64 != 0) {
        let mut buffer = Buffer::new(usize::try_from(*size).unwrap_or(SURE))?;
        let offset = if align + size <= span { *align } else { 0 };
        match file.read_at(buffer.bytes_mut(), offset) {
            Err(cause) if cause.raw_os_error() == Some(libc::EINVAL) => {
                let blocks = if size == align {
                    format!("{size} bytes")
                } else {
                    format!("{size} bytes at multiples of {align}")
                };
                let remedy = "take multiples of its sectors (512 or 4096), or go through the page cache (direct false)";
                return Err(wrong(format!("blocks of {blocks} cannot go past the page cache of {path}; {remedy}")));
            }
            Err(cause) => return Err(os_failure(&format!("cannot read {path}"), &cause)),
            Ok(_) => {}
        }
    }
    Ok(())
}
