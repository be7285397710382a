//! Processors: pinning threads to them and reading how much of their time was used.

use crate::system;
use virtometer_protocol::{Code, CpuTime, Failure};

/// Processors that this process may use, in ascending order. Empty where the system does not say.
pub fn allowed_cpus() -> Vec<usize> {
    system::allowed_cpus()
}

/// Pin the calling thread to one processor.
///
/// `bad-arguments` for a processor that does not exist or is not allowed here, otherwise what the system said.
pub fn pin_to(cpu: usize) -> Result<(), Failure> {
    system::pin_to(cpu).unwrap_or_else(|| {
        let allowed: Vec<String> = allowed_cpus().iter().map(ToString::to_string).collect();
        let message = format!("there is no processor {cpu} to run on; allowed are {}", allowed.join(","));
        Err(Failure::new(Code::BadArguments, message))
    })
}

/// Processor time of this process and of its reaped children, from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock {
    from: CpuTime,
}

impl CpuClock {
    /// Begin to count.
    pub fn start() -> Self {
        CpuClock { from: system::cpu_used() }
    }

    /// What has been used since.
    pub fn elapsed(&self) -> CpuTime {
        let now = system::cpu_used();
        CpuTime {
            user_ns: now.user_ns.saturating_sub(self.from.user_ns),
            system_ns: now.system_ns.saturating_sub(self.from.system_ns),
        }
    }
}
