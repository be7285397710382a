//! What round trips of every kind share: their messages, and the timing of single ones.

use super::message;
use virtometer_protocol::Failure;
use virtometer_sampling::{now_ns, timed, Stretch as Timed, Times};

/// Every how many messages one is compared byte by byte while others are under way; its number always is.
pub(super) const INSPECTION: u64 = 1024;

/// So many readings of the clock may cost as much as the rest of a round trip.
const CLOCK_SHARE: u64 = 200;

/// Which round trips are timed one by one: so few that reading the clock costs below 0.5 % of the time.
#[derive(Debug)]
pub(super) struct Sampling {
    /// Every how many trips one is timed.
    pub(super) every: u64,
    pub(super) times: Times,
}

impl Sampling {
    pub(super) fn new() -> Self {
        Sampling { every: 1, times: Times::default() }
    }

    /// Choose from an iteration of the calibration, and forget what was timed so far.
    pub(super) fn settle(&mut self, last: Option<Timed>) {
        self.times.clear();
        let trip_ns = last.map_or(0, |last| (last.end_ns - last.start_ns) / last.work.max(1)).max(1);
        // The quickest of some readings: others were interrupted.
        let clock_ns = (0..64).map(|_| now_ns()).scan(now_ns(), |last, now| {
            let took = now - *last;
            *last = now;
            Some(took)
        });
        let clock_ns = clock_ns.min().unwrap_or(0).max(1);
        self.every = (2 * clock_ns * CLOCK_SHARE / trip_ns).max(1);
    }

    /// Make round trips one after the other.
    #[inline]
    pub(super) fn trips(
        &mut self,
        repeats: u64,
        mut trip: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Timed, Failure> {
        let mut untimed = 0;
        timed(repeats, || {
            for _ in 0..repeats {
                untimed += 1;
                if untimed < self.every {
                    trip()?;
                    continue;
                }
                untimed = 0;
                let begun = now_ns();
                trip()?;
                self.times.record(now_ns() - begun);
            }
            Ok(())
        })
    }
}

/// A request, the response that belongs to it, and the number in both.
pub(super) struct Messages {
    pub(super) request: Vec<u8>,
    /// What has to come back.
    pub(super) response: Vec<u8>,
}

impl Messages {
    pub(super) fn new(request: usize, response: usize) -> Result<Self, Failure> {
        let (request, response) = (message(request)?.to_vec(), message(response)?.to_vec());
        Ok(Messages { request, response })
    }

    /// Give both the number, as much of it as fits.
    #[inline]
    pub(super) fn stamp(&mut self, number: u64) {
        let number = number.to_le_bytes();
        let length = self.request.len().min(8);
        self.request[..length].copy_from_slice(&number[..length]);
        let echoed = length.min(self.response.len());
        self.response[..echoed].copy_from_slice(&number[..echoed]);
    }

    /// Whether `answer` is the response to request `number`, every byte of it.
    pub(super) fn answered_by(&self, answer: &[u8], number: u64) -> bool {
        let echoed = self.echoed();
        answer.len() == self.response.len()
            && answer[..echoed] == number.to_le_bytes()[..echoed]
            && answer[echoed..] == self.response[echoed..]
    }

    /// Bytes of the number that come back.
    pub(super) fn echoed(&self) -> usize {
        self.request.len().min(self.response.len()).min(8)
    }
}
