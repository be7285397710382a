//! The content of messages, and how an answer is known to belong to its request.

use crate::pattern;
use virtometer_protocol::{Code, Failure};

/// Every how many messages one is compared byte by byte while others are under way; its number always is.
pub(super) const INSPECTION: u64 = 1024;

/// A message of `size` bytes of the pattern, in pages that are there.
pub(super) fn message(size: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let rounded = size.next_multiple_of(8);
    if bytes.try_reserve_exact(rounded).is_err() {
        return Err(Failure::new(Code::OutOfMemory, format!("no memory for a message of {size} bytes")));
    }
    bytes.resize(rounded, 0);
    pattern::fill(&mut bytes, 0);
    bytes.truncate(size);
    Ok(bytes)
}

/// A request, the response that belongs to it, and the number in both.
pub(super) struct Messages {
    pub(super) request: Vec<u8>,
    /// The answer that is expected.
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
