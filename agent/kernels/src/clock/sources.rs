//! Where time can be read, and what the system says of its clock.

#![allow(unsafe_code)] // instructions that read the processor's counter, and what the system counts

use crate::settings::check_failed;
use std::time::{SystemTime, UNIX_EPOCH};
use virtometer_protocol::Failure;
use virtometer_sampling::now_ns;

/// A source of time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) read: fn() -> u64,
    /// Names of its measures.
    pub(super) cost: &'static str,
    pub(super) resolution: &'static str,
    pub(super) backward: &'static str,
    /// Counts ticks of the processor instead of ns.
    pub(super) is_counter: bool,
}

macro_rules! source {
    ($name:literal, $read:expr, $is_counter:expr) => {
        Source {
            read: $read,
            cost: concat!("cost-", $name),
            resolution: concat!("resolution-", $name),
            backward: concat!("backward-", $name),
            is_counter: $is_counter,
        }
    };
}

/// Every source of this system, the monotonic clock first.
pub(super) fn all() -> Vec<Source> {
    let mut sources = vec![source!("monotonic", now_ns, false), source!("realtime", real_ns, false)];
    #[cfg(unix)]
    sources.push(source!("monotonic-raw", unix::raw_ns, false));
    if let Some(read) = counter() {
        sources.push(source!("counter", read, true));
    }
    sources
}

#[allow(clippy::cast_precision_loss)] // times and counts of one run, far below 2^53
pub(super) fn precise(value: u64) -> f64 {
    value as f64
}

pub(super) fn real_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// `real` minus `monotonic`, ns: the monotonic clock is read on both sides, and the closest of three is taken. None
/// where it went back every time.
pub(super) fn apart(monotonic: impl Fn() -> u64, real: fn() -> u64) -> Option<i128> {
    (0..3)
        .filter_map(|_| {
            let before = monotonic();
            let real = real();
            let after = monotonic();
            Some((after.checked_sub(before)?, i128::from(real) - i128::from(before / 2 + after / 2)))
        })
        .min()
        .map(|(_, apart)| apart)
}

/// The processor's own counter, where a program may read it.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn counter() -> Option<fn() -> u64> {
    fn read() -> u64 {
        #[cfg(target_arch = "x86")]
        use std::arch::x86::{_mm_lfence, _rdtsc};
        #[cfg(target_arch = "x86_64")]
        use std::arch::x86_64::{_mm_lfence, _rdtsc};
        // SAFETY: every processor of these targets has SSE2, and `counter` asked whether reading is allowed.
        unsafe {
            // Without it the processor may read before what stands before it is done.
            _mm_lfence();
            _rdtsc()
        }
    }
    #[cfg(unix)]
    if !unix::counter_allowed() {
        return None;
    }
    Some(read)
}

#[cfg(target_arch = "aarch64")]
fn counter() -> Option<fn() -> u64> {
    fn read() -> u64 {
        let count: u64;
        // SAFETY: Linux and Windows let programs read the virtual counter; nothing else is touched.
        unsafe { std::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) count, options(nomem, nostack)) };
        count
    }
    Some(read)
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
fn counter() -> Option<fn() -> u64> {
    None
}

/// `check-failed` where a reading of the counter does not lie between two that the processor gives before and after it.
/// Several tries: the thread may move to a processor whose counter is apart.
pub(super) fn check_counter(sources: &[Source]) -> Result<(), Failure> {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::_rdtsc;
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::_rdtsc;
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    for source in sources.iter().filter(|source| source.is_counter) {
        // SAFETY: the source is there only where the counter may be read.
        let within = || unsafe {
            let (before, reading, after) = (_rdtsc(), (source.read)(), _rdtsc());
            (before..=after).contains(&reading)
        };
        if !(0..10).any(|_| within()) {
            return Err(check_failed("what is read as the processor's counter is not its counter"));
        }
    }
    let _ = sources;
    Ok(())
}

/// How often the calling thread has given its processor away of its own accord; `None` where the system does not say.
pub(super) fn switches() -> Option<u64> {
    #[cfg(target_os = "linux")]
    return unix::switches();
    #[cfg(not(target_os = "linux"))]
    None
}

/// The system's name for what its clock is made from; empty where it does not say.
pub(super) fn name() -> String {
    std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        .map_or_else(|_| String::new(), |text| text.trim().to_owned())
}

/// Processor time of the whole system in its ticks: all of it, and what went to other guests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CpuTimes {
    all: u64,
    stolen: u64,
}

impl CpuTimes {
    /// Share that was stolen from here to `later`.
    pub(super) fn stolen_until(self, later: CpuTimes) -> Option<f64> {
        let (all, stolen) = (later.all.checked_sub(self.all)?, later.stolen.checked_sub(self.stolen)?);
        (all > 0).then(|| precise(stolen) / precise(all))
    }
}

/// As the system accounts for it; None where it does not.
pub(super) fn cpu_times() -> Option<CpuTimes> {
    parse_cpu_times(&std::fs::read_to_string("/proc/stat").ok()?)
}

/// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (guests are part of user).
fn parse_cpu_times(text: &str) -> Option<CpuTimes> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line.split_whitespace().take(8).map_while(|word| word.parse().ok()).collect();
    (ticks.len() == 8).then(|| CpuTimes { all: ticks.iter().sum(), stolen: ticks[7] })
}

#[cfg(unix)]
mod unix {
    use rustix::time::{clock_gettime, ClockId};

    pub(super) fn raw_ns() -> u64 {
        let now = clock_gettime(ClockId::MonotonicRaw);
        let part = |value: i64| u64::try_from(value).unwrap_or(0);
        part(now.tv_sec) * 1_000_000_000 + part(now.tv_nsec)
    }

    #[cfg(target_os = "linux")]
    pub(super) fn switches() -> Option<u64> {
        // SAFETY: the structure is plain numbers, for which zero is a value; the call writes it.
        let (asked, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::getrusage(libc::RUSAGE_THREAD, &mut usage), usage)
        };
        u64::try_from(usage.ru_nvcsw).ok().filter(|_| asked == 0)
    }

    /// Whether this process may read the counter: the kernel can end one that does.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    pub(super) fn counter_allowed() -> bool {
        let mut mode: libc::c_int = 0;
        // SAFETY: the call writes one int through the pointer.
        let asked = unsafe { libc::prctl(libc::PR_GET_TSC, std::ptr::addr_of_mut!(mode)) };
        // Kernels that do not know the question let every program read it.
        asked != 0 || mode == libc::PR_TSC_ENABLE
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn stolen_time_is_the_eighth_number() {
        let before = parse_cpu_times("cpu  10 0 10 70 0 0 0 10 5 0\ncpu0 1 1\n").unwrap();
        let after = parse_cpu_times("cpu  10 0 10 130 0 0 0 50 5 0\n").unwrap();
        assert_eq!(before, CpuTimes { all: 100, stolen: 10 });
        assert_eq!(before.stolen_until(after), Some(0.4));
        assert_eq!(after.stolen_until(before), None);
        for bad in ["", "cpu", "cpu 1 2 3", "cpux 1 2 3 4 5 6 7 8", "cpu  a 0 10 70 0 0 0 10"] {
            assert_eq!(parse_cpu_times(bad), None, "{bad}");
        }
    }

    #[test]
    fn of_three_comparisons_the_closest_counts() {
        // Read before and after the real-time clock.
        let readings = std::cell::RefCell::new(vec![0, 100, 200, 210, 400, 1000].into_iter());
        let monotonic = || readings.borrow_mut().next().unwrap();
        assert_eq!(apart(monotonic, || 5_000), Some(5_000 - 205));
    }

    #[cfg(unix)]
    #[test]
    fn every_source_is_the_clock_that_its_name_says() {
        use rustix::time::{clock_gettime, ClockId};
        let clocks = [
            ("cost-monotonic", ClockId::Monotonic),
            ("cost-realtime", ClockId::Realtime),
            ("cost-monotonic-raw", ClockId::MonotonicRaw),
        ];
        for (name, clock) in clocks {
            let now = || {
                let now = clock_gettime(clock);
                u64::try_from(now.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap()
            };
            let source = all().into_iter().find(|source| source.cost == name).unwrap();
            let (before, reading, after) = (now(), (source.read)(), now());
            assert!((before..=after).contains(&reading), "{name}: {before} {reading} {after}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_counter_is_the_processor_s() {
        // SAFETY: `counter` says whether reading is allowed.
        let now = || unsafe { std::arch::x86_64::_rdtsc() };
        for source in all().into_iter().filter(|source| source.is_counter) {
            assert_eq!(source.cost, "cost-counter");
            let (before, reading, after) = (now(), (source.read)(), now());
            assert!((before..=after).contains(&reading), "{before} {reading} {after}");
        }
    }

    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    #[test]
    fn a_counter_that_is_a_clock_is_reported() {
        assert_eq!(check_counter(&all()), Ok(()));
        let wrong: Vec<Source> = all().into_iter().map(|source| Source { read: now_ns, ..source }).collect();
        let reported = wrong.iter().any(|source| source.is_counter);
        assert_eq!(check_counter(&wrong).is_err(), reported);
    }

    #[test]
    fn every_source_is_there_once_and_its_measures_have_its_name() {
        let names = |source: &Source| {
            let name = source.cost.strip_prefix("cost-").unwrap();
            assert_eq!(source.resolution, format!("resolution-{name}"));
            assert_eq!(source.backward, format!("backward-{name}"));
            assert_eq!(source.is_counter, name == "counter");
            name
        };
        let sources = all();
        let mut found: Vec<&str> = sources.iter().map(names).filter(|name| *name != "counter").collect();
        found.sort_unstable();
        assert_eq!(
            found,
            if cfg!(unix) { &["monotonic", "monotonic-raw", "realtime"][..] } else { &["monotonic", "realtime"] }
        );
    }

    #[test]
    fn the_clock_source_is_one() {
        assert!(!name().contains(char::is_whitespace), "{}", name());
    }

    #[test]
    fn every_source_advances() {
        for source in all() {
            let begun = (source.read)();
            std::thread::sleep(std::time::Duration::from_millis(2));
            let passed = (source.read)() - begun;
            assert!(passed > 0, "{}", source.cost);
            if !source.is_counter {
                assert!(passed >= 1_000_000, "{}: {passed} ns", source.cost);
            }
        }
    }
}
