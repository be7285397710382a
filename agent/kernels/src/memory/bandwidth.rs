//! Reading and writing arrays in order.

use super::account::{Account, Covered};
use super::action::{first, first_total, tile_of_first, tile_of_second, Action, Kind};
use super::block::{Block, Pages};
use super::cached::{cached, found_caches};
use super::pass::{Operands, PassConfig, PassResult, SPOILED};
use super::portable;
use super::stretches::{within, Cursor, Layout, Sweep};
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

/// By how much an element is enlarged at most, so that sums of doubles stay exact.
const MOST_ENLARGED: u32 = 1 << 20;

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

    /// How they are divided.
    pub(super) fn layout(&self, index: usize) -> Layout {
        Layout::new(self.part(index), self.part(0))
    }
}

/// Checks the settings and returns what builds the workers.
pub(super) fn make(action: Action, task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let caches = Caches::find();
    let config = configure(action, task, settings, &caches)?;
    Ok(Arc::new(move |index| {
        let arrays = Arrays::new(config.pass, config.part(index), config.layout(index), caches.clone())?;
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
    let too_large = caches.last_bytes(threads).is_some_and(|most| size * action.count() > most);
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
    a: Option<Block>,
    pub(super) b: Option<Block>,
    pub(super) c: Option<Block>,
    caches: Caches,
    /// Whether caches may hold the arrays.
    cached: Conditions,
    layout: Layout,
    /// Which stretches the next iteration works on.
    cursor: Cursor,
    pub(super) advance: fn(&mut Cursor, u64) -> [Sweep; 3],
    /// What makes the passes.
    pub(super) sweep: fn(PassConfig, Operands<'_>, u64) -> PassResult,
    /// What the last iteration came to, and what it has covered of each array that is used.
    pub(super) swept: PassResult,
    pub(super) covered: [Vec<Covered>; 3],
    /// Bytes that the last iteration counted.
    pub(super) counted: u64,
    /// What it should have come to.
    account: Account,
    right_sum: u64,
    expected: u64,
    /// Of each stretch that is read for its sum: which element was enlarged last, and by how much.
    marks: Vec<(usize, u32)>,
    serial: u32,
    /// Where in a range the last pass over it spoils an element before it begins, in thousandths of the range.
    spot: usize,
    /// Which elements were spoiled so in the last iteration.
    spoiled: Vec<usize>,
}

impl Arrays {
    pub(super) fn new(config: PassConfig, length: usize, layout: Layout, caches: Caches) -> Result<Self, Failure> {
        let (a, b, c) = config.action.arrays();
        let array = |used: bool, tile: &dyn Fn(Kind) -> Vec<u64>| {
            used.then(|| Block::tiled(length, config.pages, &tile(config.kind))).transpose()
        };
        let a = array(a, &tile_of_first)?;
        let b = array(b, &tile_of_second)?;
        let changed = config.action == Action::ReadWrite;
        let c = array(c, &|kind| if changed { tile_of_first(kind) } else { vec![SPOILED] })?;
        let marks = if config.action == Action::Read { layout.count() } else { 0 };
        Ok(Arrays {
            config,
            a,
            b,
            c,
            caches,
            cached: Conditions::default(),
            layout,
            cursor: Cursor::new(layout.count()),
            advance: Cursor::advance,
            sweep,
            swept: PassResult::none(config.kind),
            covered: Default::default(),
            counted: 0,
            account: Account::new(layout),
            right_sum: 0,
            expected: 0,
            marks: (0..marks).map(|stretch| (layout.elements(stretch..stretch + 1).start, 0)).collect(),
            serial: 0,
            spot: 0,
            spoiled: Vec::with_capacity(3),
        })
    }

    /// Bytes that the iteration has to read and write, from the arrays themselves and what is due of them.
    fn due_bytes(&self) -> u64 {
        let size = |block: &Option<Block>| block.as_ref().map_or(0, |block| std::mem::size_of_val(&block.words()[0]));
        let changed = if self.config.action == Action::ReadWrite { size(&self.c) } else { 0 };
        (size(&self.a) + size(&self.b) + size(&self.c) + changed) as u64 * self.account.all_elements()
    }

    /// Enlarge another element of each stretch that is due by another number, so that no sum is right that was not made
    /// from all of them now. Returns the sum of all that is due.
    fn mark(&mut self) -> u64 {
        let (kind, spot) = (self.config.kind, self.spot);
        let words = self.a.as_mut().map_or(&mut [][..], Block::words_mut);
        let mut sum = 0;
        for stretch in self.account.stretches() {
            let elements = self.account.elements(stretch);
            let (at, _) = self.marks[stretch];
            words[at] = kind.bits(first(at));
            let at = within(&elements, spot);
            self.serial = 1 + self.serial % MOST_ENLARGED;
            words[at] = kind.bits(first(at) + self.serial);
            self.marks[stretch] = (at, self.serial);
            let once = first_total(elements.end) - first_total(elements.start) + u64::from(self.serial);
            sum += once * self.account.passes(stretch);
        }
        sum
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

    /// Bytes that the last iteration should have counted.
    #[cfg(test)]
    pub(super) fn expected(&self) -> u64 {
        self.expected
    }

    /// Of each array that is used what was due was covered.
    fn check_covered(&self) -> Result<(), Failure> {
        let used = [&self.a, &self.b, &self.c].map(Option::is_some);
        used.iter().zip(&self.covered).filter(|(used, _)| **used).try_for_each(|(_, all)| self.account.compare(all))
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

    /// Spoil the probes of the stretches of the last iteration. Those that come next are not touched before they are
    /// worked on: caches and page tables would be warm for them.
    fn spoil_last(&mut self) {
        if !self.overwrites() {
            return; // the result of every pass of read-write is what the next one begins with
        }
        if let Some(c) = &mut self.c {
            for stretch in self.account.stretches() {
                let elements = &mut c.words_mut()[self.account.elements(stretch)];
                elements.iter_mut().step_by(PROBE).for_each(|probe| *probe = SPOILED);
            }
        }
    }

    /// Whether an element was spoiled after its iteration was verified.
    fn is_spoiled_probe(&self, i: usize, stretch: usize) -> bool {
        let offset = i - self.account.elements(stretch).start;
        self.account.passes(stretch) == 0 && offset.is_multiple_of(PROBE)
    }

    /// What belongs into an element of a stretch of the result.
    fn right(&self, i: usize, stretch: usize) -> u64 {
        match self.account.all_passes(stretch) {
            0 if self.overwrites() => SPOILED,
            _ if self.overwrites() && self.is_spoiled_probe(i, stretch) => SPOILED,
            passes => self.config.kind.total(self.config.action.result(i, passes)),
        }
    }

    /// Look at every so many elements of some stretches of the result. Returns their checksum.
    fn check(&self, stretches: impl Iterator<Item = usize>, step: usize) -> Result<u64, Failure> {
        let result = self.c.as_ref().map_or(&[][..], Block::words);
        let mut sum = 0u64;
        for stretch in stretches.filter(|_| !result.is_empty()) {
            for i in self.account.elements(stretch).step_by(step) {
                self.compare(i, result[i], stretch)?;
                sum = sum.rotate_left(1) ^ result[i];
            }
        }
        for i in &self.spoiled {
            self.compare(*i, result[*i], self.layout.stretch_of(*i))?;
        }
        Ok(sum)
    }

    fn compare(&self, i: usize, value: u64, stretch: usize) -> Result<(), Failure> {
        let (kind, right) = (self.config.kind, self.right(i, stretch));
        if value != right {
            let (value, right) = (kind.shown(value), kind.shown(right));
            return Err(check_failed(format!("element {i} of the result is {value}, not {right}")));
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
        self.swept = PassResult::none(self.config.kind);
        self.swept.sum = SPOILED;
        self.covered.iter_mut().for_each(Vec::clear);
        self.spoiled.clear();
        self.spoil_last();
        self.account.begin(repeats);
        self.expected = self.due_bytes();
        // Steps of the golden ratio go everywhere, and into each half in one of two or three iterations.
        self.spot = (self.spot + 618) % 1000;
        if self.config.action == Action::Read {
            let sum = self.mark();
            self.right_sum = self.config.kind.total(sum);
        }
        Ok(())
    }

    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let (config, layout, sweep, spot) = (self.config, self.layout, self.sweep, self.spot);
        let overwrites = self.overwrites();
        let a = self.a.as_ref().map_or(&[][..], Block::words);
        let b = self.b.as_ref().map_or(&[][..], Block::words);
        let c = self.c.as_mut().map_or(&mut [][..], Block::words_mut);
        let starts = [a.as_ptr() as usize, b.as_ptr() as usize, c.as_ptr() as usize];
        let sweeps = (self.advance)(&mut self.cursor, repeats).map(|one| (layout.elements(one.stretches.clone()), one));
        let elements: u64 = sweeps.iter().map(|(range, one)| one.passes * range.len() as u64).sum();
        let work = config.action.accesses() * elements * 8;
        let mut swept = PassResult::none(config.kind);
        let (covered, all_spoiled) = (&mut self.covered, &mut self.spoiled);
        let stretch = timed(work, || {
            for (range, one) in sweeps.iter().filter(|(_, one)| !one.is_empty()) {
                let part = |length: usize| range.start.min(length)..range.end.min(length);
                let of_c = part(c.len());
                let (a, b, c) = (&a[part(a.len())], &b[part(b.len())], &mut c[of_c]);
                let parts =
                    [(a.as_ptr() as usize, a.len()), (b.as_ptr() as usize, b.len()), (c.as_ptr() as usize, c.len())];
                for ((covered, start), (at, length)) in covered.iter_mut().zip(starts).zip(parts) {
                    let from = at.wrapping_sub(start) / 8;
                    covered.push(Covered { elements: from..from.wrapping_add(length), passes: one.passes });
                }
                let spoiled = if overwrites { Some(within(range, spot)) } else { None };
                all_spoiled.extend(spoiled);
                let spoiled = spoiled.map(|at| at - range.start);
                let made = sweep(config, Operands { a, b, c, spoiled }, one.passes);
                swept = swept.then(config.kind, made, one.stretches.len() as u64);
            }
            Ok(())
        })?;
        self.swept = swept;
        self.counted = stretch.work;
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        let PassResult { sum, passes, .. } = self.swept;
        let due = self.account.repeats();
        if passes != due {
            return Err(check_failed(format!("{passes} stretches were worked on, not {due}")));
        }
        if self.counted != self.expected {
            let (counted, expected) = (self.counted, self.expected);
            return Err(check_failed(format!("{counted} bytes were counted, but the arrays' passes have {expected}")));
        }
        self.check_covered()?;
        self.check_loops()?;
        if self.config.action == Action::Read {
            if sum != self.right_sum {
                let (sum, right) = (self.config.kind.shown(sum), self.config.kind.shown(self.right_sum));
                return Err(check_failed(format!("the sum is {sum}, not {right}")));
            }
            return Ok(CheckValue::Checksum(sum));
        }
        self.check(self.account.stretches(), PROBE).map(CheckValue::Checksum)
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
        self.check(0..self.layout.count(), 1)?;
        self.verify()
    }

    fn extras(&mut self) -> Extras {
        found_caches(&self.caches)
    }
}
