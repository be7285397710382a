//! What the page cache has of a file.

#![allow(unsafe_code)] // system calls that neither libc nor rustix wraps, and a mapping

use rustix::fs::{fadvise, Advice};
use std::fs::File;
use std::io;
use std::os::unix::io::AsRawFd;
use std::ptr::null_mut;

/// The number of cachestat(2), the same on all processors; Linux has it since 6.5.
const CACHESTAT: libc::c_long = 451;

/// `struct cachestat_range` of linux/mman.h. A length of 0 reaches to the end.
#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

/// `struct cachestat` of linux/mman.h: pages.
#[repr(C)]
#[derive(Default)]
struct Pages {
    cached: u64,
    dirty: u64,
    written_back: u64,
    evicted: u64,
    recently_evicted: u64,
}

fn pages(file: &File) -> Option<Pages> {
    let range = Range { offset: 0, length: 0 };
    let mut found = Pages::default();
    // SAFETY: both structures are those that the system reads and writes; where it lacks the call it touches neither.
    let outcome = unsafe { libc::syscall(CACHESTAT, file.as_raw_fd(), &range, &mut found, 0) };
    (outcome == 0).then_some(found)
}

/// Write back what the page cache has of `file`, and drop it from there.
pub(super) fn evict(file: &File) -> io::Result<()> {
    file.sync_data()?;
    // A file system without such a cache ignores the advice.
    let _ = fadvise(file, 0, None, Advice::DontNeed);
    Ok(())
}

/// Bytes of `file` that are in the page cache. `None` where the system does not tell.
pub(super) fn cached_bytes(file: &File) -> Option<u64> {
    let page = rustix::param::page_size() as u64;
    pages(file).map(|pages| pages.cached).or_else(|| mapped_pages(file, page)).map(|pages| pages * page)
}

/// Bytes of `file` in the page cache that are not on the medium yet. `None` where the system does not tell.
#[cfg(test)]
pub(super) fn dirty_bytes(file: &File) -> Option<u64> {
    pages(file).map(|pages| (pages.dirty + pages.written_back) * rustix::param::page_size() as u64)
}

/// The same as `cached`, asked of a mapping.
fn mapped_pages(file: &File, page: u64) -> Option<u64> {
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    if length == 0 {
        return Some(0);
    }
    let mut present = vec![0u8; length / usize::try_from(page).ok()? + 1];
    // SAFETY: a new mapping at an address of the system's choice, which nothing reads or writes; there is a byte for
    // each of its pages.
    let asked = unsafe {
        let start = libc::mmap(null_mut(), length, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0);
        if start == libc::MAP_FAILED {
            return None;
        }
        let asked = libc::mincore(start, length, present.as_mut_ptr().cast());
        libc::munmap(start, length);
        asked
    };
    (asked == 0).then(|| present.iter().filter(|one| *one & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::io::Write;

    #[test]
    fn both_ways_of_asking_give_the_same() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 20_000]).unwrap();
        let page = rustix::param::page_size() as u64;
        let mapped = mapped_pages(&file, page).unwrap();
        assert_eq!(mapped, 20_000_u64.div_ceil(page), "what was just written is in the cache");
        if let Some(pages) = pages(&file) {
            assert_eq!(pages.cached, mapped);
        }
        evict(&file).unwrap();
        assert_eq!(cached_bytes(&file), Some(mapped_pages(&file, page).unwrap() * page));
    }

    #[test]
    fn eviction_waits_for_the_medium() {
        // A pipe has no medium: the system refuses to wait for it, which only shows where it is asked to.
        let (pipe, _end) = rustix::pipe::pipe().unwrap();
        let cause = evict(&File::from(pipe)).unwrap_err();
        assert_eq!(cause.raw_os_error(), Some(libc::EINVAL));
    }
}
