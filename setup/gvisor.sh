#!/usr/bin/env bash
# make gvisor: builds a current runsc from gVisor's own source. Debian's is of 2022, knows no platform systrap, and
# stands still in streams of the network. It goes into the cache, where guests of gVisor take it from.
. "$(dirname "$0")/shell.sh"

version=v0.0.0-20260905035102-160fafc42237
go_wanted=1.21 # from which on Go fetches the newer one that a module asks for

has go || stop "Go is not installed, which gVisor is built with; install Go $go_wanted or later from go.dev, and call make again"
cache=${XDG_CACHE_HOME:-${HOME:-$root/.build/cache}/.cache}/virtometer
kept=$cache/gvisor/runsc
made=$cache/gvisor/version
if [ -x "$kept" ] && [ "$(cat "$made" 2>/dev/null)" = "$version" ]; then
    say "runsc $version is in $kept"
    exit 0
fi
say "builds runsc $version (about three minutes, 100 MB in $cache/gvisor)"
mkdir -p "$cache/gvisor"
work=$(mktemp -d "$cache/gvisor/.partial-XXXXXX")
trap 'rm -rf "$work"' EXIT
name="-X gvisor.dev/gvisor/runsc/version.version=$version" # what it says of itself, which reports show
if ! GOBIN=$work CGO_ENABLED=0 logged gvisor go install -ldflags "$name" "gvisor.dev/gvisor/runsc@$version"; then
    tail -n 5 "$logs/gvisor.log" >&2
    stop "runsc could not be built (Go's words are above)"
fi
"$work/runsc" --version >/dev/null || stop "the runsc that was built does not start"
mv "$work/runsc" "$kept"
echo "$version" >"$made"
say "guests of gVisor have this runsc now: $kept; remove it for the one on the PATH"
