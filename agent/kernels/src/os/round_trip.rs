//! Two processes and one byte that goes to and fro.

use super::child::{cannot_fork, Child, Parent};
use super::link::{broken, exchange, pass, take, End, Way};
use super::operation::Operation;
use super::Pinning;
use crate::settings::check_failed;
use rustix::fd::AsFd;
use virtometer_protocol::Failure;

/// Round trips of one byte. The other process adds one to it each time.
pub(super) struct RoundTrip {
    way: Way,
    pinning: Pinning,
    partner: Option<(End, Child)>,
    byte: u8,
    expected: u8,
    trips: u64,
    // Last: the child goes before the right to reap it does.
    _parent: Parent,
}

impl RoundTrip {
    pub(super) fn new(way: Way, pinning: &Pinning) -> Result<Self, Failure> {
        let parent = Parent::new();
        let partner = Some(partner(way, pinning)?);
        Ok(RoundTrip { way, pinning: pinning.clone(), partner, byte: 0, expected: 0, trips: 0, _parent: parent })
    }
}

fn partner(way: Way, pinning: &Pinning) -> Result<(End, Child), Failure> {
    let (near, far) = way()?;
    let child = Child::fork(|| {
        near.close();
        if !pinning.place(1) {
            return 1;
        }
        let mut byte = [0];
        while let Ok(true) = take(far.input.as_fd(), &mut byte) {
            if pass(far.output.as_fd(), &[byte[0].wrapping_add(1)]).is_err() {
                return 1;
            }
        }
        0
    });
    Ok((near, child.map_err(|cause| cannot_fork(&cause))?))
}

impl Operation for RoundTrip {
    fn before(&mut self, repeats: u64) -> Result<(), Failure> {
        self.trips = repeats;
        // A byte can hold the count modulo 256.
        self.expected = self.byte.wrapping_add(repeats.to_le_bytes()[0]);
        Ok(())
    }

    fn repeat(&mut self, repeats: u64) -> Result<(), Failure> {
        let (end, _) = self.partner.as_ref().ok_or_else(broken)?;
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

    /// A new process: the processor time that the old one used for calibration is not the window's.
    fn settle(&mut self) -> Result<(), Failure> {
        self.partner = None;
        self.partner = Some(partner(self.way, &self.pinning)?);
        Ok(())
    }

    fn finish(&mut self) {
        self.partner = None;
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
            exchange(&trip.partner.as_ref().unwrap().0, &mut [7]).unwrap();
            trip.byte = 9;
            trip.repeat(2).unwrap();
            assert_eq!(trip.counted().unwrap_err().code, Code::CheckFailed);
        }
    }

    #[test]
    fn a_partner_that_is_gone_is_a_failure_and_no_wait() {
        let mut trip = RoundTrip::new(link::pipes, &Pinning::as_it_is()).unwrap();
        trip.partner.as_ref().unwrap().1.kill();
        trip.before(1).unwrap();
        assert_eq!(trip.repeat(1).unwrap_err().message, "a process at the other end is gone");
    }
}
