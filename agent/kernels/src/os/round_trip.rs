//! Two processes and one byte that goes to and fro.

use super::link::{exchange, pass, take, End, Way};
use super::operation::Operation;
use super::partner::Partner;
use super::Pinning;
use crate::settings::check_failed;
use rustix::fd::AsFd;
use rustix::io::Errno;
use virtometer_protocol::Failure;

/// Round trips of one byte. The other process adds one to it each time.
pub(super) struct RoundTrip {
    partner: Partner,
    byte: u8,
    expected: u8,
    trips: u64,
}

impl RoundTrip {
    pub(super) fn new(way: Way, pinning: &Pinning) -> Result<Self, Failure> {
        Ok(RoundTrip { partner: Partner::new(way, pinning, answer)?, byte: 0, expected: 0, trips: 0 })
    }
}

/// Life of the other process, until no byte comes any more.
fn answer(far: &End) -> Result<(), Errno> {
    let mut byte = [0];
    while let Ok(true) = take(far.input.as_fd(), &mut byte) {
        pass(far.output.as_fd(), &[byte[0].wrapping_add(1)])?;
    }
    Ok(())
}

impl Operation for RoundTrip {
    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        self.trips = repeats;
        // A byte can hold the count modulo 256.
        self.expected = self.byte.wrapping_add(repeats.to_le_bytes()[0]);
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
        Ok(self.trips)
    }

    fn settle(&mut self) -> Result<(), Failure> {
        self.partner.renew(answer)
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
        for way in [link::pipes as Way, link::unix, link::tcp] {
            let mut trip = RoundTrip::new(way, &Pinning::as_it_is()).unwrap();
            for repeats in [300, 1] {
                trip.before(repeats).unwrap();
                trip.repeat(repeats).unwrap();
                assert_eq!(trip.counted(), Ok(repeats));
            }
            trip.before(2).unwrap();
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
        trip.before(1).unwrap();
        assert_eq!(trip.repeat(1).unwrap_err().message, "a process at the other end is gone");
    }
}
