#![allow(clippy::unwrap_used)]
use super::*;
use std::cell::Cell;
use virtometer_protocol::{Code, Parameters, Scalar};
use virtometer_sampling::{prepare, Control};

fn watch_by<C: Fn() -> u64>(clock: C, sources: Vec<Source>) -> Watch<C> {
    let latest = Arc::new(sources.iter().map(|_| AtomicU64::new(0)).collect());
    Watch::new(clock, sources, latest, Duration::from_micros(200))
}

fn watch(sources: Vec<Source>) -> Watch<fn() -> u64> {
    watch_by(now_ns, sources)
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
    watch.reset_after_calibration().unwrap();
    watch.run(10_000).unwrap();
    assert_eq!(watch.verify().unwrap(), CheckValue::Count(10_000));
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
fn a_jump_of_the_wall_clock_is_told() {
    let mut watch = watch(sources::all());
    watch.compare();
    watch.apart = watch.apart.map(|apart| apart - 3_000_000_000);
    watch.compare();
    assert!((2.9..3.1).contains(&value(&watch.extras(), "realtime-jump")));
}

/// A clock of the test's own thread: true time, and what of it is shown.
#[derive(Clone, Copy)]
struct Planted {
    true_ns: u64,
    /// What a reading costs.
    reading_ns: u64,
    /// What one tick lasts.
    tick_ns: u64,
    /// From when on it is behind, and by how much.
    back: (u64, u64),
    /// The real-time clock is ahead by this.
    ahead_ns: u64,
}

impl Planted {
    const GOOD: Planted = Planted {
        true_ns: 1_000_000_000_000,
        reading_ns: 25,
        tick_ns: 1,
        back: (u64::MAX, 0),
        ahead_ns: 1_000_000_000,
    };

    fn shown(self) -> u64 {
        let behind = if self.true_ns >= self.back.0 { self.back.1 } else { 0 };
        (self.true_ns - behind) / self.tick_ns * self.tick_ns
    }
}

thread_local! {
    static CLOCK: Cell<Planted> = const { Cell::new(Planted::GOOD) };
}

fn change(how: impl FnOnce(&mut Planted)) {
    CLOCK.with(|clock| {
        let mut planted = clock.get();
        how(&mut planted);
        clock.set(planted);
    });
}

fn now() -> Planted {
    change(|clock| clock.true_ns += clock.reading_ns);
    CLOCK.with(Cell::get)
}

fn monotonic() -> u64 {
    now().shown()
}

fn real() -> u64 {
    let now = now();
    now.shown() + now.ahead_ns
}

/// Two ticks in a nanosecond.
fn counter() -> u64 {
    now().true_ns * 2
}

/// Comes 300 us late.
fn nap(asked: Duration) {
    change(|clock| clock.true_ns += u64::try_from(asked.as_nanos()).unwrap() + 300_000);
}

/// A watch with the planted clock and a counter, after its calibration.
fn planted_watch(clock: Planted) -> Watch<fn() -> u64> {
    change(|known| *known = clock);
    let counts = Source {
        read: counter,
        cost: "cost-counter",
        resolution: "resolution-counter",
        backward: "backward-counter",
        is_counter: true,
    };
    let mut watch = watch_by(monotonic as fn() -> u64, vec![planted(monotonic), counts]);
    watch.real = real;
    watch.nap = nap;
    watch.waits = None;
    watch.reset_after_calibration().unwrap();
    watch
}

#[track_caller]
fn near(extras: &Extras, name: &str, expected: f64, relative: f64) {
    let found = value(extras, name);
    assert!((found - expected).abs() <= expected * relative, "{name}: {found:e} instead of {expected:e}");
}

fn lateness(extras: &Extras) -> Vec<(u64, u64)> {
    extras.histograms()["timer-lateness"].counts.clone()
}

#[test]
fn every_figure_of_a_good_clock_is_known() {
    let mut watch = planted_watch(Planted::GOOD);
    for _ in 0..3 {
        let stretch = watch.run(10_000).unwrap();
        assert_eq!((stretch.end_ns - stretch.start_ns, stretch.work), (10_001 * 25, 10_000));
        assert_eq!(watch.verify().unwrap(), CheckValue::Count(10_000));
    }
    change(|clock| clock.ahead_ns += 3_000_000_000);
    watch.verify().unwrap();
    assert_eq!(watch.finish().unwrap(), CheckValue::Count(40_000));
    let extras = watch.extras();
    near(&extras, "cost-x", 25e-9, 1e-3);
    near(&extras, "cost-counter", 25e-9, 1e-3);
    near(&extras, "resolution-x", 25e-9, 1e-9);
    near(&extras, "resolution-counter", 25e-9, 1e-3);
    near(&extras, "counter-rate", 2e9, 1e-3);
    near(&extras, "backward-x", 0.0, 0.0);
    near(&extras, "backward-counter", 0.0, 0.0);
    near(&extras, "readings", 3.0 * 10_000.0 + 8.0 * 2_001.0, 1e-9);
    near(&extras, "realtime-jump", 3.0, 1e-6);
    let late = lateness(&extras);
    assert_eq!(late.iter().map(|(_, count)| count).sum::<u64>(), 8);
    assert!(late.iter().all(|(ns, _)| (300_000..=303_100).contains(ns)), "{late:?}");
}

#[test]
fn a_clock_that_goes_back_among_the_timed_readings_is_counted_and_the_run_goes_on() {
    // The smaller step shortens a stretch; the larger one ends it before it began, so that it is made again.
    for (by, stretches) in [(1_000, 1), (1_000_000_000, 2)] {
        let at = Planted::GOOD.true_ns + 5_000 * 25;
        let mut watch = planted_watch(Planted { back: (at, by), ..Planted::GOOD });
        let stretch = watch.run(10_000).unwrap();
        assert!(stretch.end_ns > stretch.start_ns);
        watch.verify().unwrap();
        watch.finish().unwrap();
        let extras = watch.extras();
        near(&extras, "backward-x", 1.0, 0.0);
        near(&extras, "readings", f64::from(stretches) * 10_000.0 + 2.0 * 2_001.0, 1e-9);
        near(&extras, "cost-x", 25e-9, 1e-3);
        assert!(lateness(&extras).iter().all(|(ns, _)| *ns < 310_000), "{:?}", lateness(&extras));
    }
}

#[test]
fn a_clock_that_goes_back_between_samples_makes_no_reading_dear_and_no_timer_late() {
    let begin = Planted::GOOD.true_ns;
    // In the row of readings that is timed; in those that are compared, where all later ones are earlier than what was
    // published before; and while the thread sleeps.
    for (reading, back) in [(1_000, 1), (3_000, 1_006 + 2_000), (12_000, 1 + 2_000)] {
        let at = begin + reading * 25;
        let mut watch = planted_watch(Planted { back: (at, 1_000_000_000), ..Planted::GOOD });
        (0..2).for_each(|_| assert!(watch.verify().is_ok()));
        watch.finish().unwrap();
        let extras = watch.extras();
        near(&extras, "backward-x", f64::from(back), 0.0);
        near(&extras, "cost-x", 25e-9, 1e-3);
        near(&extras, "resolution-x", 25e-9, 1e-9);
        assert!(lateness(&extras).iter().all(|(ns, _)| (300_000..=303_100).contains(ns)), "{:?}", lateness(&extras));
    }
}

#[test]
fn a_clock_that_only_goes_back_is_an_error() {
    thread_local!(static LEFT: Cell<u64> = const { Cell::new(u64::MAX) });
    let falls = || LEFT.with(|left| left.replace(left.get() - 1));
    let mut watch = watch_by(falls, vec![planted(monotonic)]);
    let failure = watch.run(1_000).unwrap_err();
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (Code::CheckFailed, "the monotonic clock goes back all the time")
    );
}

#[test]
fn a_clock_that_stands_has_no_figures_and_samples_without_length() {
    let mut watch = planted_watch(Planted { tick_ns: 1 << 60, ..Planted::GOOD });
    let stretch = watch.run(10_000).unwrap();
    // Which the run refuses: "the clock did not advance during an iteration".
    assert_eq!(stretch.start_ns, stretch.end_ns);
    watch.verify().unwrap();
    watch.finish().unwrap();
    let extras = watch.extras();
    let told = extras.measures();
    for absent in ["cost-x", "resolution-x", "cost-counter", "resolution-counter", "counter-rate"] {
        assert!(!told.contains_key(absent), "{absent}");
    }
    near(&extras, "backward-x", 0.0, 0.0);
    assert_eq!(lateness(&extras), [(0, 2)]);
}

#[test]
fn a_clock_that_ticks_in_4_ms_is_told_to() {
    let mut watch = planted_watch(Planted { tick_ns: 4_000_000, ..Planted::GOOD });
    for index in 0..4_000 {
        // The looks are spread evenly over a tick.
        change(|clock| clock.true_ns = (clock.true_ns / 4_000_000 + 1) * 4_000_000 + index * 1_000);
        watch.verify().unwrap();
    }
    watch.finish().unwrap();
    let extras = watch.extras();
    near(&extras, "resolution-x", 4e-3, 1e-9);
    near(&extras, "cost-x", 25e-9, 0.1);
    near(&extras, "cost-counter", 25e-9, 0.1);
    near(&extras, "counter-rate", 2e9, 0.01);
    near(&extras, "backward-x", 0.0, 0.0);
    // A sleep of 0.5 ms lasts no tick or one.
    let late = lateness(&extras);
    assert_eq!(late.iter().map(|(_, count)| count).sum::<u64>(), 8_000);
    assert!(late.iter().all(|(ns, _)| *ns == 0 || (3_800_000..=3_840_000).contains(ns)), "{late:?}");
}

#[test]
fn the_ticks_of_a_clock_are_found_that_are_longer_than_a_look() {
    let mut watch = planted_watch(Planted { tick_ns: 4_000_000, ..Planted::GOOD });
    (0..10).for_each(|_| watch.sleep());
    near(&watch.extras(), "resolution-x", 4e-3, 1e-9);
}

#[test]
fn the_cost_of_a_reading_is_that_of_the_quickest_row() {
    let mut found = Found::default();
    [3_000_000, 1_000_000, 2_000_000].into_iter().for_each(|ns| found.row(ns));
    assert!((found.cost_ns() - 500.0).abs() < 1e-9, "{}", found.cost_ns());
}

#[test]
fn the_largest_jump_of_the_wall_clock_is_kept() {
    let mut watch = planted_watch(Planted::GOOD);
    watch.compare();
    for jump_ns in [1_000_000_000, 3_000_000_000, 0] {
        change(|clock| clock.ahead_ns += jump_ns);
        watch.compare();
    }
    near(&watch.extras(), "realtime-jump", 3.0, 1e-6);
}

#[test]
fn what_was_found_before_the_window_is_forgotten() {
    let mut watch = planted_watch(Planted { back: (Planted::GOOD.true_ns + 5_000 * 25, 1_000), ..Planted::GOOD });
    watch.run(10_000).unwrap();
    watch.verify().unwrap();
    change(|clock| clock.ahead_ns += 3_000_000_000);
    watch.verify().unwrap();
    assert!(value(&watch.extras(), "backward-x") > 0.5);
    watch.reset_after_calibration().unwrap();
    watch.run(10_000).unwrap();
    watch.verify().unwrap();
    assert_eq!(watch.finish().unwrap(), CheckValue::Count(10_000));
    let extras = watch.extras();
    near(&extras, "backward-x", 0.0, 0.0);
    near(&extras, "readings", 10_000.0 + 2.0 * 2_001.0, 1e-9);
    near(&extras, "realtime-jump", 0.0, 0.0);
    assert_eq!(lateness(&extras).iter().map(|(_, count)| count).sum::<u64>(), 2);
}

#[test]
fn the_timer_is_asked_for_what_was_given() {
    let parameters = Parameters([("sleep".to_owned(), Scalar::Integer(30_000))].into());
    let control = Arc::new(Control::default());
    let task = Task { op: "watch".into(), parameters, threads: 1, cpus: None, seconds: 0.02, control };
    let mut watch = make(&task, &Settings::new(&OPS[0], &task.parameters).unwrap()).unwrap()(0).unwrap();
    let begun = now_ns();
    watch.verify().unwrap();
    // A sleep is never shorter than it was asked to be.
    assert!(now_ns() - begun >= u64::from(SLEEPS) * 30_000_000);
}

#[test]
fn a_clock_behind_another_thread_of_the_same_run_is_a_step_back() {
    let factory = watches(monotonic, vec![planted(monotonic)], Duration::from_micros(200));
    let backward = |ahead_ns: u64| {
        let factory = factory.clone();
        let thread = std::thread::spawn(move || {
            change(|clock| clock.true_ns += ahead_ns);
            let mut watch = factory(0).unwrap();
            watch.reset_after_calibration().unwrap();
            watch.verify().unwrap();
            value(&watch.extras(), "backward-x")
        });
        thread.join().unwrap()
    };
    assert!(backward(1_000_000_000_000) < 0.5);
    // Every reading is behind those of the first thread.
    assert!(backward(0) >= precise(READINGS));
}

#[test]
fn figures_of_several_threads_become_those_of_one_clock() {
    // A reading of the second thread costs twice as much.
    let factory: WorkerFactory = Arc::new(|index| {
        let reading_ns = 25 * (index as u64 + 1);
        Ok(Box::new(planted_watch(Planted { reading_ns, ..Planted::GOOD })))
    });
    let control = Arc::new(Control::default());
    let parameters = Parameters::default();
    let task = Task { op: "watch".into(), parameters, threads: 2, cpus: None, seconds: 0.02, control };
    let outcome = prepare(&task, Unit::Second, &factory).unwrap().run(&mut |_| ()).unwrap();
    near(&outcome.extras, "cost-x", 25e-9, 1e-3);
    near(&outcome.extras, "cost-counter", 25e-9, 1e-3);
    near(&outcome.extras, "resolution-x", 25e-9, 1e-9);
    near(&outcome.extras, "counter-rate", 2e9, 1e-3);
}

/// Switches to other threads that the calling one made of its own accord.
#[cfg(target_os = "linux")]
fn switches() -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    count.map_or(0, |count| count.trim().parse().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn timers_are_waited_for_asleep() {
    let mut watch = watch(sources::all());
    let before = switches();
    (0..10).for_each(|_| watch.sleep());
    assert!(switches() >= before + 10 * u64::from(SLEEPS));
}

#[cfg(target_os = "linux")]
#[test]
fn timers_that_are_spun_for_are_reported() {
    let mut watch = watch(sources::all());
    let counted = watch.waits.is_some();
    (0..10).for_each(|_| watch.sleep());
    assert!(watch.finish().is_ok());
    watch.nap = |asked| {
        let begun = std::time::Instant::now();
        while begun.elapsed() < asked {}
    };
    watch.reset_after_calibration().unwrap();
    (0..10).for_each(|_| watch.sleep());
    assert_eq!(watch.finish().is_err(), counted);
}

#[test]
fn timers_that_are_very_late_are_recorded_too() {
    thread_local!(static LATE: Cell<u64> = const { Cell::new(0) });
    let mut watch = planted_watch(Planted::GOOD);
    let late_ns = [10_000, 150_000, 900_000, 40_000_000, 3_000_000_000, 5_000];
    watch.nap = |asked| {
        let ns = LATE.with(Cell::get);
        change(|clock| clock.true_ns += u64::try_from(asked.as_nanos()).unwrap() + ns);
    };
    for ns in late_ns {
        LATE.with(|late| late.set(ns));
        watch.sleep();
    }
    assert!(watch.finish().is_ok());
    let late = lateness(&watch.extras());
    assert_eq!(late.iter().map(|(_, count)| count).sum::<u64>(), u64::from(SLEEPS) * 6);
    assert!(late.last().unwrap().0.abs_diff(3_000_000_000) < 30_000_000, "{late:?}");
}

#[test]
fn stolen_time_is_a_share() {
    let mut watch = watch(sources::all());
    watch.reset_after_calibration().unwrap();
    let begun = sources::cpu_times();
    if begun.is_none() {
        // This system does not account for it.
        return;
    }
    while sources::cpu_times() == begun {
        std::thread::sleep(Duration::from_millis(10));
    }
    watch.finish().unwrap();
    assert!((0.0..=1.0).contains(&value(&watch.extras(), "steal")));
}

#[test]
fn a_step_back_before_the_last_reading_is_counted() {
    let mut watch = planted_watch(Planted::GOOD);
    let last = CLOCK.with(Cell::get).true_ns + 25 * (1 + 100 + 1);
    change(|clock| clock.back = (last, 30));
    let stretch = watch.run(100).unwrap();
    assert_eq!(stretch.end_ns - stretch.start_ns, 101 * 25 - 30);
    near(&watch.extras(), "backward-x", 1.0, 0.0);
}
