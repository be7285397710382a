//! The system's own asynchronous I/O: the calls that the library libaio wraps.

#![allow(unsafe_code)] // system calls that neither libc nor rustix wraps

use super::queue::{Queue, Transfer};
use std::io;
use std::os::unix::io::AsRawFd;
use std::ptr::{null_mut, NonNull};

const READ: u16 = 0;
const WRITE: u16 = 1;

/// `struct iocb` of linux/aio_abi.h on little-endian machines.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct ControlBlock {
    data: u64,
    key: u32,
    rw_flags: i32,
    opcode: u16,
    priority: i16,
    file: u32,
    memory: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    result_file: u32,
}

/// `struct io_event` of linux/aio_abi.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    data: u64,
    block: u64,
    result: i64,
    result2: i64,
}

/// A context of the system's with the control blocks and events of as many transfers as it is deep.
pub(super) struct Libaio {
    context: libc::c_ulong,
    /// One for each slot; the system reads them while a submission lasts.
    blocks: Vec<ControlBlock>,
    /// Blocks that are noted.
    noted: Vec<NonNull<ControlBlock>>,
    /// How many of them were handed over.
    handed_over: usize,
    under_way: usize,
    events: Vec<Event>,
    /// Events between these were not popped yet.
    first: usize,
    last: usize,
}

impl Libaio {
    /// A context for `depth` transfers.
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the system writes the context's number into a variable of the type that it expects.
        checked(unsafe { libc::syscall(libc::SYS_io_setup, depth as libc::c_ulong, &mut context) })?;
        Ok(Libaio {
            context,
            blocks: vec![ControlBlock::default(); depth],
            noted: Vec::with_capacity(depth),
            handed_over: 0,
            under_way: 0,
            events: vec![Event::default(); depth],
            first: 0,
            last: 0,
        })
    }
}

impl Queue for Libaio {
    fn push(&mut self, transfer: &Transfer<'_>) {
        let block = &mut self.blocks[transfer.slot];
        *block = ControlBlock {
            data: transfer.slot as u64,
            opcode: if transfer.write { WRITE } else { READ },
            file: u32::try_from(transfer.file.as_raw_fd()).unwrap_or(u32::MAX),
            memory: transfer.memory as usize as u64,
            bytes: transfer.length as u64,
            offset: i64::try_from(transfer.offset).unwrap_or(i64::MAX),
            ..ControlBlock::default()
        };
        self.noted.push(NonNull::from(block));
    }

    fn submit(&mut self) -> io::Result<()> {
        while self.handed_over < self.noted.len() {
            let rest = &mut self.noted[self.handed_over..];
            // SAFETY: the pointers lead to blocks that live as long as the context and describe memory that stays
            // while a transfer is under way, as `Engine::carry_out` ensures.
            let taken =
                unsafe { libc::syscall(libc::SYS_io_submit, self.context, count(rest.len()), rest.as_mut_ptr()) };
            match checked(taken) {
                Ok(taken) => {
                    self.handed_over += taken;
                    self.under_way += taken;
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                // The rest is handed over when something is complete.
                Err(cause) if cause.raw_os_error() == Some(libc::EAGAIN) && self.under_way > 0 => return Ok(()),
                Err(cause) => return Err(cause),
            }
        }
        self.noted.clear();
        self.handed_over = 0;
        Ok(())
    }

    fn submit_and_wait(&mut self) -> io::Result<()> {
        self.submit()?;
        loop {
            let (context, room) = (self.context, count(self.events.len()));
            let no_limit = null_mut::<libc::timespec>();
            // SAFETY: there is room for as many events as are asked for.
            let found = unsafe {
                libc::syscall(
                    libc::SYS_io_getevents,
                    context,
                    1 as libc::c_long,
                    room,
                    self.events.as_mut_ptr(),
                    no_limit,
                )
            };
            match checked(found) {
                Ok(found) => {
                    (self.first, self.last) = (0, found);
                    self.under_way -= found;
                    return Ok(());
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
    }

    fn withdraw(&mut self) -> usize {
        let count = self.noted.len() - self.handed_over;
        self.noted.clear();
        self.handed_over = 0;
        count
    }

    fn pop(&mut self) -> Option<(usize, i64)> {
        let event = self.events[..self.last].get(self.first)?;
        self.first += 1;
        Some((usize::try_from(event.data).unwrap_or(usize::MAX), event.result))
    }
}

impl Drop for Libaio {
    fn drop(&mut self) {
        // SAFETY: the context is this queue's own. The call waits for what is under way.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
    }
}

/// At most as many as the context is deep.
fn count(number: usize) -> libc::c_long {
    libc::c_long::try_from(number).unwrap_or(libc::c_long::MAX)
}

fn checked(result: libc::c_long) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}
