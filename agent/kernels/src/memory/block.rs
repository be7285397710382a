//! The memory of an array: aligned to a huge page, on the pages that were asked for, touched before it is used.

#![allow(unsafe_code)] // a part of a buffer as whole words

use crate::buffer::{Buffer, HUGE_PAGE};
use crate::settings::{wrong, Settings};
use virtometer_protocol::Failure;

/// Which pages are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pages {
    /// Huge ones where the system grants them.
    Auto,
    /// None but small ones.
    Small,
    /// Huge ones, or nothing.
    Huge,
}

impl Pages {
    /// What the parameter `pages` asks for.
    pub(super) fn read(settings: &Settings<'_>) -> Result<Self, Failure> {
        settings.choice("pages", &[("auto", Pages::Auto), ("small", Pages::Small), ("huge", Pages::Huge)])
    }
}

/// Words of memory.
pub(super) struct Block {
    buffer: Buffer,
    length: usize,
    huge_pages: &'static str,
}

impl Block {
    /// Map `length` words, fill them with `tile` again and again, and look on what pages they lie.
    pub(super) fn tiled(length: usize, pages: Pages, tile: &[u64]) -> Result<Self, Failure> {
        let bytes = length.checked_mul(8).ok_or_else(|| wrong("size is too large for this processor"))?;
        let buffer = Buffer::aligned(bytes, pages != Pages::Small)?;
        let mut block = Block { buffer, length, huge_pages: "unknown" };
        match tile {
            [word] => block.words_mut().fill(*word),
            _ => block.words_mut().chunks_mut(tile.len()).for_each(|part| part.copy_from_slice(&tile[..part.len()])),
        }
        block.huge_pages = match pages {
            Pages::Auto => block.buffer.huge_pages(),
            Pages::Small | Pages::Huge => block.buffer.ensure_pages(pages == Pages::Huge)?,
        };
        Ok(block)
    }

    /// Most bytes that a block of this many may take.
    pub(super) fn cost(bytes: u64) -> u64 {
        bytes.saturating_add(HUGE_PAGE as u64)
    }

    /// On what pages it lies: yes, no, partly or unknown.
    pub(super) fn huge_pages(&self) -> &'static str {
        self.huge_pages
    }

    pub(super) fn words(&self) -> &[u64] {
        // SAFETY: the buffer has as many bytes as its words, and a page is aligned for them.
        unsafe { std::slice::from_raw_parts(self.buffer.bytes().as_ptr().cast(), self.length) }
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above; the borrow of self is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.buffer.bytes_mut().as_mut_ptr().cast(), self.length) }
    }
}
