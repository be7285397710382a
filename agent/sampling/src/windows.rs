//! What sampling asks of Windows.

#![allow(unsafe_code)] // calls of the system

use crate::fault::os_failure;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::sync::atomic::{AtomicU64, Ordering};
use virtometer_protocol::{Code, CpuTime, Failure};
use windows_sys::Win32::Foundation::{
    ERROR_ACCESS_DENIED, ERROR_BAD_PATHNAME, ERROR_CALL_NOT_IMPLEMENTED, ERROR_COMMITMENT_LIMIT, ERROR_DISK_FULL,
    ERROR_FILE_NOT_FOUND, ERROR_FILE_TOO_LARGE, ERROR_HANDLE_DISK_FULL, ERROR_INVALID_DRIVE, ERROR_INVALID_FUNCTION,
    ERROR_INVALID_NAME, ERROR_INVALID_PARAMETER, ERROR_NOT_ENOUGH_MEMORY, ERROR_NOT_SUPPORTED,
    ERROR_NO_SYSTEM_RESOURCES, ERROR_OUTOFMEMORY, ERROR_PATH_NOT_FOUND, ERROR_PRIVILEGE_NOT_HELD,
    ERROR_SHARING_VIOLATION, ERROR_WRITE_PROTECT, FILETIME, HANDLE,
};
use windows_sys::Win32::Networking::WinSock::WSAEACCES;
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::SystemInformation::GROUP_AFFINITY;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadGroupAffinity, GetThreadTimes,
    SetThreadGroupAffinity,
};

/// Processors in one of Windows' groups, which are as wide as an address. Processor n is number n % WIDTH of group
/// n / WIDTH.
const WIDTH: usize = usize::BITS as usize;

/// Ticks of the performance counter in a second; it never changes while the system runs. 0: not asked yet.
static FREQUENCY: AtomicU64 = AtomicU64::new(0);

/// The performance counter, which is monotonic and the same on all processors. It ticks ten million times a second on
/// most systems.
pub(crate) fn now_ns() -> u64 {
    let mut ticks = 0;
    // SAFETY: writes one number. It cannot fail since Windows XP.
    unsafe { QueryPerformanceCounter(&mut ticks) };
    let (ticks, frequency) = (u64::try_from(ticks).unwrap_or(0), frequency());
    // The remainder is below the frequency, which is far below 18 GHz: the product fits.
    ticks / frequency * 1_000_000_000 + ticks % frequency * 1_000_000_000 / frequency
}

/// Sleep for so many ns.
pub(crate) fn sleep(ns: u64) {
    std::thread::sleep(std::time::Duration::from_nanos(ns));
}

/// Windows has no timers that are put off for one thread alone.
pub(crate) struct PreciseSleep;

impl PreciseSleep {
    /// For the calling thread.
    pub(crate) fn begin() -> Self {
        PreciseSleep
    }
}

fn frequency() -> u64 {
    let known = FREQUENCY.load(Ordering::Relaxed);
    if known > 0 {
        return known;
    }
    let mut ticks = 0;
    // SAFETY: writes one number.
    unsafe { QueryPerformanceFrequency(&mut ticks) };
    let asked = u64::try_from(ticks).unwrap_or(0).max(1);
    FREQUENCY.store(asked, Ordering::Relaxed);
    asked
}

/// Processors that this thread may use, in ascending order; those of its group, where the system has several.
pub(crate) fn allowed_cpus() -> Vec<usize> {
    let mut affinity = GROUP_AFFINITY::default();
    // SAFETY: writes into the structure; the handle of the calling thread needs no closing.
    if unsafe { GetThreadGroupAffinity(GetCurrentThread(), &mut affinity) } == 0 {
        return Vec::new();
    }
    let first = usize::from(affinity.Group) * WIDTH;
    (0..WIDTH).filter(|bit| affinity.Mask >> bit & 1 == 1).map(|bit| first + bit).collect()
}

/// Pin the calling thread. `None`: there is no such processor.
pub(crate) fn pin_to(cpu: usize) -> Option<Result<(), Failure>> {
    let group = u16::try_from(cpu / WIDTH).ok()?;
    let affinity = GROUP_AFFINITY { Mask: 1 << (cpu % WIDTH), Group: group, Reserved: [0; 3] };
    // SAFETY: reads the structure; nobody wants to know what was before.
    if unsafe { SetThreadGroupAffinity(GetCurrentThread(), &affinity, std::ptr::null_mut()) } != 0 {
        return Some(Ok(()));
    }
    let cause = io::Error::last_os_error();
    if cause.raw_os_error().map(i32::unsigned_abs) == Some(ERROR_INVALID_PARAMETER) {
        return None;
    }
    Some(Err(os_failure(&format!("cannot pin a thread to processor {cpu}"), &cause)))
}

/// Processor time of children that have ended, ns.
static CHILDREN_USER: AtomicU64 = AtomicU64::new(0);
static CHILDREN_SYSTEM: AtomicU64 = AtomicU64::new(0);

/// Count the processor time of a child that has ended as this process's: Windows does not.
pub fn count_child(process: &OwnedHandle) {
    let used = used_by(process.as_raw_handle());
    CHILDREN_USER.fetch_add(used.user_ns, Ordering::Relaxed);
    CHILDREN_SYSTEM.fetch_add(used.system_ns, Ordering::Relaxed);
}

/// Processor time of this process and of its children that have ended.
pub(crate) fn cpu_used() -> CpuTime {
    // SAFETY: the handle of the own process needs no closing.
    let own = used_by(unsafe { GetCurrentProcess() });
    CpuTime {
        user_ns: own.user_ns + CHILDREN_USER.load(Ordering::Relaxed),
        system_ns: own.system_ns + CHILDREN_SYSTEM.load(Ordering::Relaxed),
    }
}

/// Processor time of the calling thread.
pub fn thread_cpu() -> CpuTime {
    // SAFETY: the handle of the own thread needs no closing.
    times(|created, ended, system, user| unsafe { GetThreadTimes(GetCurrentThread(), created, ended, system, user) })
}

fn used_by(process: HANDLE) -> CpuTime {
    // SAFETY: writes four times through the pointers.
    times(|created, ended, system, user| unsafe { GetProcessTimes(process, created, ended, system, user) })
}

fn times(ask: impl FnOnce(&mut FILETIME, &mut FILETIME, &mut FILETIME, &mut FILETIME) -> i32) -> CpuTime {
    let zero = || FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut created, mut ended, mut system, mut user) = (zero(), zero(), zero(), zero());
    // Where it fails the times stay 0.
    ask(&mut created, &mut ended, &mut system, &mut user);
    CpuTime { user_ns: nanoseconds(user), system_ns: nanoseconds(system) }
}

/// FILETIME counts in units of 100 ns.
fn nanoseconds(time: FILETIME) -> u64 {
    (u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)) * 100
}

/// The protocol's word for an error of the system.
pub(crate) fn code(error: i32) -> Option<Code> {
    if error == WSAEACCES {
        return Some(Code::NotPermitted);
    }
    match u32::try_from(error).ok()? {
        ERROR_FILE_NOT_FOUND | ERROR_PATH_NOT_FOUND | ERROR_BAD_PATHNAME | ERROR_INVALID_NAME | ERROR_INVALID_DRIVE => {
            Some(Code::NotFound)
        }
        ERROR_ACCESS_DENIED | ERROR_WRITE_PROTECT | ERROR_PRIVILEGE_NOT_HELD | ERROR_SHARING_VIOLATION => {
            Some(Code::NotPermitted)
        }
        ERROR_DISK_FULL | ERROR_HANDLE_DISK_FULL | ERROR_FILE_TOO_LARGE => Some(Code::NoSpace),
        ERROR_NOT_ENOUGH_MEMORY | ERROR_OUTOFMEMORY | ERROR_COMMITMENT_LIMIT | ERROR_NO_SYSTEM_RESOURCES => {
            Some(Code::OutOfMemory)
        }
        ERROR_NOT_SUPPORTED | ERROR_CALL_NOT_IMPLEMENTED | ERROR_INVALID_FUNCTION => Some(Code::NotSupported),
        _ => None,
    }
}

/// An error whose code is `not-permitted`.
#[cfg(test)]
pub(crate) const READ_ONLY: i32 = 19;
