//! A pseudo-terminal for one run of a command. Source: pty(7) and `tty_ioctl`(4) of Linux's manual.

#![allow(unsafe_code)] // the C library's calls for terminals

use std::ffi::{c_char, CStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// Lines and columns, as most terminals have them at first.
const SIZE: libc::winsize = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };

/// What a terminal takes for the end of its input: Ctrl-D.
const END: &[u8] = b"\x04";

/// Both ends of a new terminal.
pub(super) struct Terminal {
    /// Where somebody types, and reads what is shown.
    pub(super) outside: OwnedFd,
    /// The program's streams.
    pub(super) inside: OwnedFd,
}

impl Terminal {
    /// A new one, on which nothing is typed but the end of the input.
    pub(super) fn open() -> Result<Self, Failure> {
        let failed = |cause: io::Error| os_failure("cannot make a terminal", &cause);
        // SAFETY: the descriptor is new and nobody else's; the name is written into a buffer of the length that is told.
        let (outside, path) = unsafe {
            let number = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
            if number < 0 {
                return Err(failed(io::Error::last_os_error()));
            }
            let outside = OwnedFd::from_raw_fd(number);
            let mut name = [0 as c_char; 64];
            if libc::grantpt(number) != 0
                || libc::unlockpt(number) != 0
                || libc::ptsname_r(number, name.as_mut_ptr(), name.len()) != 0
            {
                return Err(failed(io::Error::last_os_error()));
            }
            (outside, CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned())
        };
        let flags = libc::O_NOCTTY;
        let inside = File::options().read(true).write(true).custom_flags(flags).open(&path);
        let inside = inside.map_err(|cause| os_failure(&format!("cannot open the terminal {path}"), &cause))?.into();
        let terminal = Terminal { outside, inside };
        // SAFETY: it only reads the size.
        if unsafe { libc::ioctl(terminal.inside.as_raw_fd(), libc::TIOCSWINSZ, &SIZE) } != 0 {
            return Err(failed(io::Error::last_os_error()));
        }
        rustix::io::write(&terminal.outside, END).map_err(|cause| failed(cause.into()))?;
        Ok(terminal)
    }
}
