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

/// What the page cache still held before each run.
#[derive(Default)]
pub(super) struct Left {
    /// Share of the pages, where it is known.
    shares: Vec<f64>,
    asked: bool,
}

impl Left {
    pub(super) fn add(&mut self, share: Option<f64>) {
        self.asked = true;
        self.shares.extend(share);
    }

    /// In words, and the mean share over the runs in percent: one run alone may lie beyond a threshold by chance.
    pub(super) fn reported(&self) -> (&'static str, Option<String>) {
        if self.shares.is_empty() {
            return (if self.asked { "not known to be cold" } else { "as it is" }, None);
        }
        #[allow(clippy::cast_precision_loss)] // number of runs
        let mean = self.shares.iter().sum::<f64>() / self.shares.len() as f64;
        let word = match mean {
            share if share <= COLD => "cold",
            share if share < WARM => "cold in part",
            _ => "not known to be cold",
        };
        (word, Some(format!("{:.0} %", 100.0 * mean)))
    }
}

/// Asks the system to forget what it holds of files, and returns the share of the pages that it still holds: it keeps
/// what a program maps. A system may ignore the request, and may tell nobody but the owner of a file what it holds.
///
/// Files that cannot be opened here are left out: a command may open what is gone later. `None`: nothing is known.
pub(super) fn evict<'a>(paths: impl Iterator<Item = &'a String>) -> Option<f64> {
    let waits_not = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let (mut held, mut all) = (0_usize, 0_usize);
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
    (all > 0).then(|| held as f64 / all as f64)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(shares: &[Option<f64>]) -> (&'static str, Option<String>) {
        let mut left = Left::default();
        shares.iter().for_each(|share| left.add(*share));
        left.reported()
    }

    #[test]
    fn the_mean_over_the_runs_decides_how_cold_the_cache_was() {
        assert_eq!(reported(&[]), ("as it is", None));
        assert_eq!(reported(&[None, None]), ("not known to be cold", None));
        assert_eq!(reported(&[Some(0.0), Some(0.11), None]), ("cold", Some("6 %".to_owned())));
        assert_eq!(reported(&[Some(0.11), Some(0.5)]).0, "cold in part");
        assert_eq!(reported(&[Some(1.0)]), ("not known to be cold", Some("100 %".to_owned())));
    }
}
