//! Two processes and one byte that goes to and fro.

#![allow(unsafe_code)] // a forked child

use super::link::{broken, exchange, pass, take, End, MakeLink};
use super::operation::Operation;
use super::partner::Partner;
use super::pinning::Pinning;
use crate::settings::check_failed;
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use virtometer_protocol::Failure;

/// The byte that asks the other process for its count, which comes in eight bytes.
const ASK: u8 = 255;

/// Round trips of one byte. The other process adds one to it each time, below [`ASK`], and counts.
pub(super) struct RoundTrip {
    partner: Partner,
    byte: u8,
    expected: u8,
    trips: u64,
    /// What the other process had counted before.
    before: u64,
}

impl RoundTrip {
    pub(super) fn new(make_link: MakeLink, pinning: &Pinning) -> Result<Self, Failure> {
        // SAFETY: the answers are system calls and arithmetic, on memory of the stack.
        let partner = unsafe { Partner::new(make_link, pinning, answer) }?;
        Ok(RoundTrip { partner, byte: 0, expected: 0, trips: 0, before: 0 })
    }
}

/// Life of the other process, until no byte comes any more.
fn answer(far: &End) -> Result<(), Errno> {
    let (mut byte, mut count) = ([0], 0u64);
    while let Ok(true) = take(far.input.as_fd(), &mut byte) {
        if byte[0] == ASK {
            pass(far.output.as_fd(), &count.to_le_bytes())?;
            continue;
        }
        count += 1;
        pass(far.output.as_fd(), &[next(byte[0])])?;
    }
    Ok(())
}

#[inline]
fn next(byte: u8) -> u8 {
    byte.wrapping_add(1) % ASK
}

impl Operation for RoundTrip {
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.trips = repeats;
        let after = (u64::from(self.byte) + repeats % u64::from(ASK)) % u64::from(ASK);
        self.expected = u8::try_from(after).unwrap_or(0);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let end = self.partner.end()?;
        let mut byte = [self.byte];
        for _ in 0..repeats {
            exchange(end, &mut byte)?;
        }
        self.byte = byte[0];
        Ok(())
    }

    fn counted(&mut self) -> Result<u64, Failure> {
        if self.byte != self.expected {
            let RoundTrip { byte, expected, trips, .. } = self;
            return Err(check_failed(format!("after {trips} round trips the byte is {byte}, not {expected}")));
        }
        let (end, mut count) = (self.partner.end()?, [0; 8]);
        pass(end.output.as_fd(), &[ASK]).map_err(|_| broken())?;
        if !take(end.input.as_fd(), &mut count).map_err(|_| broken())? {
            return Err(broken());
        }
        let before = std::mem::replace(&mut self.before, u64::from_le_bytes(count));
        Ok(self.before.wrapping_sub(before))
    }

    fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        self.partner.descriptors()
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.before = 0;
        // SAFETY: as in `new`.
        unsafe { self.partner.renew(answer) }
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
    use virtometer_protocol::Code;

    #[test]
    fn a_byte_that_comes_back_wrong_is_reported() {
        for make_link in [link::pipes as MakeLink, link::unix, link::tcp] {
            let mut trip = RoundTrip::new(make_link, &Pinning::as_it_is()).unwrap();
            for repeats in [300, 1] {
                trip.setup(repeats).unwrap();
                trip.repeat(repeats).unwrap();
                assert_eq!(trip.counted(), Ok(repeats));
            }
            // So many that the byte does not tell.
            trip.setup(2 + u64::from(ASK)).unwrap();
            trip.repeat(2).unwrap();
            assert_eq!(trip.counted(), Ok(2));
            trip.setup(2).unwrap();
            // Another trip than those that are counted.
            exchange(trip.partner.end().unwrap(), &mut [7]).unwrap();
            trip.byte = 9;
            trip.repeat(2).unwrap();
            assert_eq!(trip.counted().unwrap_err().code, Code::CheckFailed);
        }
    }

    #[test]
    fn a_partner_that_is_gone_is_a_failure_and_no_wait() {
        let mut trip = RoundTrip::new(link::pipes, &Pinning::as_it_is()).unwrap();
        trip.partner.kill();
        trip.setup(1).unwrap();
        assert_eq!(trip.repeat(1).unwrap_err().message, "a process at the other end is gone");
    }
}
