//! How often each kernel reads the clock within what it times. In some guests one reading costs microseconds.
//!
//! This program has a `main` of its own because the kernel `os` executes the agent, and because the other end of the
//! network is a process of its own, whose readings are not counted.
#![allow(missing_docs, clippy::unwrap_used)]
#![allow(clippy::print_stdout)] // a program of its own, whose output is the test's

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;
use virtometer_kernels::{find, make, Kernel, Op, Preset, EXIT_ARGUMENT, EXIT_STATUS, KERNELS};
use virtometer_protocol::{Parameters, Sample, Scalar};
use virtometer_sampling::planted_clock::{plant, Planted, Reading};
use virtometer_sampling::{now_ns, prepare, Control, Extras, Task};

/// Cost of a reading of the planted clock.
const DEAR: Duration = Duration::from_micros(20);

/// Readings of one thread that an iteration may always have: at its begin, in its middle, at its end.
const ALWAYS: usize = 3;

/// More readings than that may cost this share of the iteration, as the round trips of `net` have it.
const SHARE: f64 = 0.005;

/// Names and values of parameters.
type Given<'a> = &'a [(&'a str, &'a str)];

/// Parameters with which an operation is run as well.
const ALSO: &[(&str, &str, Given<'_>)] = &[
    ("linpack", "classic", &[("convention", "published")]),
    ("disk", "random-read", &[("engine", "libaio"), ("depth", "8")]),
    ("disk", "random-write", &[("engine", "io_uring"), ("depth", "8")]),
    ("disk", "access", &[("mix", "4K share=50 read=50 random=50, 16K share=50")]),
    ("disk", "random-write", &[("sync", "each")]),
    ("net", "request-response", &[("connections", "4")]),
    ("net", "stream", &[("direction", "both"), ("connections", "2")]),
    ("net", "udp-request-response", &[("connections", "4")]),
    ("os", "system-call", &[("call", "stat")]),
];

/// Operations whose readings cost more than [`SHARE`]. Each has to report the cost as the measure that is named.
const DEARER: &[(&str, &str, Option<&str>)] = &[("net", "open-loop", Some("clock-share"))];

/// Operations that are no measurements of something else than the clock.
const NOT_TIMED: &[(&str, &str)] = &[("clock", "watch"), ("net", "serve")];

/// Argument with which this program is the other end of the network.
const SERVE: &str = "serve";

fn text(word: &str) -> Scalar {
    Scalar::Text(word.to_owned())
}

/// A value as its parameter has it: a number where it is one.
fn scalar(word: &str) -> Scalar {
    word.parse().map_or_else(|_| text(word), Scalar::Integer)
}

fn task(op: &Op, threads: usize, given: HashMap<&str, Scalar>) -> Task {
    let known = |name: &str| op.parameters.iter().any(|parameter| parameter.name == name);
    let given = given.into_iter().filter(|(name, _)| known(name)).map(|(name, value)| (name.to_owned(), value));
    let control = Arc::new(Control::default());
    Task {
        op: op.name.to_owned(),
        parameters: Parameters(given.collect()),
        threads,
        cpus: None,
        seconds: 0.03,
        control,
    }
}

/// Run an operation; the samples of its window and what it found besides, all of which its table has.
fn measure(kernel: &Kernel, op: &Op, task: &Task) -> (Vec<Sample>, Extras) {
    let name = format!("{} {}", kernel.name, op.name);
    let factory = make(kernel, op, task).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
    let prepared = prepare(task, op.unit, &factory).unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
    let mut samples = Vec::new();
    let outcome = prepared.run(&mut |some| samples.extend(some.iter().map(|sample| sample.sample())));
    let extras = outcome.unwrap_or_else(|failure| panic!("{name}: {failure:?}")).extras;
    for (measure, found) in extras.measures() {
        assert!(op.reports(&measure, found.unit), "{name}: the table lacks {measure} in {}", found.unit);
    }
    (samples, extras)
}

/// Small cases that read the clock as often as large ones. What must be given stands for every operation.
fn small(folder: &Path, peer: &str, kernel: &Kernel, op: &Op) -> HashMap<&'static str, Scalar> {
    let file = folder.join("data");
    std::fs::write(&file, vec![0; 1 << 18]).unwrap();
    let path = |path: &Path| text(path.to_str().unwrap());
    // An operation on a file of its own wants a free name, and says so by having no free choice of the engine.
    let given_file = op.parameters.iter().any(|known| ["engine", "overwrite"].contains(&known.name));
    let mut given = HashMap::from([
        ("peer", text(peer)),
        ("program", text("true")),
        ("folder", path(&folder.join("names"))),
        ("files", Scalar::Integer(64)),
        ("direct", Scalar::Boolean(false)),
    ]);
    let file_is_needed = op.parameters.iter().any(|known| known.name == "file" && known.preset == Preset::Missing);
    if file_is_needed {
        given.insert("file", path(&if given_file { file } else { folder.join("new") }));
    }
    match (kernel.name, op.name) {
        ("linpack", _) => given.insert("size", Scalar::Integer(26)),
        ("memory", _) => given.insert("size", Scalar::Integer(64 << 10)),
        ("pde", _) => given.insert("interlines", Scalar::Integer(2)),
        ("disk", "fill") => given.insert("overwrite", Scalar::Boolean(true)),
        ("disk", _) if !given_file => given.insert("span", Scalar::Integer(1 << 18)),
        ("os", "file-reread") => given.insert("size", Scalar::Integer(1 << 20)),
        _ => None,
    };
    given
}

/// Fill a file with the pattern that the operations of `disk` compare with.
fn fill(file: &Path) {
    let (kernel, op) = find("disk", "fill").unwrap();
    let file = ("file", text(file.to_str().unwrap()));
    measure(kernel, op, &task(op, 1, HashMap::from([file, ("overwrite", Scalar::Boolean(true))])));
}

/// Most readings of one thread within a sample, both ends included. readings: in the order of time.
fn most_readings(sample: &Sample, readings: &[Reading]) -> usize {
    let mut count: HashMap<ThreadId, usize> = HashMap::new();
    let first = readings.partition_point(|reading| reading.ns < sample.start_ns);
    for reading in readings[first..].iter().take_while(|reading| reading.ns <= sample.end_ns) {
        *count.entry(reading.thread).or_default() += 1;
    }
    count.into_values().max().unwrap_or(0)
}

/// What a reading of this clock costs, as a kernel can find out, ns.
fn reading_ns() -> u64 {
    (0..64).map(|_| now_ns()).collect::<Vec<_>>().windows(2).map(|pair| pair[1] - pair[0]).min().unwrap()
}

/// Most readings in an iteration, and which share of the work all of them cost. The first and the last one cost half
/// each.
fn spent(samples: &[Sample], planted: &Planted, cost_ns: u64) -> (usize, f64) {
    let mut readings = planted.readings();
    readings.sort_by_key(|reading| reading.ns);
    let (mut most, mut spent_ns, mut lasted_ns) = (0, 0, 0);
    for sample in samples {
        let count = most_readings(sample, &readings);
        assert!(count > 0, "no reading was recorded at the begin of a sample");
        most = most.max(count);
        spent_ns += (count - 1) as u64 * cost_ns;
        lasted_ns += sample.end_ns - sample.start_ns;
    }
    (most, spent_ns as f64 / lasted_ns as f64)
}

/// The other end of the network, in a process of its own: its readings are not ours.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start() -> Self {
        let mut process = Command::new(std::env::current_exe().unwrap())
            .arg(SERVE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Server { process, address: address.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serve until the one who started this process is gone.
fn serve() {
    let (kernel, op) = find("net", "serve").unwrap();
    let task = task(op, 1, HashMap::from([("listen", text("127.0.0.1:0"))]));
    let prepared = prepare(&task, op.unit, &make(kernel, op, &task).unwrap()).unwrap();
    println!("{}", prepared.conditions()["address"]);
    let control = task.control.clone();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        control.stop();
    });
    prepared.run(&mut |_| ()).unwrap();
}

fn a_planted_clock_costs_what_it_should_and_counts_its_readings() {
    let planted = plant(DEAR);
    let (from, to) = (now_ns(), now_ns());
    assert!(to - from >= 20_000, "{from} to {to}");
    let here = std::thread::current().id();
    let readings = planted.readings();
    assert!([from, to].iter().all(|ns| readings.contains(&Reading { thread: here, ns: *ns })));
    assert_eq!(
        std::thread::spawn(now_ns).join().map(|ns| planted.readings().last().unwrap().ns == ns).ok(),
        Some(true)
    );
}

/// Every operation with a dear clock and with the ordinary one.
fn no_kernel_reads_the_clock_often_within_what_it_times() {
    let server = Server::start();
    let mut found = Vec::new();
    for (kernel, op) in KERNELS.iter().flat_map(|kernel| kernel.ops.iter().map(move |op| (kernel, op))) {
        if NOT_TIMED.contains(&(kernel.name, op.name)) || (cfg!(windows) && ["os", "disk"].contains(&kernel.name)) {
            continue;
        }
        let dearer = DEARER.iter().find(|known| (known.0, known.1) == (kernel.name, op.name));
        let alone = ["os", "command", "clock"].contains(&kernel.name) || ["latency", "fill"].contains(&op.name);
        let threads: &[usize] = if alone { &[1] } else { &[1, 2] };
        let mut failed = false;
        let also = ALSO.iter().filter(|known| (known.0, known.1) == (kernel.name, op.name)).map(|known| known.2);
        let given: Vec<Given<'_>> = std::iter::once(&[] as Given<'_>).chain(also).collect();
        let runs = threads.iter().flat_map(|threads| given.iter().map(move |more| (*threads, *more)));
        for (threads, more, cost) in
            runs.flat_map(|(threads, more)| [(threads, more, DEAR), (threads, more, Duration::ZERO)])
        {
            let folder = tempfile::tempdir().unwrap();
            let mut given = small(folder.path(), &server.address, kernel, op);
            given.extend(more.iter().map(|(name, value)| (*name, scalar(value))));
            if kernel.name == "disk" {
                fill(&folder.path().join("data"));
            }
            let planted = plant(cost);
            let cost_ns = reading_ns();
            let (samples, extras) = measure(kernel, op, &task(op, threads, given));
            let (count, share) = spent(&samples, &planted, cost_ns);
            drop(planted);
            let bounded = count <= ALWAYS || share <= SHARE;
            let told = dearer.and_then(|known| known.2);
            failed |= !bounded;
            if !bounded && dearer.is_none() {
                let percent = 100.0 * share;
                found.push(format!(
                    "{} {} {more:?}, {threads} threads: {count} readings of {cost_ns} ns in an iteration; all are {percent:.1} % of the work",
                    kernel.name, op.name
                ));
            }
            if let Some(name) = told.filter(|name| !extras.measures().contains_key(*name)) {
                found.push(format!("{} {} does not report {name}", kernel.name, op.name));
            }
        }
        if dearer.is_some() && !failed {
            found.push(format!("{} {} is bounded now: take it out of DEARER", kernel.name, op.name));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn main() {
    let tests: [(&str, fn()); 2] = [
        (
            "a_planted_clock_costs_what_it_should_and_counts_its_readings",
            a_planted_clock_costs_what_it_should_and_counts_its_readings,
        ),
        ("no_kernel_reads_the_clock_often_within_what_it_times", no_kernel_reads_the_clock_often_within_what_it_times),
    ];
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match arguments.first().map(String::as_str) {
        Some(EXIT_ARGUMENT) => std::process::exit(EXIT_STATUS),
        Some(SERVE) => serve(),
        _ => {
            // As cargo's tests do, those whose name contains a given word.
            for (name, test) in tests {
                if arguments.is_empty() || arguments.iter().any(|word| name.contains(word)) {
                    test();
                    println!("test {name} ... ok");
                }
            }
        }
    }
}
