//! What only the inside of a worker shows.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::disk::file_op::FILE_OPS;

#[test]
fn measures_are_those_of_one_record_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 4] {
        let path = folder.path().join("own").to_str().unwrap().to_owned();
        let file_op = *FILE_OPS.iter().find(|file_op| file_op.op == "reread").unwrap();
        let place = Place { path, direct: false, synchronous: false };
        let verify = Verify::Sample;
        let config = Config {
            place,
            file_op,
            span: 65536,
            size: 8192,
            flush: false,
            verify,
            seed: 1,
            threads,
            free_bytes: 1 << 30,
        };
        let mut records = Records::new(&config, 0).unwrap();
        for repeats in [5, 2] {
            records.reset_after_calibration().unwrap();
            records.setup(repeats).unwrap();
            records.run(repeats).unwrap();
            records.verify().unwrap();
        }
        // Two passes over eight records; those before are for calibration.
        assert_eq!(records.finish().unwrap(), CheckValue::Count(16));
        records.cpu_ns = 400_000;
        // The processor time is that of all threads, the records are those of this one.
        #[allow(clippy::cast_precision_loss)] // 1 or 4
        let right = 25e-6 / threads as f64;
        let told = records.extras().measures()["cpu-per-io"].value;
        assert!((told / right - 1.0).abs() < 1e-9, "{told}");
        records.reset_after_calibration().unwrap();
        assert_eq!((records.cpu_ns, records.records), (0, 0));
    }
}
