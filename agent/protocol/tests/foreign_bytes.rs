//! Lines that no laboratory sends: the transcripts' own, changed at random. Whatever comes is refused in a sentence, or
//! within its ranges.
//!
//! proptest makes the lines: it needs no compiler but the stable one, and reduces what fails. PROPTEST_CASES says how
//! many.
#![allow(missing_docs, clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::sample::{select, Index};
use serde_json::Value;
use std::path::Path;
use virtometer_protocol::{
    parse_greeting, parse_request, reply_error_line, Code, Command, Failure, Fatal, LineBuffer, Tune, MAX_INTEGER,
    MAX_LINE, MAX_SECONDS, MAX_THREADS, OFFLOADS,
};

/// Values at the ends of ranges and beyond, of every type, and words of the protocol.
const PIECES: &[&str] = &[
    "null",
    "true",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e-400",
    "1e309",
    "NaN",
    "9007199254740991",
    "9007199254740992",
    "-9223372036854775808",
    "18446744073709551616",
    "\"\"",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "\"\u{202e}\u{1f600}\"",
    "\"../..\"",
    "[]",
    "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
    "{}",
    "{\"\":0}",
    "\"id\"",
    "\"at_ns\"",
    "\"slice_s\"",
    "\"ping\"",
    "\"prepare\"",
    "\"go\"",
    "\"configure-network\"",
    "\"set-kernel-setting\"",
    "\"set-offload\"",
    "\"run-program\"",
];

/// Whole requests that no transcript has.
const FURTHER: &[&str] = &[
    r#"{"id":7,"command":"configure-network","arguments":{"interface":"eth0","address":"10.0.0.2","prefix":24}}"#,
    r#"{"id":7,"command":"set-kernel-setting","arguments":{"name":"net/ipv4/tcp_sack","value":"0"}}"#,
    r#"{"id":7,"command":"set-queue-length","arguments":{"interface":"eth0","packets":1000}}"#,
    r#"{"id":7,"command":"set-offload","arguments":{"interface":"eth0","offload":"tso","on":false}}"#,
    r#"{"id":7,"command":"run-program","arguments":{"words":["true","x"],"seconds":1.5}}"#,
    r#"{"id":7,"command":"go","arguments":{"run":"a","at_ns":123456789}}"#,
];

/// All lines that the transcripts send to an agent.
fn lines() -> Vec<Vec<u8>> {
    fn collect(value: &Value, found: &mut Vec<Vec<u8>>) {
        match value {
            Value::Array(all) => all.iter().for_each(|one| collect(one, found)),
            Value::Object(fields) => {
                found.extend(fields.get("send").and_then(Value::as_str).map(|line| line.as_bytes().to_vec()));
                fields.values().for_each(|one| collect(one, found));
            }
            _ => {}
        }
    }
    let mut found: Vec<Vec<u8>> = FURTHER.iter().map(|line| line.as_bytes().to_vec()).collect();
    for kind in ["valid", "invalid"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/vectors").join(kind);
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            collect(&serde_json::from_str(&text).unwrap(), &mut found);
        }
    }
    assert!(found.len() > 200, "only {} lines", found.len());
    found
}

/// One change of a line.
#[derive(Clone, Debug)]
enum Change {
    /// Other bytes in the place of so many.
    Bytes(Index, usize, Vec<u8>),
    /// A piece in the place of one of the line's own values or names.
    Piece(Index, &'static str),
    /// One of the line's own values or names once more, in the place of another.
    Own(Index, Index),
    /// What is left of another line from there on.
    Graft(Index, Index),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let index = || any::<Index>();
    let change = prop_oneof![
        (index(), 0usize..20, prop::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(at, n, new)| Change::Bytes(at, n, new)),
        (index(), select(PIECES)).prop_map(|(at, piece)| Change::Piece(at, piece)),
        (index(), index()).prop_map(|(at, from)| Change::Own(at, from)),
        (index(), index()).prop_map(|(at, from)| Change::Graft(at, from)),
    ];
    prop::collection::vec(change, 0..5)
}

/// Where the values and names of a line begin and end.
fn tokens(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut found, mut begin, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, byte) in line.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'}' | b'[' | b']' | b',' | b':' if !quoted => {
                found.push(begin..at);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(begin..line.len());
    found.retain(|token| !token.is_empty());
    found
}

fn changed(mut line: Vec<u8>, other: &[u8], changes: Vec<Change>) -> Vec<u8> {
    for change in changes {
        let tokens = tokens(&line);
        match change {
            Change::Bytes(at, count, new) => {
                let at = at.index(line.len() + 1);
                line.splice(at..line.len().min(at + count), new);
            }
            Change::Piece(at, piece) if !tokens.is_empty() => {
                line.splice(at.get(&tokens).clone(), piece.bytes());
            }
            Change::Own(at, from) if !tokens.is_empty() => {
                let own = line[from.get(&tokens).clone()].to_vec();
                line.splice(at.get(&tokens).clone(), own);
            }
            Change::Graft(at, from) => {
                line.truncate(at.index(line.len() + 1));
                line.extend(&other[from.index(other.len() + 1)..]);
            }
            _ => {}
        }
    }
    line
}

/// A failure can be told to any laboratory: in one line with a text of the protocol.
fn assert_tellable(failure: &Failure) {
    assert!(!failure.message.is_empty() && !failure.message.contains('\0'), "{failure:?}");
    for line in [reply_error_line(MAX_INTEGER, failure), Fatal { fatal: failure.clone() }.line()] {
        assert!(line.len() <= MAX_LINE, "{failure:?}");
        let mut buffer = LineBuffer::new();
        buffer.push(&line);
        let line = buffer.next_line().unwrap().unwrap();
        assert_eq!(buffer.next_line(), Ok(None));
        let value: Value = serde_json::from_slice(&line).unwrap();
        let told = value.get("error").or(value.get("fatal")).unwrap();
        assert_eq!(told["message"], failure.message);
        assert_eq!(told["code"], failure.code.to_string());
    }
}

fn is_run(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| b"._-".contains(&byte) || byte.is_ascii_alphanumeric())
}

fn is_interface(name: &str) -> bool {
    (1..=15).contains(&name.len()) && !name.contains(['/', ' ', '\0'])
}

fn is_span(seconds: f64, most: f64) -> bool {
    seconds > 0.0 && seconds <= most
}

/// Whether all values are within the ranges that their types state.
fn is_within_ranges(command: &Command) -> bool {
    match command {
        Command::Ping | Command::Facts | Command::Bye => true,
        Command::Start(run) | Command::Stop(run) => is_run(run),
        Command::Go(go) => {
            is_run(&go.run)
                && go.slice_s.is_none_or(|slice_s| is_span(slice_s, MAX_SECONDS))
                && go.at_ns.is_none_or(|at_ns| at_ns <= MAX_INTEGER)
                && (go.slice_s.is_none() || go.at_ns.is_none())
        }
        Command::ConfigureNetwork(network) => is_interface(&network.interface) && network.prefix <= 32,
        Command::Prepare(prepare) => {
            is_run(&prepare.run)
                && (1..=MAX_THREADS).contains(&prepare.threads)
                && prepare.cpus.as_ref().is_none_or(|cpus| !cpus.is_empty())
                && is_span(prepare.seconds, MAX_SECONDS)
                && prepare.slice_s.is_none_or(|slice_s| is_span(slice_s, MAX_SECONDS))
        }
        Command::Tune(Tune::KernelSetting { name, value }) => {
            let inside = name.split('/').all(|part| !["", ".", ".."].contains(&part));
            inside && name.contains('/') && !value.is_empty() && !value.contains(['\n', '\0'])
        }
        Command::Tune(Tune::QueueLength { interface, packets }) => is_interface(interface) && *packets >= 0,
        Command::Tune(Tune::Offload { interface, offload, .. }) => {
            is_interface(interface) && OFFLOADS.contains(&offload.as_str())
        }
        Command::Tune(Tune::Program { words, seconds }) => {
            (1..=64).contains(&words.len())
                && words.iter().all(|word| word.len() <= 4096 && !word.contains('\0'))
                && is_span(*seconds, 600.0)
        }
    }
}

fn assert_answered(line: &[u8]) {
    if let Err(failure) = parse_greeting(line) {
        assert!(failure.code.closes(), "{failure:?}");
        assert_tellable(&failure);
    }
    match parse_request(line) {
        Ok(request) => {
            assert!((1..=MAX_INTEGER).contains(&request.id));
            match request.command {
                Ok(command) => assert!(is_within_ranges(&command), "{command:?}"),
                Err(failure) => {
                    assert!([Code::BadArguments, Code::UnknownCommand].contains(&failure.code), "{failure:?}");
                    assert_tellable(&failure);
                }
            }
        }
        Err(failure) => {
            assert_eq!(failure.code, Code::BadMessage);
            assert_tellable(&failure);
        }
    }
}

#[test]
fn lines_that_are_changed_at_random_are_refused_in_a_sentence_or_within_their_ranges() {
    let lines = lines();
    lines.iter().for_each(|line| assert_answered(line));
    let all = (any::<Index>(), any::<Index>(), changes());
    proptest!(|((line, other, changes) in all)| {
        assert_answered(&changed(line.get(&lines).clone(), other.get::<Vec<u8>>(&lines), changes));
    });
}

proptest! {
    #[test]
    fn texts_of_any_kind_are_told_in_one_line(message in any::<String>()) {
        assert_tellable(&Failure::new(Code::Internal, format!("x{message}")));
    }
}
