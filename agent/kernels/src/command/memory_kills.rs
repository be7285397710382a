//! Whether the kernel has killed a process for memory.

use std::fs::read_to_string;

/// How many processes this kernel has killed for memory, in whatever group; `None` where it does not say so.
pub(super) fn count() -> Option<u64> {
    counted(&read_to_string("/proc/vmstat").ok()?)
}

fn counted(table: &str) -> Option<u64> {
    table.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn the_count_is_that_of_its_own_line() {
        assert_eq!(counted("drop_slab 3\noom_kill 12\nswap_ra 0\n"), Some(12));
        assert_eq!(counted("oom_killer 12\n"), None);
    }
}
