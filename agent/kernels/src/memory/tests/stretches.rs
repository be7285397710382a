//! Iterations on stretches of arrays: what they cover, and wrong cursors that are reported.

use super::super::account::{Account, Covered};
use super::super::stretches::{Cursor, Layout, Sweep};
use super::*;
use std::collections::BTreeMap;

/// Arrays of 16 stretches, of which the last is shorter.
const LENGTH: usize = 1000;
const EACH: usize = 64;

fn many_stretches(config: PassConfig) -> Arrays {
    Arrays::new(config, LENGTH, Layout::of(LENGTH, EACH), Caches::default()).unwrap()
}

/// One for each action and kind of numbers, with the widest vectors.
fn usual_configs() -> Vec<PassConfig> {
    let width = Width::parse("auto").unwrap();
    configs().into_iter().filter(|config| config.width == width && !config.streaming).collect()
}

/// The stretches of some iterations, in their order.
fn order(count: usize, iterations: &[u64]) -> Vec<usize> {
    let mut cursor = Cursor::new(count);
    let sweeps = iterations.iter().flat_map(|repeats| cursor.advance(*repeats));
    sweeps.flat_map(|one| (0..one.passes).flat_map(move |_| one.stretches.clone())).collect()
}

#[test]
fn arrays_are_divided_into_stretches_of_half_a_mebibyte() {
    for (bytes, stretches) in [(128 << 20, 256), (32 << 20, 64), (1 << 20, 2), (512 << 10, 1), (64 << 10, 1), (8, 1)] {
        let length = bytes / 8;
        let layout = Layout::new(length, length);
        assert_eq!(layout.count(), stretches, "{bytes}");
        assert_eq!(layout.elements(0..1), 0..length.min(65_536), "{bytes}");
    }
    for length in [1, 63, 65_536, 65_537, 100_000, 1_000_003, 12_345_678] {
        let layout = Layout::new(length, length);
        let mut next = 0;
        for stretch in 0..layout.count() {
            let elements = layout.elements(stretch..stretch + 1);
            assert!(
                elements.start == next && !elements.is_empty() && elements.len() <= 65_536,
                "{length} {elements:?}"
            );
            assert!(elements.start.is_multiple_of(64) && layout.stretch_of(next) == stretch, "{length}");
            next = elements.end;
        }
        assert_eq!((next, layout.elements(0..layout.count())), (length, 0..length));
    }
}

#[test]
fn threads_with_parts_of_unequal_length_have_stretches_of_the_same_length() {
    let config = configured(Action::Triad, 2, &[("size", Scalar::Integer(8 * (2 * 65_536 + 1)))]);
    let layouts = [config.layout(0), config.layout(1)];
    assert_eq!(layouts[0].elements(0..1), layouts[1].elements(0..1));
    assert_eq!(layouts.map(|layout| layout.elements(0..9).len()), [65_537, 65_536]);
}

#[test]
fn stretches_follow_each_other_over_iterations_as_in_whole_passes() {
    for count in [1, 2, 3, 16] {
        let iterations = [1, 1, 3, 15, 16, 17, 2, 32, 33, 100, 5, 1];
        let all = order(count, &iterations);
        let right: Vec<usize> = (0..iterations.iter().sum::<u64>() as usize).map(|visit| visit % count).collect();
        assert_eq!(all, right, "{count}");
    }
    // An iteration of many passes is three calls of the loops, not one for each stretch.
    let sweeps = Cursor { count: 16, at: 3 }.advance(13 + 5 * 16 + 2);
    let passes = [(3..16, 1), (0..16, 5), (0..2, 1)];
    assert_eq!(sweeps, passes.map(|(stretches, passes)| Sweep { stretches, passes }));
}

#[test]
fn the_account_counts_every_stretch_as_often_as_a_list_of_all_visits() {
    let layout = Layout::of(LENGTH, EACH);
    let mut account = Account::new(layout);
    let mut visits: BTreeMap<usize, u64> = BTreeMap::new();
    let mut made = 0;
    for repeats in [1, 3, 16, 20, 37, 5, 160] {
        let now: Vec<usize> = (made..made + repeats).map(|visit| visit % 16).collect();
        made += repeats;
        now.iter().for_each(|stretch| *visits.entry(*stretch).or_default() += 1);
        account.begin(repeats as u64);
        let counted: u64 = now.iter().map(|stretch| account.elements(*stretch).len() as u64).sum();
        assert_eq!((account.repeats(), account.all_elements()), (repeats as u64, counted));
        let due: Vec<usize> = account.stretches().collect();
        assert_eq!(due, now[..due.len()]);
        for stretch in 0..16 {
            assert_eq!(account.all_passes(stretch), visits.get(&stretch).copied().unwrap_or(0));
            assert_eq!(account.passes(stretch), now.iter().filter(|one| **one == stretch).count() as u64);
        }
    }
}

#[test]
fn every_operation_works_on_stretch_after_stretch() {
    for config in usual_configs() {
        let mut arrays = many_stretches(config);
        let mut made = 0usize;
        for repeats in [1, 3, 16, 20, 37, 5, 1, 160] {
            let elements: usize =
                (made..made + repeats).map(|v| if v % 16 == 15 { LENGTH - 15 * EACH } else { EACH }).sum();
            made += repeats;
            let work = iterate(&mut arrays, repeats as u64).unwrap();
            assert_eq!(work, elements as u64 * 8 * config.action.accesses(), "{config:?} {repeats}");
        }
        arrays.finish().unwrap();
        // 243 stretches: the first three were reached once more often.
        if config.action == Action::ReadWrite {
            let c = arrays.c.as_ref().unwrap().words();
            let passes = [0, 3 * EACH - 1, 3 * EACH, LENGTH - 1]
                .map(|i| (0..).find(|passes| c[i] == config.kind.total(config.action.result(i, *passes))));
            assert_eq!(passes, [Some(16), Some(16), Some(15), Some(15)]);
        }
    }
}

/// Where an iteration begins if that is `at`, whatever was before.
fn from(cursor: &mut Cursor, at: usize, repeats: u64) -> [Sweep; 3] {
    cursor.at = at % cursor.count;
    cursor.advance(repeats)
}

#[test]
fn a_wrong_cursor_is_reported() {
    type Advance = fn(&mut Cursor, u64) -> [Sweep; 3];
    let wrong: [(&str, Advance); 9] = [
        ("stands still", |cursor, repeats| from(cursor, 0, repeats)),
        ("stands still within an iteration", |cursor, repeats| {
            let at = cursor.at;
            cursor.at = (at + 1) % cursor.count;
            [at..at + 1, 0..0, 0..0].map(|stretches| Sweep { stretches, passes: repeats })
        }),
        ("skips a stretch", |cursor, repeats| from(cursor, cursor.at + 1, repeats)),
        ("overlaps by a stretch", |cursor, repeats| from(cursor, cursor.at + cursor.count - 1, repeats)),
        ("goes backwards", |cursor, repeats| from(cursor, 20 * cursor.count - cursor.at - repeats as usize, repeats)),
        ("keeps to the lower half", |cursor, repeats| {
            let mut half = Cursor { count: cursor.count / 2, at: cursor.at % (cursor.count / 2) };
            cursor.at += repeats as usize;
            half.advance(repeats)
        }),
        ("leaves out the last stretch", |cursor, repeats| cursor.advance(repeats - 1)),
        ("makes one too many", |cursor, repeats| cursor.advance(repeats + 1)),
        ("makes every second one twice", |cursor, repeats| {
            let at = cursor.at;
            cursor.at = (at + repeats as usize) % cursor.count;
            let of = |stretch: usize, passes| Sweep { stretches: stretch..stretch + 1, passes };
            [of(at, 2), of((at + 2) % cursor.count, repeats - 2), of(0, 0)]
        }),
    ];
    for config in usual_configs() {
        for (name, advance) in wrong {
            // 14 stretches are two rounds of every short pattern; 4 go round in four iterations.
            for repeats in [4, 14] {
                let mut arrays = many_stretches(config);
                arrays.advance = advance;
                let failure = (0..3).find_map(|_| iterate(&mut arrays, repeats).err());
                let code = failure.map(|failure| failure.code);
                assert_eq!(code, Some(Code::CheckFailed), "{name}: {config:?} {repeats}");
            }
        }
    }
}

#[test]
fn the_results_alone_show_a_cursor_that_stands_still() {
    // Without the account of what was covered: the values and the spoiled elements must do.
    for config in usual_configs() {
        for repeats in [1, 7, 14] {
            let mut arrays = many_stretches(config);
            let failed = (0..3).any(|iteration| {
                arrays.setup(repeats).unwrap();
                arrays.advance = |cursor, repeats| from(cursor, 0, repeats);
                arrays.run(repeats).unwrap();
                let due = (iteration * repeats..(iteration + 1) * repeats).map(|visit| visit as usize % 16);
                let all = Covered { elements: 0..LENGTH, passes: 0 };
                for covered in &mut arrays.covered {
                    let layout = Layout::of(LENGTH, EACH);
                    *covered =
                        due.clone().map(|one| Covered { elements: layout.elements(one..one + 1), passes: 1 }).collect();
                    covered.push(all.clone());
                }
                arrays.counted = arrays.expected();
                arrays.verify().is_err()
            });
            assert!(failed, "{config:?} {repeats}");
        }
    }
}

#[test]
fn an_array_that_is_not_covered_as_the_others_is_reported() {
    for config in usual_configs() {
        let (uses_a, uses_b, uses_c) = config.action.arrays();
        for (number, _) in [uses_a, uses_b, uses_c].into_iter().enumerate().filter(|(_, used)| *used) {
            for spoil in [
                |covered: &mut Vec<Covered>| covered[0].elements = 0..4 * EACH,
                |covered: &mut Vec<Covered>| covered[0].elements.end -= 1,
                |covered: &mut Vec<Covered>| covered[0].passes = 2,
                |covered: &mut Vec<Covered>| covered.push(Covered { elements: 0..1, passes: 1 }),
                |covered: &mut Vec<Covered>| covered.clear(),
            ] {
                let mut arrays = many_stretches(config);
                iterate(&mut arrays, 4).unwrap();
                arrays.setup(4).unwrap();
                arrays.run(4).unwrap();
                spoil(&mut arrays.covered[number]);
                let failure = arrays.verify().unwrap_err();
                assert!(failure.code == Code::CheckFailed && failure.message.contains("covered"), "{failure:?}");
            }
        }
    }
}

thread_local!(static LAST: RefCell<Option<PassResult>> = const { RefCell::new(None) });

#[test]
fn a_sum_that_was_made_before_is_reported() {
    for config in usual_configs().into_iter().filter(|config| config.action == Action::Read) {
        for repeats in [1, 7, 16, 32] {
            LAST.with(|last| last.borrow_mut().take());
            let mut arrays = many_stretches(config);
            arrays.sweep = |config, operands, passes| {
                LAST.with(|last| *last.borrow_mut().get_or_insert_with(|| sweep(config, operands, passes)))
            };
            let failure = (0..16).find_map(|_| iterate(&mut arrays, repeats).err());
            assert_eq!(failure.map(|failure| failure.code), Some(Code::CheckFailed), "{config:?} {repeats}");
        }
    }
}

#[test]
fn a_stretch_that_was_not_due_stays_as_it_was() {
    for config in usual_configs().into_iter().filter(|config| config.action.writes()) {
        let mut arrays = many_stretches(config);
        iterate(&mut arrays, 3).unwrap();
        arrays.c.as_mut().unwrap().words_mut()[LENGTH - 1] = config.kind.bits(5);
        arrays.verify().unwrap();
        assert_eq!(arrays.finish().unwrap_err().code, Code::CheckFailed, "{config:?}");
    }
}

#[test]
fn a_wrong_result_is_reported_in_whichever_stretch_it_lies() {
    for config in usual_configs().into_iter().filter(|config| config.action.writes()) {
        for stretch in [4, 6] {
            let mut arrays = many_stretches(config);
            iterate(&mut arrays, 4).unwrap();
            arrays.setup(3).unwrap();
            arrays.run(3).unwrap();
            arrays.c.as_mut().unwrap().words_mut()[stretch * EACH] = config.kind.bits(5);
            assert_eq!(arrays.verify().unwrap_err().code, Code::CheckFailed, "{config:?} {stretch}");
        }
    }
}

#[test]
fn what_is_spoiled_before_an_iteration_is_what_the_one_before_it_wrote() {
    let overwrites = |config: &PassConfig| config.action.writes() && config.action != Action::ReadWrite;
    for config in usual_configs().into_iter().filter(overwrites) {
        let mut arrays = many_stretches(config);
        for _ in 0..11 {
            iterate(&mut arrays, 3).unwrap(); // two rounds
        }
        let words = |arrays: &Arrays| arrays.c.as_ref().unwrap().words().to_vec();
        let before = words(&arrays);
        arrays.setup(3).unwrap();
        let changed: Vec<usize> = words(&arrays)
            .iter()
            .zip(&before)
            .enumerate()
            .filter(|(_, (now, then))| now != then)
            .map(|(i, _)| i)
            .collect();
        assert_eq!(changed, [0, 14 * EACH, 15 * EACH], "{config:?}");
        // Work that leaves out the next stretches, which hold results of the round before, is found.
        arrays.sweep = |_, _, passes| PassResult { sum: 0, passes, loops: None };
        arrays.run(3).unwrap();
        assert_eq!(arrays.verify().unwrap_err().code, Code::CheckFailed, "{config:?}");
    }
}
