#![allow(clippy::unwrap_used)]
#![allow(unsafe_code)] // a copy of the threads' common systems
mod copied_answers;
mod reference_clock;
mod timed;

use super::blocked_worker::BlockedWorker;
use super::system::Scale;
use super::*;
use crate::random::Random;
use std::collections::BTreeMap;
use virtometer_protocol::{Parameters, Scalar};
use virtometer_sampling::{prepare, CheckValue, Control, Outcome, Worker};

const VARIANTS: [Variant; 3] = [Variant::LeftLooking, Variant::Rolled, Variant::Unrolled];

fn one_thread(n: usize, variants: &'static [Variant], copies: usize) -> Classic {
    let system = System::spaced(n, Generator::Bits48);
    Classic::new(Simd::detect(), system, variants, copies, Limit::new(0, 1.0), None).unwrap()
}

/// A regular matrix with random elements, and a right-hand side.
fn random_system(n: usize, seed: u64) -> (System, Vec<f64>) {
    let mut random = Random::new(seed);
    let system = System::spaced(n, Generator::Bits48);
    let mut copy = vec![0.0; system.length()];
    for column in copy.chunks_exact_mut(system.ld) {
        for a in &mut column[..n] {
            *a = random.below(1 << 30) as f64 / f64::from(1u32 << 29) - 1.0;
        }
    }
    (system, copy)
}

/// Solve by the blocked elimination with this many threads; the solution.
fn solve_blocked(simd: Simd, system: System, copy: &[f64], threads: usize) -> Option<Vec<f64>> {
    let shared = Blocked::new(simd, system, 1, threads).unwrap();
    unsafe { shared.copy(0) }.copy_from_slice(copy);
    let ends: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let shared = &shared;
        let all: Vec<_> =
            (0..threads).map(|rank| scope.spawn(move || shared.factor(0, rank, &mut shared.workspace()))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(ends.iter().all(|end| *end == ends[0]), "{ends:?}");
    ends[0].as_ref().ok()?;
    let (matrix, right) = system.parts(unsafe { shared.copy(0) });
    groups::solve(simd, matrix, system.ld, shared.width(), unsafe { shared.pivots() }, right);
    Some(right.to_vec())
}

fn solve_classic(simd: Simd, system: System, copy: &[f64], variant: Variant) -> Option<Vec<f64>> {
    let mut copy = copy.to_vec();
    let (matrix, right) = system.parts(&mut copy);
    let mut pivots = vec![0; system.n];
    let regular = variant.factor(simd, matrix, system.ld, &mut pivots);
    regular.then(|| {
        variant.solve(simd, matrix, system.ld, &pivots, right);
        right.to_vec()
    })
}

#[test]
fn a_small_system_has_its_known_solution() {
    // 2x + y = 5, 4x + 3y = 11 by columns: x = 2, y = 1. Needs an exchange of rows.
    let system = System { n: 2, ld: 8, generator: Generator::Bits48 };
    let mut copy = vec![0.0; system.length()];
    (copy[0], copy[1], copy[8], copy[9], copy[16], copy[17]) = (2.0, 4.0, 1.0, 3.0, 5.0, 11.0);
    for simd in [Simd::Baseline, Simd::detect()] {
        for variant in VARIANTS {
            assert_eq!(solve_classic(simd, system, &copy, variant).unwrap(), [2.0, 1.0]);
        }
        assert_eq!(solve_blocked(simd, system, &copy, 2).unwrap(), [2.0, 1.0]);
    }
}

#[test]
fn the_published_figures_of_order_100_come_out_to_the_last_digit() {
    // Every listing of the C program has them: norm. resid, resid, x[0]-1 and x[n-1]-1. They hold where multiplication
    // and addition are rounded one after the other.
    if cfg!(target_arch = "aarch64") {
        return;
    }
    let system = System { n: 100, ld: 200, generator: Generator::Bits16 };
    let mut copy = vec![0.0; system.length()];
    system.generate(&mut copy, Scale::ONE);
    for variant in VARIANTS {
        let solution = solve_classic(Simd::Baseline, system, &copy, variant).unwrap();
        assert_eq!(format!("{:.8e}", solution[0] - 1.0), "-1.49880108e-14");
        assert_eq!(format!("{:.8e}", solution[99] - 1.0), "-1.89848137e-14");
        let mut again = copy.clone();
        let (matrix, right) = system.parts(&mut again);
        assert_eq!(format!("{:.8}", system.residual(matrix, right, &solution)), "1.67005097");
        assert_eq!(format!("{:.8e}", system::largest(right)), "7.41628980e-14");
    }
}

#[test]
fn the_generators_give_their_numbers() {
    // By Python's integers: (1 * 2^36 + 2 * 2^24 + 3 * 2^12 + 1325) * 33952834046453 modulo 2^48.
    let state = (1u128 << 36) + (2 << 24) + (3 << 12) + 1325;
    let first = ((state * 33_952_834_046_453) % (1 << 48)) as f64 / (1u64 << 48) as f64 - 0.5;
    for (generator, first) in
        [(Generator::Bits48, first), (Generator::Bits16, (f64::from(3125 * 1325 % 65_536) - 32_768.0) / 16_384.0)]
    {
        let system = System::spaced(3, generator);
        let mut copy = vec![0.0; system.length()];
        system.generate(&mut copy, Scale::ONE);
        assert_eq!(copy[0], first);
        assert_eq!(copy[system.ld * 3], copy[0] + copy[system.ld] + copy[2 * system.ld], "the sum of a row");
        assert!(copy[3..system.ld].iter().all(|a| *a == 0.0), "below the matrix there is nothing");
    }
}

#[test]
fn orders_for_which_the_16_bit_generator_repeats_itself_are_known() {
    // n columns of n numbers; column d equals the first where d * n is a multiple of 16,384.
    for n in 1..2100usize {
        let equal = (1..n).any(|d| d * n % 16_384 == 0);
        assert_eq!(Generator::Bits16.is_singular(n), equal, "order {n}");
        assert!(!Generator::Bits48.is_singular(n));
    }
}

#[test]
fn all_ways_and_numbers_of_threads_give_the_same_bits() {
    let mut random = Random::new(26);
    let edges = [1, 2, 3, 4, 5, 7, 8, 9, 47, 48, 49, 95, 96, 97, 145];
    let others: Vec<usize> = (0..12).map(|_| usize::try_from(1 + random.below(250)).unwrap()).collect();
    for (seed, n) in edges.into_iter().chain(others).enumerate() {
        let (system, copy) = random_system(n, seed as u64);
        for simd in Simd::all() {
            let expected = solve_classic(simd, system, &copy, Variant::Rolled).unwrap();
            let mut check = copy.clone();
            let (matrix, right) = system.parts(&mut check);
            assert!(system.residual(matrix, right, &expected) < 1000.0, "order {n}");
            for variant in [Variant::LeftLooking, Variant::Unrolled] {
                assert!(solve_classic(simd, system, &copy, variant).unwrap() == expected, "{variant:?}, order {n}");
            }
            for threads in [1, 2, 3] {
                let found = solve_blocked(simd, system, &copy, threads).unwrap();
                assert!(found == expected, "{threads} threads, order {n}");
            }
        }
    }
}

/// A digest of the bits (FNV-1a by words).
fn digest(numbers: &[f64]) -> u64 {
    numbers.iter().fold(0xCBF2_9CE4_8422_2325, |hash, number| (hash ^ number.to_bits()).wrapping_mul(0x100_0000_01B3))
}

#[test]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn programs_of_32_and_of_64_bits_give_the_same_bits() {
    // Both ran once; where multiplication and addition are fused and where they are not.
    let (system, copy) = random_system(150, 7);
    for simd in Simd::all() {
        let expected = if simd == Simd::Baseline { 0x953C_2333_5476_FF04 } else { 0x76E2_29DE_2E0B_28C0 };
        for threads in [1, 2] {
            let solution = solve_blocked(simd, system, &copy, threads).unwrap();
            assert_eq!(digest(&solution), expected, "{simd:?}, {threads} threads: {:#x}", digest(&solution));
        }
        let solution = solve_classic(simd, system, &copy, Variant::Rolled).unwrap();
        assert_eq!(digest(&solution), expected, "{simd:?}");
    }
}

#[test]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn programs_of_32_and_of_64_bits_use_the_same_instructions() {
    let best = outcome("blocked", 1, &[("size", Scalar::Integer(50))]).conditions["simd"].clone();
    let memory = crate::simd::Width::parse("auto").unwrap().name();
    let fused = is_x86_feature_detected!("fma");
    assert_eq!(best, if fused { memory } else { "sse2" });
    assert_eq!(Simd::compiled() == Simd::Avx2, fused && is_x86_feature_detected!("avx2"));
    assert_eq!(Simd::Baseline.name(), "sse2");
}

#[test]
fn threads_that_share_a_processor_give_the_same_bits() {
    let processor = virtometer_sampling::allowed_cpus()[0];
    let (system, copy) = random_system(300, 3);
    let expected = solve_classic(Simd::detect(), system, &copy, Variant::LeftLooking).unwrap();
    for threads in [2, 4, 7] {
        let (system, copy) = (system, copy.clone());
        // On Linux threads inherit the processor of the one that makes them.
        let crowded = std::thread::spawn(move || {
            virtometer_sampling::pin_to(processor).unwrap();
            solve_blocked(Simd::detect(), system, &copy, threads).unwrap()
        });
        assert!(crowded.join().unwrap() == expected, "{threads} threads");
    }
}

/// Small enough for Miri, which looks at every borrow:
/// RUSTFLAGS="--cfg rustix_use_libc" cargo +nightly miri test -p virtometer-kernels --lib three_threads
#[test]
fn three_threads_write_only_what_is_theirs() {
    let (system, copy) = random_system(if cfg!(miri) { 60 } else { 100 }, 8);
    let expected = solve_classic(Simd::Baseline, system, &copy, Variant::Rolled).unwrap();
    assert!(solve_blocked(Simd::Baseline, system, &copy, 3).unwrap() == expected);
}

#[test]
fn a_long_solution_is_not_made_twice() {
    // 2n^3/3 + 2n^2 operations: 1.04e10 at 2500, 9.2e9 at 2400, 5.3e9 at 2000.
    let system = |n| System::spaced(n, Generator::Bits48);
    assert!(system(2500).is_long(1, 1) && !system(2400).is_long(1, 1));
    assert!(system(2000).is_long(2, 1) && !system(2500).is_long(1, 2));
    assert!(blocked_worker(50).calibrated() && one_thread(50, &[Variant::LeftLooking], 1).calibrated());
    assert!(!blocked_worker(2500).calibrated() && !one_thread(2500, &[Variant::LeftLooking], 1).calibrated());
}

#[test]
fn the_published_convention_takes_the_c_program_s_generator_where_it_is_regular() {
    // Orders 60 and 512, of which the second would have equal columns.
    for (size, generator) in [(120, "16-bit"), (1024, "48-bit")] {
        let given = [("size", Scalar::Integer(size)), ("convention", text("published"))];
        assert_eq!(outcome("classic", 1, &given).conditions["generator"], generator, "{size}");
    }
    let given = [("size", Scalar::Integer(120)), ("convention", text("published")), ("generator", text("48-bit"))];
    assert_eq!(outcome("classic", 1, &given).conditions["generator"], "48-bit");
    assert_eq!(outcome("classic", 1, &[("size", Scalar::Integer(60))]).conditions["generator"], "48-bit");
}

#[test]
fn a_singular_matrix_is_told_in_every_way() {
    for (n, dependent) in [(4, 0), (60, 17), (200, 199), (200, 60)] {
        let (system, mut copy) = random_system(n, 5);
        copy[dependent * system.ld..][..n].fill(0.0);
        for variant in VARIANTS {
            assert!(solve_classic(Simd::detect(), system, &copy, variant).is_none());
        }
        // Many times, because threads must not learn it at different barriers.
        for threads in [1, 2, 3].into_iter().cycle().take(60) {
            assert!(solve_blocked(Simd::detect(), system, &copy, threads).is_none());
        }
    }
    let mut worker = one_thread(4, &[Variant::LeftLooking], 1);
    worker.setup(1).unwrap();
    worker.work.doubles_mut()[..32].fill(0.0);
    assert_eq!(worker.run(1).unwrap_err().code, Code::CheckFailed);
    let mut worker = blocked_worker(4);
    worker.setup(1).unwrap();
    worker.systems(1)[..32].fill(0.0);
    assert_eq!(worker.run(1).unwrap_err().code, Code::CheckFailed);
}

#[test]
fn the_solution_of_the_benchmark_s_system_is_all_ones_times_a_power_of_two() {
    for n in [1, 2, 3, 17, 100, 257, 512] {
        let mut worker = one_thread(n, &[Variant::Rolled, Variant::Unrolled], 4);
        worker.setup(2).unwrap();
        let stretch = worker.run(2).unwrap();
        let order = n as u64;
        assert_eq!(stretch.work, 4 * (2 * order.pow(3) / 3 + 2 * order * order));
        let system = System::spaced(n, Generator::Bits48);
        let solution = system.solution(&worker.work.doubles()[system.length()..]).to_vec();
        let power = Scale::of(1, 1).solution;
        assert!(solution.iter().all(|x| (x / power - 1.0).abs() < 1e-9), "order {n}: {solution:?}");
        worker.verify().unwrap();
    }
}

fn blocked_worker(n: usize) -> BlockedWorker {
    let system = System::spaced(n, Generator::Bits48);
    BlockedWorker::new(Arc::new(Blocked::new(Simd::detect(), system, 1, 1).unwrap()), 0, 1, Limit::new(0, 1.0))
}

#[test]
fn a_planted_wrong_solution_is_reported() {
    let at = System::spaced(50, Generator::Bits48).ld * 50 + 7;
    for fault in [1.001, f64::NAN, f64::INFINITY] {
        let mut worker = one_thread(50, &[Variant::LeftLooking], 1);
        worker.setup(1).unwrap();
        worker.run(1).unwrap();
        worker.work.doubles_mut()[at] *= fault;
        assert_eq!(worker.verify().unwrap_err().code, Code::CheckFailed);
        let mut worker = blocked_worker(50);
        worker.setup(1).unwrap();
        worker.run(1).unwrap();
        worker.systems(1)[at] *= fault;
        assert_eq!(worker.verify().unwrap_err().code, Code::CheckFailed);
    }
}

#[test]
fn a_perturbed_factor_is_reported() {
    for n in [50, 400] {
        let system = System::spaced(n, Generator::Bits48);
        let mut copy = vec![0.0; system.length()];
        system.generate_all(&mut copy, 1);
        let (matrix, right) = system.parts(&mut copy);
        let mut pivots = vec![0; n];
        assert!(Variant::LeftLooking.factor(Simd::detect(), matrix, system.ld, &mut pivots));
        matrix[7 * system.ld + 30] *= 1.0 + 1e-8;
        Variant::LeftLooking.solve(Simd::detect(), matrix, system.ld, &pivots, right);
        assert_eq!(system.verify(&mut copy, 1).unwrap_err().code, Code::CheckFailed, "order {n}");
    }
}

#[test]
fn two_solutions_that_differ_are_reported() {
    let mut worker = one_thread(50, &[Variant::LeftLooking], 2);
    worker.setup(2).unwrap();
    worker.run(2).unwrap();
    let length = System::spaced(50, Generator::Bits48).length();
    let last = worker.work.doubles()[length..].iter().rposition(|x| *x != 0.0).unwrap();
    worker.work.doubles_mut()[length + last] *= 1.0 + f64::EPSILON;
    let failure = worker.verify().unwrap_err();
    assert_eq!(failure.message, "two solutions of the same system differ");
}

#[test]
fn operations_that_were_counted_and_not_made_are_reported() {
    let mut worker = one_thread(50, &[Variant::Rolled], 2);
    worker.setup(2).unwrap();
    worker.run(2).unwrap();
    worker.counted *= 2;
    assert!(worker.verify().unwrap_err().message.ends_with("operations were counted for 2 solutions"));
    let mut worker = blocked_worker(50);
    worker.setup(1).unwrap();
    worker.run(1).unwrap();
    worker.counted *= 2;
    assert!(worker.verify().unwrap_err().message.ends_with("operations were counted for 1 solutions"));
}

/// dgefa as the Users' Guide has it, with loops that nobody can mistake.
fn dgefa(a: &mut [f64], ld: usize, n: usize) -> Vec<usize> {
    let mut pivots = vec![n - 1; n];
    for k in 0..n - 1 {
        let largest = (k..n).fold(k, |l, i| if a[k * ld + i].abs() > a[k * ld + l].abs() { i } else { l });
        pivots[k] = largest;
        a.swap(k * ld + largest, k * ld + k);
        let t = -1.0 / a[k * ld + k];
        (k + 1..n).for_each(|i| a[k * ld + i] *= t);
        for j in k + 1..n {
            a.swap(j * ld + largest, j * ld + k);
            let t = a[j * ld + k];
            (k + 1..n).for_each(|i| a[j * ld + i] += t * a[k * ld + i]);
        }
    }
    pivots
}

#[test]
fn the_published_variants_leave_the_published_factors() {
    // The other ways solve to the same bits, but exchange rows of the multipliers as well.
    let (system, copy) = random_system(40, 9);
    let mut right = copy.clone();
    let right_pivots = dgefa(system.parts(&mut right).0, system.ld, system.n);
    for (variant, published) in [(Variant::Rolled, true), (Variant::Unrolled, true), (Variant::LeftLooking, false)] {
        let (mut found, mut pivots) = (copy.clone(), vec![0; system.n]);
        assert!(variant.factor(Simd::Baseline, system.parts(&mut found).0, system.ld, &mut pivots));
        assert_eq!(pivots, right_pivots, "{variant:?}");
        assert_eq!(found == right, published, "{variant:?}");
    }
}

fn task(op: &str, threads: usize, given: &[(&str, Scalar)]) -> Task {
    let parameters: BTreeMap<String, Scalar> =
        given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Task {
        op: op.to_owned(),
        parameters: Parameters(parameters),
        threads,
        cpus: None,
        seconds: 0.05,
        control: Arc::new(Control::default()),
    }
}

fn attempt(task: &Task) -> Result<WorkerFactory, Failure> {
    let (kernel, op) = crate::find("linpack", &task.op).unwrap();
    crate::make(kernel, op, task)
}

fn outcome(op: &str, threads: usize, given: &[(&str, Scalar)]) -> Outcome {
    measured(&task(op, threads, given))
}

fn measured(task: &Task) -> Outcome {
    crate::tests::run("linpack", task).unwrap()
}

#[test]
fn huge_pages_are_a_condition() {
    let known = if cfg!(target_os = "linux") { &["yes", "no", "partly"] as &[&str] } else { &["unknown"] };
    let assert_known =
        |said: &str, what: &str| assert!(said.split(" and ").all(|word| known.contains(&word)), "{what}: {said}");
    let prepared = |op, threads, size| {
        let given = [("size", Scalar::Integer(size)), ("runs", Scalar::Integer(1))];
        let task = task(op, threads, &given);
        prepare(&task, Unit::FlopPerSecond, &attempt(&task).unwrap()).unwrap()
    };
    for (op, threads) in [("classic", 2), ("left-looking", 1), ("blocked", 2)] {
        let prepared = prepared(op, threads, 100);
        let before = prepared.conditions()["huge_pages"].clone();
        let after = prepared.run(&mut |_| ()).unwrap().conditions["huge_pages"].clone();
        assert_eq!(before, after, "{op}");
        // A system that lies at any address would be on huge pages in parts.
        assert!(!after.contains("partly"), "{op}: {after}");
        assert_known(&after, op);
    }
    // No solution is made before that of the sample where it takes long: its memory is touched all the same.
    assert_known(&prepared("blocked", 1, 2500).conditions()["huge_pages"], "a long solution");
    // And what it lies on is then what it is worked on: of an order that has a whole huge page and is solved at once.
    let mut worker = blocked_worker(600);
    worker.reset_after_calibration().unwrap();
    let before = worker.conditions();
    worker.setup(1).unwrap();
    worker.run(1).unwrap();
    worker.reset_after_calibration().unwrap();
    assert_eq!(worker.conditions(), before);
    assert_known(&before["huge_pages"], "600");
}

#[test]
fn classic_is_the_published_algorithm() {
    // What `rolled` does, and not what is faster: each way gives the same bits, so that only the program tells.
    let table: Vec<(&str, &str)> = OPS
        .iter()
        .flat_map(|op| op.parameters.iter().map(move |parameter| (op.name, parameter)))
        .filter(|(_, parameter)| parameter.name == "variant")
        .map(|(op, parameter)| match parameter.preset {
            crate::Preset::Value(value) => (op, value),
            _ => (op, ""),
        })
        .collect();
    assert_eq!(table, [("classic", "rolled")]);
    let (kernel, op) = crate::find("linpack", "classic").unwrap();
    let task = task("classic", 1, &[]);
    let settings = Settings::new(op, &task.parameters).unwrap();
    assert_eq!(kernel.name, "linpack");
    assert_eq!(classic(&settings, None).unwrap().1, [Variant::Rolled]);
}

/// Guests whose clock is dear to read have longer iterations, but the same systems.
#[test]
fn iterations_of_slices_work_on_few_systems_however_long_they_are() {
    for (op, order, fewest) in [("classic", 100, 32), ("left-looking", 100, 32), ("blocked", 500, 1)] {
        let mut task = task(op, 1, &[("size", Scalar::Integer(order))]);
        let system = System::spaced(usize::try_from(order).unwrap(), Generator::Bits48);
        let window = attempt(&task).unwrap()(0).unwrap().most_repeats();
        task.control = Arc::new(Control::in_slices(8_000_000, |_| {}));
        let slice = attempt(&task).unwrap()(0).unwrap().most_repeats();
        assert!(slice >= fewest && slice * system.bytes() <= 4 << 20, "{op}: {slice}");
        assert!(window >= 15 * slice, "{op}: {window}, {slice}");
        task.control = Arc::new(Control::in_slices(62_500_000, |_| {}));
        assert_eq!(attempt(&task).unwrap()(0).unwrap().most_repeats(), window, "{op}");
    }
    let mut large = task("classic", 1, &[("size", Scalar::Integer(1000))]);
    large.control = Arc::new(Control::in_slices(8_000_000, |_| {}));
    assert_eq!(attempt(&large).unwrap()(0).unwrap().most_repeats(), 1);
}

fn text(value: &str) -> Scalar {
    Scalar::Text(value.to_owned())
}

#[test]
fn runs_end_after_their_number_or_with_the_window() {
    for (op, threads) in [("classic", 1), ("classic", 2), ("left-looking", 2), ("blocked", 1), ("blocked", 3)] {
        let order = ("size", Scalar::Integer(100));
        // The number ends it long before the window, however slow the machine is.
        let mut task = task(op, threads, &[order.clone(), ("runs", Scalar::Integer(2))]);
        task.seconds = 60.0;
        let few = measured(&task);
        assert_eq!((few.count, few.stopped), (2, false), "{op}");
        let many = outcome(op, threads, &[order, ("runs", Scalar::Integer(1_000_000))]);
        assert!(many.count < 1000 && !many.stopped, "{op}");
        assert!(matches!(few.check, CheckValue::Residual(residual) if residual > 0.1 && residual < 10.0));
        // Of two systems one may be interrupted while it is solved: then nothing is told of the parts.
        for measures in [few.extras.measures(), many.extras.measures()] {
            assert!(measures["generate-time"].value > 0.0 && measures["generate-time"].unit == "s", "{op}");
            for name in ["factor-time", "solve-time"] {
                assert!(measures.get(name).is_none_or(|part| part.value > 0.0 && part.unit == "s"), "{op}: {name}");
            }
            assert!(measures.get("solve-share").is_none_or(|share| share.value > 0.0 && share.value < 1.0), "{op}");
        }
        let all = many.extras.measures();
        assert!(["factor-time", "solve-time", "solve-share"].iter().all(|name| all.contains_key(*name)), "{op}");
    }
}

#[test]
fn the_published_convention_takes_both_variants_at_half_the_size() {
    // Large enough that the clock is read often enough beside it on any machine.
    let given = [("size", Scalar::Integer(400)), ("convention", text("published")), ("generator", text("16-bit"))];
    let outcome = outcome("classic", 1, &given);
    let measures = outcome.extras.measures();
    let rates = [measures["rolled-rate"].value, measures["unrolled-rate"].value];
    let seconds = measures["factor-time"].value + measures["solve-time"].value;
    // 200 is the order.
    let rate = (2.0 * 200.0f64.powi(3) / 3.0 + 2.0 * 40_000.0) / seconds;
    let mean = 2.0 / (1.0 / rates[0] + 1.0 / rates[1]);
    assert!((rate / mean - 1.0).abs() < 1e-6, "{rate} is the mean of {rates:?}");
}

#[test]
fn bad_settings_are_one_sentence_each() {
    type Case<'a> = (&'a str, &'a [(&'a str, Scalar)], &'a str);
    let cases: &[Case<'_>] = &[
        ("classic", &[("size", Scalar::Integer(0))], "size is 0, not 1 to 200000"),
        ("blocked", &[("size", Scalar::Integer(100_001))], "size is 100001, not 1 to 100000"),
        ("classic", &[("variant", text("fast"))], "variant is \"fast\", not rolled or unrolled"),
        ("classic", &[("convention", text("other"))], "convention is \"other\", not order or published"),
        ("blocked", &[("generator", text("8-bit"))], "generator is \"8-bit\", not 48-bit or 16-bit"),
        (
            "left-looking",
            &[("convention", text("published"))],
            "the op left-looking has no parameter \"convention\"; it has size, generator, runs, time-server",
        ),
        (
            "blocked",
            &[("variant", text("rolled"))],
            "the op blocked has no parameter \"variant\"; it has size, generator, runs, time-server",
        ),
        ("blocked", &[("runs", Scalar::Integer(-1))], "runs is -1, not 0 to 1000000"),
        (
            "blocked",
            &[("time-server", text("clock.example:5005"))],
            "time-server is \"clock.example:5005\", not a numeric address and a port such as 10.0.0.1:5005 or udp:10.0.0.1:5005",
        ),
        (
            "classic",
            &[("time-server", text("udp:10.0.0.1"))],
            "time-server is \"udp:10.0.0.1\", not a numeric address and a port such as 10.0.0.1:5005 or udp:10.0.0.1:5005",
        ),
        (
            "classic",
            &[("convention", text("published")), ("size", Scalar::Integer(1001))],
            "size is 1001; in the published convention it is twice the order, and so even",
        ),
        (
            "classic",
            &[("convention", text("published")), ("variant", text("rolled"))],
            "the published convention has both variants, rolled and unrolled: give no variant",
        ),
        (
            "classic",
            &[("generator", text("16-bit")), ("size", Scalar::Integer(512))],
            "the 16-bit generator gives a matrix of order 512 equal columns; take the 48-bit one",
        ),
    ];
    for (op, given, sentence) in cases {
        let failure = attempt(&task(op, 1, given)).err().unwrap();
        assert_eq!((failure.code, failure.message.as_str()), (Code::BadArguments, *sentence));
    }
    for op in ["classic", "left-looking", "blocked"] {
        let failure = attempt(&task(op, 64, &[("size", Scalar::Integer(100_000))])).err().unwrap();
        assert_eq!(failure.code, Code::OutOfMemory);
        assert!(failure.message.starts_with("matrices of order 100000 need "), "{}", failure.message);
    }
}
