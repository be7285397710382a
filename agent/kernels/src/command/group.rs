//! The processes of a program that was started: it leads a group of its own, and all of them end with it.

#![allow(unsafe_code)] // groups of processes and their ends

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often to look for processes that are left, and how long to wait between two looks.
const LOOKS: usize = 500;
/// For how many looks a process may be between two programs. A sandbox may not say where the environment of any is.
const EXECUTING: usize = 50;
const PAUSE: Duration = Duration::from_millis(2);

/// How many programs are under way.
static UNDER_WAY: Mutex<usize> = Mutex::new(0);
/// Whether one of them has no mark.
static UNMARKED: AtomicBool = AtomicBool::new(false);
static NUMBER: AtomicU64 = AtomicU64::new(0);

fn under_way() -> MutexGuard<'static, usize> {
    UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The variable of a program's environment that marks all that it starts.
const MARK: &str = "VIRTOMETER_PROGRAM";

/// That of a program of the agent's own, which starts nothing and is no other program's.
pub(super) const OF_AGENT: &str = "VIRTOMETER_PROGRAM=agent";

/// The processes of one program. While this lives, those whose parents have ended become the agent's own, so that none
/// of them is lost.
pub struct Family {
    /// None: what it starts has no mark, and what has none is its own.
    mark: Option<String>,
}

impl Family {
    /// To be done before the program is started.
    pub fn begin() -> Self {
        let mut count = under_way();
        *count += 1;
        adopt(true);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Family { mark: Some(format!("{:010}-{number:010}", std::process::id())) }
    }

    /// The same without a mark, so that the program sees nothing of the agent's; with one beside others.
    pub(super) fn begin_unseen() -> Self {
        let mut family = Family::begin();
        let count = under_way();
        if *count == 1 {
            UNMARKED.store(true, Ordering::Relaxed);
            family.mark = None;
        }
        drop(count);
        family
    }

    /// The program leads a group of its own and ends with the agent.
    pub fn own_group(&self, command: &mut Command) {
        command.envs(self.mark.iter().map(|mark| (MARK, mark)));
        // SAFETY: between fork and exec only two system calls are made.
        unsafe {
            command.pre_exec(|| {
                libc::setpgid(0, 0);
                #[cfg(target_os = "linux")]
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
    }

    /// The variable of its environment that marks the program. It is as long in all runs.
    pub(super) fn variable(&self) -> Option<String> {
        self.mark.as_ref().map(|mark| format!("{MARK}={mark}"))
    }

    /// The processes of the program that has this number.
    pub(super) fn members(&self, program: libc::pid_t) -> Members {
        Members { program, mark: self.mark.clone() }
    }

    /// End whatever is left of the program: its group, its descendants, and those that have left both.
    pub fn end_group(&self, child: &Child) {
        if let Ok(group) = libc::pid_t::try_from(child.id()) {
            let _ = self.end_all_of(group);
        }
    }

    /// The same, of a program that has this number or had it. Where it is reaped later, its number is its own still.
    /// Returns what those that it left have used.
    pub(super) fn end_all_of(&self, group: libc::pid_t) -> Usage {
        let mut used = Usage::default();
        let mut killed: Vec<libc::pid_t> = Vec::new();
        for look in 0..LOOKS {
            // Of descendants one at least would be the agent's child by now: a look that costs little.
            let none = children().is_some_and(|all| all.iter().all(|pid| *pid == group));
            // Descendants may start others until they have ended. Those that have ended cannot be told from others'.
            let found = if none { Found::default() } else { descendants(group, self.mark.as_deref()) };
            // SAFETY: the group is the program's own, and its number is not given to another while a member lives.
            unsafe { libc::killpg(group, libc::SIGKILL) };
            if none {
                return used;
            }
            for pid in &found.pids {
                // SAFETY: numbers of processes that are the program's, or the agent's and not reaped yet.
                unsafe { libc::kill(*pid, libc::SIGKILL) };
            }
            killed.extend(&found.pids);
            // Those that have ended have no mark any more, by which they could be found again.
            killed.sort_unstable();
            killed.dedup();
            killed.retain(|pid| used.add_ended(*pid).is_continue());
            if found.pids.is_empty() && (!found.undecided || look > EXECUTING) && killed.is_empty() {
                return used;
            }
            std::thread::sleep(PAUSE);
        }
        used
    }
}

/// A program and its descendants, as they are at any moment.
pub(super) struct Members {
    program: libc::pid_t,
    mark: Option<String>,
}

impl Members {
    /// Those that run now, but for what is not executed yet: that is the agent still.
    pub(super) fn pids(&self) -> Vec<libc::pid_t> {
        let mut found = descendants(self.program, self.mark.as_deref()).pids;
        found.push(self.program);
        found.retain(|pid| !is_the_agent(*pid));
        found
    }
}

/// What ended processes have used, with those that they have waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Usage {
    pub(super) user_s: f64,
    pub(super) system_s: f64,
    /// Of the largest of these processes, bytes.
    pub(super) peak_memory: u64,
}

impl Usage {
    /// That of the system's record.
    pub(super) fn new(used: &libc::rusage) -> Self {
        #[allow(clippy::cast_precision_loss, clippy::unnecessary_cast)] // seconds and microseconds of processor time
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
        Usage {
            user_s: seconds(used.ru_utime),
            system_s: seconds(used.ru_stime),
            peak_memory: u64::try_from(used.ru_maxrss).unwrap_or(0) << 10,
        }
    }

    /// Reap a process that is ended, and count it. `Continue`: it is a child of the agent, and has not ended yet.
    fn add_ended(&mut self, pid: libc::pid_t) -> ControlFlow<()> {
        let mut status = 0;
        // SAFETY: plain numbers, for which zero is a value.
        let mut used: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both are valid to write to.
        match unsafe { libc::wait4(pid, &mut status, libc::WNOHANG, &mut used) } {
            0 => ControlFlow::Continue(()),
            reaped => {
                if reaped == pid {
                    self.add(Usage::new(&used));
                }
                ControlFlow::Break(())
            }
        }
    }

    pub(super) fn add(&mut self, other: Usage) {
        self.user_s += other.user_s;
        self.system_s += other.system_s;
        self.peak_memory = self.peak_memory.max(other.peak_memory);
    }
}

/// All children of the agent; `None` where the system does not list them.
fn children() -> Option<Vec<libc::pid_t>> {
    let mut found = Vec::new();
    for thread in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        // A thread that has ended meanwhile has handed its children on, perhaps to one that was looked at before.
        let children = std::fs::read_to_string(thread.path().join("children")).ok()?;
        found.extend(children.split_whitespace().filter_map(|pid| pid.parse::<libc::pid_t>().ok()));
    }
    Some(found)
}

impl Drop for Family {
    fn drop(&mut self) {
        let mut count = under_way();
        *count -= 1;
        if self.mark.is_none() {
            UNMARKED.store(false, Ordering::Relaxed);
        }
        adopt(*count > 0);
    }
}

/// Where the system refuses, processes that leave the group are not found.
fn adopt(requested: bool) {
    #[cfg(target_os = "linux")]
    // SAFETY: prctl takes numbers only.
    unsafe {
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, libc::c_ulong::from(requested), 0, 0, 0)
    };
    #[cfg(not(target_os = "linux"))]
    let _ = requested;
}

/// A process, as the system's list has it.
struct Process {
    pid: libc::pid_t,
    parent: libc::pid_t,
    group: libc::pid_t,
}

/// What a look found.
#[derive(Default)]
struct Found {
    pids: Vec<libc::pid_t>,
    /// There is one whose program is not known yet.
    undecided: bool,
}

/// Descendants of the program, without itself. Those whose parents have ended are the agent's children; by its mark, or
/// by a group that is not the agent's while no other program is under way, they are known from those of other kernels.
/// One with the mark of another program is that program's, also when that has ended and left it running.
fn descendants(program: libc::pid_t, mark: Option<&str>) -> Found {
    let all = processes();
    // SAFETY: both only tell numbers.
    let (own, own_group) = unsafe { (libc::getpid(), libc::getpgrp()) };
    let alone = *under_way() == 1; // of programs that begin later, none is in the list
                                   // What has no mark belongs to the program without one, where there is such a program.
    let unmarked = mark.is_none() || (alone && !UNMARKED.load(Ordering::Relaxed));
    let adopted = |one: &&Process| one.parent == own && one.pid != program && one.group != own_group;
    let mut found = Found::default();
    for one in all.iter().filter(adopted) {
        match is_of(one.pid, mark, unmarked, alone) {
            Some(true) => found.pids.push(one.pid),
            Some(false) => {}
            None => found.undecided = true,
        }
    }
    // There may be thousands.
    let mut known: HashSet<libc::pid_t> = found.pids.iter().copied().chain([program]).collect();
    loop {
        let new = |one: &&Process| !known.contains(&one.pid) && known.contains(&one.parent);
        let more: Vec<libc::pid_t> = all.iter().filter(new).map(|one| one.pid).collect();
        if more.is_empty() {
            return found;
        }
        known.extend(&more);
        found.pids.extend(more);
    }
}

/// Whether a process has this mark, or `unmarked` is true and it has none. `alone`: no other program is under way.
/// `None`: it cannot be told yet.
fn is_of(pid: libc::pid_t, mark: Option<&str>, unmarked: bool, alone: bool) -> Option<bool> {
    // What is about to be executed for another program still is the agent, with the agent's variables. This is looked at
    // first, so that the variables are those of what was executed.
    if is_the_agent(pid) {
        return Some(false);
    }
    let read = std::fs::read(format!("/proc/{pid}/environ"));
    let readable = read.is_ok();
    let environment = read.unwrap_or_default();
    if environment.is_empty() && !alone {
        // It has ended, or is just being executed: it may be another program, which has a mark.
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        return if readable && may_have_variables(&stat) { None } else { Some(false) };
    }
    let name = format!("{MARK}=");
    Some(match environment.split(|byte| *byte == 0).find_map(|variable| variable.strip_prefix(name.as_bytes())) {
        Some(found) => mark.is_some_and(|mark| found == mark.as_bytes()),
        None => unmarked,
    })
}

/// Whether a process runs the agent's own program.
fn is_the_agent(pid: libc::pid_t) -> bool {
    let image = |of: &str| std::fs::read_link(format!("/proc/{of}/exe")).ok();
    image("self").is_some_and(|own| image(&pid.to_string()) == Some(own))
}

/// All processes; none where /proc is not there.
fn processes() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: libc::pid_t| {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat).into_owned();
        let mut fields = behind_the_name(&stat).skip(1);
        Some(Process { pid, parent: fields.next()?.parse().ok()?, group: fields.next()?.parse().ok()? })
    })
    .collect()
}

/// The fields of a line of `/proc/PID/stat` from the third one on; the name before them may hold anything.
pub(super) fn behind_the_name(stat: &str) -> impl Iterator<Item = &str> {
    stat.rsplit(')').next().unwrap_or_default().split_whitespace()
}

/// Whether a process whose environment was empty a moment ago may have variables, by its line of `/proc/PID/stat`:
/// it has not ended, and it is just being executed, or its environment has a place that is not empty. Source: proc(5),
/// fields 3 (state), 27 (`endcode`, which is set last), 50 and 51 (`env_start` and `env_end`).
fn may_have_variables(stat: &str) -> bool {
    let fields: Vec<&str> = behind_the_name(stat).collect();
    let (Some(state), Some(code), Some(start), Some(end)) =
        (fields.first(), fields.get(24), fields.get(47), fields.get(48))
    else {
        return false;
    };
    !matches!(*state, "Z" | "X") && (*code == "0" || *end == "0" || start != end)
}

#[cfg(test)]
mod tests;
