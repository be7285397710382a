//! Memory that all processes of a command hold at once, looked at while it runs.

use super::group::Members;
use std::fs::read_to_string;
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The shortest pause between two looks.
const PAUSE: Duration = Duration::from_millis(2);
/// A look may take one part in so many of the time: there may be many processes.
const SHARE: u32 = 5;

/// A thread that looks until it is asked for what it found.
pub(super) struct Held {
    over: Sender<()>,
    thread: JoinHandle<u64>,
}

impl Held {
    /// Begin to look at a program, which must not be reaped before [`Held::end`]. `None`: there is no thread for it.
    pub(super) fn begin(members: Members) -> Option<Self> {
        let (over, ended) = channel::<()>();
        let look = move || {
            let mut most = 0;
            loop {
                let began = Instant::now();
                most = most.max(members.pids().into_iter().map(|pid| of_process(&format!("/proc/{pid}"))).sum());
                let pause = PAUSE.max(began.elapsed() * SHARE);
                if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    return most;
                }
            }
        };
        let thread = std::thread::Builder::new().name("held-memory".into()).spawn(look).ok()?;
        Some(Held { over, thread })
    }

    /// The largest sum of all looks, bytes. `None`: no process was seen with any memory.
    pub(super) fn end(self) -> Option<u64> {
        drop(self.over);
        self.thread.join().ok().filter(|most| *most > 0)
    }
}

/// What a process holds, bytes: of pages that it shares its part, or the whole where the system does not tell parts.
/// Nothing for one that has ended. Source: proc(5), `smaps_rollup` and `statm`.
fn of_process(directory: &str) -> u64 {
    let parts = read_to_string(format!("{directory}/smaps_rollup")).ok().and_then(|table| proportional(&table));
    let whole = || resident(&read_to_string(format!("{directory}/statm")).ok()?);
    parts.or_else(whole).unwrap_or(0)
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
    fn this_process_holds_something_and_one_that_is_gone_nothing() {
        assert!(of_process("/proc/self") > 100_000);
        assert_eq!(of_process("/proc/self/none"), 0);
    }
}
