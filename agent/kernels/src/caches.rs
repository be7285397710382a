//! The data caches of the processor: found, not assumed. What nobody tells is unknown.

#![allow(unsafe_code)] // the cpuid instruction

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The data and unified caches that one processor uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caches {
    /// Bytes of each level, 1 upwards.
    bytes: BTreeMap<u32, u64>,
    /// How many caches of the last level the machine has.
    last_count: u64,
}

impl Caches {
    /// What the operating system tells of processor 0, or else the processor itself.
    pub(crate) fn find() -> Self {
        let system = Caches::from_system(Path::new("/sys/devices/system/cpu"));
        if system.bytes.is_empty() {
            return Caches { bytes: from_processor(), last_count: 1 };
        }
        system
    }

    /// One cache of so many bytes.
    #[cfg(test)]
    pub(crate) fn of_last(bytes: u64) -> Self {
        Caches { bytes: BTreeMap::from([(3, bytes)]), last_count: 1 }
    }

    /// Bytes that the last level of all processors holds in total, as far as `threads` of them fill it.
    pub(crate) fn last_bytes(&self, threads: usize) -> Option<u64> {
        let count = self.last_count.min(threads as u64).max(1);
        self.bytes.values().next_back().map(|bytes| bytes * count)
    }

    /// Name of the measure and bytes of each of the first four levels.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let names = (1..).zip(["l1d-bytes", "l2-bytes", "l3-bytes", "l4-bytes"]);
        names.filter_map(move |(level, name)| self.bytes.get(&level).map(|bytes| (name, *bytes)))
    }

    /// As Linux tells it: a folder for each processor, in it `cache/indexN` for each cache.
    fn from_system(cpus: &Path) -> Self {
        let read = |path: &Path| fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
        let caches_of = |cpu: &Path| -> Vec<(u32, u64, String)> {
            let indexes = fs::read_dir(cpu.join("cache")).into_iter().flatten().flatten();
            indexes
                .filter(|index| ["Data", "Unified"].contains(&read(&index.path().join("type")).as_str()))
                .filter_map(|index| {
                    let level = read(&index.path().join("level")).parse().ok()?;
                    let bytes = kibibytes(&read(&index.path().join("size")))?;
                    Some((level, bytes, read(&index.path().join("shared_cpu_list"))))
                })
                .collect()
        };
        let bytes: BTreeMap<u32, u64> =
            caches_of(&cpus.join("cpu0")).into_iter().map(|(level, bytes, _)| (level, bytes)).collect();
        let last = bytes.keys().next_back().copied();
        let mut sharing: Vec<String> = fs::read_dir(cpus)
            .into_iter()
            .flatten()
            .flatten()
            .flat_map(|cpu| caches_of(&cpu.path()))
            .filter(|(level, ..)| Some(*level) == last)
            .map(|(_, _, shared)| shared)
            .collect();
        sharing.sort();
        sharing.dedup();
        Caches { bytes, last_count: sharing.len() as u64 }
    }
}

/// `48K`, `1M` or a plain number of bytes.
fn kibibytes(text: &str) -> Option<u64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).filter(|bytes| *bytes > 0)
}

/// Cpuid leaf 4 of Intel, 0x8000001D of AMD: one subleaf for each cache.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn from_processor() -> BTreeMap<u32, u64> {
    #[cfg(target_arch = "x86")]
    use std::arch::x86::{__cpuid, __cpuid_count};
    #[cfg(target_arch = "x86_64")]
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    const TOPOLOGY_EXTENSIONS: u32 = 1 << 22;
    #[allow(unused_unsafe)] // later compilers know that it is safe
    // SAFETY: every processor that this program runs on has the instruction, and asks for leaves that it told of.
    unsafe {
        let amd = __cpuid(0x8000_0000).eax >= 0x8000_001D && __cpuid(0x8000_0001).ecx & TOPOLOGY_EXTENSIONS != 0;
        let leaf = if amd { 0x8000_001D } else { 4 };
        if !amd && __cpuid(0).eax < leaf {
            return BTreeMap::new();
        }
        (0..16)
            .map(|index| __cpuid_count(leaf, index))
            .map_while(|told| described(told.eax, told.ebx, told.ecx))
            .flatten()
            .collect()
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn from_processor() -> BTreeMap<u32, u64> {
    BTreeMap::new()
}

/// One subleaf: `None` after the last, level and bytes, or nothing where the cache holds instructions alone.
#[cfg(any(target_arch = "x86", target_arch = "x86_64", test))]
fn described(eax: u32, ebx: u32, ecx: u32) -> Option<Option<(u32, u64)>> {
    let (kind, level) = (eax & 0x1F, (eax >> 5) & 7);
    let line = u64::from(ebx & 0xFFF) + 1;
    let partitions = u64::from((ebx >> 12) & 0x3FF) + 1;
    let ways = u64::from(ebx >> 22) + 1;
    let bytes = line * partitions * ways * (u64::from(ecx) + 1);
    match kind {
        0 => None,
        2 => Some(None),
        _ => Some(Some((level, bytes))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_caches_are_those_that_linux_tells() {
        let cpus = tempfile::tempdir().unwrap();
        let add = |cpu: &str, index: u32, kind: &str, level: &str, size: &str, shared: &str| {
            let folder = cpus.path().join(format!("{cpu}/cache/index{index}"));
            fs::create_dir_all(&folder).unwrap();
            for (name, value) in [("type", kind), ("level", level), ("size", size), ("shared_cpu_list", shared)] {
                fs::write(folder.join(name), format!("{value}\n")).unwrap();
            }
        };
        for (cpu, shared) in [("cpu0", "0-1"), ("cpu1", "0-1"), ("cpu2", "2-3")] {
            add(cpu, 0, "Data", "1", "48K", &cpu[3..]);
            add(cpu, 1, "Instruction", "1", "32K", &cpu[3..]);
            add(cpu, 2, "Unified", "2", "1M", &cpu[3..]);
            add(cpu, 3, "Unified", "3", "32768K", shared);
        }
        let caches = Caches::from_system(cpus.path());
        let levels: Vec<(&str, u64)> = caches.levels().collect();
        assert_eq!(levels, [("l1d-bytes", 48 << 10), ("l2-bytes", 1 << 20), ("l3-bytes", 32 << 20)]);
        assert_eq!(caches.last_bytes(1), Some(32 << 20));
        assert_eq!(caches.last_bytes(8), Some(64 << 20));
    }

    #[test]
    fn what_nobody_tells_is_unknown() {
        let caches = Caches::from_system(Path::new("/nonexistent"));
        assert_eq!((caches.last_bytes(1), caches.levels().count()), (None, 0));
        for nonsense in ["", "K", "-1K", "0K", "many"] {
            assert_eq!(kibibytes(nonsense), None);
        }
    }

    #[test]
    fn a_subleaf_of_cpuid_is_read_as_the_manuals_say() {
        // A 32 KiB data cache: level 1, 8 ways of 64 sets, lines of 64 bytes.
        assert_eq!(described(0x121, 0x01C0_003F, 63), Some(Some((1, 32 << 10))));
        // Instructions alone, and the end.
        assert_eq!(described(0x122, 0x01C0_003F, 63), Some(None));
        assert_eq!(described(0, 0, 0), None);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn system_and_processor_agree() {
        let system = Caches::from_system(Path::new("/sys/devices/system/cpu")).bytes;
        let processor = from_processor();
        if !system.is_empty() && !processor.is_empty() {
            assert_eq!(system.get(&1), processor.get(&1));
        }
    }
}
