//! What the two ends say to each other beside the data. All numbers are little-endian.
//!
//! The client opens with 24 bytes: magic, kind, zero, message size. The server answers with 8 bytes. Then the client
//! sends data, and the server sends counters of 8 bytes (stream) or every message back (exchange). When the client has closed its
//! direction, the server sends its final count with the highest bit set, and closes.

/// Begins a connection; the digit is the version.
pub(super) const HELLO: [u8; 8] = *b"VMTNET1\n";

/// The server's answer to an opening that it understands.
pub(super) const WELCOME: [u8; 8] = *b"VMTNETOK";

/// Marks the final count.
pub(super) const FINAL: u64 = 1 << 63;

/// Bytes of an opening.
pub(super) const OPENING: usize = 24;

/// Largest message that a server accepts.
pub(super) const LARGEST: u64 = 1 << 30;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Stream,
    Exchange,
}

pub(super) fn opening(kind: Kind, size: usize) -> [u8; OPENING] {
    let mut bytes = [0; OPENING];
    bytes[..8].copy_from_slice(&HELLO);
    bytes[8] = match kind {
        Kind::Stream => 1,
        Kind::Exchange => 2,
    };
    bytes[16..].copy_from_slice(&(size as u64).to_le_bytes());
    bytes
}

/// What an opening asks for, `None` where it is not one.
pub(super) fn read_opening(bytes: &[u8; OPENING]) -> Option<(Kind, usize)> {
    let mut size = [0; 8];
    size.copy_from_slice(&bytes[16..]);
    let size = u64::from_le_bytes(size);
    let kind = match bytes[8] {
        1 => Kind::Stream,
        2 => Kind::Exchange,
        _ => return None,
    };
    if bytes[..8] != HELLO || bytes[9..16] != [0; 7] || size == 0 || size > LARGEST {
        return None;
    }
    Some((kind, usize::try_from(size).ok()?))
}
