//! A file as memory.

#![allow(unsafe_code)] // a mapping, whose content others may write: no reference to it exists

use super::bus_fault::MissingPages;
use super::sum::sum_shared;
use crate::simd::Simd;
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

    /// Bytes of the mapping.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The sum of the words of the content, modulo 2^64. Where a file has become shorter in the meantime there are
    /// zeroes, and `lacks_pages` says so.
    #[inline]
    pub(super) fn sum(&self, simd: Simd) -> u64 {
        // SAFETY: the mapping is this long and readable, and begins at a page.
        unsafe { sum_shared(simd, self.start, self.bytes) }
    }

    /// The word, little-endian, that stands at byte `offset`, a multiple of 8; zero as for [`FileMapping::sum`].
    #[inline]
    pub(super) fn word(&self, offset: usize) -> u64 {
        assert!(offset.is_multiple_of(8) && offset + 8 <= self.bytes, "outside of the mapping");
        // SAFETY: within the mapping, which begins at a page.
        u64::from_le(unsafe { self.start.add(offset).cast::<u64>().read_volatile() })
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
