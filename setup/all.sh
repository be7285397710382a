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

# One fetches, the other compiles. Each has a process group of its own, which ends with all that it has started.
set -m
setup/python.sh "${1:-all}" 9>&- &
jobs=($!)
setup/rust.sh "${1:-all}" 9>&- &
jobs+=($!)
set +m
# end_jobs STATUS: stop with this status, and the other one too
end_jobs() {
    trap '' INT TERM HUP
    for job in "${jobs[@]}"; do
        kill -- "-$job" 2>/dev/null || true
    done
    wait
    exit "$1"
}
trap 'end_jobs 130' INT TERM HUP
for _ in "${jobs[@]}"; do
    wait -n || end_jobs 1
done
trap - INT TERM HUP

setup/images.sh 9>&-
