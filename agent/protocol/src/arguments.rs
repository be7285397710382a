//! What all requests have in common: objects, names of interfaces, and what is said of those that are wrong.

use crate::{Code, Failure};
use serde::Deserialize;

/// An object, never the array form that serde would take for a struct as well.
pub(crate) fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Failure> {
    if !text.trim_start_matches([' ', '\t']).starts_with('{') {
        return Err(bad("the line is not a JSON object"));
    }
    serde_json::from_str(text).map_err(|fault| bad(fault.to_string()))
}

/// A name that an interface can have.
pub(crate) fn checked_interface(name: String) -> Result<String, Failure> {
    // The kernel's own limit is 16 bytes with the terminating zero.
    if name.is_empty() || name.len() > 15 || name.contains(['/', ' ', '\0']) {
        return Err(out_of_range(format!("{name:?} cannot be the name of a network interface")));
    }
    Ok(name)
}

pub(crate) fn bad(message: impl Into<String>) -> Failure {
    Failure::new(Code::BadMessage, message)
}

pub(crate) fn out_of_range(message: impl Into<String>) -> Failure {
    Failure::new(Code::BadArguments, message)
}
