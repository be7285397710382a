//! Reading a kernel's parameters, with one clear sentence for each that is wrong.

use crate::operation::{Op, Parameter, ParameterKind, Preset};
use std::cell::RefCell;
use virtometer_protocol::{Code, Failure, Parameters, Scalar, MAX_INTEGER};

/// The parameters of a task, all of them known to the operation.
pub struct Settings<'a> {
    op: &'a Op,
    given: &'a Parameters,
    /// Defaults that the kernel has taken.
    taken: RefCell<Parameters>,
}

impl<'a> Settings<'a> {
    /// Refuses parameters that the operation does not have.
    pub fn new(op: &'a Op, given: &'a Parameters) -> Result<Self, Failure> {
        for name in given.0.keys() {
            if !op.parameters.iter().any(|known| known.name == name) {
                let known: Vec<&str> = op.parameters.iter().map(|known| known.name).collect();
                let has = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(wrong(format!("the op {} has no parameter {name:?}; it has {has}", op.name)));
            }
        }
        Ok(Settings { op, given, taken: RefCell::default() })
    }

    /// What was given, and the defaults that the kernel has taken for the rest.
    pub(crate) fn in_force(self) -> Parameters {
        let mut all = self.taken.into_inner();
        all.0.extend(self.given.0.clone());
        all
    }

    /// Remember the value that holds for a parameter which is not given. Others than the operation's are not told: some
    /// kernels read what only some of their operations have.
    pub(crate) fn take(&self, name: &str, value: Scalar) {
        if self.op.parameters.iter().any(|known| known.name == name) {
            self.taken.borrow_mut().0.insert(name.to_owned(), value);
        }
    }

    /// Whether a parameter is given.
    pub(crate) fn given(&self, name: &str) -> bool {
        self.given.0.contains_key(name)
    }

    /// The row of the operation's table.
    fn row(&self, name: &str) -> Option<&'static Parameter> {
        self.op.parameters.iter().find(|known| known.name == name)
    }

    /// The default of the operation's table.
    fn default(&self, name: &str) -> Option<&'static str> {
        match self.row(name)?.preset {
            Preset::Value(default) => Some(default),
            Preset::Missing | Preset::Otherwise(_) => None,
        }
    }

    /// An integer within the bounds of the table; where it is not given, the table's default.
    pub(crate) fn integer(&self, name: &str) -> Result<u64, Failure> {
        self.integer_or(name, 0)
    }

    /// An integer within the bounds of the table. Where it is not given and has no default there, `otherwise` holds.
    pub(crate) fn integer_or(&self, name: &str, otherwise: u64) -> Result<u64, Failure> {
        let value = match self.given.0.get(name) {
            None => {
                let default = self.default(name).and_then(quantity).unwrap_or(otherwise);
                // Defaults are small; what were not would not be told, rather than told wrong.
                if let Ok(told) = i64::try_from(default) {
                    self.take(name, Scalar::Integer(told));
                }
                return Ok(default);
            }
            Some(Scalar::Integer(value)) => *value,
            Some(_) => return Err(wrong(format!("{name} must be an integer"))),
        };
        let (least, most) = match self.row(name).map(|known| known.kind) {
            Some(ParameterKind::Integer { least, most, .. }) => (least, most),
            _ => (0, MAX_INTEGER),
        };
        u64::try_from(value)
            .ok()
            .filter(|value| (least..=most).contains(value))
            .ok_or_else(|| wrong(format!("{name} is {value}, not {least} to {most}")))
    }

    /// True or false; where it is not given, the table's default, and false of what the operation does not have.
    pub(crate) fn boolean(&self, name: &str) -> Result<bool, Failure> {
        match self.given.0.get(name) {
            None => {
                let default = self.default(name) == Some("true");
                self.take(name, Scalar::Boolean(default));
                Ok(default)
            }
            Some(Scalar::Boolean(value)) => Ok(*value),
            Some(_) => Err(wrong(format!("{name} must be true or false"))),
        }
    }

    /// A text that has to be given.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, Failure> {
        self.optional_text(name)?.ok_or_else(|| wrong(format!("{name} must be given")))
    }

    /// What one of the table's words stands for. Where none is given the table's default holds, and the first word of
    /// what the operation does not have.
    pub(crate) fn choice<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, Failure> {
        let given = self.optional_text(name)?.or_else(|| self.default(name)).unwrap_or(words[0].0);
        words.iter().find(|(word, _)| *word == given).map(|(_, meaning)| *meaning).ok_or_else(|| {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let (last, others) = known.split_last().unwrap_or((&"", &[]));
            wrong(format!("{name} is {given:?}, not {} or {last}", others.join(", ")))
        })
    }

    /// A text. Where it is not given, what the table says holds.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, Failure> {
        match self.given.0.get(name) {
            None => {
                if let Some(default) = self.default(name) {
                    self.take(name, Scalar::Text(default.to_owned()));
                }
                Ok(None)
            }
            Some(Scalar::Text(value)) if !value.is_empty() => Ok(Some(value)),
            Some(_) => Err(wrong(format!("{name} must be a text that is not empty"))),
        }
    }
}

/// A number of things or bytes. K, M, G and T behind it are powers of 1024 in either case, alone or as in KB and KiB.
/// `None`: something else, or too large. Plans have the same grammar: contract/sizes.json has examples.
pub fn quantity(text: &str) -> Option<u64> {
    let (digits, suffix) = text.split_at(text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match suffix.to_ascii_lowercase().as_str() {
        "" | "b" => 1u64,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// A parameter that is out of range.
pub(crate) fn wrong(message: impl Into<String>) -> Failure {
    Failure::new(Code::BadArguments, message)
}

/// A result that is wrong.
pub(crate) fn check_failed(message: impl Into<String>) -> Failure {
    Failure::new(Code::CheckFailed, message)
}
