//! What the operations on a whole file do with it, in which order, and what it is before.

/// What is done with each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Write,
    Read,
    /// Read, change and write back.
    Rewrite,
    /// Write byte by byte through a small buffer.
    Put,
    /// Read byte by byte through a small buffer.
    Get,
    /// Go to a random record and read it; every tenth is also changed and written back.
    Seek,
}

/// In which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Forward,
    Backward,
    /// Every 17th record, then every 17th beginning with the second, and so on, as iozone does unless told otherwise.
    Stride,
}

impl Order {
    /// Which of `count` records comes at the place `turn` of a pass.
    pub(super) fn record_at(self, turn: u64, count: u64) -> u64 {
        const STRIDE: u64 = 17;
        match self {
            Order::Forward => turn,
            Order::Backward => count - 1 - turn,
            Order::Stride => {
                // The first `longer` rounds have one record more than the others.
                let (shorter, longer) = (count / STRIDE, count % STRIDE);
                let in_longer = longer * (shorter + 1);
                if turn < in_longer {
                    turn / (shorter + 1) + turn % (shorter + 1) * STRIDE
                } else {
                    let rest = turn - in_longer;
                    longer + rest / shorter + rest % shorter * STRIDE
                }
            }
        }
    }
}

/// What the file is at the beginning of each pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// New and empty.
    Fresh,
    /// Written, and nothing of it in the page cache.
    Cold,
    /// Written, and used before.
    Warm,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) op: &'static str,
    pub(super) act: Act,
    pub(super) begin: Begin,
    pub(super) order: Order,
    /// With pread and pwrite instead of read and write.
    pub(super) positional: bool,
}

const fn manner(op: &'static str, act: Act, begin: Begin, order: Order, positional: bool) -> Manner {
    Manner { op, act, begin, order, positional }
}

/// All operations.
pub(super) static MANNERS: &[Manner] = &[
    manner("write", Act::Write, Begin::Fresh, Order::Forward, false),
    manner("rewrite", Act::Write, Begin::Warm, Order::Forward, false),
    manner("read", Act::Read, Begin::Cold, Order::Forward, false),
    manner("reread", Act::Read, Begin::Warm, Order::Forward, false),
    manner("pwrite", Act::Write, Begin::Fresh, Order::Forward, true),
    manner("repwrite", Act::Write, Begin::Warm, Order::Forward, true),
    manner("pread", Act::Read, Begin::Cold, Order::Forward, true),
    manner("repread", Act::Read, Begin::Warm, Order::Forward, true),
    manner("backward-read", Act::Read, Begin::Warm, Order::Backward, true),
    manner("stride-read", Act::Read, Begin::Warm, Order::Stride, true),
    manner("char-write", Act::Put, Begin::Fresh, Order::Forward, false),
    manner("char-read", Act::Get, Begin::Cold, Order::Forward, false),
    manner("read-rewrite", Act::Rewrite, Begin::Cold, Order::Forward, false),
    manner("seeks", Act::Seek, Begin::Cold, Order::Forward, false),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_takes_every_record_once() {
        for count in [1, 2, 16, 17, 18, 100, 1000] {
            for order in [Order::Forward, Order::Backward, Order::Stride] {
                let mut taken: Vec<u64> = (0..count).map(|turn| order.record_at(turn, count)).collect();
                if count == 100 && order == Order::Stride {
                    assert_eq!(taken[..8], [0, 17, 34, 51, 68, 85, 1, 18]);
                }
                taken.sort_unstable();
                assert_eq!(taken, (0..count).collect::<Vec<_>>(), "{order:?} {count}");
            }
        }
    }
}
