//! Texts of parameters.

use crate::settings::{wrong, Settings};
use virtometer_protocol::Failure;

/// A parameter that is a JSON array of texts; none where it is not given.
pub(super) fn texts(settings: &Settings<'_>, name: &str) -> Result<Vec<String>, Failure> {
    let Some(text) = settings.optional_text(name)? else {
        return Ok(Vec::new());
    };
    serde_json::from_str(text)
        .map_err(|_| wrong(format!("{name} is {text:?}, not a JSON array of texts such as [\"-n\",\"100\"]")))
}

pub(super) fn no_zero<'a>(mut texts: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
    match texts.any(|text| text.contains('\0')) {
        true => Err(wrong("program and arguments must not contain a zero byte")),
        false => Ok(()),
    }
}

/// The agent's own variables, NAME=VALUE each, as far as they are texts.
pub(super) fn own_variables() -> Vec<String> {
    let texts = std::env::vars_os().filter_map(|(name, value)| name.into_string().ok().zip(value.into_string().ok()));
    texts.map(|(name, value)| format!("{name}={value}")).collect()
}
