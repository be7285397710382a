//! Life as process 1 of a guest that contains nothing else: mount, load modules, speak the protocol, switch off.
//!
//! Nothing here may end without switching the guest off: a guest that hangs costs the laboratory its time limit.

use super::network;
use crate::channel::{self, Channel};
use crate::engine;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{mount, mount_move, MountFlags};
use rustix::system::{reboot, RebootCommand};
use std::ffi::{CStr, CString};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// Names the modules to load, one file name a line, in this order.
const MODULE_ORDER: &str = "/modules/order";

/// The kernel's command line names the channel with this.
const CHANNEL: &str = "virtometer.channel=";

/// The kernel's command line names a disk with a file system, and where to mount it, with this.
const MOUNT: &str = "virtometer.mount=";

/// The kernel's command line names the disk, or the files of the host, that are the root directory of all programs.
const ROOT: &str = "virtometer.root=";

/// Before the serial number of a disk, where its name is not known beforehand.
const BY_SERIAL: &str = "serial:";

/// Before the path of a directory of the host's, which user-mode Linux mounts by the file system of the same name.
const OF_HOST: &str = "hostfs:";

/// Before the tag of the host's files, which a virtual machine mounts by 9p.
const BY_9P: &str = "9p:";

/// Before a disk with a layer over it, which programs can write into.
const LAYERED: &str = "layered:";

/// Where files are that nobody writes, before a layer over them is the root directory.
const LOWER: &str = "/lower";

/// Where the layer lies in memory that takes what is written over them.
const LAYER: &str = "/layer";

/// How the host's files are mounted. Nobody else changes them meanwhile, so that they may stay in the page cache: as
/// natively, a program is read once. A large message moves more of a file at a time.
const OPTIONS_OF_9P: &CStr = c"trans=virtio,version=9p2000.L,cache=loose,msize=262144";

/// Where the root directory is before it is one.
const NEW_ROOT: &str = "/new-root";

/// Where programs are looked up in a root directory of its own.
const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The file system of such disks.
const FILE_SYSTEM: &str = "ext4";

/// How long to wait for a port or a disk to appear.
const APPEARANCE: Duration = Duration::from_secs(30);

/// How often to look for it.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Commands, so that /init can tell them from words of the kernel's command line.
const COMMANDS: &[&str] =
    &["stdio", "descriptor", "serial", "connect", "measure", "serve", "keep", "--version", "--help", "exit"];

/// Do everything and switch off, if that is what this process is for.
pub(crate) fn live_if_process_1(own_name: &str, first: &str) {
    // The kernel starts /init without arguments, or with words of its command line that nobody else wanted. In a
    // container the agent is process 1 as well, but is given a command.
    let is_init = first == "init" || (own_name.ends_with("/init") && !COMMANDS.contains(&first));
    if is_init && rustix::process::getpid().is_init() {
        live();
    }
}

fn live() -> ! {
    std::panic::set_hook(Box::new(|panic| {
        // A panic of a run is caught and reported by it; one of this thread ends the guest.
        say(&format!("panic: {panic}"));
        if rustix::thread::gettid() == rustix::process::getpid() {
            switch_off();
        }
    }));
    let mut notes = Vec::new();
    if let Err(failure) = speak(&mut notes) {
        say(&failure.message);
    }
    switch_off()
}

fn speak(notes: &mut Vec<String>) -> Result<(), Failure> {
    for (kind, place) in MOUNTS {
        if let Err(failure) = mount_at(kind, place) {
            note(notes, failure);
        }
    }
    load_modules(notes);
    change_root(notes)?;
    if let Err(failure) = network::loopback() {
        note(notes, failure);
    }
    if let Err(failure) = mount_disks() {
        note(notes, failure);
    }
    let channel = open_channel()?;
    match engine::converse(channel, notes, true) {
        engine::Ending::Bye | engine::Ending::Closed => Ok(()),
        engine::Ending::Fatal(failure) => Err(failure),
    }
}

/// Not fatal: the laboratory hears of it, and so does the kernel's log.
fn note(notes: &mut Vec<String>, failure: Failure) {
    say(&failure.message);
    notes.push(failure.message);
}

/// Into the kernel's log, which is the only place that is always there.
fn say(message: &str) {
    if let Ok(mut log) = fs::OpenOptions::new().write(true).open("/dev/kmsg") {
        // One write is one line of the log.
        let _ = log.write_all(format!("<3>virtometer-agent: {message}").as_bytes());
    }
}

/// What every root directory gets.
const MOUNTS: [(&str, &str); 4] = [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp")];

/// What a root directory below a layer gets: what lies in its /tmp and /run stays, and programs of any kind need these.
const MOUNTS_OF_LAYERED: [(&str, &str); 5] =
    [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("devpts", "/dev/pts"), ("tmpfs", "/dev/shm")];

/// Make the disk or the directory that the command line names the root directory, where it names one; a disk is
/// read-only, and may have a layer. Without it no program of its would be found, so that a fault ends the guest.
fn change_root(notes: &mut Vec<String>) -> Result<(), Failure> {
    let line = fs::read_to_string("/proc/cmdline").unwrap_or_default();
    let Some(named) = line.split_whitespace().find_map(|word| word.strip_prefix(ROOT)) else {
        return Ok(());
    };
    let failed = |cause: io::Error| os_failure(&format!("cannot make {named} the root directory"), &cause);
    fs::create_dir(NEW_ROOT).map_err(failed)?;
    if let Some(directory) = named.strip_prefix(OF_HOST) {
        let directory = CString::new(directory).map_err(|cause| failed(cause.into()))?;
        mount("none", NEW_ROOT, "hostfs", MountFlags::empty(), Some(directory.as_c_str()))
            .map_err(|errno| failed(errno.into()))?;
        enter_root(&MOUNTS_OF_LAYERED, notes).map_err(failed)
    } else if let Some(tag) = named.strip_prefix(BY_9P) {
        mount_layered(tag, "9p", Some(OPTIONS_OF_9P)).map_err(failed)?;
        enter_root(&MOUNTS_OF_LAYERED, notes).map_err(failed)
    } else {
        let disk = named.strip_prefix(LAYERED).unwrap_or(named);
        let device = match disk.strip_prefix(BY_SERIAL) {
            Some(serial) => disk_with(serial)?,
            None => disk.to_owned(),
        };
        appeared(&device)?;
        if disk != named {
            mount_layered(&device, FILE_SYSTEM, None).map_err(failed)?;
            return enter_root(&MOUNTS_OF_LAYERED, notes).map_err(failed);
        }
        mount(device.as_str(), NEW_ROOT, FILE_SYSTEM, MountFlags::RDONLY, None)
            .map_err(|errno| failed(errno.into()))?;
        enter_root(&[&MOUNTS[..], &[("tmpfs", "/run")]].concat(), notes).map_err(failed)
    }
}

/// Mount a file system at `NEW_ROOT`, read-only under a layer in memory that takes what is written.
fn mount_layered(source: &str, kind: &str, options: Option<&CStr>) -> io::Result<()> {
    for place in [LOWER, LAYER] {
        fs::create_dir(place)?;
    }
    mount(source, LOWER, kind, MountFlags::RDONLY, options)?;
    mount("tmpfs", LAYER, "tmpfs", MountFlags::empty(), None)?;
    let upper = format!("{LAYER}/upper");
    fs::create_dir(&upper)?;
    fs::create_dir(format!("{LAYER}/work"))?;
    // The root directory of an overlay is that of its upper layer.
    fs::set_permissions(&upper, fs::metadata(LOWER)?.permissions())?;
    let options = format!("lowerdir={LOWER},upperdir={upper},workdir={LAYER}/work");
    mount("overlay", NEW_ROOT, "overlay", MountFlags::empty(), Some(CString::new(options)?.as_c_str()))?;
    Ok(())
}

/// Make what is mounted at `NEW_ROOT` the root directory, with these mounts in it.
fn enter_root(mounts: &[(&str, &str)], notes: &mut Vec<String>) -> io::Result<()> {
    for (kind, place) in mounts {
        if let Err(failure) = mount_at(kind, &format!("{NEW_ROOT}{place}")) {
            note(notes, failure);
        }
    }
    // The first root directory of a kernel cannot be unmounted or pivoted: it is covered.
    std::env::set_current_dir(NEW_ROOT)?;
    mount_move(".", "/")?;
    rustix::process::chroot(".")?;
    std::env::set_current_dir("/")?;
    std::env::set_var("PATH", PROGRAMS);
    Ok(())
}

/// The device of the disk with this serial number.
fn disk_with(serial: &str) -> Result<String, Failure> {
    let deadline = Instant::now() + APPEARANCE;
    loop {
        for entry in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
            let found = fs::read_to_string(entry.path().join("serial")).unwrap_or_default();
            if found.trim() == serial {
                return Ok(format!("/dev/{}", entry.file_name().to_string_lossy()));
            }
        }
        if Instant::now() >= deadline {
            return Err(Failure::new(Code::NotFound, format!("there is no disk with the serial number {serial}")));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Wait until a disk is there.
fn appeared(device: &str) -> Result<(), Failure> {
    let deadline = Instant::now() + APPEARANCE;
    while !Path::new(device).exists() {
        if Instant::now() >= deadline {
            return Err(Failure::new(Code::NotFound, format!("there is no disk {device}")));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// Mount the disks that the command line names, each as soon as it appears.
fn mount_disks() -> Result<(), Failure> {
    let line = fs::read_to_string("/proc/cmdline").unwrap_or_default();
    for named in line.split_whitespace().filter_map(|word| word.strip_prefix(MOUNT)) {
        let (device, place) = named.split_once(':').unwrap_or((named, ""));
        if !(device.starts_with("/dev/") && place.starts_with('/')) {
            return Err(Failure::new(Code::BadArguments, format!("{MOUNT}{named} is not DEVICE:DIRECTORY")));
        }
        appeared(device)?;
        mount_from(device, FILE_SYSTEM, place)?;
    }
    Ok(())
}

fn mount_at(kind: &str, place: &str) -> Result<(), Failure> {
    mount_from(kind, kind, place)
}

fn mount_from(source: &str, kind: &str, place: &str) -> Result<(), Failure> {
    let failed = |cause: &io::Error| os_failure(&format!("cannot mount {place}"), cause);
    match fs::create_dir(place) {
        Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => return Err(failed(&cause)),
        _ => {}
    }
    match mount(source, place, kind, MountFlags::empty(), None) {
        // The kernel may have mounted /dev itself.
        Ok(()) | Err(rustix::io::Errno::BUSY) => Ok(()),
        Err(errno) => Err(failed(&errno.into())),
    }
}

fn load_modules(notes: &mut Vec<String>) {
    // Without the file there is nothing to load.
    let order = fs::read_to_string(MODULE_ORDER).unwrap_or_default();
    let folder = Path::new(MODULE_ORDER).parent().unwrap_or_else(|| Path::new("/"));
    for name in order.lines().map(str::trim).filter(|name| !name.is_empty()) {
        if let Err(cause) = load_module(&folder.join(name)) {
            note(notes, os_failure(&format!("cannot load the module {name}"), &cause));
        }
    }
}

fn load_module(path: &Path) -> io::Result<()> {
    let file = rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let done = match rustix::system::finit_module(&file, c"", 0) {
        // Kernels before 3.8 take the module's bytes.
        Err(rustix::io::Errno::NOSYS) => rustix::system::init_module(&fs::read(path)?, c""),
        other => other,
    };
    match done {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        // The file was there, or it could not have been opened.
        Err(rustix::io::Errno::NOENT) => Err(io::Error::other("it needs a module that is not loaded")),
        Err(errno) => Err(errno.into()),
    }
}

fn open_channel() -> Result<Channel, Failure> {
    let line = fs::read_to_string("/proc/cmdline").unwrap_or_default();
    let channel = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix(CHANNEL))
        .ok_or_else(|| Failure::new(Code::BadArguments, format!("the kernel's command line has no {CHANNEL}")))?;
    match channel.split_once(':') {
        Some(("virtio", name)) => channel::serial(&virtio_port(name)?),
        Some(("serial" | "hvc", path)) => {
            keep_kernel_off_consoles();
            channel::serial(path)
        }
        _ => {
            let message = format!("{CHANNEL}{channel} is none of virtio:NAME, serial:DEVICE, hvc:DEVICE");
            Err(Failure::new(Code::BadArguments, message))
        }
    }
}

/// The device of the virtio-serial port with this name.
fn virtio_port(name: &str) -> Result<String, Failure> {
    let deadline = Instant::now() + APPEARANCE;
    loop {
        for entry in fs::read_dir("/sys/class/virtio-ports").into_iter().flatten().flatten() {
            let given = fs::read_to_string(entry.path().join("name")).unwrap_or_default();
            if given.trim_end() == name {
                return Ok(format!("/dev/{}", entry.file_name().to_string_lossy()));
            }
        }
        if Instant::now() >= deadline {
            let message = format!("there is no virtio-serial port with the name {name}");
            return Err(Failure::new(Code::NotFound, message));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// The channel may be a console, and the kernel's messages would mix with the protocol.
fn keep_kernel_off_consoles() {
    // The first number is the level below which messages are printed; 1 leaves only the end of the world.
    let _ = fs::write("/proc/sys/kernel/printk", "1");
}

fn switch_off() -> ! {
    rustix::fs::sync();
    for command in [RebootCommand::PowerOff, RebootCommand::Halt, RebootCommand::Restart] {
        let _ = reboot(command);
    }
    // The kernel ends the guest with a panic when process 1 ends.
    std::process::exit(1)
}
