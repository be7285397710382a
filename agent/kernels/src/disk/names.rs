//! Bonnie's operations on names: making, asking about and removing many small files in a folder of one's own.

use super::cleanup::{ending, Registered};
use crate::pattern;
use crate::random::{mix, Random};
use crate::settings::check_failed;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::{os_failure, timed, CheckValue, Stretch, Worker};

/// The operation on each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameOp {
    Create,
    Stat,
    Delete,
}

/// The checked settings.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// A folder that is empty or does not exist.
    pub(super) folder: String,
    pub(super) op: NameOp,
    /// In random order, otherwise in that of the names.
    pub(super) random: bool,
    pub(super) files: usize,
    /// Bytes of each file.
    pub(super) size: usize,
    pub(super) seed: u64,
}

/// The folder, which is removed in the end where it was made here, with the files that were made in it.
pub(super) struct Folder {
    path: PathBuf,
    made: bool,
    /// Full names in the order in which they are used.
    names: Vec<PathBuf>,
    cleanup: Option<Registered>,
}

impl Folder {
    fn new(path: &Path, names: Vec<PathBuf>) -> Result<Self, Failure> {
        let shown = path.display();
        let failed = |cause: &io::Error| os_failure(&format!("cannot use the folder {shown}"), cause);
        let made = match std::fs::create_dir(path) {
            Ok(()) => true,
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                if std::fs::read_dir(path).map_err(|cause| failed(&cause))?.next().is_some() {
                    let message = format!("{shown} is not empty; name a folder that is empty or does not exist");
                    return Err(Failure::new(Code::NotPermitted, message));
                }
                false
            }
            Err(cause) => return Err(failed(&cause)),
        };
        let cleanup = Some(Registered::new(&names, made.then_some(path)));
        Ok(Folder { path: path.to_owned(), made, names, cleanup })
    }

    /// Remove what is left of the files.
    fn clear(&self) {
        for name in &self.names {
            // Most are gone already.
            let _ = std::fs::remove_file(name);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.clear();
        self.cleanup = None;
        if self.made {
            // It stays where somebody else has put something there.
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

pub(super) struct Names {
    config: Config,
    folder: Folder,
    content: Vec<u8>,
    /// Sum of the sizes that the system told.
    told: u64,
    /// Files that were made before the present ones.
    made: u64,
    /// Files that the last iteration has handled, and how many of them counted as work.
    handled: u64,
    counted: u64,
}

impl Names {
    pub(super) fn new(config: &Config, index: u64) -> Result<Self, Failure> {
        // The folder itself for the first thread, one beside it for each of the others.
        let path = match index {
            0 => PathBuf::from(&config.folder),
            _ => PathBuf::from(format!("{}.{index}", config.folder.trim_end_matches('/'))),
        };
        let mut random = Random::new(mix(config.seed) ^ index);
        let mut names: Vec<String> = (0..config.files).map(|number| name(number, config.random, &mut random)).collect();
        if config.random {
            names.sort_unstable();
        }
        let names = names.iter().map(|name| path.join(name)).collect();
        let mut content = vec![0; config.size.next_multiple_of(8)];
        pattern::fill(&mut content, 0);
        content.truncate(config.size);
        Ok(Names {
            folder: Folder::new(&path, names)?,
            content,
            config: config.clone(),
            told: 0,
            made: 0,
            handled: 0,
            counted: 0,
        })
    }

    fn failed(&self, verb: &str, cause: &io::Error) -> Failure {
        os_failure(&format!("cannot {verb} a file in {}", self.folder.path.display()), cause)
    }

    fn create(&mut self) -> io::Result<()> {
        for (number, name) in (0..).zip(self.folder.names.iter().take_while(|_| !ending())) {
            let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(name)?;
            if !self.content.is_empty() {
                number_content(&mut self.content, self.made + number);
                file.write_all(&self.content)?;
            }
            self.handled += 1;
        }
        Ok(())
    }

    fn present(&self) -> Result<usize, Failure> {
        let found = std::fs::read_dir(&self.folder.path).map_err(|cause| self.failed("find", &cause))?;
        Ok(found.count())
    }
}

/// Give a file's content its number: no two files are equal, as far as that fits.
#[inline]
fn number_content(content: &mut [u8], number: u64) {
    let length = content.len().min(8);
    content[..length].copy_from_slice(&number.to_le_bytes()[..length]);
}

/// Bonnie's names: a number and up to twelve letters, the letters first where the order is to be random.
fn name(number: usize, random: bool, letters: &mut Random) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let many = letters.below(13);
    let letter = |_| {
        let place = usize::try_from(letters.below(LETTERS.len() as u64)).unwrap_or(0);
        char::from(LETTERS[place])
    };
    let word: String = (0..many).map(letter).collect();
    if random {
        format!("{word}{number:07}")
    } else {
        format!("{number:07}{word}")
    }
}

impl Worker for Names {
    fn calibrated(&self) -> bool {
        false
    }

    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.folder.clear();
        self.made += self.config.files as u64;
        if self.config.op != NameOp::Create {
            self.create().map_err(|cause| self.failed("make", &cause))?;
        }
        self.handled = 0;
        Ok(())
    }

    fn run(&mut self, _repeats: u64) -> Result<Stretch, Failure> {
        let (mut told, mut handled) = (0, 0);
        let stretch = timed(self.config.files as u64, || match self.config.op {
            NameOp::Create => self.create(),
            NameOp::Stat => self.folder.names.iter().try_for_each(|name| {
                told += std::fs::metadata(name)?.len();
                handled += 1;
                Ok(())
            }),
            NameOp::Delete => self.folder.names.iter().try_for_each(|name| {
                handled += 1;
                std::fs::remove_file(name)
            }),
        });
        self.handled += handled;
        self.counted = stretch.as_ref().map_or(0, |stretch| stretch.work);
        let verb = match self.config.op {
            NameOp::Create => "make",
            NameOp::Stat => "find",
            NameOp::Delete => "remove",
        };
        self.told = told;
        stretch.map_err(|cause| self.failed(verb, &cause))
    }

    /// Count what is there, and compare the sizes.
    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let files = self.config.files;
        let shown = self.folder.path.display().to_string();
        let wrong = |what: String| Err(check_failed(format!("{shown} has {what}")));
        if (self.handled, self.counted) != (files as u64, files as u64) {
            return wrong(format!("{} of {files} files handled, which count as {}", self.handled, self.counted));
        }
        let (found, wanted) = (self.present()?, if self.config.op == NameOp::Delete { 0 } else { files });
        if found != wanted {
            return wrong(format!("{found} files instead of {wanted}"));
        }
        if self.config.op == NameOp::Stat && self.told != (files * self.config.size) as u64 {
            return wrong(format!("files of {} bytes instead of {}", self.told, files * self.config.size));
        }
        if self.config.op == NameOp::Create {
            for (number, name) in (0..).zip(&self.folder.names).step_by((files / 16).max(1)) {
                number_content(&mut self.content, self.made + number);
                if std::fs::read(name).map_err(|cause| self.failed("read", &cause))? != self.content {
                    return wrong(format!("other content than was written in {}", name.display()));
                }
            }
        }
        Ok(CheckValue::Count(files as u64))
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.folder.clear();
        Ok(CheckValue::Count(self.config.files as u64))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_are_used_in_the_order_of_their_names_which_is_that_of_their_numbers_or_not() {
        for random in [false, true] {
            let outer = tempfile::tempdir().unwrap();
            let folder = outer.path().join("many").to_str().unwrap().to_owned();
            let config = Config { folder, op: NameOp::Stat, random, files: 300, size: 0, seed: 1 };
            let names = Names::new(&config, 0).unwrap();
            let names: Vec<String> =
                names.folder.names.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
            assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{names:?}");
            let number = |name: &String| if random { name[name.len() - 7..].to_owned() } else { name[..7].to_owned() };
            let rises = names.windows(2).filter(|pair| number(&pair[0]) < number(&pair[1])).count();
            // At random half of them do.
            assert!(if random { (100..200).contains(&rises) } else { rises == 299 }, "{random}: {rises}");
        }
    }

    #[test]
    fn names_are_all_different_and_sort_by_their_number_or_not() {
        for random in [false, true] {
            let mut letters = Random::new(1);
            let names: Vec<String> = (0..1000).map(|number| name(number, random, &mut letters)).collect();
            let mut sorted = names.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 1000);
            assert_eq!(sorted == names, !random);
        }
    }
}
