//! Pages of a mapped file that are no longer there: the file became shorter, or its medium failed.
//!
//! The system tells a program so with SIGBUS. The handler puts a page of zeroes in the place of the missing one, so
//! that the access goes on, and notes where it did. The owner of the mapping asks afterwards: the values read are
//! invalid.

#![allow(unsafe_code)] // a signal handler, and what it may use

use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Once;

/// Places that are recorded. If more are missed, every owner takes them for its own.
const REMEMBERED: usize = 64;

static PLACES: [AtomicUsize; REMEMBERED] = [const { AtomicUsize::new(0) }; REMEMBERED];
static COUNT: AtomicUsize = AtomicUsize::new(0);
static PAGE: AtomicUsize = AtomicUsize::new(0);
static WATCHED: AtomicUsize = AtomicUsize::new(0);
static HANDLED: Once = Once::new();

/// The missing pages from now on. While none of these lives, a missing page ends the agent as ever.
#[derive(Debug)]
pub(super) struct MissingPages {
    from: usize,
}

impl MissingPages {
    /// Missing pages do not end the agent from now on.
    pub(super) fn watch() -> Self {
        HANDLED.call_once(handle);
        WATCHED.fetch_add(1, Ordering::SeqCst);
        MissingPages { from: COUNT.load(Ordering::SeqCst) }
    }

    /// Whether a page at one of these addresses was missing since.
    pub(super) fn any(&self, addresses: &Range<usize>) -> bool {
        let missed = COUNT.load(Ordering::SeqCst).wrapping_sub(self.from);
        let place = |number: usize| PLACES[self.from.wrapping_add(number) % REMEMBERED].load(Ordering::SeqCst);
        missed > REMEMBERED || (0..missed).any(|number| addresses.contains(&place(number)))
    }
}

impl Drop for MissingPages {
    fn drop(&mut self) {
        WATCHED.fetch_sub(1, Ordering::SeqCst);
    }
}

fn handle() {
    PAGE.store(rustix::param::page_size(), Ordering::SeqCst);
    // SAFETY: sigaction is plain data, for which zero is a value; the handler only does what handlers may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction =
            replace_page as extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &action, null_mut());
    }
}

/// Put a page of zeroes where one is missing. What else the signal can mean ends the agent as ever.
extern "C" fn replace_page(signal: libc::c_int, information: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the system gives a valid structure. mmap and signal are plain system calls. Only a page that nobody can
    // use is replaced: the system has just refused it. errno is put back.
    unsafe {
        let errno = *libc::__errno_location();
        let page = PAGE.load(Ordering::SeqCst);
        let address = (*information).si_addr() as usize;
        let start = address & !(page - 1);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let replaced = WATCHED.load(Ordering::SeqCst) > 0
            && (*information).si_code == libc::BUS_ADRERR
            && libc::mmap(start as *mut libc::c_void, page, protection, flags, -1, 0) != libc::MAP_FAILED;
        if replaced {
            // The thread that was interrupted goes on only after this, so that it sees both.
            let number = COUNT.fetch_add(1, Ordering::SeqCst);
            PLACES[number % REMEMBERED].store(address, Ordering::SeqCst);
        } else {
            libc::signal(signal, libc::SIG_DFL);
        }
        *libc::__errno_location() = errno;
    }
}
