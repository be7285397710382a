//! Files and disks of Windows.

#![allow(unsafe_code)] // calls of the system about disks

use super::flags::Flags;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::mem::size_of;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::{FileExt as Seeking, OpenOptionsExt};
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use windows_sys::Win32::Foundation::{ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED};
use windows_sys::Win32::Storage::FileSystem::{GetDiskFreeSpaceExW, FILE_FLAG_NO_BUFFERING, FILE_FLAG_WRITE_THROUGH};
use windows_sys::Win32::System::Ioctl::{GET_LENGTH_INFORMATION, IOCTL_DISK_GET_LENGTH_INFO};
use windows_sys::Win32::System::IO::DeviceIoControl;

/// Reading and writing at an offset, by the names that they have on Unix. Every worker has a file of its own, whose
/// position nobody else uses.
pub(super) trait FileExt {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize>;
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;

    fn read_exact_at(&self, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.read_at(bytes, offset)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                read => {
                    bytes = &mut bytes[read..];
                    offset += read as u64;
                }
            }
        }
        Ok(())
    }

    fn write_all_at(&self, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write_at(bytes, offset)? {
                0 => return Err(ErrorKind::WriteZero.into()),
                written => {
                    bytes = &bytes[written..];
                    offset += written as u64;
                }
            }
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        self.seek_read(bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.seek_write(bytes, offset)
    }
}

pub(super) fn open(path: &str, flags: Flags) -> io::Result<File> {
    let mut system = 0;
    for (requested, flag) in [(flags.direct, FILE_FLAG_NO_BUFFERING), (flags.synchronous, FILE_FLAG_WRITE_THROUGH)] {
        system |= if requested { flag } else { 0 };
    }
    OpenOptions::new().read(true).write(flags.write).create(flags.create).custom_flags(system).open(path)
}

/// Windows does not tell how a file is open.
#[allow(clippy::unnecessary_wraps)] // other systems can fail
pub(super) fn flags_of(_file: &File) -> io::Result<Option<Flags>> {
    Ok(None)
}

/// Write back what the system's cache has of `file`; no call drops it from there.
pub(super) fn evict(file: &File) -> io::Result<()> {
    file.sync_data()
}

/// Length of a disk such as \\.\PhysicalDrive1; `None` for everything else.
pub(super) fn device_length(path: &str) -> Option<io::Result<u64>> {
    path.starts_with(r"\\.\").then(|| {
        let device = open(path, Flags::default())?;
        let (mut answer, mut length, none) = (GET_LENGTH_INFORMATION::default(), 0, std::ptr::null_mut());
        let room = u32::try_from(size_of::<GET_LENGTH_INFORMATION>()).unwrap_or(0);
        let to = std::ptr::addr_of_mut!(answer).cast();
        let (disk, requested) = (device.as_raw_handle(), IOCTL_DISK_GET_LENGTH_INFO);
        // SAFETY: the handle is open, and the answer is as long as is said.
        match unsafe { DeviceIoControl(disk, requested, none, 0, to, room, &mut length, none.cast()) } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(u64::try_from(answer.Length).unwrap_or(0)),
        }
    })
}

/// Bytes that `path` holds on its file system, and bytes that are free there; `None` where it does not tell.
pub(super) fn free_bytes(path: &str) -> Option<(u64, u64)> {
    let held = std::fs::metadata(path).map_or(0, |meta| meta.len());
    let folder = Path::new(path).parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder: Vec<u16> = folder.unwrap_or_else(|| Path::new(".")).as_os_str().encode_wide().chain([0]).collect();
    let (mut free, nothing) = (0, std::ptr::null_mut());
    // SAFETY: the name ends with zero, and one number is written.
    let told = unsafe { GetDiskFreeSpaceExW(folder.as_ptr(), &mut free, nothing, nothing) };
    (told != 0 && !path.starts_with(r"\\.\")).then(|| (held, free))
}

/// The name of an error that says that the cache cannot be avoided, or not with blocks of this size.
pub(super) fn refusal(cause: &io::Error) -> Option<&'static str> {
    match u32::try_from(cause.raw_os_error()?).ok()? {
        ERROR_INVALID_PARAMETER => Some("ERROR_INVALID_PARAMETER"),
        ERROR_NOT_SUPPORTED => Some("ERROR_NOT_SUPPORTED"),
        _ => None,
    }
}

/// Whether an error says that the system does not have an engine.
pub(super) fn lacks(cause: &io::Error) -> bool {
    cause.kind() == ErrorKind::Unsupported
}

/// There is no such advice for a file that is open.
pub(super) fn read_no_more(_file: &File) {}
