#![allow(clippy::unwrap_used)]

use super::may_have_variables;

/// A line of `/proc/PID/stat` with a state, the end of the code and the place of the environment; its name has brackets
/// in it.
fn line_of(state: char, code: u64, start: u64, end: u64) -> String {
    let (before, between) = (["7"; 23].join(" "), ["7"; 22].join(" "));
    format!("41 (a) b) {state} {before} {code} {between} {start} {end} 0")
}

fn line(state: char, start: u64, end: u64) -> String {
    line_of(state, 7, start, end)
}

#[test]
fn what_is_just_being_executed_is_looked_at_again() {
    for (line, again) in [
        (line('R', 0, 0), true),             // between the old program and the new one
        (line_of('R', 0, 4096, 4096), true), // the place of the variables is known, and not yet their end
        (line('S', 4096, 0), true),          // the new one's variables are being copied
        (line('S', 4096, 5000), true),       // they came after the look
        (line('S', 4096, 4096), false),      // it has none, as after `env -i`
        (line('Z', 0, 0), false),            // it has ended
        (line('X', 0, 0), false),
        (String::new(), false), // it is gone
    ] {
        assert_eq!(may_have_variables(&line), again, "{line}");
    }
}

#[test]
fn the_fields_are_those_of_this_system() {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    assert!(may_have_variables(&stat));
}
