//! Users and groups of the place, as its files name them.

use crate::settings::wrong;
use std::fmt;
use virtometer_protocol::{Code, Failure};

/// This number stands for "as before" in system calls.
const NOBODY: u32 = u32::MAX;

/// A user with its groups, as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) groups: Vec<u32>,
}

impl fmt::Display for User {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}:{}", self.uid, self.gid)
    }
}

impl User {
    /// The user of a text NAME or UID, or one of both with :GROUP or :GID. With a group it is in that alone, and else
    /// in those that the place's files name.
    pub(super) fn find(text: &str) -> Result<Self, Failure> {
        let read = |path: &str| String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
        Self::find_in(text, &read("/etc/passwd"), &read("/etc/group"))
    }

    /// users, groups: as passwd(5) and group(5) have them.
    fn find_in(text: &str, users: &str, groups: &str) -> Result<Self, Failure> {
        let (name, group) = text.split_once(':').map_or((text, None), |(name, group)| (name, Some(group)));
        if name.is_empty() || group.is_some_and(|group| group.is_empty() || group.contains(':')) {
            return Err(wrong(format!("user is {text:?}, not NAME, UID, NAME:GROUP or UID:GID")));
        }
        let fields = |line: &'_ str| line.split(':').map(str::to_owned).collect::<Vec<_>>();
        let number = number_of(name)?;
        // Of several entries with one number the first names it.
        let entry = users.lines().map(fields).find(|entry| match number {
            Some(uid) => entry.get(2).is_some_and(|found| found.parse() == Ok(uid)),
            None => entry.first().is_some_and(|found| found == name),
        });
        let of_entry = |at: usize| entry.as_ref().and_then(|entry| entry.get(at)?.parse::<u32>().ok());
        let uid = number.or_else(|| of_entry(2)).ok_or_else(|| missing("user", name))?;
        if let Some(group) = group {
            let named = |entry: &Vec<String>| entry.first().is_some_and(|found| found == group);
            let of_groups = || groups.lines().map(fields).find(named).and_then(|entry| entry.get(2)?.parse().ok());
            let gid = number_of(group)?.or_else(of_groups).ok_or_else(|| missing("group", group))?;
            return Ok(User { uid, gid, groups: vec![gid] });
        }
        let gid = of_entry(3).ok_or_else(|| {
            wrong(format!("the user {name} is not in /etc/passwd here, so that its group is needed: {name}:GID"))
        })?;
        let called = entry.as_ref().and_then(|entry| entry.first());
        let member = |entry: &Vec<String>| {
            entry.get(3).is_some_and(|all| all.split(',').any(|one| Some(one) == called.map(String::as_str)))
        };
        let more = groups.lines().map(fields).filter(member).filter_map(|entry| entry.get(2)?.parse().ok());
        let mut groups: Vec<u32> = std::iter::once(gid).chain(more).collect();
        groups.sort_unstable();
        groups.dedup();
        Ok(User { uid, gid, groups })
    }
}

/// The number that a word is, if it is one. Of users and of groups alike.
fn number_of(word: &str) -> Result<Option<u32>, Failure> {
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    match word.parse() {
        Ok(number) if number != NOBODY => Ok(Some(number)),
        _ => Err(wrong(format!("user has {word}, and a number of a user or group is at most {}", NOBODY - 1))),
    }
}

fn missing(what: &str, name: &str) -> Failure {
    Failure::new(Code::NotSupported, format!("there is no {what} {name} here"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\nann:x:1000:100::/srv/ann:/bin/sh\nodd line\nbob:x:1001:x\n";
    const GROUPS: &str = "root:x:0:\nusers:x:100:\nvideo:x:44:bob,ann\naudio:x:29:ann\nusers2:x:100:ann\nodd\n";

    fn found(text: &str) -> (u32, u32, Vec<u32>) {
        let user = User::find_in(text, USERS, GROUPS).unwrap();
        (user.uid, user.gid, user.groups)
    }

    #[test]
    fn a_user_has_its_groups_unless_one_is_named() {
        assert_eq!(found("ann"), (1000, 100, vec![29, 44, 100]));
        assert_eq!(found("1000"), (1000, 100, vec![29, 44, 100]));
        assert_eq!(found("ann:video"), (1000, 44, vec![44]));
        assert_eq!(found("4711:7"), (4711, 7, vec![7]));
        assert_eq!(found("bob:users"), (1001, 100, vec![100]));
        assert_eq!(User::find("root").unwrap().uid, 0);
    }

    #[test]
    fn what_is_no_user_is_refused() {
        let code = |text: &str| User::find_in(text, USERS, GROUPS).unwrap_err().code;
        for text in ["", ":", "ann:", ":100", "1:2:3", "4711", "4294967295:0", "0:99999999999", "bob"] {
            assert_eq!(code(text), Code::BadArguments, "{text}");
        }
        for text in ["nobody-here", "ann:no-group", "-1"] {
            assert_eq!(code(text), Code::NotSupported, "{text}");
        }
    }
}
