//! The transcripts of what an agent sends, read by a second strict reader, and the agent's own lines read by it too.
#![allow(missing_docs, dead_code, clippy::unwrap_used)]

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use virtometer_protocol::{
    greeting_line, log_line, reply_error_line, reply_line, samples_lines, Check, CheckKind, Code, CpuTime,
    Distribution, Done, Event, Facts, Failure, Fatal, Iteration, LineBuffer, Measure, Pong, Released, Sample, Unit,
    MAX_LINE, MAX_SAMPLES,
};

/// Objects and arrays within each other.
const DEEPEST: usize = 16;

/// The largest integer of a message.
const EXACT: u64 = (1 << 53) - 1;

/// The largest number that is no integer.
const LARGEST: f64 = 1e30;

const CODES: [&str; 20] = [
    "bad-message",
    "message-too-long",
    "protocol-mismatch",
    "unknown-command",
    "bad-arguments",
    "unknown-kernel",
    "unknown-op",
    "busy",
    "no-such-run",
    "not-ready",
    "not-supported",
    "not-permitted",
    "not-found",
    "no-space",
    "out-of-memory",
    "io-error",
    "peer-failed",
    "check-failed",
    "timed-out",
    "internal",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Greeting {
    magic: String,
    protocol: u64,
    role: String,
    version: String,
    capabilities: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Returned {
    id: u64,
    r#return: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireDevice {
    name: String,
    bytes: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFacts {
    os: String,
    kernel: String,
    architecture: String,
    bits: u64,
    hostname: String,
    cpu_model: String,
    cpu_features: Vec<String>,
    cpus_online: u64,
    cpus_allowed: u64,
    memory_bytes: u64,
    page_bytes: u64,
    clock_source: String,
    pid: u64,
    uid: u64,
    block_devices: Vec<WireDevice>,
    interfaces: Vec<String>,
}

impl WireFacts {
    fn fits(&self) -> bool {
        let texts = [&self.os, &self.kernel, &self.architecture, &self.hostname, &self.cpu_model, &self.clock_source];
        let words = self.cpu_features.iter().chain(&self.interfaces);
        let devices = self.block_devices.iter().all(|one| one.name.len() <= 4096 && one.bytes <= EXACT);
        let numbers = [self.bits, self.cpus_online, self.cpus_allowed, self.memory_bytes, self.page_bytes];
        texts.iter().all(|text| text.len() <= 4096)
            && words.into_iter().all(|word| word.len() <= 64)
            && devices
            && numbers.iter().chain(&[self.pid, self.uid]).all(|number| *number <= EXACT)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    id: u64,
    error: Failure,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gone {
    fatal: Failure,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSample {
    start_ns: u64,
    end_ns: u64,
    work: u64,
    check: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireCheck {
    kind: Kind,
    value: String,
    passed: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Residual,
    Checksum,
    Bytes,
    Count,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Info,
    Warning,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Higher,
    Lower,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireIteration {
    Null,
    WarmUp,
    Work,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireWaiting {
    Null,
    WarmUp,
    Work,
    Slice,
    Window,
}

#[derive(Deserialize)]
enum WireUnit {
    #[serde(rename = "FLOP/s")]
    Flop,
    #[serde(rename = "B/s")]
    Byte,
    #[serde(rename = "IO/s")]
    Io,
    #[serde(rename = "1/s")]
    Per,
    #[serde(rename = "s")]
    Second,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cpu {
    user_ns: u64,
    system_ns: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireMeasure {
    unit: String,
    value: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireHistogram {
    unit: String,
    digits: u8,
    counts: Vec<(u64, u64)>,
}

impl WireHistogram {
    fn fits(&self) -> bool {
        let rises = self.counts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let full = self.counts.iter().all(|(_, count)| *count > 0);
        self.unit == "s" && (1..=5).contains(&self.digits) && rises && full && !self.counts.is_empty()
    }
}

/// Whether this may be the name of a measure or histogram.
fn named(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|c| c == b'-' || c.is_ascii_lowercase() || c.is_ascii_digit())
}

#[derive(Deserialize)]
#[serde(tag = "event", rename_all = "lowercase", deny_unknown_fields)]
enum WireEvent {
    Ready {
        run: String,
        conditions: BTreeMap<String, String>,
    },
    Waiting {
        run: String,
        iteration: WireWaiting,
    },
    #[serde(rename = "iteration-done")]
    IterationDone {
        run: String,
        iteration: WireIteration,
        released: bool,
        began_ns: u64,
        ended_ns: u64,
    },
    Samples {
        run: String,
        samples: Vec<WireSample>,
    },
    Done {
        run: String,
        unit: WireUnit,
        better: Direction,
        value: f64,
        check: WireCheck,
        count: u64,
        stopped: bool,
        cpu: Cpu,
        conditions: BTreeMap<String, String>,
        #[serde(default)]
        measures: BTreeMap<String, WireMeasure>,
        #[serde(default)]
        histograms: BTreeMap<String, WireHistogram>,
        #[serde(default)]
        output: Option<String>,
    },
    Failed {
        run: String,
        error: Failure,
    },
    Log {
        level: Level,
        message: String,
    },
}

/// Whether no text in it holds NUL and nothing is nested too deep.
fn is_plain(value: &Value, depth: usize) -> bool {
    match value {
        Value::String(text) => !text.contains('\0'),
        Value::Array(inner) => depth < DEEPEST && inner.iter().all(|one| is_plain(one, depth + 1)),
        Value::Object(inner) => {
            depth < DEEPEST && inner.iter().all(|(name, one)| !name.contains('\0') && is_plain(one, depth + 1))
        }
        _ => true,
    }
}

fn is_known(failure: &Failure) -> bool {
    CODES.contains(&failure.code.to_string().as_str())
}

fn is_condition(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|c| b"-_".contains(&c) || c.is_ascii_alphanumeric())
}

fn is_unit(unit: &str) -> bool {
    unit.bytes().all(|c| c == b'/' || c.is_ascii_alphanumeric())
}

/// What a laboratory would say to this line.
fn read(line: &[u8], first: bool) -> Result<(), Code> {
    let mut buffer = LineBuffer::new();
    buffer.push(line);
    buffer.push(b"\n");
    let line = buffer.next_line().map_err(|failure| failure.code)?.unwrap();
    let text = std::str::from_utf8(&line).map_err(|_| Code::BadMessage)?;
    let bad = |_| Code::BadMessage;
    let value: Value = serde_json::from_str(text).map_err(bad)?;
    if !is_plain(&value, 0) {
        return Err(Code::BadMessage);
    }
    let fields = value.as_object().ok_or(Code::BadMessage)?;
    if first {
        let greeting: Greeting = serde_json::from_str(text).map_err(bad)?;
        if greeting.magic != "virtometer" || greeting.protocol != 1 {
            return Err(Code::ProtocolMismatch);
        }
        let words = greeting.capabilities.iter().chain([&greeting.version]);
        return if greeting.role == "agent" && words.into_iter().all(|word| word.len() <= 64) {
            Ok(())
        } else {
            Err(Code::BadMessage)
        };
    }
    if fields.contains_key("event") {
        let fits = match serde_json::from_str(text).map_err(bad)? {
            WireEvent::Samples { samples, .. } => (1..=MAX_SAMPLES).contains(&samples.len()),
            WireEvent::Ready { conditions, .. } => conditions.keys().all(|name| is_condition(name)),
            WireEvent::Failed { error, .. } => is_known(&error),
            WireEvent::Done { value, check, conditions, measures, histograms, output, .. } => {
                check.passed
                    && (0.0..=LARGEST).contains(&value)
                    && conditions.keys().all(|name| is_condition(name))
                    && measures.keys().chain(histograms.keys()).all(|name| named(name))
                    && measures.values().all(|one| (1..=16).contains(&one.unit.len()) && is_unit(&one.unit))
                    && histograms.values().all(WireHistogram::fits)
                    && output.is_none_or(|text| text.len() <= MAX_LINE)
            }
            _ => true,
        };
        return if fits { Ok(()) } else { Err(Code::BadMessage) };
    }
    if fields.contains_key("fatal") {
        let gone = serde_json::from_str::<Gone>(text).map_err(bad)?;
        return if is_known(&gone.fatal) { Ok(()) } else { Err(Code::BadMessage) };
    }
    if fields.contains_key("error") {
        let refused = serde_json::from_str::<Refused>(text).map_err(bad)?;
        return if is_known(&refused.error) { Ok(()) } else { Err(Code::BadMessage) };
    }
    let returned = serde_json::from_str::<Returned>(text).map_err(bad)?.r#return;
    if !returned.contains_key("os") {
        return Ok(());
    }
    let facts: WireFacts = serde_json::from_value(returned.into_iter().collect()).map_err(bad)?;
    if facts.fits() {
        Ok(())
    } else {
        Err(Code::BadMessage)
    }
}

fn bytes(line: &Value) -> Vec<u8> {
    if let Some(text) = line.as_str() {
        return text.as_bytes().to_vec();
    }
    let text = |name: &str| line[name].as_str().unwrap_or("").to_owned();
    if line.get("base64").is_some() {
        return unbase64(&text("base64"));
    }
    let times = usize::try_from(line["times"].as_u64().unwrap()).unwrap();
    (text("before") + &text("repeat").repeat(times) + &text("after")).into_bytes()
}

fn unbase64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut value, mut bits) = (0u32, 0u32);
    for digit in text.chars().filter(|digit| *digit != '=') {
        value = value << 6 | u32::try_from(DIGITS.find(digit).unwrap()).unwrap();
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(value >> bits & 0xFF).unwrap());
        }
    }
    bytes
}

#[test]
fn every_transcript_to_the_laboratory_is_taken_or_refused_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contract/vectors");
    let mut seen = 0;
    for kind in ["valid", "invalid"] {
        for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let vector: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            if vector["direction"] != "to-laboratory" {
                continue;
            }
            seen += 1;
            for (number, line) in vector["lines"].as_array().unwrap().iter().enumerate() {
                let expected =
                    if vector["expect"]["line"] == number { vector["expect"]["code"].as_str() } else { None };
                let found = read(&bytes(line), number == 0).err().map(|code| code.to_string());
                assert_eq!(found.as_deref(), expected, "{} line {number}", path.display());
            }
        }
    }
    assert!(seen >= 30, "only {seen} transcripts");
}

#[test]
fn what_the_agent_writes_is_taken() {
    let failure = Failure::new(Code::IoError, "x");
    let done = Done {
        unit: Unit::Second,
        better: Unit::Second.better(),
        value: 1e-9,
        check: Check { kind: CheckKind::Count, value: "1".into(), passed: true },
        count: 1,
        stopped: false,
        cpu: CpuTime::default(),
        conditions: BTreeMap::new(),
        measures: BTreeMap::from([("a-b".to_owned(), Measure { unit: "s/B", value: 1.5e-9 })]),
        histograms: BTreeMap::from([(
            "latency".to_owned(),
            Distribution { unit: "s", digits: 2, counts: vec![(0, 1), (1023, 7)] },
        )]),
        output: Some("a \"b\"\n".into()),
    };
    let run = || "a".to_owned();
    let lines = [
        reply_line(1, &Pong { received_ns: 1, sent_ns: 2 }),
        reply_line(2, &Facts::default()),
        reply_error_line(3, &failure),
        reply_line(4, &Released::default()),
        reply_line(5, &Released { late_ns: Some(0) }),
        log_line("warning", "x"),
        Event::Ready { run: run(), conditions: BTreeMap::new() }.line(),
        Event::Waiting { run: run(), iteration: Iteration::Null }.line(),
        Event::Waiting { run: run(), iteration: Iteration::WarmUp }.line(),
        Event::Waiting { run: run(), iteration: Iteration::Slice }.line(),
        Event::Waiting { run: run(), iteration: Iteration::Window }.line(),
        Event::IterationDone { run: run(), iteration: Iteration::Work, released: true, began_ns: 1, ended_ns: 2 }
            .line(),
        Event::Done { run: run(), done }.line(),
        Event::Failed { run: run(), error: failure.clone() }.line(),
        Fatal { fatal: failure }.line(),
    ];
    assert_eq!(read(greeting_line("0", &["x"]).strip_suffix(b"\n").unwrap(), true), Ok(()));
    for line in lines {
        assert_eq!(read(line.strip_suffix(b"\n").unwrap(), false), Ok(()), "{}", String::from_utf8_lossy(&line));
    }
}

#[test]
fn the_longest_samples_fit_into_their_lines() {
    let longest = Sample { start_ns: (1 << 53) - 1, end_ns: (1 << 53) - 1, work: (1 << 53) - 1, check: "f".repeat(24) };
    let samples = vec![longest; MAX_SAMPLES + 1];
    let name = "r".repeat(64);
    let lines: Vec<Vec<u8>> = samples_lines(&name, &samples).collect();
    assert_eq!(lines.len(), 2);
    for line in lines {
        assert!(line.len() <= MAX_LINE);
        assert_eq!(read(line.strip_suffix(b"\n").unwrap(), false), Ok(()));
    }
}
