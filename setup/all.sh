#!/usr/bin/env bash
# make setup: everything that Virtometer needs, in order. Says what it installs; what is there already is left alone.
# Argument: the extent of the Python packages, see python.sh.
. "$(dirname "$0")/shell.sh"

# Two makes at the same time take turns.
if has flock; then
    exec 9>.build/setup.lock
    flock 9
fi
setup/packages.sh 9>&-
setup/python.sh "${1:-all}" 9>&-
setup/rust.sh 9>&-
setup/images.sh 9>&-
