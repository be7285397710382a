//! What is timed is all the work, by the loops and instructions that the results name, and each time is what its name
//! says.

use super::*;
use std::cell::Cell;
use virtometer_sampling::planted_clock::{self, looking};

/// A worker for each variant, with its systems and those of its own threads alone.
fn classic_worker(simd: Simd, variants: &'static [Variant], copies: usize) -> (Classic, System) {
    let system = System::spaced(50, Generator::Bits48);
    (Classic::new(simd, system, variants, copies, Limit::new(0, 1.0), None).unwrap(), system)
}

fn blocked_worker(simd: Simd, copies: usize) -> (BlockedWorker, Arc<Blocked>) {
    let system = System::spaced(50, Generator::Bits48);
    let shared = Arc::new(Blocked::new(simd, system, copies, 1).unwrap());
    (BlockedWorker::new(shared.clone(), 0, copies, Limit::new(0, 1.0)), shared)
}

#[test]
fn the_clock_is_read_before_the_first_factor_and_after_the_last_solution() {
    for variants in [&[Variant::LeftLooking] as &[Variant], &[Variant::Rolled], &[Variant::Rolled, Variant::Unrolled]] {
        let (mut worker, system) = classic_worker(Simd::compiled(), variants, 4);
        let repeats = 4 / variants.len() as u64;
        worker.setup(repeats).unwrap();
        let before = worker.work.doubles().to_vec();
        let memory = worker.work.doubles().as_ptr();
        // SAFETY: the memory is the worker's, which reads the clock while nothing else uses it.
        let look = move || unsafe { std::slice::from_raw_parts(memory, 4 * system.length()) }.to_vec();
        let (clock, seen) = looking(look);
        let stretch = worker.run(repeats).unwrap();
        drop(clock);
        let seen = seen.borrow();
        assert!(seen[0] == before && *seen.last().unwrap() == worker.work.doubles(), "{variants:?}");
        assert_eq!((stretch.start_ns, stretch.end_ns), (1000, seen.len() as u64 * 1000));
    }
}

#[test]
fn the_clock_is_read_before_the_first_panel_and_after_the_last_blocked_solution() {
    let (mut worker, shared) = blocked_worker(Simd::detect(), 3);
    worker.setup(3).unwrap();
    // SAFETY: there is one thread, which reads the clock while nothing else uses the systems.
    let look = move || unsafe { shared.copies(3) }.to_vec();
    let before = look();
    let (clock, seen) = looking(look);
    let stretch = worker.run(3).unwrap();
    drop(clock);
    let seen = seen.borrow();
    assert!(seen[0] == before && *seen.last().unwrap() == worker.systems(3));
    assert_eq!((stretch.start_ns, stretch.end_ns), (1000, seen.len() as u64 * 1000));
}

#[test]
fn every_operation_factors_in_the_way_that_its_name_says() {
    let variant = |word: &str| ("variant", text(word));
    // Groups of four columns are neither of the published loops, nor are they blocked.
    for (op, given, blocked, unrolled, groups) in [
        ("classic", vec![], false, false, false),
        ("classic", vec![variant("rolled")], false, false, false),
        ("classic", vec![variant("unrolled")], false, true, false),
        ("left-looking", vec![], false, false, true),
        ("blocked", vec![], true, false, true),
    ] {
        let given = [&given[..], &[("size", Scalar::Integer(60))]].concat();
        let mut worker = attempt(&task(op, 1, &given)).unwrap()(0).unwrap();
        worker.setup(2).unwrap();
        blocked::FACTORED.with(|calls| calls.set(0));
        columns::UNROLLED.with(|calls| calls.set(0));
        groups::FACTORED.with(|calls| calls.set(0));
        worker.run(2).unwrap();
        let found = [&blocked::FACTORED, &columns::UNROLLED, &groups::FACTORED].map(|known| known.with(Cell::get) > 0);
        assert_eq!(found, [blocked, unrolled, groups], "{op} {given:?}");
    }
}

#[test]
fn the_loops_are_those_of_the_variant() {
    let (system, copy) = random_system(40, 4);
    for (variant, unrolled) in [(Variant::Rolled, false), (Variant::Unrolled, true), (Variant::LeftLooking, false)] {
        let mut copy = copy.clone();
        let (matrix, right) = system.parts(&mut copy);
        let mut pivots = vec![0; system.n];
        let used = |work: &mut dyn FnMut()| {
            columns::UNROLLED.with(|calls| calls.set(0));
            work();
            columns::UNROLLED.with(|calls| calls.get() > 0)
        };
        let factored = used(&mut || assert!(variant.factor(Simd::compiled(), matrix, system.ld, &mut pivots)));
        let solved = used(&mut || variant.solve(Simd::compiled(), matrix, system.ld, &pivots, right));
        assert_eq!((factored, solved), (unrolled, unrolled), "{variant:?}");
    }
}

#[test]
fn the_solutions_have_the_bits_of_the_instructions_that_are_reported() {
    for simd in Simd::all() {
        for variants in [&[Variant::LeftLooking] as &[Variant], &[Variant::Rolled], &[Variant::Unrolled]] {
            let (mut worker, system) = classic_worker(simd, variants, 3);
            worker.setup(3).unwrap();
            let systems = worker.work.doubles().to_vec();
            worker.run(3).unwrap();
            assert_eq!(worker.conditions()["simd"], simd.name());
            let solved = worker.work.doubles().chunks_exact(system.length());
            for (copy, solved) in systems.chunks_exact(system.length()).zip(solved) {
                let right = solve_classic(simd, system, copy, variants[0]).unwrap();
                assert!(system.solution(solved) == right, "{simd:?} {variants:?}");
            }
        }
        let (mut worker, shared) = blocked_worker(simd, 3);
        worker.setup(3).unwrap();
        let systems = worker.systems(3).to_vec();
        worker.run(3).unwrap();
        let length = shared.system.length();
        for (copy, solved) in systems.chunks_exact(length).zip(worker.systems(3).chunks_exact(length)) {
            let right = solve_blocked(simd, shared.system, copy, 1).unwrap();
            assert!(shared.system.solution(solved) == right, "{simd:?}");
        }
    }
}

/// The clock shows these times, one after the other.
fn showing(times: &[u64]) -> planted_clock::Shown {
    let mut times = Vec::from(times).into_iter();
    planted_clock::show(move || times.next().unwrap())
}

#[test]
fn times_are_those_of_one_system() {
    // In milliseconds: making begins and ends, factoring begins, the last systems are solved from here to there.
    let times = [1, 21, 30, 60, 70].map(|ms| ms * 1_000_000);
    let (mut classic, system) = classic_worker(Simd::compiled(), &[Variant::Rolled], 20);
    let (mut blocked, _) = blocked_worker(Simd::detect(), 20);
    // As many of the twenty as 256 KiB hold are solved when all are factored.
    let last = (256 << 10) as f64 / system.bytes() as f64;
    assert!(last > 5.0 && last < 15.0);
    for worker in [&mut classic as &mut dyn Worker, &mut blocked] {
        // The window of a number of runs begins with another reading.
        let clock = showing(&[&[0], &times[..]].concat());
        worker.setup(20).unwrap();
        worker.run(20).unwrap();
        drop(clock);
        let told = worker.extras().measures();
        assert!((told["generate-time"].value - 1e-3).abs() < 1e-12);
        let (factor, solve) = (told["factor-time"].value, told["solve-time"].value);
        assert!((factor + solve - 2e-3).abs() < 1e-12, "{factor} {solve}");
        // Less what a reading costs.
        let right = 10e-3 / last.floor();
        assert!(solve <= right && solve > 0.9 * right, "{solve}");
        assert!((told["solve-share"].value - solve / 2e-3).abs() < 1e-9);
    }
}

#[test]
fn each_variant_has_its_own_rate() {
    let (mut worker, system) = classic_worker(Simd::compiled(), &[Variant::Rolled, Variant::Unrolled], 4);
    // As above; then the unrolled loops begin at the end of the rolled ones.
    let clock = showing(&[0, 0, 9000, 20_000, 20_500, 21_000, 24_000, 25_000]);
    worker.setup(2).unwrap();
    worker.run(2).unwrap();
    drop(clock);
    let told = worker.extras().measures();
    for (name, seconds) in [("rolled-rate", 0.5e-6), ("unrolled-rate", 2e-6)] {
        let right = system.operations() as f64 / seconds;
        assert!((told[name].value / right - 1.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn the_published_convention_is_that_of_the_c_program() {
    let (_, op) = crate::find("linpack", "classic").unwrap();
    let task = task("classic", 1, &[("size", Scalar::Integer(200)), ("convention", text("published"))]);
    let (system, variants) = classic(&Settings::new(op, &task.parameters).unwrap(), None).unwrap();
    // Its array has 200 columns of 200 numbers, of which half are used.
    assert_eq!((system.n, system.ld, system.generator), (100, 200, Generator::Bits16));
    assert_eq!(variants, [Variant::Rolled, Variant::Unrolled]);
}
