//! Where a program is, and why it could not be started.

use super::given::no_zero;
use super::start::Order;
use super::user::User;
use crate::settings::wrong;
use std::ffi::CString;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// Where programs are where the environment does not say so.
const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program with its arguments, and the directory and the user that it runs in and as, where not the agent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    words: Vec<String>,
    directory: Option<String>,
    user: Option<User>,
}

/// A text as the system takes it.
fn c_text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| wrong("texts of a command must not contain a zero byte"))
}

impl Line {
    /// words: with the program, which may not be empty.
    pub(super) fn new(words: Vec<String>, directory: Option<String>, user: Option<User>) -> Result<Self, Failure> {
        no_zero(words.iter())?;
        match words.first() {
            Some(program) if !program.is_empty() => Ok(Line { words, directory, user }),
            _ => Err(wrong("a command must have a program")),
        }
    }

    /// The program, as it was named.
    pub(super) fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// The order to start it. variables: of its environment, and those that are `added` to them.
    pub(super) fn order(&self, variables: &[String], added: &[String]) -> Result<Order, Failure> {
        let texts = |all: &mut dyn Iterator<Item = &String>| all.map(|text| c_text(text)).collect::<Result<_, _>>();
        let path = self.find(variables).ok_or_else(|| self.missing())?;
        let path = path.to_str().map_or_else(|| Err(wrong("the PATH is not a text")), c_text)?;
        let directory = self.directory.as_deref().map(c_text).transpose()?;
        let words = texts(&mut self.words.iter())?;
        Ok(Order::new(path, words, texts(&mut variables.iter().chain(added))?, directory, self.user.clone()))
    }

    /// A path as it was named; else the first program of this name on the PATH of the variables.
    fn find(&self, variables: &[String]) -> Option<PathBuf> {
        let program = self.program();
        if program.contains('/') {
            return Some(program.into());
        }
        let path = variables.iter().rev().find_map(|variable| variable.strip_prefix("PATH=")).unwrap_or(PROGRAMS);
        let here = path.split(':').map(|folder| Path::new(folder).join(program));
        here.into_iter()
            .find(|path| path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0))
    }

    fn missing(&self) -> Failure {
        Failure::new(Code::NotSupported, format!("there is no program {} here", self.program()))
    }

    /// Why it could not be started.
    pub(super) fn not_started(&self, cause: &io::Error) -> Failure {
        let program = self.program();
        if cause.kind() != io::ErrorKind::NotFound {
            let user = self.user.as_ref().filter(|_| cause.raw_os_error() != Some(libc::EACCES));
            let whose = user.map_or_else(String::new, |user| format!(" as {user}"));
            return os_failure(&format!("cannot run {program}{whose}"), cause);
        }
        let directory = self.directory.as_deref().map(Path::new);
        if let Some(missing) = directory.filter(|directory| !directory.is_dir()) {
            return Failure::new(Code::NotSupported, format!("there is no directory {} here", missing.display()));
        }
        if !program.contains('/') || directory.map_or_else(|| program.into(), |it| it.join(program)).exists() {
            let message = format!("{program} is here, but not the interpreter or the loader that it needs");
            return Failure::new(Code::NotSupported, message);
        }
        self.missing()
    }
}
