//! What a command is, how it is run, and what is demanded of it: the parameters of `time`.

use super::given::{no_zero, own_variables, texts};
use super::look_up::Line;
use super::user::User;
use crate::operation::ParameterKind::{Boolean, Choice, Text};
use crate::operation::TimedBy::{GuestAtWork, Nothing};
use crate::operation::{bytes, integer, measure, optional, parameter, Measure, Parameter};
use crate::settings::{wrong, Settings};
use std::collections::BTreeMap;
use std::time::Duration;
use virtometer_protocol::Failure;

/// Longest time limit of a run: about a week.
const LONGEST_MS: u64 = 600_000_000;

/// Most bytes of the variable that fills the environment: Linux takes no text of 128 KiB.
const MOST_PADDING: u64 = 64 << 10;

pub(super) const PARAMETERS: &[Parameter] = &[
    parameter("program", Text, "", "path, or name that is looked up on the PATH"),
    optional("arguments", Text, "none", "a JSON array of texts, such as [\"-n\",\"100\"]"),
    optional("variables", Text, "those of the agent", "all environment variables: a JSON object of texts"),
    optional("directory", Text, "that of the agent", "directory in which the command runs"),
    optional("user", Text, "that of the agent", "numbers of the user and its groups: USER:GROUP[,GROUP...]"),
    optional("input", Text, "nothing", "file that the command reads from standard input"),
    parameter(
        "output",
        Choice(&["digest", "null"]),
        "digest",
        "what becomes of the output: it is read and compared with that of other runs, or discarded",
    ),
    optional("prepare", Text, "none", "a JSON array: program and arguments that run before each run, not timed"),
    optional("conclude", Text, "none", "a JSON array: program and arguments that run after each run, not timed"),
    parameter("limit-ms", integer(0, LONGEST_MS), "0", "longest time of a run, in ms; 0: no limit"),
    parameter("ignore-failure", Boolean, "false", "accept a status other than 0"),
    parameter("output-may-differ", Boolean, "false", "accept another output in each run"),
    parameter(
        "padding",
        bytes(0, MOST_PADDING),
        "4096",
        "most bytes of a variable whose random length moves the stack in each run; 0: no such variable",
    ),
];

pub(super) const MEASURES: &[Measure] = &[
    measure("user", "s", GuestAtWork, "processor time of the command itself, mean of the runs"),
    measure("system", "s", GuestAtWork, "processor time of the kernel for the command, mean of the runs"),
    measure("peak-memory", "B", Nothing, "most memory of the largest process of the command, where above the agent's"),
];

/// What all runs have in common.
#[derive(Debug)]
pub(super) struct Specification {
    pub(super) command: Line,
    pub(super) prepare: Option<Line>,
    pub(super) conclude: Option<Line>,
    /// NAME=VALUE each.
    pub(super) variables: Vec<String>,
    pub(super) input: String,
    /// Whether the output is read.
    pub(super) kept: bool,
    pub(super) limit: Option<Duration>,
    pub(super) ignore_failure: bool,
    pub(super) may_differ: bool,
    pub(super) padding: u64,
}

impl Specification {
    pub(super) fn new(settings: &Settings<'_>) -> Result<Self, Failure> {
        let directory = settings.optional_text("directory")?.map(str::to_owned);
        let user = settings.optional_text("user")?.map(str::parse::<User>).transpose()?;
        let line = |words: Vec<String>| Line::new(words, directory.clone(), user.clone());
        let beside = |name: &str| match settings.optional_text(name)? {
            None => Ok(None),
            Some(_) => line(texts(settings, name)?).map(Some),
        };
        let mut words = vec![settings.text("program")?.to_owned()];
        words.extend(texts(settings, "arguments")?);
        let limit = settings.integer("limit-ms")?;
        let input = settings.optional_text("input")?.unwrap_or("/dev/null").to_owned();
        no_zero(directory.iter().chain([&input]))?;
        Ok(Specification {
            command: line(words)?,
            prepare: beside("prepare")?,
            conclude: beside("conclude")?,
            variables: variables(settings)?,
            input,
            kept: settings.choice("output", &[("digest", true), ("null", false)])?,
            limit: (limit > 0).then(|| Duration::from_millis(limit)),
            ignore_failure: settings.boolean("ignore-failure")?,
            may_differ: settings.boolean("output-may-differ")?,
            padding: settings.integer("padding")?,
        })
    }
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
