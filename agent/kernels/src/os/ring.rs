//! Processes that pass a token round through pipes.

#![allow(unsafe_code)] // forked children

use super::child::{cannot_fork, Child, Parent};
use super::link::{broken, pass, pipe, take};
use super::operation::{each_takes, Operation};
use super::pinning::Pinning;
use crate::buffer::Buffer;
use crate::settings::check_failed;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use virtometer_protocol::Failure;

/// A ring of processes, of which the agent's own is one. Whoever has the token touches its memory, adds one and the sum
/// of what it read to the token and passes it on, so that the token counts the switches and shows that all memory was
/// read.
pub(super) struct Ring {
    processes: usize,
    memory: Option<Buffer>,
    pinning: Pinning,
    links: Option<Links>,
    /// Seconds of one pass without a switch.
    overhead: f64,
    token: u64,
    before: u64,
    /// Sum of what one process reads when it has the token.
    read: u64,
    rounds: u64,
    // Last: the children go before the right to reap them does.
    _parent: Parent,
}

/// The agent's own ends of the ring and the other processes.
struct Links {
    to_next: OwnedFd,
    from_last: OwnedFd,
    _children: Vec<Child>,
}

/// Bytes of a cache line.
const LINE: usize = 64;

/// Read one byte of every cache line, so that the memory has to be in the processor's cache.
fn touch(memory: Option<&Buffer>) -> u64 {
    memory.map_or(0, |memory| memory.bytes().iter().step_by(LINE).map(|byte| u64::from(*byte)).sum())
}

/// One turn: touch the memory, count and write.
#[inline]
fn turn(output: BorrowedFd<'_>, token: u64, memory: Option<&Buffer>) -> Result<(), Errno> {
    pass(output, &token.wrapping_add(1).wrapping_add(touch(memory)).to_le_bytes())
}

/// Wait for the token. `None` where it does not come any more.
#[inline]
fn wait(input: BorrowedFd<'_>) -> Option<u64> {
    let mut token = [0; 8];
    matches!(take(input, &mut token), Ok(true)).then(|| u64::from_le_bytes(token))
}

impl Ring {
    pub(super) fn new(processes: usize, size: usize, pinning: &Pinning) -> Result<Self, Failure> {
        let parent = Parent::new();
        let memory = touched(size)?;
        let (overhead, token, before) = (0.0, 0, 0);
        let pinning = pinning.clone();
        // Found out from the pattern, not from the memory.
        let read = (0..size).step_by(LINE).map(|at| u64::from(content(at))).sum();
        let (links, rounds) = (None, 0);
        let mut ring =
            Ring { processes, memory, pinning, links, overhead, token, before, read, rounds, _parent: parent };
        ring.links = Some(ring.link()?);
        Ok(ring)
    }

    /// Start the other processes: number i reads pipe i and writes pipe i + 1, the last writes pipe 0.
    fn link(&self) -> Result<Links, Failure> {
        let (from_last, to_first) = pipe()?;
        let (mut input, to_next) = pipe()?;
        let mut children = Vec::with_capacity(self.processes - 1);
        let mut to_first = Some(to_first);
        for number in 1..self.processes {
            let (next_input, output) = if number + 1 < self.processes {
                let (read, write) = pipe()?;
                (Some(read), write)
            } else {
                (None, to_first.take().ok_or_else(broken)?)
            };
            // Its own: what it inherits from the agent is the same memory as long as nobody writes to it. Mapped here,
            // because a child may not fail to do so, and touched there.
            let mut memory = self.memory.as_ref().map(|memory| Buffer::new(memory.bytes().len())).transpose()?;
            let not_mine = [Some(&to_next), Some(&from_last), to_first.as_ref(), next_input.as_ref()];
            let body = || {
                // SAFETY: the child has no use for these.
                not_mine.iter().flatten().for_each(|fd| unsafe { super::child::close(fd) });
                if !self.pinning.place(number) {
                    return 1;
                }
                if let Some(memory) = &mut memory {
                    fill(memory);
                }
                member(input.as_fd(), output.as_fd(), memory.as_ref())
            };
            // SAFETY: closing, placing and passing the token on are system calls; the memory is mapped.
            let child = unsafe { Child::fork(body) };
            children.push(child.map_err(|cause| cannot_fork(&cause))?);
            match next_input {
                Some(next) => input = next,
                None => break,
            }
        }
        Ok(Links { to_next, from_last, _children: children })
    }

    /// The same work in one process: as many pipes, through which it passes the token to itself.
    fn alone(&self) -> Result<f64, Failure> {
        let pipes: Vec<_> = (0..self.processes).map(|_| pipe()).collect::<Result<_, _>>()?;
        let memory = self.memory.as_ref();
        let mut token = 0;
        each_takes(pipes.len() as u64, || {
            for (input, output) in &pipes {
                turn(output.as_fd(), token, memory).map_err(|_| broken())?;
                token = wait(input.as_fd()).ok_or_else(broken)?;
            }
            Ok(())
        })
    }
}

/// What stands at a place of every process's memory: 1 to 251.
fn content(at: usize) -> u8 {
    u8::try_from(at / LINE % 251).unwrap_or(0) + 1
}

/// Memory of the calling process's own, touched once; none for size 0.
fn touched(size: usize) -> Result<Option<Buffer>, Failure> {
    if size == 0 {
        return Ok(None);
    }
    let mut memory = Buffer::new(size)?;
    fill(&mut memory);
    Ok(Some(memory))
}

fn fill(memory: &mut Buffer) {
    for (at, byte) in memory.bytes_mut().iter_mut().enumerate() {
        *byte = content(at);
    }
}

/// Life of another process of the ring, which has touched its memory.
fn member(input: BorrowedFd<'_>, output: BorrowedFd<'_>, memory: Option<&Buffer>) -> i32 {
    while let Some(token) = wait(input) {
        if turn(output, token, memory).is_err() {
            return 1;
        }
    }
    0
}

impl Operation for Ring {
    fn work(&self) -> u64 {
        self.processes as u64
    }

    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        (self.before, self.rounds) = (self.token, repeats);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let links = self.links.as_ref().ok_or_else(broken)?;
        let memory = self.memory.as_ref();
        for _ in 0..repeats {
            turn(links.to_next.as_fd(), self.token, memory).map_err(|_| broken())?;
            self.token = wait(links.from_last.as_fd()).ok_or_else(broken)?;
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        let moved = self.token.wrapping_sub(self.before);
        let read = self.rounds.wrapping_mul(self.processes as u64).wrapping_mul(self.read);
        // A token that lost a switch is a little short of it; one of processes that read nothing is far below.
        if moved < read / 2 {
            return Err(check_failed("the processes have not read all of their memory"));
        }
        Ok(moved.wrapping_sub(read))
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        self.links.as_ref().map_or_else(Vec::new, |links| vec![links.from_last.as_fd(), links.to_next.as_fd()])
    }

    fn bytes(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.bytes().len() as u64)
    }

    /// New processes: the processor time that the old ones used for calibration is not the window's.
    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.links = None;
        self.overhead = self.alone()?;
        self.links = Some(self.link()?);
        Ok(())
    }

    fn finish(&mut self) {
        self.links = None;
    }

    fn overhead(&self) -> Option<f64> {
        Some(self.overhead)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn round(ring: &mut Ring, repeats: u64) -> Result<u64, Failure> {
        ring.setup(repeats)?;
        ring.repeat(repeats)?;
        ring.counted()
    }

    #[test]
    fn the_token_counts_the_switches_and_tells_when_one_is_lost() {
        for (processes, size) in [(2, 0), (3, 4096), (16, 65_536)] {
            let mut ring = Ring::new(processes, size, &Pinning::as_it_is()).unwrap();
            assert_eq!(round(&mut ring, 5), Ok(5 * processes as u64));
            ring.reset_after_calibration().unwrap();
            assert!(ring.overhead().unwrap() > 0.0);
            assert_eq!(round(&mut ring, 1), Ok(processes as u64));
            // The token is another one on its way through the first process.
            ring.setup(1).unwrap();
            ring.token -= 1;
            ring.repeat(1).unwrap();
            assert_eq!(ring.counted(), Ok(processes as u64 - 1));
        }
    }

    #[test]
    fn what_stands_in_the_memory_is_what_counts() {
        let mut ring = Ring::new(2, 4096, &Pinning::as_it_is()).unwrap();
        assert_eq!(round(&mut ring, 10), Ok(20));
        // One more in a line of the agent's own memory, which has the token ten times.
        ring.memory.as_mut().unwrap().bytes_mut()[LINE] += 1;
        assert_eq!(round(&mut ring, 10), Ok(30));
    }

    #[test]
    fn memory_that_was_not_read_is_reported() {
        for size in [1, 64, 65, 65_536] {
            let mut ring = Ring::new(2, size, &Pinning::as_it_is()).unwrap();
            assert_eq!(round(&mut ring, 10), Ok(20), "{size}");
            // The agent's own part is left out.
            ring.memory = None;
            assert_ne!(round(&mut ring, 10), Ok(20), "{size}");
            let mut ring = Ring::new(2, 0, &Pinning::as_it_is()).unwrap();
            ring.read = (0..size).step_by(LINE).map(|at| u64::from(content(at))).sum();
            assert_ne!(round(&mut ring, 10), Ok(20), "{size}");
        }
    }
}
