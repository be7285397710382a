//! Anonymous mappings of Linux.

use rustix::mm::{madvise, mmap_anonymous, munmap, Advice, MapFlags, ProtFlags};
use std::io;

/// Pages that nobody else has.
pub(super) struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    pub(super) fn new(bytes: usize) -> io::Result<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory that is in use.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, protection, MapFlags::PRIVATE) }?;
        Ok(Mapping { start: start.cast(), bytes })
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }

    /// A kernel that does not know the wish has only small pages.
    pub(super) fn request_huge_pages(&mut self, huge: bool) {
        if cfg!(miri) {
            return; // the interpreter has no such call
        }
        let advice = if huge { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
        // SAFETY: the range is this mapping's, and the advice changes no content.
        let _ = unsafe { madvise(self.start.cast(), self.bytes, advice) };
    }

    /// Share of the touched memory that is on huge pages.
    pub(super) fn huge_share(&self) -> Option<f64> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        huge_share(&maps, self.start as u64)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's and nothing borrows it any more. A failure would only keep the memory.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// The lines of /proc/self/smaps about the mapping that holds `address`, without its first.
fn lines_about(maps: &str, address: u64) -> impl Iterator<Item = &str> {
    let holds = move |line: &str| {
        let (low, high) = line.split(' ').next()?.split_once('-')?;
        let range = u64::from_str_radix(low, 16).ok()?..u64::from_str_radix(high, 16).ok()?;
        Some(range.contains(&address))
    };
    let from = maps.lines().skip_while(move |line| holds(line) != Some(true)).skip(1);
    from.take_while(move |line| holds(line).is_none())
}

/// Share of the resident memory on huge pages in the mapping of /proc/self/smaps that holds `address`.
fn huge_share(maps: &str, address: u64) -> Option<f64> {
    let mut lines = lines_about(maps, address);
    let mut value = |name: &str| {
        let line = lines.find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()
    };
    // In the order of the file.
    let (resident, huge) = (value("Rss:")?, value("AnonHugePages:")?);
    (resident > 0.0).then(|| huge / resident)
}

/// As far as the system tells, the cgroup's limit included.
pub(super) fn available_memory() -> u64 {
    let system = meminfo("MemAvailable:").or_else(|| {
        // Kernels before 3.14 do not estimate it.
        Some(meminfo("MemFree:")? + meminfo("Cached:").unwrap_or(0))
    });
    let limit = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    // Without /proc (an empty root file system) there is still sysinfo(2).
    system.unwrap_or_else(free_memory).min(limit.unwrap_or(u64::MAX))
}

fn meminfo(name: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kib| kib * 1024)
}

fn free_memory() -> u64 {
    // SAFETY: sysinfo is plain numbers, for which zero is a value, and the call only writes into it.
    let info = unsafe {
        let mut info: libc::sysinfo = std::mem::zeroed();
        libc::sysinfo(&mut info);
        info
    };
    #[allow(clippy::useless_conversion)] // the fields are 32 bits wide on 32-bit targets
    let (free, buffers) = (u64::from(info.freeram), u64::from(info.bufferram));
    (free + buffers) * u64::from(info.mem_unit.max(1))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{huge_share, lines_about, Mapping};

    const MAPS: &str = "\
55d0-55e0 r--p 00000000 fe:00 1 /x
Rss:                  64 kB
AnonHugePages:         0 kB
7f00-7fff rw-p 00000000 00:00 0
Size:               8192 kB
Rss:                8192 kB
AnonHugePages:      6144 kB
7fff-8fff rw-p 00000000 00:00 0
Rss:                   0 kB
";

    #[test]
    fn small_pages_are_asked_for_also_where_the_system_gives_huge_ones_to_everybody() {
        if !std::path::Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return; // there are only small ones
        }
        let flags = |huge| {
            let mut mapping = Mapping::new(4 << 20).unwrap();
            mapping.request_huge_pages(huge);
            let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
            let line = lines_about(&maps, mapping.start as u64).find(|line| line.starts_with("VmFlags:")).unwrap();
            ["nh", "hg"].map(|flag| line.split_whitespace().any(|one| one == flag))
        };
        // Documentation/filesystems/proc.rst: nh is "no huge page advise flag", hg "huge page advise flag".
        assert_eq!((flags(false), flags(true)), ([true, false], [false, true]));
    }

    #[test]
    fn the_share_of_huge_pages_is_that_of_the_right_mapping() {
        assert_eq!(huge_share(MAPS, 0x7f80), Some(0.75));
        assert_eq!(huge_share(MAPS, 0x55d0), Some(0.0));
        for nowhere in [0x7fff, 0x9000] {
            assert_eq!(huge_share(MAPS, nowhere), None);
        }
    }
}
