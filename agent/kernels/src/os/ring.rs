//! Processes that pass a token through pipes: context switches and round trips.

use super::child::{cannot_fork, Child, Parent};
use super::Pinning;
use crate::buffer::Buffer;
use crate::settings::check_failed;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::{read, write, Errno};
use rustix::pipe::{pipe_with, PipeFlags};
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{os_failure, timed, CheckValue, Stretch, Worker};

/// Converts what the settings have limited.
pub(super) fn length(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// A ring of processes, of which the agent's own is one. Whoever has the token touches its memory, adds one to
/// the token and passes it on, so that the token counts the switches.
pub(super) struct Ring {
    processes: usize,
    memory: Option<Buffer>,
    pinning: Pinning,
    links: Option<Links>,
    token: u64,
    expected: u64,
    // Last: the children go before the right to reap them does.
    _parent: Parent,
}

/// The agent's own ends of the ring and the other processes.
struct Links {
    to_next: OwnedFd,
    from_last: OwnedFd,
    _children: Vec<Child>,
}

fn no_pipe(errno: Errno) -> Failure {
    os_failure("cannot make a pipe", &errno.into())
}

fn broken() -> Failure {
    Failure::new(Code::Internal, "a process of the ring ended")
}

/// A token is written and read as a whole: it is far smaller than a pipe.
fn pass(fd: BorrowedFd<'_>, token: &[u8]) -> Result<(), Errno> {
    loop {
        match write(fd, token) {
            Err(Errno::INTR) => {}
            other => return other.map(drop),
        }
    }
}

/// False at the end of the pipe.
fn take(fd: BorrowedFd<'_>, token: &mut [u8]) -> Result<bool, Errno> {
    loop {
        match read(fd, &mut *token) {
            Err(Errno::INTR) => {}
            other => return other.map(|length| length == token.len()),
        }
    }
}

/// Read one word of every cache line, so that the memory has to be in the processor's cache.
fn touch(memory: Option<&Buffer>) -> u64 {
    memory.map_or(0, |memory| memory.bytes().iter().step_by(64).map(|byte| u64::from(*byte)).sum())
}

impl Ring {
    pub(super) fn new(processes: usize, size: usize, pinning: Pinning) -> Result<Self, Failure> {
        let parent = Parent::new();
        let memory = touched(size)?;
        let mut ring = Ring { processes, memory, pinning, links: None, token: 0, expected: 0, _parent: parent };
        ring.links = Some(ring.link()?);
        Ok(ring)
    }

    /// Start the other processes: number i reads pipe i and writes pipe i + 1, the last writes pipe 0.
    fn link(&self) -> Result<Links, Failure> {
        let (from_last, to_first) = pipe_with(PipeFlags::CLOEXEC).map_err(no_pipe)?;
        let (mut input, to_next) = pipe_with(PipeFlags::CLOEXEC).map_err(no_pipe)?;
        let mut children = Vec::with_capacity(self.processes - 1);
        let mut to_first = Some(to_first);
        for number in 1..self.processes {
            let (next_input, output) = if number + 1 < self.processes {
                let (read, write) = pipe_with(PipeFlags::CLOEXEC).map_err(no_pipe)?;
                (Some(read), write)
            } else {
                (None, to_first.take().ok_or_else(broken)?)
            };
            let size = self.memory.as_ref().map_or(0, |memory| memory.bytes().len());
            let not_mine = [Some(&to_next), Some(&from_last), to_first.as_ref(), next_input.as_ref()];
            let child = Child::fork(|| {
                not_mine.iter().flatten().for_each(|fd| super::child::close(fd));
                member(input.as_fd(), output.as_fd(), size)
            });
            children.push(child.map_err(|cause| cannot_fork(&cause))?);
            match next_input {
                Some(next) => input = next,
                None => break,
            }
        }
        Ok(Links { to_next, from_last, _children: children })
    }
}

/// Memory of the calling process's own, touched once; none for size 0.
fn touched(size: usize) -> Result<Option<Buffer>, Failure> {
    if size == 0 {
        return Ok(None);
    }
    let mut memory = Buffer::new(size)?;
    memory.bytes_mut().fill(0);
    Ok(Some(memory))
}

/// Life of another process of the ring.
fn member(input: BorrowedFd<'_>, output: BorrowedFd<'_>, size: usize) -> i32 {
    let mut token = [0; 8];
    // Its own: what it inherits from the agent is the same memory as long as nobody writes to it.
    let memory = match touched(size) {
        Ok(memory) => memory,
        Err(_) => return 1,
    };
    while let Ok(true) = take(input, &mut token) {
        let next = u64::from_le_bytes(token) + 1 + touch(memory.as_ref());
        if pass(output, &next.to_le_bytes()).is_err() {
            return 1;
        }
    }
    0
}

impl Worker for Ring {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let links = self.links.as_ref().ok_or_else(broken)?;
        let (output, input) = (links.to_next.as_fd(), links.from_last.as_fd());
        let memory = self.memory.as_ref();
        let mut token = self.token;
        let switches = repeats * self.processes as u64;
        let stretch = timed(switches, || {
            for _ in 0..repeats {
                let mut bytes = (token + 1 + touch(memory)).to_le_bytes();
                pass(output, &bytes).map_err(|_| broken())?;
                if !take(input, &mut bytes).map_err(|_| broken())? {
                    return Err(broken());
                }
                token = u64::from_le_bytes(bytes);
            }
            Ok(())
        });
        self.token = token;
        self.expected += switches;
        stretch
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        if self.token != self.expected {
            return Err(check_failed(format!("the token counted {} switches, not {}", self.token, self.expected)));
        }
        Ok(CheckValue::Count(self.token))
    }

    /// New processes: the processor time that the old ones used for calibration is not the window's.
    fn settle(&mut self) -> Result<(), Failure> {
        self.links = None;
        self.links = Some(self.link()?);
        self.token = 0;
        self.expected = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.pinning.conditions()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.links = None;
        Ok(CheckValue::Count(self.token))
    }
}

/// Two processes and one byte that goes to and fro.
pub(super) struct RoundTrip {
    pinning: Pinning,
    links: Option<Links>,
    byte: u8,
    trips: u64,
    all: u64,
    _parent: Parent,
}

impl RoundTrip {
    pub(super) fn new(pinning: Pinning) -> Result<Self, Failure> {
        let parent = Parent::new();
        Ok(RoundTrip { pinning, links: Some(Self::link()?), byte: 0, trips: 0, all: 0, _parent: parent })
    }

    fn link() -> Result<Links, Failure> {
        let (from_last, output) = pipe_with(PipeFlags::CLOEXEC).map_err(no_pipe)?;
        let (input, to_next) = pipe_with(PipeFlags::CLOEXEC).map_err(no_pipe)?;
        let child = Child::fork(|| {
            super::child::close(&to_next);
            super::child::close(&from_last);
            let mut byte = [0];
            while let Ok(true) = take(input.as_fd(), &mut byte) {
                if pass(output.as_fd(), &[byte[0].wrapping_add(1)]).is_err() {
                    return 1;
                }
            }
            0
        });
        let children = vec![child.map_err(|cause| cannot_fork(&cause))?];
        Ok(Links { to_next, from_last, _children: children })
    }
}

impl Worker for RoundTrip {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let links = self.links.as_ref().ok_or_else(broken)?;
        let (output, input) = (links.to_next.as_fd(), links.from_last.as_fd());
        let mut byte = [self.byte];
        let stretch = timed(repeats, || {
            for _ in 0..repeats {
                pass(output, &byte).map_err(|_| broken())?;
                if !take(input, &mut byte).map_err(|_| broken())? {
                    return Err(broken());
                }
            }
            Ok(())
        });
        self.byte = byte[0];
        self.trips += repeats;
        stretch
    }

    fn after(&mut self) -> Result<CheckValue, Failure> {
        // The other process adds one on each trip; a byte can hold the count modulo 256.
        if u64::from(self.byte) != self.trips % 256 {
            return Err(check_failed(format!("the byte is {} after {} round trips", self.byte, self.trips)));
        }
        self.all = self.trips;
        Ok(CheckValue::Count(self.trips))
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.links = None;
        self.links = Some(Self::link()?);
        self.byte = 0;
        self.trips = 0;
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.pinning.conditions()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.links = None;
        Ok(CheckValue::Count(self.all))
    }
}

#[cfg(test)]
impl Ring {
    /// Let the token lose a switch.
    pub(super) fn spoil(&mut self) {
        self.token -= 1;
    }
}

#[cfg(test)]
impl RoundTrip {
    /// Let the byte be another one.
    pub(super) fn spoil(&mut self) {
        self.byte = self.byte.wrapping_add(1);
    }
}
