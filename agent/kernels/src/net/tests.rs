#![allow(clippy::unwrap_used)]

use crate::{find, make};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use virtometer_protocol::{Code, Failure, Parameters, Scalar};
use virtometer_sampling::{prepare, CheckValue, Control, Outcome, Task};

fn task(op: &str, parameters: &[(&str, Scalar)]) -> Task {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let control = Arc::new(Control::default());
    Task { op: op.into(), parameters: Parameters(parameters), threads: 1, cpus: None, seconds: 0.05, control }
}

fn client(op: &str, peer: SocketAddr, size: i64, threads: usize) -> Result<Outcome, Failure> {
    let peer = Scalar::Text(peer.to_string());
    let mut task = task(op, &[("peer", peer), ("size", Scalar::Integer(size))]);
    task.threads = threads;
    let (kernel, op) = find("net", op)?;
    prepare(&task, op.unit, &make(kernel, op, &task)?)?.run(&mut |_| ())
}

/// A server as the agent runs it, and what it reports when it is stopped.
fn serve() -> (SocketAddr, Arc<Control>, JoinHandle<Outcome>) {
    let task = task("serve", &[("listen", Scalar::Text("127.0.0.1:0".into()))]);
    let control = task.control.clone();
    let (send, receive) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let (kernel, op) = find("net", "serve").unwrap();
        let prepared = prepare(&task, op.unit, &make(kernel, op, &task).unwrap()).unwrap();
        send.send(prepared.conditions()["address"].parse().unwrap()).unwrap();
        prepared.run(&mut |_| ()).unwrap()
    });
    (receive.recv().unwrap(), control, thread)
}

/// A peer that answers the opening and then does something else.
fn foreign(act: impl FnOnce(std::net::TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.read_exact(&mut [0; 24]).unwrap();
        act(socket);
    });
    address
}

fn counted(check: CheckValue) -> u64 {
    match check {
        CheckValue::Bytes(count) | CheckValue::Count(count) => count,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_ends_count_the_same() {
    let (address, control, server) = serve();
    let mut stream = 0;
    for (size, threads) in [(1, 1), (1000, 1), (131_072, 2)] {
        stream += counted(client("stream", address, size, threads).unwrap().check);
    }
    let mut exchange = 0;
    for (size, threads) in [(1, 1), (7, 2), (100_000, 1)] {
        let outcome = client("request-response", address, size, threads).unwrap();
        exchange += counted(outcome.check) * u64::try_from(size).unwrap();
    }
    control.stop();
    let served = server.join().unwrap();
    assert_eq!(counted(served.check), stream + exchange);
    assert_eq!((served.count, served.stopped), (1, true));
}

#[test]
fn a_peer_that_counts_other_bytes_is_reported() {
    let wrong = foreign(|mut socket| {
        socket.write_all(b"VMTNETOK").unwrap();
        let mut block = [0; 65_536];
        let mut count = 0u64;
        while let Ok(read @ 1..) = socket.read(&mut block) {
            count += read as u64;
            socket.write_all(&count.to_le_bytes()).unwrap();
        }
        socket.write_all(&((count - 1) | 1 << 63).to_le_bytes()).unwrap();
    });
    let failure = client("stream", wrong, 4096, 1).unwrap_err();
    assert_eq!(failure.code, Code::PeerFailed);
    assert!(failure.message.contains("counted"), "{failure}");
}

#[test]
fn a_peer_that_sends_back_other_bytes_is_reported() {
    let wrong = foreign(|mut socket| {
        socket.write_all(b"VMTNETOK").unwrap();
        let mut message = [0; 16];
        while socket.read_exact(&mut message).is_ok() {
            message[9] ^= 1;
            socket.write_all(&message).unwrap();
        }
    });
    let failure = client("request-response", wrong, 16, 1).unwrap_err();
    assert_eq!(failure.code, Code::PeerFailed);
    assert!(failure.message.contains("other bytes"), "{failure}");
}

#[test]
fn peers_that_are_none_are_reported() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let other_program = foreign(|mut socket| socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap());
    let vanishes = foreign(|mut socket| {
        socket.write_all(b"VMTNETOK").unwrap();
        socket.read_exact(&mut [0; 1000]).unwrap();
    });
    for (peer, words) in [(closed, "refused"), (other_program, "does not answer as an agent"), (vanishes, "closed")] {
        let failure = client("stream", peer, 4096, 1).unwrap_err();
        assert_eq!(failure.code, Code::PeerFailed);
        assert!(failure.message.contains(words), "{failure}");
    }
}

#[test]
fn a_server_turns_strangers_away_and_goes_on() {
    let (address, control, server) = serve();
    let mut stranger = std::net::TcpStream::connect(address).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // Closed without a word, or reset because its request was not read to the end.
    let _ = stranger.read_to_end(&mut answer);
    assert_eq!(answer, b"");
    client("request-response", address, 1, 1).unwrap();
    control.stop();
    server.join().unwrap();
}

#[test]
fn a_port_in_use_is_one_clear_sentence() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let task = task("serve", &[("listen", Scalar::Text(address.to_string()))]);
    let (kernel, op) = find("net", "serve").unwrap();
    let failure = prepare(&task, op.unit, &make(kernel, op, &task).unwrap()).err().unwrap();
    assert_eq!(failure.message, format!("cannot listen on {address}: {}", words(libc::EADDRINUSE)));
}

/// The C library's words for an error, without its number.
fn words(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    text.split(" (os error").next().unwrap().to_owned()
}
