//! A serial line, virtual console or virtio-serial port as the channel.

use crate::channel::Channel;
use rustix::event::{poll, PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{isatty, tcgetattr, tcsetattr, OptionalActions};
use std::fs::File;
use std::io;
use std::os::unix::io::OwnedFd;
use std::time::{Duration, Instant};
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// How long to wait for a device to appear, and for the host to open its end of it.
const APPEARANCE: Duration = Duration::from_secs(30);

/// How often to look for it.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Open the device. Waits for it to appear.
pub(crate) fn serial(path: &str) -> Result<Channel, Failure> {
    let failed = |cause: io::Error| os_failure(&format!("cannot use {path} as the channel"), &cause);
    let deadline = Instant::now() + APPEARANCE;
    let device = loop {
        match rustix::fs::open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(device) => break device,
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::NXIO | rustix::io::Errno::NODEV)
                if Instant::now() < deadline =>
            {
                std::thread::sleep(POLL_INTERVAL);
            }
            Err(errno) => return Err(failed(errno.into())),
        }
    };
    if isatty(&device) {
        raw(&device).map_err(failed)?;
    }
    wait_for_host(&device, deadline);
    let input = device.try_clone().map_err(failed)?;
    Ok(Channel { input: File::from(input), output: File::from(device) })
}

/// No echo, no line editing, no translation: bytes as they are.
fn raw(device: &OwnedFd) -> io::Result<()> {
    let mut settings = tcgetattr(device)?;
    settings.make_raw();
    tcsetattr(device, OptionalActions::Now, &settings)?;
    Ok(())
}

/// A virtio-serial port reads as ended until the host has opened its end.
fn wait_for_host(device: &OwnedFd, deadline: Instant) {
    while Instant::now() < deadline {
        let mut watched = [PollFd::new(device, PollFlags::OUT)];
        let nothing = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        if poll(&mut watched, Some(&nothing)).is_err() || !watched[0].revents().contains(PollFlags::HUP) {
            return;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}
