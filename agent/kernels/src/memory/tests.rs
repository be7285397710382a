//! Every configuration of every operation: right results, and wrong ones that are reported.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // addresses

use super::action::{first, Action, Kind};
use super::bandwidth::{self, sweep, Arrays};
use super::block::Pages;
use super::cached::cached;
use super::latency::{self, Chase, Order};
use super::pass::{Operands, PassConfig, PassResult, SPOILED};
use super::stretches::Layout;
use super::{portable, OPS};
use crate::caches::Caches;
use crate::simd::Width;
use crate::Settings;
use std::cell::RefCell;
use std::sync::Arc;
use virtometer_protocol::{Code, Failure, Parameters, Scalar};
use virtometer_sampling::{planted_clock, CheckValue, Control, Task, Worker};

mod stretches;

const ACTIONS: [Action; 7] =
    [Action::Copy, Action::Scale, Action::Add, Action::Triad, Action::Read, Action::Write, Action::ReadWrite];

fn configs() -> Vec<PassConfig> {
    let mut configs = Vec::new();
    for width in Width::all() {
        for streaming in [false, true] {
            for kind in [Kind::Float, Kind::Int] {
                for action in ACTIONS {
                    if !streaming || (width.streams() && action != Action::ReadWrite) {
                        configs.push(PassConfig { action, kind, width, streaming, pages: Pages::Small });
                    }
                }
            }
        }
    }
    configs
}

fn arrays(config: PassConfig, length: usize) -> Arrays {
    Arrays::new(config, length, Layout::new(length, length), Caches::default()).unwrap()
}

/// One iteration, verified.
fn iterate(arrays: &mut Arrays, passes: u64) -> Result<u64, Failure> {
    arrays.setup(passes)?;
    let work = arrays.run(passes)?.work;
    arrays.verify()?;
    Ok(work)
}

#[test]
fn every_config_of_every_operation_has_its_known_result() {
    for config in configs() {
        // Below, at and beyond whole blocks, and not a multiple of any vector.
        for length in [1, 3, 63, 64, 65, 127, 640, 1001] {
            let mut arrays = arrays(config, length);
            for passes in [1, 3] {
                let work = iterate(&mut arrays, passes).unwrap();
                assert_eq!(work, passes * 8 * length as u64 * config.action.accesses());
            }
            arrays.finish().unwrap();
            let element = length - 1;
            let (a, b) = (1.0 + (element % 8191) as f64, 2.0 + (element % 127) as f64);
            let right = match config.action {
                Action::Copy => a,
                Action::Scale => 3.0 * a,
                Action::Add => a + b,
                Action::Triad => a + 3.0 * b,
                Action::Read | Action::Write => 3.0,
                Action::ReadWrite => a + 3.0 * (1.0 + 3.0),
            };
            if let Some(c) = &arrays.c {
                let got = c.words()[element];
                let got = if config.kind == Kind::Float { f64::from_bits(got) } else { got as f64 };
                assert_eq!(got, right, "{config:?} {length}");
            }
        }
    }
}

#[test]
fn a_sum_counts_every_element_of_every_pass() {
    for config in configs().into_iter().filter(|config| config.action == Action::Read) {
        let mut arrays = arrays(config, 1001);
        iterate(&mut arrays, 5).unwrap();
        // One element is larger by the number of the stretch, the first of all.
        let right = 5 * (1 + (0..1001).map(|i| u64::from(first(i))).sum::<u64>());
        assert_eq!(arrays.swept.sum, if config.kind == Kind::Float { (right as f64).to_bits() } else { right });
    }
}

#[test]
fn a_planted_wrong_result_is_reported() {
    for config in configs() {
        let mut arrays = arrays(config, 1000);
        arrays.setup(1).unwrap();
        arrays.run(1).unwrap();
        match &mut arrays.c {
            Some(c) => c.words_mut()[509] += 1,
            None => arrays.swept.sum += 1,
        }
        assert_eq!(arrays.verify().unwrap_err().code, Code::CheckFailed);
    }
}

#[test]
fn a_pass_that_is_left_out_is_reported() {
    for config in configs() {
        for length in [3, 1000] {
            let mut arrays = arrays(config, length);
            arrays.sweep = |config, arrays, passes| sweep(config, arrays, passes - 1);
            let failure = iterate(&mut arrays, 5).unwrap_err();
            assert_eq!(
                (failure.code, failure.message.as_str()),
                (Code::CheckFailed, "4 stretches were worked on, not 5")
            );
        }
    }
}

/// A sweep that makes its first pass right and leaves out a half in each that follows.
fn later_passes_by_half(config: PassConfig, arrays: Operands<'_>, passes: u64, upper: bool) -> PassResult {
    let Operands { a, b, c, spoiled } = arrays;
    let half = c.len() / 2;
    let whole = sweep(config, Operands { a, b, c: &mut *c, spoiled }, 1);
    let at = spoiled.unwrap();
    c[at] = SPOILED;
    let range = if upper { half..c.len() } else { 0..half };
    let part = |array: &'_ [u64]| array.len().min(range.start)..array.len().min(range.end);
    let (a, b, c) = (&a[part(a)], &b[part(b)], &mut c[range.clone()]);
    let spoiled = if range.contains(&at) { Some(at - range.start) } else { None };
    let halves = portable::scalar(config.kind, config.action, &mut Operands { a, b, c, spoiled }, passes - 1);
    PassResult { passes: whole.passes + halves.passes, ..whole }
}

#[test]
fn passes_over_half_an_array_are_reported_although_the_first_is_whole() {
    for config in configs().into_iter().filter(|config| config.action.writes() && config.action != Action::ReadWrite) {
        let halves: [fn(PassConfig, Operands<'_>, u64) -> PassResult; 2] = [
            |config, arrays, passes| later_passes_by_half(config, arrays, passes, false),
            |config, arrays, passes| later_passes_by_half(config, arrays, passes, true),
        ];
        for half in halves {
            let mut arrays = arrays(config, 2001);
            arrays.sweep = half;
            let failure = (0..4).find_map(|_| iterate(&mut arrays, 5).err()).unwrap();
            assert_eq!(failure.code, Code::CheckFailed, "{config:?}");
        }
    }
}

#[test]
fn sizes_that_caches_may_hold_are_noted() {
    let caches = Caches::of_last(32 << 20);
    let found = |size: u64, arrays| cached(&caches, 1, size, arrays);
    assert_eq!(found(128 << 20, 3), [("cached".to_owned(), "no".to_owned())].into());
    for (size, arrays, word, shown) in [
        (64 << 20, 3, "partly", "64 MiB"),
        ((128 << 20) - 8, 1, "partly", "134217720 bytes"),
        (8 << 20, 3, "yes", "8 MiB"),
        (1536 << 10, 1, "yes", "1.5 MiB"),
        (1000, 1, "yes", "1000 bytes"),
    ] {
        let conditions = found(size, arrays);
        assert_eq!(conditions["cached"], word);
        let reason = format!("a size of {shown} is less than 4 times the last-level cache of 32 MiB");
        assert_eq!(conditions["cached_reason"], reason);
    }
    assert_eq!(cached(&Caches::default(), 1, 8, 1), [("cached".to_owned(), "unknown".to_owned())].into());
    for op in ["triad", "latency"] {
        let op = OPS.iter().find(|known| known.name == op).unwrap();
        let task = task(op.name, 1, &[("size", Scalar::Integer(4096))]);
        let factory = super::make(&task, &Settings::new(op, &task.parameters).unwrap()).unwrap();
        let worker = factory(0).unwrap();
        assert!(["yes", "unknown"].contains(&worker.conditions()["cached"].as_str()));
    }
}

#[test]
fn changing_in_place_shows_a_pass_left_out_that_was_counted() {
    for config in configs().into_iter().filter(|config| config.action == Action::ReadWrite) {
        let mut arrays = arrays(config, 1000);
        arrays.sweep = |config, arrays, passes| PassResult { passes, ..sweep(config, arrays, passes - 1) };
        assert_eq!(iterate(&mut arrays, 5).unwrap_err().code, Code::CheckFailed);
    }
}

#[test]
fn a_wrong_element_between_the_probes_is_reported_at_the_end() {
    for config in configs().into_iter().filter(|config| config.action.writes()) {
        let mut arrays = arrays(config, 1000);
        iterate(&mut arrays, 1).unwrap();
        arrays.c.as_mut().unwrap().words_mut()[3] = 0;
        arrays.verify().unwrap();
        assert_eq!(arrays.finish().unwrap_err().code, Code::CheckFailed);
    }
}

#[test]
fn a_wrong_input_shows_in_the_result() {
    for config in configs().into_iter().filter(|config| config.action.arrays().1) {
        let mut arrays = arrays(config, 1000);
        arrays.b.as_mut().unwrap().words_mut()[999] = config.kind.bits(99);
        arrays.setup(1).unwrap();
        arrays.run(1).unwrap();
        assert_eq!(arrays.finish().unwrap_err().code, Code::CheckFailed);
    }
}

#[test]
fn an_iteration_that_does_nothing_is_reported() {
    for config in configs() {
        let mut arrays = arrays(config, 1000);
        arrays.setup(1).unwrap();
        assert_eq!(arrays.verify().unwrap_err().code, Code::CheckFailed);
    }
}

#[test]
fn an_iteration_that_only_claims_its_passes_is_reported() {
    for config in configs() {
        let mut arrays = arrays(config, 1000);
        // What is there is right, and stays from the iteration before.
        iterate(&mut arrays, 1).unwrap();
        arrays.sweep = |_, _, passes| PassResult { sum: 0, passes, loops: None };
        assert_eq!(iterate(&mut arrays, 1).unwrap_err().code, Code::CheckFailed, "{config:?}");
    }
}

#[test]
fn bytes_that_were_counted_and_not_moved_are_reported() {
    for config in configs() {
        let mut arrays = arrays(config, 1000);
        arrays.setup(3).unwrap();
        arrays.run(3).unwrap();
        arrays.verify().unwrap();
        arrays.counted *= 2;
        let failure = arrays.verify().unwrap_err();
        assert!(failure.code == Code::CheckFailed && failure.message.contains("bytes were counted"), "{failure:?}");
    }
}

#[test]
fn a_random_order_is_no_sequence() {
    for order in [Order::Random, Order::Page] {
        let chase = Chase::new(1024, 64, order, Pages::Small).unwrap();
        let words = chase.memory.words();
        let start = words.as_ptr() as usize;
        let next = |place: usize| (words[place * 8] as usize - start) / 64;
        let in_sequence = (0..1023).filter(|place| next(*place) == place + 1).count();
        assert!(in_sequence < 64, "{order:?}: {in_sequence}");
    }
}

#[test]
fn a_random_order_goes_everywhere_from_everywhere() {
    for (order, stride) in [(Order::Random, 64), (Order::Page, 256), (Order::Random, 4096)] {
        let count = (1 << 25) / stride;
        let chase = Chase::new(count, stride, order, Pages::Small).unwrap();
        let words = chase.memory.words();
        let start = words.as_ptr() as usize;
        let next = |place: usize| (words[place * stride / 8] as usize - start) / stride;
        // From one sixteenth of the memory to another in fifteen of sixteen steps; the order page stays in its page.
        let sixteenth = |place: usize| place * 16 / count;
        let leaves = (0..count).filter(|place| sixteenth(next(*place)) != sixteenth(*place)).count();
        let per_page = if order == Order::Page { 4096 / stride } else { 1 };
        let expected = count / per_page * 15 / 16;
        assert!(leaves.abs_diff(expected) < expected / 20, "{order:?} {stride}: {leaves} and not {expected}");
        let from_first: std::collections::BTreeSet<usize> =
            (0..count / 16).map(|place| sixteenth(next(place))).collect();
        assert_eq!(from_first.len(), 16, "{order:?} {stride}");
    }
}

#[test]
fn an_order_that_goes_less_far_than_its_name_says_is_reported() {
    let failure = |order, change: &dyn Fn(&mut Vec<u32>)| {
        let mut chase = Chase::new(1 << 15, 64, order, Pages::Small).unwrap();
        assert!(chase.finish().is_ok(), "{order:?}");
        change(chase.order_mut());
        chase.finish().unwrap_err().message
    };
    let sixteenths = |places: &mut Vec<u32>| {
        *places = (0..1 << 15).collect();
        places.chunks_mut(1 << 11).for_each(|part| crate::random::Random::new(1).shuffle(part));
    };
    assert_eq!(failure(Order::Random, &sixteenths), "the order of the places is not random");
    assert_eq!(failure(Order::Sequential, &sixteenths), "the order of the places is not sequential");
    let twice = |places: &mut Vec<u32>| places[1] = places[0];
    assert_eq!(failure(Order::Random, &twice), "the order of 32768 places does not go to all of them");
    let mut chase = Chase::new(1 << 19, 64, Order::Page, Pages::Small).unwrap();
    assert!(chase.finish().is_ok());
    *chase.order_mut() = (0..1 << 19).collect();
    assert_eq!(chase.finish().unwrap_err().message, "the order of the places is not page");
}

#[test]
fn a_chase_visits_every_place_once_a_round() {
    for order in [Order::Random, Order::Page, Order::Sequential] {
        for (count, stride) in [(2, 8), (64, 64), (1000, 64), (37, 4096), (129, 256)] {
            let mut chase = Chase::new(count, stride, order, Pages::Small).unwrap();
            for repeats in [1, 3] {
                chase.setup(repeats).unwrap();
                assert_eq!(chase.run(repeats).unwrap().work, repeats * 1024);
                chase.verify().unwrap();
            }
            chase.finish().unwrap();
            let words = chase.memory.words();
            let start = words.as_ptr() as usize;
            let (mut at, mut seen) = (0, std::collections::BTreeSet::new());
            for _ in 0..count {
                assert_eq!(at % stride, 0);
                seen.insert(at);
                at = words[at / 8] as usize - start;
            }
            assert_eq!((at, seen.len()), (0, count));
            if order == Order::Sequential {
                assert_eq!(words[0] as usize - start, stride);
            }
        }
    }
}

#[test]
fn the_order_page_leaves_a_page_only_when_all_of_it_was_visited() {
    let chase = Chase::new(1024, 64, Order::Page, Pages::Small).unwrap();
    let words = chase.memory.words();
    let start = words.as_ptr() as usize;
    let (mut at, mut changes) = (0, 0);
    for _ in 0..1024 {
        let next = words[at / 8] as usize - start;
        changes += usize::from(next / 4096 != at / 4096);
        at = next;
    }
    assert!(changes <= 17, "{changes}");
}

#[test]
fn a_link_that_leads_elsewhere_is_reported() {
    let mut chase = Chase::new(1000, 64, Order::Random, Pages::Small).unwrap();
    let start = chase.memory.words().as_ptr() as u64;
    // The cycle becomes shorter: the loads go on, and arrive somewhere else.
    chase.memory.words_mut()[0] = start;
    chase.run(1).unwrap();
    assert_eq!(chase.verify().unwrap_err().code, Code::CheckFailed);
    assert_eq!(chase.finish().unwrap_err().code, Code::CheckFailed);
}

fn task(op: &str, threads: usize, given: &[(&str, Scalar)]) -> Task {
    let parameters = Parameters(given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect());
    let control = Arc::new(Control::default());
    Task { op: op.to_owned(), parameters, threads, cpus: None, seconds: 0.05, control }
}

fn refused(op: &str, threads: usize, given: &[(&str, Scalar)]) -> Failure {
    let op = OPS.iter().find(|known| known.name == op).unwrap();
    let task = task(op.name, threads, given);
    let settings = Settings::new(op, &task.parameters);
    settings.and_then(|settings| super::make(&task, &settings)).map(drop).unwrap_err()
}

fn text(word: &str) -> Scalar {
    Scalar::Text(word.to_owned())
}

/// What is configured where the last cache has 32 MiB.
fn configured(action: Action, threads: usize, given: &[(&str, Scalar)]) -> bandwidth::Config {
    let name = if action == Action::Read { "read" } else { "triad" };
    let op = OPS.iter().find(|known| known.name == name).unwrap();
    let task = task(op.name, threads, given);
    let settings = Settings::new(op, &task.parameters).unwrap();
    bandwidth::configure(action, &task, &settings, &Caches::of_last(32 << 20)).unwrap()
}

#[test]
fn every_setting_of_the_bandwidth_is_obeyed() {
    for (word, kind) in [("float", Kind::Float), ("int", Kind::Int)] {
        assert_eq!(configured(Action::Triad, 1, &[("type", text(word))]).pass.kind, kind);
    }
    for width in Width::all() {
        // The word of a wish and the name in the conditions differ: sse and sse2.
        let words = ["scalar", "sse", "avx", "avx512", "neon"];
        let word = words.iter().find(|word| width.name().trim_end_matches(char::is_numeric) == **word);
        let word = if width.name() == "avx512" { "avx512" } else { word.unwrap() };
        assert_eq!(configured(Action::Triad, 1, &[("simd", text(word))]).pass.width, width);
        for action in [Action::Triad, Action::Read] {
            let arrays = arrays(PassConfig { width, ..configured(action, 1, &[]).pass }, 64);
            assert_eq!(arrays.conditions()["simd"], width.name());
        }
    }
    for (word, pages) in [("auto", Pages::Auto), ("small", Pages::Small), ("huge", Pages::Huge)] {
        assert_eq!(configured(Action::Triad, 1, &[("pages", text(word))]).pass.pages, pages);
    }
    let size = |mebibytes: i64| ("size", Scalar::Integer(mebibytes << 20));
    let streams = Width::parse("auto").unwrap().streams();
    // Three arrays of 16 MiB are more than the cache has, a single one or three of 10 MiB are not.
    for (mebibytes, store, streaming) in [
        (10, "auto", false),
        (16, "auto", streams),
        (16, "temporal", false),
        (10, "temporal", false),
        (10, "non-temporal", true),
    ] {
        if streams || !streaming {
            let config = configured(Action::Triad, 1, &[size(mebibytes), ("store", text(store))]).pass;
            assert_eq!(config.streaming, streaming, "{mebibytes} {store}");
        }
    }
    assert!(!configured(Action::Read, 1, &[size(32)]).pass.streaming);
    assert_eq!(configured(Action::Read, 1, &[size(33)]).pass.streaming, streams);
}

#[test]
#[cfg(target_os = "linux")]
fn pages_are_looked_at_once_they_are_touched() {
    // Of memory that nobody has touched nothing is known.
    let known = |word: &str| ["yes", "no", "partly"].contains(&word);
    for pages in [Pages::Auto, Pages::Small] {
        for action in [Action::Read, Action::Triad, Action::Write] {
            let arrays = arrays(PassConfig { pages, ..configured(action, 1, &[]).pass }, 1 << 18);
            let found = arrays.conditions()["huge_pages"].clone();
            assert!(known(&found) && (pages == Pages::Auto || found == "no"), "{pages:?} {action:?}: {found}");
        }
        assert!(known(&Chase::new(1 << 15, 64, Order::Random, pages).unwrap().conditions()["huge_pages"]));
    }
}

#[test]
fn threads_share_the_arrays_which_caches_hold_or_not_all_together() {
    for threads in [1, 2, 3] {
        let config = configured(Action::Triad, threads, &[("size", Scalar::Integer(8 * 1001))]);
        let parts: Vec<usize> = (0..threads).map(|index| config.part(index)).collect();
        assert_eq!(parts.iter().sum::<usize>(), 1001, "{parts:?}");
        assert!(parts.iter().all(|part| part.abs_diff(1001 / threads) <= 1), "{parts:?}");
    }
    let cached = |action, mebibytes: i64| {
        configured(action, 1, &[("size", Scalar::Integer(mebibytes << 20))]).cached["cached"].clone()
    };
    assert_eq!([cached(Action::Triad, 10), cached(Action::Triad, 16)], ["yes", "partly"]);
    assert_eq!(
        [cached(Action::Read, 16), cached(Action::Read, 33), cached(Action::Read, 128)],
        ["yes", "partly", "no"]
    );
}

#[test]
fn every_setting_of_the_latency_is_obeyed() {
    let op = OPS.iter().find(|known| known.name == "latency").unwrap();
    let configured = |given: &[(&str, Scalar)]| {
        let task = task("latency", 1, given);
        latency::configure(&task, &Settings::new(op, &task.parameters).unwrap(), &Caches::of_last(32 << 20)).unwrap()
    };
    for (word, order) in [("random", Order::Random), ("page", Order::Page), ("sequential", Order::Sequential)] {
        assert_eq!(configured(&[("order", text(word))]).order, order);
    }
    for (size, stride, count) in [(1 << 20, 64, 1 << 14), (1 << 20, 256, 1 << 12), (8000, 8, 1000)] {
        let wanted = usize::try_from(stride).unwrap();
        let config = configured(&[("size", Scalar::Integer(size)), ("stride", Scalar::Integer(stride))]);
        assert_eq!((config.count, config.stride), (count, wanted));
        assert_eq!(config.pages, Pages::Auto);
    }
    assert_eq!(configured(&[("pages", text("small"))]).pages, Pages::Small);
    for (mebibytes, cached) in [(16, "yes"), (64, "partly"), (128, "no")] {
        assert_eq!(configured(&[("size", Scalar::Integer(mebibytes << 20))]).cached["cached"], cached);
    }
    // The check of an iteration is the number of its loads modulo the places.
    let task = task("latency", 1, &[("size", Scalar::Integer(25600)), ("stride", Scalar::Integer(256))]);
    let mut worker = super::make(&task, &Settings::new(op, &task.parameters).unwrap()).unwrap()(0).unwrap();
    worker.setup(1).unwrap();
    worker.run(1).unwrap();
    assert_eq!(worker.verify().unwrap(), CheckValue::Checksum(1024 % 100));
}

thread_local!(static EVENTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

fn event(what: &str) -> u64 {
    EVENTS.with(|events| {
        events.borrow_mut().push(what.to_owned());
        events.borrow().len() as u64
    })
}

#[test]
fn all_passes_are_made_between_two_readings_of_the_clock() {
    for config in configs() {
        EVENTS.with(|events| events.borrow_mut().clear());
        let mut arrays = arrays(config, 1000);
        arrays.sweep = |config, arrays, passes| {
            event(&format!("{passes} passes"));
            sweep(config, arrays, passes)
        };
        let clock = planted_clock::show(|| event("clock"));
        iterate(&mut arrays, 5).unwrap();
        drop(clock);
        EVENTS.with(|events| assert_eq!(*events.borrow(), ["clock", "5 passes", "clock"], "{config:?}"));
    }
}

#[test]
fn other_loops_than_those_that_are_reported_are_noticed() {
    for config in configs() {
        let mut arrays = arrays(config, 1000);
        let known = iterate(&mut arrays, 1).map(|_| arrays.swept.loops).unwrap();
        assert_eq!(
            known.is_some(),
            cfg!(target_arch = "x86_64") || (cfg!(target_arch = "x86") && config.width != Width::Scalar)
        );
        if known.is_some() && config.action != Action::ReadWrite && config.width.streams() {
            arrays.sweep =
                |config, arrays, passes| sweep(PassConfig { streaming: !config.streaming, ..config }, arrays, passes);
            let failure = iterate(&mut arrays, 1).unwrap_err();
            assert!(failure.code == Code::CheckFailed && failure.message.contains("loops"), "{failure:?}");
        }
    }
}

#[test]
fn bad_input_is_one_sentence() {
    let cases = [
        ("copy", 1, "size", Scalar::Integer(0), Code::BadArguments),
        ("copy", 1, "size", Scalar::Integer(1001), Code::BadArguments),
        ("copy", 2, "size", Scalar::Integer(8), Code::BadArguments),
        ("copy", 1024, "size", Scalar::Integer(8), Code::BadArguments),
        ("triad", 1, "size", Scalar::Integer(1 << 49), Code::OutOfMemory),
        ("triad", 1, "type", text("complex"), Code::BadArguments),
        ("triad", 1, "simd", text("mmx"), Code::BadArguments),
        ("triad", 1, "store", text("sideways"), Code::BadArguments),
        ("triad", 1, "pages", text("1G"), Code::BadArguments),
        ("read", 1, "store", text("temporal"), Code::BadArguments),
        ("read-write", 1, "store", text("non-temporal"), Code::BadArguments),
        ("latency", 2, "stride", Scalar::Integer(64), Code::BadArguments),
        ("latency", 1, "stride", Scalar::Integer(0), Code::BadArguments),
        ("latency", 1, "stride", Scalar::Integer(12), Code::BadArguments),
        ("latency", 1, "size", Scalar::Integer(64), Code::BadArguments),
        ("latency", 1, "size", Scalar::Integer(100), Code::BadArguments),
        ("latency", 1, "size", Scalar::Integer(1 << 36), Code::OutOfMemory),
        ("latency", 1, "order", text("backwards"), Code::BadArguments),
    ];
    for (op, threads, name, value, code) in cases {
        let failure = refused(op, threads, &[(name, value)]);
        assert_eq!(failure.code, code, "{op} {name}: {}", failure.message);
        assert!(!failure.message.contains('\n') && failure.message.contains(' '));
    }
}

#[test]
fn a_size_that_is_too_small_for_the_threads_is_told_so() {
    let said = |threads, size| refused("copy", threads, &[("size", Scalar::Integer(size))]).message;
    assert_eq!(said(1024, 8), "size is 8, less than 8 bytes for each of 1024 threads");
    assert_eq!(said(1, 1001), "size is 1001, not a multiple of 8");
}
