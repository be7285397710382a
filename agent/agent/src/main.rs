//! `virtometer-agent`: measures from the inside of an environment. See `--help`, and `contract/PROTOCOL.md` for the
//! protocol.

mod channel;
mod engine;
mod help;
mod human;
mod kernels;
#[cfg(unix)]
mod linux;
mod measure;
mod options;
mod outbox;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use linux as system;
#[cfg(windows)]
use windows as system;

use engine::Ending;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use virtometer_protocol::{Code, Failure};

/// Version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Exit status for arguments that are wrong.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let own_name = arguments.next().unwrap_or_default();
    let arguments: Vec<OsString> = arguments.collect();
    let first = arguments.first().and_then(|word| word.to_str()).unwrap_or("");
    system::outlive_file_limit();
    system::live_if_process_1(&own_name.to_string_lossy(), first);
    match run(first, arguments.get(1..).unwrap_or(&[])) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "virtometer-agent: {failure}");
            ExitCode::from(if failure.code == Code::BadArguments { USAGE } else { 1 })
        }
    }
}

fn run(command: &str, rest: &[OsString]) -> Result<u8, Failure> {
    #[cfg(unix)]
    if command == "keep" {
        return system::keep(rest);
    }
    let words = rest
        .iter()
        .map(|word| word.to_str().map(str::to_owned))
        .collect::<Option<Vec<String>>>()
        .ok_or_else(|| options::usage("an argument is not UTF-8"))?;
    let channel = match command {
        "stdio" | "descriptor" | "serial" | "connect" if help::wanted(&words) => return help::print(&help::text()),
        "stdio" => options::none(&words).and_then(|()| channel::stdio())?,
        "descriptor" => channel::descriptor(&options::one(&words, "descriptor NUMBER")?)?,
        "serial" => channel::serial(&options::one(&words, "serial PATH")?)?,
        "connect" => channel::connect(&options::one(&words, "connect HOST:PORT or unix:PATH")?)?,
        "kernels" => return kernels::kernels(&words),
        "measure" => return measure::measure(&words),
        "serve" => return measure::serve(&words),
        "--version" | "-V" => return help::print(&format!("virtometer-agent {VERSION}\n")),
        "--help" | "-h" | "help" => return help::print(&help::text()),
        virtometer_kernels::EXIT_ARGUMENT => {
            return Ok(u8::try_from(virtometer_kernels::EXIT_STATUS).unwrap_or(1));
        }
        "init" => return Err(options::usage("init is for process 1 of a guest that contains nothing else")),
        "" => return Err(options::usage("a command is missing; see --help")),
        other => return Err(options::usage(&format!("there is no command {other:?}; see --help"))),
    };
    match engine::converse(channel, &[], false) {
        Ending::Bye | Ending::Closed => Ok(0),
        Ending::Fatal(failure) => Err(failure),
    }
}
