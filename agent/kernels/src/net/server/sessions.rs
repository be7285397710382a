//! The sessions of datagrams that are open.

use crate::net::pace::Pace;
use crate::net::wire::{self, Opening, Report, HEAD};
use std::collections::HashMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The datagrams of one session that have arrived.
pub(super) struct Session {
    pub(super) opening: Opening,
    pub(super) response: Vec<u8>,
    pub(super) pace: Pace,
    pub(super) report: Report,
    /// One more than the highest number that has arrived.
    pub(super) next: u64,
}

/// All sessions, and what the thread has done for them in total.
pub(super) struct Sessions {
    /// Whether there is a socket for datagrams.
    pub(super) served: bool,
    open: Mutex<HashMap<u64, Session>>,
    pub(super) handled: AtomicU64,
    pub(super) cpu_ns: AtomicU64,
}

impl Sessions {
    pub(super) fn new(served: bool) -> Self {
        Sessions { served, open: Mutex::default(), handled: AtomicU64::new(0), cpu_ns: AtomicU64::new(0) }
    }

    pub(super) fn open(&self) -> MutexGuard<'_, HashMap<u64, Session>> {
        // A session is whole whatever happened to the thread that held it: the worst is a count that is wrong.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Count a datagram of this session, which is to hold `pattern` after its head.
    pub(super) fn count(&mut self, datagram: &[u8], pattern: &[u8]) {
        let number = wire::number(datagram, 1);
        self.report.units += 1;
        self.report.bytes += datagram.len() as u64;
        self.report.reordered += u64::from(number < self.next);
        self.next = self.next.max(number.saturating_add(1));
        let length = datagram.len();
        let looked_at = HEAD.max(length.saturating_sub(8));
        let right = length == self.opening.request && datagram[looked_at..] == pattern[looked_at..length];
        self.report.faults += u64::from(!right);
    }
}

/// Ends a session whatever becomes of its connection.
pub(super) struct Entry<'a> {
    pub(super) sessions: &'a Sessions,
    pub(super) number: u64,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.sessions.open().remove(&self.number);
    }
}
