//! How requests are made: an engine, the memory that it moves and what it notes of each request.

use super::specification::Request;
use super::system::FileExt;
use crate::buffer::{ensure_memory, Buffer};
use std::fs::File;
use std::io;
use std::ops::Range;
use virtometer_protocol::Failure;
use virtometer_sampling::now_ns;

/// Blocks begin at multiples of this many bytes in memory: O_DIRECT asks for it.
const ALIGNMENT: usize = 4096;

/// Places of prepared blocks are multiples of this: no device has smaller blocks.
const SECTOR: usize = 512;

/// What carries out requests.
pub(super) trait Engine {
    /// Carry out the requests `range` of the job in their order. Whether it returns an error or not: when it
    /// returns nothing is under way any more.
    fn carry_out(&mut self, job: &mut Job, range: Range<usize>) -> io::Result<()>;
}

/// Requests, the file and memory that they move data between, and the notes of them.
pub(super) struct Job {
    pub(super) file: File,
    pub(super) requests: Vec<Request>,
    pub(super) memory: Memory,
    pub(super) notes: Notes,
}

/// Room for one block of each request under way, and behind it for the blocks that are prepared or kept.
pub(super) struct Memory {
    buffer: Buffer,
    /// Whether it is to be on huge pages, and how much of it is, in a word.
    huge: bool,
    huge_pages: &'static str,
    slots: usize,
    slot_bytes: usize,
}

impl Memory {
    /// Room for `slots` blocks of `block` bytes, on huge or on small pages alone.
    pub(super) fn new(slots: usize, block: usize, huge: bool) -> Result<Self, Failure> {
        let slot_bytes = block.next_multiple_of(ALIGNMENT);
        let bytes = slots.saturating_mul(slot_bytes);
        ensure_memory(bytes as u64, &format!("{slots} blocks under way"))?;
        let (buffer, huge_pages) = touched(bytes, huge)?;
        Ok(Memory { buffer, huge, huge_pages, slots, slot_bytes })
    }

    /// Make room for `bytes` of prepared blocks; what was prepared before is lost.
    pub(super) fn reserve(&mut self, bytes: usize) -> Result<(), Failure> {
        let wanted = self.slots * self.slot_bytes + bytes;
        if self.buffer.bytes().len() < wanted {
            ensure_memory(bytes as u64, "the blocks of one iteration")?;
            (self.buffer, self.huge_pages) = touched(wanted, self.huge)?;
        }
        Ok(())
    }

    /// The first place in prepared memory at or after `end`.
    pub(super) fn next_place(end: usize) -> usize {
        end.next_multiple_of(SECTOR)
    }

    /// Spoil what was read before: a block that is not read shows.
    pub(super) fn spoil_slots(&mut self) {
        let (slots, each) = (self.slots, self.slot_bytes);
        self.buffer.bytes_mut()[..slots * each].chunks_mut(each).for_each(|slot| slot[..8].fill(0xFF));
    }

    /// How much of it is on huge pages, in a word.
    pub(super) fn huge_pages(&self) -> &'static str {
        self.huge_pages
    }

    /// Bytes that each block under way has room for.
    pub(super) fn block(&self) -> usize {
        self.slot_bytes
    }

    fn range(&self, request: &Request, slot: usize) -> Range<usize> {
        let begin = match request.place {
            Some(place) => self.slots * self.slot_bytes + place,
            None => slot * self.slot_bytes,
        };
        begin..begin + request.length
    }

    /// The bytes of a request that uses `slot`.
    pub(super) fn bytes(&self, request: &Request, slot: usize) -> &[u8] {
        &self.buffer.bytes()[self.range(request, slot)]
    }

    /// The bytes of a request that uses `slot`.
    pub(super) fn bytes_mut(&mut self, request: &Request, slot: usize) -> &mut [u8] {
        let range = self.range(request, slot);
        &mut self.buffer.bytes_mut()[range]
    }
}

/// Memory whose pages are there, because none is made in a timed stretch, and how much of it is on huge ones.
fn touched(bytes: usize, huge: bool) -> Result<(Buffer, &'static str), Failure> {
    let mut buffer = Buffer::aligned(bytes, huge)?;
    // What no read gives: a block that was never read shows.
    buffer.bytes_mut().fill(0xFF);
    let found = buffer.ensure_pages(huge)?;
    Ok((buffer, found))
}

/// The record of each request.
pub(super) struct Notes {
    /// Times from submission to completion of the requests that are timed, ns.
    pub(super) latencies: Vec<u64>,
    /// Every how many requests one is timed, and at most how many more in this iteration.
    every: u64,
    may_time: u64,
    /// How many were chosen to be timed.
    pub(super) timed: u64,
    /// Requests of the iterations before, so that it is not always the first of an iteration.
    before: u64,
    /// How often the clock was read for that.
    pub(super) readings: u64,
    /// Requests that are complete, and the bytes that they have moved.
    pub(super) complete: u64,
    pub(super) moved: u64,
    /// Most requests that were under way at once.
    pub(super) deepest: usize,
    /// Waits while further requests were left, and the requests that were under way at them, added up.
    pub(super) waits: u64,
    pub(super) waited_for: u64,
    /// First word of each block read, where they are wanted.
    pub(super) words: Vec<u64>,
    pub(super) want_words: bool,
    /// The read that was completed last, and its slot.
    pub(super) last_read: Option<(usize, usize)>,
}

impl Notes {
    pub(super) fn new(want_words: bool) -> Self {
        Notes {
            latencies: Vec::new(),
            every: 1,
            may_time: 0,
            timed: 0,
            before: 0,
            readings: 0,
            complete: 0,
            moved: 0,
            deepest: 0,
            waits: 0,
            waited_for: 0,
            words: Vec::new(),
            want_words,
            last_read: None,
        }
    }

    /// Room for the notes of `requests`, at most `timed` of which are timed.
    pub(super) fn clear(&mut self, requests: usize, timed: u64) {
        self.may_time = timed.min(requests as u64);
        self.every = (requests as u64).div_ceil(timed.max(1));
        self.before = self.before.wrapping_add(self.words.len() as u64);
        self.latencies.clear();
        self.latencies.reserve(requests);
        self.words.clear();
        self.words.resize(requests, 0);
        self.last_read = None;
        (self.readings, self.complete, self.moved, self.deepest) = (0, 0, 0, 0);
        (self.timed, self.waits, self.waited_for) = (0, 0, 0);
    }

    /// Whether the request `index`, which is about to begin, is timed.
    #[inline]
    pub(super) fn times(&mut self, index: usize) -> bool {
        let chosen = self.every <= 1 || self.before.wrapping_add(index as u64).is_multiple_of(self.every);
        let times = chosen && self.may_time > 0;
        self.may_time -= u64::from(times);
        self.timed += u64::from(times);
        times
    }

    /// So many requests are under way at a wait, and others are left.
    #[inline]
    pub(super) fn wait_for(&mut self, under_way: u64) {
        self.waits += 1;
        self.waited_for += under_way;
    }

    /// The time, which is counted as one reading.
    #[inline]
    pub(super) fn read_clock(&mut self) -> u64 {
        self.readings += 1;
        now_ns()
    }
}

impl Job {
    /// Note that the request `index` is complete.
    #[inline]
    pub(super) fn note(&mut self, index: usize, slot: usize) {
        let request = &self.requests[index];
        self.notes.complete += 1;
        self.notes.moved += request.length as u64;
        if !request.write && self.notes.want_words {
            let mut word = [0; 8];
            word.copy_from_slice(&self.memory.bytes(request, slot)[..8]);
            self.notes.words[index] = u64::from_le_bytes(word);
            self.notes.last_read = Some((index, slot));
        }
    }

    /// Carry out what is left of the request `index` after its first `done` bytes.
    pub(super) fn complete(&mut self, index: usize, slot: usize, done: usize) -> io::Result<()> {
        let request = self.requests[index];
        let offset = request.offset + done as u64;
        if request.write {
            self.file.write_all_at(&self.memory.bytes(&request, slot)[done..], offset)
        } else {
            self.file.read_exact_at(&mut self.memory.bytes_mut(&request, slot)[done..], offset)
        }
    }
}

/// One system call after the other.
pub(super) struct Psync;

impl Engine for Psync {
    fn carry_out(&mut self, job: &mut Job, range: Range<usize>) -> io::Result<()> {
        // Where every request is timed, the end of one is the beginning of the next.
        let mut ended = None;
        job.notes.deepest = range.len().min(1);
        for index in range {
            let request = job.requests[index];
            let timed = job.notes.times(index);
            let submitted = match (timed, ended) {
                (false, _) => 0,
                (true, Some(ended)) => ended,
                (true, None) => job.notes.read_clock(),
            };
            let done = if request.write {
                job.file.write_at(job.memory.bytes(&request, 0), request.offset)?
            } else {
                job.file.read_at(job.memory.bytes_mut(&request, 0), request.offset)?
            };
            if done < request.length {
                job.complete(index, 0, done)?;
            }
            ended = timed.then(|| job.notes.read_clock());
            if let Some(ended) = ended {
                job.notes.latencies.push(ended.saturating_sub(submitted));
            }
            job.note(index, 0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timed_requests_are_spread_over_the_iterations() {
        let mut notes = Notes::new(false);
        for (requests, may, expected) in
            [(100, 4, vec![0, 25, 50, 75]), (50, 0, vec![]), (50, 1, vec![0]), (3, 9, vec![0, 1, 2])]
        {
            notes.clear(requests, may);
            let timed: Vec<usize> = (0..requests).filter(|index| notes.times(*index)).collect();
            assert_eq!(timed, expected, "{may} of {requests}");
        }
        // It is not always the first one of an iteration.
        let mut firsts = (0..10).map(|_| {
            notes.clear(7, 2);
            let timed: Vec<usize> = (0..7).filter(|index| notes.times(*index)).collect();
            assert!(!timed.is_empty() && timed.len() <= 2);
            timed[0]
        });
        assert!(firsts.any(|first| first > 0));
    }
}
