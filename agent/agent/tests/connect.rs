//! A connection that the agent opens itself.
#![allow(missing_docs, clippy::unwrap_used)]

mod program;

use std::net::TcpListener;
use std::process::Stdio;

#[test]
fn the_agent_dials_home() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut child = program::agent().args(["connect", &address]).stdin(Stdio::null()).spawn().unwrap();
    let (socket, _) = listener.accept().unwrap();
    program::converse(socket.try_clone().unwrap(), socket);
    assert!(child.wait().unwrap().success());
}
