//! A file as memory.

#![allow(unsafe_code)] // mappings as slices

use super::bus_fault::MissingPages;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};

/// The first bytes of a file, shared with it.
pub(super) struct FileMapping {
    start: *mut u8,
    bytes: usize,
    missing: MissingPages,
}

impl FileMapping {
    /// Map `bytes` (not zero, and no more than the file has).
    #[inline]
    pub(super) fn new(file: &OwnedFd, bytes: usize) -> Result<Self, Errno> {
        Self::with(file, bytes, ProtFlags::READ)
    }

    /// The same, to be written to as well.
    #[inline]
    pub(super) fn writable(file: &OwnedFd, bytes: usize) -> Result<Self, Errno> {
        Self::with(file, bytes, ProtFlags::READ | ProtFlags::WRITE)
    }

    fn with(file: &OwnedFd, bytes: usize, protection: ProtFlags) -> Result<Self, Errno> {
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory that is in use.
        let start = unsafe { mmap(std::ptr::null_mut(), bytes, protection, MapFlags::SHARED, file.as_fd(), 0) }?;
        Ok(FileMapping { start: start.cast(), bytes, missing: MissingPages::watch() })
    }

    /// The content. Where a file has become shorter in the meantime there are zeroes, and `lacks_pages` says so.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is this long, readable and borrowed with self.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    /// Whether the file has not given all pages that were used.
    pub(super) fn lacks_pages(&self) -> bool {
        let start = self.start as usize;
        self.missing.any(&(start..start + self.bytes))
    }

    /// Write one byte at `offset`, which the compiler leaves neither out nor to later.
    #[inline]
    pub(super) fn write(&mut self, offset: usize, byte: u8) {
        assert!(offset < self.bytes, "outside of the mapping");
        // SAFETY: within the mapping, which is writable by the constructor that gave it, or the kernel ends the agent.
        unsafe { self.start.add(offset).write_volatile(byte) };
    }
}

impl Drop for FileMapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this object's and nothing borrows it any more. A failure would only keep the memory.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}
