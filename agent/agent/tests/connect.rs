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

#[cfg(unix)]
#[test]
fn the_agent_connects_to_a_socket_with_a_path() {
    let path = std::env::temp_dir().join(format!("virtometer-connect-{}", std::process::id()));
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let address = format!("unix:{}", path.display());
    let mut child = program::agent().args(["connect", &address]).stdin(Stdio::null()).spawn().unwrap();
    let (socket, _) = listener.accept().unwrap();
    std::fs::remove_file(&path).unwrap();
    program::converse(socket.try_clone().unwrap(), socket);
    assert!(child.wait().unwrap().success());
}
