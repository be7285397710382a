//! What `--help` says: made from the table of kernels, so that it cannot be behind it.

use std::fmt::Write as _;
use std::io::Write as _;
use virtometer_kernels::{ParameterKind, KERNELS};
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

/// The text of `--help`.
pub(crate) fn text() -> String {
    let mut text = String::from(
        "virtometer-agent: measures from the inside of an environment

Speak the protocol with a laboratory:
  virtometer-agent stdio                 over standard input and output
  virtometer-agent serial PATH           over a serial line, virtual console or virtio-serial port
  virtometer-agent connect HOST:PORT     over a TCP connection that the agent opens

Measure by hand:
  virtometer-agent measure KERNEL [--op OP] [--threads N] [--cpus LIST] [--seconds S] [--json] [PARAMETERS]
  virtometer-agent serve net --listen HOST:PORT     the other end of the network's operations

  --op OP        default: the kernel's first
  --threads N    default 1
  --cpus LIST    pin the threads to these processors, for example 0,2-3; default: left to the scheduler
  --seconds S    length of the window, default 1
  --json         raw samples and all facts as one JSON object

  virtometer-agent --version
  virtometer-agent --help

As process 1 of a guest that contains nothing else (started as /init, or with the argument init) it mounts /proc,
/sys and /dev, loads the modules that /modules/order names and opens the channel that the kernel's command line
names: virtometer.channel=virtio:NAME, serial:DEVICE or hvc:DEVICE.

Exit status: 0 done, 1 failed, 2 wrong arguments. Numbers may end in K, M, G or T (powers of 1024).

Kernels and their operations, with the unit and what is counted:
",
    );
    for kernel in KERNELS {
        let _ = writeln!(text, "\n{}: {}", kernel.name, kernel.summary);
        for op in kernel.ops {
            let _ = writeln!(text, "  --op {:<17} {:<7} {}", op.name, op.unit.name(), op.work);
        }
        let mut seen = Vec::new();
        for parameter in kernel.ops.iter().flat_map(|op| op.parameters) {
            let row = match parameter.kind {
                ParameterKind::Boolean if parameter.name == "direct" => "--direct | --buffered".to_owned(),
                ParameterKind::Boolean if parameter.default == "false" => format!("--{}", parameter.name),
                ParameterKind::Boolean => format!("--{0} | --no-{0}", parameter.name),
                ParameterKind::Integer => format!("--{} N", parameter.name),
                ParameterKind::Text => format!("--{} TEXT", parameter.name),
            };
            let default = if parameter.default.is_empty() {
                "must be given".to_owned()
            } else {
                format!("default {}", parameter.default)
            };
            let line = format!("    {row:<24} {} ({default})", parameter.meaning);
            if !seen.contains(&line) {
                let _ = writeln!(text, "{line}");
                seen.push(line);
            }
        }
    }
    text
}
