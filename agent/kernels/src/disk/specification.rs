//! The access specification: which requests are made, as Iometer makes them.

use crate::random::{mix, Random};
use crate::settings::{quantity, wrong, Settings};
use std::time::Duration;
use virtometer_protocol::Failure;

/// Largest block, bytes.
pub(super) const LARGEST: u64 = 1 << 30;

/// One kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Share of all requests, percent.
    pub(super) share: u64,
    /// Bytes of a block.
    pub(super) size: u64,
    /// How many of a hundred read.
    pub(super) read: u64,
    /// How many of a hundred go anywhere; the others follow the request before them.
    pub(super) random: u64,
    /// Offsets are multiples of this, bytes.
    pub(super) align: u64,
}

/// Which requests are made, and with which pauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Specification {
    /// Their shares add up to 100.
    pub(super) kinds: Vec<Kind>,
    /// Requests between two pauses; 0 where there are no pauses.
    pub(super) burst: usize,
    /// Length of a pause.
    pub(super) think: Duration,
}

impl Specification {
    /// `read` and `random`: percent, where the operation fixes them.
    pub(super) fn parse(settings: &Settings<'_>, fixed: Option<(u64, u64)>) -> Result<Self, Failure> {
        let percent = |name| settings.integer(name);
        let (read, random) = match fixed {
            Some(fixed) => fixed,
            None => (percent("read")?, percent("random")?),
        };
        let size = settings.integer("size")?;
        let align = settings.integer("align")?;
        let plain = Kind { share: 100, size, read, random, align };
        let kinds = match settings.optional_text("mix")? {
            None => vec![checked(plain)?],
            Some(text) => parse_mix(text, plain)?,
        };
        let think = Duration::from_micros(settings.integer("think")?);
        let burst = usize::try_from(settings.integer("burst")?).unwrap_or(usize::MAX);
        Ok(Specification { kinds, burst: if think.is_zero() { 0 } else { burst }, think })
    }

    /// Bytes of the largest block.
    pub(super) fn largest(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.size).max().unwrap_or(0)
    }

    pub(super) fn reads(&self) -> bool {
        self.kinds.iter().any(|kind| kind.read > 0)
    }

    pub(super) fn writes(&self) -> bool {
        self.kinds.iter().any(|kind| kind.read < 100)
    }
}

fn checked(kind: Kind) -> Result<Kind, Failure> {
    let kind = Kind { align: if kind.align == 0 { kind.size } else { kind.align }, ..kind };
    for (name, value) in [("size", kind.size), ("align", kind.align)] {
        if value % 8 != 0 {
            return Err(wrong(format!("{name} is {value}, not a multiple of 8")));
        }
    }
    Ok(kind)
}

/// For example `4K share=67 read=80 random=100, 64K share=33 read=100 random=0`.
fn parse_mix(text: &str, default: Kind) -> Result<Vec<Kind>, Failure> {
    let kinds = text.split(',').map(|part| parse_kind(part, default)).collect::<Result<Vec<_>, _>>()?;
    let sum: u64 = kinds.iter().map(|kind| kind.share).sum();
    if sum != 100 {
        return Err(wrong(format!("the shares of mix add up to {sum}, not 100")));
    }
    Ok(kinds)
}

fn parse_kind(part: &str, default: Kind) -> Result<Kind, Failure> {
    let form = || wrong(format!("mix has {part:?}, which is not as in \"4K share=67 read=80 random=100 align=4K\""));
    let mut words = part.split_whitespace();
    let size = words.next().and_then(quantity).ok_or_else(form)?;
    if !(8..=LARGEST).contains(&size) {
        return Err(wrong(format!("mix has the size {size}, not 8 to {LARGEST}")));
    }
    let mut kind = Kind { size, ..default };
    for word in words {
        let (name, value) = word.split_once('=').ok_or_else(form)?;
        let value = quantity(value).ok_or_else(form)?;
        let (place, most) = match name {
            "share" => (&mut kind.share, 100),
            "read" => (&mut kind.read, 100),
            "random" => (&mut kind.random, 100),
            "align" => (&mut kind.align, LARGEST),
            _ => return Err(form()),
        };
        if value > most {
            return Err(wrong(format!("mix has {word}, which is more than {most}")));
        }
        *place = value;
    }
    checked(kind)
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Byte offset in the file.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) length: usize,
    pub(super) write: bool,
    /// Where in the prepared memory its bytes are; `None`: wherever there is room for one block.
    pub(super) place: Option<usize>,
}

/// The requests of one thread in their order, which follows from the seed alone.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    kinds: Vec<Kind>,
    random: Random,
    /// Bytes of the file that are used.
    span: u64,
    /// Where the request before ended.
    position: u64,
}

impl Schedule {
    /// That of the thread `index` of `threads`: sequential requests begin in different parts of the span.
    pub(super) fn new(specification: &Specification, span: u64, seed: u64, index: u64, threads: u64) -> Self {
        let blocks = span / specification.largest();
        Schedule {
            kinds: specification.kinds.clone(),
            // Spread the threads' seeds: those of neighbouring numbers would overlap.
            random: Random::new(mix(seed) ^ index),
            span,
            position: blocks / threads * index * specification.largest(),
        }
    }

    pub(super) fn next(&mut self) -> Request {
        let kind = self.kind();
        let last = (self.span - kind.size) / kind.align;
        let block = if self.one_of_hundred(kind.random) {
            self.random.below(last + 1)
        } else {
            let following = self.position.div_ceil(kind.align);
            if following > last {
                0
            } else {
                following
            }
        };
        let offset = block * kind.align;
        self.position = offset + kind.size;
        let write = !self.one_of_hundred(kind.read);
        // A block is at most 2^30 bytes.
        Request { offset, length: usize::try_from(kind.size).unwrap_or(usize::MAX), write, place: None }
    }

    fn kind(&mut self) -> Kind {
        if self.kinds.len() > 1 {
            let mut point = self.random.below(100);
            for kind in &self.kinds {
                if point < kind.share {
                    return *kind;
                }
                point -= kind.share;
            }
        }
        self.kinds[0]
    }

    /// True in `percent` of a hundred cases. 0 and 100 take no random number.
    fn one_of_hundred(&mut self, percent: u64) -> bool {
        match percent {
            0 => false,
            100 => true,
            _ => self.random.below(100) < percent,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const PLAIN: Kind = Kind { share: 100, size: 4096, read: 100, random: 100, align: 0 };

    fn schedule(kinds: &[Kind], span: u64) -> Schedule {
        let kinds = kinds.iter().map(|kind| checked(*kind).unwrap()).collect();
        Schedule::new(&Specification { kinds, burst: 0, think: Duration::ZERO }, span, 1, 0, 1)
    }

    #[test]
    fn a_mix_is_sizes_with_shares_and_percentages() {
        let mix = parse_mix("4K share=67 read=80 align=512, 64K share=33 random=0", PLAIN).unwrap();
        let small = Kind { share: 67, size: 4096, read: 80, random: 100, align: 512 };
        let large = Kind { share: 33, size: 65536, read: 100, random: 0, align: 65536 };
        assert_eq!(mix, [small, large]);
        assert_eq!(parse_mix("8K", PLAIN).unwrap(), [Kind { size: 8192, align: 8192, ..PLAIN }]);
        for bad in [
            "",
            ",",
            "4K,",
            "4K share",
            "4K share=",
            "4K share=x",
            "4K sector=1",
            "4K share=101",
            "4K share=50",
            "0",
            "2T",
            "4K align=12",
            "12 share=100",
            "4K, 8K",
            "4K read=-1",
            "share=100",
        ] {
            assert!(parse_mix(bad, PLAIN).is_err(), "{bad}");
        }
    }

    #[test]
    fn sequential_blocks_follow_each_other_and_wrap_around() {
        let mut sequential = schedule(&[Kind { random: 0, ..PLAIN }], 4 * 4096 + 100);
        let offsets: Vec<u64> = (0..6).map(|_| sequential.next().offset / 4096).collect();
        assert_eq!(offsets, [0, 1, 2, 3, 0, 1]);
        let mut aligned = schedule(&[Kind { random: 0, size: 512, align: 4096, ..PLAIN }], 3 * 4096);
        assert_eq!((0..4).map(|_| aligned.next().offset).collect::<Vec<_>>(), [0, 4096, 8192, 0]);
        let kinds = vec![checked(Kind { random: 0, ..PLAIN }).unwrap()];
        let specification = Specification { kinds, burst: 0, think: Duration::ZERO };
        assert_eq!(Schedule::new(&specification, 10 * 4096, 1, 2, 3).next().offset, 6 * 4096);
    }

    #[test]
    fn random_blocks_are_those_of_the_seed_and_reach_the_whole_span() {
        let take = |seed| {
            let mut one = schedule(&[PLAIN], 100 * 4096);
            one.random = Random::new(seed);
            (0..2000).map(|_| one.next().offset).collect::<Vec<_>>()
        };
        assert_eq!(take(1), take(1));
        assert_ne!(take(1), take(2));
        let mut found = take(1);
        assert!(found.iter().all(|offset| offset % 4096 == 0));
        found.sort_unstable();
        found.dedup();
        assert_eq!((found.len(), found.last()), (100, Some(&(99 * 4096))));
    }

    #[test]
    fn threads_go_to_different_random_blocks() {
        let specification = Specification { kinds: vec![checked(PLAIN).unwrap()], burst: 0, think: Duration::ZERO };
        let offsets = |index| {
            let mut schedule = Schedule::new(&specification, 1 << 30, 1, index, 3);
            (0..100).map(|_| schedule.next().offset).collect::<Vec<_>>()
        };
        let all: std::collections::BTreeSet<u64> = (0..3).flat_map(offsets).collect();
        assert!(all.len() > 290, "{}", all.len());
    }

    #[test]
    fn every_setting_is_obeyed() {
        let op = crate::disk::OPS.iter().find(|known| known.name == "access").unwrap();
        let given = [("size", 8192), ("align", 512), ("read", 30), ("random", 70), ("think", 3000), ("burst", 5)];
        let given = given.map(|(name, value)| (name.to_owned(), virtometer_protocol::Scalar::Integer(value)));
        let given = virtometer_protocol::Parameters(given.into_iter().collect());
        let settings = Settings::new(op, &given).unwrap();
        let kind = Kind { share: 100, size: 8192, read: 30, random: 70, align: 512 };
        let right = Specification { kinds: vec![kind], burst: 5, think: Duration::from_millis(3) };
        assert_eq!(Specification::parse(&settings, None).unwrap(), right);
        let fixed = Specification { kinds: vec![Kind { read: 0, random: 100, ..kind }], ..right };
        assert_eq!(Specification::parse(&settings, Some((0, 100))).unwrap(), fixed);
    }

    #[test]
    fn the_shares_are_those_asked_for() {
        let kinds = [
            Kind { share: 25, read: 0, random: 0, ..PLAIN },
            Kind { share: 75, size: 8192, read: 60, random: 30, ..PLAIN },
        ];
        let mut mixed = schedule(&kinds, 1 << 30);
        let (mut large, mut writes, mut follows, mut end) = (0, 0, 0, 0);
        for _ in 0..10_000 {
            let request = mixed.next();
            large += i32::from(request.length == 8192);
            writes += i32::from(request.write);
            // A large block after a small one begins at the next multiple of its size.
            follows += i32::from(request.offset == end || request.offset == end + 4096);
            end = request.offset + request.length as u64;
        }
        for (found, expected) in [(large, 7500), (writes, 2500 + 3000), (follows, 2500 + 5250)] {
            assert!((found - expected).abs() < 300, "{found} instead of {expected}");
        }
    }
}
