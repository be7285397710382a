//! Changes of the system before something is measured: settings of the kernel and of interfaces, and programs.

#![allow(unsafe_code)] // ioctl requests of the network's interfaces

use super::network::{request, socket};
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use virtometer_kernels::Family;
use virtometer_protocol::{Code, Failure, Tune, Tuned};
use virtometer_sampling::os_failure;

/// Most bytes of a program's output that are kept, and most that are read.
const KEPT: usize = 3_000;
const MOST: u64 = 1 << 20;

/// How often to look whether a program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// How long the pipes of processes that were killed may take to close.
const CLOSING: Duration = Duration::from_secs(1);

const SIOCGIFTXQLEN: libc::c_ulong = 0x8942;
const SIOCSIFTXQLEN: libc::c_ulong = 0x8943;
const SIOCETHTOOL: libc::c_ulong = 0x8946;

/// Make a change, and see that it is there afterwards.
pub(crate) fn tune(change: &Tune) -> Result<Tuned, Failure> {
    match change {
        Tune::KernelSetting { name, value } => kernel_setting(name, value),
        Tune::QueueLength { interface, packets } => queue_length(interface, *packets),
        Tune::Offload { interface, offload, on } => switch(interface, offload, *on),
        Tune::Program { words, seconds } => program(words, Duration::from_secs_f64(*seconds)),
    }
}

/// Fails where the system has kept another value than the one that it was given.
fn changed(what: &str, before: String, after: String, wanted: &str) -> Result<Tuned, Failure> {
    let same = after.split_whitespace().eq(wanted.split_whitespace());
    if same {
        return Ok(Tuned { before: Some(before), after: Some(after), ..Tuned::default() });
    }
    let message = format!("{what} is {after} after it was set to {wanted}: the system does not take this value");
    Err(Failure::new(Code::NotSupported, message))
}

fn kernel_setting(name: &str, value: &str) -> Result<Tuned, Failure> {
    let path = Path::new("/proc/sys").join(name);
    let read = || fs::read_to_string(&path).map(|text| text.trim().to_owned());
    let failed = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => Failure::new(Code::NotFound, format!("there is no kernel setting {name}")),
        _ => os_failure(&format!("cannot set the kernel setting {name} to {value}"), &cause),
    };
    let before = read().map_err(failed)?;
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .and_then(|mut file| io::Write::write_all(&mut file, value.as_bytes()))
        .map_err(failed)?;
    changed(&format!("the kernel setting {name}"), before, read().map_err(failed)?, value)
}

fn queue_length(interface: &str, packets: i32) -> Result<Tuned, Failure> {
    let socket = socket()?;
    let read = || {
        let found = request(&socket, interface, SIOCGIFTXQLEN, |_| ())?;
        // SAFETY: the kernel has put the length, an int, where it also puts the metric.
        Ok(unsafe { found.ifr_ifru.ifru_metric }.to_string())
    };
    let before: String = read()?;
    request(&socket, interface, SIOCSIFTXQLEN, |content| content.ifru_metric = packets)?;
    changed(&format!("the queue length of {interface}"), before, read()?, &packets.to_string())
}

/// The requests of ethtool that read and write an offload.
fn numbers(offload: &str) -> (u32, u32) {
    match offload {
        "rx" => (0x14, 0x15),
        "tx" => (0x16, 0x17),
        "sg" => (0x18, 0x19),
        "tso" => (0x1e, 0x1f),
        "gso" => (0x23, 0x24),
        _ => (0x2b, 0x2c),
    }
}

/// As <linux/ethtool.h> has it.
#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

fn switch(interface: &str, offload: &str, on: bool) -> Result<Tuned, Failure> {
    let socket = socket()?;
    let (read_number, write_number) = numbers(offload);
    let what = format!("the offload {offload} of {interface}");
    let call = |command, data| {
        let mut content = EthtoolValue { command, data };
        let pointer: *mut EthtoolValue = &mut content;
        request(&socket, interface, SIOCETHTOOL, |content| content.ifru_data = pointer.cast()).map_err(|cause| {
            match cause.code {
                Code::NotFound => cause,
                code => Failure::new(code, format!("cannot switch {what}: {}", cause.message)),
            }
        })?;
        // SAFETY: the request has ended, and only it wrote here.
        Ok(unsafe { std::ptr::read_volatile(pointer) }.data)
    };
    let word = |data: u32| if data == 0 { "off" } else { "on" }.to_owned();
    let before = word(call(read_number, 0)?);
    if before != word(u32::from(on)) {
        call(write_number, u32::from(on))?;
    }
    changed(&what, before, word(call(read_number, 0)?), &word(u32::from(on)))
}

fn program(words: &[String], limit: Duration) -> Result<Tuned, Failure> {
    let name = words.first().map(String::as_str).unwrap_or_default();
    let mut command = Command::new(name);
    command.args(words.iter().skip(1)).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let deadline = Instant::now() + limit;
    let family = Family::begin();
    family.own_group(&mut command);
    let mut child = command.spawn().map_err(|cause| match cause.kind() {
        io::ErrorKind::NotFound => Failure::new(Code::NotFound, format!("there is no program {name} here")),
        _ => os_failure(&format!("cannot run {name}"), &cause),
    })?;
    let readers = [child.stdout.take().map(gather), child.stderr.take().map(gather)];
    let readers: Vec<Reader> = readers.into_iter().flatten().collect();
    let ended = ended(&mut child, deadline);
    // What it has started and left behind ends as well, and closes the output. A daemon is not in the group.
    if let Ok(group) = libc::pid_t::try_from(child.id()) {
        // SAFETY: the group is the program's own.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
    let in_time = ended.is_some() && all_read(&readers, deadline);
    if !in_time {
        family.end_group(&child);
        let _ = child.wait();
        all_read(&readers, Instant::now() + CLOSING);
    }
    let status = match ended {
        Some(Err(cause)) => return Err(os_failure(&format!("cannot learn how {name} ended"), &cause)),
        Some(Ok(status)) if in_time => status,
        _ => {
            let message = format!("{name} did not end within {} s", limit.as_secs_f64());
            return Err(Failure::new(Code::TimedOut, message));
        }
    };
    let printed: Vec<Vec<u8>> = readers.into_iter().filter_map(|reader| reader.join().ok()).collect();
    let number = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    Ok(Tuned { status: Some(number), output: Some(end_of(&printed.concat())), ..Tuned::default() })
}

/// Reads a pipe to its end.
type Reader = thread::JoinHandle<Vec<u8>>;

/// Read everything that comes, and keep a bounded part of it.
fn gather(mut from: impl Read + Send + 'static) -> Reader {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let _ = from.by_ref().take(MOST).read_to_end(&mut kept);
        let _ = io::copy(&mut from, &mut io::sink());
        kept
    })
}

/// `None`: it has not ended in time.
fn ended(child: &mut Child, deadline: Instant) -> Option<io::Result<ExitStatus>> {
    poll(deadline, || child.try_wait().transpose())
}

/// Whether the pipes are read to their ends in time.
fn all_read(readers: &[Reader], deadline: Instant) -> bool {
    poll(deadline, || readers.iter().all(Reader::is_finished).then_some(())).is_some()
}

/// What `look` finds before the deadline.
fn poll<T>(deadline: Instant, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    loop {
        match look() {
            None if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
            found => return found,
        }
    }
}

/// The end of a text, without what a line of the protocol cannot hold.
fn end_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(KEPT)..]).replace('\0', " ");
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{end_of, program};
    use std::time::Duration;

    fn run(script: &str, seconds: f64) -> Result<virtometer_protocol::Tuned, virtometer_protocol::Failure> {
        let words = ["/bin/sh", "-c", script].map(str::to_owned);
        program(&words, Duration::from_secs_f64(seconds))
    }

    #[test]
    fn a_program_tells_its_status_and_what_it_printed() {
        let tuned = run("echo one; echo two >&2; exit 3", 10.0).unwrap();
        assert_eq!((tuned.status, tuned.output.as_deref()), (Some(3), Some("one\ntwo")));
        assert_eq!(run("kill -9 $$", 10.0).unwrap().status, Some(137));
    }

    #[test]
    fn a_program_that_does_not_end_is_ended_with_all_that_it_started() {
        let begin = std::time::Instant::now();
        assert_eq!(run("sleep 100 & sleep 100", 0.1).unwrap_err().code, virtometer_protocol::Code::TimedOut);
        assert_eq!(run("sleep 100 & echo done", 10.0).unwrap().output.as_deref(), Some("done"));
        assert!(begin.elapsed() < Duration::from_secs(50));
    }

    fn alive(pid: &str) -> bool {
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    }

    #[test]
    fn what_has_a_session_of_its_own_is_ended_at_the_limit_also_where_it_holds_the_output() {
        let begin = std::time::Instant::now();
        let file = tempfile::NamedTempFile::new().unwrap();
        for last in ["sleep 100", "sleep 0.2"] {
            let script = format!("setsid sleep 100 & echo $! >'{}'; {last}", file.path().display());
            assert_eq!(run(&script, 0.5).unwrap_err().code, virtometer_protocol::Code::TimedOut, "{last}");
            let pid = std::fs::read_to_string(file.path()).unwrap();
            assert!(!alive(pid.trim()), "{last}");
        }
        assert!(begin.elapsed() < Duration::from_secs(50));
    }

    #[test]
    fn a_daemon_that_a_program_has_started_in_time_lives_on() {
        let pid = run("setsid sleep 100 >/dev/null 2>&1 & echo $!; sleep 0.3", 10.0).unwrap().output.unwrap();
        assert!(alive(&pid));
        run(&format!("kill -9 {pid}"), 10.0).unwrap();
    }

    #[test]
    fn the_end_of_a_long_output_is_kept() {
        let found = end_of(&[b"x".repeat(5_000), b"\0end\n".to_vec()].concat());
        assert!(found.ends_with("x end") && found.len() <= 3_000);
    }
}
