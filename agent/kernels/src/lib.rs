//! The measuring kernels: one file each, one table of all of them here.
//!
//! Adding a kernel is one file with its known-answer test and one row of [`KERNELS`].

mod buffer;
mod caches;
mod clock;
mod clock_cost;
#[cfg(unix)]
mod command;
mod disk;
mod linpack;
mod memory;
mod net;
mod operation;
mod os;
mod pattern;
mod pde;
mod random;
mod recorded_times;
mod settings;
mod shared_array;
mod simd;

#[cfg(unix)]
pub use command::Family;
pub use operation::{Arrays, Judged, Measure, Op, Parameter, ParameterKind, Preset, TimedBy};
#[cfg(unix)]
pub use os::reap_orphans;
pub use os::{EXIT_ARGUMENT, EXIT_STATUS};
pub use settings::{quantity, Settings};

use virtometer_protocol::{Code, Failure, Parameters};
use virtometer_sampling::{Task, WorkerFactory};

/// One kernel.
pub struct Kernel {
    /// Name in the protocol and on the command line.
    pub name: &'static str,
    /// What it measures, in a few words.
    pub summary: &'static str,
    /// Its operations.
    pub ops: &'static [Op],
    /// Checks the settings and returns what builds the workers.
    make: fn(&Task, &Settings<'_>) -> Result<WorkerFactory, Failure>,
}

/// Every kernel of this agent.
pub static KERNELS: &[Kernel] = &[
    Kernel { name: "linpack", summary: "solve dense linear equations", ops: linpack::OPS, make: linpack::make },
    Kernel { name: "memory", summary: "move arrays through memory", ops: memory::OPS, make: memory::make },
    Kernel { name: "pde", summary: "relax Poisson's equation on a grid", ops: pde::OPS, make: pde::make },
    Kernel { name: "disk", summary: "read and write a file or block device", ops: disk::OPS, make: disk::make },
    Kernel { name: "net", summary: "exchange data with another agent over TCP or UDP", ops: net::OPS, make: net::make },
    Kernel { name: "os", summary: "operations of the operating system", ops: os::OPS, make: os::make },
    Kernel { name: "clock", summary: "what the clocks of this place are worth", ops: clock::OPS, make: clock::make },
    #[cfg(unix)]
    Kernel {
        name: "command",
        summary: "programs of the place, timed or with a result of their own",
        ops: command::OPS,
        make: command::make,
    },
];

/// Find a kernel and one of its operations.
pub fn find(kernel: &str, op: &str) -> Result<(&'static Kernel, &'static Op), Failure> {
    let found = KERNELS.iter().find(|known| known.name == kernel).ok_or_else(|| {
        let names: Vec<&str> = KERNELS.iter().map(|known| known.name).collect();
        Failure::new(Code::UnknownKernel, format!("there is no kernel {kernel:?}; there are {}", names.join(", ")))
    })?;
    let op = found.ops.iter().find(|known| known.name == op).ok_or_else(|| {
        let names: Vec<&str> = found.ops.iter().map(|known| known.name).collect();
        let message = format!("the kernel {kernel} has no op {op:?}; it has {}", names.join(", "));
        Failure::new(Code::UnknownOp, message)
    })?;
    Ok((found, op))
}

/// Check a task against the table and return what builds its workers.
pub fn make(kernel: &Kernel, op: &Op, task: &Task) -> Result<WorkerFactory, Failure> {
    make_with_parameters(kernel, op, task).map(|(factory, _)| factory)
}

/// As [`make`], and every parameter that holds, whether it was given or not.
pub fn make_with_parameters(kernel: &Kernel, op: &Op, task: &Task) -> Result<(WorkerFactory, Parameters), Failure> {
    let settings = Settings::new(op, &task.parameters)?;
    let factory = (kernel.make)(task, &settings)?;
    Ok((factory, settings.in_force()))
}

#[cfg(test)]
mod tests;
