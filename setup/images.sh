#!/usr/bin/env bash
# Fetches and builds what guests start from (the kernel of QEMU guests), cached by content.
. "$(dirname "$0")/shell.sh"

.venv/bin/virtometer doctor --prepare >"$logs/images.log" 2>&1 ||
    say "some environments cannot be prepared: .venv/bin/virtometer doctor says which and why"
