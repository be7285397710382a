//! Systems differ by powers of two, so that an answer or factors that are copied from elsewhere are wrong.

use super::*;

#[test]
fn powers_of_two_change_no_other_bit() {
    let system = System { n: 100, ld: 200, generator: Generator::Bits16 };
    let made = |scale: Scale| {
        let mut copy = vec![0.0; system.length()];
        system.generate(&mut copy, scale);
        copy
    };
    let own = made(Scale::ONE);
    for scale in (1..40).map(|turn| Scale::of(turn, 3)) {
        for simd in [Simd::Baseline, Simd::detect()] {
            for variant in VARIANTS {
                let expected = solve_classic(simd, system, &own, variant).unwrap();
                let found = solve_classic(simd, system, &made(scale), variant).unwrap();
                assert!(found.iter().zip(&expected).all(|(x, one)| *x == one * scale.solution), "{scale:?}");
                let residual = |mut copy: Vec<f64>, solution: &[f64]| {
                    let (matrix, right) = system.parts(&mut copy);
                    system.residual(matrix, right, solution)
                };
                assert_eq!(residual(made(scale), &found), residual(own.clone(), &expected), "{scale:?}");
            }
        }
    }
}

#[test]
fn systems_differ_from_their_neighbours_and_from_those_before() {
    for turn in 0..200 {
        for index in 0..200 {
            let scale = Scale::of(turn, index);
            let others = [(turn, index + 1), (turn + 1, index), (turn + 2, index), (turn + 1, index + 1)];
            for other in others.map(|(turn, index)| Scale::of(turn, index)) {
                assert!(scale.solution != other.solution && scale.matrix != other.matrix, "{turn} {index}");
            }
            assert!(scale.solution > 1.0, "the solution is never all ones");
        }
    }
}

/// A kernel that does not solve anything could give an answer that it knows.
#[test]
fn a_copied_answer_is_reported() {
    let (n, system) = (50, System::spaced(50, Generator::Bits48));
    let (length, at) = (system.length(), system.length() - system.ld);
    let right = move |index: usize| index * length + at..index * length + at + n;
    type Copied = fn(&mut [f64], &[f64], std::ops::Range<usize>, std::ops::Range<usize>);
    let copies: [Copied; 4] = [
        |now, _, to, _| now[to].fill(1.0),
        |now, before, to, _| now[to.clone()].copy_from_slice(&before[to]),
        |now, _, to, from| now.copy_within(from, to.start),
        |now, _, _, to| {
            let first = now[0];
            now[to].fill(first);
        },
    ];
    for copied in copies {
        let mut worker = one_thread(n, &[Variant::LeftLooking], 2);
        let mut blocked =
            BlockedWorker::new(Arc::new(Blocked::new(Simd::detect(), system, 2, 1).unwrap()), 0, 2, Limit::new(0, 1.0));
        let mut before = [Vec::new(), Vec::new()];
        for turn in 0..2 {
            for worker in [&mut worker as &mut dyn Worker, &mut blocked] {
                worker.setup(2).unwrap();
                worker.run(2).unwrap();
            }
            let systems = [worker.work.doubles_mut(), blocked.systems(2)];
            for (now, before) in systems.into_iter().zip(&mut before) {
                if turn == 0 {
                    *before = now.to_vec();
                } else {
                    copied(now, before, right(1), right(0));
                }
            }
            let ends = [worker.verify(), blocked.verify()];
            for end in ends {
                match turn {
                    0 => drop(end.unwrap()),
                    _ => assert_eq!(end.unwrap_err().code, Code::CheckFailed),
                }
            }
        }
    }
}

/// The same with the factors: those of another system, with which this one's right-hand side is solved.
#[test]
fn copied_factors_are_reported() {
    let system = System::spaced(50, Generator::Bits48);
    let mut copies = vec![0.0; 2 * system.length()];
    system.generate_all(&mut copies, 1);
    let mut pivots = vec![0; 50];
    let (first, second) = copies.split_at_mut(system.length());
    let (matrix, right) = system.parts(first);
    assert!(Variant::LeftLooking.factor(Simd::detect(), matrix, system.ld, &mut pivots));
    Variant::LeftLooking.solve(Simd::detect(), matrix, system.ld, &pivots, right);
    Variant::LeftLooking.solve(Simd::detect(), matrix, system.ld, &pivots, system.parts(second).1);
    assert_eq!(system.verify(&mut copies, 1).unwrap_err().message, "two solutions of the same system differ");
}
