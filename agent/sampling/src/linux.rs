//! What sampling asks of Linux.

#![allow(unsafe_code)] // getrusage, which rustix does not offer

use crate::fault::os_failure;
use rustix::thread::{sched_getaffinity, sched_setaffinity, CpuSet};
use rustix::time::{clock_gettime, ClockId};
use virtometer_protocol::{Code, CpuTime, Failure};

/// CLOCK_MONOTONIC.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // The clock starts near zero when the system boots: both parts are non-negative and the sum fits for 584 years.
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Processors that this thread may use, in ascending order.
pub(crate) fn allowed_cpus() -> Vec<usize> {
    sched_getaffinity(None).map(|set| (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()).unwrap_or_default()
}

/// Pin the calling thread. `None`: there is no such processor.
pub(crate) fn pin_to(cpu: usize) -> Option<Result<(), Failure>> {
    if cpu >= CpuSet::MAX_CPU {
        return None;
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    match sched_setaffinity(None, &set) {
        Ok(()) => Some(Ok(())),
        Err(rustix::io::Errno::INVAL) => None,
        Err(errno) => Some(Err(os_failure(&format!("cannot pin a thread to processor {cpu}"), &errno.into()))),
    }
}

/// Processor time of this process and of its reaped children.
pub(crate) fn cpu_used() -> CpuTime {
    let own = usage(libc::RUSAGE_SELF);
    let children = usage(libc::RUSAGE_CHILDREN);
    CpuTime { user_ns: own.user_ns + children.user_ns, system_ns: own.system_ns + children.system_ns }
}

fn usage(who: libc::c_int) -> CpuTime {
    // SAFETY: rusage is plain numbers, for which zero is a value, and getrusage only writes into it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &mut usage);
        usage
    };
    CpuTime { user_ns: nanoseconds(usage.ru_utime), system_ns: nanoseconds(usage.ru_stime) }
}

fn nanoseconds(time: libc::timeval) -> u64 {
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_usec).unwrap_or(0) * 1000
}

/// The protocol's word for an error of the system.
pub(crate) fn code(error: i32) -> Option<Code> {
    match error {
        libc::ENOENT | libc::ENOTDIR => Some(Code::NotFound),
        libc::EACCES | libc::EPERM | libc::EROFS => Some(Code::NotPermitted),
        libc::ENOSPC | libc::EDQUOT | libc::EFBIG => Some(Code::NoSpace),
        libc::ENOMEM => Some(Code::OutOfMemory),
        libc::ENOSYS | libc::EOPNOTSUPP | libc::ENODEV | libc::ENXIO => Some(Code::NotSupported),
        _ => None,
    }
}

/// An error whose code is `not-permitted`.
#[cfg(test)]
pub(crate) const READ_ONLY: i32 = libc::EROFS;
