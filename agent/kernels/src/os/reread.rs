//! Reading a file that is in memory.

use super::file_mapping::FileMapping;
use super::operation::Operation;
use super::scratch::Scratch;
use super::sum::sum;
use crate::buffer::{ensure_memory, Buffer};
use crate::settings::{check_failed, wrong, Settings};
use crate::simd::Simd;
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{fstat, open, seek, FileType, Mode, OFlags, SeekFrom};
use rustix::io::{read, Errno};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::os_failure;

/// How the file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadMethod {
    /// Read block by block from an open file.
    IoOnly,
    /// Open, read block by block and close.
    OpenToClose,
    /// Add up a mapping of the file.
    Mapped,
}

impl ReadMethod {
    pub(super) fn read(settings: &Settings<'_>) -> Result<Self, Failure> {
        settings.choice(
            "way",
            &[
                ("io-only", ReadMethod::IoOnly),
                ("open-to-close", ReadMethod::OpenToClose),
                ("mmap", ReadMethod::Mapped),
            ],
        )
    }
}

/// The checked settings.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) method: ReadMethod,
    /// Bytes of the file that are read, a multiple of 8.
    pub(super) size: usize,
    /// Bytes of one read.
    pub(super) block: usize,
    /// Add up every block that was read.
    pub(super) sum: bool,
    /// A file of the user's.
    pub(super) file: Option<String>,
    pub(super) directory: Option<String>,
}

/// Reads a file from its beginning to its end. It has been read before.
pub(super) struct Reread {
    config: Config,
    file: OwnedFd,
    place: String,
    simd: Simd,
    buffer: Buffer,
    mapping: Option<FileMapping>,
    /// Sum of the file's words, and the bytes that the last read gave.
    right_sum: u64,
    last: Vec<u8>,
    sum: u64,
    bytes: u64,
    passes: u64,
    /// Whether the system counts what a thread reads, and what it had counted before the passes.
    witness: bool,
    before: Option<Count>,
}

impl Reread {
    pub(super) fn new(config: Config) -> Result<Self, Failure> {
        ensure_memory(config.size as u64, "the pages of the file")?;
        let (file, place) = match &config.file {
            Some(path) => (existing(path, config.size)?, path.clone()),
            None => {
                let scratch = Scratch::filled(config.directory.as_deref(), config.size as u64)?;
                let mut conditions = Conditions::new();
                scratch.conditions(&mut conditions);
                (scratch.file, conditions.remove("file").unwrap_or_default())
            }
        };
        let mapping = match config.method {
            ReadMethod::Mapped => Some(FileMapping::new(&file, config.size).map_err(|errno| cannot("map", errno))?),
            _ => None,
        };
        let buffer = Buffer::new(config.block.min(config.size))?;
        let simd = Simd::detect();
        let mut reread = Reread {
            config,
            file,
            place,
            simd,
            buffer,
            mapping,
            right_sum: 0,
            last: Vec::new(),
            sum: 0,
            bytes: 0,
            passes: 0,
            witness: false,
            before: None,
        };
        // The first pass brings the file into memory and tells what the others must find.
        let before = Count::now();
        reread.right_sum = reread.learn()?;
        // Not every system counts, and not every one that does counts right.
        let counted = before.and_then(|before| before.since());
        reread.witness = counted.is_some_and(|(read, calls)| read == reread.config.size as u64 && calls > 0);
        if reread.config.method == ReadMethod::OpenToClose {
            seek(&reread.file, SeekFrom::Start(0)).map_err(|errno| cannot("seek in", errno))?;
            reread.reopen().map_err(|errno| {
                let failure = cannot("open", errno);
                Failure::new(Code::NotSupported, format!("{}; is /proc mounted?", failure.message))
            })?;
        }
        Ok(reread)
    }

    fn learn(&mut self) -> Result<u64, Failure> {
        let Reread { file, buffer, config, simd, .. } = self;
        let mut last = 0;
        let mut total = 0u64;
        let read = blocks(file, config.size, buffer, |block| {
            last = block.len();
            total = total.wrapping_add(sum(*simd, block));
        });
        if read.map_err(|errno| cannot("read", errno))? != config.size as u64 {
            return Err(check_failed(format!(
                "the file {} has become shorter than {} bytes",
                self.place, self.config.size
            )));
        }
        self.last = self.buffer.bytes()[..last].to_owned();
        Ok(total)
    }

    fn reopen(&self) -> Result<OwnedFd, Errno> {
        let path = match &self.config.file {
            Some(path) => path.clone(),
            None => format!("/proc/self/fd/{}", self.file.as_raw_fd()),
        };
        open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    }
}

fn cannot(what: &str, errno: Errno) -> Failure {
    os_failure(&format!("cannot {what} the file"), &errno.into())
}

/// Bytes that the calling thread has read until now, as the system counts them (Linux 3.17 and later).
#[derive(Clone, Copy, Debug)]
struct Count {
    read: u64,
    /// Calls of read.
    calls: u64,
    /// Bytes of the text that says so, which count from now on.
    own: u64,
}

impl Count {
    fn now() -> Option<Self> {
        let text = std::fs::read_to_string("/proc/thread-self/io").ok()?;
        let number = |name: &str| text.lines().find_map(|line| line.strip_prefix(name))?.trim().parse().ok();
        Some(Count { read: number("rchar:")?, calls: number("syscr:")?, own: text.len() as u64 })
    }

    /// Bytes read since, and calls of read: at least so many, because reading the text is some of them.
    fn since(&self) -> Option<(u64, u64)> {
        let now = Count::now()?;
        let read = now.read.wrapping_sub(self.read).wrapping_sub(self.own);
        Some((read, now.calls.wrapping_sub(self.calls)))
    }
}

/// A regular file of `size` bytes or more, opened for reading.
fn existing(path: &str, size: usize) -> Result<OwnedFd, Failure> {
    let cannot = |errno: Errno| os_failure(&format!("cannot open {path}"), &errno.into());
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = open(path, flags, Mode::empty()).map_err(cannot)?;
    let found = fstat(&file).map_err(cannot)?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(wrong(format!("{path} is not a regular file")));
    }
    let bytes = u64::try_from(found.st_size).unwrap_or(0);
    if bytes < size as u64 {
        return Err(wrong(format!("{path} has {bytes} bytes, fewer than the {size} that are to be read")));
    }
    Ok(file)
}

/// Read `size` bytes from the beginning in blocks as large as the buffer; `look` gets each of them. Gives the bytes
/// read, fewer where the file ends before.
#[inline]
fn blocks(file: &OwnedFd, size: usize, buffer: &mut Buffer, mut look: impl FnMut(&[u8])) -> Result<u64, Errno> {
    seek(file, SeekFrom::Start(0))?;
    let mut done = 0;
    while done < size {
        let whole = buffer.bytes_mut();
        let length = whole.len().min(size - done);
        let block = &mut whole[..length];
        match read(file, &mut *block) {
            Ok(0) => break,
            Ok(length) => {
                look(&block[..length]);
                done += length;
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(done as u64)
}

impl Operation for Reread {
    fn work(&self) -> u64 {
        self.config.size as u64
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.passes = repeats;
        self.bytes = 0;
        self.sum = 0;
        self.buffer.bytes_mut().fill(0);
        // A mapping is not read but added up.
        self.before = if self.witness && self.mapping.is_none() { Count::now() } else { None };
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        for _ in 0..repeats {
            if let Some(mapping) = &self.mapping {
                self.sum = self.sum.wrapping_add(mapping.sum(self.simd));
                self.bytes += mapping.bytes() as u64;
                continue;
            }
            let opened = match self.config.method {
                ReadMethod::OpenToClose => Some(self.reopen().map_err(|errno| cannot("open", errno))?),
                _ => None,
            };
            let Reread { config, buffer, simd, .. } = self;
            let file = opened.as_ref().unwrap_or(&self.file);
            let mut total = self.sum;
            let read = if config.sum {
                blocks(file, config.size, buffer, |block| total = total.wrapping_add(sum(*simd, block)))
            } else {
                blocks(file, config.size, buffer, |_| ())
            };
            self.bytes += read.map_err(|errno| cannot("read", errno))?;
            self.sum = total;
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        if self.mapping.as_ref().is_some_and(FileMapping::lacks_pages) {
            return Err(check_failed(format!("the file {} became shorter while it was read", self.place)));
        }
        if self.bytes < self.passes * self.config.size as u64 {
            return Err(check_failed(format!("the file {} became shorter while it was read", self.place)));
        }
        let summed = self.config.sum || self.mapping.is_some();
        if summed && self.sum != self.right_sum.wrapping_mul(self.passes) {
            return Err(check_failed(format!("{} passes over the file found another sum than the first", self.passes)));
        }
        if self.mapping.is_none() && self.buffer.bytes()[..self.last.len()] != self.last {
            return Err(check_failed("the end of the file is another than it was at first"));
        }
        // Each pass has a position of its own; that of this descriptor stands where it stood.
        if self.config.method == ReadMethod::OpenToClose && seek(&self.file, SeekFrom::Current(0)) != Ok(0) {
            return Err(check_failed("the file was read without opening it"));
        }
        // Reading once and counting often would look right in every other way.
        if let Some((read, calls)) = self.before.take().and_then(|before| before.since()) {
            if read != self.bytes {
                let message = format!("the system counted {read} bytes that were read, not {}", self.bytes);
                return Err(check_failed(message));
            }
            let block = self.config.block.min(self.config.size);
            let least = self.passes * self.config.size.div_ceil(block) as u64;
            if calls < least {
                return Err(check_failed(format!("the system counted {calls} reads of a block, not {least}")));
            }
        }
        Ok(self.bytes)
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        vec![self.file.as_fd()]
    }

    fn conditions(&self, conditions: &mut Conditions) {
        conditions.insert("file".into(), self.place.clone());
        if self.config.sum || self.mapping.is_some() {
            conditions.insert("simd".into(), self.simd.name().into());
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pattern;
    use rustix::fs::ftruncate;
    use rustix::io::pwrite;

    fn config(method: ReadMethod, sum: bool) -> Config {
        Config { method, size: 100_000, block: 4096, sum, file: None, directory: None }
    }

    const ALL: [(ReadMethod, bool); 5] = [
        (ReadMethod::IoOnly, false),
        (ReadMethod::IoOnly, true),
        (ReadMethod::OpenToClose, false),
        (ReadMethod::OpenToClose, true),
        (ReadMethod::Mapped, false),
    ];

    fn outcome(reread: &mut Reread) -> Result<u64, Failure> {
        reread.setup(3)?;
        reread.repeat(3)?;
        reread.counted()
    }

    #[test]
    fn passes_find_what_is_in_the_file() {
        for (method, sum) in ALL {
            let mut reread = Reread::new(config(method, sum)).unwrap();
            assert_eq!(reread.right_sum, (0..12_500).fold(0, |sum: u64, index| sum.wrapping_add(pattern::word(index))));
            assert_eq!(outcome(&mut reread), Ok(300_000), "{method:?}");
        }
    }

    #[test]
    fn the_system_counts_what_was_read() {
        for (method, sum) in [(ReadMethod::IoOnly, false), (ReadMethod::OpenToClose, true)] {
            let mut reread = Reread::new(config(method, sum)).unwrap();
            if !reread.witness {
                continue;
            }
            reread.setup(3).unwrap();
            reread.repeat(1).unwrap();
            // Three passes are counted, of which two were not made.
            reread.bytes = 300_000;
            reread.sum = reread.right_sum.wrapping_mul(3);
            let failure = reread.counted().unwrap_err();
            assert_eq!(failure.message, "the system counted 100000 bytes that were read, not 300000", "{method:?}");
        }
    }

    #[test]
    fn reads_of_more_than_a_block_are_reported() {
        let mut reread = Reread::new(config(ReadMethod::IoOnly, false)).unwrap();
        if reread.witness {
            reread.buffer = Buffer::new(100_000).unwrap();
            reread.last.clear();
            let failure = outcome(&mut reread).unwrap_err();
            assert!(failure.message.ends_with(" reads of a block, not 75"), "{failure}");
        }
    }

    #[test]
    fn a_file_that_is_not_opened_each_time_is_reported() {
        let mut reread = Reread::new(config(ReadMethod::OpenToClose, false)).unwrap();
        reread.setup(3).unwrap();
        reread.config.method = ReadMethod::IoOnly;
        reread.repeat(3).unwrap();
        reread.config.method = ReadMethod::OpenToClose;
        assert_eq!(reread.counted().unwrap_err().message, "the file was read without opening it");
    }

    #[test]
    fn a_file_that_changed_is_reported() {
        for (method, sum) in ALL {
            let mut reread = Reread::new(config(method, sum)).unwrap();
            pwrite(&reread.file, &[1], 99_999).unwrap();
            assert_eq!(outcome(&mut reread).unwrap_err().code, Code::CheckFailed, "{method:?}");
            // Pages beyond the end of a file cannot be read, and reads end there.
            for length in [50_000, 0] {
                ftruncate(&reread.file, length).unwrap();
                let failure = outcome(&mut reread).unwrap_err();
                assert_eq!(failure.code, Code::CheckFailed);
                assert!(failure.message.ends_with("became shorter while it was read"), "{method:?}: {failure}");
            }
        }
    }

    #[test]
    fn a_file_of_the_user_s_is_read_and_left_as_it_is() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().to_str().unwrap().to_owned();
        let refused = |path: &str| {
            let failure = Reread::new(Config { file: Some(path.into()), ..config(ReadMethod::IoOnly, false) })
                .map(drop)
                .unwrap_err();
            (failure.code, failure.message)
        };
        assert_eq!(refused("/dev/zero"), (Code::BadArguments, "/dev/zero is not a regular file".into()));
        assert_eq!(refused("/nonexistent").0, Code::NotFound);
        let sentence = format!("{path} has 0 bytes, fewer than the 100000 that are to be read");
        assert_eq!(refused(&path), (Code::BadArguments, sentence));
        let content = vec![3; 200_000];
        std::fs::write(&path, &content).unwrap();
        for (method, sum) in ALL {
            let mut reread = Reread::new(Config { file: Some(path.clone()), ..config(method, sum) }).unwrap();
            assert_eq!(outcome(&mut reread), Ok(300_000), "{method:?}");
        }
        assert!(std::fs::read(&path).unwrap() == content);
    }
}
