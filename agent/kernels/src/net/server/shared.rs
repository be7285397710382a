//! What the threads of a server have in common.

use super::sessions::Sessions;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of messages and blocks for all connections in total.
const MOST_MEMORY: usize = 512 << 20;

/// What the threads of a server have in common.
pub(super) struct Shared {
    pub(super) received: AtomicU64,
    /// Bytes of memory in use for messages and blocks.
    memory: AtomicUsize,
    /// Sockets of the connections that are open, to be shut when the server ends.
    open: Mutex<Vec<(u64, Arc<TcpStream>)>>,
    pub(super) sessions: Sessions,
}

impl Shared {
    pub(super) fn new(sessions: Sessions) -> Self {
        let (received, memory) = (AtomicU64::new(0), AtomicUsize::new(0));
        Shared { received, memory, open: Mutex::default(), sessions }
    }

    pub(super) fn open(&self) -> MutexGuard<'_, Vec<(u64, Arc<TcpStream>)>> {
        // The list is whole whatever happened to the thread that held it.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory that counts against the limit of the server for as long as this lives.
pub(super) struct Reservation<'a> {
    shared: &'a Shared,
    bytes: usize,
}

impl<'a> Reservation<'a> {
    pub(super) fn take(shared: &'a Shared, bytes: usize) -> Option<Self> {
        let before = shared.memory.fetch_add(bytes, Ordering::Relaxed);
        let reservation = Reservation { shared, bytes };
        (before <= MOST_MEMORY.saturating_sub(bytes)).then_some(reservation)
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.shared.memory.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
