//! Clients that are none, vanish, wait or come in numbers: the server goes on.

use super::{client, Serving};
use crate::net::wire::{peer_kind, put, Kind, Opening, PeerKind, Status, Welcome, HELLO, OPENING, WELCOME};
use proptest::prelude::*;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

const OPEN: Opening = Opening {
    kind: Kind::Echo,
    zero_copy: false,
    delay: false,
    request: 1,
    response: 1,
    send_buffer: 0,
    receive_buffer: 0,
    low_water: 0,
};

fn status(address: SocketAddr, opening: &[u8]) -> Option<Status> {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(opening).unwrap();
    let mut answer = [0; WELCOME];
    socket.read_exact(&mut answer).ok()?;
    assert_eq!(peer_kind(answer[..8].try_into().unwrap()), PeerKind::SameVersion);
    Some(Welcome::read(answer[8..].try_into().unwrap()).unwrap().status)
}

#[test]
fn a_server_turns_strangers_away_and_goes_on() {
    let server = Serving::begin();
    let mut stranger = TcpStream::connect(server.address).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // Closed without a word, or reset because its request was not read to the end.
    let _ = stranger.read_to_end(&mut answer);
    assert_eq!(answer, b"");
    client("request-response", server.address, &[], 1).unwrap();
    server.end();
}

#[test]
fn openings_that_make_no_sense_are_refused_in_words() {
    let server = Serving::begin();
    let mut earlier = OPEN.bytes();
    earlier[6] = b'1';
    assert_eq!(status(server.address, &earlier[..24]), Some(Status::NotUnderstood));
    let datagrams = |request| Opening { kind: Kind::Datagrams, request, response: 16, ..OPEN }.bytes();
    assert_eq!(status(server.address, &datagrams(15)), Some(Status::NotUnderstood));
    assert_eq!(status(server.address, &datagrams(65_508)), Some(Status::NotUnderstood));
    assert_eq!(status(server.address, &datagrams(16)), Some(Status::Welcome));
    client("request-response", server.address, &[], 1).unwrap();
    server.end();
}

/// What a client might send: an opening of any kind, changed in a few places, and then any data.
fn sent() -> impl Strategy<Value = Vec<u8>> {
    let opening = (0u64..6, 0u64..4, prop::array::uniform5(0u64..5000)).prop_map(|(kind, flags, sizes)| {
        let mut bytes = OPEN.bytes();
        put(&[kind, flags], &mut bytes[8..]);
        put(&sizes, &mut bytes[24..]);
        bytes.to_vec()
    });
    let changes = prop::collection::vec((0..OPENING, any::<u8>()), 0..3);
    (opening, changes, prop::collection::vec(any::<u8>(), 0..6000), any::<prop::sample::Index>()).prop_map(
        |(mut bytes, changes, data, end)| {
            changes.into_iter().for_each(|(at, byte)| bytes[at] = byte);
            bytes.extend(data);
            // Some clients end in the middle of their opening.
            bytes.truncate(end.index(bytes.len()) + 1);
            bytes
        },
    )
}

#[test]
fn a_server_outlives_whatever_clients_send() {
    let server = Serving::begin();
    let cases = ProptestConfig::default().cases / 8; // each has to be waited for
    proptest!(ProptestConfig::with_cases(cases), |(bytes in sent())| {
        let mut socket = TcpStream::connect(server.address).unwrap();
        // Generous: the connection ends because the client does.
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may have closed the connection already.
        let _ = socket.write_all(&bytes).and_then(|()| socket.shutdown(Shutdown::Write));
        let mut answer = Vec::new();
        if let Err(cause) = socket.read_to_end(&mut answer) {
            prop_assert!(matches!(cause.kind(), ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted), "{}", cause);
        }
        prop_assert!(answer.is_empty() || answer.starts_with(&HELLO));
    });
    client("request-response", server.address, &[], 1).unwrap();
    server.end();
}

#[test]
fn memory_for_messages_is_bounded() {
    let server = Serving::begin();
    let large = Opening { request: 64 << 20, response: 64 << 20, ..OPEN }.bytes();
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut socket = TcpStream::connect(server.address).unwrap();
        socket.write_all(&large).unwrap();
        let mut answer = [0; WELCOME];
        socket.read_exact(&mut answer).unwrap();
        held.push((Welcome::read(answer[8..].try_into().unwrap()).unwrap().status, socket));
    }
    let refusals = held.iter().filter(|(status, _)| *status == Status::OutOfMemory).count();
    assert_eq!(refusals, 1);
    drop(held);
    server.end();
}

#[test]
fn datagrams_of_no_session_are_ignored() {
    let server = Serving::begin();
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    for length in [0, 1, 15, 16, 1000, 65_507] {
        stranger.send_to(&vec![7; length], server.address).unwrap();
    }
    let outcome = client("udp-request-response", server.address, &[], 1).unwrap();
    assert!(outcome.value > 0.0);
    server.end();
}

#[test]
fn a_thousand_connections_are_served_and_more_are_turned_away_in_words() {
    let server = Serving::begin();
    let mut open = Vec::new();
    for number in 0u64..1020 {
        let mut socket = TcpStream::connect(server.address).unwrap();
        // Every third says nothing, every fifth breaks off, the others are served.
        match number {
            number if number % 3 == 0 => {}
            number if number % 5 == 0 => socket.write_all(&HELLO).unwrap(),
            _ => {
                socket.write_all(&OPEN.bytes()).unwrap();
                socket.read_exact(&mut [0; WELCOME]).unwrap();
                socket.write_all(&[1]).unwrap();
                socket.read_exact(&mut [0]).unwrap();
            }
        }
        open.push(socket);
    }
    client("request-response", server.address, &[], 1).unwrap();
    for _ in 0..10 {
        open.push(TcpStream::connect(server.address).unwrap());
    }
    let deadline = Instant::now() + Duration::from_secs(2);
    while status(server.address, &OPEN.bytes()) != Some(Status::Full) {
        assert!(Instant::now() < deadline);
    }
    let failure = client("stream", server.address, &[], 1).unwrap_err();
    assert!(failure.message.contains("serves as many connections as it can"), "{failure}");
    drop(open);
    let served = loop {
        match client("request-response", server.address, &[], 1) {
            Ok(outcome) => break outcome,
            Err(failure) => assert!(Instant::now() < deadline + Duration::from_secs(5), "{failure}"),
        }
    };
    assert!(served.value > 0.0);
    server.end();
}

#[test]
fn a_server_ends_while_clients_wait() {
    let server = Serving::begin();
    let mut waiting = Vec::new();
    for kind in [Kind::Sink, Kind::Source, Kind::Echo, Kind::Transactions, Kind::Datagrams] {
        let mut socket = TcpStream::connect(server.address).unwrap();
        socket.write_all(&Opening { kind, request: 16, response: 16, ..OPEN }.bytes()).unwrap();
        socket.read_exact(&mut [0; WELCOME]).unwrap();
        waiting.push(socket);
    }
    waiting.push(TcpStream::connect(server.address).unwrap());
    waiting[2].write_all(&[0; OPENING]).unwrap();
    server.end();
}

/// A server that compares nothing would call every stream right.
#[test]
fn a_server_finds_other_bytes_than_those_of_the_pattern() {
    use crate::net::peer::Peer;
    use crate::net::wire::Report;
    let server = Serving::begin();
    let peer = Peer { address: server.address, control: Default::default() };
    let size = 4096;
    for (kind, units) in [(Kind::Sink, 1), (Kind::Echo, 1)] {
        for wrong in [None, Some(0), Some(100), Some(size - 1)] {
            let opening = Opening { kind, request: size, ..OPEN };
            let mut link = peer.dial(&opening).unwrap();
            let mut data = crate::net::messages::message(size).unwrap();
            if kind == Kind::Echo {
                data[..8].copy_from_slice(&1u64.to_le_bytes());
            }
            if let Some(at) = wrong {
                data[at] ^= 1;
            }
            peer.send(&mut link.socket, &data).unwrap();
            let Report { bytes, units: found, faults, .. } = peer.hang_up(&mut link.socket, &mut |_| ()).unwrap();
            assert_eq!((bytes, found, faults > 0), (size as u64, units, wrong.is_some()), "{kind:?} {wrong:?}");
        }
    }
    server.end();
}
