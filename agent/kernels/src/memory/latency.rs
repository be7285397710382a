//! How long a load takes whose address the load before it brought: nothing can be done ahead.
//!
//! After lat_mem_rd of L. McVoy, C. Staelin: lmbench: Portable tools for performance analysis, USENIX 1996. A constant
//! stride is foreseen by the processor's prefetchers; a random cycle through all places is not, and is the default.

#![allow(unsafe_code)] // following pointers

use super::block::{Block, Pages};
use super::cached::{cached, found_caches};
use crate::buffer::ensure_memory;
use crate::caches::Caches;
use crate::random::Random;
use crate::settings::Settings;
use crate::settings::{check_failed, wrong};
use std::sync::Arc;
use virtometer_protocol::{Conditions, Failure};
use virtometer_sampling::{timed, CheckValue, Extras, Stretch, Task, Worker, WorkerFactory};

/// Loads of one repeat: enough that nothing else counts.
const LOADS: usize = 1024;

/// Bytes of a small page, within which the order `page` stays.
const PAGE: usize = 4096;

/// Orders of fewer places are too short to be judged by how far they go.
const FEW: usize = 4096;

/// In which order the places are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// All at random.
    Random,
    /// At random within a page, and the pages at random: each page is looked up once.
    Page,
    /// As they lie.
    Sequential,
}

/// What the settings ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Config {
    /// Places, and bytes from one to the next.
    pub(super) count: usize,
    pub(super) stride: usize,
    pub(super) order: Order,
    pub(super) pages: Pages,
    /// Whether caches may hold the memory.
    pub(super) cached: Conditions,
}

/// Checks the settings and returns what builds the worker.
pub(super) fn make(task: &Task, settings: &Settings<'_>) -> Result<WorkerFactory, Failure> {
    let Config { count, stride, order, pages, cached } = configure(task, settings, &Caches::find())?;
    Ok(Arc::new(move |_| Ok(Box::new(Chase { cached: cached.clone(), ..Chase::new(count, stride, order, pages)? }))))
}

/// Checks the settings for a machine with these caches.
pub(super) fn configure(task: &Task, settings: &Settings<'_>, caches: &Caches) -> Result<Config, Failure> {
    let stride = settings.integer("stride")?;
    let size = settings.integer("size")?;
    if task.threads != 1 {
        return Err(wrong("latency has one thread"));
    }
    if stride % 8 != 0 || size % stride != 0 || size / stride < 2 || size / stride > u64::from(u32::MAX) {
        let message =
            format!("size is {size} and stride {stride}; stride must be a multiple of 8, and size one of stride");
        return Err(wrong(format!("{message}, for 2 to {} places", u32::MAX)));
    }
    let orders = [("random", Order::Random), ("page", Order::Page), ("sequential", Order::Sequential)];
    let order = settings.choice("order", &orders)?;
    let pages = Pages::read(settings)?;
    // The places in order are remembered beside them, 4 bytes each.
    ensure_memory(Block::cost(size).saturating_add(size / stride * 4), &format!("{size} bytes and their order"))?;
    let too_large = |_| wrong("size is too large for this processor");
    let stride = usize::try_from(stride).map_err(too_large)?;
    let count = usize::try_from(size).map_err(too_large)? / stride;
    Ok(Config { count, stride, order, pages, cached: cached(caches, 1, size, 1) })
}

pub(super) struct Chase {
    /// At each place the address of the next.
    pub(super) memory: Block,
    /// The places as they are to be visited, and in which order that is.
    order: Vec<u32>,
    kind: Order,
    stride: usize,
    /// How many loads were made, modulo the places, and to where they led.
    made: usize,
    at: *const usize,
    /// Whether caches may hold the memory.
    cached: Conditions,
}

impl Chase {
    pub(super) fn new(count: usize, stride: usize, order: Order, pages: Pages) -> Result<Self, Failure> {
        let (kind, order) = (order, arranged(count, stride, order));
        let mut memory = Block::tiled(count * stride / 8, pages, &[0])?;
        let start = memory.words().as_ptr() as usize;
        for (here, next) in order.iter().zip(order.iter().cycle().skip(1)) {
            memory.words_mut()[*here as usize * stride / 8] = (start + *next as usize * stride) as u64;
        }
        let at = (start + order[0] as usize * stride) as *const usize;
        Ok(Chase { memory, order, kind, stride, made: 0, at, cached: Conditions::default() })
    }

    /// The order goes to every place, and as far as its name says.
    fn check_order(&self) -> Result<(), Failure> {
        let count = self.order.len();
        let mut left = vec![true; count];
        self.order.iter().for_each(|place| left[*place as usize] = false);
        if left.contains(&true) {
            return Err(check_failed(format!("the order of {count} places does not go to all of them")));
        }
        let per_page = (PAGE / self.stride).max(1);
        let near = match self.kind {
            Order::Sequential => mean_distance(&self.order, 1) != Some(1.0),
            Order::Random => is_near(&self.order, 1, count),
            Order::Page => is_near(&self.order, per_page, count / per_page),
        };
        match near {
            true => Err(check_failed(format!("the order of the places is not {}", self.kind.name()))),
            false => Ok(()),
        }
    }

    #[cfg(test)]
    pub(super) fn order_mut(&mut self) -> &mut Vec<u32> {
        &mut self.order
    }

    /// Where the loads must have led.
    fn right(&self) -> *const usize {
        (self.memory.words().as_ptr() as usize + self.order[self.made] as usize * self.stride) as *const usize
    }
}

impl Order {
    /// The word of the parameter.
    fn name(self) -> &'static str {
        match self {
            Order::Random => "random",
            Order::Page => "page",
            Order::Sequential => "sequential",
        }
    }
}

/// Mean distance of one group of `each` places to the next group that is gone to; `None` where all are in one.
fn mean_distance(order: &[u32], each: usize) -> Option<f64> {
    let group = |place: &u32| u64::from(*place) / each as u64;
    let distances = order.windows(2).map(|pair| group(&pair[0]).abs_diff(group(&pair[1]))).filter(|far| *far > 0);
    let (count, sum) = distances.fold((0u64, 0u64), |(count, sum), far| (count + 1, sum + far));
    #[allow(clippy::cast_precision_loss)] // below 2^53
    (count > 0).then(|| sum as f64 / count as f64)
}

/// Whether an order of `count` groups of `each` places goes less far than at random: there the mean distance is a third
/// of them, and of so many it is never a tenth less.
fn is_near(order: &[u32], each: usize, count: usize) -> bool {
    #[allow(clippy::cast_precision_loss)] // places in memory
    let least = count as f64 * 0.3;
    count >= FEW && mean_distance(order, each).is_none_or(|mean| mean < least)
}

/// A cycle through `count` places.
fn arranged(count: usize, stride: usize, order: Order) -> Vec<u32> {
    #[allow(clippy::cast_possible_truncation)] // checked when the settings were read
    let mut places: Vec<u32> = (0..count).map(|place| place as u32).collect();
    let mut random = Random::new(1);
    match order {
        Order::Sequential => (),
        Order::Random => random.shuffle(&mut places),
        Order::Page => {
            let per_page = (PAGE / stride).max(1);
            let mut pages: Vec<&mut [u32]> = places.chunks_mut(per_page).collect();
            pages.iter_mut().for_each(|page| random.shuffle(page));
            random.shuffle(&mut pages);
            places = pages.into_iter().flat_map(|page| page.iter().copied()).collect();
        }
    }
    places
}

impl Worker for Chase {
    fn run(&mut self, repeats: u64) -> Result<Stretch, Failure> {
        let loads = repeats * LOADS as u64;
        let at = &mut self.at;
        let stretch = timed(loads, || {
            let mut place = *at;
            for _ in 0..repeats {
                for _ in 0..LOADS / 16 {
                    macro_rules! load {
                        ($($again:literal)*) => {
                            // SAFETY: every place holds the address of another.
                            $(let _ = $again; place = unsafe { std::ptr::read_volatile(place) } as *const usize;)*
                        };
                    }
                    load!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
                }
            }
            *at = place;
            Ok(())
        })?;
        #[allow(clippy::cast_possible_truncation)] // less than the places, which are in memory
        let made = (stretch.work % self.order.len() as u64) as usize;
        self.made = (self.made + made) % self.order.len();
        Ok(stretch)
    }

    fn verify(&mut self) -> Result<CheckValue, Failure> {
        if self.at != self.right() {
            return Err(check_failed("the loads led to another place than their order says"));
        }
        Ok(CheckValue::Checksum(self.made as u64))
    }

    fn conditions(&self) -> Conditions {
        let mut conditions = self.cached.clone();
        conditions.insert("huge_pages".to_owned(), self.memory.huge_pages().to_owned());
        conditions
    }

    fn finish(&mut self) -> Result<CheckValue, Failure> {
        self.check_order()?;
        let words = self.memory.words();
        let start = words.as_ptr() as usize;
        for (here, next) in self.order.iter().zip(self.order.iter().cycle().skip(1)) {
            if words[*here as usize * self.stride / 8] != (start + *next as usize * self.stride) as u64 {
                return Err(check_failed(format!("place {here} does not lead to place {next} any more")));
            }
        }
        self.verify()
    }

    fn extras(&mut self) -> Extras {
        found_caches(&Caches::find())
    }
}
