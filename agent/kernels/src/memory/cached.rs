//! Whether caches may hold what is worked on.

use crate::caches::Caches;
use virtometer_protocol::Conditions;
use virtometer_sampling::{Extras, Merge};

/// The caches that were found, so that a size can be told to lie in one of them.
pub(super) fn found_caches(caches: &Caches) -> Extras {
    #[allow(clippy::cast_precision_loss)] // far below 2^53
    caches.levels().fold(Extras::default(), |extras, (name, bytes)| extras.measure(name, "B", bytes as f64, Merge::Max))
}

/// How many times as large as the last-level caches an array must be for them not to matter (STREAM's rule).
const BEYOND: u64 = 4;

/// Whether caches may hold what is worked on: `size` bytes, `arrays` times.
pub(super) fn cached(caches: &Caches, threads: usize, size: u64, arrays: u64) -> Conditions {
    let Some(last) = caches.last_bytes(threads) else {
        return Conditions::from([("cached".to_owned(), "unknown".to_owned())]);
    };
    let found = match (size.saturating_mul(arrays) <= last, size >= last.saturating_mul(BEYOND)) {
        (true, _) => "yes",
        (_, true) => return Conditions::from([("cached".to_owned(), "no".to_owned())]),
        _ => "partly",
    };
    let (size, last) = (in_words(size), in_words(last));
    let reason = format!("a size of {size} is less than {BEYOND} times the last-level cache of {last}");
    Conditions::from([("cached".to_owned(), found.to_owned()), ("cached_reason".to_owned(), reason)])
}

/// A size for people: with a binary prefix where eighths of its unit say it exactly, else in bytes.
fn in_words(bytes: u64) -> String {
    let fits = |shift: &u32| bytes >> shift > 0 && bytes.is_multiple_of(1 << (shift - 3));
    let known = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    match known.iter().find(|(shift, _)| fits(shift)) {
        #[allow(clippy::cast_precision_loss)] // eighths of a unit: few digits
        Some((shift, name)) => format!("{} {name}", bytes as f64 / (1_u64 << shift) as f64),
        None => format!("{bytes} bytes"),
    }
}
