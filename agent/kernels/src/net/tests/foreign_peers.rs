//! Peers that are none, speak another version, lie or vanish: one clear sentence for each, never a number.

use super::{client, measures, run, task, task_of_client, text};
use crate::net::wire::{number, put, Report, Status, Welcome, OPENING};
use crate::{find, make};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::Scalar::Integer;
use virtometer_protocol::{Code, Failure, Scalar};

/// A peer that answers each opening with `welcome` and then does something else.
fn foreign(welcome: Vec<u8>, act: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let act = Arc::new(act);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let (welcome, act) = (welcome.clone(), act.clone());
            std::thread::spawn(move || {
                socket.read_exact(&mut [0; OPENING]).unwrap();
                socket.write_all(&welcome).unwrap();
                act(socket);
            });
        }
    });
    address
}

fn welcome() -> Vec<u8> {
    welcome_with(0)
}

fn welcome_with(extra: u64) -> Vec<u8> {
    Welcome { extra, ..Welcome::refusal(Status::Welcome) }.bytes().to_vec()
}

/// Receives a stream and confirms it; the report is altered.
fn sink(alter: impl Fn(&mut Report) + Send + Sync + 'static) -> SocketAddr {
    foreign(welcome(), move |mut socket| {
        let mut block = vec![0; 65_536];
        let mut report = Report::default();
        while let Ok(read @ 1..) = socket.read(&mut block) {
            report.bytes += read as u64;
            let _ = socket.write_all(&report.bytes.to_le_bytes());
        }
        alter(&mut report);
        let _ = socket.write_all(&report.bytes());
    })
}

/// Answers requests of 16 bytes with themselves, altered; the report is altered as well.
fn echo(
    alter: impl Fn(&mut [u8; 16], u64) + Send + Sync + 'static,
    end: impl Fn(&mut Report) + Send + Sync + 'static,
) -> SocketAddr {
    foreign(welcome(), move |mut socket| {
        let mut message = [0; 16];
        let mut report = Report::default();
        while socket.read_exact(&mut message).is_ok() {
            report.units += 1;
            alter(&mut message, report.units);
            let _ = socket.write_all(&message);
        }
        end(&mut report);
        let _ = socket.write_all(&report.bytes());
    })
}

fn refused(op: &str, peer: SocketAddr, parameters: &[(&str, Scalar)], sentence: &str) {
    let failure = client(op, peer, parameters, 1).err().unwrap_or_else(|| panic!("{op} has a result, not: {sentence}"));
    says(&failure, op, peer, sentence);
}

fn says(failure: &Failure, op: &str, peer: SocketAddr, sentence: &str) {
    assert_eq!(failure.code, Code::PeerFailed, "{failure}");
    assert!(failure.message.contains(sentence), "{op}: {failure}");
    assert!(failure.message.starts_with(&format!("the peer {peer} ")), "{failure}");
}

/// The peer answers ten requests at once, or what there is when none comes for a while. A client that waits for each
/// answer never has ten under way.
#[test]
fn an_open_loop_does_not_wait_for_answers() {
    static MOST: AtomicUsize = AtomicUsize::new(0);
    let peer = foreign(welcome(), |mut socket| {
        socket.set_read_timeout(Some(Duration::from_millis(60))).unwrap();
        let (mut held, mut have, mut report) = ([0; 160], 0, Report::default());
        loop {
            let waits = match socket.read(&mut held[have..]) {
                Ok(0) => break,
                Ok(more) => {
                    have += more;
                    have < held.len()
                }
                Err(_) => false,
            };
            if !waits {
                MOST.fetch_max(have / 16, Ordering::Relaxed);
                report.units += have as u64 / 16;
                let _ = socket.write_all(&held[..have]);
                have = 0;
            }
        }
        let _ = socket.write_all(&report.bytes());
    });
    let parameters = [("size", Integer(16)), ("rate", Integer(1000))];
    assert!(client("open-loop", peer, &parameters, 1).is_ok());
    assert_eq!(MOST.load(Ordering::Relaxed), 10);
}

#[test]
fn a_stream_that_is_counted_wrongly_is_reported() {
    refused("stream", sink(|report| report.bytes -= 1), &[], "counted");
    refused("stream", sink(|report| report.faults = 1), &[], "received other bytes than it was sent");
    let too_many = foreign(welcome(), |mut socket| {
        let _ = socket.write_all(&(1u64 << 40).to_le_bytes());
        while let Ok(1..) = socket.read(&mut [0; 65_536]) {}
    });
    refused("stream", too_many, &[], "confirmed 1099511627776 bytes of");
    let backwards = foreign(welcome(), |mut socket| {
        for count in [2u64, 1] {
            let _ = socket.read(&mut [0; 65_536]);
            let _ = socket.write_all(&count.to_le_bytes());
        }
        while let Ok(1..) = socket.read(&mut [0; 65_536]) {}
    });
    refused("stream", backwards, &[], "confirmed 1 bytes");
}

#[test]
fn a_received_stream_with_other_bytes_or_another_length_is_reported() {
    let source = |fill: u8, missing: u64| {
        foreign(welcome(), move |mut socket| {
            let _ = socket.set_read_timeout(Some(Duration::from_micros(1)));
            let mut report = Report::default();
            let message = if fill == 0 { crate::net::messages::message(65_536).unwrap() } else { vec![fill; 65_536] };
            while !matches!(socket.read(&mut [0]), Ok(0)) && socket.write_all(&message).is_ok() {
                report.bytes += 65_536;
                report.units += 1;
            }
            report.bytes -= missing;
            let _ = socket.write_all(&report.bytes());
        })
    };
    let parameters = [("direction", text("receive")), ("size", Integer(65_536))];
    assert!(client("stream", source(0, 0), &parameters, 1).is_ok());
    refused("stream", source(7, 0), &parameters, "sent other bytes than its pattern, from byte");
    refused("stream", source(0, 1), &parameters, "have arrived");
}

#[test]
fn answers_with_other_bytes_or_another_count_are_reported() {
    for connections in [1, 3] {
        let parameters = [("size", Integer(16)), ("connections", Integer(connections))];
        assert!(client("request-response", echo(|_, _| (), |_| ()), &parameters, 1).is_ok());
        for byte in [0, 9] {
            let wrong = echo(move |message, _| message[byte] ^= 1, |_| ());
            refused("request-response", wrong, &parameters, "sent back other bytes");
        }
        let once = echo(|message, number| message[0] ^= u8::from(number == 100), |_| ());
        // In one iteration, which is long enough however slow the round trips are.
        let (kernel, op) = find("net", "request-response").unwrap();
        let mut worker = make(kernel, op, &task_of_client(op.name, once, &parameters)).unwrap()(0).unwrap();
        worker.setup(1000).unwrap();
        says(&worker.run(1000).unwrap_err(), op.name, once, "sent back other bytes");
        refused("request-response", echo(|_, _| (), |report| report.units += 1), &parameters, "counted");
        refused("request-response", echo(|_, _| (), |report| report.faults = 1), &parameters, "received other bytes");
    }
    let parameters = [("size", Integer(16)), ("rate", Integer(1000))];
    refused("open-loop", echo(|message, _| message[15] ^= 1, |_| ()), &parameters, "sent back other bytes");
    refused("open-loop", echo(|_, _| (), |report| report.units += 1), &parameters, "counted");
}

#[test]
fn transactions_with_other_bytes_or_another_count_are_reported() {
    let transactions = |flip: u8, more: u64, tail: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let count = Arc::new(std::sync::atomic::AtomicU64::new(more));
        let counter = count.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (mut socket, mut message) = (socket.unwrap(), [0; 16]);
                if socket.read_exact(&mut message).is_ok() {
                    message[8] ^= flip;
                    counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    let _ = socket.write_all(&[&message, tail].concat());
                }
            }
        });
        foreign(welcome_with(port.into()), move |mut socket| {
            while let Ok(1..) = socket.read(&mut [0; 64]) {}
            let units = count.load(std::sync::atomic::Ordering::SeqCst);
            let _ = socket.write_all(&Report { units, ..Report::default() }.bytes());
        })
    };
    let parameters = [("size", Integer(16))];
    assert!(client("connect", transactions(0, 0, b""), &parameters, 1).is_ok());
    refused("connect", transactions(1, 0, b""), &parameters, "sent back other bytes");
    refused("connect", transactions(0, 1, b""), &parameters, "counted");
    // Whoever does not wait for the end of the connection does not see it.
    refused("connect", transactions(0, 0, b"."), &parameters, "sent more than its response");
    refused(
        "connect",
        foreign(welcome_with(1), |_| std::thread::sleep(Duration::from_secs(1))),
        &parameters,
        "took no connection on its port 1",
    );
    refused("connect", foreign(welcome_with(1 << 16), |_| ()), &parameters, "names a port that does not exist");
}

/// A peer with a session, of which it counts what `alter` makes of it.
fn session(alter: impl Fn(&mut Report) + Send + Sync + 'static) -> SocketAddr {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let datagrams = match UdpSocket::bind(address) {
            Ok(datagrams) => datagrams,
            Err(_) => continue,
        };
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            socket.read_exact(&mut [0; OPENING]).unwrap();
            socket.write_all(&welcome_with(7)).unwrap();
            socket.set_nonblocking(true).unwrap();
            let (mut report, mut block, mut sent) = (Report::default(), [0; 2048], [0; 8]);
            datagrams.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            while socket.read(&mut sent).is_err() {
                if let Ok((length, from)) = datagrams.recv_from(&mut block) {
                    report.bytes += length as u64;
                    report.units += 1;
                    let mut altered = report;
                    alter(&mut altered);
                    let mut confirmation = [0; 24];
                    put(&[number(&block, 0), altered.bytes, altered.units], &mut confirmation);
                    let _ = datagrams.send_to(&confirmation, from);
                }
            }
            report.faults = u64::from(report.units == 0);
            alter(&mut report);
            let _ = socket.write_all(&report.bytes());
        });
        return address;
    }
}

#[test]
fn datagrams_that_are_counted_wrongly_are_reported() {
    let parameters = [("rate", Integer(5_000_000))];
    assert!(client("udp-stream", session(|_| ()), &parameters, 1).is_ok());
    refused("udp-stream", session(|report| report.bytes -= 1), &parameters, "datagrams with");
    refused("udp-stream", session(|report| (report.units, report.bytes) = (1 << 40, 1472 << 40)), &parameters, "of");
    refused("udp-stream", session(|report| report.faults = 3), &parameters, "received 3 datagrams with other bytes");
}

/// A peer with a session that sends `answers` to each datagram, and makes its report from how many it was sent.
fn answering(
    answers: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static,
    report: impl Fn(u64) -> Report + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let datagrams = UdpSocket::bind(address).unwrap();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.read_exact(&mut [0; OPENING]).unwrap();
        socket.write_all(&welcome_with(7)).unwrap();
        socket.set_nonblocking(true).unwrap();
        datagrams.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let (mut block, mut sent) = ([0; 2048], [0; 8]);
        while socket.read(&mut sent).is_err() {
            if let Ok((length, from)) = datagrams.recv_from(&mut block) {
                for answer in answers(&block[..length]) {
                    let _ = datagrams.send_to(&answer, from);
                }
            }
        }
        let _ = socket.write_all(&report(u64::from_le_bytes(sent)).bytes());
    });
    address
}

#[test]
fn the_answer_to_an_earlier_datagram_is_not_that_to_the_last_one() {
    let answers = |request: &[u8]| {
        let right = request.to_vec();
        let mut late = right.clone();
        put(&[number(request, 1).wrapping_sub(1)], &mut late[8..]);
        late[20] ^= 1;
        vec![late, right]
    };
    let peer = answering(answers, |units| Report { units, bytes: 24 * units, ..Report::default() });
    let (kernel, op) = find("net", "udp-request-response").unwrap();
    let task = task_of_client(op.name, peer, &[("size", Integer(24))]);
    let mut worker = make(kernel, op, &task).unwrap()(0).unwrap();
    for _ in 0..3 {
        worker.run(1).unwrap();
        assert!(worker.verify().is_ok());
    }
    assert!(worker.finish().is_ok());
}

#[test]
fn lost_is_what_the_peer_did_not_receive() {
    let units = std::sync::atomic::AtomicU64::new(0);
    let confirm_half = move |datagram: &[u8]| {
        let half = units.fetch_add(1, std::sync::atomic::Ordering::SeqCst) / 2;
        let mut confirmation = vec![0; 24];
        put(&[number(datagram, 0), 1472 * half, half], &mut confirmation);
        vec![confirmation]
    };
    let (tell, told) = std::sync::mpsc::channel();
    let peer = answering(confirm_half, move |sent| {
        let units = sent - sent / 4;
        tell.send((sent, units)).unwrap();
        Report { units, bytes: 1472 * units, ..Report::default() }
    });
    let outcome = client("udp-stream", peer, &[("rate", Integer(5_000_000))], 1).unwrap();
    let (sent, units) = told.recv().unwrap();
    let loss = 1.0 - units as f64 / sent as f64;
    assert!((measures(&outcome)["loss"] - loss).abs() < 1e-12, "{sent} {units} {:?}", measures(&outcome));
}

#[test]
fn peers_that_are_none_are_reported() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    refused("stream", closed, &[], "refused the connection; does an agent serve there?");
    let other_program = foreign(b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), |_| ());
    refused("stream", other_program, &[], "does not answer as an agent that serves");
    refused("stream", foreign(Vec::new(), |_| ()), &[], "closed the connection without an answer");
    let mut later = welcome();
    later[6] = b'4';
    let sentence = "speaks version 4 of the network's format, this agent speaks 3";
    refused("stream", foreign(later, |_| ()), &[], sentence);
    let answers = [
        (Status::Full, "serves as many connections as it can"),
        (Status::NotUnderstood, "does not know what is asked of it"),
        (Status::OutOfMemory, "has no memory"),
        (Status::NoSocket, "cannot open a further socket"),
    ];
    for (status, sentence) in answers {
        refused("stream", foreign(Welcome::refusal(status).bytes().to_vec(), |_| ()), &[], sentence);
    }
}

#[test]
fn peers_that_vanish_are_reported() {
    let leaves = || foreign(welcome(), |mut socket| drop(socket.read_exact(&mut [0; 16])));
    for op in ["stream", "request-response", "open-loop"] {
        refused(op, leaves(), &[("size", Integer(16))], "closed the connection");
    }
    refused("stream", foreign(welcome(), |_| ()), &[("direction", text("receive"))], "closed the connection");
}

#[test]
fn peers_that_fall_silent_are_given_up() {
    let silent = |greeting: Vec<u8>| foreign(greeting, |_| std::thread::sleep(Duration::from_secs(20)));
    refused("stream", silent(Vec::new()), &[], "was silent for");
    for op in ["stream", "request-response", "open-loop"] {
        refused(op, silent(welcome()), &[], "was silent for");
    }
    refused("udp-stream", silent(welcome()), &[], "");
}

#[test]
fn a_run_with_a_silent_peer_can_be_stopped() {
    for op in ["stream", "request-response", "open-loop", "connect"] {
        // Transactions need a port that such a greeting does not name.
        let greetings = if op == "connect" { vec![Vec::new()] } else { vec![Vec::new(), welcome()] };
        for greeting in greetings {
            let peer = foreign(greeting, |_| std::thread::sleep(Duration::from_secs(20)));
            let task = task(op, &[("peer", text(&peer.to_string()))]);
            let control = task.control.clone();
            let thread = std::thread::spawn(move || run(&task));
            std::thread::sleep(Duration::from_millis(100));
            control.stop();
            let failure = thread.join().unwrap().unwrap_err();
            assert!(failure.message.ends_with("when the run was stopped"), "{op}: {}", failure.message);
        }
    }
}
