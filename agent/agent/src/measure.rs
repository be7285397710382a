//! Running one kernel by hand.

use crate::engine::done;
use crate::{help, options, system};
use options::usage;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use virtometer_kernels::{find, Kernel, Op, ParameterKind, KERNELS};
use virtometer_protocol::{
    Better, Check, Conditions, CpuTime, Distribution, Done, Facts, Failure, Measure, Parameters, Sample, Scalar, Unit,
    MAX_SECONDS, MAX_THREADS,
};
use virtometer_sampling::{os_failure, Control, RawSample, Task};

/// What the command line asks for.
struct Wish {
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
    let wish = parse(words, None)?;
    if wish.op.name == "serve" {
        return run(wish, true);
    }
    run(wish, false)
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
    match words.iter().position(|word| word == "--op").and_then(|at| words.get(at + 1)) {
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

fn parse(words: &[String], fixed_op: Option<&str>) -> Result<Wish, Failure> {
    let (name, words) = words.split_first().ok_or_else(|| usage("name a kernel; see --help"))?;
    let kernel = known_kernel(name)?;
    let (mut op, mut threads, mut cpus, mut seconds, mut json) = (fixed_op.map(str::to_owned), 1, None, 1.0, false);
    let mut given: Vec<(&str, Given<'_>)> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let name = word.strip_prefix("--").ok_or_else(|| usage(&format!("{word:?} is not understood; see --help")))?;
        let mut value = || rest.next().ok_or_else(|| usage(&format!("{word} needs a value")));
        match name {
            "json" => json = true,
            "op" if fixed_op.is_none() => op = Some(value()?.clone()),
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
            _ => given.push(match flag(kernel, name) {
                Some((name, wish)) => (name, Given::Flag(wish)),
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
    Ok(Wish { kernel, op, task, json })
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
    let (name, wish) = word.strip_prefix("no-").map_or((word, true), |name| (name, false));
    let mut all = kernel.ops.iter().flat_map(|op| op.parameters);
    all.any(|known| known.name == name && known.kind == ParameterKind::Boolean).then_some((name, wish))
}

fn parameter<'a>(op: &Op, name: &'a str, value: Given<'_>) -> Result<(&'a str, Scalar), Failure> {
    let word = match value {
        Given::Flag(wish) => return Ok((name, Scalar::Boolean(wish))),
        Given::Word(word) => word,
    };
    // A name that the operation does not have is refused later, with the names that it has.
    let number = op.parameters.iter().any(|known| known.name == name && known.kind == ParameterKind::Integer);
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

fn run(wish: Wish, until_interrupted: bool) -> Result<u8, Failure> {
    let Wish { kernel, op, task, json } = wish;
    if until_interrupted {
        let control = task.control.clone();
        system::on_interrupt(move || control.stop());
    }
    let (maker, parameters) = virtometer_kernels::make_and_tell(kernel, op, &task)?;
    let prepared = virtometer_sampling::prepare(&task, op.unit, &maker)?;
    if let (true, Some(address)) = (until_interrupted, prepared.conditions().get("address")) {
        say(&mut std::io::stderr(), &format!("serving on {address} until interrupted\n"))?;
    }
    let mut samples: Vec<Sample> = Vec::new();
    let outcome = prepared.run(&mut |new: &[RawSample]| samples.extend(new.iter().map(RawSample::sample)))?;
    let done = done(outcome);
    let text = if json {
        let report = Report {
            kernel: kernel.name,
            op: op.name,
            params: Params { own: &parameters, threads: task.threads, cpus: &task.cpus, seconds: task.seconds },
            unit: done.unit,
            better: done.better,
            value: done.value,
            check: &done.check,
            samples: &samples,
            facts: system::facts(),
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

/// What a server says at its end: a rate over the time that it was left running would mean nothing.
fn served(samples: &[Sample]) -> String {
    let bytes: u64 = samples.iter().map(|sample| sample.work).sum();
    if bytes == 0 {
        return String::new();
    }
    let seconds = std::time::Duration::from_nanos(window_ns(samples)).as_secs_f64();
    format!("received {bytes} bytes in {seconds:.3} s\n")
}

fn window_ns(samples: &[Sample]) -> u64 {
    let (first, last) =
        (samples.first().map_or(0, |first| first.start_ns), samples.last().map_or(0, |last| last.end_ns));
    last.saturating_sub(first) // a clock may have gone back
}

fn human(kernel: &Kernel, op: &Op, done: &Done, samples: &[Sample]) -> String {
    let conditions: Vec<String> = done.conditions.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let window = window_ns(samples);
    let mut text = format!(
        "{} {}: {} (median of {} samples in {:.3} s)\n  {} ({} is better), counts {}\n  check: {:?} {} passed\n  conditions: {}\n",
        kernel.name,
        op.name,
        scaled(done.value, done.unit),
        done.count,
        std::time::Duration::from_nanos(window).as_secs_f64(),
        done.unit.name(),
        if done.better == Better::Higher { "higher" } else { "lower" },
        op.work,
        done.check.kind,
        done.check.value,
        if conditions.is_empty() { "none".to_owned() } else { conditions.join(", ") },
    );
    for (name, measure) in &done.measures {
        let said = match measure.unit {
            "1" => short(measure.value),
            "s" => scaled(measure.value, Unit::Second),
            "FLOP/s" => scaled(measure.value, Unit::FlopPerSecond),
            unit => format!("{} {unit}", short(measure.value)),
        };
        let _ = writeln!(text, "  {name}: {said}");
    }
    for (name, times) in &done.histograms {
        let at = |quantile| scaled(quantile_s(times, quantile), Unit::Second);
        let _ = writeln!(
            text,
            "  {name}: p50 {}, p90 {}, p99 {}, p99.9 {}, max {}",
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            at(1.0),
        );
    }
    text
}

/// Four significant digits, without a row of zeroes; counts as they are.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        format!("{value:.0}")
    } else if (1e-3..1e6).contains(&value.abs()) {
        format!("{value:.4}")
    } else {
        format!("{value:.3e}")
    }
}

/// The time that the share `quantile` of the operations did not exceed, s.
fn quantile_s(times: &Distribution, quantile: f64) -> f64 {
    let total: u64 = times.counts.iter().map(|(_, count)| count).sum();
    #[allow(clippy::cast_precision_loss)] // operations of one run, far below 2^53
    let wanted = quantile * total as f64;
    let mut seen = 0;
    let bucket = times.counts.iter().find(|(_, count)| {
        seen += count;
        #[allow(clippy::cast_precision_loss)] // as above
        let enough = seen as f64 >= wanted;
        enough
    });
    std::time::Duration::from_nanos(bucket.or(times.counts.last()).map_or(0, |(ns, _)| *ns)).as_secs_f64()
}

/// With the SI prefix that leaves one to three digits before the point.
fn scaled(value: f64, unit: Unit) -> String {
    let prefixes: &[(f64, &str)] = if unit == Unit::Second {
        &[(1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")]
    } else {
        &[(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]
    };
    let last = (1.0, "");
    let (factor, prefix) = prefixes.iter().find(|(factor, _)| value >= *factor).or(prefixes.last()).unwrap_or(&last);
    format!("{:.4} {prefix}{}", value / factor, unit.name())
}
