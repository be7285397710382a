//! What the two ends say to each other beside the data, version 3. All numbers are 64-bit and little-endian.
//!
//! Over TCP the client opens with [`Opening`] (64 bytes), the server answers with [`Welcome`] (64 bytes). Then follows
//! what the [`Kind`] says. When the client has closed its direction, the server ends with [`Report`] (40 bytes) and
//! closes. Datagrams begin with two numbers: the session, which the welcome named, and the datagram's own. Data is the
//! pattern of [`crate::pattern`], beginning anew with each message.

/// Begins both directions of a connection; the digit is the version.
pub(super) const HELLO: [u8; 8] = *b"VMTNET3\n";

/// With what every version's greeting begins.
const FAMILY: &[u8] = b"VMTNET";

/// Marks the first number of a report, which no count reaches.
pub(super) const FINAL: u64 = 1 << 63;

/// Largest message, bytes.
pub(super) const LARGEST: u64 = 64 << 20;

/// Bytes at the head of a datagram.
pub(super) const HEAD: usize = 16;

/// Largest datagram that IPv4 carries, bytes.
pub(super) const LARGEST_DATAGRAM: u64 = 65_507;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The client sends a stream; the server sends now and then how many bytes it has received.
    Sink,
    /// The server sends messages until the client closes its direction.
    Source,
    /// The server answers each request with a response.
    Echo,
    /// The server listens on a further port. On each connection there it answers one request and closes.
    Transactions,
    /// The client sends datagrams; the server sends datagrams with what it has received.
    Datagrams,
    /// The server answers each datagram with one.
    DatagramEcho,
}

const KINDS: [Kind; 6] =
    [Kind::Sink, Kind::Source, Kind::Echo, Kind::Transactions, Kind::Datagrams, Kind::DatagramEcho];

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opening {
    pub(super) kind: Kind,
    /// The server is to send without copying, where it can.
    pub(super) zero_copy: bool,
    /// Small pieces wait for the confirmation of earlier ones.
    pub(super) delay: bool,
    /// Bytes of a request or message, 1 to [`LARGEST`].
    pub(super) request: usize,
    /// Bytes of a response, 1 to [`LARGEST`].
    pub(super) response: usize,
    /// Wanted size of the sockets' buffers, bytes; 0 leaves them to the system.
    pub(super) send_buffer: usize,
    pub(super) receive_buffer: usize,
    /// Bytes of a stream that have to arrive before its receiver is woken; 0 leaves that to the system.
    pub(super) low_water: usize,
}

/// Whether a server does what a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Welcome,
    /// It has as many connections as it serves at once.
    Full,
    /// It speaks another version, or does not know what is asked.
    NotUnderstood,
    OutOfMemory,
    /// It could not open a further socket.
    NoSocket,
}

const STATUSES: [Status; 5] =
    [Status::Welcome, Status::Full, Status::NotUnderstood, Status::OutOfMemory, Status::NoSocket];

/// A server's answer to an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Welcome {
    pub(super) status: Status,
    /// Processors that the server may use, 0 where it does not know.
    pub(super) cpus: u64,
    /// Sizes of its socket's buffers, bytes.
    pub(super) send_buffer: u64,
    pub(super) receive_buffer: u64,
    /// Bytes that have to arrive before the server is woken, as its system has it.
    pub(super) low_water: u64,
    /// Whether it sends without copying.
    pub(super) zero_copy: bool,
    /// Transactions: the further port. Datagrams: the session.
    pub(super) extra: u64,
}

/// What a server found over a whole connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// Bytes of data received; of a source, sent.
    pub(super) bytes: u64,
    /// Requests answered, messages sent, datagrams received.
    pub(super) units: u64,
    /// Processor time of the server for this connection, ns; 0 where it does not know.
    pub(super) cpu_ns: u64,
    /// Times that the data was wrong.
    pub(super) faults: u64,
    /// Datagrams that were overtaken by a later one.
    pub(super) reordered: u64,
}

/// Bytes of an opening, a welcome, a report.
pub(super) const OPENING: usize = 64;
pub(super) const WELCOME: usize = 64;
pub(super) const REPORT: usize = 40;

/// The kind of peer, by its first eight bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PeerKind {
    SameVersion,
    /// An agent of another version, which is named.
    OtherVersion(String),
    Unknown,
}

pub(super) fn peer_kind(first: [u8; 8]) -> PeerKind {
    if first == HELLO {
        PeerKind::SameVersion
    } else if first.starts_with(FAMILY) {
        let version = String::from_utf8_lossy(&first[FAMILY.len()..]);
        PeerKind::OtherVersion(version.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
    } else {
        PeerKind::Unknown
    }
}

/// Number `index` of `bytes`.
pub(super) fn number(bytes: &[u8], index: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[index * 8..index * 8 + 8]);
    u64::from_le_bytes(number)
}

/// Write `numbers` to the beginning of `bytes`.
pub(super) fn put(numbers: &[u64], bytes: &mut [u8]) {
    for (number, place) in numbers.iter().zip(bytes.chunks_exact_mut(8)) {
        place.copy_from_slice(&number.to_le_bytes());
    }
}

impl Opening {
    pub(super) fn bytes(&self) -> [u8; OPENING] {
        let flags = u64::from(self.zero_copy) | u64::from(self.delay) << 1;
        let mut bytes = [0; OPENING];
        bytes[..8].copy_from_slice(&HELLO);
        let sizes = [self.request, self.response, self.send_buffer, self.receive_buffer, self.low_water];
        put(&[self.kind as u64, flags], &mut bytes[8..]);
        put(&sizes.map(|size| size as u64), &mut bytes[24..]);
        bytes
    }

    /// What follows the greeting; `None` where it asks for something that does not exist.
    pub(super) fn read(bytes: &[u8; OPENING - 8]) -> Option<Opening> {
        let size = |index, least| {
            let size = number(bytes, index);
            usize::try_from(size).ok().filter(|_| (least..=LARGEST).contains(&size))
        };
        let flags = number(bytes, 1);
        if flags > 3 {
            return None;
        }
        Some(Opening {
            kind: *KINDS.get(usize::try_from(number(bytes, 0)).ok()?)?,
            zero_copy: flags & 1 != 0,
            delay: flags & 2 != 0,
            request: size(2, 1)?,
            response: size(3, 1)?,
            send_buffer: size(4, 0)?,
            receive_buffer: size(5, 0)?,
            low_water: size(6, 0)?,
        })
    }
}

impl Welcome {
    pub(super) fn refusal(status: Status) -> Self {
        Welcome { status, cpus: 0, send_buffer: 0, receive_buffer: 0, low_water: 0, zero_copy: false, extra: 0 }
    }

    pub(super) fn bytes(&self) -> [u8; WELCOME] {
        let mut bytes = [0; WELCOME];
        bytes[..8].copy_from_slice(&HELLO);
        let zero_copy = u64::from(self.zero_copy);
        let sizes = [self.send_buffer, self.receive_buffer, self.low_water];
        put(&[self.status as u64, self.cpus], &mut bytes[8..]);
        put(&sizes, &mut bytes[24..]);
        put(&[zero_copy, self.extra], &mut bytes[48..]);
        bytes
    }

    /// What follows the greeting; `None` where it makes no sense.
    pub(super) fn read(bytes: &[u8; WELCOME - 8]) -> Option<Welcome> {
        Some(Welcome {
            status: *STATUSES.get(usize::try_from(number(bytes, 0)).ok()?)?,
            cpus: number(bytes, 1),
            send_buffer: number(bytes, 2),
            receive_buffer: number(bytes, 3),
            low_water: number(bytes, 4),
            zero_copy: number(bytes, 5) == 1,
            extra: number(bytes, 6),
        })
    }
}

impl Report {
    pub(super) fn bytes(&self) -> [u8; REPORT] {
        let mut bytes = [0; REPORT];
        put(&[self.bytes | FINAL, self.units, self.cpu_ns, self.faults, self.reordered], &mut bytes);
        bytes
    }

    /// `None` where it is not a report.
    pub(super) fn read(bytes: &[u8]) -> Option<Report> {
        if bytes.len() != REPORT || number(bytes, 0) & FINAL == 0 {
            return None;
        }
        Some(Report {
            bytes: number(bytes, 0) & !FINAL,
            units: number(bytes, 1),
            cpu_ns: number(bytes, 2),
            faults: number(bytes, 3),
            reordered: number(bytes, 4),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const OPEN: Opening = Opening {
        kind: Kind::Source,
        zero_copy: true,
        delay: false,
        request: 131_072,
        response: 1,
        send_buffer: 0,
        receive_buffer: 87_380,
        low_water: 262_144,
    };

    #[test]
    fn what_is_written_is_read() {
        for kind in KINDS {
            let bytes = Opening { kind, ..OPEN }.bytes();
            assert_eq!(bytes[..8], HELLO);
            assert_eq!(Opening::read(bytes[8..].try_into().unwrap()), Some(Opening { kind, ..OPEN }));
        }
        for status in STATUSES {
            let welcome = Welcome { cpus: 4, low_water: 3, extra: u64::MAX, ..Welcome::refusal(status) };
            assert_eq!(Welcome::read(welcome.bytes()[8..].try_into().unwrap()), Some(welcome));
        }
        let report = Report { bytes: 5, units: 4, cpu_ns: 3, faults: 2, reordered: 1 };
        assert_eq!(Report::read(&report.bytes()), Some(report));
    }

    #[test]
    fn an_opening_that_asks_for_what_does_not_exist_is_refused() {
        let with = |index: usize, value: u64| {
            let mut bytes = OPEN.bytes();
            put(&[value], &mut bytes[8 + index * 8..]);
            Opening::read(bytes[8..].try_into().unwrap())
        };
        for (index, value) in [(0, 6), (1, 4), (2, 0), (2, LARGEST + 1), (3, 0), (5, u64::MAX), (6, LARGEST + 1)] {
            assert_eq!(with(index, value), None, "number {index} is {value}");
        }
        assert!(with(2, LARGEST).is_some());
    }

    /// Numbers as a peer might send them: those that mean something, those at the ends of ranges, and any.
    fn numbers() -> impl Strategy<Value = Vec<u8>> {
        const ENDS: &[u64] = &[0, 1, 2, 3, 4, 5, 6, LARGEST, LARGEST + 1, FINAL - 1, FINAL, u64::MAX];
        let number = prop_oneof![prop::sample::select(ENDS), any::<u64>(), 0..=LARGEST];
        prop::collection::vec(number, 8).prop_map(|all| all.into_iter().flat_map(u64::to_le_bytes).collect())
    }

    proptest! {
        #[test]
        fn whatever_is_read_says_what_is_written(bytes in numbers()) {
            let opening = Opening::read(bytes[..OPENING - 8].try_into().unwrap());
            if let Some(opening) = opening {
                let sizes = [opening.request, opening.response, opening.send_buffer, opening.receive_buffer];
                prop_assert!(sizes.iter().all(|size| *size as u64 <= LARGEST) && opening.request * opening.response > 0);
                prop_assert_eq!(&opening.bytes()[8..], &bytes[..OPENING - 8]);
            }
            if let Some(welcome) = Welcome::read(bytes[..WELCOME - 8].try_into().unwrap()) {
                prop_assert_eq!(Welcome::read(welcome.bytes()[8..].try_into().unwrap()), Some(welcome));
            }
            if let Some(report) = Report::read(&bytes[..REPORT]) {
                prop_assert_eq!(&report.bytes()[..], &bytes[..REPORT]);
            }
            prop_assert_eq!(Report::read(&bytes), None);
            prop_assert_eq!(peer_kind(bytes[..8].try_into().unwrap()) == PeerKind::SameVersion, bytes[..8] == HELLO);
        }
    }

    #[test]
    fn who_speaks_is_told_by_the_first_bytes() {
        assert_eq!(peer_kind(HELLO), PeerKind::SameVersion);
        assert_eq!(peer_kind(*b"VMTNET2\n"), PeerKind::OtherVersion("2".into()));
        assert_eq!(peer_kind(*b"HTTP/1.1"), PeerKind::Unknown);
    }
}
