//! What both ends count when both are ours.

use super::{client, counted, measures, plan, run, task, text, words, Serving};
use crate::tests::thorough;
use std::net::TcpListener;
use virtometer_protocol::Scalar::{Boolean, Integer};

#[test]
fn both_ends_count_the_same() {
    let server = Serving::begin();
    let mut received = 0;
    // Wine takes minutes for enough single bytes.
    let smallest = if cfg!(windows) { 64 } else { 1 };
    for (size, threads, connections) in [(smallest, 1, 1), (1000, 1, 3), (131_072, 2, 1), (4_000_003, 1, 2)] {
        let parameters = [("size", Integer(size)), ("connections", Integer(connections))];
        received += counted(client("stream", server.address, &parameters, threads).unwrap().check);
    }
    for (request, response, threads, connections) in [(1, 1, 1, 1), (7, 3, 2, 1), (100_000, 9, 1, 3), (2, 70_000, 1, 1)]
    {
        let sizes =
            [("request", Integer(request)), ("response", Integer(response)), ("connections", Integer(connections))];
        let outcome = client("request-response", server.address, &sizes, threads).unwrap();
        received += counted(outcome.check) * u64::try_from(request).unwrap();
    }
    for (request, response) in [(1, 1), (9, 5000)] {
        let sizes = [("request", Integer(request)), ("response", Integer(response))];
        let outcome = client("connect", server.address, &sizes, 1).unwrap();
        assert!(outcome.extras.histograms().contains_key("latency"));
        received += counted(outcome.check) * u64::try_from(request).unwrap();
    }
    let served = server.end();
    assert_eq!(counted(served.check), received);
    assert_eq!((served.count, served.stopped), (1, true));
}

#[test]
fn a_stream_flows_in_every_direction_with_and_without_copying() {
    let server = Serving::begin();
    for direction in ["send", "receive", "both"] {
        for zero_copy in [false, true] {
            for (size, connections) in [(5, 1), (300_000, 2)] {
                if size == 5 && direction != "both" && !thorough() {
                    continue;
                }
                let parameters = [
                    ("size", Integer(size)),
                    ("direction", text(direction)),
                    ("zero-copy", Boolean(zero_copy)),
                    ("connections", Integer(connections)),
                ];
                let outcome = client("stream", server.address, &parameters, 1).unwrap();
                assert!(counted(outcome.check) > 0 && outcome.value > 0.0);
                let given = outcome.conditions.get("zero_copy").map(String::as_str);
                // Windows copies, and says so.
                let expected = if cfg!(windows) { "off" } else { "sendfile" };
                assert_eq!(given, zero_copy.then_some(expected), "{direction}");
            }
        }
    }
    server.end();
}

// Windows counts a thread's time in steps that are as long as this run.
#[cfg(unix)]
#[test]
fn both_ends_tell_their_processor_time_and_number() {
    let server = Serving::begin();
    for (op, unit) in
        [("stream", "s/B"), ("request-response", "s"), ("connect", "s"), ("udp-stream", "s/B"), ("open-loop", "s")]
    {
        let outcome = client(op, server.address, &[], 1).unwrap();
        let found = outcome.extras.measures();
        for end in ["local", "remote"] {
            let demand = &found[&format!("service-demand-{end}")];
            assert_eq!(demand.unit, unit);
            assert!(demand.value > 0.0, "{op} {end}");
            assert!(found[&format!("cpu-{end}")].value > 0.0);
            assert!(found[&format!("cpus-{end}")].value >= 1.0);
        }
    }
    server.end();
}

#[test]
fn buffers_are_asked_for_and_what_was_given_is_recorded() {
    let server = Serving::begin();
    let sizes = [("send-buffer", Integer(16_384)), ("receive-buffer", Integer(87_380)), ("nodelay", Boolean(true))];
    let outcome = client("stream", server.address, &sizes, 1).unwrap();
    for (name, asked) in [("send", 16_384), ("receive", 87_380)] {
        for end in ["", "peer_"] {
            let given: u64 = outcome.conditions[&format!("{end}{name}_buffer")].parse().unwrap();
            // Linux gives twice of it.
            assert!((asked..=2 * asked).contains(&given), "{end}{name}: {given}");
        }
    }
    let unasked = client("request-response", server.address, &[], 1).unwrap();
    assert_eq!(unasked.conditions.keys().collect::<Vec<_>>(), ["pinned"]);
    server.end();
}

#[test]
fn small_pieces_wait_for_confirmations_where_that_is_asked_for() {
    let server = Serving::begin();
    for (op, default) in [("stream", false), ("request-response", true), ("open-loop", true)] {
        for given in [None, Some(false), Some(true)] {
            let parameters: Vec<_> = given.map(|given| ("nodelay", Boolean(given))).into_iter().collect();
            let plan = plan(op, server.address, &parameters);
            let (opening, expected) = (plan.opening(), given.unwrap_or(default));
            assert_eq!(opening.delay, !expected, "{op} {given:?}");
            let link = plan.peer.dial(&opening).unwrap();
            assert_eq!(link.socket.nodelay().unwrap(), expected, "{op} {given:?}");
        }
    }
    server.end();
}

#[test]
fn requests_of_an_open_loop_come_as_they_are_asked_for() {
    let arrivals = |given: &[(&str, virtometer_protocol::Scalar)]| {
        let task = super::task("open-loop", given);
        let (_, op) = crate::find("net", "open-loop").unwrap();
        crate::net::arrivals(&crate::Settings::new(op, &task.parameters).unwrap()).unwrap()
    };
    assert_eq!(arrivals(&[]), (1000, None));
    let given = [("rate", Integer(70)), ("seed", Integer(7))];
    assert_eq!(arrivals(&given), (70, None));
    let random = [&given[..], &[("arrivals", text("poisson"))]].concat();
    assert_eq!(arrivals(&random), (70, Some(7)));
    let server = Serving::begin();
    let outcome = client("open-loop", server.address, &[("rate", Integer(700))], 2).unwrap();
    assert!((measures(&outcome)["offered"] - 1400.0).abs() < 1e-9);
    server.end();
}

/// A receiver that is woken for every piece is the default: what virtualization makes dear is not hidden.
#[test]
fn streams_have_plain_sockets_unless_a_low_water_mark_is_asked_for() {
    let server = Serving::begin();
    for (direction, name, other) in [
        ("send", "peer_receive_low_water", "receive_low_water"),
        ("receive", "receive_low_water", "peer_receive_low_water"),
    ] {
        let mut parameters = vec![("direction", text(direction))];
        let plain = client("stream", server.address, &parameters, 1).unwrap();
        assert_eq!(plain.conditions.keys().collect::<Vec<_>>(), ["pinned"], "{direction}");
        parameters.push(("receive-low-water", Integer(4096)));
        let outcome = client("stream", server.address, &parameters, 1).unwrap();
        let expected = if cfg!(windows) { "1" } else { "4096" };
        assert_eq!(outcome.conditions[name], expected, "{direction}");
        assert!(!outcome.conditions.contains_key(other), "{direction}");
        assert!(counted(outcome.check) > 0);
    }
    server.end();
}

/// What the server's socket of a stream is at first: one byte wakes the receiver.
#[cfg(unix)]
#[test]
fn a_server_wakes_for_every_byte_of_a_stream() {
    use crate::net::peer::Peer;
    use crate::net::wire::{Kind, Opening};
    let server = Serving::begin();
    let peer = Peer { address: server.address, control: Default::default() };
    let opening = |low_water| Opening {
        kind: Kind::Sink,
        zero_copy: false,
        delay: true,
        request: 131_072,
        response: 1,
        send_buffer: 0,
        receive_buffer: 0,
        low_water,
    };
    assert_eq!(peer.dial(&opening(0)).unwrap().welcome.low_water, 1);
    assert_eq!(peer.dial(&opening(4096)).unwrap().welcome.low_water, 4096);
    server.end();
}

#[test]
fn datagrams_arrive_or_are_counted_as_lost() {
    let server = Serving::begin();
    let outcome =
        client("udp-stream", server.address, &[("size", Integer(500)), ("rate", Integer(2_000_000))], 1).unwrap();
    let found = measures(&outcome);
    assert!((0.0..1.0).contains(&found["loss"]), "{found:?}");
    assert!(found["sent"] > 0.0 && found["reordered"] >= 0.0);
    // Far more than was due would have been sent by one that does not keep to its rate.
    assert!(outcome.value < 20e6, "{}", outcome.value);
    assert_eq!(counted(outcome.check) % 500, 0);
    let exchange =
        client("udp-request-response", server.address, &[("request", Integer(16)), ("response", Integer(900))], 1)
            .unwrap();
    assert!(counted(exchange.check) > 0 && exchange.extras.histograms().contains_key("latency"));
    server.end();
}

#[test]
fn an_open_loop_keeps_to_its_rate_and_tells_how_long_it_took_from_when_a_request_was_due() {
    let server = Serving::begin();
    for arrivals in ["fixed", "poisson"] {
        let parameters = [
            ("rate", Integer(2000)),
            ("arrivals", text(arrivals)),
            ("connections", Integer(2)),
            ("request", Integer(20)),
            ("response", Integer(3000)),
        ];
        let outcome = client("open-loop", server.address, &parameters, 1).unwrap();
        let (found, times) = (measures(&outcome), outcome.extras.histograms());
        assert!((found["offered"] - 2000.0).abs() < 1e-9);
        let count = |name: &str| times[name].counts.iter().map(|(_, count)| count).sum::<u64>();
        assert_eq!(count("latency-from-send"), counted(outcome.check));
        assert!(count("latency") >= count("latency-from-send"));
        assert!(counted(outcome.check) >= 20, "{arrivals}");
    }
    server.end();
}

/// The number of the error.
const IN_USE: i32 = if cfg!(windows) { 10_048 } else { 98 };

#[test]
fn a_port_in_use_is_one_clear_sentence() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let failure = run(&task("serve", &[("listen", text(&address.to_string()))])).unwrap_err();
    assert_eq!(failure.message, format!("cannot listen on {address}: {}", words(IN_USE)));
}

#[test]
fn values_that_cannot_be_are_one_clear_sentence() {
    let cases: &[(&str, &str, virtometer_protocol::Scalar, &str)] = &[
        ("stream", "size", Integer(0), "size is 0, not 1 to"),
        ("stream", "direction", text("up"), "not send, receive or both"),
        ("stream", "connections", Integer(1001), "connections is 1001"),
        ("stream", "zero-copy", Integer(1), "zero-copy must be true or false"),
        ("stream", "send-buffer", Integer(-1), "send-buffer is -1"),
        ("stream", "receive-low-water", Integer(-1), "receive-low-water is -1"),
        ("request-response", "receive-low-water", Integer(1), "receive-low-water"),
        ("request-response", "response", Integer(1 << 40), "response is 1099511627776"),
        ("udp-stream", "size", Integer(15), "size is 15, not 16 to 65507"),
        ("udp-stream", "rate", Integer(1000), "less than one datagram of 1472 bytes in a second"),
        ("udp-request-response", "response", Integer(65_508), "response is 65508"),
        ("open-loop", "rate", Integer(0), "rate is 0"),
        ("open-loop", "arrivals", text("uniform"), "not fixed or poisson"),
        ("stream", "peer", text("host:1"), "not a numeric address"),
        ("stream", "peer", text("127.0.0.1:0"), "port 0"),
    ];
    for (op, name, value, sentence) in cases {
        let mut parameters = vec![("peer", text("127.0.0.1:9"))];
        parameters.retain(|(known, _)| known != name);
        parameters.push((name, value.clone()));
        let failure = run(&task(op, &parameters)).unwrap_err();
        assert!(failure.message.contains(sentence), "{failure}");
        assert_eq!(failure.code, virtometer_protocol::Code::BadArguments);
    }
}
