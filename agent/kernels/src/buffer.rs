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

    /// Ask for small (false) or huge (true) pages. Says whether the kernel knows the wish.
    pub(crate) fn wish_huge_pages(&mut self, huge: bool) -> bool {
        let advice = if huge { Advice::LinuxHugepage } else { Advice::LinuxNoHugepage };
        // SAFETY: the range is this buffer's, and the advice changes no content.
        unsafe { madvise(self.start.cast(), self.bytes, advice) }.is_ok()
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
