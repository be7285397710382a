#!/usr/bin/env bash
# Runs the tests of both languages, the second also when the first fails. Arguments go to pytest. These stand alone:
#   --fast  what takes less than a minute: of Rust the protocol, of Python all that is not marked as slow or long
#   --more  what `make test` leaves out because it takes seconds each (tests/seconds.txt): Python alone
#   --all   everything, and of Rust also every combination, every order of the barrier's threads, many foreign bytes
. "$(dirname "$0")/shell.sh"

# Some tests stop a laboratory with signals. Where this script was started in the background or by nohup, it ignores them,
# and so would everything that it starts.
signals=INT,HUP,TERM,PIPE
attentive=()
if env --default-signal=$signals true 2>/dev/null; then
    attentive=(env "--default-signal=$signals")
fi

which=${1:-}
crates=(--workspace)
# Tests wait for guests and peers as often as they compute: two processes of tests in Python, and two threads of
# tests in Rust, keep a processor busy.
workers=$((2 * $(nproc)))
case $which in
    --fast)
        crates=(-p virtometer-protocol)
        # These compute alone, and each process of tests reads all files of tests.
        workers=$(nproc)
        set -- -m "not slow and not long and not seconds"
        ;;
    --more)
        crates=()
        set -- -m "seconds and not slow"
        ;;
    --all)
        # More combinations in Rust, and more examples of hypothesis.
        export VIRTOMETER_THOROUGH=yes
        set -- -m "not sitting"
        setup/packages.sh setup/thorough.txt "tests"
        ;;
esac
[ "$which" = --fast ] || setup/packages.sh setup/tests.txt "tests"

# Tests start the product hundreds of times: it is compiled once.
unset PYTHONDONTWRITEBYTECODE

rust=0
python=0
# Each process of pytest reads all files of tests. One does so first, and keeps what it made of them, while cargo leaves
# half of the processors idle. What is wrong with a file is said below.
reader=
if [ "${crates[*]}" = --workspace ]; then
    "${attentive[@]}" .venv/bin/python -m pytest --collect-only -qq "$@" >/dev/null 2>&1 </dev/null &
    reader=$!
fi
if [ ${#crates[@]} -gt 0 ]; then
    echo "== Rust: cargo test"
    export RUST_TEST_THREADS=${RUST_TEST_THREADS:-$workers}
    "${attentive[@]}" cargo test "${crates[@]}" --locked || rust=$?
fi
if [ "$which" = --all ]; then
    # Loom takes the place of std in the barrier. Its build has a folder of its own: the flag is one of all crates.
    echo "== Rust: every order of the barrier's threads"
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom "${attentive[@]}" \
        cargo test -p virtometer-sampling --lib --release --locked barrier::models || rust=$?
    # About a minute. So many lines or messages are tried by each test; connections are an eighth as many.
    echo "== Rust: foreign bytes"
    PROPTEST_CASES=100000 "${attentive[@]}" cargo test -p virtometer-protocol --locked || rust=$?
    PROPTEST_CASES=4000 "${attentive[@]}" cargo test -p virtometer-kernels --locked --lib net:: || rust=$?
fi
[ -z "$reader" ] || wait "$reader" || true
echo "== Python: pytest in $workers processes"
"${attentive[@]}" .venv/bin/python -m pytest -n "$workers" --maxprocesses 8 --dist worksteal "$@" || python=$?
if [ "$which" = --all ]; then
    # Measurements of guests that work at once would disturb each other.
    echo "== Python: the experiments of the studies in their short forms, about two hours"
    "${attentive[@]}" .venv/bin/python -m pytest -m sitting tests/cli/study/test_short_forms.py || python=$?
fi
case "$*" in *"not seconds"*)
    echo "== Left out: what takes seconds each (tests/seconds.txt), which 'make test-more' runs, and slow sweeps" \
        "(tests/slow.txt), which 'make test-all' runs."
    ;;
esac
# verdict STATUS
verdict() { if [ "$1" = 0 ]; then echo passed; else echo "FAILED (status $1)"; fi; }
if [ ${#crates[@]} -gt 0 ]; then
    echo "== Rust: $(verdict $rust). Python: $(verdict $python)."
else
    echo "== Python: $(verdict $python)."
fi
[ $rust = 0 ] && [ $python = 0 ]
