//! Known answers, the same bits from every variant, and planted faults.
#![allow(clippy::unwrap_used, clippy::cast_precision_loss)]

use super::grid::Grid;
use super::*;
use crate::random::Random;
use std::cell::RefCell;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::thread::{spawn, JoinHandle};
use virtometer_protocol::{Code, Parameters, Scalar};
use virtometer_sampling::{planted_clock, Barrier, CheckValue, Control, PanicGuard, Worker};

/// The problem once more, as simply as it can be written.
fn by_hand(method: Method, n: usize, sine: bool, start: &dyn Fn(usize, usize) -> f64, sweeps: u64) -> (Vec<f64>, f64) {
    let at = |i: usize, j: usize| i * (n + 1) + j;
    let h = 1.0 / n as f64;
    let pi = std::f64::consts::PI;
    let mut u: Vec<f64> = (0..=n).flat_map(|i| (0..=n).map(move |j| start(i, j))).collect();
    let mut residual = 0.0;
    for _ in 0..sweeps {
        let old = u.clone();
        residual = 0.0;
        for i in 1..n {
            for j in 1..n {
                let from = if method == Method::Jacobi { &old } else { &u };
                let mut star =
                    0.25 * (from[at(i - 1, j)] + from[at(i, j - 1)] + from[at(i, j + 1)] + from[at(i + 1, j)]);
                if sine {
                    let row = 0.25 * (2.0 * pi * pi) * h * h * (pi * h * i as f64).sin();
                    star += row * (pi * h * j as f64).sin();
                }
                residual = f64::max(residual, (old[at(i, j)] - star).abs());
                u[at(i, j)] = star;
            }
        }
    }
    (u, residual)
}

/// A thread panics while it has this guard.
pub(super) fn panic_with(guard: PanicGuard) {
    let thread: JoinHandle<()> = spawn(move || {
        let _guard = guard;
        resume_unwind(Box::new("planted"))
    });
    assert!(thread.join().is_err());
}

pub(super) fn points(problem: &Problem, grid: &impl Grid) -> Vec<f64> {
    let side = problem.intervals + 1;
    let mut points = vec![f64::NAN; side * side];
    grid.visit(|i, j, value| points[i * side + j] = value);
    points
}

fn bits(points: &[f64]) -> Vec<u64> {
    points.iter().map(|value| value.to_bits()).collect()
}

/// What `threads` threads make of the problem: `calls` times `sweeps`.
fn relaxed(
    problem: &Arc<Problem>,
    method: Method,
    threads: usize,
    simd: Simd,
    sweeps: u64,
    calls: u64,
) -> (Vec<f64>, f64) {
    let shared = Shared::new(problem, method, threads).unwrap();
    let barrier = Barrier::new(threads);
    let (shared, barrier) = (&shared, &barrier);
    let all: Vec<(f64, Vec<f64>)> = std::thread::scope(|scope| {
        let work = |index| {
            move || {
                let mut grid = shared.share(index, simd);
                grid.fill(|i, j| problem.first(i, j));
                let mut residual = 0.0;
                for _ in 0..calls {
                    barrier.wait().unwrap();
                    let (made, found) = grid.sweep(sweeps, None).unwrap();
                    assert_eq!(made, sweeps);
                    residual = found;
                }
                barrier.wait().unwrap();
                (residual, points(problem, &grid))
            }
        };
        let threads: Vec<_> = (0..threads).map(|index| scope.spawn(work(index))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(all.iter().all(|one| one.0.to_bits() == all[0].0.to_bits()));
    let (residual, points) = all.into_iter().next().unwrap();
    (points, residual)
}

pub(super) const METHODS: [Method; 2] = [Method::GaussSeidel, Method::Jacobi];

#[test]
fn every_variant_and_any_number_of_threads_give_the_bits_of_the_simplest_loops() {
    let mut random = Random::new(3);
    // Around one, two and three strips of rows, around a block of diagonals, and any others.
    let mut sizes = vec![2, 3, 4, 8, 16, 17, 18, 32, 33, 34, 48, 49, 64, 127, 128, 129, 145];
    sizes.extend((0..10).map(|_| 2 + usize::try_from(random.below(180)).unwrap()));
    for n in sizes {
        for sine in [false, true] {
            for method in METHODS {
                let start = if random.below(2) == 0 { Start::Zero } else { Start::Noise };
                let problem = Arc::new(Problem::new(n, sine, start));
                let (sweeps, calls) = (1 + random.below(6), 1 + random.below(3));
                let (right, residual) = by_hand(method, n, sine, &|i, j| problem.first(i, j), sweeps * calls);
                for simd in [Simd::Baseline, Simd::compiled()] {
                    let mut naive = naive::Naive::new(problem.clone(), method, simd).unwrap();
                    naive.fill(|i, j| problem.first(i, j));
                    assert_eq!(naive.sweep(sweeps * calls, None).unwrap().1.to_bits(), residual.to_bits());
                    assert_eq!(bits(&points(&problem, &naive)), bits(&right), "naive {method:?} {n} {sine}");
                    let threads = 1 + usize::try_from(random.below(4)).unwrap();
                    let (found, changed) = relaxed(&problem, method, threads, simd, sweeps, calls);
                    let what = format!("{method:?} {n} {sine} threads {threads}: {calls} x {sweeps}");
                    assert_eq!(bits(&found), bits(&right), "{what}");
                    assert_eq!(changed.to_bits(), residual.to_bits(), "{what}");
                }
            }
        }
    }
}

#[test]
fn one_sweep_of_a_small_grid_has_its_known_values() {
    // The border falls from 1 to 0 along two sides and rises along the others; inside is zero.
    let problem = Arc::new(Problem::new(8, false, Start::Zero));
    let corner = 0.25 * (0.875 + 0.875);
    for (method, second) in [(Method::GaussSeidel, 0.25 * (0.75 + corner)), (Method::Jacobi, 0.25 * 0.75)] {
        let (found, residual) = relaxed(&problem, method, 1, Simd::compiled(), 1, 1);
        assert_eq!((found[9 + 1], found[9 + 2]), (corner, second), "{method:?}");
        assert_eq!((found[0], found[8], found[8 * 9], found[8 * 9 + 8]), (1.0, 0.0, 0.0, 1.0));
        assert!(residual >= corner);
    }
    // With the sine: zero all around, and the first point is h^2/4 * 2 pi^2 sin^2 (pi/8).
    let problem = Arc::new(Problem::new(8, true, Start::Zero));
    let (found, _) = relaxed(&problem, Method::GaussSeidel, 1, Simd::compiled(), 1, 1);
    let pi = std::f64::consts::PI;
    assert!((found[9 + 1] - pi * pi / 128.0 * (pi / 8.0).sin().powi(2)).abs() < 1e-17);
}

fn task(method: Method, parameters: &[(&str, Scalar)], threads: usize) -> Task {
    let op = if method == Method::Jacobi { "jacobi" } else { "gauss-seidel" };
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let control = Arc::new(Control::default());
    Task { op: op.to_owned(), parameters: Parameters(parameters), threads, cpus: None, seconds: 0.03, control }
}

fn text(value: &str) -> Scalar {
    Scalar::Text(value.to_owned())
}

fn factory(task: &Task) -> Result<WorkerFactory, Failure> {
    make(task, &Settings::new(&OPS[0], &task.parameters)?)
}

fn outcome(task: &Task) -> Result<virtometer_sampling::Outcome, Failure> {
    crate::tests::run("pde", task)
}

#[test]
fn with_an_end_of_its_own_the_work_reaches_the_solution() {
    for method in METHODS {
        for (function, threads) in [("zero", 1), ("sine", 3)] {
            for variant in ["fast", "naive"] {
                let threads = if variant == "naive" { 1 } else { threads };
                let parameters = [
                    ("interlines", Scalar::Integer(1)),
                    ("function", text(function)),
                    ("variant", text(variant)),
                    ("precision", Scalar::Integer(13)),
                ];
                let ended = outcome(&task(method, &parameters, threads)).unwrap();
                let measures = ended.extras.measures();
                assert!(measures["residual"].value < 1e-13);
                // The error shrinks by cos(pi/16) with a sweep of Jacobi, by its square with one of Gauss-Seidel.
                let expected = if method == Method::Jacobi { 1400.0 } else { 700.0 };
                let sweeps = measures["sweeps"].value;
                assert!((sweeps / expected - 1.0).abs() < 0.2, "{method:?} {function}: {sweeps}");
                assert!(measures["time-to-solution"].value > 0.0 && !ended.stopped);
                let (right, residual) = {
                    let sine = function == "sine";
                    let problem = Problem::new(16, sine, Start::Zero);
                    let count = (1..3000).find(|count| *count as f64 == sweeps).unwrap();
                    by_hand(method, 16, sine, &|i, j| problem.first(i, j), count)
                };
                assert_eq!(measures["residual"].value.to_bits(), residual.to_bits());
                let problem = Problem::new(16, function == "sine", Start::Zero);
                for (at, value) in right.iter().enumerate() {
                    assert!((value - problem.solution(at / 17, at % 17)).abs() < 1e-11);
                }
            }
        }
    }
}

#[test]
fn so_many_iterations_are_made_as_are_asked_for() {
    for method in METHODS {
        for (iterations, threads) in [(1, 1), (7, 2), (500, 1), (501, 4)] {
            let parameters = [("interlines", Scalar::Integer(3)), ("iterations", Scalar::Integer(iterations))];
            let ended = outcome(&task(method, &parameters, threads)).unwrap();
            assert_eq!(ended.extras.measures()["sweeps"].value, iterations as f64);
        }
    }
}

#[test]
fn the_time_to_solution_is_that_of_the_samples() {
    let parameters = [("interlines", Scalar::Integer(3)), ("iterations", Scalar::Integer(501))];
    let task = task(Method::Jacobi, &parameters, 1);
    let prepared = virtometer_sampling::prepare(&task, OPS[0].unit, &factory(&task).unwrap()).unwrap();
    let mut samples = Vec::new();
    let ended = prepared.run(&mut |new| samples.extend(new.iter().map(|one| one.sample()))).unwrap();
    let worked_ns: u64 = samples.iter().map(|one| one.end_ns - one.start_ns).sum();
    let told_s = ended.extras.measures()["time-to-solution"].value;
    assert!((told_s - worked_ns as f64 * 1e-9).abs() < 1e-9, "{told_s} {worked_ns}");
}

#[test]
fn a_window_gives_the_same_check_in_every_iteration_whatever_the_threads() {
    for method in METHODS {
        for threads in [1, 2, 3] {
            let parameters = [("interlines", Scalar::Integer(5)), ("function", text("sine"))];
            let ended = outcome(&task(method, &parameters, threads)).unwrap();
            assert!(ended.value > 0.0 && ended.count > 0);
        }
    }
}

/// One thread's relaxation of a small grid.
pub(super) fn alone(method: Method, variant: &str, parameters: &[(&str, Scalar)]) -> Box<dyn Worker> {
    let mut all = vec![("interlines", Scalar::Integer(4)), ("variant", text(variant))];
    all.extend_from_slice(parameters);
    factory(&task(method, &all, 1)).unwrap()(0).unwrap()
}

#[test]
fn the_variant_that_is_asked_for_is_measured_with_the_best_instructions() {
    for method in METHODS {
        let problem = Arc::new(Problem::new(16, false, Start::Noise));
        let fast = |simd| Ok(Shared::new(&problem, method, 1)?.share(0, simd));
        let naive = |simd| naive::Naive::new(problem.clone(), method, simd).map(AnyGrid::Naive);
        let chosen = |variant, index| grids(method, variant, index, &fast, &naive).unwrap();
        let is_naive = |sheet: &AnyGrid| matches!(sheet, AnyGrid::Naive(_));
        let (measured, check) = chosen(Variant::Naive, 0);
        assert!(is_naive(&measured) && !is_naive(&check.unwrap()), "{method:?}");
        let vectors = if method == Method::Jacobi { Simd::compiled() } else { Simd::Baseline };
        assert_eq!(measured.simd(), vectors);
        let (measured, check) = chosen(Variant::Fast, 0);
        assert!(!is_naive(&measured) && is_naive(&check.unwrap()), "{method:?}");
        assert_eq!(measured.simd(), Simd::compiled());
        assert!(chosen(Variant::Fast, 1).1.is_none());
        assert_eq!(alone(method, "fast", &[]).conditions()["simd"], Simd::compiled().name());
        assert_eq!(alone(method, "naive", &[]).conditions()["simd"], vectors.name());
    }
}

#[test]
fn a_window_starts_from_noise_and_work_with_an_end_from_zero() {
    // Interlines 4 are 40 intervals. One repeat is four sweeps.
    for (more, start) in [(vec![], Start::Noise), (vec![("iterations", Scalar::Integer(4))], Start::Zero)] {
        for method in METHODS {
            let mut worker = alone(method, "fast", &more);
            worker.reset_after_calibration().unwrap();
            worker.setup(1).unwrap();
            worker.run(1).unwrap();
            let problem = Problem::new(40, false, start);
            let (right, _) = by_hand(method, 40, false, &|i, j| problem.first(i, j), 4);
            let sum = (0..)
                .zip(&right)
                .fold(0u64, |sum, (at, value)| sum.wrapping_add(problem.part(at / 41, at % 41, *value)));
            assert_eq!(worker.verify().unwrap(), CheckValue::Checksum(sum), "{method:?} {start:?}");
        }
    }
}

#[test]
fn the_clock_is_read_before_the_first_sweep_and_after_the_last() {
    for method in METHODS {
        let problem = Arc::new(Problem::new(40, false, Start::Noise));
        let shared = Shared::new(&problem, method, 1).unwrap();
        let grid = |index| shared.share(index, Simd::compiled());
        let mut worker = Relaxation::new(problem.clone(), Termination::Window, grid(0), None);
        worker.setup(4).unwrap();
        let (looker, seen) = (grid(0), Rc::new(RefCell::new(Vec::new())));
        let start = points(&problem, &looker);
        let clock = {
            let (problem, seen) = (problem.clone(), seen.clone());
            planted_clock::show(move || {
                seen.borrow_mut().push(points(&problem, &looker));
                seen.borrow().len() as u64 * 1000
            })
        };
        let stretch = worker.run(4).unwrap();
        drop(clock);
        assert_eq!((stretch.start_ns, stretch.end_ns), (1000, 2000), "{method:?}");
        // Of Jacobi's matrices an even number of sweeps ends in the one in which it begins.
        let (end, _) = by_hand(method, 40, false, &|i, j| problem.first(i, j), 16);
        assert_eq!(seen.borrow().iter().map(|points| bits(points)).collect::<Vec<_>>(), [bits(&start), bits(&end)]);
    }
}

#[test]
fn the_sweeps_and_the_time_of_work_with_an_end_are_those_of_all_iterations() {
    for method in METHODS {
        let mut worker = alone(method, "fast", &[("iterations", Scalar::Integer(22))]);
        worker.reset_after_calibration().unwrap();
        let clock = {
            let mut ns = 0;
            planted_clock::show(move || {
                ns += 1000;
                ns
            })
        };
        for repeats in [1, 3, 2] {
            worker.setup(repeats).unwrap();
            worker.run(repeats).unwrap();
            worker.verify().unwrap();
        }
        drop(clock);
        assert_eq!(worker.complete(), Some(true));
        let measures = worker.extras().measures();
        // Of 4, 12 and 6 sweeps, each between two readings.
        assert_eq!(measures["sweeps"].value, 22.0);
        assert!((measures["time-to-solution"].value - 3e-6).abs() < 1e-12, "{method:?}");
    }
}

#[test]
fn a_thread_of_gauss_seidel_sweeps_its_strips_and_no_other() {
    // Four strips of sixteen rows for two threads, which do not wait for each other.
    let problem = Arc::new(Problem::new(65, false, Start::Noise));
    let shared = Shared::new(&problem, Method::GaussSeidel, 2).unwrap();
    let mut threads = [shared.share(0, Simd::compiled()), shared.share(1, Simd::compiled())];
    threads.iter_mut().for_each(|grid| grid.fill(|i, j| problem.first(i, j)));
    threads[0].guard().into_iter().for_each(panic_with);
    let before = points(&problem, &threads[0]);
    for (index, last) in [(0, 16), (1, 32)] {
        // The next strip would have to wait for that of the other thread.
        threads[index].sweep(1, None).unwrap_err();
        let after = points(&problem, &threads[0]);
        let changed = |i: usize| after[i * 66..][..66] != before[i * 66..][..66];
        assert_eq!((0..66).filter(|i| changed(*i)).collect::<Vec<_>>(), (1..=last).collect::<Vec<_>>());
    }
}

#[test]
fn a_thread_that_panics_leaves_nobody_waiting() {
    for method in METHODS {
        let problem = Arc::new(Problem::new(200, false, Start::Noise));
        let shared = Shared::new(&problem, method, 3).unwrap();
        let shared = &shared;
        let said: Vec<Failure> = std::thread::scope(|scope| {
            let work = |index| move || shared.share(index, Simd::compiled()).sweep(40, None).unwrap_err();
            let waiting: Vec<_> = (0..2).map(|index| scope.spawn(work(index))).collect();
            // The third thread never sweeps.
            shared.share(2, Simd::compiled()).guard().into_iter().for_each(panic_with);
            waiting.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(said
            .iter()
            .all(|failure| failure.code == Code::Internal && failure.message.contains("another thread")));
    }
}

#[test]
fn a_precision_that_cannot_be_reached_ends() {
    let mut worker = alone(Method::GaussSeidel, "fast", &[("precision", Scalar::Integer(20))]);
    worker.reset_after_calibration().unwrap();
    worker.setup(u64::MAX).unwrap();
    // The smallest grid may come to rest altogether, which is precise enough for anything.
    match worker.run(u64::MAX) {
        Ok(_) => assert_eq!(worker.complete(), Some(true)),
        Err(failure) => assert_eq!(failure.code, Code::TimedOut),
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let integer = |name, value| (name, Scalar::Integer(value));
    type Case<'a> = (&'a [(&'a str, Scalar)], usize, &'a str);
    let cases: &[Case<'_>] = &[
        (&[integer("interlines", -1)], 1, "interlines is -1, not 0 to 10000"),
        (&[integer("iterations", 0)], 1, "iterations is 0, not 1 to 200000"),
        (&[integer("precision", 21)], 1, "precision is 21, not 1 to 20"),
        (&[("function", text("cosine"))], 1, "function is \"cosine\", not zero or sine"),
        (&[("variant", text("quick"))], 1, "variant is \"quick\", not fast or naive"),
        (&[("variant", text("naive"))], 2, "the naive variant has one thread"),
        (&[("termination", text("never"))], 1, "termination is \"never\", not window, iterations or precision"),
        (&[integer("precision", 4), integer("iterations", 9)], 1, "give iterations or precision, not both"),
        (
            &[integer("iterations", 9), ("termination", text("precision"))],
            1,
            "iterations does not go with termination \"precision\"",
        ),
    ];
    for (parameters, threads, sentence) in cases {
        let failure = factory(&task(Method::Jacobi, parameters, *threads)).err().unwrap();
        assert_eq!((failure.code, failure.message.as_str()), (Code::BadArguments, *sentence));
    }
    let large = factory(&task(Method::Jacobi, &[integer("interlines", 10_000)], 1)).err().unwrap();
    assert_eq!(large.code, Code::OutOfMemory);
    assert!(large.message.starts_with("grids of 80009 x 80009 points need "), "{}", large.message);
}
