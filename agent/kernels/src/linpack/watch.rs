//! Where the parts of a solution are timed, and when the runs are over.

use virtometer_sampling::{now_ns, Extras, Merge};

/// Times of the parts of solutions. The only place where they are taken.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    generate: Part,
    factor: Part,
    solve: Part,
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    ns: u64,
    count: u64,
}

impl Part {
    fn clock<T>(&mut self, body: impl FnOnce() -> T) -> T {
        let start = now_ns();
        let result = body();
        self.ns += now_ns() - start;
        self.count += 1;
        result
    }

    fn mean_s(self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // times of a run, far below 2^53
        let mean = self.ns as f64 / self.count as f64;
        mean * 1e-9
    }
}

impl Watch {
    /// Time the making of a system.
    pub(super) fn generate(&mut self, body: impl FnOnce()) {
        self.generate.clock(body);
    }

    /// Time a factorisation.
    pub(super) fn factor<T>(&mut self, body: impl FnOnce() -> T) -> T {
        self.factor.clock(body)
    }

    /// Time the solution with the factors.
    pub(super) fn solve(&mut self, body: impl FnOnce()) {
        self.solve.clock(body);
    }

    /// Factor and solve together, a solution, s.
    pub(super) fn mean_s(&self) -> f64 {
        self.factor.mean_s() + self.solve.mean_s()
    }

    /// Both of them.
    #[must_use]
    pub(super) fn with(mut self, other: Watch) -> Watch {
        for (one, other) in
            [(&mut self.generate, other.generate), (&mut self.factor, other.factor), (&mut self.solve, other.solve)]
        {
            one.ns += other.ns;
            one.count += other.count;
        }
        self
    }

    /// The means.
    pub(super) fn extras(&self) -> Extras {
        Extras::default()
            .measure("generate-time", "s", self.generate.mean_s(), Merge::Mean)
            .measure("factor-time", "s", self.factor.mean_s(), Merge::Mean)
            .measure("solve-time", "s", self.solve.mean_s(), Merge::Mean)
            .measure("solve-share", "1", self.solve.mean_s() / self.mean_s(), Merge::Mean)
    }
}

/// When a given number of runs is made, or the window over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// 0: the window alone decides.
    runs: u64,
    window_s: f64,
    made: u64,
    begun_ns: Option<u64>,
}

impl Limit {
    pub(super) fn new(runs: u64, window_s: f64) -> Self {
        Limit { runs, window_s, made: 0, begun_ns: None }
    }

    /// An iteration is about to begin.
    pub(super) fn begin(&mut self) {
        self.begun_ns.get_or_insert_with(now_ns);
    }

    /// An iteration is over.
    pub(super) fn count(&mut self) {
        self.made += 1;
    }

    /// Forget what was before the window.
    pub(super) fn settle(&mut self) {
        *self = Limit::new(self.runs, self.window_s);
    }

    /// Whether it is reached. `None` where the window alone decides.
    pub(super) fn complete(&self) -> Option<bool> {
        let elapsed_ns = self.begun_ns.map_or(0, |begun| now_ns() - begun);
        let over = std::time::Duration::from_nanos(elapsed_ns).as_secs_f64() >= self.window_s;
        (self.runs > 0).then_some(over || self.made >= self.runs)
    }
}
