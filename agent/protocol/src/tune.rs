//! Requests that change the system that the agent runs in, before something is measured, and the reply to them.

use crate::arguments::{checked_interface, object, out_of_range};
use crate::Failure;
use serde::{Deserialize, Serialize};

/// Most words of a program's command line, and most bytes of one of them.
const MAX_WORDS: usize = 64;
const MAX_WORD: usize = 4096;

/// Longest name and value of a kernel setting in bytes.
const MAX_SETTING: usize = 200;

/// Longest time of a program in seconds.
const MAX_PROGRAM_S: f64 = 600.0;

/// What an interface may leave to its device, as ethtool names it.
pub const OFFLOADS: [&str; 6] = ["rx", "tx", "sg", "tso", "gso", "gro"];

/// A change, its arguments all within their ranges.
#[derive(Clone, Debug, PartialEq)]
pub enum Tune {
    /// Write this value to the file of this name below /proc/sys.
    KernelSetting {
        /// With `/` between its parts.
        name: String,
        /// As the file takes it.
        value: String,
    },
    /// Let the queue of an interface hold so many packets.
    QueueLength {
        /// Its name.
        interface: String,
        /// At most 2^31 - 1.
        packets: i32,
    },
    /// Leave something to the device of an interface, or do it in the kernel.
    Offload {
        /// Its name.
        interface: String,
        /// One of [`OFFLOADS`].
        offload: String,
        /// Whether the device is to do it.
        on: bool,
    },
    /// Run a program.
    Program {
        /// The program and its arguments, at least one word.
        words: Vec<String>,
        /// How long it may take, above 0 and at most 600 s.
        seconds: f64,
    },
}

/// The reply to a change. Of a program `status` and `output`, of all others `before` and `after`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tuned {
    /// What was set before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What is set now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Exit status of the program; 128 and the number of the signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
    /// The end of what the program printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// The commands, by their names in a request.
pub(crate) const COMMANDS: [&str; 4] = ["set-kernel-setting", "set-queue-length", "set-offload", "run-program"];

/// Read the arguments of one of [`COMMANDS`]. The outer error closes the connection.
pub(crate) fn tune(command: &str, arguments: &str) -> Result<Result<Tune, Failure>, Failure> {
    match command {
        "set-kernel-setting" => kernel_setting(arguments),
        "set-queue-length" => queue_length(arguments),
        "set-offload" => offload(arguments),
        _ => program(arguments),
    }
}

fn kernel_setting(arguments: &str) -> Result<Result<Tune, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        name: String,
        value: String,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '@' | ':');
        let parts = || wire.name.split('/');
        let right = wire.name.len() <= MAX_SETTING
            && wire.name.chars().all(allowed)
            && parts().count() > 1
            && parts().all(|part| !matches!(part, "" | "." | ".."));
        if !right {
            return Err(out_of_range(format!("{:?} is not the name of a file below /proc/sys", wire.name)));
        }
        if wire.value.is_empty() || wire.value.len() > MAX_SETTING || wire.value.contains(['\n', '\0']) {
            return Err(out_of_range(format!("the value must have 1 to {MAX_SETTING} bytes in one line")));
        }
        Ok(Tune::KernelSetting { name: wire.name, value: wire.value })
    })())
}

fn queue_length(arguments: &str) -> Result<Result<Tune, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        interface: String,
        packets: i64,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        let interface = checked_interface(wire.interface)?;
        let packets = i32::try_from(wire.packets)
            .ok()
            .filter(|packets| *packets >= 0)
            .ok_or_else(|| out_of_range(format!("packets is {}, not 0 to 2^31 - 1", wire.packets)))?;
        Ok(Tune::QueueLength { interface, packets })
    })())
}

fn offload(arguments: &str) -> Result<Result<Tune, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        interface: String,
        offload: String,
        on: bool,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        let interface = checked_interface(wire.interface)?;
        if !OFFLOADS.contains(&wire.offload.as_str()) {
            let sentence = format!("offload is {:?}, not one of {}", wire.offload, OFFLOADS.join(", "));
            return Err(out_of_range(sentence));
        }
        Ok(Tune::Offload { interface, offload: wire.offload, on: wire.on })
    })())
}

fn program(arguments: &str) -> Result<Result<Tune, Failure>, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        words: Vec<String>,
        seconds: f64,
    }
    let wire: Wire = object(arguments)?;
    Ok((|| {
        if wire.words.is_empty() || wire.words.len() > MAX_WORDS {
            return Err(out_of_range(format!("a program has 1 to {MAX_WORDS} words")));
        }
        if wire.words.iter().any(|word| word.len() > MAX_WORD || word.contains('\0')) {
            return Err(out_of_range(format!("a word has at most {MAX_WORD} bytes, and no NUL")));
        }
        if !(wire.seconds > 0.0 && wire.seconds <= MAX_PROGRAM_S) {
            return Err(out_of_range(format!("seconds is {}, not above 0 and at most {MAX_PROGRAM_S}", wire.seconds)));
        }
        Ok(Tune::Program { words: wire.words, seconds: wire.seconds })
    })())
}
