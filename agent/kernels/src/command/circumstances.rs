//! What a command finds in its place that can change its time: reported as conditions, so that places can be compared.
//!
//! A child has most of it from the agent, which reads it of itself. What a system does not tell is left out.

use super::specification::Specification;
use rustix::process::{getgid, getrlimit, getuid, Resource};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use virtometer_protocol::Conditions;
use virtometer_sampling::{allowed_cpus, now_ns};

/// So many bytes of a file are read for its digest, which has its length too.
const MOST_READ: u64 = 64 << 20;

/// Interpreters of interpreters: as many as Linux follows.
const MOST_INTERPRETERS: usize = 4;

/// Most bytes of the first line of a script that name its interpreter.
const FIRST_LINE: usize = 256;

const LIMITS: &[(&str, Resource)] = &[
    ("limit_address_space", Resource::As),
    ("limit_core", Resource::Core),
    ("limit_cpu", Resource::Cpu),
    ("limit_data", Resource::Data),
    ("limit_file_size", Resource::Fsize),
    ("limit_locked_memory", Resource::Memlock),
    ("limit_open_files", Resource::Nofile),
    ("limit_processes", Resource::Nproc),
    ("limit_resident", Resource::Rss),
    ("limit_stack", Resource::Stack),
];

/// Lines of /proc/self/status, which children inherit.
const STATUS: &[(&str, &str)] = &[
    ("no_new_privileges", "NoNewPrivs"),
    ("seccomp", "Seccomp"),
    ("seccomp_filters", "Seccomp_filters"),
    ("speculation_store_bypass", "Speculation_Store_Bypass"),
    ("speculation_indirect_branch", "SpeculationIndirectBranch"),
];

/// All of it. It reads the program's files: only after a run whose time depends on the caches of files.
pub(super) fn of(what: &Specification) -> Conditions {
    let mut found = Conditions::new();
    let mut tell = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            found.insert(name.to_owned(), value.chars().take(1000).collect());
        }
    };
    let directory = what.command.directory().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let program = what.command.find(&what.variables).map(|path| directory.join(path));
    let program = program.and_then(|path| path.canonicalize().ok());
    let interpreters = program.as_deref().map(interpreters).unwrap_or_default();
    let loader = program.iter().chain(&interpreters).find_map(|path| loader(path));
    let library = loader.as_deref().and_then(c_library);
    tell("program_path", program.as_deref().map(shown));
    tell("program_digest", program.as_deref().and_then(digest));
    tell("interpreter_digest", joined(interpreters.iter().filter_map(|path| digest(path))));
    tell("loader_digest", loader.as_deref().and_then(digest));
    tell("c_library_digest", library.as_deref().and_then(digest));
    tell("directory_mount", mount(&directory));
    let terminal = what.terminal.then(|| "terminal".to_owned());
    tell("standard_input", terminal.clone().or_else(|| kind(Path::new(&what.input))));
    tell("standard_output", terminal.or_else(|| Some(standard_output(what).to_owned())));
    let locale = |variable: &&String| ["LANG=", "LANGUAGE=", "LC_"].iter().any(|name| variable.starts_with(name));
    tell("locale", joined(what.variables.iter().filter(locale).cloned()));
    tell("user", Some(format!("{}:{}", getuid().as_raw(), getgid().as_raw())));
    tell("processors_seen", Some(allowed_cpus().len().to_string()));
    tell("processors_granted", std::thread::available_parallelism().ok().map(|count| count.to_string()));
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    tell("clock_source", source.ok().map(|name| name.trim().to_owned()));
    tell("clock_reading", Some(format!("{:.1} ns", clock_reading_ns())));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (name, line) in STATUS {
        tell(name, of_status(&status, line));
    }
    // Those that the command has of its own stand in the condition of them.
    for (name, resource) in LIMITS.iter().filter(|(_, resource)| !what.standing.limits(*resource as usize)) {
        let limit = getrlimit(*resource);
        let number = |bound: Option<u64>| bound.map_or_else(|| "none".to_owned(), |number| number.to_string());
        let (now, most) = (number(limit.current), number(limit.maximum));
        tell(name, Some(if now == most { now } else { format!("{now}, at most {most}") }));
    }
    found
}

/// What one reading of the clock costs, ns: the median of batches, so that neither a coarse clock nor an interruption
/// of one of them decides.
fn clock_reading_ns() -> f64 {
    const BATCHES: usize = 7;
    const READINGS: u32 = 64;
    let mut batches = [0_u64; BATCHES].map(|_| {
        let begin = now_ns();
        let end = (0..READINGS).fold(begin, |_, _| now_ns());
        end.saturating_sub(begin)
    });
    batches.sort_unstable();
    let middle = batches.get(BATCHES / 2).copied().unwrap_or_default();
    #[allow(clippy::cast_precision_loss)] // far below 2^53 ns
    let ns = middle as f64 / f64::from(READINGS);
    ns
}

/// What standard output is, without a terminal.
fn standard_output(what: &Specification) -> &'static str {
    match (&what.into, what.kept) {
        (Some(_), _) => "file",
        (None, true) => "pipe",
        (None, false) => "null",
    }
}

fn joined(texts: impl Iterator<Item = String>) -> Option<String> {
    let all: Vec<String> = texts.collect();
    (!all.is_empty()).then(|| all.join(" "))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The first digits of the SHA-256 of a file, of its beginning where it is large, and its length.
fn digest(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    let (mut digest, mut block, mut file) = (Sha256::new(), vec![0; 1 << 16], file.take(MOST_READ));
    loop {
        match file.read(&mut block).ok()? {
            0 => break,
            read => digest.update(block.get(..read)?),
        }
    }
    let text: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    Some(format!("{text} ({length} bytes)"))
}

/// The programs that execute a script, each named by the one before.
fn interpreters(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut path = path.to_owned();
    while found.len() < MOST_INTERPRETERS {
        let Some(next) = named_interpreter(&path).and_then(|path| path.canonicalize().ok()) else { break };
        found.push(next.clone());
        path = next;
    }
    found
}

fn named_interpreter(path: &Path) -> Option<PathBuf> {
    let beginning = piece(&mut File::open(path).ok()?, 0, FIRST_LINE)?;
    let line = beginning.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.split(|byte| byte.is_ascii_whitespace()).find(|word| !word.is_empty())?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(word)))
}

/// Up to so many bytes of a file from a place on.
fn piece(file: &mut File, from: u64, length: usize) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(length as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What loads a program that is linked dynamically: the entry `PT_INTERP` of its ELF header, which has 32 or 64 bits.
fn loader(path: &Path) -> Option<PathBuf> {
    const INTERPRETER: u64 = 3;
    let mut file = File::open(path).ok()?;
    let header = piece(&mut file, 0, 64)?;
    let (magic, class) = (header.get(..4)?, *header.get(4)?);
    if magic != b"\x7fELF" || *header.get(5)? != 1 {
        return None; // no program, or of the other order of bytes
    }
    // (offset, bytes) of: the table, an entry's size, their number; within an entry: place and length.
    let [table, size, count, place, length] = match class {
        1 => [(28, 4), (42, 2), (44, 2), (4, 4), (16, 4)],
        _ => [(32, 8), (54, 2), (56, 2), (8, 8), (32, 8)],
    };
    let (table, size, count) = (number(&header, table)?, number(&header, size)?, number(&header, count)?);
    for at in 0..count.min(256) {
        let entry = piece(&mut file, table.checked_add(at.checked_mul(size)?)?, 56)?;
        if number(&entry, (0, 4))? == INTERPRETER {
            let length = usize::try_from(number(&entry, length)?.min(4096)).ok()?;
            let name = piece(&mut file, number(&entry, place)?, length)?;
            let name = name.split(|byte| *byte == 0).next()?;
            return Path::new(std::ffi::OsStr::from_bytes(name)).canonicalize().ok();
        }
    }
    None
}

/// A number of some bytes, the lowest first.
fn number(bytes: &[u8], (from, length): (usize, usize)) -> Option<u64> {
    let bytes = bytes.get(from..from.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// The C library beside a loader. Of musl the loader is the library.
fn c_library(loader: &Path) -> Option<PathBuf> {
    let beside = loader.with_file_name("libc.so.6").canonicalize();
    beside.ok().or_else(|| shown(loader).contains("musl").then(|| loader.to_owned()))
}

/// Type of the file system that a directory is in, and whether it can be written.
fn mount(directory: &Path) -> Option<String> {
    let directory = directory.canonicalize().ok()?;
    of_mounts(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &directory)
}

/// As [`mount`], from the lines of proc(5).
fn of_mounts(lines: &str, directory: &Path) -> Option<String> {
    let parsed = lines.lines().filter_map(|line| {
        let (first, second) = line.split_once(" - ")?;
        let mut fields = first.split(' ').skip(4);
        let point = fields.next()?.replace("\\040", " ");
        let options = fields.next()?;
        let mut after = second.split(' ');
        let (kind, of_system) = (after.next()?, after.nth(1).unwrap_or(""));
        let read_only = [options, of_system].iter().any(|all| all.split(',').any(|one| one == "ro"));
        Some((point, format!("{kind}, {}", if read_only { "read-only" } else { "writable" })))
    });
    // The last one of a place covers those before.
    let within = parsed.filter(|(point, _)| directory.starts_with(point));
    within.max_by_key(|(point, _)| Path::new(point).components().count()).map(|(_, told)| told)
}

fn kind(path: &Path) -> Option<String> {
    let of = path.metadata().ok()?.file_type();
    let word = match () {
        () if path == Path::new("/dev/null") => "null",
        () if of.is_file() => "file",
        () if of.is_char_device() => "character device",
        () if of.is_block_device() => "block device",
        () => "something else",
    };
    Some(word.to_owned())
}

/// The value of a line of /proc/self/status.
fn of_status(status: &str, name: &str) -> Option<String> {
    let value = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?.trim();
    let word = match (name, value) {
        ("Seccomp", "0") => "off",
        ("Seccomp", "1") => "strict",
        ("Seccomp", "2") => "filter",
        ("NoNewPrivs", "0") => "no",
        ("NoNewPrivs", "1") => "yes",
        _ => value,
    };
    Some(word.to_owned())
}

#[cfg(test)]
mod tests;
