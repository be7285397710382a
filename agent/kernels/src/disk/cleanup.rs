//! Files that must be gone when a signal ends the agent: they are removed by the signal's handler.
//!
//! SIGKILL cannot be handled; what it leaves has names that only these operations give, in a folder that the user
//! named.

#![allow(unsafe_code)] // a signal handler, and the pointers that it can do nothing without

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::Once;

/// Signals that people and systems end programs with.
const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// How long the handler lets other threads finish the file that they are making.
const GRACE: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// One worker's files and folder.
struct List {
    files: Vec<CString>,
    folder: Option<CString>,
}

/// More workers than this have files at once nowhere; theirs would stay.
static LISTS: [AtomicPtr<List>; 64] = [const { AtomicPtr::new(null_mut()) }; 64];

static ENDING: AtomicBool = AtomicBool::new(false);
static HANDLED: Once = Once::new();

/// Whether a signal is ending the agent: then no more files are to be made.
pub(super) fn ending() -> bool {
    ENDING.load(Ordering::Relaxed)
}

/// While it exists, a signal that ends the agent removes the files, and then the folder where it is given and empty.
pub(super) struct Registered {
    place: Option<&'static AtomicPtr<List>>,
}

impl Registered {
    pub(super) fn new(files: &[PathBuf], folder: Option<&Path>) -> Self {
        HANDLED.call_once(handle_signals);
        // Names with a zero byte do not exist.
        let text = |path: &Path| CString::new(path.as_os_str().as_bytes()).unwrap_or_default();
        let list = List { files: files.iter().map(|file| text(file)).collect(), folder: folder.map(text) };
        let list = Box::into_raw(Box::new(list));
        let free = |place: &&AtomicPtr<List>| {
            place.compare_exchange(null_mut(), list, Ordering::AcqRel, Ordering::Acquire).is_ok()
        };
        let place = LISTS.iter().find(free);
        if place.is_none() {
            // SAFETY: it was made just above, and nobody else has it.
            drop(unsafe { Box::from_raw(list) });
        }
        Registered { place }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let list = self.place.map_or(null_mut(), |place| place.swap(null_mut(), Ordering::AcqRel));
        if !list.is_null() {
            // SAFETY: the table does not have it any more. A handler that has taken it leaves a null pointer here.
            drop(unsafe { Box::from_raw(list) });
        }
    }
}

fn handle_signals() {
    for signal in SIGNALS {
        // SAFETY: sigaction is plain data, for which zero is a value; the handler only does what handlers may do.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_DFL {
                action.sa_sigaction = remove_all as extern "C" fn(libc::c_int) as libc::sighandler_t;
                libc::sigaction(signal, &action, null_mut());
            }
        }
    }
}

/// Remove all files, and then do what the signal would have done. Only system calls and atomic variables are used.
extern "C" fn remove_all(signal: libc::c_int) {
    ENDING.store(true, Ordering::Relaxed);
    // SAFETY: nanosleep, unlink, rmdir, signal and raise are async-signal-safe; the lists are never freed once they
    // are taken out of the table.
    unsafe {
        libc::nanosleep(&GRACE, null_mut());
        for place in &LISTS {
            let list = place.swap(null_mut(), Ordering::AcqRel);
            if let Some(list) = list.as_ref() {
                list.files.iter().for_each(|file| {
                    libc::unlink(file.as_ptr());
                });
                list.folder.iter().for_each(|folder| {
                    libc::rmdir(folder.as_ptr());
                });
            }
        }
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
