//! Memory straight from the kernel: page-aligned, released when dropped, refused before it would exhaust the machine.

#![allow(unsafe_code)] // anonymous mappings as slices

use rustix::mm::{madvise, mmap_anonymous, munmap, Advice, MapFlags, ProtFlags};
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// What of the memory is left to the system when a kernel takes its share.
const RESERVE: u64 = 16 << 20;

/// Zeroed memory that starts at a page. Pages are allocated when they are first touched.
pub(crate) struct Buffer {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the buffer owns its mapping, which any thread may use.
unsafe impl Send for Buffer {}

impl Buffer {
    /// Map `bytes` (not zero) without touching them.
    pub(crate) fn new(bytes: usize) -> Result<Self, Failure> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory that is in use.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, protection, MapFlags::PRIVATE) }
            .map_err(|errno| os_failure(&format!("cannot allocate {bytes} bytes"), &errno.into()))?;
        Ok(Buffer { start: start.cast(), bytes })
    }

    /// Ask for small (false) or huge (true) pages. A kernel that does not know the wish has only small ones.
    pub(crate) fn wish_huge_pages(&mut self, huge: bool) {
        let advice = if huge { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
        // SAFETY: the range is this buffer's, and the advice changes no content.
        let _ = unsafe { madvise(self.start.cast(), self.bytes, advice) };
    }

    /// How much of the touched memory the system put on huge pages, in a word: yes, no, partly or unknown.
    pub(crate) fn huge_pages(&self) -> &'static str {
        let share = || {
            let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
            huge_share(&maps, self.start as u64)
        };
        match share() {
            None => "unknown",
            Some(share) if share > 0.9 => "yes",
            Some(share) if share < 0.1 => "no",
            Some(_) => "partly",
        }
    }

    /// The memory as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: the mapping is this long, readable, initialised (zero) and borrowed with self.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    /// The memory as bytes.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and writable; the borrow of self is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }

    /// The memory as numbers.
    pub(crate) fn doubles(&self) -> &[f64] {
        // SAFETY: as for bytes; a page is aligned for f64 and every bit pattern is an f64.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.bytes / 8) }
    }

    /// The memory as numbers.
    pub(crate) fn doubles_mut(&mut self) -> &mut [f64] {
        // SAFETY: as above, and writable; the borrow of self is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.bytes / 8) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the mapping is this buffer's and nothing borrows it any more. A failure would only keep the memory.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// Share of the resident memory on huge pages in the mapping of /proc/self/smaps that holds `address`.
fn huge_share(maps: &str, address: u64) -> Option<f64> {
    let holds = |line: &str| {
        let (low, high) = line.split(' ').next()?.split_once('-')?;
        let range = u64::from_str_radix(low, 16).ok()?..u64::from_str_radix(high, 16).ok()?;
        Some(range.contains(&address))
    };
    let mut lines = maps.lines().skip_while(|line| holds(line) != Some(true)).skip(1);
    let mut value = |name: &str| {
        let line = lines.by_ref().take_while(|line| holds(line).is_none()).find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches("kB").trim().parse::<f64>().ok()
    };
    // In the order of the file.
    let (resident, huge) = (value("Rss:")?, value("AnonHugePages:")?);
    (resident > 0.0).then(|| huge / resident)
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

/// Memory that can be used without swapping, in bytes, as far as the system tells (the cgroup's limit included).
pub(crate) fn available_memory() -> u64 {
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
    use super::*;

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
    fn the_share_of_huge_pages_is_that_of_the_right_mapping() {
        assert_eq!(huge_share(MAPS, 0x7f80), Some(0.75));
        assert_eq!(huge_share(MAPS, 0x55d0), Some(0.0));
        for nowhere in [0x7fff, 0x9000] {
            assert_eq!(huge_share(MAPS, nowhere), None);
        }
    }

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
    fn more_memory_than_there_is_is_refused() {
        assert!(ensure_memory(1 << 20, "it").is_ok());
        assert_eq!(ensure_memory(1 << 60, "it").unwrap_err().code, Code::OutOfMemory);
    }
}
