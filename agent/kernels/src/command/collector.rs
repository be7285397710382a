//! What a program prints, of any length: its digest and its end are kept.

use super::terminal::Terminal;
use rustix::event::{poll, PollFd, PollFlags};
use rustix::fs::{fcntl_setfl, OFlags};
use rustix::io::{ioctl_fionread, Errno};
use rustix::pipe::{pipe_with, PipeFlags};
use rustix::process::{Gid, Uid};
use sha2::{Digest, Sha256};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// Most bytes of output, as they stand in a message.
pub(super) const MOST_OUTPUT: usize = 48_000;

/// Bytes of the end that are kept.
pub(super) const KEPT: usize = 4 << 10;

/// Bytes that are read at once: as many as a pipe holds.
const BLOCK: usize = 64 << 10;

/// Most bytes that a pipe holds, unless somebody has changed the system's limit.
const MOST_IN_PIPE: usize = 1 << 20;

/// What a program printed.
pub(super) struct Printed {
    /// SHA-256 of its output.
    pub(super) digest: [u8; 32],
    /// The end of its output and of its errors.
    pub(super) ends: [Vec<u8>; 2],
    /// Whether more was printed than the ends.
    pub(super) cut: [bool; 2],
    /// Whether both went to one terminal, so that the ends are the same.
    pub(super) terminal: bool,
}

impl Printed {
    /// The end of its output and then that of its errors, as much as a message holds. Dots stand for what is missing.
    pub(super) fn text(&self) -> String {
        let mut most = self.ends.iter().map(Vec::len).max().unwrap_or(0);
        loop {
            let streams = if self.terminal { 1 } else { 2 };
            let text = self.ends.iter().zip(self.cut).take(streams).map(|(end, cut)| {
                let from = end.len().saturating_sub(most);
                let dots = if cut || from > 0 { "...\n" } else { "" };
                format!("{dots}{}", String::from_utf8_lossy(&end[from..]))
            });
            let text = text.collect::<String>();
            if serde_json::to_string(&text).is_ok_and(|json| json.len() <= MOST_OUTPUT) {
                return text;
            }
            most /= 2;
        }
    }
}

/// Reads the output and the errors of one program on a thread of its own.
pub(super) struct Collector {
    thread: JoinHandle<Printed>,
    /// Closed when the program has ended.
    _under_way: OwnedFd,
    /// Where the program prints to.
    output: OwnedFd,
    errors: OwnedFd,
}

impl Collector {
    /// Ready to read when this returns. `kept`: bytes of the ends.
    pub(super) fn begin(kept: usize) -> Result<Self, Failure> {
        let ((out, output), (err, errors)) = (pipe()?, pipe()?);
        Self::begin_at([out, err], output, errors, false, kept)
    }

    /// Of a program whose output and errors go to one terminal. What it shows is the output, and the errors too.
    pub(super) fn of_terminal(terminal: Terminal, kept: usize) -> Result<Self, Failure> {
        let Terminal { outside, inside } = terminal;
        let errors = inside.try_clone().map_err(|cause| failed(&cause))?;
        let (silent, _) = pipe()?;
        Self::begin_at([outside, silent], inside, errors, true, kept)
    }

    /// from: what is read. output, errors: where the program prints to.
    fn begin_at(
        from: [OwnedFd; 2],
        output: OwnedFd,
        errors: OwnedFd,
        terminal: bool,
        kept: usize,
    ) -> Result<Self, Failure> {
        let (ended, under_way) = pipe()?;
        let (tell, ready) = channel();
        let thread = std::thread::Builder::new()
            .name("collector".into())
            .spawn(move || {
                let mut block = vec![0; BLOCK];
                let _ = tell.send(());
                collect(from, &ended, &mut block, terminal, kept)
            })
            .map_err(|cause| failed(&cause))?;
        // A thread that is still being made would take the processor from the program.
        let _ = ready.recv();
        Ok(Collector { thread, _under_way: under_way, output, errors })
    }

    /// Let a user open them anew, as /dev/stdout. Where the system refuses that, the program can still print.
    pub(super) fn hand_to(&self, uid: u32, gid: u32) {
        for stream in [&self.output, &self.errors] {
            let _ = rustix::fs::fchown(stream, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)));
        }
    }

    pub(super) fn output(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }

    pub(super) fn errors(&self) -> BorrowedFd<'_> {
        self.errors.as_fd()
    }

    /// The program has ended: what it has printed by now is all of it, also where somebody else holds the pipe open.
    pub(super) fn end(self) -> Result<Printed, Failure> {
        let Collector { thread, _under_way: under_way, output, errors } = self;
        drop((under_way, output, errors));
        thread.join().map_err(|_| Failure::new(Code::Internal, "the reader of a program's output panicked"))
    }
}

/// One of the two streams.
#[derive(Default)]
struct Stream {
    closed: bool,
    kept: Vec<u8>,
    cut: bool,
}

impl Stream {
    /// Take what is there, once, and at most as much as `block` holds. Returns how many bytes that was.
    fn take(&mut self, pipe: &OwnedFd, block: &mut [u8], digest: Option<&mut Sha256>, most: usize) -> usize {
        let read = match rustix::io::read(pipe, &mut *block) {
            Ok(read) => read,
            Err(Errno::AGAIN | Errno::INTR) => return 0,
            Err(_) => 0,
        };
        self.closed = read == 0;
        let new = &block[..read];
        if let Some(digest) = digest {
            digest.update(new);
        }
        self.cut |= self.kept.len() + read > most;
        let new = &new[read.saturating_sub(most)..];
        self.kept.drain(..(self.kept.len() + new.len()).saturating_sub(most));
        self.kept.extend_from_slice(new);
        read
    }
}

fn failed(cause: &io::Error) -> Failure {
    os_failure("cannot read what the program prints", cause)
}

fn pipe() -> Result<(OwnedFd, OwnedFd), Failure> {
    pipe_with(PipeFlags::CLOEXEC).map_err(|cause| failed(&cause.into()))
}

/// terminal: the first of them is one, of which no call tells how much is there.
fn collect(pipes: [OwnedFd; 2], ended: &OwnedFd, block: &mut [u8], terminal: bool, kept: usize) -> Printed {
    let mut digest = Sha256::new();
    let mut streams = [Stream::default(), Stream::default()];
    for pipe in &pipes {
        // Of the reading end alone: the program's is as it expects it.
        let _ = fcntl_setfl(pipe, OFlags::NONBLOCK);
    }
    loop {
        let over = wait_for_any(&pipes, &streams, ended);
        for (at, (stream, pipe)) in streams.iter_mut().zip(&pipes).enumerate() {
            // At the end no more than there is now: somebody else may print for ever.
            let counted = || ioctl_fionread(pipe).map_or(MOST_IN_PIPE, |bytes| usize::try_from(bytes).unwrap_or(0));
            let there = || if terminal { MOST_IN_PIPE } else { counted() };
            let mut left = if over { there() } else { BLOCK };
            while left > 0 && !stream.closed {
                let most = left.min(BLOCK);
                match stream.take(pipe, &mut block[..most], (at == 0).then_some(&mut digest), kept) {
                    0 => break,
                    read => left -= read,
                }
            }
        }
        if over || streams.iter().all(|stream| stream.closed) {
            let cut = [streams[0].cut, streams[1].cut];
            let [output, errors] = streams.map(|stream| stream.kept);
            let errors = if terminal { output.clone() } else { errors };
            return Printed { digest: digest.finalize().into(), ends: [output, errors], cut, terminal };
        }
    }
}

/// Sleep until something was printed, or the program has ended: then true.
fn wait_for_any(pipes: &[OwnedFd; 2], streams: &[Stream; 2], ended: &OwnedFd) -> bool {
    let open = pipes.iter().zip(streams).filter(|(_, stream)| !stream.closed).map(|(pipe, _)| pipe);
    let mut watched: Vec<PollFd<'_>> = open.chain([ended]).map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
    while poll(&mut watched, None) == Err(Errno::INTR) {}
    watched.last().is_none_or(|last| !last.revents().is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn printed(texts: &[&[u8]], held: bool) -> Printed {
        let collector = Collector::begin(KEPT).unwrap();
        let holder = held.then(|| collector.output().try_clone_to_owned().unwrap());
        for text in texts {
            let mut left = *text;
            while !left.is_empty() {
                left = &left[rustix::io::write(collector.output(), left).unwrap()..];
            }
        }
        rustix::io::write(collector.errors(), b"oh").unwrap();
        let printed = collector.end().unwrap();
        drop(holder);
        printed
    }

    #[test]
    fn the_digest_is_of_all_of_it_and_the_end_is_kept() {
        let text: Vec<u8> = (0..1_000_003u32).flat_map(u32::to_le_bytes).collect();
        let found = printed(&[&text[..7], &text[7..]], false);
        assert_eq!(found.digest, <[u8; 32]>::from(Sha256::digest(&text)));
        assert_eq!(found.ends, [text[text.len() - KEPT..].to_vec(), b"oh".to_vec()]);
        assert_eq!((found.cut, printed(&[&text[..KEPT]], false).cut), ([true, false], [false, false]));
        // Of "abc", as FIPS 180-4 has it.
        assert_eq!(printed(&[b"a", b"bc"], false).digest[..4], [0xba, 0x78, 0x16, 0xbf]);
    }

    #[test]
    fn the_text_is_cut_at_its_beginning_until_it_fits() {
        let text = |out: &[u8], cut| {
            Printed { digest: [0; 32], ends: [out.to_vec(), b"oh\n".to_vec()], cut: [cut, false], terminal: false }
                .text()
        };
        assert_eq!(text(b"hi\n", false), "hi\noh\n");
        assert_eq!(text(b"hi\n", true), "...\nhi\noh\n");
        // In a message each zero byte takes six.
        let long = text(&[0; 16 << 10], false);
        assert!(long.starts_with("...\n\0") && long.ends_with("\0oh\n"), "{}", long.len());
        assert!(serde_json::to_string(&long).unwrap().len() <= MOST_OUTPUT);
    }

    #[test]
    fn who_holds_the_pipe_open_is_not_waited_for() {
        assert_eq!(printed(&[b"hi\n"], true).ends, [b"hi\n".to_vec(), b"oh".to_vec()]);
    }
}
