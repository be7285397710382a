//! What only the inside of a worker shows.

#![allow(clippy::unwrap_used)]

use super::super::specification::Request;
use super::*;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn requests(threads: u64, burst: usize) -> Requests {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut content = vec![0; 65536];
    pattern::fill(&mut content, 0);
    std::fs::write(file.path(), content).unwrap();
    let kind = super::super::specification::Kind { share: 100, size: 4096, read: 100, random: 100, align: 4096 };
    let config = Config {
        path: file.path().to_str().unwrap().to_owned(),
        access: Access { write: false, create: false, direct: false, synchronous: false },
        specification: Specification { kinds: vec![kind], burst, think: Duration::from_nanos(1) },
        span: 65536,
        engine: EngineKind::Psync,
        depth: 1,
        huge: false,
        verify: Verify::Sample,
        count_requests: true,
        in_slices: false,
        seed: 1,
        threads,
    };
    Requests::new(&config, 0).unwrap()
}

#[test]
fn measures_are_those_of_one_request() {
    for threads in [1, 4] {
        let mut requests = requests(threads, 0);
        requests.reading_ns = 1000;
        let totals = Totals {
            requests: 10,
            bytes: 81920,
            timed_ns: 2_000_000,
            cpu_ns: 400_000,
            readings: 4,
            ..Totals::default()
        };
        requests.totals = totals;
        let told = requests.extras().measures();
        // The processor time is that of all threads, the requests are those of this one.
        let right = [("cpu-per-io", 40e-6 / threads as f64), ("clock-share", 0.002), ("throughput", 40_960_000.0)];
        for (name, right) in right {
            assert!((told[name].value / right - 1.0).abs() < 1e-9, "{name}: {}", told[name].value);
        }
    }
}

#[test]
fn every_latency_of_an_iteration_is_in_the_histogram() {
    let mut requests = requests(1, 0);
    for latencies in [[1_000, 2_000, 3_000], [10_000, 20_000, 30_000]] {
        requests.setup(3).unwrap();
        requests.run(3).unwrap();
        requests.job.notes.latencies = latencies.to_vec();
        requests.job.notes.timed = 3;
        requests.verify().unwrap();
    }
    assert_eq!(requests.check_window(), Ok(()));
    requests.totals.taken.count += 1;
    assert_eq!(requests.check_window().unwrap_err().message, "7 operations were timed, and 6 are recorded");
    let counts = &requests.extras().histograms()["latency"].counts;
    assert_eq!(counts.iter().map(|(_, count)| count).sum::<u64>(), 6);
    // Times are right to 1 %.
    assert!(counts.len() == 6 && counts[5].0.abs_diff(30_000) < 300, "{counts:?}");
}

#[test]
fn a_request_that_was_timed_and_has_no_time_is_reported() {
    let mut requests = requests(1, 0);
    requests.setup(3).unwrap();
    requests.run(3).unwrap();
    requests.job.notes.timed += 1;
    assert!(requests.verify().unwrap_err().message.ends_with(" have a time"));
}

#[test]
fn requests_that_do_not_go_where_they_should_are_noticed() {
    let distances = |offsets: &mut dyn Iterator<Item = u64>| {
        let request = |offset| Request { offset, length: 4096, write: false, place: None };
        let mut distances = Distances::default();
        distances.add(&offsets.map(request).collect::<Vec<_>>(), 4096);
        distances
    };
    let (span, mut random) = (1 << 24, Random::new(1));
    let in_order = distances(&mut (0..5000).map(|block| block * 4096 % span));
    let anywhere = distances(&mut (0..5000).map(|_| random.below(span / 4096) * 4096));
    assert!(in_order.are(0, span) && !in_order.are(100, span));
    assert!(anywhere.are(100, span) && !anywhere.are(0, span) && anywhere.are(50, span));
    // Anywhere in the sixteenth in which the request before was.
    let near = distances(&mut (0..5000).map(|turn| (turn / 313 * 256 + random.below(256)) * 4096));
    assert!(!near.are(100, span));
}

/// An engine that only notes what it is to carry out.
struct Recorder(Arc<Mutex<Vec<Range<usize>>>>);

impl Engine for Recorder {
    fn carry_out(&mut self, _: &mut Job, range: Range<usize>) -> io::Result<()> {
        self.0.lock().unwrap().push(range);
        Ok(())
    }
}

#[test]
fn requests_between_two_pauses_are_a_burst() {
    for (burst, ends) in [(0, vec![0, 3]), (2, vec![0, 2, 3]), (1, vec![0, 1, 2, 3])] {
        let mut requests = requests(1, burst);
        let known = Arc::new(Mutex::new(Vec::new()));
        requests.engine = Box::new(Recorder(known.clone()));
        requests.setup(3).unwrap();
        requests.carry_out().unwrap();
        let right: Vec<Range<usize>> = ends.windows(2).map(|pair| pair[0]..pair[1]).collect();
        assert_eq!(*known.lock().unwrap(), right);
    }
}
