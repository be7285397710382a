//! As whom a command runs, and within which limits. It takes them on itself, between its start and its program.
//!
//! Sources: setresuid(2), getrlimit(2), and `PR_SET_NO_NEW_PRIVS` of prctl(2) in Linux's manual.

#![allow(unsafe_code)] // system calls of a child that shares the agent's memory: those of the C library act on threads

use super::accounts::User;
use crate::settings::{wrong, Settings};
use libc::{c_int, c_long};
use std::collections::BTreeMap;
use std::io;
use std::ptr::{null, null_mut};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::os_failure;

#[cfg(any(target_arch = "x86", target_arch = "arm"))]
mod calls {
    pub(super) use libc::{SYS_getgroups32 as GETGROUPS, SYS_getresgid32 as GETRESGID, SYS_getresuid32 as GETRESUID};
    pub(super) use libc::{SYS_setgroups32 as SETGROUPS, SYS_setresgid32 as SETRESGID, SYS_setresuid32 as SETRESUID};
}
#[cfg(not(any(target_arch = "x86", target_arch = "arm")))]
mod calls {
    pub(super) use libc::{SYS_getgroups as GETGROUPS, SYS_getresgid as GETRESGID, SYS_getresuid as GETRESUID};
    pub(super) use libc::{SYS_setgroups as SETGROUPS, SYS_setresgid as SETRESGID, SYS_setresuid as SETRESUID};
}

/// Names of limits, at the numbers that Linux gives them.
const RESOURCES: [&str; 16] = [
    "cpu",
    "fsize",
    "data",
    "stack",
    "core",
    "rss",
    "nproc",
    "nofile",
    "memlock",
    "as",
    "locks",
    "sigpending",
    "msgqueue",
    "nice",
    "rtprio",
    "rttime",
];

/// What the kernel takes for no limit.
const UNLIMITED: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limit {
    resource: usize,
    /// Soft and hard.
    values: [u64; 2],
}

/// What a command takes on before its program is executed. Nothing by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) user: Option<User>,
    limits: Vec<Limit>,
    no_new_privileges: bool,
}

/// Which part was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    User,
    /// By its place among the limits.
    Limit(usize),
    NoNewPrivileges,
    /// Everything was accepted, and something else is in force.
    Effect,
}

impl Standing {
    pub(super) fn new(settings: &Settings<'_>) -> Result<Self, Failure> {
        Ok(Standing {
            user: settings.optional_text("user")?.map(User::find).transpose()?,
            limits: settings.optional_text("limits")?.map_or_else(|| Ok(Vec::new()), limits)?,
            no_new_privileges: settings.boolean("no-new-privileges")?,
        })
    }

    pub(super) fn is_plain(&self) -> bool {
        *self == Standing::default()
    }

    /// Take it on, for good. `checked`: read back from the kernel whether it is in force. Returns what was refused.
    ///
    /// # Safety
    ///
    /// Only in a process of its own. Nothing is allocated.
    pub(super) unsafe fn take_on(&self, checked: bool) -> Result<(), Part> {
        // SAFETY: system calls on numbers, and on memory that lives while they last.
        unsafe {
            for (place, limit) in self.limits.iter().enumerate() {
                if prlimit(limit.resource, limit.values.as_ptr(), null_mut()) != 0 {
                    return Err(Part::Limit(place));
                }
            }
            if let Some(user) = &self.user {
                let id = |number: u32| number.cast_signed() as c_long; // as the C library hands them over
                let taken = libc::syscall(calls::SETGROUPS, user.groups.len(), user.groups.as_ptr()) == 0
                    && libc::syscall(calls::SETRESGID, id(user.gid), id(user.gid), id(user.gid)) == 0
                    && libc::syscall(calls::SETRESUID, id(user.uid), id(user.uid), id(user.uid)) == 0;
                if !taken {
                    return Err(Part::User);
                }
            }
            let (one, zero): (libc::c_ulong, libc::c_ulong) = (1, 0);
            if self.no_new_privileges && libc::prctl(libc::PR_SET_NO_NEW_PRIVS, one, zero, zero, zero) != 0 {
                return Err(Part::NoNewPrivileges);
            }
            match !checked || self.in_force() {
                true => Ok(()),
                false => Err(Part::Effect),
            }
        }
    }

    /// Whether the kernel says that all of it holds for this process.
    unsafe fn in_force(&self) -> bool {
        // SAFETY: as in `take_on`.
        unsafe {
            for limit in &self.limits {
                let mut found = [0_u64; 2];
                if prlimit(limit.resource, null(), found.as_mut_ptr()) != 0 || found != limit.values {
                    return false;
                }
            }
            if let Some(user) = &self.user {
                let three = |call: c_long, wanted: u32| {
                    let mut found = [0_u32; 3];
                    let at = found.as_mut_ptr();
                    libc::syscall(call, at, at.wrapping_add(1), at.wrapping_add(2)) == 0 && found == [wanted; 3]
                };
                let count = libc::syscall(calls::GETGROUPS, 0, null_mut::<u32>());
                if !three(calls::GETRESUID, user.uid)
                    || !three(calls::GETRESGID, user.gid)
                    || usize::try_from(count) != Ok(user.groups.len())
                {
                    return false;
                }
            }
            let zero: libc::c_ulong = 0;
            !self.no_new_privileges || libc::prctl(libc::PR_GET_NO_NEW_PRIVS, zero, zero, zero, zero) == 1
        }
    }

    /// What holds, once a command has run with it.
    pub(super) fn conditions(&self) -> Conditions {
        let mut found = Conditions::new();
        if let Some(user) = &self.user {
            found.insert("user".into(), user.to_string());
        }
        if !self.limits.is_empty() {
            found.insert("limits".into(), self.limits.iter().map(shown).collect::<Vec<_>>().join(" "));
        }
        if self.no_new_privileges {
            found.insert("no_new_privileges".into(), "yes".into());
        }
        found
    }

    /// Whether the command has a limit of its own of this resource, by the number that Linux gives it.
    pub(super) fn limits(&self, resource: usize) -> bool {
        self.limits.iter().any(|limit| limit.resource == resource)
    }

    /// Why a program could not be run with it.
    pub(super) fn refused(&self, part: Part, program: &str, cause: &io::Error) -> Failure {
        let doing = match part {
            Part::User => {
                format!("cannot run {program} as user {}", self.user.as_ref().map_or_else(String::new, User::to_string))
            }
            Part::Limit(place) => {
                format!("cannot run {program} within {}", self.limits.get(place).map_or_else(String::new, shown))
            }
            Part::NoNewPrivileges => format!("cannot keep {program} from new privileges"),
            Part::Effect => {
                let message = format!("the user or the limits of {program} are not in force here, though accepted");
                return Failure::new(Code::NotSupported, message);
            }
        };
        os_failure(&doing, cause)
    }
}

/// Set a limit of this process, or read it.
unsafe fn prlimit(resource: usize, new: *const u64, old: *mut u64) -> c_long {
    let own: c_int = 0;
    // SAFETY: both are null or two numbers.
    unsafe { libc::syscall(libc::SYS_prlimit64, own, resource, new, old) }
}

fn shown(limit: &Limit) -> String {
    let word = |value: u64| if value == UNLIMITED { "unlimited".to_owned() } else { value.to_string() };
    let name = RESOURCES.get(limit.resource).copied().unwrap_or("limit");
    format!("{name}={}:{}", word(limit.values[0]), word(limit.values[1]))
}

/// Of a text such as `{"nofile":[256,512]}`; null is no limit.
fn limits(text: &str) -> Result<Vec<Limit>, Failure> {
    let given: BTreeMap<String, [Option<u64>; 2]> = serde_json::from_str(text)
        .map_err(|_| wrong(format!("limits is {text:?}, not a JSON object such as {{\"nofile\":[256,512]}}")))?;
    let limit = |(name, values): (String, [Option<u64>; 2])| {
        let resource = RESOURCES.iter().position(|known| *known == name);
        let resource =
            resource.ok_or_else(|| wrong(format!("limits has {name:?}, which is none of {}", RESOURCES.join(", "))))?;
        let values = values.map(|value| value.unwrap_or(UNLIMITED));
        match values[0] <= values[1] {
            true => Ok(Limit { resource, values }),
            false => Err(wrong(format!("of limits, {name} has a soft limit above its hard limit"))),
        }
    };
    given.into_iter().map(limit).collect()
}
