//! Nothing is overwritten but what a fill has written, or a write that an agent did not live to restore: content that
//! is neither the pattern nor the pattern under stamps belongs to somebody.

use super::flags::Flags;
use super::stamp;
use super::system::{self, FileExt};
use crate::random::Random;
use crate::settings::check_failed;
use std::fs::File;
use std::io;
use virtometer_protocol::{Code, Failure};
use virtometer_sampling::os_failure;

/// Bytes that are looked at in one place.
const LOOK: usize = 4096;

/// Places that are looked at.
const LOOKS: u64 = 16;

/// A file to be filled is yet to be made, is empty or holds the pattern as far as it is overwritten.
pub(super) fn ensure_fillable(path: &str, span: u64, seed: u64) -> Result<(), Failure> {
    let file = match system::open(path, Flags::default()) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|cause| os_failure(&format!("cannot open {path}"), &cause))?,
    };
    let unreadable = |cause: io::Error| os_failure(&format!("cannot read {path}"), &cause);
    let length = system::device_length(path).unwrap_or_else(|| file.metadata().map(|meta| meta.len()));
    let length = length.map_err(unreadable)?;
    // Files of /proc and the like have no length and yet something to read.
    let own = if length == 0 {
        file.read_at(&mut [0], 0).map_err(unreadable)? == 0
    } else {
        holds_pattern(&file, length.min(span), seed).map_err(unreadable)?
    };
    if own {
        return Ok(());
    }
    Err(foreign(path, "filling", "name a new file, or give overwrite"))
}

/// A file to be written to holds the pattern in its first `span` bytes.
pub(super) fn ensure_filled(path: &str, span: u64, seed: u64) -> Result<(), Failure> {
    let file =
        system::open(path, Flags::default()).map_err(|cause| os_failure(&format!("cannot open {path}"), &cause))?;
    if holds_pattern(&file, span, seed).map_err(|cause| os_failure(&format!("cannot read {path}"), &cause))? {
        return Ok(());
    }
    Err(foreign(path, "writing", "run fill first"))
}

/// A file whose content is not the pattern, from byte `at` on.
pub(super) fn wrong_content(path: &str, at: u64) -> Failure {
    check_failed(format!("{path} has other content than the pattern at byte {at}; was it filled?"))
}

fn foreign(path: &str, doing: &str, remedy: &str) -> Failure {
    let fault = format!("{path} does not hold the pattern of fill, and {doing} would destroy what it holds; {remedy}");
    Failure::new(Code::NotPermitted, fault)
}

/// Whether the first `span` bytes hold the pattern, stamped or not, in all the places that are looked at.
fn holds_pattern(file: &File, span: u64, seed: u64) -> io::Result<bool> {
    system::read_no_more(file);
    let (mut buffer, block) = ([0; LOOK], LOOK as u64);
    for place in places(span.div_ceil(block), seed) {
        let offset = place * block;
        let wanted = &mut buffer[..usize::try_from(span - offset).unwrap_or(LOOK).min(LOOK)];
        match file.read_exact_at(wanted, offset) {
            Ok(()) if stamp::first_foreign(wanted, offset).is_none() => (),
            Err(cause) if cause.kind() != io::ErrorKind::UnexpectedEof => return Err(cause),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// The first, the last and one random block of each equal part between: all where they are few.
fn places(blocks: u64, seed: u64) -> Vec<u64> {
    let looks = LOOKS.min(blocks);
    let mut random = Random::new(seed);
    let place = |part| {
        let (begin, end) = (blocks * part / looks, blocks * (part + 1) / looks);
        match part {
            0 => 0,
            _ if part + 1 == looks => blocks - 1,
            _ => begin + random.below(end - begin),
        }
    };
    (0..looks).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_block_and_every_part_between_are_looked_at() {
        assert!(places(0, 1).is_empty());
        assert_eq!(places(1, 1), [0]);
        assert_eq!(places(16, 1), (0..16).collect::<Vec<_>>());
        for blocks in [17, 1000, 1 << 38] {
            let found = places(blocks, 1);
            assert_eq!((found.len(), found[0], found[15]), (16, 0, blocks - 1));
            assert!(found.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] <= blocks / 8 + 2), "{found:?}");
        }
        assert_ne!(places(1000, 1), places(1000, 2));
    }
}
