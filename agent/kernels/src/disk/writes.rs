//! Whether the writes of an iteration are in the file: some of them, or all, are read again and their stamps compared.

use super::guard::wrong_content;
use super::read_back::ReadBack;
use super::specification::Request;
use super::stamp::{differences, writes_between, Word, Worker};
use crate::random::Random;
use crate::settings::check_failed;
use virtometer_protocol::Failure;

/// Of how many writes one is looked at where not all are: reading it twice takes time outside of what is timed.
const ONE_OF: usize = 16;

/// Most writes of an iteration that are looked at where not all are.
const MOST: usize = 16;

/// Bytes that they have in total at most, unless a single one has more.
const MOST_BYTES: usize = 4 << 20;

/// What was in the file before is noted once for so many bytes.
const SECTOR: usize = 512;

/// A write that is looked at.
struct Looked {
    /// Which request of the iteration.
    index: usize,
    /// By what the first word of each sector differed from the pattern before the iteration.
    before: Vec<u64>,
}

/// The writes of one worker.
pub(super) struct Writes {
    worker: Worker,
    /// Writes that were stamped, in all iterations.
    stamped: u64,
    /// Of them before this iteration.
    first: u64,
    looked: Vec<Looked>,
    /// The requests are complete in the order in which they are made.
    ordered: bool,
    random: Random,
    /// Whether stamps of others were seen: they write to the file as well, or did so and were killed.
    others: bool,
    /// Writes that were compared, and those of them after which the file had another content than before.
    compared: u64,
    changed: u64,
}

impl Writes {
    /// `ordered`: one request is complete before the next begins.
    pub(super) fn new(seed: u64, ordered: bool) -> Self {
        Writes {
            worker: Worker::new(),
            stamped: 0,
            first: 0,
            looked: Vec::new(),
            ordered,
            random: Random::new(seed),
            others: false,
            compared: 0,
            changed: 0,
        }
    }

    /// The worker that stamps.
    pub(super) fn worker(&self) -> Worker {
        self.worker
    }

    /// Others had their turns since the last comparison: they may have written everywhere, and have brought back the
    /// pattern where they were the last.
    pub(super) fn expect_others(&mut self) {
        self.others = true;
    }

    /// An iteration begins: the stamp of its request `index` is `stamp(index)`.
    pub(super) fn begin(&mut self, requests: usize) {
        self.first = self.stamped;
        self.stamped += requests as u64;
        self.looked.clear();
    }

    /// The stamp of the request `index` of this iteration.
    pub(super) fn stamp(&self, index: usize) -> u64 {
        self.worker.stamp(self.first + index as u64)
    }

    /// Choose the writes to look at (`all`, or one of sixteen, the last one always), and note what the file holds
    /// there.
    pub(super) fn choose(
        &mut self,
        requests: &[Request],
        all: bool,
        read_back: &mut ReadBack,
        path: &str,
    ) -> Result<(), Failure> {
        let writes: Vec<usize> = (0..requests.len()).filter(|index| requests[*index].write).collect();
        let mut chosen = Vec::new();
        if all {
            chosen = writes;
        } else if let Some(last) = writes.last() {
            let mut bytes = requests[*last].length;
            chosen.push(*last);
            for _ in 1..(writes.len() / ONE_OF).min(MOST) {
                let place = usize::try_from(self.random.below(writes.len() as u64)).unwrap_or(0);
                bytes += requests[writes[place]].length;
                if bytes > MOST_BYTES {
                    break;
                }
                chosen.push(writes[place]);
            }
        }
        for index in chosen {
            let request = &requests[index];
            let block = read_back.read(path, request.offset, request.length)?;
            let sectors = block.chunks(SECTOR).zip((request.offset..).step_by(SECTOR));
            let before = sectors.filter_map(|(sector, at)| differences(sector, at).next()).map(|(_, first)| first);
            let before: Vec<u64> = before.collect();
            self.others |= before.iter().any(|difference| self.worker.meaning(*difference) == Word::Other);
            self.looked.push(Looked { index, before });
        }
        Ok(())
    }

    /// Read the chosen writes again and compare every word. `check-failed` where a write is not in the file.
    pub(super) fn compare(
        &mut self,
        requests: &[Request],
        read_back: &mut ReadBack,
        path: &str,
    ) -> Result<(), Failure> {
        let looked = std::mem::take(&mut self.looked);
        let outcome = looked.iter().try_for_each(|one| self.compare_one(one, requests, read_back, path));
        self.looked = looked;
        outcome
    }

    fn compare_one(
        &mut self,
        one: &Looked,
        requests: &[Request],
        read_back: &mut ReadBack,
        path: &str,
    ) -> Result<(), Failure> {
        let request = &requests[one.index];
        let wanted = self.stamp(one.index);
        let mut changed = false;
        for (at, found) in differences(read_back.read(path, request.offset, request.length)?, request.offset) {
            if found == wanted {
                changed = true;
                continue;
            }
            let sector = usize::try_from((at - request.offset) / SECTOR as u64).unwrap_or(0);
            let before = one.before.get(sector).copied().unwrap_or(0);
            let there = match self.worker.meaning(found) {
                Word::Foreign => return Err(wrong_content(path, at)),
                Word::Own(count) => self.may_stand(count, one.index, at, requests),
                Word::Other => {
                    self.others = true;
                    found != before
                }
                // Others bring back the pattern when they have ended.
                Word::Pattern => self.others,
            };
            if !there {
                let (from, length) = (request.offset, request.length);
                return Err(check_failed(format!(
                    "{path} does not hold at byte {at} what the write of {length} bytes at byte {from} has put there"
                )));
            }
            changed |= found != before;
        }
        self.compared += 1;
        self.changed += u64::from(changed);
        Ok(())
    }

    /// Whether the word at byte `at` may be that of the write number `count` although the request `index` wrote there:
    /// it was a later one of this iteration, or one of several that were under way at once.
    fn may_stand(&self, count: u64, index: usize, at: u64, requests: &[Request]) -> bool {
        let number = usize::try_from(writes_between(self.first, count)).unwrap_or(usize::MAX);
        let covers =
            |request: &Request| request.write && (request.offset..request.offset + request.length as u64).contains(&at);
        match requests.get(number) {
            Some(request) if covers(request) => {
                !self.ordered || (number > index && !requests[number + 1..].iter().any(covers))
            }
            _ => false,
        }
    }

    /// `check-failed` where writes were compared and none of them has changed the file, although others write to it as
    /// well.
    pub(super) fn ensure_changes(&self, path: &str) -> Result<(), Failure> {
        match (self.compared, self.changed) {
            (compared, 0) if compared > 0 => {
                Err(check_failed(format!("{path} holds what it held before {compared} writes that were compared")))
            }
            _ => Ok(()),
        }
    }
}
