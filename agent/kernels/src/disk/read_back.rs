//! Reading again what was written, by another way than it was written.

use super::system::{self, FileExt};
use crate::buffer::Buffer;
use std::fs::File;
use std::io::{self, ErrorKind};
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// Places and lengths that every device can read past the page cache are multiples of this.
const ALIGNMENT: usize = 4096;

/// Memory for one block that is read again.
pub(super) struct Block {
    buffer: Buffer,
}

/// A descriptor of its own for reading again, and memory for one block.
pub(super) struct ReadBack {
    file: File,
    /// Whether reading goes past the page cache.
    direct: bool,
    block: Block,
}

impl ReadBack {
    /// Blocks have `longest` bytes at most.
    pub(super) fn new(file: File, direct: bool, longest: usize) -> Result<Self, Failure> {
        Ok(ReadBack { file, direct, block: Block::new(longest)? })
    }

    /// Whether reading goes past the page cache.
    pub(super) fn is_direct(&self) -> bool {
        self.direct
    }

    /// Have the next readings come from the file's medium, as far as the system lets a program ask for that.
    pub(super) fn forget_cache(&self) -> io::Result<()> {
        if !self.direct {
            system::evict(&self.file)?;
        }
        Ok(())
    }

    /// The block of `length` bytes at byte `offset`.
    pub(super) fn read(&mut self, path: &str, offset: u64, length: usize) -> Result<&[u8], Failure> {
        self.block.read(&self.file, offset, length).map_err(|cause| os_failure(&format!("cannot read {path}"), &cause))
    }
}

impl Block {
    /// Blocks have `longest` bytes at most.
    pub(super) fn new(longest: usize) -> Result<Self, Failure> {
        // A block that begins within a page needs one more.
        let room = longest.next_multiple_of(ALIGNMENT) + ALIGNMENT;
        Ok(Block { buffer: Buffer::new(room)? })
    }

    /// The block of `length` bytes at byte `offset` of `file`, which may be open past the page cache.
    pub(super) fn read(&mut self, file: &File, offset: u64, length: usize) -> io::Result<&[u8]> {
        let within = usize::try_from(offset % ALIGNMENT as u64).unwrap_or(0);
        let (begin, end) = (offset - within as u64, within + length);
        let whole = end.next_multiple_of(ALIGNMENT);
        let bytes = &mut self.buffer.bytes_mut()[..whole];
        // What no read gives: a block that was not read shows.
        bytes.fill(0xFF);
        let mut done = 0;
        while done < end {
            match file.read_at(&mut bytes[done..], begin + done as u64) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => done += read,
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        Ok(&self.buffer.bytes()[within..end])
    }
}
