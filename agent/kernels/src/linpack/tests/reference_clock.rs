//! The client of a time server against planted servers, good and bad.

use super::*;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::time::{Duration, Instant};
use virtometer_sampling::planted_clock;

/// The answers to a question: how many came before, its command, its token, when the server began. `None` ends it.
type Answers = fn(u64, &str, &str, Instant) -> Option<Vec<String>>;

fn good(_: u64, command: &str, token: &str, begun: Instant) -> Option<Vec<String>> {
    match command {
        "start" => Some(vec![format!("start {token}\n")]),
        "time" => Some(vec![format!("{} {token}\n", begun.elapsed().as_micros())]),
        _ => None,
    }
}

/// A clock that shows `us`.
fn still(us: u64, command: &str, token: &str) -> Option<Vec<String>> {
    Some(vec![if command == "start" { format!("start {token}\n") } else { format!("{us} {token}\n") }])
}

/// A server for one client over TCP. Its thread ends with the client.
fn stream(answers: Answers) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        socket.set_nodelay(true).unwrap();
        let (mut writer, begun) = (socket.try_clone().unwrap(), Instant::now());
        for (index, line) in (0..).zip(BufReader::new(socket).lines()) {
            let line = line.unwrap_or_default();
            let (command, token) = line.split_once(' ').unwrap_or((&line, ""));
            let said = match answers(index, command, token, begun) {
                Some(said) => said,
                None => return,
            };
            for one in said {
                if writer.write_all(one.as_bytes()).is_err() {
                    return;
                }
            }
        }
    });
    address
}

/// The same over UDP, until `quit`.
fn datagrams(answers: Answers) -> String {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let address = socket.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut room, begun) = ([0; 128], Instant::now());
        for index in 0.. {
            let (read, from) = match socket.recv_from(&mut room) {
                Ok(one) => one,
                Err(_) => return,
            };
            let line = String::from_utf8_lossy(&room[..read]).trim_end().to_owned();
            let (command, token) = line.split_once(' ').unwrap_or((&line, ""));
            match answers(index, command, token, begun) {
                Some(said) => said.iter().for_each(|one| drop(socket.send_to(one.as_bytes(), from))),
                None => return,
            }
        }
    });
    format!("udp:{address}")
}

fn client(server: &str) -> Result<ReferenceClock, Failure> {
    ReferenceClock::reach(Server::parse(server)?, Arc::new(Control::default()))
}

#[test]
fn both_clocks_see_the_same_solutions() {
    for (op, threads, over_tcp) in
        [("classic", 1, true), ("classic", 2, false), ("blocked", 1, false), ("blocked", 3, true)]
    {
        let measures = |_| {
            let given = [
                ("size", Scalar::Integer(150)),
                ("time-server", text(&if over_tcp { stream(good) } else { datagrams(good) })),
            ];
            outcome(op, threads, &given).extras.measures()
        };
        let ratio =
            |of: &BTreeMap<String, virtometer_protocol::Measure>| of["reference-rate"].value / of["guest-rate"].value;
        // The outside stretch also has a round trip in it, which a machine with other work makes long now and then.
        let measures = (0..10).map(measures).find(|of| ratio(of) > 0.5).expect("an outside rate near the guest's");
        assert!(ratio(&measures) < 1.001, "{op} {threads}: {}", ratio(&measures));
        for name in ["reference-generate", "reference-factor", "reference-solve", "reference-round-trip"] {
            assert!(measures[name].value >= 0.0 && measures[name].unit == "s", "{name}");
        }
        assert!(measures["reference-factor"].value > 0.0, "{op}");
    }
}

#[test]
fn each_time_by_the_reference_clock_is_that_of_its_part() {
    // The clock goes on by so much with each question of an iteration: two before it, one after it, then two around
    // making, factoring and solving one more system. The numbers do not depend on this machine.
    const STEPS: [u64; 9] = [5, 3, 1000, 20, 70, 20, 400, 20, 9];
    fn stepping(index: u64, command: &str, token: &str, _: Instant) -> Option<Vec<String>> {
        let asked = if command == "time" { index } else { 0 };
        let us: u64 = (0..asked).map(|at| STEPS[usize::try_from(at).unwrap() % 9]).sum();
        still(us, command, token).filter(|_| command != "quit")
    }
    for (op, threads) in [("classic", 1), ("left-looking", 1), ("blocked", 1), ("blocked", 2)] {
        let server = stream(stepping);
        let task = task(op, threads, &[("size", Scalar::Integer(60)), ("time-server", text(&server))]);
        let mut works = Vec::new();
        let outcome = prepare(&task, Unit::FlopPerSecond, &attempt(&task).unwrap())
            .unwrap()
            .run(&mut |samples| works.extend(samples.iter().map(|sample| sample.sample().work)))
            .unwrap();
        let told = outcome.extras.measures();
        let rate = works.iter().sum::<u64>() as f64 / (works.len() as f64 * 1e-3);
        for (name, value) in [
            ("reference-rate", rate),
            ("reference-generate", 70e-6),
            ("reference-factor", 400e-6),
            ("reference-solve", 9e-6),
            ("reference-round-trip", 3e-6),
        ] {
            // The round trip is the median of a histogram.
            assert!((told[name].value / value - 1.0).abs() < 0.02, "{op} {threads} {name}: {}", told[name].value);
        }
    }
}

#[test]
fn no_question_is_asked_within_what_is_timed() {
    let asked = || ReferenceTimes::new(client(&stream(good)).unwrap());
    let (system, limit) = (System::spaced(50, Generator::Bits48), Limit::new(0, 1.0));
    let rolled = &[Variant::Rolled];
    let mut classic = Classic::new(Simd::compiled(), system, rolled, 2, limit, Some(asked())).unwrap();
    let shared = Arc::new(Blocked::new(Simd::detect(), system, 2, 1).unwrap());
    let mut blocked = BlockedWorker::new(shared, 0, 2, limit).with_reference_clock(Some(asked()));
    for worker in [&mut classic as &mut dyn Worker, &mut blocked] {
        worker.reset_after_calibration().unwrap();
        worker.setup(2).unwrap();
        // Who waits for an answer reads the clock again and again: it goes on by a nanosecond each time.
        let mut ns = 0;
        let clock = planted_clock::show(move || {
            ns += 1;
            ns
        });
        let stretch = worker.run(2).unwrap();
        drop(clock);
        // At the begin, after factoring and at the end.
        assert_eq!(stretch.end_ns - stretch.start_ns, 2);
        worker.verify().unwrap();
    }
}

#[test]
fn both_variants_are_asked_about() {
    let given = [("size", Scalar::Integer(200)), ("convention", text("published"))];
    let mut all = given.to_vec();
    let server = stream(good);
    all.push(("time-server", text(&server)));
    let measures = outcome("classic", 1, &all).extras.measures();
    assert!(measures["reference-rate"].value > 0.0 && measures["rolled-rate"].value > 0.0);
}

#[test]
fn without_a_server_there_is_no_reference_clock() {
    let measures = outcome("classic", 1, &[("size", Scalar::Integer(100))]).extras.measures();
    assert!(measures.keys().all(|name| !name.starts_with("reference-") && name != "guest-rate"));
}

#[test]
fn a_server_that_is_not_there_is_told_at_once() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    for server in [free.to_string(), format!("udp:{free}")] {
        let failure = client(&server).and_then(|mut clock| clock.start()).unwrap_err();
        assert_eq!(failure.code, Code::PeerFailed);
        assert_eq!(failure.message, format!("the time server {free} refuses; does one listen there?"));
    }
}

#[test]
fn each_fault_of_a_server_is_one_sentence() {
    let cases: [(Answers, &str); 9] = [
        (|_, _, _, _| Some(vec![]), "gave no answer for 2 s"),
        (|_, _, _, _| Some(vec!["220 mail\n".into()]), "answered \"220 mail\" to `start 1`; is it a time server?"),
        (|_, _, _, _| Some(vec!["start\n".into()]), "answered \"start\" to `start 1`; is it a time server?"),
        (|_, _, token, _| Some(vec![format!("17 {token}\n")]), "answered \"17\" to `start 1`; is it a time server?"),
        (|_, _, token, _| Some(vec![format!("start {token}\n"), "5 5\n".into()]), "; is it a time server?"),
        (|_, _, _, _| Some(vec!["x".repeat(500)]), "; is it a time server?"),
        (
            |_, command, token, _| (command == "start").then(|| vec![format!("start {token}\n")]),
            "closed the connection",
        ),
        (
            |index, command, token, _| {
                let us = 1_000_000 - index * 10;
                Some(vec![if command == "start" { format!("start {token}\n") } else { format!("{us} {token}\n") }])
            },
            "went backwards: 999980 us after 999990 us since the start",
        ),
        (
            |_, command, token, _| {
                Some(vec![if command == "start" { format!("start {token}\n") } else { format!("-3 {token}\n") }])
            },
            "answered \"-3\" to `time 2`; is it a time server?",
        ),
    ];
    for (answers, sentence) in cases {
        let server = stream(answers);
        let failure = client(&server)
            .and_then(|mut clock| {
                clock.start()?;
                clock.time_us()?;
                clock.time_us()
            })
            .unwrap_err();
        assert_eq!(failure.code, Code::PeerFailed);
        assert!(failure.message.starts_with(&format!("the time server {server} ")), "{}", failure.message);
        assert!(failure.message.ends_with(sentence), "{}", failure.message);
    }
}

#[test]
fn a_late_datagram_is_skipped_and_a_lost_one_asked_again() {
    let server = datagrams(|index, command, token, _| {
        Some(match command {
            "start" => vec![format!("start {token}\n")],
            "quit" => return None,
            // The second reading is lost.
            _ if index == 2 => vec![],
            _ => vec![format!("999999 {}\n", token.parse::<u64>().unwrap() - 1), format!("{} {token}\n", index * 100)],
        })
    });
    let mut clock = client(&server).unwrap();
    clock.start().unwrap();
    assert_eq!(clock.time_us(), Ok(Some(100)));
    assert_eq!(clock.time_us(), Ok(None));
    assert_eq!(clock.time_us(), Ok(Some(400)));
}

#[test]
fn datagrams_that_never_answer_end() {
    for answers in [
        (|_, _, _, _| Some(vec![])) as Answers,
        |_, _, _, _| Some(vec!["start 0\n".into()]),
        |_, _, token, _| Some(vec![format!("start {token}7\n")]),
    ] {
        let server = datagrams(answers);
        assert_eq!(client(&server).unwrap().start().unwrap_err().code, Code::PeerFailed);
    }
}

#[test]
fn a_stop_ends_the_wait() {
    let server = stream(|_, _, _, _| Some(vec![]));
    let control = Arc::new(Control::default());
    let mut clock = ReferenceClock::reach(Server::parse(&server).unwrap(), control.clone()).unwrap();
    control.stop();
    let failure = clock.start().unwrap_err();
    assert!(failure.message.ends_with("was silent when the run was stopped"), "{}", failure.message);
}

#[test]
fn a_server_that_is_lost_in_the_run_ends_it_for_all_threads() {
    for (op, threads) in [("classic", 1), ("classic", 2), ("blocked", 3)] {
        let server =
            stream(|index, command, token, begun| if index < 5 { good(0, command, token, begun) } else { None });
        let task = task(op, threads, &[("size", Scalar::Integer(100)), ("time-server", text(&server))]);
        let factory = attempt(&task).unwrap();
        let failure = prepare(&task, Unit::FlopPerSecond, &factory).unwrap().run(&mut |_| ()).unwrap_err();
        assert_eq!(failure.message, format!("the time server {server} closed the connection"));
    }
}

#[test]
fn a_server_whose_clock_stands_still_fails_the_run() {
    let cases: [(Answers, &str); 2] = [
        (|_, command, token, _| still(5, command, token), "showed 5 us"),
        // It went at first.
        (|index, command, token, _| still(index.min(2), command, token), "showed 2 us"),
    ];
    for (answers, shown) in cases {
        for (op, threads) in [("classic", 1), ("classic", 2), ("blocked", 3)] {
            let server = stream(answers);
            let task = task(op, threads, &[("size", Scalar::Integer(100)), ("time-server", text(&server))]);
            let factory = attempt(&task).unwrap();
            let failure = prepare(&task, Unit::FlopPerSecond, &factory).unwrap().run(&mut |_| ()).unwrap_err();
            assert_eq!(failure.code, Code::PeerFailed);
            let end = "before and after the work: its clock stands still or is too coarse";
            assert_eq!(failure.message, format!("the time server {server} {shown} {end}"), "{op} {threads}");
        }
    }
}
