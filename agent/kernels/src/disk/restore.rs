//! Bringing back the pattern where a worker has written: a file is handed on as `fill` has made it.

use super::stamp::{difference, Word, Worker};
use super::system::{self, FileExt};
use crate::buffer::Buffer;
use crate::pattern;
use std::fs::File;
use std::io;

/// Bytes of a page, the least that is restored at once: what every device can write past the page cache.
const PAGE: u64 = 4096;

/// Most pages that are noted one by one; of longer spans several at once.
const MOST_NOTED: u64 = 1 << 26;

/// Bytes that are read at once. Another agent that writes to the file may do so between the reading and the writing of
/// them: the fewer, the less likely.
const PIECE: u64 = 256 << 10;

/// Where a worker has written.
pub(super) struct Touched {
    /// Bytes of the file that one bit stands for, a multiple of a page.
    unit: u64,
    span: u64,
    bits: Vec<u64>,
}

impl Touched {
    pub(super) fn new(span: u64) -> Self {
        let pages = span.div_ceil(PAGE);
        let unit = PAGE * pages.div_ceil(MOST_NOTED).max(1);
        let words = span.div_ceil(unit).div_ceil(64);
        Touched { unit, span, bits: vec![0; usize::try_from(words).unwrap_or(0)] }
    }

    /// Note a write.
    pub(super) fn add(&mut self, offset: u64, length: usize) {
        for unit in offset / self.unit..(offset + length as u64).div_ceil(self.unit) {
            if let Some(word) = usize::try_from(unit / 64).ok().and_then(|word| self.bits.get_mut(word)) {
                *word |= 1 << (unit % 64);
            }
        }
    }

    /// The parts of the file that were written to, none longer than a piece.
    fn pieces(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let units = self.bits.iter().zip(0u64..).filter(|(bits, _)| **bits != 0).flat_map(|(bits, word)| {
            let bits = *bits;
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word * 64 + bit)
        });
        let mut units = units.peekable();
        let most = (PIECE / self.unit).max(1);
        std::iter::from_fn(move || {
            let first = units.next()?;
            let mut end = first + 1;
            while end - first < most && units.peek() == Some(&end) {
                units.next();
                end += 1;
            }
            Some((first * self.unit, (end * self.unit).min(self.span)))
        })
    }

    /// Write the pattern wherever the file holds a stamp of `worker`, and wait until it is on the medium. What others
    /// have written since is theirs.
    pub(super) fn restore(&mut self, file: &File, path: &str, worker: Worker) -> io::Result<()> {
        let room = usize::try_from(PIECE.max(self.unit)).unwrap_or(0);
        let mut buffer = Buffer::new(room).map_err(|failure| io::Error::other(failure.message))?;
        let mut restorer = Restorer { file, path, buffered: None, worker };
        let pieces: Vec<(u64, u64)> = self.pieces().collect();
        for (begin, end) in pieces {
            restorer.restore_piece(buffer.bytes_mut(), begin, end)?;
        }
        file.sync_data()?;
        if let Some(file) = restorer.buffered {
            file.sync_data()?;
        }
        self.bits.iter_mut().for_each(|bits| *bits = 0);
        Ok(())
    }

    /// Whether anything was written that is not restored.
    pub(super) fn any(&self) -> bool {
        self.bits.iter().any(|bits| *bits != 0)
    }
}

struct Restorer<'a> {
    file: &'a File,
    path: &'a str,
    /// A descriptor through the page cache, where the other one goes past it and cannot write the end of the file.
    buffered: Option<File>,
    worker: Worker,
}

impl Restorer<'_> {
    fn restore_piece(&mut self, buffer: &mut [u8], begin: u64, end: u64) -> io::Result<()> {
        let wanted = usize::try_from(end - begin).unwrap_or(0);
        // The end of the span may lie within a page.
        let whole = wanted.next_multiple_of(4096);
        let mut found = 0;
        while found < wanted {
            match self.file.read_at(&mut buffer[found..whole], begin + found as u64) {
                // The file has become shorter.
                Ok(0) => break,
                Ok(read) => found += read,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        // Pages that hold own stamps and follow each other are written in one call.
        let (mut from, end) = (None, found.min(wanted));
        for first in (0..end).step_by(4096) {
            let stamped = self.unstamp(&mut buffer[first..end.min(first + 4096)], begin + first as u64);
            match (stamped, from) {
                (true, None) => from = Some(first),
                (false, Some(start)) => {
                    self.write(&buffer[start..first], begin + start as u64)?;
                    from = None;
                }
                _ => {}
            }
        }
        match from {
            Some(start) => self.write(&buffer[start..end], begin + start as u64),
            None => Ok(()),
        }
    }

    /// Replace own stamped words by the pattern; whether there were any.
    fn unstamp(&self, page: &mut [u8], offset: u64) -> bool {
        let mut any = false;
        for (bytes, at) in page.chunks_exact_mut(8).zip((offset..).step_by(8)) {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            if let Word::Own(_) = self.worker.meaning(difference(u64::from_le_bytes(word), at)) {
                bytes.copy_from_slice(&pattern::word(at / 8).to_le_bytes());
                any = true;
            }
        }
        any
    }

    fn write(&mut self, page: &[u8], offset: u64) -> io::Result<()> {
        if let Some(file) = &self.buffered {
            return file.write_all_at(page, offset);
        }
        match self.file.write_all_at(page, offset) {
            Err(cause) if system::refusal(&cause).is_some() => {
                let file = system::open(self.path, super::flags::Flags { write: true, ..Default::default() })?;
                file.write_all_at(page, offset)?;
                self.buffered = Some(file);
                Ok(())
            }
            written => written,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_that_were_written_to_are_noted_in_pieces() {
        let mut touched = Touched::new(10 * PAGE + 100);
        assert!(!touched.any());
        touched.add(PAGE - 8, 16);
        touched.add(5 * PAGE, 1);
        touched.add(10 * PAGE + 8, 92);
        let pieces: Vec<_> = touched.pieces().collect();
        assert_eq!(pieces, [(0, 2 * PAGE), (5 * PAGE, 6 * PAGE), (10 * PAGE, 10 * PAGE + 100)]);
        let mut long = Touched::new(1 << 20);
        long.add(0, 1 << 20);
        assert_eq!(long.pieces().count(), (1 << 20) / 262_144);
        // A span beyond what is noted page by page.
        assert_eq!(Touched::new(1 << 40).unit, 4 * PAGE);
    }
}
