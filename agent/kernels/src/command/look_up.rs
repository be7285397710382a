//! Where a program is, and why it could not be started.

use super::given::no_zero;
use super::standing::Standing;
use super::start::{Order, Refused, Step};
use crate::settings::wrong;
use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// Where programs are where the environment does not say so.
const PROGRAMS: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program with its arguments, and the directory in which it runs, where that is not the agent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    words: Vec<String>,
    directory: Option<String>,
}

/// A text as the system takes it.
fn c_text(text: &str) -> Result<CString, Failure> {
    CString::new(text).map_err(|_| wrong("texts of a command must not contain a zero byte"))
}

/// Most bytes of a path, with the zero at its end.
const LONGEST_PATH: usize = 4096;

/// The same path in more bytes: a slash may be written many times.
fn lengthened(path: &str, by: usize) -> String {
    let by = by.min(LONGEST_PATH.saturating_sub(path.len() + 1));
    let first = path.find('/').unwrap_or(0);
    let slashes = if path.contains('/') { "/".repeat(by) } else { String::new() };
    format!("{}{slashes}{}", &path[..first], &path[first..])
}

impl Line {
    /// words: with the program, which may not be empty.
    pub(super) fn new(words: Vec<String>, directory: Option<String>) -> Result<Self, Failure> {
        no_zero(words.iter())?;
        match words.first() {
            Some(program) if !program.is_empty() => Ok(Line { words, directory }),
            _ => Err(wrong("a command must have a program")),
        }
    }

    /// The program, as it was named.
    pub(super) fn program(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Where it runs; `None`: where the agent does.
    pub(super) fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// The order to start it. variables: of its environment, and those that are `added` to them. `longer`: by how many
    /// bytes the path is longer than it needs to be, as far as the system takes it.
    pub(super) fn order(&self, variables: &[String], added: &[String], longer: usize) -> Result<Order, Failure> {
        let texts = |all: &mut dyn Iterator<Item = &String>| all.map(|text| c_text(text)).collect::<Result<_, _>>();
        let path = self.find(variables).ok_or_else(|| self.missing())?;
        let path = path.to_str().ok_or_else(|| wrong("the PATH is not a text"))?;
        let path = c_text(&lengthened(path, longer))?;
        let directory = self.directory.as_deref().map(c_text).transpose()?;
        let words = texts(&mut self.words.iter())?;
        Ok(Order::new(path, words, texts(&mut variables.iter().chain(added))?, directory))
    }

    /// Whether the system starts another program for it, and gives that its path: a script.
    pub(super) fn is_script(&self, variables: &[String]) -> bool {
        let from = |path: PathBuf| self.directory.as_ref().map_or(path.clone(), |it| Path::new(it).join(&path));
        let file = self.find(variables).map(from).and_then(|path| File::open(path).ok());
        let mut begin = [0; 2];
        file.is_none_or(|mut file| file.read_exact(&mut begin).is_err() || &begin != b"\x7fE")
    }

    /// A path as it was named; else the first program of this name on the PATH of the variables.
    pub(super) fn find(&self, variables: &[String]) -> Option<PathBuf> {
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

    /// Why it could not be started. `standing`: with which it was to run.
    pub(super) fn not_started(&self, refused: &Refused, standing: &Standing) -> Failure {
        let program = self.program();
        let cause = match refused {
            Refused { step: Step::Program, cause } => cause,
            Refused { step: Step::Terminal, cause } => {
                return os_failure(&format!("cannot give {program} its terminal"), cause);
            }
            Refused { step: Step::Standing(part), cause } => return standing.refused(*part, program, cause),
        };
        if cause.kind() != io::ErrorKind::NotFound {
            return os_failure(&format!("cannot run {program}"), cause);
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
