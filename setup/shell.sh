# What every script in this folder starts with: where things are, how to speak, how to stop. Sourced, never run.
# shellcheck shell=bash

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
logs=$root/.build/log
stamps=$root/.build/stamps
mkdir -p "$logs" "$stamps"

# An ordinary user's PATH lacks the folders where runc and ip live; rustup and pip put programs where sudo does not look.
# .build/rust/bin exists where the system's own Rust is too old.
PATH=$root/.build/rust/bin:$PATH:/usr/local/sbin:/usr/sbin:/sbin
[ -z "${HOME:-}" ] || PATH=$PATH:$HOME/.cargo/bin:$HOME/.local/bin
export PATH

# A user without a home of his own (a service account) keeps what is fetched beside the checkout.
if [ -z "${HOME:-}" ] || ! [ -w "$HOME" ]; then
    export UV_CACHE_DIR=${UV_CACHE_DIR:-$root/.build/cache/uv}
    export CARGO_HOME=${CARGO_HOME:-$root/.build/cache/cargo}
    export PIP_CACHE_DIR=${PIP_CACHE_DIR:-$root/.build/cache/pip}
fi

say() { printf 'setup: %s\n' "$*"; }

stop() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# has PROGRAM: whether a program can be found
has() { command -v "$1" >/dev/null 2>&1; }

is_root() { [ "$(id -u)" = 0 ]; }

# logged NAME COMMAND...: run a command with its output in a log file; the log is not shown
logged() {
    local log=$logs/$1.log
    shift
    "$@" >"$log" 2>&1 </dev/null
}

# offline NAME: whether the log of a failed command speaks of the network
offline() {
    grep -qiE 'resolv|network|timed? ?out|connect|failed to (download|fetch)|unreachable|certificate|dns' "$logs/$1.log" 2>/dev/null
}

# at_least HAVE NEED: compare two version numbers
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }
