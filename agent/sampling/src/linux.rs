//! What sampling asks of Linux.

#![allow(unsafe_code)] // getrusage, which rustix does not offer

use crate::fault::os_failure;
use rustix::thread::{
    clock_nanosleep_absolute, current_timer_slack, sched_getaffinity, sched_setaffinity, set_current_timer_slack,
    CpuSet,
};
use rustix::time::{clock_gettime, ClockId, Timespec};
use std::num::NonZeroU64;
use std::time::Duration;
use virtometer_protocol::{Code, CpuTime, Failure};

/// CLOCK_MONOTONIC.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    // The clock starts near zero when the system boots: both parts are non-negative and the sum fits for 584 years.
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

/// Sleep for so many ns: until a moment of the clock, so that a signal makes it no longer.
pub(crate) fn sleep(ns: u64) {
    if let Ok(length) = Timespec::try_from(Duration::from_nanos(ns)) {
        let until = clock_gettime(ClockId::Monotonic) + length;
        while clock_nanosleep_absolute(ClockId::Monotonic, &until) == Err(rustix::io::Errno::INTR) {}
    }
}

/// While it lives, the timers of this thread are not put off to be handled with others, where the system lets
/// a thread say so. Its work has the usual timers.
pub(crate) struct PreciseSleep(Option<NonZeroU64>);

impl PreciseSleep {
    /// For the calling thread.
    pub(crate) fn begin() -> Self {
        let usual = current_timer_slack().ok().and_then(NonZeroU64::new);
        PreciseSleep(usual.filter(|_| set_current_timer_slack(NonZeroU64::new(1)).is_ok()))
    }
}

impl Drop for PreciseSleep {
    fn drop(&mut self) {
        if self.0.is_some() {
            let _ = set_current_timer_slack(self.0);
        }
    }
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
