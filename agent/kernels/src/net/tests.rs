#![allow(clippy::unwrap_used)]

mod both_ends;
mod foreign_clients;
mod foreign_peers;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod sockets;

use super::plan::Plan;
use crate::{find, make, Settings};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use virtometer_protocol::{Failure, Parameters, Scalar};
use virtometer_sampling::{prepare, CheckValue, Control, Outcome, Task};

fn text(value: &str) -> Scalar {
    Scalar::Text(value.to_owned())
}

fn task(op: &str, parameters: &[(&str, Scalar)]) -> Task {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let control = Arc::new(Control::default());
    Task { op: op.into(), parameters: Parameters(parameters), threads: 1, cpus: None, seconds: 0.05, control }
}

fn run(task: &Task) -> Result<Outcome, Failure> {
    crate::tests::run("net", task)
}

fn task_of_client(op: &str, peer: SocketAddr, parameters: &[(&str, Scalar)]) -> Task {
    let mut all = vec![("peer", text(&peer.to_string()))];
    all.extend_from_slice(parameters);
    task(op, &all)
}

fn client(op: &str, peer: SocketAddr, parameters: &[(&str, Scalar)], threads: usize) -> Result<Outcome, Failure> {
    let mut task = task_of_client(op, peer, parameters);
    task.threads = threads;
    run(&task)
}

/// The plan of a client.
pub(super) fn plan(op: &str, peer: SocketAddr, parameters: &[(&str, Scalar)]) -> Plan {
    let task = task_of_client(op, peer, parameters);
    let (_, op) = find("net", op).unwrap();
    Plan::new(&task, &Settings::new(op, &task.parameters).unwrap()).unwrap()
}

fn measures(outcome: &Outcome) -> BTreeMap<String, f64> {
    outcome.extras.measures().into_iter().map(|(name, measure)| (name, measure.value)).collect()
}

/// A server as the agent runs it, and what it reports when it is stopped.
pub(super) struct Serving {
    pub(super) address: SocketAddr,
    control: Arc<Control>,
    thread: JoinHandle<Outcome>,
}

impl Serving {
    pub(super) fn begin() -> Self {
        let task = task("serve", &[("listen", text("127.0.0.1:0"))]);
        let control = task.control.clone();
        let (send, receive) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let (kernel, op) = find("net", "serve").unwrap();
            let prepared = prepare(&task, op.unit, &make(kernel, op, &task).unwrap()).unwrap();
            send.send(prepared.conditions()["address"].parse().unwrap()).unwrap();
            prepared.run(&mut |_| ()).unwrap()
        });
        Serving { address: receive.recv().unwrap(), control, thread }
    }

    pub(super) fn end(self) -> Outcome {
        self.control.stop();
        self.thread.join().unwrap()
    }
}

fn counted(check: CheckValue) -> u64 {
    match check {
        CheckValue::Bytes(count) | CheckValue::Count(count) => count,
        other => panic!("{other:?}"),
    }
}

/// The C library's words for an error, without its number.
fn words(number: i32) -> String {
    let text = std::io::Error::from_raw_os_error(number).to_string();
    text.split(" (os error").next().unwrap().trim_end().trim_end_matches('.').to_owned()
}
