//! Memory straight from the system: page-aligned, released when dropped, refused before it would exhaust the machine.

#![allow(unsafe_code)] // mappings as slices

#[cfg(unix)]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use linux as system;
#[cfg(windows)]
use windows as system;

use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// Bytes that are left to the system when a kernel allocates memory.
const RESERVE: u64 = 16 << 20;

/// Size of a huge page; a system with larger ones gives small ones.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Zeroed memory that starts at a page. Pages are allocated when they are first touched.
pub(crate) struct Buffer {
    mapping: system::Mapping,
    /// Bytes of the mapping before the first.
    skipped: usize,
    bytes: usize,
}

// SAFETY: the buffer owns its mapping, which any thread may use.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Map `bytes` (not zero) without touching them.
    pub(crate) fn new(bytes: usize) -> Result<Self, Failure> {
        let mapping = system::Mapping::new(bytes)
            .map_err(|cause| os_failure(&format!("cannot allocate {bytes} bytes"), &cause))?;
        Ok(Buffer { mapping, skipped: 0, bytes })
    }

    /// Map `bytes` that start where a huge page can, and all of the last one, wherever the system puts the mapping. Ask
    /// for huge pages (true) or small ones (false).
    pub(crate) fn aligned(bytes: usize, huge: bool) -> Result<Self, Failure> {
        let room = bytes.checked_add(2 * HUGE_PAGE - 1).ok_or_else(|| too_large(bytes))?;
        let mut buffer = Buffer::new(room / HUGE_PAGE * HUGE_PAGE)?;
        buffer.request_huge_pages(huge); // which may move it
        buffer.skipped = buffer.bytes().as_ptr().align_offset(HUGE_PAGE);
        buffer.bytes = bytes;
        Ok(buffer)
    }

    /// The first byte.
    fn start(&self) -> *mut u8 {
        // SAFETY: the mapping is longer than what is skipped.
        unsafe { self.mapping.start().add(self.skipped) }
    }

    /// Ask for small (false) or huge (true) pages, before the memory is touched. A system that does not know or grant
    /// the wish gives small ones.
    pub(crate) fn request_huge_pages(&mut self, huge: bool) {
        self.mapping.request_huge_pages(huge);
    }

    /// How much of the touched memory the system put on huge pages, in a word: yes, no, partly or unknown.
    pub(crate) fn huge_pages(&self) -> &'static str {
        match self.mapping.huge_share() {
            None => "unknown",
            Some(share) if share > 0.9 => "yes",
            Some(share) if share < 0.1 => "no",
            Some(_) => "partly",
        }
    }

    /// As [`Buffer::huge_pages`], of touched memory that is to be on small pages alone (false) or on huge ones alone
    /// (true). `not-supported` where it is otherwise.
    pub(crate) fn ensure_pages(&self, huge: bool) -> Result<&'static str, Failure> {
        let found = self.huge_pages();
        let message = match (huge, found) {
            (true, "no") => "pages is huge, and of the memory that was allocated none is on huge pages",
            (true, "partly") => "pages is huge, and of the memory that was allocated not all is on huge pages",
            (false, "yes" | "partly") => "pages is small, and the memory that was allocated is on huge pages",
            _ => return Ok(found),
        };
        Err(Failure::new(Code::NotSupported, message))
    }

    /// The memory as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is this long, readable, initialised (zero) and borrowed with self.
        unsafe { std::slice::from_raw_parts(self.start(), self.bytes) }
    }

    /// The memory as bytes.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and writable; the borrow of self is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.bytes) }
    }

    /// The memory as numbers.
    pub(crate) fn doubles(&self) -> &[f64] {
        // SAFETY: as for bytes; a page is aligned for f64 and every bit pattern is an f64.
        unsafe { std::slice::from_raw_parts(self.start().cast(), self.bytes / 8) }
    }

    /// The memory as numbers.
    pub(crate) fn doubles_mut(&mut self) -> &mut [f64] {
        // SAFETY: as above, and writable; the borrow of self is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start().cast(), self.bytes / 8) }
    }
}

fn too_large(bytes: usize) -> Failure {
    Failure::new(Code::OutOfMemory, format!("{bytes} bytes are more than this processor can address"))
}

/// Refuse to take `bytes` of memory when there is not so much: the system would end the agent, or swap.
pub(crate) fn ensure_memory(bytes: u64, purpose: &str) -> Result<(), Failure> {
    let available = available_memory();
    if bytes > available.saturating_sub(RESERVE) {
        let message = format!("{purpose} need {bytes} bytes of memory, of which {available} are available");
        return Err(Failure::new(Code::OutOfMemory, message));
    }
    Ok(())
}

/// Memory that can be used without swapping, in bytes.
pub(crate) fn available_memory() -> u64 {
    system::available_memory()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_buffer_starts_with_zeroes_and_holds_what_is_written() {
        let mut buffer = Buffer::new(10_000).unwrap();
        assert_eq!(buffer.bytes().len(), 10_000);
        assert!(buffer.bytes().iter().all(|byte| *byte == 0));
        assert_eq!(buffer.doubles().len(), 1250);
        buffer.doubles_mut()[1249] = 1.0;
        assert_eq!(buffer.bytes()[9992..], 1.0f64.to_ne_bytes());
        assert!(["yes", "no", "partly", "unknown"].contains(&buffer.huge_pages()));
    }

    #[test]
    fn an_aligned_buffer_starts_at_a_huge_page_and_has_all_that_was_asked_for() {
        for bytes in [1, 1 << 20, HUGE_PAGE, HUGE_PAGE + 1, 5 * HUGE_PAGE - 1] {
            let mut buffer = Buffer::aligned(bytes, true).unwrap();
            assert_eq!(buffer.bytes().as_ptr().align_offset(HUGE_PAGE), 0);
            assert_eq!(buffer.bytes().len(), bytes);
            buffer.bytes_mut().fill(0xFF);
            assert!(buffer.bytes().iter().all(|byte| *byte == 0xFF));
        }
        assert_eq!(Buffer::aligned(usize::MAX, true).map(|_| ()).unwrap_err().code, Code::OutOfMemory);
    }

    #[test]
    fn pages_are_of_the_size_that_was_asked_for_or_it_is_said() {
        for huge in [false, true] {
            let mut buffer = Buffer::aligned(3 * HUGE_PAGE, huge).unwrap();
            buffer.bytes_mut().fill(1);
            match (buffer.huge_pages(), buffer.ensure_pages(huge)) {
                (found, Ok(word)) => assert_eq!(found, word, "{huge}"),
                // Nobody has to have huge pages; small ones all have.
                (found, Err(failure)) => assert!(huge && found != "yes", "{failure}"),
            }
            let other = buffer.ensure_pages(!huge).map_err(|failure| failure.code);
            let expected = match (huge, buffer.huge_pages()) {
                (_, "unknown") => Ok("unknown"),
                (true, "no") => Ok("no"),
                _ => Err(Code::NotSupported),
            };
            assert_eq!(other, expected, "{huge}");
        }
    }

    #[test]
    fn more_memory_than_there_is_is_refused() {
        assert!(ensure_memory(1 << 20, "it").is_ok());
        assert_eq!(ensure_memory(1 << 60, "it").unwrap_err().code, Code::OutOfMemory);
    }
}
