//! Another process at the far end of a way.

#![allow(unsafe_code)] // a forked child

use super::child::{cannot_fork, Child, Parent};
use super::link::{broken, End, MakeLink};
use super::pinning::Pinning;
use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use virtometer_protocol::Failure;

/// The other process, and this process's end of the way to it.
pub(super) struct Partner {
    make_link: MakeLink,
    pinning: Pinning,
    process: Option<(End, Child)>,
    // Last: the child goes before the right to reap it does.
    _parent: Parent,
}

impl Partner {
    /// Start it. `live` is its life at its own end of the way.
    ///
    /// # Safety
    ///
    /// `live` keeps to what [`Child::fork`] requires.
    pub(super) unsafe fn new(
        make_link: MakeLink,
        pinning: &Pinning,
        live: impl FnOnce(&End) -> Result<(), Errno>,
    ) -> Result<Self, Failure> {
        let parent = Parent::new();
        let mut partner = Partner { make_link, pinning: pinning.clone(), process: None, _parent: parent };
        // SAFETY: the caller promises the same.
        unsafe { partner.renew(live) }?;
        Ok(partner)
    }

    /// A new process: the processor time that the old one used for calibration is not the window's.
    ///
    /// # Safety
    ///
    /// As for [`Partner::new`].
    pub(super) unsafe fn renew(&mut self, live: impl FnOnce(&End) -> Result<(), Errno>) -> Result<(), Failure> {
        self.process = None;
        let (near, far) = (self.make_link)()?;
        let body = || {
            // SAFETY: the child has no use for this process's end.
            unsafe { near.close() };
            i32::from(!self.pinning.place(1) || live(&far).is_err())
        };
        // SAFETY: closing and placing are system calls, and the caller vouches for `live`.
        let child = unsafe { Child::fork(body) };
        self.process = Some((near, child.map_err(|cause| cannot_fork(&cause))?));
        Ok(())
    }

    /// This process's end.
    #[inline]
    pub(super) fn end(&self) -> Result<&End, Failure> {
        self.process.as_ref().map(|(end, _)| end).ok_or_else(broken)
    }

    /// The descriptors of this process's end; none where the other process is gone.
    pub(super) fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        self.process.as_ref().map_or_else(Vec::new, |(end, _)| end.descriptors())
    }

    /// End and reap it.
    pub(super) fn finish(&mut self) {
        self.process = None;
    }

    /// End it at once, as a fault would.
    #[cfg(test)]
    pub(super) fn kill(&self) {
        self.process.as_ref().into_iter().for_each(|(_, child)| child.kill());
    }
}
