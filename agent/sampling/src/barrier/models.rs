//! The barrier in every order of its threads' steps, and with every value that a load may give, as loom finds them (B.
//! Norris, B. Demsky: CDSchecker, 2013). `make test-all` runs this.

#![allow(clippy::unwrap_used)]
use super::*;

/// What the threads of a model share.
struct Shared {
    barrier: Arc<Barrier>,
    /// One number of each thread.
    numbers: [AtomicUsize; 3],
}

/// A way to wait. Whether the thread was the last is known of one way alone.
type Way = fn(&Barrier) -> Result<Option<bool>, Failure>;

const WAIT: Way = |barrier| barrier.wait().map(|()| None);
const ASLEEP: Way = |barrier| barrier.wait_asleep().map(Some);
const AWAKE: Way = |barrier| barrier.wait_awake().map(|()| None);

/// Have `threads` threads live in every order in which one of them is interrupted at most `interruptions` times; `None`:
/// in every order. Loom reports a thread that waits for ever.
fn explore(threads: usize, interruptions: Option<usize>, live: impl Fn(usize, &Shared) + Copy + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = interruptions;
    builder.check(move || {
        let numbers = [0; 3].map(AtomicUsize::new);
        let shared = Arc::new(Shared { barrier: Barrier::new(threads), numbers });
        let others = (1..threads).map(|rank| {
            let shared = shared.clone();
            loom::thread::spawn(move || live(rank, &shared))
        });
        let others: Vec<_> = others.collect();
        live(0, &shared);
        others.into_iter().for_each(|other| other.join().unwrap());
    });
}

/// Each thread writes its number before the barrier and finds those of all others behind it.
fn pass(threads: usize, rounds: usize, interruptions: Option<usize>, ways: [Way; 3]) {
    explore(threads, interruptions, move |rank, shared| {
        for round in 1..=rounds {
            shared.numbers[rank].store(round, Ordering::Relaxed);
            ways[rank](&shared.barrier).unwrap();
            for number in &shared.numbers[..threads] {
                // A quick thread may be one round ahead.
                assert!((round..=round + 1).contains(&number.load(Ordering::Relaxed)));
            }
        }
    });
}

#[test]
fn what_was_written_before_is_read_afterwards() {
    for way in [WAIT, ASLEEP, AWAKE] {
        pass(2, 2, None, [way; 3]);
    }
}

#[test]
fn threads_may_wait_in_different_ways() {
    for ways in [[WAIT, ASLEEP, AWAKE], [ASLEEP, AWAKE, WAIT], [AWAKE, WAIT, ASLEEP]] {
        pass(2, 2, None, ways);
        pass(3, 1, Some(2), ways);
    }
}

#[test]
fn of_threads_that_wait_asleep_exactly_one_arrived_last() {
    explore(2, None, |_, shared| {
        if ASLEEP(&shared.barrier).unwrap() == Some(true) {
            shared.numbers[0].fetch_add(1, Ordering::Relaxed);
        }
        ASLEEP(&shared.barrier).unwrap();
        assert_eq!(shared.numbers[0].load(Ordering::Relaxed), 1);
    });
}

#[test]
fn a_thread_that_fails_releases_those_that_wait() {
    const NEVER: Way = |barrier| barrier.wait_until(|| false).map(|()| None);
    // Of several threads awake, loom would let one wait for the other for ever.
    for (way, threads, interruptions) in [(WAIT, 3, Some(2)), (ASLEEP, 3, Some(2)), (AWAKE, 2, None), (NEVER, 2, None)]
    {
        explore(threads, interruptions, move |rank, shared| match rank {
            0 => shared.barrier.fail(),
            _ => assert_eq!(way(&shared.barrier), Err(broken())),
        });
    }
}
