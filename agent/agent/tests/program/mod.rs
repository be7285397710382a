//! The agent under test.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Command;

/// The laboratory's greeting.
#[allow(dead_code)] // not every test that includes this file uses all of it
pub(crate) const HELLO: &[u8] =
    b"{\"magic\":\"virtometer\",\"protocol\":1,\"role\":\"laboratory\",\"version\":\"0\",\"capabilities\":[]}\n";
const PING: &[u8] = b"{\"id\":1,\"command\":\"ping\",\"arguments\":{}}\n";
const BYE: &[u8] = b"{\"id\":2,\"command\":\"bye\",\"arguments\":{}}\n";

/// A command that starts it: through `VIRTOMETER_TEST_RUNNER` (qemu-aarch64-static and the like) where this system does
/// not run the program directly.
#[allow(dead_code)] // as above
pub(crate) fn agent() -> Command {
    let program = env!("CARGO_BIN_EXE_virtometer-agent");
    runner().map_or_else(
        || Command::new(program),
        |runner| {
            let mut command = Command::new(runner);
            command.arg(program);
            command
        },
    )
}

/// The program that runs the agent, where there is one. Then the agent cannot execute itself.
#[allow(dead_code)] // as above
pub(crate) fn runner() -> Option<String> {
    std::env::var("VIRTOMETER_TEST_RUNNER").ok()
}

/// Greet, ping and part over a stream, and expect exactly three lines.
#[allow(dead_code)] // as above
pub(crate) fn converse(mut output: impl Write, input: impl Read) {
    let mut lines = BufReader::new(input).lines();
    let mut next = || lines.next().unwrap().unwrap();
    assert!(next().starts_with("{\"magic\":\"virtometer\",\"protocol\":1,\"role\":\"agent\""));
    output.write_all(HELLO).unwrap();
    output.write_all(PING).unwrap();
    assert!(next().starts_with("{\"id\":1,\"return\":{\"received_ns\":"));
    output.write_all(BYE).unwrap();
    assert_eq!(next(), "{\"id\":2,\"return\":{}}");
}
