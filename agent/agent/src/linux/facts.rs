//! What the agent sees of the place it runs in. Everything is optional: what cannot be found is empty or 0.

use std::fs;
use virtometer_protocol::{BlockDevice, Facts};
use virtometer_sampling::allowed_cpus;

/// Most names of a kind: a line has to hold them all.
const MOST: usize = 256;

/// Look around.
pub(crate) fn facts() -> Facts {
    let system = rustix::system::uname();
    let word = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    let cpuinfo = read("/proc/cpuinfo");
    let allowed = allowed_cpus().len() as u64;
    Facts {
        os: word(system.sysname()),
        kernel: word(system.release()),
        architecture: word(system.machine()),
        bits: u64::from(usize::BITS),
        hostname: word(system.nodename()),
        cpu_model: field(&cpuinfo, "model name"),
        // By this name on x86, by the other on ARM.
        cpu_features: (field(&cpuinfo, "flags") + &field(&cpuinfo, "Features"))
            .split_whitespace()
            .take(2 * MOST)
            .map(str::to_owned)
            .collect(),
        cpus_online: cpus_online().unwrap_or(allowed),
        cpus_allowed: allowed,
        memory_bytes: memory_bytes(),
        page_bytes: rustix::param::page_size() as u64,
        clock_source: read("/sys/devices/system/clocksource/clocksource0/current_clocksource").trim().to_owned(),
        pid: u64::from(std::process::id()),
        uid: u64::from(rustix::process::getuid().as_raw()),
        block_devices: block_devices(),
        interfaces: interfaces(&read("/proc/self/net/dev")),
    }
}

fn read(path: &str) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The first value of this name in /proc/cpuinfo.
fn field(cpuinfo: &str, name: &str) -> String {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
        .unwrap_or_default()
}

fn cpus_online() -> Option<u64> {
    let list = read("/sys/devices/system/cpu/online");
    let cpus = crate::options::cpu_list(list.trim()).ok()?;
    Some(cpus.len() as u64)
}

fn memory_bytes() -> u64 {
    let info = rustix::system::sysinfo();
    #[allow(clippy::useless_conversion, clippy::unnecessary_cast)] // the field is 32 bits wide on 32-bit targets
    let total = info.totalram as u64;
    total * u64::from(info.mem_unit.max(1))
}

fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.truncate(MOST);
    names
}

/// From the table of this process's own network: /sys may show another one.
fn interfaces(table: &str) -> Vec<String> {
    let mut names: Vec<String> =
        table.lines().filter_map(|line| line.rsplit_once(':')).map(|(name, _)| name.trim().to_owned()).collect();
    names.sort();
    names.truncate(MOST);
    names
}

fn block_devices() -> Vec<BlockDevice> {
    names("/sys/block")
        .into_iter()
        .filter_map(|name| {
            // In units of 512 bytes, whatever the device's own sectors are.
            let sectors: u64 = read(&format!("/sys/block/{name}/size")).trim().parse().ok()?;
            (sectors > 0).then(|| BlockDevice { name, bytes: sectors * 512 })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::interfaces;

    #[test]
    fn interfaces_are_the_names_in_the_table() {
        let table = "Inter-|   Receive | Transmit\n face |bytes packets|bytes packets\n    \
            lo: 10 1 10 1\n  eth0:20 2 20 2\neth0:1: 0 0 0 0\n";
        assert_eq!(interfaces(table), ["eth0", "eth0:1", "lo"]);
        assert!(interfaces("").is_empty());
    }
}
