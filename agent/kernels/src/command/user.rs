//! Under which user and groups a command runs, where that is not the agent's.

#![allow(unsafe_code)] // the system calls of one thread alone: the C library changes all threads of a process

use crate::settings::wrong;
use std::ffi::{c_int, c_long};
use std::fmt;
use std::io;
use std::str::FromStr;
use virtometer_protocol::Failure;

/// Most groups of a process on Linux.
const MOST_GROUPS: usize = 65_536;

/// Numbers of a user, of its own group, and of its further groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User {
    user: u32,
    group: u32,
    further: Vec<u32>,
}

impl FromStr for User {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let number = |part: &str| part.parse::<u32>().ok().filter(|number| *number != u32::MAX);
        let parsed = text.split_once(':').and_then(|(user, groups)| {
            let groups = groups.split(',').map(number).collect::<Option<Vec<_>>>()?;
            let (group, further) = groups.split_first()?;
            let further = further.to_vec();
            (further.len() <= MOST_GROUPS).then_some(User { user: number(user)?, group: *group, further })
        });
        parsed.ok_or_else(|| {
            wrong(format!("user is {text:?}, not numbers of a user and its groups such as 1000:1000,27"))
        })
    }
}

impl fmt::Display for User {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "user {} of group {}", self.user, self.group)
    }
}

impl User {
    /// Become this user, in the calling thread alone. Returns the number of the error, or 0.
    ///
    /// # Safety
    ///
    /// Only in a process of its own, in which nothing relies on the rights that are lost.
    pub(super) unsafe fn become_it(&self) -> c_int {
        // SAFETY: system calls on numbers, and on an array of this length.
        unsafe {
            let (user, group) = (self.user as c_long, self.group as c_long);
            let failed = libc::syscall(SETGROUPS, self.further.len(), self.further.as_ptr()) < 0
                || libc::syscall(SETRESGID, group, group, group) < 0
                || libc::syscall(SETRESUID, user, user, user) < 0;
            if failed {
                return io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
            }
        }
        0
    }
}

/// Old systems of 32 bits have calls of the same names for numbers of 16 bits.
#[cfg(any(target_arch = "x86", target_arch = "arm"))]
const SETGROUPS: c_long = libc::SYS_setgroups32;
#[cfg(any(target_arch = "x86", target_arch = "arm"))]
const SETRESGID: c_long = libc::SYS_setresgid32;
#[cfg(any(target_arch = "x86", target_arch = "arm"))]
const SETRESUID: c_long = libc::SYS_setresuid32;
#[cfg(not(any(target_arch = "x86", target_arch = "arm")))]
const SETGROUPS: c_long = libc::SYS_setgroups;
#[cfg(not(any(target_arch = "x86", target_arch = "arm")))]
const SETRESGID: c_long = libc::SYS_setresgid;
#[cfg(not(any(target_arch = "x86", target_arch = "arm")))]
const SETRESUID: c_long = libc::SYS_setresuid;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_are_read_and_anything_else_is_refused() {
        let user = |user, group, further: &[u32]| User { user, group, further: further.to_vec() };
        assert_eq!("1000:100".parse::<User>().unwrap(), user(1000, 100, &[]));
        assert_eq!("0:0,4,27".parse::<User>().unwrap(), user(0, 0, &[4, 27]));
        for wrong in ["", "1000", "1000:", ":1", "a:1", "1:a", "-1:0", "4294967295:0", "1:4294967295", "1:1,", "1:1:1"]
        {
            assert!(wrong.parse::<User>().is_err(), "{wrong}");
        }
    }
}
