//! io_uring: two rings shared with the system, one of submissions and one of completions.

#![allow(unsafe_code)] // memory that is shared with the system

use super::queue::{Queue, Transfer};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::io_uring::{
    io_cqring_offsets, io_sqring_offsets, io_uring_cqe, io_uring_enter, io_uring_params, io_uring_ptr, io_uring_setup,
    io_uring_sqe, io_uring_user_data, IoringEnterFlags, IoringOp, IoringSetupFlags, IORING_OFF_CQ_RING,
    IORING_OFF_SQES, IORING_OFF_SQ_RING,
};
use rustix::mm::{mmap, munmap, MapFlags, ProtFlags};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// A mapping of a ring.
struct Mapping {
    start: *mut u8,
    bytes: usize,
}

impl Mapping {
    fn new(ring: &OwnedFd, bytes: usize, which: u64) -> io::Result<Self> {
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the system's choice touches no memory that is in use.
        let start = unsafe {
            mmap(std::ptr::null_mut(), bytes, protection, MapFlags::SHARED | MapFlags::POPULATE, ring, which)
        }?;
        Ok(Mapping { start: start.cast(), bytes })
    }

    /// The entry `index` of a table of `T` that begins at byte `offset`.
    fn entry<T>(&self, offset: u32, index: u32) -> *mut T {
        let at = offset as usize + index as usize * std::mem::size_of::<T>();
        assert!(at + std::mem::size_of::<T>() <= self.bytes, "the system described a ring beyond its mapping");
        // SAFETY: just checked to lie within the mapping.
        unsafe { self.start.add(at).cast() }
    }

    fn number(&self, offset: u32) -> &AtomicU32 {
        // SAFETY: within the mapping, aligned as the system lays rings out, and only used atomically.
        unsafe { &*self.entry::<AtomicU32>(offset, 0) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's, and nothing borrows it any more.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// An io_uring for transfers to and from files.
pub(super) struct Uring {
    ring: OwnedFd,
    submissions: Mapping,
    entries: Mapping,
    completions: Mapping,
    of_submissions: io_sqring_offsets,
    of_completions: io_cqring_offsets,
    submission_mask: u32,
    completion_mask: u32,
    /// The end of the ring of submissions, with those that are noted.
    tail: u32,
    /// Those that are noted and not taken by the system.
    noted: u32,
}

// SAFETY: the mappings belong to the ring, which belongs to one value.
unsafe impl Send for Uring {}

impl Uring {
    /// A ring for `depth` transfers.
    pub(super) fn new(depth: u32) -> io::Result<Self> {
        // Completions are then handed over by the call that waits for them, without interrupting this thread; Linux
        // before 6.1 does not know the wish.
        let requested = IoringSetupFlags::SINGLE_ISSUER | IoringSetupFlags::DEFER_TASKRUN;
        let (ring, found) = match setup(depth, requested) {
            Err(Errno::INVAL) => setup(depth, IoringSetupFlags::empty())?,
            other => other?,
        };
        let (of_submissions, of_completions) = (found.sq_off, found.cq_off);
        let submission_bytes = of_submissions.array as usize + found.sq_entries as usize * 4;
        let completion_bytes =
            of_completions.cqes as usize + found.cq_entries as usize * std::mem::size_of::<io_uring_cqe>();
        let entry_bytes = found.sq_entries as usize * std::mem::size_of::<io_uring_sqe>();
        let submissions = Mapping::new(&ring, submission_bytes, IORING_OFF_SQ_RING)?;
        let completions = Mapping::new(&ring, completion_bytes, IORING_OFF_CQ_RING)?;
        let entries = Mapping::new(&ring, entry_bytes, IORING_OFF_SQES)?;
        let submission_mask = submissions.number(of_submissions.ring_mask).load(Ordering::Relaxed);
        let completion_mask = completions.number(of_completions.ring_mask).load(Ordering::Relaxed);
        for index in 0..found.sq_entries {
            // Place and entry are the same for ever.
            submissions.number(of_submissions.array + index * 4).store(index, Ordering::Relaxed);
        }
        let tail = submissions.number(of_submissions.tail).load(Ordering::Relaxed);
        Ok(Uring {
            ring,
            submissions,
            entries,
            completions,
            of_submissions,
            of_completions,
            submission_mask,
            completion_mask,
            tail,
            noted: 0,
        })
    }

    fn complete(&self) -> bool {
        let head = self.completions.number(self.of_completions.head).load(Ordering::Relaxed);
        head != self.completions.number(self.of_completions.tail).load(Ordering::Acquire)
    }
}

fn setup(depth: u32, flags: IoringSetupFlags) -> Result<(OwnedFd, io_uring_params), Errno> {
    let mut params = io_uring_params::default();
    params.flags = flags;
    // SAFETY: no flag asks for memory of ours.
    let ring = unsafe { io_uring_setup(depth, &mut params) }?;
    Ok((ring, params))
}

impl Queue for Uring {
    fn push(&mut self, transfer: &Transfer<'_>) {
        let mut entry = io_uring_sqe {
            opcode: if transfer.write { IoringOp::Write } else { IoringOp::Read },
            fd: transfer.file.as_raw_fd(),
            user_data: io_uring_user_data::from_u64(transfer.slot as u64),
            ..io_uring_sqe::default()
        };
        entry.off_or_addr2.off = transfer.offset;
        entry.addr_or_splice_off_in.addr = io_uring_ptr::new(transfer.memory.cast());
        // A block is at most 2^30 bytes.
        entry.len.len = u32::try_from(transfer.length).unwrap_or(u32::MAX);
        let place = self.entries.entry::<io_uring_sqe>(0, self.tail & self.submission_mask);
        // SAFETY: the place is this queue's until the tail is moved past it. The memory of the transfer stays while
        // it is under way, as `Engine::carry_out` ensures.
        unsafe { place.write(entry) };
        self.tail = self.tail.wrapping_add(1);
        self.noted += 1;
        self.submissions.number(self.of_submissions.tail).store(self.tail, Ordering::Release);
    }

    fn submit(&mut self) -> io::Result<()> {
        // SAFETY: the entries up to the tail are filled in.
        match unsafe { io_uring_enter(&self.ring, self.noted, 0, IoringEnterFlags::empty()) } {
            Ok(taken) => self.noted -= taken.min(self.noted),
            // What was not taken is handed over by the call that waits.
            Err(Errno::INTR | Errno::AGAIN | Errno::BUSY) => {}
            Err(errno) => return Err(errno.into()),
        }
        Ok(())
    }

    fn submit_and_wait(&mut self) -> io::Result<()> {
        loop {
            // SAFETY: the entries up to the tail are filled in.
            match unsafe { io_uring_enter(&self.ring, self.noted, 1, IoringEnterFlags::GETEVENTS) } {
                Ok(taken) => self.noted -= taken.min(self.noted),
                // Interrupted, or short of something until a transfer is complete.
                Err(Errno::INTR | Errno::AGAIN | Errno::BUSY) => {}
                Err(errno) => return Err(errno.into()),
            }
            if self.complete() {
                return Ok(());
            }
        }
    }

    fn withdraw(&mut self) -> usize {
        let count = self.noted;
        self.tail = self.tail.wrapping_sub(count);
        self.submissions.number(self.of_submissions.tail).store(self.tail, Ordering::Release);
        self.noted = 0;
        count as usize
    }

    fn pop(&mut self) -> Option<(usize, i64)> {
        if !self.complete() {
            return None;
        }
        let head_at = self.completions.number(self.of_completions.head);
        let head = head_at.load(Ordering::Relaxed);
        let entry = self.completions.entry::<io_uring_cqe>(self.of_completions.cqes, head & self.completion_mask);
        // SAFETY: the system has filled the entry in, and takes it back when the head has moved past it.
        let (slot, moved) = unsafe { ((*entry).user_data.u64_(), (*entry).res) };
        head_at.store(head.wrapping_add(1), Ordering::Release);
        Some((usize::try_from(slot).unwrap_or(usize::MAX), i64::from(moved)))
    }
}
