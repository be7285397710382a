//! What only the inside of a worker shows.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::disk::manner::MANNERS;

#[test]
fn measures_are_those_of_one_record_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 4] {
        let path = folder.path().join("own").to_str().unwrap().to_owned();
        let manner = *MANNERS.iter().find(|manner| manner.op == "reread").unwrap();
        let place = Place { path, direct: false, synchronous: false };
        let verify = Verify::Sample;
        let wish =
            Wish { place, manner, span: 65536, size: 8192, flush: false, verify, seed: 1, threads, room: 1 << 30 };
        let mut records = Records::new(&wish, 0).unwrap();
        for repeats in [5, 2] {
            records.settle().unwrap();
            records.before(repeats).unwrap();
            records.run(repeats).unwrap();
            records.after().unwrap();
        }
        // Two passes over eight records; those before are for calibration.
        assert_eq!(records.finish().unwrap(), CheckValue::Count(16));
        records.cpu_ns = 400_000;
        // The processor time is that of all threads, the records are those of this one.
        #[allow(clippy::cast_precision_loss)] // 1 or 4
        let right = 25e-6 / threads as f64;
        let told = records.extras().measures()["cpu-per-io"].value;
        assert!((told / right - 1.0).abs() < 1e-9, "{told}");
        records.settle().unwrap();
        assert_eq!((records.cpu_ns, records.records), (0, 0));
    }
}
