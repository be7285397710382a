#!/usr/bin/env bash
# make setup: everything that Virtometer needs, in order. Says what it installs; what is there already is left alone.
# Argument: `all` (the default); `product` for what virtometer itself needs; `tests` for all, and the tests in Rust are
# built meanwhile.
. "$(dirname "$0")/shell.sh"

# Two makes at the same time take turns.
if has flock; then
    exec 9>.build/setup.lock
    flock 9
fi
setup/packages.sh 9>&-

# python.sh downloads while rust.sh compiles. Each has a process group of its own, which ends with all that it has
# started.
jobs=()
# end_jobs STATUS: end both scripts, and stop with this status
end_jobs() {
    trap '' INT TERM HUP
    for job in "${jobs[@]}"; do
        kill -- "-$job" 2>/dev/null || true
    done
    wait
    exit "$1"
}
trap 'end_jobs 130' INT TERM HUP
set -m
setup/python.sh "${1:-all}" 9>&- </dev/null &
jobs+=($!)
setup/rust.sh "${1:-all}" 9>&- </dev/null &
jobs+=($!)
set +m
for _ in "${jobs[@]}"; do
    wait -n || [ $? = 127 ] || end_jobs 1 # 127: both have ended, and bash has noticed both at once
done
for job in "${jobs[@]}"; do
    wait "$job" || end_jobs 1
done
trap - INT TERM HUP

setup/images.sh 9>&-
