//! Where a worker and its processes run. One processor is the rule, because unpinned ones differ by up to twelve times
//! with the scheduler's mood.

use crate::operation::ParameterKind::Choice;
use crate::operation::{parameter, Parameter};
use crate::settings::{wrong, Settings};
#[cfg(unix)]
use rustix::thread::{sched_setaffinity, CpuSet};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{allowed_cpus, pin_to, Task};

/// The parameter of every operation.
pub(super) const PIN: Parameter = parameter(
    "pin",
    Choice(&["one", "apart", "none"]),
    "one",
    "processors of a thread and its processes; apart: a different one each",
);

/// The value of the parameter, or that the task pins the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pin {
    /// The task has pinned the threads; their processes stay with them.
    ByTask,
    One,
    Apart,
    None,
}

impl Pin {
    pub(super) fn read(settings: &Settings<'_>, task: &Task) -> Result<Self, Failure> {
        let one = if task.cpus.is_some() { Pin::ByTask } else { Pin::One };
        let pin = settings.choice("pin", &[("one", one), ("apart", Pin::Apart), ("none", Pin::None)])?;
        if task.cpus.is_some() && pin != Pin::ByTask {
            return Err(wrong("cpus pins the threads already; leave out pin"));
        }
        Ok(pin)
    }
}

/// Where a worker and its processes run.
#[derive(Clone, Debug)]
pub(super) struct Pinning {
    pinned: &'static str,
    refused: Option<String>,
    /// Processors of the worker and of its processes 1, 2, ... in turn. Empty: all where the worker is.
    each: Vec<usize>,
}

impl Pinning {
    /// Pin the calling thread, the worker `index`, as it was asked for. The processes that it forks stay with it.
    pub(super) fn of(pin: Pin, index: usize) -> Result<Self, Failure> {
        let mut pinning = Pinning { pinned: "yes", refused: None, each: Vec::new() };
        let mut cpus = match pin {
            Pin::ByTask => return Ok(pinning),
            Pin::None => return Ok(Pinning { pinned: "no", ..pinning }),
            Pin::One | Pin::Apart => allowed_cpus(),
        };
        let outcome = match cpus.len() {
            0 => Err("the system does not say which processors are allowed".to_owned()),
            1 if pin == Pin::Apart => return Err(not_apart("there is only one processor here")),
            count => {
                cpus.rotate_left(index % count);
                pin_to(cpus[0]).map_err(|failure| failure.message)
            }
        };
        match (outcome, pin) {
            (Ok(()), Pin::Apart) => {
                pinning.pinned = "apart";
                pinning.each = cpus;
            }
            (Ok(()), _) => {}
            (Err(reason), Pin::Apart) => return Err(not_apart(&reason)),
            (Err(reason), _) => {
                pinning.pinned = "no";
                pinning.refused = Some(reason);
            }
        }
        Ok(pinning)
    }

    /// As the thread is.
    #[cfg(test)]
    pub(super) fn as_it_is() -> Self {
        Pinning { pinned: "no", refused: None, each: Vec::new() }
    }

    /// Move the calling process, number `number` of its worker, where it belongs. For a forked child: nothing but a
    /// system call. False where it was refused.
    #[cfg(unix)]
    pub(super) fn place(&self, number: usize) -> bool {
        if self.each.is_empty() {
            return true;
        }
        let mut set = CpuSet::new();
        set.set(self.each[number % self.each.len()]);
        sched_setaffinity(None, &set).is_ok()
    }

    pub(super) fn conditions(&self) -> Conditions {
        let mut conditions = Conditions::new();
        conditions.insert("pinned".into(), self.pinned.into());
        if let Some(reason) = &self.refused {
            conditions.insert("pinned_reason".into(), reason.clone());
        }
        conditions
    }
}

fn not_apart(reason: &str) -> Failure {
    Failure::new(Code::NotSupported, format!("processes cannot be pinned apart: {reason}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn refused_pinning_is_a_condition_with_its_reason() {
        let refused = Pinning { refused: Some("cannot".into()), ..Pinning::as_it_is() };
        assert_eq!(refused.conditions()["pinned"], "no");
        assert_eq!(refused.conditions()["pinned_reason"], "cannot");
        #[cfg(unix)]
        assert!(refused.place(1));
    }

    #[test]
    fn threads_are_pinned_to_processors_in_turn() {
        let cpus = allowed_cpus();
        for pin in [Pin::One, Pin::Apart] {
            for index in (0..3).filter(|_| pin == Pin::One || cpus.len() > 1) {
                let thread =
                    std::thread::spawn(move || Pinning::of(pin, index).map(|pinning| (pinning, allowed_cpus())));
                let (pinning, here) = thread.join().unwrap().unwrap();
                if pinning.pinned != "no" {
                    assert_eq!(here, [cpus[index % cpus.len()]], "{pin:?} {index}");
                }
            }
        }
    }

    #[cfg(unix)]
    #[test]
    #[allow(unsafe_code)] // a forked child
    fn the_other_process_of_a_thread_is_apart_from_it() {
        use super::super::link::{pass, pipes, take, End};
        use super::super::partner::Partner;
        use rustix::fd::AsFd;
        use rustix::thread::sched_getaffinity;
        let cpus = allowed_cpus();
        let pinning = Pinning { each: cpus.clone(), ..Pinning::as_it_is() };
        let live = |far: &End| {
            let set = sched_getaffinity(None)?;
            let first = (0..CpuSet::MAX_CPU).find(|cpu| set.is_set(*cpu)).unwrap_or(usize::MAX) as u64;
            pass(far.output.as_fd(), &first.to_le_bytes())?;
            pass(far.output.as_fd(), &u64::from(set.count()).to_le_bytes())
        };
        // SAFETY: asking and telling are system calls and arithmetic.
        let partner = unsafe { Partner::new(pipes, &pinning, live) }.unwrap();
        let mut said = [0; 16];
        assert_eq!(take(partner.end().unwrap().input.as_fd(), &mut said), Ok(true));
        let number = |from: usize| u64::from_le_bytes(said[from..from + 8].try_into().unwrap());
        assert_eq!((number(0), number(8)), (cpus[1 % cpus.len()] as u64, 1));
    }

    #[cfg(unix)]
    #[test]
    fn processes_are_placed_on_processors_in_turn() {
        let here = |number: usize| {
            // On a thread of its own: the pinning of a test's thread may not outlive it.
            std::thread::spawn(move || {
                let pinning = Pinning { each: allowed_cpus(), ..Pinning::as_it_is() };
                pinning.place(number).then(allowed_cpus)
            })
            .join()
            .unwrap()
        };
        let cpus = allowed_cpus();
        for number in 0..3 {
            assert_eq!(here(number), Some(vec![cpus[number % cpus.len()]]));
        }
    }
}
