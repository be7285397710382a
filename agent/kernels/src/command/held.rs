//! Memory that all processes of a command hold at once, looked at while it runs. `Usage` in `group.rs` has the peak of
//! the largest process.

use super::group::{behind_the_name, Members};
use std::fs::read_to_string;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The shortest pause between two looks.
const PAUSE: Duration = Duration::from_millis(2);
/// A look may take one part in so many of the time: there may be many processes.
const SHARE: u32 = 5;

/// A thread that looks until it is asked for what it found.
pub(super) struct Held {
    over: Sender<()>,
    /// Ends also a look that is under way: there may be thousands of processes.
    ended: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Held {
    /// Begin to look at a program, which must not be reaped before [`Held::end`]. `None`: there is no thread for it.
    pub(super) fn begin(members: Members) -> Option<Self> {
        let (over, wakes) = channel::<()>();
        let ended = Arc::new(AtomicBool::new(false));
        let stopped = ended.clone();
        let look = move || {
            let mut most = 0;
            loop {
                let began = Instant::now();
                let pids = members.pids().into_iter().take_while(|_| !stopped.load(Ordering::Relaxed));
                most = most.max(pids.map(|pid| of_process(&format!("/proc/{pid}"))).sum());
                let pause = PAUSE.max(began.elapsed() * SHARE);
                if wakes.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    return most;
                }
            }
        };
        let thread = std::thread::Builder::new().name("held-memory".into()).spawn(look).ok()?;
        Some(Held { over, ended, thread })
    }

    /// The largest sum of all looks, bytes. `None`: no process was seen with any memory.
    pub(super) fn end(self) -> Option<u64> {
        self.ended.store(true, Ordering::Relaxed);
        drop(self.over);
        self.thread.join().ok().filter(|most| *most > 0)
    }
}

/// What a process holds, bytes: of pages that it shares its part, or the whole where the system does not tell parts.
/// Nothing for one that has ended, and for one that still uses its parent's memory. Source: proc(5), `smaps_rollup` and
/// `statm`.
fn of_process(directory: &str) -> u64 {
    let stat = |directory: &str| read_to_string(format!("{directory}/stat")).unwrap_or_default();
    if in_its_parents_memory(&stat(directory), |parent| stat(&format!("/proc/{parent}"))) {
        return 0;
    }
    let parts = read_to_string(format!("{directory}/smaps_rollup")).ok().and_then(|table| proportional(&table));
    let whole = || resident(&read_to_string(format!("{directory}/statm")).ok()?);
    parts.or_else(whole).unwrap_or(0)
}

/// Whether a process is between vfork and exec, by its line of `/proc/PID/stat` and that of its parent: it was never
/// executed, its parent waits for it without being disturbed, and both have one address space.
/// Source: proc(5), fields 3 (state), 4 (parent), 9 (flags; `PF_FORKNOEXEC` is 0x40) and 23 (size).
fn in_its_parents_memory(stat: &str, of_parent: impl Fn(&str) -> String) -> bool {
    let fields: Vec<&str> = behind_the_name(stat).collect();
    let (Some(parent), Some(flags), Some(size)) = (fields.get(1), fields.get(6), fields.get(20)) else { return false };
    if flags.parse::<u64>().map_or(true, |flags| flags & 0x40 == 0) {
        return false;
    }
    let parents = of_parent(parent);
    let parents: Vec<&str> = behind_the_name(&parents).collect();
    parents.first() == Some(&"D") && parents.get(20) == Some(size)
}

fn proportional(table: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn resident(table: &str) -> Option<u64> {
    let pages: u64 = table.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * u64::try_from(rustix::param::page_size()).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_shared_count_in_parts_where_the_system_tells_them() {
        let table = "5581-7ffd ---p 00000000 00:00 0   [rollup]\nRss:    9000 kB\nPss:    1234 kB\nPss_Anon: 7 kB\n";
        assert_eq!(proportional(table), Some(1234 << 10));
        assert_eq!(proportional("Rss: 9000 kB\n"), None);
        assert_eq!(resident("700 3 2 1 0 0 0\n"), Some(3 * rustix::param::page_size() as u64));
        assert_eq!(resident(""), None);
    }

    #[test]
    fn a_process_between_vfork_and_exec_has_no_memory_of_its_own() {
        let line = |state: &str, flags: u64, size: u64| {
            format!("7 (a b) {state} 5 7 7 0 -1 {flags}{} {size} 9", " 0".repeat(13))
        };
        let found = |flags, size, parents: &str| {
            in_its_parents_memory(&line("R", flags, size), |parent| {
                assert_eq!(parent, "5");
                parents.to_owned()
            })
        };
        assert!(found(0x40_0040, 4096, &line("D", 0, 4096)));
        assert!(!found(0x40_0000, 4096, &line("D", 0, 4096)), "it was executed");
        assert!(!found(0x40, 4096, &line("S", 0, 4096)), "a fork has pages of its own");
        assert!(!found(0x40, 4096, &line("D", 0, 8192)));
        assert!(!found(0x40, 4096, ""));
        assert!(!in_its_parents_memory("", |_| unreachable!()));
    }

    #[test]
    fn this_process_holds_something_and_one_that_is_gone_nothing() {
        assert!(of_process("/proc/self") > 100_000);
        assert_eq!(of_process("/proc/self/none"), 0);
    }
}
