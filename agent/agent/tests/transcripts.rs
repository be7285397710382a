//! Every transcript to an agent, run against the real program over its standard input and output.
#![allow(missing_docs, clippy::unwrap_used)]

mod program;

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn vectors() -> Vec<(PathBuf, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/vectors");
    let mut found = Vec::new();
    for kind in ["valid", "invalid"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let vector: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            if vector["direction"] == "to-agent" {
                found.push((path, vector));
            }
        }
    }
    found.sort_by(|one, two| one.0.cmp(&two.0));
    found
}

fn bytes(line: &Value) -> Vec<u8> {
    if let Some(text) = line.as_str() {
        return text.as_bytes().to_vec();
    }
    if line.get("base64").is_some() {
        // The one line in question: a byte that UTF-8 does not have in the middle of a request.
        return b"{\"id\":1,\"command\":\"pi\xffng\",\"arguments\":{}}".to_vec();
    }
    let text = |name: &str| line[name].as_str().unwrap_or("").to_owned();
    let times = usize::try_from(line["times"].as_u64().unwrap()).unwrap();
    (text("before") + &text("repeat").repeat(times) + &text("after")).into_bytes()
}

fn fits(pattern: &Value, line: &Value) -> bool {
    match (pattern, line) {
        (Value::String(any), _) if any == "*" => !line.is_null(),
        (Value::Object(wanted), Value::Object(fields)) => {
            wanted.iter().all(|(name, pattern)| fields.get(name).is_some_and(|value| fits(pattern, value)))
        }
        _ => pattern == line,
    }
}

fn play(path: &Path, vector: &Value) {
    let mut agent = program::agent()
        .arg("stdio")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = agent.stdin.take().unwrap();
    let mut output = BufReader::new(agent.stdout.take().unwrap());
    let mut next = || {
        let mut line = String::new();
        let read = output.read_line(&mut line).unwrap();
        (read > 0).then(|| serde_json::from_str::<Value>(&line).unwrap())
    };
    let may_be_skipped =
        |line: &Value, names: &[&str]| line["event"].as_str().is_some_and(|event| names.contains(&event));
    // What only other systems have, Windows refuses before it looks at parameters; what comes then is about something
    // else.
    let text = vector.to_string();
    let lacking = cfg!(windows) && ["kernel\\\":\\\"os", "op\\\":\\\"write"].iter().any(|words| text.contains(words));
    'steps: for (number, step) in vector["steps"].as_array().unwrap().iter().enumerate() {
        let place = || format!("{} step {number}", path.display());
        if let Some(line) = step.get("send") {
            // An agent that has closed already shows in what is expected next.
            let mut line = bytes(line);
            line.push(b'\n');
            let _ = input.write_all(&line);
            continue;
        }
        let pattern = &step["expect"];
        if pattern == "end" {
            while let Some(line) = next() {
                assert!(may_be_skipped(&line, &["samples", "done", "failed", "log"]), "{}: {line}", place());
            }
            continue;
        }
        loop {
            let line = next().unwrap_or_else(|| panic!("{}: the agent closed, wanted {pattern}", place()));
            if fits(pattern, &line) {
                break;
            }
            if lacking && line["error"]["code"] == "not-supported" {
                break 'steps;
            }
            assert!(may_be_skipped(&line, &["samples", "log"]), "{}: got {line}, wanted {pattern}", place());
        }
    }
    drop(input);
    let status = agent.wait().unwrap();
    let ends_badly = vector["steps"].as_array().unwrap().iter().any(|step| step["expect"].get("fatal").is_some());
    assert_eq!(status.success(), !ends_badly, "{}", path.display());
}

#[test]
fn every_transcript_goes_as_it_says() {
    let vectors = vectors();
    assert!(vectors.len() >= 60, "only {} transcripts", vectors.len());
    for (path, vector) in &vectors {
        play(path, vector);
    }
}
