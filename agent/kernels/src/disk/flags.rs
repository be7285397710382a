//! The flags of an open file.

/// How the system is to open a file, or has opened it: to be read, and what else.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flags {
    pub(super) write: bool,
    pub(super) create: bool,
    pub(super) direct: bool,
    pub(super) synchronous: bool,
}
