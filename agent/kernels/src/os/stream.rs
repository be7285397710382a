//! Bytes from one process to another.

#![allow(unsafe_code)] // a forked child

use super::link::{broken, pass, take, End, MakeLink};
use super::operation::Operation;
use super::partner::Partner;
use super::pinning::Pinning;
use crate::buffer::Buffer;
use crate::pattern;
use crate::settings::check_failed;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::{read, Errno};
use virtometer_protocol::Failure;

/// Another process writes messages, the agent reads them. It is told how many, and tells at the end how many bytes it
/// wrote.
pub(super) struct Stream {
    /// The message that is sent again and again: the pattern of the disk's file.
    message: Buffer,
    received: Buffer,
    partner: Partner,
}

impl Stream {
    pub(super) fn new(make_link: MakeLink, size: usize, pinning: &Pinning) -> Result<Self, Failure> {
        let (mut message, received) = (Buffer::new(size)?, Buffer::new(size)?);
        pattern::fill(message.bytes_mut(), 0);
        // SAFETY: writing the message, which is there, is system calls and arithmetic.
        let partner = unsafe { Partner::new(make_link, pinning, |far| write_for_ever(far, message.bytes())) }?;
        Ok(Stream { message, received, partner })
    }
}

/// Life of the other process, until the stream of orders ends.
fn write_for_ever(far: &End, message: &[u8]) -> Result<(), Errno> {
    let mut order = [0; 8];
    while take(far.input.as_fd(), &mut order)? {
        let mut written = 0u64;
        for _ in 0..u64::from_le_bytes(order) {
            pass(far.output.as_fd(), message)?;
            written += message.len() as u64;
        }
        pass(far.output.as_fd(), &written.to_le_bytes())?;
    }
    Ok(())
}

impl Operation for Stream {
    fn work(&self) -> u64 {
        self.message.bytes().len() as u64
    }

    fn setup(&mut self, _repeats: u64) -> Result<(), Failure> {
        self.received.bytes_mut().fill(0);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let end = self.partner.end()?;
        pass(end.output.as_fd(), &repeats.to_le_bytes()).map_err(|_| broken())?;
        let message = self.received.bytes_mut();
        for _ in 0..repeats {
            let mut done = 0;
            while done < message.len() {
                match read(end.input.as_fd(), &mut message[done..]) {
                    Ok(0) => return Err(broken()),
                    Ok(length) => done += length,
                    Err(Errno::INTR) => {}
                    Err(_) => return Err(broken()),
                }
            }
        }
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        let end = self.partner.end()?;
        let mut written = [0; 8];
        if !take(end.input.as_fd(), &mut written).map_err(|_| broken())? {
            return Err(broken());
        }
        if let Some(at) = pattern::first_fault(self.received.bytes(), 0) {
            return Err(check_failed(format!("byte {at} of the last message is not what was sent")));
        }
        Ok(u64::from_le_bytes(written))
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        self.partner.descriptors()
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        // SAFETY: as in `new`.
        unsafe { self.partner.renew(|far| write_for_ever(far, self.message.bytes())) }
    }

    fn finish(&mut self) {
        self.partner.finish();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::link;
    use super::*;
    use rustix::fd::OwnedFd;
    use rustix::net::{socketpair, AddressFamily, SocketFlags, SocketType};
    use virtometer_protocol::Code;

    /// Each write to such a link is one packet, whose length the other end can see.
    fn packets() -> Result<(End, End), Failure> {
        let (one, two) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let end = |socket: OwnedFd| End { input: socket.try_clone().unwrap(), output: socket };
        Ok((end(one), end(two)))
    }

    #[test]
    fn a_message_is_written_at_once() {
        let stream = Stream::new(packets, 10_000, &Pinning::as_it_is()).unwrap();
        let end = stream.partner.end().unwrap();
        pass(end.output.as_fd(), &2u64.to_le_bytes()).unwrap();
        let mut block = vec![0; 20_000];
        let lengths = [(); 3].map(|()| read(end.input.as_fd(), &mut block).unwrap());
        // The last one is the count.
        assert_eq!(lengths, [10_000, 10_000, 8]);
    }

    #[test]
    fn bytes_are_counted_and_looked_at_where_they_arrive() {
        for make_link in [link::pipes as MakeLink, link::unix] {
            let mut stream = Stream::new(make_link, 100_000, &Pinning::as_it_is()).unwrap();
            for repeats in [1, 7] {
                stream.setup(repeats).unwrap();
                stream.repeat(repeats).unwrap();
                assert_eq!(stream.counted(), Ok(repeats * 100_000));
            }
            // Another message than the pattern.
            stream.message.bytes_mut()[50_001] ^= 1;
            stream.reset_after_calibration().unwrap();
            stream.setup(2).unwrap();
            stream.repeat(2).unwrap();
            let failure = stream.counted().unwrap_err();
            assert_eq!(failure.code, Code::CheckFailed);
            assert_eq!(failure.message, "byte 50000 of the last message is not what was sent");
            stream.partner.kill();
            assert_eq!(stream.repeat(1), Err(broken()));
        }
    }
}
