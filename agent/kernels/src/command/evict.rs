//! Files that leave the page cache before a run, so that it reads them from the medium.

#![allow(unsafe_code)] // mmap and mincore: which pages of a file are in memory

use rustix::fs::{fadvise, Advice, OFlags};
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::ptr::null_mut;

/// Shares of the pages, up to which and from which on a cache is called cold and warm.
const COLD: f64 = 0.1;
const WARM: f64 = 0.9;

/// Asks the system to forget what it holds of files, and says in words what it still holds: it keeps what a program
/// maps. A system may ignore the request, and may tell nobody but the owner of a file what it holds.
///
/// Files that cannot be opened here are left out: a command may open what is gone later.
pub(super) fn evict<'a>(paths: impl Iterator<Item = &'a String>) -> &'static str {
    let waits_not = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let (mut held, mut all) = (0, 0);
    for path in paths {
        let Ok(file) = File::options().read(true).custom_flags(waits_not).open(path) else { continue };
        let Some(length) = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|of| of.len()) else { continue };
        let _ = file.sync_data();
        let _ = fadvise(&file, 0, None, Advice::DontNeed);
        if let Some((here, pages)) = usize::try_from(length).ok().and_then(|length| pages(&file, length)) {
            held += here;
            all += pages;
        }
    }
    #[allow(clippy::cast_precision_loss)] // numbers of pages
    match held as f64 / all as f64 {
        _ if all == 0 => "not known to be cold",
        share if share <= COLD => "cold",
        share if share < WARM => "cold in part",
        _ => "not known to be cold",
    }
}

/// Pages of a file that are in memory, and all of its pages.
fn pages(file: &File, length: usize) -> Option<(usize, usize)> {
    let count = length.div_ceil(rustix::param::page_size());
    if count == 0 {
        return Some((0, 0));
    }
    let mut states = vec![0_u8; count];
    // SAFETY: a new mapping that nothing is read from, and that is gone at the end; there is a byte for each page.
    let done = unsafe {
        let memory = mmap(null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE, file, 0).ok()?;
        let done = libc::mincore(memory.cast(), length, states.as_mut_ptr().cast()) == 0;
        let _ = munmap(memory, length);
        done
    };
    done.then(|| (states.iter().filter(|state| *state & 1 == 1).count(), count))
}
