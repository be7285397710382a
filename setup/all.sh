#!/usr/bin/env bash
# make setup: everything that Virtometer needs, in order. Says what it installs; what is there already is left alone.
. "$(dirname "$0")/shell.sh"

# Two makes at the same time take turns.
if has flock; then
    exec 9>.build/setup.lock
    flock 9
fi
for step in packages python rust images; do
    "setup/$step.sh" 9>&-
done
