//! Operations of the operating system, with the meaning that lmbench gives them (McVoy, Staelin: lmbench: Portable tools
//! for performance analysis, 1996). Nothing is subtracted: a context switch includes passing the token through a pipe.
//!
//! A thread and its processes are pinned to one processor unless the task says where they are to run, because unpinned
//! ones differ by up to twelve times with the scheduler's mood; where pinning is refused, the conditions say so.

mod calls;
mod child;
mod memory;
mod ring;
mod spawn;

pub use child::reap_orphans;
pub use spawn::{EXIT_ARGUMENT, EXIT_STATUS};

use crate::ParameterKind::Integer;
use crate::{parameter, Op, Settings};
use std::sync::Arc;
use virtometer_protocol::{Conditions, Failure, Unit};
use virtometer_sampling::{allowed_cpus, pin_to, Maker, Task, Worker};

macro_rules! op {
    ($name:literal, $work:literal, $parameters:expr) => {
        Op { name: $name, unit: Unit::Second, work: $work, parameters: $parameters }
    };
}

pub(crate) static OPS: &[Op] = &[
    op!(
        "context-switch",
        "context switches of a token that goes round in a ring of processes",
        &[
            parameter("processes", Integer, "2", "processes in the ring"),
            parameter("size", Integer, "0", "bytes that each process touches when it has the token"),
        ]
    ),
    op!("fork", "processes that were forked, ended and were waited for", &[]),
    op!("exec", "processes that were forked, executed the agent, ended and were waited for", &[]),
    op!("page-fault", "pages of anonymous memory touched for the first time", &[]),
    op!("pipe", "round trips of one byte between two processes", &[]),
    op!("system-call", "calls of getppid", &[]),
];

/// Checks the settings and returns what builds the workers.
pub(crate) fn make(task: &Task, settings: &Settings<'_>) -> Result<Maker, Failure> {
    let pinned_by_task = task.cpus.is_some();
    Ok(match task.op.as_str() {
        "context-switch" => {
            let processes = settings.integer("processes", 2, 2..=1024)?;
            let size = settings.integer("size", 0, 0..=1 << 30)?;
            crate::buffer::ensure_memory(processes * size * task.threads as u64, "the processes")?;
            let (processes, size) = (ring::length(processes), ring::length(size));
            Arc::new(move |index| {
                let pinning = Pinning::choose(pinned_by_task, index);
                boxed(ring::Ring::new(processes, size, pinning)?)
            })
        }
        "pipe" => Arc::new(move |index| {
            let pinning = Pinning::choose(pinned_by_task, index);
            boxed(ring::RoundTrip::new(pinning)?)
        }),
        "fork" => Arc::new(move |index| boxed(spawn::Spawn::fork(Pinning::choose(pinned_by_task, index)))),
        "exec" => Arc::new(move |index| boxed(spawn::Spawn::exec(Pinning::choose(pinned_by_task, index))?)),
        "page-fault" => Arc::new(move |index| boxed(memory::PageFaults::new(Pinning::choose(pinned_by_task, index))?)),
        _ => Arc::new(move |index| boxed(calls::SystemCalls::new(Pinning::choose(pinned_by_task, index)))),
    })
}

fn boxed(worker: impl Worker + 'static) -> Result<Box<dyn Worker>, Failure> {
    Ok(Box::new(worker))
}

/// Whether a worker and its processes stay on one processor.
#[derive(Clone, Debug)]
pub(super) struct Pinning {
    refused: Option<String>,
}

impl Pinning {
    /// Pin the calling thread, and with it the processes that it will fork, unless the task has already.
    fn choose(already: bool, index: usize) -> Self {
        if already {
            return Pinning { refused: None };
        }
        let cpus = allowed_cpus();
        if cpus.is_empty() {
            return Pinning { refused: Some("the system does not say which processors are allowed".into()) };
        }
        Pinning { refused: pin_to(cpus[index % cpus.len()]).err().map(|failure| failure.message) }
    }

    /// As the thread is.
    #[cfg(test)]
    fn none() -> Self {
        Pinning { refused: None }
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::new();
        conditions.insert("pinned".into(), if self.refused.is_none() { "yes" } else { "no" }.into());
        if let Some(reason) = &self.refused {
            conditions.insert("pinned_reason".into(), reason.clone());
        }
        conditions
    }
}

#[cfg(test)]
mod tests;
