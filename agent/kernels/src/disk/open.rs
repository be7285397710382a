//! Opening the file or device: past the page cache where that works, through it (and saying so) where it does not.

use super::flags::Flags;
use super::system::{self, FileExt};
use crate::buffer::Buffer;
use crate::settings::{check_failed, wrong};
use std::fs::File;
use std::io;
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
    /// For reading again what was written and for restoring it: the same way past or through the cache, without waiting
    /// for the medium at each write.
    pub(super) reader: File,
    /// For reading past the page cache in any case, where that works.
    pub(super) past_cache: Option<File>,
    pub(super) conditions: Conditions,
}

/// Length of the file or device in bytes; `None` for a file that is yet to be created.
pub(super) fn length(path: &str, access: Access) -> Result<Option<u64>, Failure> {
    if let Some(length) = system::device_length(path) {
        return length.map(Some).map_err(|cause| os_failure(&format!("cannot find the size of {path}"), &cause));
    }
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => Ok(Some(meta.len())),
        Ok(_) => Err(wrong(format!("{path} is neither a file nor a block device"))),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound && access.create => Ok(None),
        Err(cause) => Err(os_failure(&format!("cannot open {path}"), &cause)),
    }
}

/// Bytes that are left on the file system where `path` is or will be; `None` where it does not tell.
#[cfg(unix)]
pub(super) fn free_bytes(path: &str) -> Option<u64> {
    system::free_bytes(path).map(|(_, free)| free)
}

/// Refuse to fill a file that its file system has no room for, before a byte is written.
pub(super) fn ensure_room(path: &str, span: u64) -> Result<(), Failure> {
    match system::free_bytes(path) {
        // One that does not tell is left to refuse later.
        Some((held, free)) if span > held.saturating_add(free) => {
            let message = format!("{path} is to have {span} bytes, but its file system has only {free} left");
            Err(Failure::new(Code::NoSpace, message))
        }
        _ => Ok(()),
    }
}

/// Open `path`. Where O_DIRECT is wanted and refused, by the open or by a read, it is used buffered.
///
/// `bad-arguments` where O_DIRECT works and the device cannot do it with one of `blocks`, each a size and the multiple
/// that offsets are of, which are within `span`.
pub(super) fn open(path: &str, access: Access, span: u64, blocks: &[(u64, u64)]) -> Result<Opened, Failure> {
    let Access { write, create, synchronous, .. } = access;
    let flags = Flags { write, create, direct: false, synchronous };
    let reading = Flags { synchronous: false, create: false, ..flags };
    let failed = |cause: &io::Error| os_failure(&format!("cannot open {path}"), cause);
    let mut conditions = Conditions::new();
    if access.direct {
        match try_direct(path, flags) {
            Ok(file) => {
                ensure_blocks(path, &file, span, blocks)?;
                ensure_flags(path, &file, Flags { direct: true, ..flags })?;
                conditions.insert("io".into(), "direct".into());
                let reader = system::open(path, Flags { direct: true, ..reading }).map_err(|cause| failed(&cause))?;
                let past_cache = reader.try_clone().map_err(|cause| failed(&cause))?;
                return Ok(Opened { file, reader, past_cache: Some(past_cache), conditions });
            }
            Err(cause) => match system::refusal(&cause) {
                Some(how) => refused(how, &mut conditions),
                None => return Err(failed(&cause)),
            },
        }
    } else {
        conditions.insert("io_reason".into(), "direct was not asked for".into());
    }
    conditions.insert("io".into(), "buffered".into());
    let file = system::open(path, flags).map_err(|cause| failed(&cause))?;
    ensure_flags(path, &file, flags)?;
    let reader = system::open(path, reading).map_err(|cause| failed(&cause))?;
    let past_cache = try_direct(path, Flags::default()).ok();
    Ok(Opened { file, reader, past_cache, conditions })
}

/// What the system says of an open file is what was asked of it: it is not only the wish that results name.
fn ensure_flags(path: &str, file: &File, wanted: Flags) -> Result<(), Failure> {
    let found =
        system::flags_of(file).map_err(|cause| os_failure(&format!("cannot ask how {path} is open"), &cause))?;
    agree(path, wanted, found)
}

/// As `ensure_flags`, of flags that are known. `None` where the system does not tell.
pub(super) fn agree(path: &str, wanted: Flags, found: Option<Flags>) -> Result<(), Failure> {
    let found = found.unwrap_or(wanted);
    for (name, wanted, found) in
        [("O_DIRECT", wanted.direct, found.direct), ("O_DSYNC", wanted.synchronous, found.synchronous)]
    {
        if wanted != found {
            let with = |is| if is { "with" } else { "without" };
            let message = format!("{path} is open {} {name} instead of {} it", with(found), with(wanted));
            return Err(check_failed(message));
        }
    }
    Ok(())
}

fn refused(how: &str, conditions: &mut Conditions) {
    conditions.insert("io_reason".into(), format!("O_DIRECT refused: {how}"));
}

fn try_direct(path: &str, flags: Flags) -> io::Result<File> {
    let file = system::open(path, Flags { direct: true, ..flags })?;
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
            Err(cause) if system::refusal(&cause).is_some() => {
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
