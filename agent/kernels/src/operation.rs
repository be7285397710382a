//! What the table of kernels says of an operation, of its parameters and of what its runs report.

use virtometer_protocol::Unit;

/// One operation of a kernel.
pub struct Op {
    /// Name in the protocol and on the command line.
    pub name: &'static str,
    /// Unit of its value.
    pub unit: Unit,
    /// What is counted as work.
    pub work: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// What a run may report besides its value: a run leaves out what it does not find.
    pub measures: &'static [Measure],
    /// Arrays of `size` bytes, where it works on such.
    pub arrays: Option<Arrays>,
    /// By what its runs are compared, where that is not their value.
    pub judged: Option<Judged>,
}

impl Op {
    /// Whether its runs may report this measure in this unit.
    pub fn reports(&self, name: &str, unit: &str) -> bool {
        self.measures.iter().any(|known| (known.name, known.unit) == (name, unit))
    }
}

/// One measure that a run may report besides its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Name in the protocol.
    pub name: &'static str,
    /// Unit: SI, `1` for a count or share.
    pub unit: &'static str,
    /// Which clock its time is by.
    pub timed_by: TimedBy,
    /// What it means, for those who do not know the kernel.
    pub meaning: &'static str,
}

/// Which clock the time in a measure is by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimedBy {
    /// There is no time in it, or the guest's by the guest's.
    Nothing,
    /// The guest's, within and beside the work.
    Guest,
    /// The guest's, within the work alone.
    GuestAtWork,
    /// The guest's, and the measure is about this clock: it is not converted.
    GuestItself,
    /// The host's, or another one outside of the guest.
    Host,
    /// A time of the host's by one of the guest's.
    HostByGuest,
}

impl TimedBy {
    /// The word in the table.
    pub const fn name(self) -> &'static str {
        match self {
            TimedBy::Nothing => "nothing",
            TimedBy::Guest => "guest",
            TimedBy::GuestAtWork => "guest-at-work",
            TimedBy::GuestItself => "guest-itself",
            TimedBy::Host => "host",
            TimedBy::HostByGuest => "host-by-guest",
        }
    }
}

/// By what the runs of an operation are compared instead of their value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What it is, in words.
    pub metric: &'static str,
    /// The histogram, in seconds, whose mean is compared; less is better.
    pub histogram: &'static str,
    /// The measure that the value should reach, in the value's unit.
    pub wanted: &'static str,
}

/// How many arrays of `size` bytes an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrays {
    /// Arrays that lie in memory at the same time.
    pub held: u64,
    /// Arrays whose bytes are counted as work: one that is read and written counts twice. 0: other work is counted.
    pub moved: u64,
}

/// One parameter of an operation.
pub struct Parameter {
    /// Name in the protocol, and with two dashes before it on the command line.
    pub name: &'static str,
    /// What kind of value it has.
    pub kind: ParameterKind,
    /// What holds when it is not given.
    pub preset: Preset,
    /// What it means.
    pub meaning: &'static str,
}

/// What holds when a parameter is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Nothing: it must be given.
    Missing,
    /// This value, as the command line takes it.
    Value(&'static str),
    /// No value of its own; what is done then, for people.
    Otherwise(&'static str),
}

/// What kind of value a parameter has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// An integer within bounds, on the command line with an optional K, M, G or T.
    Integer {
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
        /// `B` for bytes; None for a number, and where the meaning says the unit.
        unit: Option<&'static str>,
    },
    /// True or false.
    Boolean,
    /// A text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// A row of a table of measures.
pub(crate) const fn measure(
    name: &'static str,
    unit: &'static str,
    timed_by: TimedBy,
    meaning: &'static str,
) -> Measure {
    Measure { name, unit, timed_by, meaning }
}

/// An integer from `least` to `most`.
pub(crate) const fn integer(least: u64, most: u64) -> ParameterKind {
    ParameterKind::Integer { least, most, unit: None }
}

/// So many bytes, from `least` to `most`.
pub(crate) const fn bytes(least: u64, most: u64) -> ParameterKind {
    ParameterKind::Integer { least, most, unit: Some("B") }
}

/// A row of a table of parameters. `default` is what the command line takes; empty: it must be given.
pub(crate) const fn parameter(
    name: &'static str,
    kind: ParameterKind,
    default: &'static str,
    meaning: &'static str,
) -> Parameter {
    let preset = if default.is_empty() { Preset::Missing } else { Preset::Value(default) };
    Parameter { name, kind, preset, meaning }
}

/// A row of a table of parameters without a default value: what is done when it is not given.
pub(crate) const fn optional(
    name: &'static str,
    kind: ParameterKind,
    then: &'static str,
    meaning: &'static str,
) -> Parameter {
    Parameter { name, kind, preset: Preset::Otherwise(then), meaning }
}
