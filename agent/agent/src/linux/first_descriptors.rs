//! Process 1 of a guest without a console begins without standard descriptors, and Rust's start-up code then ends the
//! program because there is no /dev/null yet. This runs before that code.

#![allow(unsafe_code)] // code that runs before main

/// The dynamic or static start-up code of every Linux C library calls what this section holds.
#[used]
#[link_section = ".init_array"]
static FIRST: extern "C" fn() = ensure;

/// Put the ends of a pipe, which needs no file, where descriptors 0, 1 and 2 are missing.
extern "C" fn ensure() {
    // SAFETY: only system calls on numbers; nothing else runs yet.
    unsafe {
        if libc::getpid() != 1 {
            return;
        }
        for wanted in 0..3 {
            let mut ends = [0; 2];
            if libc::fcntl(wanted, libc::F_GETFD) == -1 && libc::pipe(ends.as_mut_ptr()) == 0 {
                for end in ends {
                    if end > 2 {
                        libc::close(end);
                    }
                }
            }
        }
    }
}
