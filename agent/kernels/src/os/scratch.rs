//! A file to work on that has no name, so that nothing of it is left whatever happens to the agent.

use crate::pattern;
use crate::settings::Settings;
use rustix::fd::OwnedFd;
use rustix::fs::{fstat, memfd_create, open, unlink, MemfdFlags, Mode, OFlags};
use rustix::io::{pwrite, Errno};
use std::sync::atomic::{AtomicU32, Ordering};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::os_failure;

/// Bytes written at once.
const BLOCK: usize = 64 << 10;

/// Where the file is made in the absence of `memfd_create` (Linux before 3.17).
const FOLDERS: &[&str] = &["/dev/shm", "/tmp", "/"];

/// A file without a name.
pub(super) struct Scratch {
    pub(super) file: OwnedFd,
    place: String,
}

/// The folder that the settings name, to be kept by what builds the workers.
pub(super) fn directory(settings: &Settings<'_>) -> Result<Option<String>, Failure> {
    Ok(settings.optional_text("directory")?.map(str::to_owned))
}

impl Scratch {
    /// An empty file in `directory`; without one, in memory.
    pub(super) fn new(directory: Option<&str>) -> Result<Self, Failure> {
        if let Some(folder) = directory {
            let file = nameless(folder)
                .map_err(|errno| os_failure(&format!("cannot make a file in {folder}"), &errno.into()))?;
            return Ok(Scratch { file, place: folder.to_owned() });
        }
        if let Ok(file) = memfd_create("virtometer", MemfdFlags::CLOEXEC) {
            return Ok(Scratch { file, place: "memory".to_owned() });
        }
        FOLDERS
            .iter()
            .find_map(|folder| Some(Scratch { file: nameless(folder).ok()?, place: (*folder).to_owned() }))
            .ok_or_else(|| {
                Failure::new(
                    Code::NotSupported,
                    "no file can be made here: there is neither memfd_create nor a folder to write to",
                )
            })
    }

    /// A file of `bytes` (a multiple of 8) that holds the pattern of the disk's file.
    pub(super) fn filled(directory: Option<&str>, bytes: u64) -> Result<Self, Failure> {
        let scratch = Scratch::new(directory)?;
        let mut block = vec![0; BLOCK];
        let mut offset = 0;
        while offset < bytes {
            let length = usize::try_from(bytes - offset).unwrap_or(BLOCK).min(BLOCK);
            pattern::fill(&mut block[..length], offset);
            scratch.write(&block[..length], offset)?;
            offset += length as u64;
        }
        Ok(scratch)
    }

    /// Its length as the system has it; 0 where it does not say.
    pub(super) fn bytes(&self) -> u64 {
        fstat(&self.file).map_or(0, |found| u64::try_from(found.st_size).unwrap_or(0))
    }

    /// Write the whole of `block` at `offset`.
    pub(super) fn write(&self, block: &[u8], offset: u64) -> Result<(), Failure> {
        let failed = |errno: Errno| os_failure(&format!("cannot write the file in {}", self.place), &errno.into());
        let mut done = 0;
        while done < block.len() {
            match pwrite(&self.file, &block[done..], offset + done as u64) {
                Ok(0) => return Err(failed(Errno::NOSPC)),
                Ok(written) => done += written,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
        Ok(())
    }

    pub(super) fn conditions(&self, conditions: &mut Conditions) {
        conditions.insert("file".into(), self.place.clone());
    }
}

/// Make a file without a name, or take its name away at once where that cannot be: `O_TMPFILE` came with Linux 3.11 and
/// is not known to every file system.
fn nameless(folder: &str) -> Result<OwnedFd, Errno> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let (flags, mode) = (OFlags::RDWR | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR);
    if let Ok(file) = open(folder, flags | OFlags::TMPFILE, mode) {
        return Ok(file);
    }
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = format!("{folder}/.virtometer-{}-{number}", std::process::id());
        match open(path.as_str(), flags | OFlags::CREATE | OFlags::EXCL, mode) {
            // Of an agent with the same number in another process namespace.
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
            Ok(file) => return unlink(path.as_str()).map(|()| file),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use rustix::io::pread;

    #[test]
    fn a_file_has_content_and_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        for directory in [None, Some(path)] {
            let scratch = Scratch::filled(directory, 100_000).unwrap();
            let mut bytes = vec![0; 100_001];
            assert_eq!(pread(&scratch.file, &mut bytes, 0), Ok(100_000));
            assert_eq!(pattern::first_fault(&bytes[..100_000], 0), None);
            assert_eq!(std::fs::read_dir(path).unwrap().count(), 0);
        }
        let failure = Scratch::new(Some("/nonexistent")).map(drop).unwrap_err();
        assert_eq!(failure.code, Code::NotFound);
        assert_eq!(failure.message, "cannot make a file in /nonexistent: No such file or directory");
    }
}
