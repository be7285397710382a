//! The client of transactions with a connection each: connect, request, response, and the server closes.

use super::messages::Messages;
use super::peer::{words, Link, Peer, POLL_INTERVAL};
use super::plan::Plan;
use super::round_trips::RoundTrips;
use super::system;
use super::wire::{Kind, Opening};
use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{now_ns, CheckValue, Extras, Stretch as Timed, Worker};

pub(super) struct Transactions {
    peer: Peer,
    link: Link,
    address: SocketAddr,
    messages: Messages,
    answer: Vec<u8>,
    done: u64,
    round_trips: RoundTrips,
    conditions: Conditions,
}

impl Transactions {
    pub(super) fn connect(plan: &Plan) -> Result<Self, Failure> {
        let peer = plan.peer.clone();
        let opening = Opening { kind: Kind::Transactions, ..plan.opening() };
        let link = peer.dial(&opening)?;
        let mut found = Conditions::new();
        link.record_buffers(&opening, &mut found);
        let port = u16::try_from(link.welcome.extra).map_err(|_| peer.failed("names a port that does not exist"))?;
        let round_trips = RoundTrips::new(link.welcome.cpus);
        Ok(Transactions {
            address: SocketAddr::new(peer.address.ip(), port),
            peer,
            link,
            messages: Messages::new(plan.request, plan.response)?,
            answer: vec![0; plan.response],
            done: 0,
            round_trips,
            conditions: found,
        })
    }
}

fn transact(peer: &Peer, address: SocketAddr, messages: &Messages, answer: &mut [u8]) -> Result<(), Failure> {
    let mut begun = None;
    let mut socket = loop {
        match system::connect(address, POLL_INTERVAL) {
            Ok(socket) => break socket,
            Err(cause) => refused(peer, address, &cause, *begun.get_or_insert_with(now_ns))?,
        }
    };
    peer.send(&mut socket, &messages.request)?;
    peer.receive(&mut socket, answer)?;
    let mut progress_ns = 0;
    loop {
        match socket.read(&mut [0; 8]) {
            Ok(0) => return Ok(()),
            Ok(_) => return Err(peer.failed("sent more than its response")),
            Err(cause) => {
                progress_ns = if progress_ns == 0 { now_ns() } else { progress_ns };
                peer.go_on(&cause, progress_ns)?;
            }
        }
    }
}

/// Nothing where connecting only takes long.
fn refused(peer: &Peer, address: SocketAddr, cause: &io::Error, begun_ns: u64) -> Result<(), Failure> {
    match cause.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => peer.still_patient(begun_ns),
        _ if system::still_connecting(cause) => peer.still_patient(begun_ns),
        ErrorKind::AddrNotAvailable => Err(peer.failed("cannot be connected to: all ports of this end are in use")),
        _ => {
            let message = format!("took no connection on its port {}: {}", address.port(), words(cause));
            Err(peer.failed(&message))
        }
    }
}

impl Worker for Transactions {
    fn run(&mut self, repeats: u64) -> Result<Timed, Failure> {
        let Transactions { peer, address, messages, answer, done, round_trips, .. } = self;
        let echoed = messages.echoed();
        round_trips.make(repeats, || {
            *done += 1;
            messages.stamp(*done);
            transact(peer, *address, messages, answer)?;
            if answer[..echoed] != messages.response[..echoed] {
                return Err(peer.failed("sent back other bytes than it was sent"));
            }
            Ok(())
        })
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        if self.answer != self.messages.response {
            return Err(self.peer.failed("sent back other bytes than it was sent"));
        }
        Ok(CheckValue::Count(self.done))
    }

    fn reset_after_calibration(&mut self) -> Result<(), Failure> {
        self.round_trips.reset_after_calibration();
        Ok(())
    }

    fn conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        let report = self.peer.hang_up(&mut self.link.socket, &mut |_| ())?;
        if report.units != self.done {
            let message = format!("counted {} transactions of {} that were made", report.units, self.done);
            return Err(self.peer.failed(&message));
        }
        if report.faults > 0 {
            return Err(self.peer.failed("received other bytes than it was sent"));
        }
        self.round_trips.close(self.done, report.cpu_ns)?;
        Ok(CheckValue::Count(self.done))
    }

    fn extras(&mut self) -> Extras {
        self.round_trips.extras()
    }
}
