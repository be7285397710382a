#![allow(clippy::unwrap_used)]
use super::*;
use virtometer_protocol::Code;

fn watch(sources: Vec<Source>) -> Watch {
    let latest = Arc::new(sources.iter().map(|_| AtomicU64::new(0)).collect());
    Watch::new(sources, latest, Duration::from_micros(200))
}

/// A source that the test knows.
fn planted(read: fn() -> u64) -> Source {
    Source { read, cost: "cost-x", resolution: "resolution-x", backward: "backward-x", is_counter: false }
}

fn value(extras: &Extras, name: &str) -> f64 {
    extras.measures()[name].value
}

#[test]
fn a_good_clock_costs_something_is_fine_and_never_goes_back() {
    let mut watch = watch(sources::all());
    watch.settle().unwrap();
    watch.run(10_000).unwrap();
    assert_eq!(watch.after().unwrap(), CheckValue::Count(10_000));
    assert_eq!(watch.finish().unwrap(), CheckValue::Count(10_000));
    let extras = watch.extras();
    for source in ["monotonic", "realtime"] {
        assert!(value(&extras, &format!("cost-{source}")) > 0.0);
        assert!(value(&extras, &format!("resolution-{source}")) > 0.0);
        assert!(value(&extras, &format!("resolution-{source}")) < 0.1);
    }
    assert!(value(&extras, "backward-monotonic").abs() < 0.5);
    assert_eq!(extras.histograms()["timer-lateness"].counts.iter().map(|(_, count)| count).sum::<u64>(), 2);
}

#[test]
fn steps_back_are_counted_one_by_one() {
    static READINGS_MADE: AtomicU64 = AtomicU64::new(0);
    // Goes on by 7 at every reading, and back by 3 at every hundredth.
    let mut watch = watch(vec![planted(|| {
        let made = READINGS_MADE.fetch_add(1, Ordering::Relaxed);
        1_000 + made * 7 - made / 100 * 10
    })]);
    watch.look();
    let found = watch.found[0];
    assert!((19..=21).contains(&found.backward), "{}", found.backward);
    assert_eq!(found.step, 7);
}

#[test]
fn a_clock_behind_another_threads_is_a_step_back() {
    let mut watch = watch(vec![planted(|| 1_000)]);
    watch.latest[0].store(2_000, Ordering::Relaxed);
    watch.look();
    assert_eq!(watch.found[0].backward, READINGS);
    assert_eq!(watch.found[0].step, 0, "a clock that stands has no resolution");
}

#[test]
fn a_monotonic_clock_that_went_back_is_an_error() {
    let mut watch = watch(sources::all());
    watch.run(100).unwrap();
    watch.rose = false;
    assert_eq!(watch.after().unwrap_err().code, Code::CheckFailed);
}

#[test]
fn a_jump_of_the_wall_clock_is_told() {
    let mut watch = watch(sources::all());
    watch.compare();
    watch.apart = watch.apart.map(|apart| apart - 3_000_000_000);
    watch.compare();
    assert!((2.9..3.1).contains(&value(&watch.extras(), "realtime-jump")));
}
