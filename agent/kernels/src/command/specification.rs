//! What a command is, how it is run, and what is demanded of it: the parameters of `time`.

use super::given::{no_zero, own_variables, texts};
use super::look_up::Line;
use super::standing::Standing;
use crate::operation::ParameterKind::{Boolean, Choice, Text};
use crate::operation::TimedBy::{Guest, GuestAtWork, Nothing};
use crate::operation::{bytes, integer, measure, optional, parameter, Measure, Parameter};
use crate::settings::{wrong, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use virtometer_protocol::Failure;

/// Longest time limit of a run: about a week.
const LONGEST_MS: u64 = 600_000_000;

/// Most runs that are not timed.
const MOST_WARM_UPS: u64 = 10_000;

/// Most timed runs: their samples fit into a run.
const MOST_RUNS: u64 = 20_000;

/// Most bytes by which the stack is moved: a longer path is refused by Linux.
const MOST_PADDING: u64 = 4 << 10;

pub(super) const PARAMETERS: &[Parameter] = &[
    parameter("program", Text, "", "path, or name that is looked up on the PATH"),
    optional("arguments", Text, "none", "a JSON array of texts, such as [\"-n\",\"100\"]"),
    optional("variables", Text, "those of the agent", "all environment variables: a JSON object of texts"),
    optional("directory", Text, "that of the agent", "directory in which the command runs"),
    optional("input", Text, "nothing", "file that the command reads from standard input"),
    parameter(
        "output",
        Choice(&["digest", "null"]),
        "digest",
        "what becomes of the output: it is read and compared with that of other runs, or discarded",
    ),
    optional("output-file", Text, "none", "file that gets the standard output of each run, and belongs to the answer"),
    optional("prepare", Text, "none", "a JSON array: program and arguments that run before each run, not timed"),
    optional("conclude", Text, "none", "a JSON array: program and arguments that run after each run, not timed"),
    optional("setup", Text, "none", "a JSON array: program and arguments that run once before all runs, not timed"),
    optional("cleanup", Text, "none", "a JSON array: program and arguments that run once after all runs, not timed"),
    parameter("warm-ups", integer(1, MOST_WARM_UPS), "1", "runs before all timed ones; the first one sets the answer"),
    parameter("warm-each", Boolean, "false", "one more run, not timed, right before each timed run"),
    parameter("runs", integer(0, MOST_RUNS), "0", "timed runs of a window without slices; 0: as many as fit into it"),
    parameter("limit-ms", integer(0, LONGEST_MS), "0", "longest time of a run, in ms; 0: no limit"),
    parameter("ignore-failure", Boolean, "false", "accept a status other than 0"),
    parameter("output-may-differ", Boolean, "false", "accept another output in each run"),
    parameter("show-output", Boolean, "false", "report the end of what the first run printed"),
    optional(
        "user",
        Text,
        "that of the agent",
        "NAME or UID, perhaps with :GROUP or :GID: the command runs as this user",
    ),
    optional(
        "limits",
        Text,
        "those of the agent",
        "a JSON object of soft and hard limits, such as {\"nofile\":[256,512]}",
    ),
    parameter("no-new-privileges", Boolean, "false", "no program that the command executes gets more privileges"),
    parameter("terminal", Boolean, "false", "its input, output and errors are a terminal of 24 lines and 80 columns"),
    parameter("first-counts", Boolean, "false", "no run before the window: its first run is the first one here"),
    optional(
        "evict",
        Text,
        "none",
        "a JSON array: files that leave the page cache before each run, as far as they can",
    ),
    parameter(
        "padding",
        bytes(0, MOST_PADDING),
        "4096",
        "most bytes by which the stack moves, at random in each run: slashes in the program's path; 0: none",
    ),
    optional(
        "check-files",
        Text,
        "none",
        "a JSON array of paths: files whose contents must be the same after each run",
    ),
    parameter("keep-output", Boolean, "false", "run once, and take the end of the output with the result"),
];

pub(super) const MEASURES: &[Measure] = &[
    measure("wall", "s", Guest, "time of the run whose output was taken, from its start to its end"),
    measure("user", "s", GuestAtWork, "processor time of the command itself, mean of the runs"),
    measure("system", "s", GuestAtWork, "processor time of the kernel for the command, mean of the runs"),
    measure("empty", "s", GuestAtWork, "time of an empty program from its start to its end, median"),
    measure("peak-memory", "B", Nothing, "most memory of the largest process of the command, where above the agent's"),
    measure("held-memory", "B", Nothing, "most memory of all its processes at once, seen in an untimed run"),
];

/// What all runs have in common.
#[derive(Debug)]
pub(super) struct Specification {
    pub(super) command: Line,
    pub(super) prepare: Option<Line>,
    pub(super) conclude: Option<Line>,
    pub(super) setup: Option<Line>,
    pub(super) cleanup: Option<Line>,
    pub(super) warm_ups: u64,
    pub(super) warm_each: bool,
    /// Of a window; 0: as many as fit.
    pub(super) runs: u64,
    /// Whether the end of the first run's output is reported.
    pub(super) shown: bool,
    /// NAME=VALUE each.
    pub(super) variables: Vec<String>,
    pub(super) input: String,
    /// Whether the output is read.
    pub(super) kept: bool,
    pub(super) limit: Option<Duration>,
    pub(super) ignore_failure: bool,
    pub(super) may_differ: bool,
    /// Whether no run precedes those that count.
    pub(super) first_counts: bool,
    /// Files that leave the page cache before each run; `None`: nothing is done.
    pub(super) evicted: Option<Vec<String>>,
    pub(super) padding: u64,
    /// Of the command alone, not of those beside it.
    pub(super) standing: Arc<Standing>,
    pub(super) terminal: bool,
    /// Files whose contents belong to the answer.
    pub(super) files: Vec<String>,
    /// File that gets the standard output.
    pub(super) into: Option<String>,
    /// Whether there is one run, whose output is taken.
    pub(super) taken: bool,
}

impl Specification {
    pub(super) fn new(settings: &Settings<'_>) -> Result<Self, Failure> {
        let directory = settings.optional_text("directory")?.map(str::to_owned);
        let line = |words: Vec<String>| Line::new(words, directory.clone());
        let beside = |name: &str| match settings.optional_text(name)? {
            None => Ok(None),
            Some(_) => line(texts(settings, name)?).map(Some),
        };
        let mut words = vec![settings.text("program")?.to_owned()];
        words.extend(texts(settings, "arguments")?);
        let limit = settings.integer("limit-ms")?;
        let terminal = settings.boolean("terminal")?;
        if terminal && settings.given("input") {
            return Err(wrong("a command with a terminal reads from it, so that input cannot be a file"));
        }
        let input = settings.optional_text("input")?.unwrap_or("/dev/null").to_owned();
        let files = texts(settings, "check-files")?;
        no_zero(directory.iter().chain([&input]).chain(&files))?;
        let kept = settings.choice("output", &[("digest", true), ("null", false)])?;
        if terminal && !kept {
            return Err(wrong("a command with a terminal prints to it, so that output cannot be null"));
        }
        let taken = settings.boolean("keep-output")?;
        if taken && !kept {
            return Err(wrong("keep-output needs the output, which output=null discards"));
        }
        let may_differ = settings.boolean("output-may-differ")?;
        let mut files: Vec<_> = files.into_iter().map(|file| inside(directory.as_deref(), file)).collect();
        let into = settings.optional_text("output-file")?.map(|file| inside(directory.as_deref(), file.to_owned()));
        no_zero(into.iter())?;
        if into.is_some() && (terminal || !kept || taken) {
            return Err(wrong("output-file takes the output: leave out terminal, output=null and keep-output"));
        }
        files.extend(into.iter().filter(|_| !may_differ).cloned());
        Ok(Specification {
            command: line(words)?,
            prepare: beside("prepare")?,
            conclude: beside("conclude")?,
            setup: beside("setup")?,
            cleanup: beside("cleanup")?,
            warm_ups: settings.integer("warm-ups")?,
            warm_each: settings.boolean("warm-each")?,
            runs: settings.integer("runs")?,
            shown: settings.boolean("show-output")?,
            variables: variables(settings)?,
            input,
            kept,
            limit: (limit > 0).then(|| Duration::from_millis(limit)),
            ignore_failure: settings.boolean("ignore-failure")?,
            may_differ,
            first_counts: settings.boolean("first-counts")?,
            evicted: settings.optional_text("evict")?.map(|_| texts(settings, "evict")).transpose()?,
            padding: settings.integer("padding")?,
            standing: Arc::new(Standing::new(settings)?),
            terminal,
            files,
            into,
            taken,
        })
    }
}

/// A path as the command sees it, which runs in this directory.
fn inside(directory: Option<&str>, file: String) -> String {
    directory.map_or(file.clone(), |it| std::path::Path::new(it).join(&file).to_string_lossy().into_owned())
}

fn variables(settings: &Settings<'_>) -> Result<Vec<String>, Failure> {
    let Some(text) = settings.optional_text("variables")? else {
        return Ok(own_variables());
    };
    let given: BTreeMap<String, String> = serde_json::from_str(text)
        .map_err(|_| wrong(format!("variables is {text:?}, not a JSON object of texts such as {{\"LANG\":\"C\"}}")))?;
    if let Some(name) = given.keys().find(|name| name.is_empty() || name.contains('=')) {
        return Err(wrong(format!("{name:?} cannot be the name of a variable")));
    }
    let all = given.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    no_zero(all.iter())?;
    Ok(all)
}
