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
mod os;
mod pattern;
mod pde;
mod random;
mod settings;
mod simd;

#[cfg(unix)]
pub use os::reap_orphans;
pub use os::{EXIT_ARGUMENT, EXIT_STATUS};
pub use settings::{quantity, Settings};

use virtometer_protocol::{Code, Failure, Parameters, Unit};
use virtometer_sampling::{Maker, Task};

/// One kernel.
pub struct Kernel {
    /// Name in the protocol and on the command line.
    pub name: &'static str,
    /// What it measures, in a few words.
    pub summary: &'static str,
    /// Its operations.
    pub ops: &'static [Op],
    /// Checks the settings and returns what builds the workers.
    make: fn(&Task, &Settings<'_>) -> Result<Maker, Failure>,
}

/// One operation of a kernel.
pub struct Op {
    /// Name in the protocol and on the command line.
    pub name: &'static str,
    /// Unit of its value.
    pub unit: Unit,
    /// What is counted as work.
    pub work: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// One parameter of an operation.
pub struct Parameter {
    /// Name in the protocol, and with two dashes before it on the command line.
    pub name: &'static str,
    /// What kind of value it has.
    pub kind: ParameterKind,
    /// What holds when it is not given.
    pub preset: Preset,
    /// What it means.
    pub meaning: &'static str,
}

/// What holds when a parameter is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Nothing: it must be given.
    Missing,
    /// This value, as the command line takes it.
    Value(&'static str),
    /// No value of its own; what is done then, for people.
    Otherwise(&'static str),
}

/// What kind of value a parameter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// An integer within bounds, on the command line with an optional K, M, G or T.
    Integer {
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// True or false.
    Boolean,
    /// A text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// An integer from `least` to `most`.
const fn integer(least: u64, most: u64) -> ParameterKind {
    ParameterKind::Integer { least, most }
}

/// A row of a table of parameters. `default` is what the command line takes; empty: it must be given.
const fn parameter(name: &'static str, kind: ParameterKind, default: &'static str, meaning: &'static str) -> Parameter {
    let preset = if default.is_empty() { Preset::Missing } else { Preset::Value(default) };
    Parameter { name, kind, preset, meaning }
}

/// A row of a table of parameters without a default value: what is done when it is not given.
const fn optional(name: &'static str, kind: ParameterKind, then: &'static str, meaning: &'static str) -> Parameter {
    Parameter { name, kind, preset: Preset::Otherwise(then), meaning }
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
    Kernel { name: "command", summary: "a program that measures by itself", ops: command::OPS, make: command::make },
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
pub fn make(kernel: &Kernel, op: &Op, task: &Task) -> Result<Maker, Failure> {
    make_and_tell(kernel, op, task).map(|(maker, _)| maker)
}

/// As [`make`], and every parameter that holds, whether it was given or not.
pub fn make_and_tell(kernel: &Kernel, op: &Op, task: &Task) -> Result<(Maker, Parameters), Failure> {
    let settings = Settings::new(op, &task.parameters)?;
    let maker = (kernel.make)(task, &settings)?;
    Ok((maker, settings.in_force()))
}

#[cfg(test)]
mod tests;
