//! The numbers that both sides know are those of contract/constants.json; the laboratory's tests read it as well.
#![allow(missing_docs, clippy::unwrap_used)]

use serde_json::{json, Value};
use virtometer_protocol::{MAGIC, MAX_INTEGER, MAX_LEAD_NS, MAX_LINE, MAX_SAMPLES, NULL_ITERATIONS, PROTOCOL};

#[test]
fn constants_are_those_of_the_contract() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/constants.json");
    let contract: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let ours = json!({
        "protocol": PROTOCOL,
        "magic": MAGIC,
        "line_bytes": MAX_LINE,
        "largest_integer": MAX_INTEGER,
        "samples_in_a_message": MAX_SAMPLES,
        "null_iterations": NULL_ITERATIONS,
        "longest_lead_ns": MAX_LEAD_NS,
    });
    assert_eq!(ours, contract);
}
