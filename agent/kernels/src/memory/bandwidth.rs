//! Reading and writing arrays in order.

use super::action::{first, second, Action, Kind};
use super::block::{Block, Pages};
use super::cached::{cached, found_caches};
use super::pass::{Operands, PassConfig, PassResult, SPOILED};
use super::portable;
use crate::buffer::ensure_memory;
use crate::caches::Caches;
use crate::settings::Settings;
use crate::settings::{check_failed, wrong};
use crate::simd::Width;
use std::sync::Arc;
use virtometer_protocol::{Code, Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Extras, Stretch, Task, Worker, WorkerFactory};

/// Every so many elements of the result are spoiled before each iteration and looked at after it.
const PROBE: usize = 509;

/// What the settings ask for.
#[derive(Clone, Debug)]
pub(super) struct Config {
    pub(super) pass: PassConfig,
    /// Elements of each array.
    length: usize,
    threads: usize,
    /// Whether caches may hold the arrays.
    pub(super) cached: Conditions,
}

impl Config {
    /// Elements of each array that the thread `index` has.
    pub(super) fn part(&self, index: usize) -> usize {
        self.length / self.threads + usize::from(index < self.length % self.threads)
    }
}

/// Checks the settings and returns what builds the workers.
pub(super) fn make(action: Action, task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let caches = Caches::find();
    let config = configure(action, task, settings, &caches)?;
    Ok(Arc::new(move |index| {
        let arrays = Arrays::new(config.pass, config.part(index), caches.clone())?;
        Ok(Box::new(arrays.cached(config.cached.clone())))
    }))
}

/// Checks the settings for a machine with these caches.
pub(super) fn configure(
    action: Action,
    task: &Task,
    settings: &Settings<'_>,
    caches: &Caches,
) -> Result<Config, Failure> {
    let size = settings.integer("size")?;
    let threads = task.threads;
    if size % 8 != 0 {
        return Err(wrong(format!("size is {size}, not a multiple of 8")));
    }
    if size / 8 < threads as u64 {
        return Err(wrong(format!("size is {size}, less than 8 bytes for each of {threads} threads")));
    }
    let kind = settings.choice("type", &[("float", Kind::Float), ("int", Kind::Int)])?;
    let requested = settings.optional_text("simd")?.unwrap_or("auto");
    let width = Width::parse(requested).map_err(wrong)?;
    let pages = Pages::read(settings)?;
    let too_large = caches.last_bytes(threads).map_or(false, |most| size * action.count() > most);
    let streaming = if action.writes() {
        // `None`: where the arrays are too large for the caches.
        match settings.choice("store", &[("auto", None), ("temporal", Some(false)), ("non-temporal", Some(true))])? {
            Some(true) if action == Action::ReadWrite => {
                return Err(wrong("store is non-temporal, but read-write changes what it has just read into a cache"));
            }
            None => action != Action::ReadWrite && width.streams() && too_large,
            Some(false) => false,
            Some(true) if width.streams() => true,
            Some(true) => {
                let message = format!("store is non-temporal, which this processor lacks for simd {}", width.name());
                return Err(Failure::new(Code::NotSupported, message));
            }
        }
    } else {
        requested == "auto" && width.streams() && too_large
    };
    let each = size / threads as u64;
    let needed = action.count().saturating_mul(threads as u64).saturating_mul(Block::cost(each));
    ensure_memory(needed, &format!("{} arrays of {size} bytes", action.count()))?;
    let length = usize::try_from(size / 8).map_err(|_| wrong("size is too large for this processor"))?;
    let pass = PassConfig { action, kind, width, streaming, pages };
    let cached = cached(caches, threads, size, action.count());
    Ok(Config { pass, length, threads, cached })
}

pub(super) struct Arrays {
    config: PassConfig,
    length: usize,
    a: Option<Block>,
    pub(super) b: Option<Block>,
    pub(super) c: Option<Block>,
    caches: Caches,
    /// Whether caches may hold the arrays.
    cached: Conditions,
    /// What makes the passes.
    pub(super) sweep: fn(PassConfig, Operands<'_>, u64) -> PassResult,
    /// What the last iteration came to, and what it should have come to.
    pub(super) swept: PassResult,
    right: PassResult,
    /// The sum of a.
    total: u64,
    /// Passes of all iterations.
    passes: u64,
    /// Bytes that the last iteration counted, and those of its passes over the arrays as they are.
    pub(super) counted: u64,
    expected: u64,
    /// Which element the last pass of the iteration spoils before it begins.
    spoiled: usize,
}

impl Arrays {
    pub(super) fn new(config: PassConfig, length: usize, caches: Caches) -> Result<Self, Failure> {
        let (a, b, c) = config.action.arrays();
        let array = |used: bool, value: &dyn Fn(usize) -> u64| {
            used.then(|| Block::new(length, config.pages, value)).transpose()
        };
        let a = array(a, &|i| config.kind.bits(first(i)))?;
        let b = array(b, &|i| config.kind.bits(second(i)))?;
        let changed = config.action == Action::ReadWrite;
        let c = array(c, &|i| if changed { config.kind.bits(first(i)) } else { SPOILED })?;
        let total = if config.action == Action::Read { (0..length).map(|i| u64::from(first(i))).sum() } else { 0 };
        let swept = PassResult { sum: SPOILED, passes: 0, loops: None };
        Ok(Arrays {
            config,
            length,
            a,
            b,
            c,
            caches,
            cached: Conditions::default(),
            sweep,
            swept,
            right: swept,
            total,
            passes: 0,
            counted: 0,
            expected: 0,
            spoiled: 0,
        })
    }

    /// Bytes that one pass reads and writes, from the arrays themselves.
    fn pass_bytes(&self) -> u64 {
        let bytes =
            |block: &Option<Block>| block.as_ref().map_or(0, |block| std::mem::size_of_val(block.words()) as u64);
        let changed = if self.config.action == Action::ReadWrite { bytes(&self.c) } else { 0 };
        bytes(&self.a) + bytes(&self.b) + bytes(&self.c) + changed
    }

    /// With the conditions that say whether caches may hold the arrays.
    #[must_use]
    fn cached(mut self, cached: Conditions) -> Self {
        self.cached = cached;
        self
    }

    /// Whether the result does not depend on what was there before.
    fn overwrites(&self) -> bool {
        self.config.action.writes() && self.config.action != Action::ReadWrite
    }

    /// The loops that ran are those that the results name. Equal results do not tell them apart.
    fn check_loops(&self) -> Result<(), Failure> {
        let PassConfig { kind, width, streaming, .. } = self.config;
        let width = match width.name() {
            "sse2" => "sse",
            "avx2" => "avx",
            other => other,
        };
        let kind = if kind == Kind::Float { "float" } else { "int" };
        let wanted = format!("{width}_{kind}{}", if streaming { "_streaming" } else { "" });
        match self.swept.loops {
            Some(loops) if loops != wanted => {
                Err(check_failed(format!("the loops {loops} have run, and not {wanted} as the results say")))
            }
            _ => Ok(()),
        }
    }

    fn check(&self, step: usize) -> Result<(), Failure> {
        let result = self.c.as_ref().map_or(&[][..], Block::words);
        let kind = self.config.kind;
        let probes = result.iter().enumerate().step_by(step);
        for (i, value) in probes.chain(result.get(self.spoiled).map(|value| (self.spoiled, value))) {
            let right = kind.total(self.config.action.result(i, self.passes));
            if *value != right {
                let (value, right) = (kind.shown(*value), kind.shown(right));
                return Err(check_failed(format!("element {i} of the result is {value}, not {right}")));
            }
        }
        Ok(())
    }
}

/// Make passes over whole arrays.
pub(super) fn sweep(config: PassConfig, mut arrays: Operands<'_>, passes: u64) -> PassResult {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if config.width != Width::Scalar || cfg!(target_arch = "x86_64") {
        return super::x86::sweep(config, arrays, passes);
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    if config.width == Width::Common {
        return portable::vectors(config.kind, config.action, &mut arrays, passes);
    }
    portable::scalar(config.kind, config.action, &mut arrays, passes)
}

impl Worker for Arrays {
    fn setup(&mut self, repeats: u64) -> Result<(), Failure> {
        self.swept = PassResult { sum: SPOILED, passes: 0, loops: None };
        self.right.sum = self.config.kind.total(self.total.wrapping_mul(repeats));
        self.right.passes = repeats;
        self.passes += repeats;
        self.expected = self.pass_bytes() * repeats;
        if !self.overwrites() {
            return Ok(()); // the result of every pass of read-write is what the next one begins with
        }
        // Steps of the golden ratio go everywhere, and into each half in one of two or three iterations.
        let golden = self.length - self.length * 382 / 1000;
        self.spoiled = (self.spoiled + golden) % self.length.max(1);
        if let Some(c) = &mut self.c {
            c.words_mut().iter_mut().step_by(PROBE).for_each(|probe| *probe = SPOILED);
        }
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let config = self.config;
        let spoiled = if self.overwrites() { Some(self.spoiled) } else { None };
        let a = self.a.as_ref().map_or(&[][..], Block::words);
        let b = self.b.as_ref().map_or(&[][..], Block::words);
        let c = self.c.as_mut().map_or(&mut [][..], Block::words_mut);
        let (sweep, swept) = (self.sweep, &mut self.swept);
        let work = config.action.accesses() * self.length as u64 * 8 * repeats;
        let stretch = timed(work, || {
            *swept = sweep(config, Operands { a, b, c, spoiled }, repeats);
            Ok(())
        })?;
        self.counted = stretch.work;
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let PassResult { sum, passes, .. } = self.swept;
        if passes != self.right.passes {
            return Err(check_failed(format!("{passes} passes were made, not {}", self.right.passes)));
        }
        if self.counted != self.expected {
            let (counted, expected) = (self.counted, self.expected);
            return Err(check_failed(format!("{counted} bytes were counted, but the arrays' passes have {expected}")));
        }
        if self.config.action == Action::Read {
            if sum != self.right.sum {
                let (sum, right) = (self.config.kind.shown(sum), self.config.kind.shown(self.right.sum));
                return Err(check_failed(format!("the sum is {sum}, not {right}")));
            }
            self.check_loops()?;
            return Ok(CheckValue::Checksum(sum));
        }
        self.check(PROBE)?;
        self.check_loops()?;
        let result = self.c.as_ref().map_or(&[][..], Block::words);
        Ok(CheckValue::Checksum(result.iter().step_by(PROBE).fold(0, |sum, word| sum.rotate_left(1) ^ word)))
    }

    fn conditions(&self) -> Conditions {
        // Any array speaks for all: they are alike.
        let huge_pages = self.a.as_ref().or(self.c.as_ref()).map_or("unknown", Block::huge_pages);
        let mut conditions = Conditions::from([
            ("simd".to_owned(), self.config.width.name().to_owned()),
            ("huge_pages".to_owned(), huge_pages.to_owned()),
        ]);
        if self.config.action.writes() {
            let store = if self.config.streaming { "non-temporal" } else { "temporal" };
            conditions.insert("store".to_owned(), store.to_owned());
        } else {
            let prefetch = if self.config.streaming { "yes" } else { "no" };
            conditions.insert("prefetch".to_owned(), prefetch.to_owned());
        }
        conditions.extend(self.cached.clone());
        conditions
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.check(1)?;
        self.verify()
    }

    fn extras(&mut self) -> Extras {
        found_caches(&self.caches)
    }
}
