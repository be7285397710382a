//! Processors: pinning threads to them and reading how much of their time was used.

#![allow(unsafe_code)] // getrusage, which rustix does not offer

use crate::fault::os_failure;
use rustix::thread::{sched_getaffinity, sched_setaffinity, CpuSet};
use virtometer_protocol::{Code, CpuTime, Failure};

/// Processors that this process may use, in ascending order. Empty where the system does not say.
pub fn allowed_cpus() -> Vec<usize> {
    sched_getaffinity(None).map(|set| (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).collect()).unwrap_or_default()
}

/// Pin the calling thread to one processor.
///
/// `bad-arguments` for a processor that does not exist or is not allowed here, otherwise what the system said.
pub fn pin_to(cpu: usize) -> Result<(), Failure> {
    let missing = || {
        let allowed: Vec<String> = allowed_cpus().iter().map(ToString::to_string).collect();
        let message = format!("there is no processor {cpu} to run on; allowed are {}", allowed.join(","));
        Failure::new(Code::BadArguments, message)
    };
    if cpu >= CpuSet::MAX_CPU {
        return Err(missing());
    }
    let mut set = CpuSet::new();
    set.set(cpu);
    match sched_setaffinity(None, &set) {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::INVAL) => Err(missing()),
        Err(errno) => Err(os_failure(&format!("cannot pin a thread to processor {cpu}"), &errno.into())),
    }
}

/// Processor time of this process and of its reaped children, from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock {
    from: CpuTime,
}

impl CpuClock {
    /// Begin to count.
    pub fn start() -> Self {
        CpuClock { from: used() }
    }

    /// What has been used since.
    pub fn elapsed(&self) -> CpuTime {
        let now = used();
        CpuTime {
            user_ns: now.user_ns.saturating_sub(self.from.user_ns),
            system_ns: now.system_ns.saturating_sub(self.from.system_ns),
        }
    }
}

fn used() -> CpuTime {
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
