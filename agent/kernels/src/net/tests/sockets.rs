//! Every operation uses the sockets that its name says, as the kernel shows its system calls.
#![allow(clippy::unwrap_used)]
#![allow(clippy::cast_sign_loss)] // flags and kinds

use super::{task_of_client, Serving};
use crate::net::OPS;
use crate::tests::system_calls::{system_calls, Call};
use crate::{find, make};
use std::net::SocketAddr;
use virtometer_protocol::Scalar;
use virtometer_protocol::Scalar::Integer;

/// The calls of a client that connects and makes so many repeats.
fn calls(op: &str, server: SocketAddr, given: &[(&str, Scalar)], repeats: u64) -> Option<Vec<Call>> {
    let (kernel, op) = find("net", op).unwrap();
    let task = task_of_client(op.name, server, given);
    system_calls(|| {
        let mut worker = make(kernel, op, &task).unwrap()(0).unwrap();
        worker.setup(repeats).unwrap();
        worker.run(repeats).unwrap();
    })
}

/// Sockets of a kind that were made.
fn made(calls: &[Call], kind: i32) -> u64 {
    let flags = (libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK) as u64;
    let of_kind = |call: &&Call| call.number == libc::SYS_socket && call.arguments[1] & !flags == kind as u64;
    calls.iter().filter(of_kind).count() as u64
}

/// Operation and parameters; sockets of TCP and UDP at first, of TCP for each repeat; bytes of a message, and how many
/// are sent for each repeat where that is known.
type Row<'a> = (&'a str, Vec<(&'a str, Scalar)>, [u64; 3], u64, Option<u64>);

#[test]
fn every_operation_uses_the_sockets_that_its_name_says() {
    let sizes = vec![("request", Integer(100)), ("response", Integer(20))];
    let with = |connections| [&sizes[..], &[("connections", Integer(connections))]].concat();
    let size = |size| vec![("size", Integer(size))];
    let rows: [Row<'_>; 8] = [
        ("stream", size(5000), [1, 0, 0], 5000, None),
        ("stream", [size(5000), vec![("connections", Integer(3))]].concat(), [3, 0, 0], 5000, None),
        ("request-response", sizes.clone(), [1, 0, 0], 100, Some(1)),
        ("request-response", with(3), [3, 0, 0], 100, None),
        ("connect", sizes.clone(), [1, 0, 1], 100, Some(1)),
        ("open-loop", with(2), [2, 0, 0], 0, None),
        ("udp-stream", size(900), [1, 1, 0], 900, None),
        ("udp-request-response", sizes.clone(), [1, 1, 0], 100, Some(1)),
    ];
    assert!(OPS.iter().all(|op| op.name == "serve" || rows.iter().any(|row| row.0 == op.name)));
    let server = Serving::begin();
    for (op, given, [tcp, udp, each], length, sends) in rows {
        for repeats in [1, 20] {
            let calls = match calls(op, server.address, &given, repeats) {
                Some(calls) => calls,
                None => return, // this system lets nobody trace
            };
            let sockets = (made(&calls, libc::SOCK_STREAM), made(&calls, libc::SOCK_DGRAM));
            assert_eq!(sockets, (tcp + each * repeats, udp), "{op} {given:?}");
            let sent = calls.iter().filter(|call| call.number == libc::SYS_sendto && call.arguments[2] == length);
            let sent = sent.count() as u64;
            // The generator of an open loop is a thread of its own, which is not traced.
            assert!(length == 0 || sends.map_or(sent > 0, |sends| sent == sends * repeats), "{op} {given:?}: {sent}");
        }
    }
    server.end();
}
