#!/usr/bin/env bash
# Fetches and builds what guests start from (the kernel of QEMU guests, root file systems), cached by content.
. "$(dirname "$0")/shell.sh"

# What was prepared once is only looked at again when the code that prepares it, or the agent inside, is another.
cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/virtometer
programs=$(grep -v '^#' setup/packages.txt | while read -r _ program _; do command -v "$program" || true; done)
want=$(cat src/virtometer/environments/*.py target/"$(uname -m)"-unknown-linux-*/release/virtometer-agent 2>/dev/null | sha256sum; echo "$cache" "$programs")
[ "$(cat "$stamps/images" 2>/dev/null)" != "$want" ] || ! [ -d "$cache" ] || exit 0

say "prepares what guests start from (a kernel of 27 MB is fetched the first time)"
if .venv/bin/python setup/images.py 2>"$logs/images.log"; then
    echo "$want" >"$stamps/images"
else
    [ ! -s "$logs/images.log" ] || tail -n 1 "$logs/images.log"
    say "goes on without them; .venv/bin/virtometer doctor says what works and what to do"
fi
