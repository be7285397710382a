//! Running one kernel by hand.

use crate::engine::done;
use crate::human::{human, served};
use crate::{help, options, system};
use options::usage;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use virtometer_kernels::{find, Kernel, Op, ParameterKind, KERNELS};
use virtometer_protocol::{
    Better, Check, Conditions, CpuTime, Distribution, Facts, Failure, Measure, Parameters, Sample, Scalar, Unit,
    MAX_SECONDS, MAX_THREADS,
};
use virtometer_sampling::{os_failure, Control, RawSample, Task};

/// What the command line asks for.
struct Config {
    kernel: &'static Kernel,
    op: &'static Op,
    task: Task,
    json: bool,
}

/// `measure KERNEL [--op OP] ...`.
pub(crate) fn measure(words: &[String]) -> Result<u8, Failure> {
    if help::wanted(words) {
        return help::print(&help_text(words)?);
    }
    let config = parse(words, None)?;
    if config.op.name == "serve" {
        return run(config, true);
    }
    run(config, false)
}

/// `serve net --listen HOST:PORT`.
pub(crate) fn serve(words: &[String]) -> Result<u8, Failure> {
    if help::wanted(words) {
        return help::print(&help_text(&["net".into(), "--op".into(), "serve".into()])?);
    }
    if words.first().map(String::as_str) != Some("net") {
        return Err(usage("only the network can be served: serve net --listen HOST:PORT"));
    }
    run(parse(words, Some("serve"))?, true)
}

/// Help for as much as the words name: an operation, a kernel, or everything.
fn help_text(words: &[String]) -> Result<String, Failure> {
    let kernel = match words.first() {
        Some(name) if !name.starts_with('-') => known_kernel(name)?,
        _ => return Ok(help::text()),
    };
    let named = words.iter().enumerate().find_map(|(at, word)| match word.as_str() {
        "--op" => words.get(at + 1).map(String::as_str),
        word => word.strip_prefix("--op="),
    });
    match named {
        Some(op) if !op.starts_with('-') => {
            let (kernel, op) = known_op(kernel, op)?;
            Ok(help::of_op(kernel, op))
        }
        _ => Ok(help::of_kernel(kernel)),
    }
}

fn known_kernel(name: &str) -> Result<&'static Kernel, Failure> {
    KERNELS.iter().find(|kernel| kernel.name == name).ok_or_else(|| {
        let names: Vec<&str> = KERNELS.iter().map(|kernel| kernel.name).collect();
        usage(&format!("there is no kernel {name:?}; there are {}", names.join(", ")))
    })
}

fn known_op(kernel: &Kernel, op: &str) -> Result<(&'static Kernel, &'static Op), Failure> {
    find(kernel.name, op).map_err(|failure| usage(&failure.message))
}

fn parse(words: &[String], fixed_op: Option<&str>) -> Result<Config, Failure> {
    let (name, words) = words.split_first().ok_or_else(|| usage("name a kernel; see --help"))?;
    let kernel = known_kernel(name)?;
    let (mut op, mut threads, mut cpus, mut seconds, mut json) = (fixed_op.map(str::to_owned), 1, None, 1.0, false);
    let mut given: Vec<(&str, Given<'_>)> = Vec::new();
    let mut rest = words.iter();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(word) = rest.next() {
        let option =
            word.strip_prefix("--").ok_or_else(|| usage(&format!("{word:?} is not understood; see --help")))?;
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let mut value = || match inline {
            Some(value) => Ok(value),
            None => rest.next().map(String::as_str).ok_or_else(|| usage(&format!("--{name} needs a value"))),
        };
        let flagged = flag(kernel, name);
        if inline.is_some() && (name == "json" || flagged.is_some()) {
            return Err(usage(&format!("--{name} takes no value; give it without =")));
        }
        // Parameters of the kernel are looked at below, where their names are known.
        if ["json", "op", "threads", "cpus", "seconds"].contains(&name) {
            if seen.contains(&name) {
                return Err(usage(&format!("--{name} is given twice")));
            }
            seen.push(name);
        }
        match name {
            "json" => json = true,
            "op" if fixed_op.is_none() => op = Some(value()?.to_owned()),
            "threads" => {
                threads = usize::try_from(options::quantity(name, value()?)?)
                    .ok()
                    .filter(|threads| (1..=MAX_THREADS).contains(threads))
                    .ok_or_else(|| usage(&format!("--threads must be 1 to {MAX_THREADS}")))?;
            }
            "cpus" => cpus = Some(options::cpu_list(value()?)?),
            "seconds" => {
                let text = value()?;
                seconds =
                    text.parse().ok().filter(|seconds| *seconds > 0.0 && *seconds <= MAX_SECONDS).ok_or_else(|| {
                        usage(&format!("--seconds is {text:?}, not a number above 0 and at most {MAX_SECONDS}"))
                    })?;
            }
            _ => given.push(match flagged {
                Some((name, on)) => (name, Given::Flag(on)),
                None => (name, Given::Word(value()?)),
            }),
        }
    }
    let op = op.as_deref().or_else(|| kernel.ops.first().map(|op| op.name)).unwrap_or("");
    let (kernel, op) = known_op(kernel, op)?;
    let mut parameters = Parameters::default();
    for (name, value) in given {
        let (name, value) = parameter(op, name, value)?;
        if parameters.0.insert(name.to_owned(), value).is_some() {
            return Err(usage(&format!("--{name} is given twice")));
        }
    }
    let control = Arc::new(Control::default());
    let task = Task { op: op.name.to_owned(), parameters, threads, cpus, seconds, control };
    Ok(Config { kernel, op, task, json })
}

/// What follows a parameter's name: a word, or nothing because the name itself says true or false.
#[derive(Clone, Copy)]
enum Given<'a> {
    Word(&'a str),
    Flag(bool),
}

/// The boolean parameter of some operation that a word on the command line sets, and to what: `--NAME` or `--no-NAME`.
fn flag<'a>(kernel: &Kernel, word: &'a str) -> Option<(&'a str, bool)> {
    if word == "buffered" {
        return Some(("direct", false));
    }
    let (name, on) = word.strip_prefix("no-").map_or((word, true), |name| (name, false));
    let mut all = kernel.ops.iter().flat_map(|op| op.parameters);
    all.any(|known| known.name == name && known.kind == ParameterKind::Boolean).then_some((name, on))
}

fn parameter<'a>(op: &Op, name: &'a str, value: Given<'_>) -> Result<(&'a str, Scalar), Failure> {
    let word = match value {
        Given::Flag(on) => return Ok((name, Scalar::Boolean(on))),
        Given::Word(word) => word,
    };
    // A name that the operation does not have is refused later, with the names that it has.
    let number =
        op.parameters.iter().any(|known| known.name == name && matches!(known.kind, ParameterKind::Integer { .. }));
    Ok((name, if number { Scalar::Integer(options::quantity(name, word)?) } else { Scalar::Text(word.to_owned()) }))
}

#[derive(Serialize)]
struct Params<'a> {
    #[serde(flatten)]
    own: &'a Parameters,
    threads: usize,
    cpus: &'a Option<Vec<usize>>,
    seconds: f64,
}

#[derive(Serialize)]
struct Report<'a> {
    kernel: &'a str,
    op: &'a str,
    params: Params<'a>,
    unit: Unit,
    better: Better,
    value: f64,
    check: &'a Check,
    samples: &'a [Sample],
    facts: Facts,
    conditions: &'a Conditions,
    cpu: CpuTime,
    measures: &'a BTreeMap<String, Measure>,
    histograms: &'a BTreeMap<String, Distribution>,
}

fn run(config: Config, until_interrupted: bool) -> Result<u8, Failure> {
    let Config { kernel, op, task, json } = config;
    // Before a thread is pinned: afterwards the system names only the processors that are left to it.
    let facts = json.then(system::facts);
    // A program that was started, and all that it started, ends with the agent.
    if until_interrupted || kernel.name == "command" {
        let control = task.control.clone();
        system::on_interrupt(move || control.stop());
    }
    let (factory, parameters) = virtometer_kernels::make_with_parameters(kernel, op, &task)?;
    let prepared = virtometer_sampling::prepare(&task, op.unit, &factory)?;
    if let (true, Some(address)) = (until_interrupted, prepared.conditions().get("address")) {
        say(&mut std::io::stderr(), &format!("serving on {address} until interrupted\n"))?;
    }
    let mut samples: Vec<Sample> = Vec::new();
    let outcome = prepared.run(&mut |new: &[RawSample]| samples.extend(new.iter().map(RawSample::sample)))?;
    let done = done(outcome);
    let text = if let Some(facts) = facts {
        let report = Report {
            kernel: kernel.name,
            op: op.name,
            params: Params { own: &parameters, threads: task.threads, cpus: &task.cpus, seconds: task.seconds },
            unit: done.unit,
            better: done.better,
            value: done.value,
            check: &done.check,
            samples: &samples,
            facts,
            conditions: &done.conditions,
            cpu: done.cpu,
            measures: &done.measures,
            histograms: &done.histograms,
        };
        serde_json::to_string(&report).unwrap_or_default() + "\n"
    } else if op.name == "serve" {
        served(&samples)
    } else {
        human(kernel, op, &done, &samples)
    };
    say(&mut std::io::stdout().lock(), &text)?;
    Ok(0)
}

fn say(to: &mut dyn Write, text: &str) -> Result<(), Failure> {
    to.write_all(text.as_bytes())
        .and_then(|()| to.flush())
        .map_err(|cause| os_failure("cannot write the result", &cause))
}
