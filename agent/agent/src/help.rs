//! What `--help` says: made from the table of kernels, so that it cannot be behind it.

use std::fmt::Write as _;
use std::io::Write as _;
use virtometer_kernels::{Kernel, Op, Parameter, ParameterKind, Preset, KERNELS};
use virtometer_protocol::Failure;
use virtometer_sampling::os_failure;

/// Print to standard output, which carries no protocol here.
pub(crate) fn print(text: &str) -> Result<u8, Failure> {
    std::io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .map_err(|cause| os_failure("cannot write to standard output", &cause))?;
    Ok(0)
}

/// Whether help is asked for among the words of a command.
pub(crate) fn wanted(words: &[String]) -> bool {
    words.iter().any(|word| word == "--help" || word == "-h")
}

/// The text of `--help`.
pub(crate) fn text() -> String {
    let text = String::from(
        "virtometer-agent: measures from the inside of an environment

Speak the protocol with a laboratory:
  virtometer-agent stdio                 over standard input and output
  virtometer-agent descriptor NUMBER     over an open descriptor, such as one end of a pair of sockets
  virtometer-agent serial PATH           over a serial line, virtual console or virtio-serial port
  virtometer-agent connect HOST:PORT     over a TCP connection that the agent opens
  virtometer-agent connect unix:PATH     over a connection to a socket with a path

Measure by hand:
  virtometer-agent measure KERNEL [--op OP] [--threads N] [--cpus LIST] [--seconds S] [--json] [PARAMETERS]
  virtometer-agent serve net --listen HOST:PORT     the other end of the network's operations
  virtometer-agent keep PROGRAM [WORD ...]          run a program, and end all that it leaves behind

  --op OP        default: the kernel's first
  --threads N    default 1
  --cpus LIST    pin the threads to these processors, for example 0,2-3; default: left to the scheduler
  --seconds S    length of the window, default 1
  --json         raw samples and all facts as one JSON object

  virtometer-agent kernels [--json]      the table of kernels, operations and parameters, with bounds and defaults
  virtometer-agent --version
  virtometer-agent --help
  virtometer-agent measure KERNEL [--op OP] --help     only this kernel, or this operation

As process 1 of a guest that contains nothing else (started as /init, or with the argument init) it mounts /proc,
/sys and /dev, loads the modules that /modules/order names and opens the channel that the kernel's command line
names: virtometer.channel=virtio:NAME, serial:DEVICE or hvc:DEVICE.

Exit status: 0 done, 1 failed, 2 wrong arguments. Numbers may end in K, M, G or T, or KiB to TiB (powers of 1024).

Kernels and their operations, with the unit and what is counted:
",
    );
    text + &kernels()
}

/// The table of all kernels.
pub(crate) fn kernels() -> String {
    KERNELS.iter().map(|kernel| format!("\n{}", of_kernel(kernel))).collect()
}

/// The part of one kernel: its operations, then the parameters under those that have them.
pub(crate) fn of_kernel(kernel: &Kernel) -> String {
    let mut text = format!("{}: {}\n", kernel.name, kernel.summary);
    for op in kernel.ops {
        text += &op_row(op);
    }
    // Rows that the same operations have, those of most operations first.
    let mut groups: Vec<(Vec<&str>, Vec<String>)> = Vec::new();
    for parameter in kernel.ops.iter().flat_map(|op| op.parameters) {
        let row = parameter_row(parameter);
        if groups.iter().any(|(_, rows)| rows.contains(&row)) {
            continue;
        }
        let has = |op: &&Op| op.parameters.iter().any(|own| parameter_row(own) == row);
        let ops: Vec<&str> = kernel.ops.iter().filter(has).map(|op| op.name).collect();
        match groups.iter_mut().find(|(known, _)| *known == ops) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((ops, vec![row])),
        }
    }
    groups.sort_by_key(|(ops, _)| std::cmp::Reverse(ops.len()));
    for (ops, rows) in groups {
        let _ = writeln!(text, "  {}:", named(kernel, &ops));
        text += &rows.concat();
    }
    text
}

/// One operation with all of its parameters.
pub(crate) fn of_op(kernel: &Kernel, op: &Op) -> String {
    let rows: String = op.parameters.iter().map(parameter_row).collect();
    format!("{}: {}\n{}{rows}", kernel.name, kernel.summary, op_row(op))
}

fn op_row(op: &Op) -> String {
    format!("  --op {:<20} {:<7} {}\n", op.name, op.unit.name(), op.work)
}

fn parameter_row(parameter: &Parameter) -> String {
    let form = match parameter.kind {
        ParameterKind::Boolean if parameter.name == "direct" => "--direct | --buffered".to_owned(),
        ParameterKind::Boolean if parameter.preset == Preset::Value("false") => format!("--{}", parameter.name),
        ParameterKind::Boolean => format!("--{0} | --no-{0}", parameter.name),
        ParameterKind::Integer { .. } => format!("--{} N", parameter.name),
        ParameterKind::Text => format!("--{} TEXT", parameter.name),
        ParameterKind::Choice(_) => format!("--{} WORD", parameter.name),
    };
    let bounds = match parameter.kind {
        ParameterKind::Choice(words) => format!("{}; ", words.join(", ")),
        ParameterKind::Integer { least, most, .. } => format!("{} to {}; ", size(least), size(most)),
        ParameterKind::Boolean | ParameterKind::Text => String::new(),
    };
    let preset = match parameter.preset {
        Preset::Missing => "must be given".to_owned(),
        Preset::Value(value) => format!("default {value}"),
        Preset::Otherwise(then) => format!("otherwise {then}"),
    };
    format!("    {form:<24} {} ({bounds}{preset})\n", parameter.meaning)
}

/// A number as the command line takes it, with the largest suffix that says it exactly.
fn size(number: u64) -> String {
    let exact = |(shift, _): &&(u32, &str)| number > 0 && number.is_multiple_of(1 << shift);
    match [(40, "T"), (30, "G"), (20, "M"), (10, "K")].iter().find(exact) {
        Some((shift, suffix)) => format!("{}{suffix}", number >> shift),
        None => number.to_string(),
    }
}

/// Some operations of a kernel in few words: rows of the table that follow each other by the first and the last.
fn named(kernel: &Kernel, ops: &[&str]) -> String {
    let others: Vec<&str> = kernel.ops.iter().map(|op| op.name).filter(|name| !ops.contains(name)).collect();
    if others.is_empty() {
        return (if ops.len() == 1 { "parameters" } else { "all operations" }).to_owned();
    }
    if others.len() <= 3 && others.len() < ops.len() {
        return format!("all but {}", others.join(", "));
    }
    let rows = kernel.ops.split(|op| !ops.contains(&op.name)).filter(|rows| !rows.is_empty());
    let words: Vec<String> = rows
        .map(|rows| match rows {
            [first, _, _, .., last] => format!("{} to {}", first.name, last.name),
            _ => rows.iter().map(|op| op.name).collect::<Vec<_>>().join(", "),
        })
        .collect();
    words.join(", ")
}
