//! Bytes one by one through a small buffer, as putc and getc of the C library do it.

use std::fs::File;
use std::io::{self, Read, Write};

/// What the C library takes on most file systems.
const BUFFER: usize = 4096;

/// Memory that O_DIRECT can use.
#[repr(align(4096))]
struct Block([u8; BUFFER]);

pub(super) struct Putter<'a> {
    file: &'a File,
    block: Block,
    used: usize,
}

impl<'a> Putter<'a> {
    pub(super) fn new(file: &'a File) -> Self {
        Putter { file, block: Block([0; BUFFER]), used: 0 }
    }

    /// Add a byte. Not inlined: in C it is a call as well.
    #[inline(never)]
    pub(super) fn put(&mut self, byte: u8) -> io::Result<()> {
        if self.used == BUFFER {
            self.flush()?;
        }
        self.block.0[self.used] = byte;
        self.used += 1;
        Ok(())
    }

    /// Hand over what is left.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        let mut file = self.file;
        file.write_all(&self.block.0[..self.used])?;
        self.used = 0;
        Ok(())
    }
}

pub(super) struct Getter<'a> {
    file: &'a File,
    block: Block,
    next: usize,
    end: usize,
}

impl<'a> Getter<'a> {
    pub(super) fn new(file: &'a File) -> Self {
        Getter { file, block: Block([0; BUFFER]), next: 0, end: 0 }
    }

    /// The next byte; the end of the file is an error. Not inlined: in C it is a call as well.
    #[inline(never)]
    pub(super) fn get(&mut self) -> io::Result<u8> {
        if self.next == self.end {
            let mut file = self.file;
            self.end = file.read(&mut self.block.0)?;
            self.next = 0;
            if self.end == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let byte = self.block.0[self.next];
        self.next += 1;
        Ok(byte)
    }
}
