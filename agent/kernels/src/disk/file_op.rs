//! The operations on a whole file: the access to each record, their order, and the state of the file before.

/// The access to each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
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

/// The state of the file at the beginning of each pass.
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
pub(super) struct FileOp {
    pub(super) op: &'static str,
    pub(super) access_kind: AccessKind,
    pub(super) begin: Begin,
    pub(super) order: Order,
    /// With pread and pwrite instead of read and write.
    pub(super) positional: bool,
}

const fn file_op(op: &'static str, access_kind: AccessKind, begin: Begin, order: Order, positional: bool) -> FileOp {
    FileOp { op, access_kind, begin, order, positional }
}

/// All operations.
pub(super) static FILE_OPS: &[FileOp] = &[
    file_op("write", AccessKind::Write, Begin::Fresh, Order::Forward, false),
    file_op("rewrite", AccessKind::Write, Begin::Warm, Order::Forward, false),
    file_op("read", AccessKind::Read, Begin::Cold, Order::Forward, false),
    file_op("reread", AccessKind::Read, Begin::Warm, Order::Forward, false),
    file_op("pwrite", AccessKind::Write, Begin::Fresh, Order::Forward, true),
    file_op("repwrite", AccessKind::Write, Begin::Warm, Order::Forward, true),
    file_op("pread", AccessKind::Read, Begin::Cold, Order::Forward, true),
    file_op("repread", AccessKind::Read, Begin::Warm, Order::Forward, true),
    file_op("backward-read", AccessKind::Read, Begin::Warm, Order::Backward, true),
    file_op("stride-read", AccessKind::Read, Begin::Warm, Order::Stride, true),
    file_op("char-write", AccessKind::Put, Begin::Fresh, Order::Forward, false),
    file_op("char-read", AccessKind::Get, Begin::Cold, Order::Forward, false),
    file_op("read-rewrite", AccessKind::Rewrite, Begin::Cold, Order::Forward, false),
    file_op("seeks", AccessKind::Seek, Begin::Cold, Order::Forward, false),
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
