#!/usr/bin/env bash
# Runs the tests of both languages, the second also when the first fails. Arguments go to pytest.
. "$(dirname "$0")/shell.sh"

rust=0
python=0
echo "== Rust: cargo test"
cargo test --workspace --locked || rust=$?
echo "== Python: pytest"
.venv/bin/python -m pytest "$@" || python=$?
echo "== Rust: $([ $rust = 0 ] && echo passed || echo "FAILED (status $rust)"). Python: $([ $python = 0 ] && echo passed || echo "FAILED (status $python)")."
[ $rust = 0 ] && [ $python = 0 ]
